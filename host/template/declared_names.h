// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace drover::templates {

// The variables that are declared at a place of a template. A template may declare a hundred
// thousand, so a look-up must not go through all of them.
class DeclaredNames {
 public:
  DeclaredNames() { Add("$"); }

  void Add(std::string_view name) {
    names_.emplace_back(name);
    ++counts_[names_.back()];
  }
  bool Has(std::string_view name) const { return counts_.contains(std::string(name)); }
  std::size_t size() const { return names_.size(); }
  // Removes all but the first COUNT.
  void ShrinkTo(std::size_t count) {
    for (; names_.size() > count; names_.pop_back()) {
      const auto found = counts_.find(names_.back());
      if (--found->second == 0) counts_.erase(found);
    }
  }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> counts_;  // how often each is declared
};

}  // namespace drover::templates
