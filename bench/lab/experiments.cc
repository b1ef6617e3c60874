// SPDX-License-Identifier: MIT
//
// The list of experiments and the selection by name.
#include <algorithm>
#include <cctype>

#include "lab.h"

namespace neap::lab {
namespace {

void Append(std::vector<Experiment>& all, std::vector<Experiment> more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// An id ("G1"), a letter ("G"), a family ("evict") or "all"; case does not matter.
bool Matches(const Experiment& experiment, const std::string& lower_name) {
  const std::string id = Lower(experiment.id);
  return lower_name == "all" || lower_name == id || lower_name == experiment.family ||
         lower_name == id.substr(0, 1);
}

}  // namespace

const std::vector<Experiment>& AllExperiments() {
  static const std::vector<Experiment> all = [] {
    std::vector<Experiment> list;
    Append(list, GExperiments());
    Append(list, EExperiments());
    Append(list, DExperiments());
    Append(list, BExperiments());
    Append(list, KExperiments());
    return list;
  }();
  return all;
}

std::vector<const Experiment*> SelectExperiments(const std::vector<std::string>& names,
                                                 std::string* unknown) {
  unknown->clear();
  const std::vector<Experiment>& all = AllExperiments();
  std::vector<bool> chosen(all.size(), false);
  for (const std::string& name : names) {
    const std::string lower_name = Lower(name);
    bool found = false;
    for (size_t i = 0; i < all.size(); ++i) {
      if (!Matches(all[i], lower_name)) continue;
      chosen[i] = true;
      found = true;
    }
    if (!found && unknown->empty()) *unknown = name;
  }
  std::vector<const Experiment*> selected;
  for (size_t i = 0; i < all.size(); ++i) {
    if (names.empty() ? all[i].headline : chosen[i]) selected.push_back(&all[i]);
  }
  return selected;
}

}  // namespace neap::lab
