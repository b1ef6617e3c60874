// SPDX-License-Identifier: MIT
//
// The verifier's first reading: the block table, bitmaps, cells, lists and sums, as verifier.cc
// says.
#include <algorithm>
#include <bit>

#include "verifier_state.h"

namespace neap::gc {

// --- The books -----------------------------------------------------------------------------------

void Verifier::CheckBlocks() {
  size_t kinds[6] = {};
  size_t unswept = 0;
  for (size_t i = 0; i < range_.block_limit() && ok(); ++i) {
    const Block& block = range_.block(i);
    ++kinds[static_cast<size_t>(block.kind)];
    unswept += block.unswept ? 1 : 0;
    CheckBits(i);
    if (block.kind == BlockKind::kCells || block.kind == BlockKind::kStationary ||
        block.kind == BlockKind::kMixed) {
      CheckCells(i);
    }
  }
  const auto count = [&](BlockKind kind) { return kinds[static_cast<size_t>(kind)]; };
  const size_t used = count(BlockKind::kNursery) + count(BlockKind::kCells) +
                      count(BlockKind::kStationary) + count(BlockKind::kMixed);
  if (used != range_.used_blocks()) {
    Fail("H3", absl::StrCat(used, " blocks in use, counter says ", range_.used_blocks()));
  }
  if (count(BlockKind::kMixed) != collector_.old_space().mixed_blocks()) {
    Fail("sums", absl::StrCat(count(BlockKind::kMixed), " mixed blocks, counter says ",
                              collector_.old_space().mixed_blocks()));
  }
  if (unswept != collector_.old_space().unswept_blocks()) {
    Fail("sums", absl::StrCat(unswept, " unswept blocks, counter says ",
                              collector_.old_space().unswept_blocks()));
  }
}

void Verifier::CheckBits(size_t index) {
  const Block& block = range_.block(index);
  constexpr SpaceByte kSpaces[] = {kSpaceNone, kSpaceYoung, kSpaceOld,
                                   kSpaceLook, kSpaceOld,   kSpaceLook};
  const SpaceByte space = range_.space(index);
  // A retired nursery block in quarantine (debug switch rotate) has left every space.
  const bool quarantined = block.kind == BlockKind::kNursery && space == kSpaceNone;
  if (space != kSpaces[static_cast<size_t>(block.kind)] && !quarantined) {
    return Fail("H1", absl::StrCat("block ", index, " of kind ", static_cast<int>(block.kind),
                                   " has space byte ", static_cast<int>(space)));
  }
  const bool may_start = block.kind != BlockKind::kFree && block.kind != BlockKind::kNursery;
  const uint64_t* starts = range_.StartWords(index);
  const uint64_t* marks = range_.MarkWords(index);
  for (size_t w = 0; w < kBitmapWordsPerBlock; ++w) {
    if (starts[w] != 0 && !may_start) {
      return Fail(block.kind == BlockKind::kFree ? "H2" : "N8",
                  absl::StrCat("start bits in block ", index, ", word ", w));
    }
    if (marks[w] != 0 && block.kind != BlockKind::kLarge && !block.unswept) {
      return Fail("N9", absl::StrCat("mark bits in block ", index, " of kind ",
                                     static_cast<int>(block.kind), ", word ", w));
    }
    if ((marks[w] & ~starts[w]) != 0) {
      return Fail("N9", absl::StrCat("a mark without an object in block ", index, ", word ", w));
    }
  }
}

void Verifier::CheckCells(size_t index) {
  const uint64_t* starts = range_.StartWords(index);
  const char* previous_end = range_.BlockStart(index);
  const bool mixed = range_.block(index).kind == BlockKind::kMixed;
  for (size_t granule = 0; granule < kBlockBytes / 8 && ok(); ++granule) {
    if ((starts[granule / 64] >> (granule % 64) & 1) == 0) continue;
    auto* object = reinterpret_cast<Object*>(range_.BlockStart(index) + granule * 8);
    if (IsDeadUnswept(object)) continue;
    CheckCell(index, object);
    if (!ok()) return;
    if (mixed && reinterpret_cast<const char*>(object) < previous_end) {
      Fail("O1", absl::StrCat("objects overlap in mixed block ", index, " at ", At(object)));
    }
    previous_end = reinterpret_cast<const char*>(object) + SizeOf(object);
    if (!IsYoung(object)) old_bytes_ += SizeOf(object);
    CountOffHeap(object);
  }
}

void Verifier::CheckCell(size_t index, Object* object) {
  const Block& block = range_.block(index);
  if (TypeOf(object) == nullptr) {
    return Fail(
        "O1", absl::StrCat("no object at ", At(object), ", header ", absl::Hex(object->header())));
  }
  const size_t bytes = SizeOf(object);
  const auto offset =
      static_cast<size_t>(reinterpret_cast<char*>(object) - range_.BlockStart(index));
  if (offset + bytes > kBlockBytes) {
    return Fail("O1", absl::StrCat("object ", At(object), " leaves its block"));
  }
  if (block.kind == BlockKind::kMixed) return;
  const size_t cell_bytes = kCellBytes[block.size_class];
  if (offset % cell_bytes != 0 || bytes > cell_bytes) {
    Fail("O1", absl::StrCat("object ", At(object), " of ", bytes, " bytes does not fit a cell of ",
                            cell_bytes));
  }
}

void Verifier::CheckPool() {
  const size_t known = range_.used_blocks() + range_.warm_blocks() + range_.cold_blocks();
  const size_t committed = range_.committed_block_chunks() * kBlocksPerChunk;
  if (known != committed) {
    Fail("H3", absl::StrCat(known, " blocks used or free, ", committed, " committed"));
  }
}

void Verifier::CheckNurseryLists() {
  const Nursery& nursery = collector_.nursery();
  if (!nursery.from().empty()) Fail("N6", "from-space is not empty outside a minor");
  std::vector<uint32_t> blocks = nursery.eden();
  blocks.insert(blocks.end(), nursery.survivors().begin(), nursery.survivors().end());
  std::sort(blocks.begin(), blocks.end());
  if (std::adjacent_find(blocks.begin(), blocks.end()) != blocks.end()) {
    Fail("N6", "a nursery block stands in two lists");
  }
  for (const uint32_t index : blocks) {
    if (range_.block(index).kind == BlockKind::kNursery && range_.space(index) == kSpaceYoung)
      continue;
    Fail("N6", absl::StrCat("block ", index, " of the nursery is no nursery block"));
  }
  size_t in_table = 0;
  for (size_t i = 0; i < range_.block_limit(); ++i) {
    in_table += range_.block(i).kind == BlockKind::kNursery ? 1 : 0;
  }
  if (in_table != blocks.size() + nursery.quarantined_blocks()) {
    Fail("N6", absl::StrCat(in_table, " nursery blocks, ", blocks.size(), " listed and ",
                            nursery.quarantined_blocks(), " in quarantine"));
  }
}

void Verifier::CheckLargeObjects() {
  const std::vector<LargeHeader*>& objects = collector_.large_space().objects();
  for (size_t i = 0; i < objects.size() && ok(); ++i) {
    LargeHeader* header = objects[i];
    Object* object = header->object();
    if (header->index != i || !range_.IsStart(object)) {
      return Fail("large", absl::StrCat("object ", At(object), " is not where its header says"));
    }
    if (range_.IsMarked(object) && !header->unswept) {
      return Fail("N9", absl::StrCat("large object ", At(object), " is swept and marked"));
    }
    if (IsDeadUnswept(object)) continue;
    if (TypeOf(object) == nullptr || SizeOf(object) != header->object_bytes) {
      return Fail("large",
                  absl::StrCat("object ", At(object), " has not ", header->object_bytes, " bytes"));
    }
    if (sizeof(LargeHeader) + header->object_bytes + header->card_count >
        header->pages * kLargePageBytes) {
      return Fail("large", absl::StrCat("object ", At(object), " does not fit its run"));
    }
    if (!IsYoung(object)) old_bytes_ += header->object_bytes;
    CountOffHeap(object);
  }
}

void Verifier::CheckStationaryYoung() {
  const auto add = [&](const std::vector<Object*>& list) {
    for (Object* object : list) {
      if (!stationary_young_.insert(object).second) {
        Fail("stationary", absl::StrCat("object ", At(object), " is listed twice"));
      }
      if (!range_.IsStart(object) || !IsYoung(object)) {
        Fail("stationary", absl::StrCat("object ", At(object), " is listed and not young"));
      }
    }
  };
  add(collector_.stationary_young());
  for (int id = 0; id < collector_.scheduler().created(); ++id) {
    add(collector_.local(id).stationary_young);
  }
}

void Verifier::CheckOldBytes() {
  uint64_t counted = collector_.OldBytes();
  for (int id = 0; id < collector_.scheduler().created(); ++id) {
    counted += collector_.local(id).unreported_old_bytes;
  }
  if (counted != old_bytes_) {
    Fail("sums", absl::StrCat(old_bytes_, " bytes of old objects, counters say ", counted));
  }
}

}  // namespace neap::gc
