// SPDX-License-Identifier: MIT
#include "explanations.h"

#include <utility>

namespace neap::lab {
namespace {

constexpr std::pair<std::string_view, const char*> kWhy[] = {
    {"G2",
     "Each collection moves what is parked from the primary to the victim and drops what was in "
     "the victim. A Get that takes an object from the victim and a Put that parks it in the "
     "primary therefore start its two lives again."},
    {"G4",
     "A pair of Get and Put is about a dozen instructions on one cache line; an allocation of 4 "
     "KiB must clear 4 KiB, whoever does it. A forced collection each millisecond evicts nothing "
     "that is taken and put back meanwhile, so it adds the collections' time and no misses."},
    {"G7",
     "Eviction costs nothing when it happens; it is paid later, by one New for each object that is "
     "wanted again, and each P keeps one object of its own."},
    {"G11",
     "A parked object is marked like any other, so a pool full of pointers adds its size to every "
     "major cycle. Stealing can only find more: a miss needs every P's queue to be empty."},
    {"D1", "A reset at Get and a copy before Put: nothing of the buffer outlives its use."},
    {"D2",
     "Put parks the object as it is, and the next Get appends to what the last user left. The pool "
     "cannot know what clean means; a reset hook can, and checked mode asks at Put."},
    {"D3",
     "A buffer that doubles from 64 bytes passes through 64, 128, ... 4096: seven allocations and "
     "their sum, whatever allocates. A pooled one has grown already."},
    {"D4",
     "Fresh buffers pay for clearing 4 KiB and for their growth; pooled ones for neither. The "
     "source's gap widened with threads because its allocator and collector met there; ours gives "
     "each P a nursery of its own, so fresh allocation scales too and the gap need not widen."},
    {"D5",
     "What is saved is clearing and growing, which is proportional to size; what is paid is a "
     "constant. Where a pair costs less than an allocation even 16 bytes are worth it, which the "
     "source, with a dearer pair, could not see."},
    {"D6",
     "The second collection after the last Put drops the victim that the first one made. Nothing "
     "else is needed: no timer, no size limit."},
    {"D7",
     "The pool keeps objects, not sizes: what is used in every cycle stays, however large it once "
     "grew. Only Put sees the size, so the guard stands there."},
    {"D8",
     "A view is an address into the buffer; after Put the buffer is someone else's. A copy costs "
     "its bytes, a checked view one comparison of generations."},
    {"D9",
     "A parked object is alive, and so is what it refers to: for as long as a pool keeps it. "
     "Clearing the reference before Put ends that at the next collection."},
    {"D10",
     "The collector frees memory and nothing else. A descriptor is closed by code, and the only "
     "code that runs at eviction is an eviction callback, or later a finalizer."},
    {"D11",
     "A bounded list is not known to the collector: it keeps what it has. Each alternative trades "
     "something the pool has (scaling, shrinking, no owner) for something simpler."},
    {"D12",
     "Under the preset go every allocated byte paces the collector, so bytes that are not "
     "allocated are collections that do not happen. With a nursery they are minor collections, "
     "which were cheap to begin with."},
    {"D13",
     "The collector's share is not all that allocation costs: clearing the memory and touching new "
     "cache lines is charged to the program. A pool saves these too, so the gain can be larger "
     "than the share; the prediction counts collections only."},
    {"D14",
     "A pool may miss at any time by its contract. Chaos makes it do so: a program whose output "
     "changes has assumed a warm pool."},
    {"B1",
     "The sum is over doubles in one fixed order, integrated without fused multiply-add; a storage "
     "that loses, repeats or reorders a bullet, or a collector that copies one wrongly, changes "
     "it."},
    {"B2",
     "The population follows from the lifetimes alone (20 to 39 frames), so all counts can be "
     "computed beforehand. The free list grows as long as the population does, until frame 39."},
    {"B5",
     "Columns make no objects, so no frame holds a collection; the worst hundredth of fresh frames "
     "are exactly those that do (B11)."},
    {"B6",
     "The source's free list held objects that its collector kept scanning and moving. Ours are "
     "old after two collections and no minor looks at them again, so the tail stays short; what "
     "the source saw needs a heap whose tail is not collections alone."},
    {"B7",
     "At these rates the live set is far beyond any cache, and all storages wait for memory. Who "
     "wins is decided by the order in which they touch it (B15, B17)."},
    {"B8", "A frame of a few hundred bullets is tens of microseconds in every storage."},
    {"B9",
     "In C++ a free list is an index and a store, so its pair is cheap; allocation is a bump of a "
     "pointer and the clearing of the object, with its share of collections beside it. The ratio "
     "that matters is between the two, and it depends on the host more than on the idea."},
    {"B10",
     "The terms are measured apart, in loops that have the caches for themselves; in a frame they "
     "share them. The prediction misses by what they take from each other, and by the noise of a "
     "difference of two means."},
    {"B11",
     "A minor collection copies the living bullets, a millisecond's work, and falls into one frame "
     "of about thirteen: few enough to leave the median alone, enough to be the whole worst "
     "hundredth."},
    {"B12",
     "Fewer collections copy less in all, but each one finds as many living bullets as before, so "
     "the longest pause cannot shrink. p99 is decided by single collections, not by their sum."},
    {"B13",
     "A copying collector never looks at what is dead: a collection of garbage costs its roots. "
     "What survives is read, written and fixed up, so the pause follows the bytes copied."},
    {"B14",
     "With a nursery longer than the longest lifetime nothing is promoted in between, so what is "
     "copied is what is alive, header included. Ours is smaller than the source's because the "
     "header is 8 bytes, not 24."},
    {"B15",
     "A copying collector writes survivors in the order in which it finds them, which is the order "
     "of the list. A LIFO free list hands slots out in reverse order of death, which is the order "
     "of nothing."},
    {"B16",
     "Spawning writes six fields wherever they are. Updating walks the live list, and pays for "
     "each step that leaves the cache line it is in; the dearer a random read is on a machine, the "
     "larger the update ratio."},
    {"B18",
     "A header of 8 bytes and 8 a field; a free list is as large as its largest population, since "
     "nothing ever leaves it. The columns' growth includes index arrays, the warm-up and the page "
     "tables' rounding."},
    {"B19",
     "The collector asks the pool at every major cycle, and what nobody took in two is gone. It "
     "does not know of the free list."},
    {"B20",
     "A powered bullet passes its damage on to whoever gets the object next, unless reset takes it "
     "away. So the share of powered bullets after g reuses is 1 - 0.98^g, and the damage of the "
     "run is an average over g: it drifts, it does not jump."},
    {"B21",
     "One Get after one Put of an unpowered bullet is right with the bug in. Only a run whose "
     "result is known to the last digit notices a rule that fails for one bullet in fifty."},
    {"B22",
     "Copying costs per byte and per object (its header, its forwarding, its slot). With larger "
     "objects the bytes grow and the objects do not, so time grows less than bytes."},
    {"B23",
     "The published shape is there: fresh allocation has the collections, the free list the dearer "
     "update, columns neither. The absolute times are another machine's."},
    {"B24",
     "A cell that runs second finds pages touched, a nursery grown and a trained branch predictor. "
     "That is why every published figure here comes from a process of its own."},
    {"B25",
     "The heap's counters are read while the world is as it is, not delivered by a later event, so "
     "a frame's collections are known when the frame ends."},
    {"K1",
     "One collection demotes everything to the victim, where any Get finds it; the second drops "
     "it. What is lost at k = 1 are private slots of Ps that did not run (K2), and the oracle "
     "names each."},
    {"K3",
     "A Get that finds nothing marks the victim as empty, to spare the next ones the search. What "
     "is still in private slots of other Ps is alive, referenced and out of reach until the next "
     "collection drops it."},
    {"K6",
     "Only how many collections fall into the gap decides (K11), and with a steady rate that is a "
     "matter of T/G alone. On the wall clock a busy machine moves single periods; the virtual "
     "clock of K5 has none of that, and is the strict test."},
    {"K8",
     "The period G is the allowance over the rate, and half of the objects come back at 1.5 G: "
     "twice the rate, half the time."},
    {"K12",
     "sync.Pool replaces its array when the number of Ps grows and lets the old one go. Moving the "
     "parked objects over costs one pass at a time when the world stands still anyway."},
};

}  // namespace

const char* WhyOf(std::string_view id) {
  for (const auto& [name, text] : kWhy) {
    if (name == id) return text;
  }
  return "";
}

}  // namespace neap::lab
