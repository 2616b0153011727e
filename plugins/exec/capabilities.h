// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace exec_driver {

// Names without "cap_" and in lower case, as the host has them.
struct Capabilities {
  std::vector<std::string> bounding;  // what a task of root has
  std::vector<std::string> ambient;   // what a task of another user has: only what the job named
};

// What a task may have if the operator does not say it.
std::vector<std::string> DefaultCapabilities();

// ALLOWED by the operator, without DROP, and with ADD, which must be allowed; "all" stands for
// every one that is allowed (for ADD and DROP). Throws drover::Error naming what is not allowed.
// Nobody gets WITHHELD, if it is one: whoever names it is refused, too.
Capabilities ChooseCapabilities(const std::vector<std::string>& allowed,
                                const std::vector<std::string>& add,
                                const std::vector<std::string>& drop, const std::string& withheld);

}  // namespace exec_driver
