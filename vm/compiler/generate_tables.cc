// SPDX-License-Identifier: MIT
//
// Table constructors. One whose items are constant names, each once, is a record: its values are
// evaluated into consecutive registers, and one instruction makes the table with its final shape.
// Any other is made empty, with room for what will come, and filled in source order; elements
// without a key are gathered and stored in batches.
#include <algorithm>

#include "field_forecast.h"
#include "generator.h"

namespace neap::vm {
namespace {

// Array elements in registers at a time. More would save instructions of constructors with more
// than fifty elements, and take registers from all.
constexpr int kBatch = 50;
// A record is not worth it when its values would need registers beyond this one: nested
// constructors would run out of them.
constexpr int kRecordRegisterLimit = 160;

bool IsNamed(const TableItem& item) {
  return item.key != nullptr && item.key->kind == ExprKind::kString;
}

}  // namespace

void Generator::EvaluateTable(const TableConstructor& table, Register target) {
  if (IsRecord(table)) return EvaluateRecord(table, target);
  const Register mark = builder_.free();
  const bool is_empty = table.items.empty();
  // A local may be read by the items, so only an empty table is made in its place.
  const bool is_in_place = builder_.IsTopmost(target) && (is_empty || builder_.IsTemporary(target));
  const Register place = is_in_place ? target : builder_.Reserve();
  builder_.EmitWide(table.line, Op::kNewTable, place, FieldHint(table), table.array_items);
  EvaluateItems(table, place);
  MoveInto(target, place, table.line);
  builder_.Release(mark);
}

// --- Records -------------------------------------------------------------------------------------

bool Generator::IsRecord(const TableConstructor& table) const {
  const auto items = table.items;
  if (items.empty() || items.size() > kMaxRecordFields) return false;
  const int last = builder_.free() + static_cast<int>(items.size());
  if (last > kRecordRegisterLimit) return false;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!IsNamed(items[i])) return false;
    const Symbol* name = As<const Literal>(*items[i].key).text;
    const bool is_repeated = std::any_of(
        items.begin(), items.begin() + static_cast<ptrdiff_t>(i),
        [name](const TableItem& item) { return As<const Literal>(*item.key).text == name; });
    if (is_repeated) return false;
  }
  return true;
}

void Generator::EvaluateRecord(const TableConstructor& table, Register target) {
  const Register mark = builder_.free();
  const Register first = TopFor(target);
  std::vector<uint32_t> keys;
  keys.reserve(table.items.size());
  for (const TableItem& item : table.items) {
    const Register place = keys.empty() ? first : builder_.Reserve();
    EvaluateInto(*item.value, place);
    keys.push_back(builder_.Constant(As<const Literal>(*item.key)));
  }
  const uint32_t shape = builder_.AddTemplate(std::move(keys));
  builder_.EmitWide(table.line, Op::kNewRecord, target, first, shape);
  builder_.Release(mark);
}

// --- Other tables --------------------------------------------------------------------------------

int Generator::FieldHint(const TableConstructor& table) const {
  const auto named = std::count_if(table.items.begin(), table.items.end(), IsNamed);
  const auto later = &table == forecast_of_ ? forecast_fields_ : 0;
  return static_cast<int>(std::min<ptrdiff_t>(named + later, kMaxRecordFields));
}

void Generator::EvaluateItems(const TableConstructor& table, Register place) {
  uint32_t stored = 0;
  int pending = 0;
  const auto store_pending = [&](int count) {
    builder_.EmitWide(table.line, Op::kSetList, place, count, stored);
    builder_.Release(place + 1);
    stored += static_cast<uint32_t>(pending);
    pending = 0;
  };
  for (const TableItem& item : table.items) {
    builder_.set_line(item.line);
    if (pending == kBatch) store_pending(pending);
    const bool is_last = &item == &table.items.back();
    if (item.key != nullptr) {
      StoreItem(item, place);
    } else if (is_last && item.value->is_multiple()) {
      EvaluateMultiple(*item.value, -1);
      return store_pending(0);
    } else {
      EvaluateToTop(*item.value);
      ++pending;
    }
  }
  if (pending > 0) store_pending(pending);
}

void Generator::StoreItem(const TableItem& item, Register place) {
  const Register mark = builder_.free();
  const Key key = PrepareKey(*item.key);
  EmitStore(place, key, EvaluateToRegister(*item.value), item.line);
  builder_.Release(mark);
}

}  // namespace neap::vm
