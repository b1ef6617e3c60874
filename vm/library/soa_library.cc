// SPDX-License-Identifier: MIT
//
// soa: rows of numbers by column (soa_store.h), for scripts; rows count from 1. What each function
// does is said in vm/library/meta/soa.lua.
//
// The store hangs on the userdata, whose off-heap bytes it counts as. A column is a userdata of its
// own that keeps the store's alive by a user value, and the store itself by a share in it, whatever
// the debug library does to user values.
#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "interpreter/native_call.h"
#include "interpreter/userdata_maker.h"
#include "library/library.h"
#include "library/native_setup.h"
#include "library/off_heap.h"
#include "library/soa_store.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr const char* kStoreTypeName = "soa";
constexpr const char* kColumnTypeName = "soa.column";
constexpr char kStoreTag = 0;
constexpr char kColumnTag = 0;
constexpr int64_t kMaxRows = int64_t{1} << 40;
constexpr uint64_t kLeastCapacity = 8;
// Numbers that are worked on in the time of one step of fuel, about.
constexpr uint64_t kNumbersPerStep = 64;

struct StoreHandle {
  std::shared_ptr<SoaStore> store;
};
struct ColumnHandle {
  std::shared_ptr<SoaStore> store;
  size_t column;
};

template <typename Handle>
void Destroy(void* payload) {
  static_cast<Handle*>(payload)->~Handle();
}

// Makes the payload of a fresh userdata the handle.
template <typename Handle>
void Install(Userdata* userdata, const void* tag, Handle handle) {
  new (userdata->payload()) Handle(std::move(handle));
  userdata->tag = reinterpret_cast<uint64_t>(tag);
  userdata->drop = Destroy<Handle>;
}

// --- Checks --------------------------------------------------------------------------------------

bool CheckStore(NativeCall& call, SoaStore** store) {
  void* payload = nullptr;
  if (!call.CheckUserdata(1, &kStoreTag, kStoreTypeName, &payload)) return false;
  *store = static_cast<StoreHandle*>(payload)->store.get();
  return true;
}

ColumnHandle* AsColumn(Value v) {
  if (!IsUserdata(v) || AsUserdata(v)->tag != reinterpret_cast<uint64_t>(&kColumnTag))
    return nullptr;
  return static_cast<ColumnHandle*>(AsUserdata(v)->payload());
}

// What the natives need of a column; good while the argument is.
struct Column {
  SoaStore* store;
  size_t column;
};

bool CheckColumn(NativeCall& call, int i, Column* column) {
  void* payload = nullptr;
  if (!call.CheckUserdata(i, &kColumnTag, kColumnTypeName, &payload)) return false;
  const auto* handle = static_cast<ColumnHandle*>(payload);
  *column = {handle->store.get(), handle->column};
  return true;
}

bool CheckRow(NativeCall& call, int i, const SoaStore& store, uint64_t* row) {
  int64_t number = 0;
  if (!call.CheckInteger(i, &number)) return false;
  *row = static_cast<uint64_t>(number) - 1;
  if (*row < store.rows()) return true;
  return call.ArgumentError(i, Concat("row ", number, " is out of range, there are ",
                                      static_cast<int64_t>(store.rows()), " rows"));
}

bool CheckName(NativeCall& call, int i, const SoaStore& store, size_t* column) {
  String* name = nullptr;
  if (!call.CheckString(i, &name)) return false;
  const int found = store.FindColumn(name->view());
  if (found < 0) return call.ArgumentError(i, Concat("no column '", name->view(), "'"));
  *column = static_cast<size_t>(found);
  return true;
}

// Argument i as a number of the type.
bool CheckNumberFor(NativeCall& call, int i, SoaType type, SoaNumber* number) {
  return IsFloat(type) ? call.CheckNumber(i, &number->real)
                       : call.CheckInteger(i, &number->integer);
}

bool PushNumberOf(NativeCall& call, SoaType type, SoaNumber number) {
  if (!IsFloat(type)) return call.PushInteger(number.integer);
  call.PushNumber(number.real);
  return true;
}

bool SpendRows(NativeCall& call, uint64_t numbers) {
  return call.state().Spend(numbers / kNumbersPerStep);
}

// Room for so many rows in the store that is argument 1.
bool Reserve(NativeCall& call, SoaStore& store, uint64_t rows) {
  if (rows <= store.capacity()) return true;
  Userdata* owner = AsUserdata(call.arg(1));
  if (!HasRoomOffHeap(call.state(), owner, store.BytesFor(rows))) return false;
  if (!store.Grow(rows)) return call.state().MemoryError();
  NoteOffHeap(call.state(), owner, store.bytes());
  return true;
}

// --- Rows ----------------------------------------------------------------------------------------

// Sets the row's numbers to the fields of the table that is argument 2. What is wrong is found
// before anything is set.
bool StoreFields(NativeCall& call, SoaStore& store, uint64_t row, bool only_check) {
  Value key;
  Value value;
  while (Next(call.objects(), AsTable(call.arg(2)), &key, &value) == NextResult::kFound) {
    const int column = IsString(key) ? store.FindColumn(AsString(key)->view()) : -1;
    if (column < 0) {
      const std::string name =
          IsString(key) || IsNumber(key) ? State::TextOf(key) : TypeName(TypeOf(key));
      return call.ArgumentError(2, Concat("no column '", name, "'"));
    }
    SoaNumber number;
    const SoaType type = store.column(static_cast<size_t>(column)).type;
    const bool fits = IsFloat(type) ? State::ToNumber(value, &number.real)
                                    : State::ToInteger(value, &number.integer);
    if (!fits) {
      return call.ArgumentError(2, Concat("field '", State::TextOf(key), "' is no ",
                                          IsFloat(type) ? "number" : "integer"));
    }
    if (!only_check) store.Store(static_cast<size_t>(column), row, number);
  }
  return true;
}

NativeResult StorePush(NativeCall& call) {
  SoaStore* store = nullptr;
  if (!CheckStore(call, &store)) return call.Failed();
  const bool has_fields = !call.is_none_or_nil(2);
  if (has_fields && (!call.CheckTable(2) || !StoreFields(call, *store, 0, true))) {
    return call.Failed();
  }
  if (store->rows() == store->capacity()) {
    const uint64_t wanted = std::max(2 * store->capacity(), kLeastCapacity);
    if (!Reserve(call, *store, wanted)) return call.Failed();
  }
  store->AddRow();
  if (has_fields && !StoreFields(call, *store, store->rows() - 1, false)) return call.Failed();
  return call.ReturnIf(call.PushInteger(static_cast<int64_t>(store->rows())));
}

NativeResult StoreGet(NativeCall& call) {
  SoaStore* store = nullptr;
  uint64_t row = 0;
  size_t column = 0;
  if (!CheckStore(call, &store) || !CheckRow(call, 2, *store, &row) ||
      !CheckName(call, 3, *store, &column)) {
    return call.Failed();
  }
  return call.ReturnIf(PushNumberOf(call, store->column(column).type, store->Load(column, row)));
}

NativeResult StoreSet(NativeCall& call) {
  SoaStore* store = nullptr;
  uint64_t row = 0;
  size_t column = 0;
  SoaNumber number;
  if (!CheckStore(call, &store) || !CheckRow(call, 2, *store, &row) ||
      !CheckName(call, 3, *store, &column) ||
      !CheckNumberFor(call, 4, store->column(column).type, &number)) {
    return call.Failed();
  }
  store->Store(column, row, number);
  return call.Return(0);
}

// The numbers of a row, as a table.
NativeResult StoreRow(NativeCall& call) {
  SoaStore* store = nullptr;
  uint64_t row = 0;
  if (!CheckStore(call, &store) || !CheckRow(call, 2, *store, &row)) return call.Failed();
  if (!PushNewTable(call.state())) return call.Failed();
  for (size_t i = 0; i < store->columns(); ++i) {
    const SoaStore::Column& column = store->column(i);
    if (!PushNumberOf(call, column.type, store->Load(i, row)) ||
        !SetFieldFromTop(call.state(), column.name)) {
      return call.Failed();
    }
  }
  return call.Return(1);
}

// The number that the row which took the place had, or nil.
NativeResult StoreRemove(NativeCall& call) {
  SoaStore* store = nullptr;
  uint64_t row = 0;
  if (!CheckStore(call, &store) || !CheckRow(call, 2, *store, &row)) return call.Failed();
  store->RemoveRow(row);
  if (row == store->rows()) return call.ReturnValue(Value::Nil());
  return call.ReturnIf(call.PushInteger(static_cast<int64_t>(store->rows() + 1)));
}

NativeResult StoreRemoveWhere(NativeCall& call) {
  static constexpr const char* kTests[] = {"<", "<=", ">", ">=", "==", "~=", nullptr};
  SoaStore* store = nullptr;
  size_t column = 0;
  int test = 0;
  SoaNumber number;
  if (!CheckStore(call, &store) || !CheckName(call, 2, *store, &column) ||
      !call.CheckOption(3, nullptr, kTests, &test) ||
      !CheckNumberFor(call, 4, store->column(column).type, &number)) {
    return call.Failed();
  }
  const uint64_t before = store->rows();
  const uint64_t removed = store->RemoveWhere(column, static_cast<SoaTest>(test), number);
  if (!SpendRows(call, before * store->columns())) return call.Failed();
  return call.ReturnIf(call.PushInteger(static_cast<int64_t>(removed)));
}

NativeResult StoreReserve(NativeCall& call) {
  SoaStore* store = nullptr;
  int64_t rows = 0;
  if (!CheckStore(call, &store) || !call.CheckInteger(2, &rows)) return call.Failed();
  if (rows < 0 || rows > kMaxRows) {
    return call.ReturnIf(call.ArgumentError(2, Concat("capacity ", rows, " is out of range")));
  }
  return call.ReturnIf(Reserve(call, *store, static_cast<uint64_t>(rows)), 0);
}

NativeResult StoreClear(NativeCall& call) {
  SoaStore* store = nullptr;
  if (!CheckStore(call, &store)) return call.Failed();
  store->Clear();
  return call.Return(0);
}

NativeResult StoreLength(NativeCall& call) {
  SoaStore* store = nullptr;
  return call.ReturnIf(CheckStore(call, &store) &&
                       call.PushInteger(static_cast<int64_t>(store->rows())));
}

NativeResult StoreCapacity(NativeCall& call) {
  SoaStore* store = nullptr;
  return call.ReturnIf(CheckStore(call, &store) &&
                       call.PushInteger(static_cast<int64_t>(store->capacity())));
}

// --- Columns -------------------------------------------------------------------------------------

void SetMetatableOf(NativeCall& call, Userdata* userdata, const char* type_name) {
  const Value metatable = RawField(call.state(), call.state().registry(), type_name);
  call.mutator().Store(userdata, userdata->metatable.slot(), metatable.word());
}

NativeResult StoreColumn(NativeCall& call) {
  SoaStore* store = nullptr;
  size_t column = 0;
  if (!CheckStore(call, &store) || !CheckName(call, 2, *store, &column)) return call.Failed();
  Userdata* userdata = NewUserdata(call.state(), sizeof(ColumnHandle), 1);
  if (userdata == nullptr) return call.ReturnIf(call.state().MemoryError());
  auto* values = static_cast<gc::SlotArray*>(gc::ToObject(userdata->user_values));
  call.mutator().Store(values, uint64_t{0}, call.arg(1).word());
  const auto* owner = static_cast<StoreHandle*>(AsUserdata(call.arg(1))->payload());
  Install<ColumnHandle>(userdata, &kColumnTag, {owner->store, column});
  SetMetatableOf(call, userdata, kColumnTypeName);
  return call.ReturnValue(Value::FromObject(userdata));
}

NativeResult ColumnGet(NativeCall& call) {
  Column c;
  uint64_t row = 0;
  if (!CheckColumn(call, 1, &c) || !CheckRow(call, 2, *c.store, &row)) return call.Failed();
  return call.ReturnIf(
      PushNumberOf(call, c.store->column(c.column).type, c.store->Load(c.column, row)));
}

NativeResult ColumnSet(NativeCall& call) {
  Column c;
  uint64_t row = 0;
  SoaNumber number;
  if (!CheckColumn(call, 1, &c) || !CheckRow(call, 2, *c.store, &row) ||
      !CheckNumberFor(call, 3, c.store->column(c.column).type, &number)) {
    return call.Failed();
  }
  c.store->Store(c.column, row, number);
  return call.Return(0);
}

// fill(value [, first [, last]])
NativeResult ColumnFill(NativeCall& call) {
  Column c;
  SoaNumber number;
  uint64_t first = 0;
  if (!CheckColumn(call, 1, &c) ||
      !CheckNumberFor(call, 2, c.store->column(c.column).type, &number)) {
    return call.Failed();
  }
  uint64_t last = c.store->rows() - 1;
  if (!call.is_none_or_nil(3) && !CheckRow(call, 3, *c.store, &first)) return call.Failed();
  if (!call.is_none_or_nil(4) && !CheckRow(call, 4, *c.store, &last)) return call.Failed();
  if (first < last + 1) c.store->Fill(c.column, first, last + 1, number);
  return call.ReturnIf(SpendRows(call, last + 1 - std::min(first, last + 1)), 0);
}

// add(number), add(column [, scale])
NativeResult ColumnAdd(NativeCall& call) {
  Column c;
  if (!CheckColumn(call, 1, &c)) return call.Failed();
  const SoaType type = c.store->column(c.column).type;
  SoaNumber number{.real = 1, .integer = 1};
  if (const ColumnHandle* source = AsColumn(call.arg(2))) {
    if (source->store.get() != c.store) {
      return call.ReturnIf(call.ArgumentError(2, "the column belongs to another soa"));
    }
    if (!IsFloat(type) && IsFloat(source->store->column(source->column).type)) {
      return call.ReturnIf(call.ArgumentError(2, "floats cannot be added to an integer column"));
    }
    if (!call.is_none_or_nil(3) && !CheckNumberFor(call, 3, type, &number)) return call.Failed();
    c.store->AddColumnOf(c.column, source->column, number);
  } else {
    if (!CheckNumberFor(call, 2, type, &number)) return call.Failed();
    c.store->AddNumber(c.column, number);
  }
  return call.ReturnIf(SpendRows(call, c.store->rows()), 0);
}

// nil for the least and the greatest of no rows.
template <SoaNumber (SoaStore::*kReduce)(size_t) const, bool kNeedsRow>
NativeResult ColumnReduce(NativeCall& call) {
  Column c;
  if (!CheckColumn(call, 1, &c)) return call.Failed();
  if (kNeedsRow && c.store->rows() == 0) return call.ReturnValue(Value::Nil());
  const SoaNumber number = (c.store->*kReduce)(c.column);
  if (!SpendRows(call, c.store->rows())) return call.Failed();
  return call.ReturnIf(PushNumberOf(call, c.store->column(c.column).type, number));
}

NativeResult ColumnLength(NativeCall& call) {
  Column c;
  return call.ReturnIf(CheckColumn(call, 1, &c) &&
                       call.PushInteger(static_cast<int64_t>(c.store->rows())));
}

// --- Making --------------------------------------------------------------------------------------

// The columns that the table in argument 1 names, in its order.
bool AddColumns(NativeCall& call, SoaStore* store) {
  Value key;
  Value value;
  while (Next(call.objects(), AsTable(call.arg(1)), &key, &value) == NextResult::kFound) {
    if (!IsString(key)) return call.ArgumentError(1, "names of columns are strings");
    SoaType type;
    if (!IsString(value) || !SoaStore::FindType(AsString(value)->view(), &type)) {
      return call.ArgumentError(
          1, Concat("column '", AsString(key)->view(), "' has type ",
                    IsString(value) ? State::TextOf(value) : TypeName(TypeOf(value)),
                    ", allowed: f64, f32, i64, i32, u32, i16, u16, i8, u8"));
    }
    store->AddColumn(std::string(AsString(key)->view()), type);
  }
  return store->columns() != 0 || call.ArgumentError(1, "no columns");
}

NativeResult New(NativeCall& call) {
  int64_t capacity = 0;
  if (!call.CheckTable(1) || !call.OptInteger(2, &capacity)) return call.Failed();
  if (capacity < 0 || capacity > kMaxRows) {
    return call.ReturnIf(call.ArgumentError(2, Concat("capacity ", capacity, " is out of range")));
  }
  auto store = std::make_shared<SoaStore>();
  if (!AddColumns(call, store.get())) return call.Failed();
  Userdata* userdata = NewUserdata(call.state(), sizeof(StoreHandle), 0);
  if (userdata == nullptr) return call.ReturnIf(call.state().MemoryError());
  Install<StoreHandle>(userdata, &kStoreTag, {store});
  SetMetatableOf(call, userdata, kStoreTypeName);
  call.SetCount(1);
  call.set_arg(1, Value::FromObject(userdata));
  if (!Reserve(call, *store, static_cast<uint64_t>(capacity))) return call.Failed();
  return call.ReturnValue(call.arg(1));
}

constexpr NativeEntry kFunctions[] = {{"new", New}, {nullptr, nullptr}};
constexpr NativeEntry kStoreMethods[] = {
    {"capacity", StoreCapacity}, {"clear", StoreClear},
    {"column", StoreColumn},     {"get", StoreGet},
    {"len", StoreLength},        {"push", StorePush},
    {"remove", StoreRemove},     {"remove_where", StoreRemoveWhere},
    {"reserve", StoreReserve},   {"row", StoreRow},
    {"set", StoreSet},           {nullptr, nullptr},
};
constexpr NativeEntry kColumnMethods[] = {
    {"add", ColumnAdd},
    {"fill", ColumnFill},
    {"get", ColumnGet},
    {"len", ColumnLength},
    {"max", ColumnReduce<&SoaStore::Greatest, true>},
    {"min", ColumnReduce<&SoaStore::Least, true>},
    {"set", ColumnSet},
    {"sum", ColumnReduce<&SoaStore::Sum, false>},
    {nullptr, nullptr},
};
constexpr NativeEntry kStoreMetamethods[] = {{"__len", StoreLength}, {nullptr, nullptr}};
constexpr NativeEntry kColumnMetamethods[] = {{"__len", ColumnLength}, {nullptr, nullptr}};

}  // namespace

bool OpenSoa(State& state) {
  return MakeMetatable(state, kStoreTypeName, kStoreMethods, kStoreMetamethods) &&
         MakeMetatable(state, kColumnTypeName, kColumnMethods, kColumnMetamethods) &&
         PushNewTable(state) && SetFunctions(state, kFunctions);
}

}  // namespace neap::vm
