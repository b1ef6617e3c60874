// SPDX-License-Identifier: MIT
//
// Arithmetic of the interpreter loop on words that hold doubles.
#ifndef NEAP_VM_INTERPRETER_DOUBLES_H_
#define NEAP_VM_INTERPRETER_DOUBLES_H_

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "objects/value.h"

namespace neap::vm {

// The numbers that two words hold, as doubles. False: one is no number, or in a box.
inline bool ToDoubles(Word x, Word y, double* a, double* b) {
  const Value v = Value::FromWord(x), w = Value::FromWord(y);
  if (!v.is_inline_number() || !w.is_inline_number()) return false;
  *a = v.is_double() ? v.as_double() : static_cast<double>(v.inline_integer());
  *b = w.is_double() ? w.as_double() : static_cast<double>(w.inline_integer());
  return true;
}

inline bool BothDoubles(Word x, Word y) {
  return Value::FromWord(x).is_double() && Value::FromWord(y).is_double();
}

// Arithmetic on two registers or constants that hold doubles. The words go from memory to a vector
// register and back without passing through a general one, so that checking them stands beside the
// computation and not in front of it.
#if defined(__SSE2__)
inline __m128d LoadDouble(const Word& word) {
  __m128i bits;
  asm("movq %1, %0" : "=x"(bits) : "m"(word));  // or gcc takes the word that was checked
  const __m128i offset = _mm_set1_epi64x(static_cast<int64_t>(Value::kDoubleOffset));
  return _mm_castsi128_pd(_mm_sub_epi64(bits, offset));
}
inline void StoreDouble(Word* to, __m128d d) {
  const __m128i offset = _mm_set1_epi64x(static_cast<int64_t>(Value::kDoubleOffset));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_add_epi64(_mm_castpd_si128(d), offset));
}
inline __m128d AddDoubles(__m128d a, __m128d b) { return _mm_add_sd(a, b); }
inline __m128d SubtractDoubles(__m128d a, __m128d b) { return _mm_sub_sd(a, b); }
inline __m128d MultiplyDoubles(__m128d a, __m128d b) { return _mm_mul_sd(a, b); }
inline __m128d DivideDoubles(__m128d a, __m128d b) { return _mm_div_sd(a, b); }
#else
inline double LoadDouble(const Word& word) { return Value::FromWord(word).as_double(); }
inline void StoreDouble(Word* to, double d) { *to = Value::ArithmeticResult(d).word(); }
inline double AddDoubles(double a, double b) { return a + b; }
inline double SubtractDoubles(double a, double b) { return a - b; }
inline double MultiplyDoubles(double a, double b) { return a * b; }
inline double DivideDoubles(double a, double b) { return a / b; }
#endif

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_DOUBLES_H_
