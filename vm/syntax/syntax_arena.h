// SPDX-License-Identifier: MIT
//
// Memory for one syntax tree: nodes are made one after the other and freed all at once, so nothing
// in the arena has a destructor. Pages double from 4 KiB to 256 KiB: a one-line chunk costs one
// page, a large one few calls of malloc and at most one page of waste. One thread at a time.
//
//   SyntaxArena arena;
//   auto* node = arena.New<Call>();
//   std::span<Expr*> list = arena.Copy(std::span<Expr* const>(scratch));
#ifndef NEAP_VM_SYNTAX_SYNTAX_ARENA_H_
#define NEAP_VM_SYNTAX_SYNTAX_ARENA_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace neap::vm {

class SyntaxArena {
 public:
  SyntaxArena() = default;
  SyntaxArena(const SyntaxArena&) = delete;
  SyntaxArena& operator=(const SyntaxArena&) = delete;

  template <typename T, typename... Arguments>
  T* New(Arguments&&... arguments) {
    static_assert(std::is_trivially_destructible_v<T>);
    return ::new (Allocate(sizeof(T))) T{std::forward<Arguments>(arguments)...};
  }

  template <typename T>
  std::span<T> Copy(std::span<const T> items) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (items.empty()) return {};
    void* place = Allocate(items.size_bytes());
    std::memcpy(place, items.data(), items.size_bytes());
    return {static_cast<T*>(place), items.size()};
  }

  // A copy of the text with a NUL behind it, which the span does not count.
  std::span<char> CopyText(std::string_view text) {
    char* place = static_cast<char*>(Allocate(text.size() + 1));
    std::copy(text.begin(), text.end(), place);
    place[text.size()] = '\0';
    return {place, text.size()};
  }

  // Bytes handed out, without the waste at the ends of pages.
  size_t used_bytes() const { return used_bytes_; }

 private:
  static constexpr size_t kAlignment = 8;
  static constexpr size_t kFirstPageBytes = 4 << 10;
  static constexpr size_t kLargestPageBytes = 256 << 10;

  void* Allocate(size_t bytes) {
    bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (bytes > static_cast<size_t>(end_ - next_)) AddPage(bytes);
    char* place = next_;
    next_ += bytes;
    used_bytes_ += bytes;
    return place;
  }

  void AddPage(size_t needed_bytes) {
    const size_t page_bytes = std::max(needed_bytes, page_bytes_);
    pages_.push_back(std::make_unique_for_overwrite<char[]>(page_bytes));
    next_ = pages_.back().get();
    end_ = next_ + page_bytes;
    page_bytes_ = std::min(page_bytes_ * 2, kLargestPageBytes);
  }

  std::vector<std::unique_ptr<char[]>> pages_;
  char* next_ = nullptr;
  char* end_ = nullptr;
  size_t page_bytes_ = kFirstPageBytes;
  size_t used_bytes_ = 0;
};

}  // namespace neap::vm

#endif  // NEAP_VM_SYNTAX_SYNTAX_ARENA_H_
