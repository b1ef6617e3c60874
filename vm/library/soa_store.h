// SPDX-License-Identifier: MIT
//
// Rows of numbers, stored by column: what articles on pooling recommend where a program has very
// many small records of numbers. Knows nothing of Lua; soa_library.cc is what scripts see.
//
//    column x  (f64)  | 0 | 1 | 2 | ... | rows - 1 |  room   |     one block for each column
//    column hp (i32)  | 0 | 1 | 2 | ... | rows - 1 |  room   |
//
// Rows count from 0 here. Numbers that do not fit an integer type keep their low bits.
#ifndef NEAP_VM_LIBRARY_SOA_STORE_H_
#define NEAP_VM_LIBRARY_SOA_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace neap::vm {

// X(enumerator, C++ type, "name")
#define NEAP_SOA_TYPES(X)  \
  X(kF64, double, "f64")   \
  X(kF32, float, "f32")    \
  X(kI64, int64_t, "i64")  \
  X(kI32, int32_t, "i32")  \
  X(kU32, uint32_t, "u32") \
  X(kI16, int16_t, "i16")  \
  X(kU16, uint16_t, "u16") \
  X(kI8, int8_t, "i8")     \
  X(kU8, uint8_t, "u8")

enum class SoaType : uint8_t {
#define NEAP_SOA_DEFINE(name, type, text) name,
  NEAP_SOA_TYPES(NEAP_SOA_DEFINE)
#undef NEAP_SOA_DEFINE
};

inline constexpr bool IsFloat(SoaType type) { return type <= SoaType::kF32; }

// Calls f with a value of the C++ type, for templates.
template <typename F>
auto WithType(SoaType type, F f) {
  switch (type) {
#define NEAP_SOA_CASE(name, cpp_type, text) \
  case SoaType::name:                       \
    return f(cpp_type{});
    NEAP_SOA_TYPES(NEAP_SOA_CASE)
#undef NEAP_SOA_CASE
  }
  __builtin_unreachable();
}

// A number of a column: `integer` for integer types, `real` for the others.
struct SoaNumber {
  double real = 0;
  int64_t integer = 0;
};

enum class SoaTest : uint8_t { kLess, kLessEqual, kGreater, kGreaterEqual, kEqual, kNotEqual };

class SoaStore {
 public:
  struct Column {
    std::string name;
    SoaType type;
    std::unique_ptr<uint8_t[]> data;
  };

  // False: there is no type of that name.
  static bool FindType(std::string_view name, SoaType* type);
  // While there are no rows.
  void AddColumn(std::string name, SoaType type);
  size_t columns() const { return columns_.size(); }
  const Column& column(size_t i) const { return columns_[i]; }
  // -1: none.
  int FindColumn(std::string_view name) const;

  uint64_t rows() const { return rows_; }
  uint64_t capacity() const { return capacity_; }
  uint64_t bytes() const { return capacity_ * row_bytes_; }
  // Of all columns, for so many rows.
  uint64_t BytesFor(uint64_t capacity) const { return capacity * row_bytes_; }
  // False: no memory; the store is as it was.
  [[nodiscard]] bool Grow(uint64_t capacity);

  // A row of zeros at the end; there is room.
  void AddRow();
  SoaNumber Load(size_t column, uint64_t row) const;
  void Store(size_t column, uint64_t row, SoaNumber number);
  // The last row takes the place of this one.
  void RemoveRow(uint64_t row);
  // Removes the rows whose number in the column passes the test; the others keep their order.
  // Returns how many went.
  uint64_t RemoveWhere(size_t column, SoaTest test, SoaNumber number);
  void Clear() { rows_ = 0; }

  // The whole column, or rows first .. end - 1.
  void Fill(size_t column, uint64_t first, uint64_t end, SoaNumber number);
  void AddNumber(size_t column, SoaNumber number);
  // column[i] += source[i] * scale.
  void AddColumnOf(size_t column, size_t source, SoaNumber scale);
  SoaNumber Sum(size_t column) const;
  // There is a row.
  SoaNumber Least(size_t column) const;
  SoaNumber Greatest(size_t column) const;

 private:
  template <typename T>
  T* Data(size_t column) const {
    return reinterpret_cast<T*>(columns_[column].data.get());
  }

  std::vector<Column> columns_;
  uint64_t rows_ = 0;
  uint64_t capacity_ = 0;
  uint64_t row_bytes_ = 0;
};

}  // namespace neap::vm

#endif  // NEAP_VM_LIBRARY_SOA_STORE_H_
