// SPDX-License-Identifier: MIT
//
// The table of atoms: one per text, found again after moving, forgotten when dead.
#include <set>
#include <string>

#include "doctest/doctest.h"
#include "objects_fixture.h"

namespace neap::testing {
namespace {

constexpr size_t kOwn = 2;  // "__index" and "__newindex", which every Objects knows

TEST_SUITE("objects/atoms") {
  TEST_CASE("the first string used becomes the atom in place, later ones give the first") {
    QuietObjects lua;
    Handle<String> first = lua.Keep(lua.objects.NewString("ebb"));
    CHECK_FALSE(first->is_atom());
    CHECK(lua.objects.atoms().Find("ebb") == nullptr);
    CHECK(lua.objects.atoms().Intern(first.get()) == first.get());
    CHECK(first->is_atom());
    Handle<String> second = lua.Keep(lua.objects.NewString("ebb"));
    CHECK(lua.objects.atoms().Intern(second.get()) == first.get());
    CHECK_FALSE(second->is_atom());
    CHECK(lua.objects.atoms().Find("ebb") == first.get());
    CHECK(lua.objects.NewAtom("ebb") == first.get());
    CHECK(lua.objects.atoms().size() == kOwn + 1);
  }

  TEST_CASE("atoms are found after minor and full collections") {
    TinyObjects lua;
    constexpr int kAtoms = 1000;
    Handle<gc::SlotArray> all = lua.Keep(lua.m.NewSlots(kAtoms));
    for (int i = 0; i < kAtoms; ++i) {
      lua.m.Store(all.get(), i, gc::ToWord(lua.objects.NewAtom("atom" + std::to_string(i))));
    }
    for (int round = 0; round < 4; ++round) {
      CHECK(lua.Broken() == "");
      for (int i = 0; i < kAtoms; ++i) {
        REQUIRE(gc::ToWord(lua.objects.atoms().Find("atom" + std::to_string(i))) ==
                all->slots()[i]);
      }
      round % 2 == 0 ? lua.MinorGC() : lua.FullGC();
    }
    CHECK(lua.objects.atoms().size() == kOwn + kAtoms);
  }

  TEST_CASE("dead atoms are forgotten: young ones by a minor, old ones by a full collection") {
    QuietObjects lua;
    Handle<String> old = lua.Keep(lua.objects.NewAtom("old"));
    lua.MinorGC(3);
    REQUIRE_FALSE(lua.IsYoung(old.get()));
    lua.objects.NewAtom("young");
    CHECK(lua.objects.atoms().size() == kOwn + 2);
    lua.MinorGC();
    CHECK(lua.objects.atoms().size() == kOwn + 1);
    CHECK(lua.objects.atoms().Find("young") == nullptr);
    old.set(nullptr);
    lua.MinorGC();
    CHECK(lua.objects.atoms().size() == kOwn + 1);
    lua.FullGC();
    CHECK(lua.objects.atoms().size() == kOwn + 0);
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("the table does not grow while atoms come and go") {
    TinyObjects lua;
    for (int i = 0; i < 20000; ++i) lua.objects.NewAtom("brief" + std::to_string(i));
    lua.FullGC();
    CHECK(lua.objects.atoms().size() == kOwn + 0);
    CHECK(lua.Broken() == "");
  }

  TEST_CASE("hashes depend on every byte, on the length and on the seed, and are never 0") {
    QuietObjects lua;
    Objects other(lua.m, kTestSeed + 1);
    std::set<uint32_t> hashes;
    int texts = 0, same = 0;
    for (size_t length = 0; length < 40; ++length) {
      for (size_t at = 0; at <= length; ++at) {
        std::string text(length, 'a');
        if (at < length) text[at] = 'b';
        String* string = lua.objects.NewString(text);
        const uint32_t hash = lua.objects.atoms().Hash(string);
        CHECK(hash != 0);
        CHECK(string->stored_hash() == hash);
        hashes.insert(hash);
        same += other.atoms().Hash(lua.objects.NewString(text)) == hash;
        ++texts;
      }
    }
    CHECK(hashes.size() >= static_cast<size_t>(texts) - 1);
    CHECK(same <= 1);
  }

  TEST_CASE("long strings are atoms too, and differ in their last byte") {
    TinyObjects lua;
    std::string text(100000, 'x');
    Handle<String> a = lua.Keep(lua.objects.NewAtom(text));
    text.back() = 'y';
    Handle<String> b = lua.Keep(lua.objects.NewAtom(text));
    CHECK(a.get() != b.get());
    lua.FullGC();
    CHECK(lua.objects.atoms().Find(text) == b.get());
    CHECK(lua.Broken() == "");
  }
}

}  // namespace
}  // namespace neap::testing
