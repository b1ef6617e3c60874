// SPDX-License-Identifier: MIT
//
// Userdata are stationary: native code keeps pointers to the payload across safepoints.
#include "interpreter/userdata_maker.h"

#include "interpreter/state.h"
#include "neap/gc/handle.h"

namespace neap::vm {

Userdata* NewUserdata(State& state, size_t bytes, int user_values) {
  gc::Mutator& m = state.mutator();
  auto* made = static_cast<Userdata*>(m.TryAllocateStationary(kUserdataType, bytes));
  if (made == nullptr || user_values == 0) return made;
  gc::HandleScope scope(m);
  const gc::Handle<Userdata> userdata = scope.New(made);
  gc::Object* values =
      m.TryAllocate(gc::SlotArray::Type(), static_cast<uint64_t>(user_values));
  if (values == nullptr) return nullptr;
  m.Store(userdata.get(), &userdata->user_values, values);
  return userdata.get();
}

}  // namespace neap::vm
