// SPDX-License-Identifier: MIT
//
// soa_store.h. Each operation on a whole column is one loop over numbers of one type, which the
// compiler turns into vector instructions.
#include "library/soa_store.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

namespace neap::vm {
namespace {

size_t SizeOf(SoaType type) {
  return WithType(type, [](auto zero) { return sizeof(zero); });
}

template <typename T>
T ToElement(SoaNumber number) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(number.real);
  } else {
    return static_cast<T>(number.integer);
  }
}

template <typename T>
SoaNumber ToNumber(T element) {
  if constexpr (std::is_floating_point_v<T>) {
    return {.real = static_cast<double>(element)};
  } else {
    return {.integer = static_cast<int64_t>(element)};
  }
}

// Integers wrap around.
template <typename T>
T Plus(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
}
template <typename T>
T Times(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a * b;
  } else {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
}

// By value, not by the low bits that the type would keep of the number: 200 is less than 300 in a
// column of bytes, too.
template <typename T>
bool Passes(SoaTest test, T element, T number) {
  switch (test) {
    case SoaTest::kLess:
      return element < number;
    case SoaTest::kLessEqual:
      return element <= number;
    case SoaTest::kGreater:
      return element > number;
    case SoaTest::kGreaterEqual:
      return element >= number;
    case SoaTest::kEqual:
      return element == number;
    case SoaTest::kNotEqual:
      return element != number;
  }
  return false;
}

}  // namespace

bool SoaStore::FindType(std::string_view name, SoaType* type) {
#define NEAP_SOA_FIND(enumerator, cpp_type, text) \
  if (name == text) {                             \
    *type = SoaType::enumerator;                  \
    return true;                                  \
  }
  NEAP_SOA_TYPES(NEAP_SOA_FIND)
#undef NEAP_SOA_FIND
  return false;
}

void SoaStore::AddColumn(std::string name, SoaType type) {
  columns_.push_back({std::move(name), type, nullptr});
  row_bytes_ += SizeOf(type);
}

int SoaStore::FindColumn(std::string_view name) const {
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

bool SoaStore::Grow(uint64_t capacity) {
  if (capacity <= capacity_) return true;
  std::vector<std::unique_ptr<uint8_t[]>> blocks;
  for (const Column& column : columns_) {
    blocks.emplace_back(new (std::nothrow) uint8_t[capacity * SizeOf(column.type)]);
    if (blocks.back() == nullptr) return false;
  }
  for (size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    if (rows_ != 0) std::memcpy(blocks[i].get(), column.data.get(), rows_ * SizeOf(column.type));
    column.data = std::move(blocks[i]);
  }
  capacity_ = capacity;
  return true;
}

// --- Rows ----------------------------------------------------------------------------------------

void SoaStore::AddRow() {
  for (Column& column : columns_) {
    const size_t bytes = SizeOf(column.type);
    std::memset(column.data.get() + rows_ * bytes, 0, bytes);
  }
  ++rows_;
}

SoaNumber SoaStore::Load(size_t column, uint64_t row) const {
  return WithType(columns_[column].type,
                  [&](auto zero) { return ToNumber(Data<decltype(zero)>(column)[row]); });
}

void SoaStore::Store(size_t column, uint64_t row, SoaNumber number) {
  WithType(columns_[column].type, [&](auto zero) {
    Data<decltype(zero)>(column)[row] = ToElement<decltype(zero)>(number);
  });
}

void SoaStore::RemoveRow(uint64_t row) {
  --rows_;
  if (row == rows_) return;
  for (Column& column : columns_) {
    const size_t bytes = SizeOf(column.type);
    std::memcpy(column.data.get() + row * bytes, column.data.get() + rows_ * bytes, bytes);
  }
}

// First which rows stay, then each column is closed up by itself.
uint64_t SoaStore::RemoveWhere(size_t column, SoaTest test, SoaNumber number) {
  std::vector<uint64_t> kept;
  WithType(columns_[column].type, [&](auto zero) {
    using T = decltype(zero);
    using Wide = std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;
    const T* data = Data<T>(column);
    const Wide limit = ToElement<Wide>(number);
    for (uint64_t i = 0; i < rows_; ++i) {
      if (!Passes<Wide>(test, data[i], limit)) kept.push_back(i);
    }
  });
  const uint64_t removed = rows_ - kept.size();
  if (removed == 0) return 0;
  for (size_t c = 0; c < columns_.size(); ++c) {
    WithType(columns_[c].type, [&](auto zero) {
      auto* data = Data<decltype(zero)>(c);
      for (size_t i = 0; i < kept.size(); ++i) data[i] = data[kept[i]];
    });
  }
  rows_ = kept.size();
  return removed;
}

// --- Columns -------------------------------------------------------------------------------------

void SoaStore::Fill(size_t column, uint64_t first, uint64_t end, SoaNumber number) {
  WithType(columns_[column].type, [&](auto zero) {
    using T = decltype(zero);
    std::fill(Data<T>(column) + first, Data<T>(column) + end, ToElement<T>(number));
  });
}

void SoaStore::AddNumber(size_t column, SoaNumber number) {
  WithType(columns_[column].type, [&](auto zero) {
    using T = decltype(zero);
    T* data = Data<T>(column);
    const T more = ToElement<T>(number);
    for (uint64_t i = 0; i < rows_; ++i) data[i] = Plus(data[i], more);
  });
}

void SoaStore::AddColumnOf(size_t column, size_t source, SoaNumber scale) {
  WithType(columns_[column].type, [&](auto zero) {
    using T = decltype(zero);
    T* data = Data<T>(column);
    const T factor = ToElement<T>(scale);
    WithType(columns_[source].type, [&](auto source_zero) {
      const auto* from = Data<decltype(source_zero)>(source);
      for (uint64_t i = 0; i < rows_; ++i) {
        data[i] = Plus(data[i], Times(static_cast<T>(from[i]), factor));
      }
    });
  });
}

SoaNumber SoaStore::Sum(size_t column) const {
  return WithType(columns_[column].type, [&](auto zero) {
    using T = decltype(zero);
    using Total = std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;
    Total total = 0;
    for (uint64_t i = 0; i < rows_; ++i)
      total = Plus(total, static_cast<Total>(Data<T>(column)[i]));
    return ToNumber(total);
  });
}

SoaNumber SoaStore::Least(size_t column) const {
  return WithType(columns_[column].type, [&](auto zero) {
    const auto* data = Data<decltype(zero)>(column);
    return ToNumber(*std::min_element(data, data + rows_));
  });
}

SoaNumber SoaStore::Greatest(size_t column) const {
  return WithType(columns_[column].type, [&](auto zero) {
    const auto* data = Data<decltype(zero)>(column);
    return ToNumber(*std::max_element(data, data + rows_));
  });
}

}  // namespace neap::vm
