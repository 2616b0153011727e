// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace drover {

// Documents that hurt who reads them, in one way. TEXT returns the document of a number from 0 on;
// a higher number is worse, or takes another form.
struct HostileFamily {
  std::string name;
  std::function<std::string(int number)> text;
};

inline constexpr int kTextsPerFamily = 10;

std::vector<HostileFamily> HostileFamilies();

inline std::ostream& operator<<(std::ostream& out, const HostileFamily& family) {
  return out << family.name;
}

}  // namespace drover
