// SPDX-License-Identifier: MIT
//
// Weak slots that hold values (strings, boxed numbers) weakly as well, and trace functions that
// report by the type of what they find: a pair whose text lives only while what it names does.
#include <cstdint>

#include "doctest/doctest.h"
#include "support/heap_fixture.h"

namespace neap::testing {
namespace {

using gc::Tracer;
using gc::Word;

// A text for a node: both weak. A text that has lost its node goes with it, or at the next
// collection when it was lost otherwise.
struct Label : gc::Object {
  Word text = 0;
  Word node = 0;
  static gc::TypeId Type();
};

void TraceLabel(Object* object, Tracer& tracer) {
  Label* label = static_cast<Label*>(object);
  if (label->node == 0) {
    tracer.VisitWeak(&label->text, 0, Tracer::Weakness::kEvenValues);
  } else if (label->text != 0 && Tracer::TypeOf(label->text) == toy::Text::Type()) {
    tracer.VisitEphemeron(&label->node, &label->text, 0);
  } else {
    tracer.VisitWeak(&label->text, 0, Tracer::Weakness::kAfterFinalizers);
  }
  tracer.VisitWeak(&label->node, 0, Tracer::Weakness::kBeforeFinalizers);
}

gc::TypeId Label::Type() {
  static const gc::TypeId type = gc::RegisterType({.name = "label",
                                                   .layout = gc::Layout::kCustom,
                                                   .base_bytes = sizeof(Label),
                                                   .trace = TraceLabel,
                                                   .has_weak_slots = true});
  return type;
}

class LabelHeap : public QuietHeap {
 public:
  Handle<Label> MakeLabel(bool old) {
    Handle<Label> label = Keep(m.New<Label>(Label::Type()));
    while (old && IsYoung(label.get())) MinorGC();
    return label;
  }
  void SetText(Handle<Label> label, Handle<Object> text) {
    m.Store(label.get(), &label->text, text.get());
  }
  void SetNode(Handle<Label> label, Handle<Object> node) {
    m.Store(label.get(), &label->node, node.get());
  }
  Handle<Object> MakeText() { return Keep<Object>(toy::Text::Make(m, "low water")); }
  Handle<Object> MakeTarget() { return Keep<Object>(m.New<Node>(Node::Type())); }
  static bool SaysLowWater(Handle<Label> label) {
    return label->text != 0 &&
           static_cast<toy::Text*>(gc::ToObject(label->text))->view() == "low water";
  }
};

TEST_SUITE("gc/weak") {
  TEST_CASE("a slot that is weak even for values lets a text go, and follows one that lives") {
    for (const bool old : {false, true}) {
      CAPTURE(old);
      LabelHeap heap;
      Handle<Label> label = heap.MakeLabel(old);
      Handle<Object> text = heap.MakeText();
      heap.SetText(label, text);
      for (int i = 0; i < 4; ++i) {
        heap.MinorGC();
        REQUIRE(label->text == gc::ToWord(text.get()));
        CHECK(heap.SaysLowWater(label));
      }
      heap.FullGC();
      REQUIRE(label->text == gc::ToWord(text.get()));
      text.set(nullptr);
      heap.FullGC();
      CHECK(label->text == 0);
      text.set(toy::Text::Make(heap.m, "high water"));
      heap.SetText(label, text);
      text.set(nullptr);
      heap.MinorGC();
      CHECK(label->text == 0);
      CHECK(heap.Broken() == "");
    }
  }

  TEST_CASE("what is reported may depend on the type of a target that has moved already") {
    for (const bool old : {false, true}) {
      for (const bool text_is_held : {false, true}) {
        CAPTURE(old);
        CAPTURE(text_is_held);
        LabelHeap heap;
        Handle<Label> label = heap.MakeLabel(old);
        Handle<Object> text = heap.MakeText();
        Handle<Object> node = heap.MakeTarget();
        heap.SetText(label, text);
        heap.SetNode(label, node);
        if (!text_is_held) text.set(nullptr);
        for (int i = 0; i < 4; ++i) {
          heap.MinorGC();
          REQUIRE(label->node == gc::ToWord(node.get()));
          CHECK(heap.SaysLowWater(label));
          if (text_is_held) CHECK(label->text == gc::ToWord(text.get()));
          REQUIRE(heap.Broken() == "");
        }
        heap.FullGC();
        CHECK(heap.SaysLowWater(label));
        node.set(nullptr);
        heap.FullGC();
        CHECK(label->node == 0);
        CHECK(label->text == (text_is_held ? gc::ToWord(text.get()) : 0));
        CHECK(heap.Broken() == "");
      }
    }
  }

  TEST_CASE("a text goes in the same minor as the young node that it was for") {
    for (const bool old : {false, true}) {
      LabelHeap heap;
      Handle<Label> label = heap.MakeLabel(old);
      Handle<Object> text = heap.MakeText(), node = heap.MakeTarget();
      heap.SetText(label, text);
      heap.SetNode(label, node);
      text.set(nullptr);
      node.set(nullptr);
      heap.MinorGC();
      CHECK(label->node == 0);
      CHECK(label->text == 0);
      CHECK(heap.Broken() == "");
    }
  }
}

}  // namespace
}  // namespace neap::testing
