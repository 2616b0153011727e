// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace exec_driver {

// Names without "cap_" and in lower case, as the host expects them.
struct Capabilities {
  std::vector<std::string> bounding;  // for a task of root
  std::vector<std::string> ambient;   // for a task of another user: only those that the job named
};

// The capabilities that a task may have if the operator sets no allow_caps.
std::vector<std::string> DefaultCapabilities();

// Chooses the capabilities of a task: the default ones that are in ALLOWED, without DROP, and those
// of ADD, which must be in ALLOWED. In ADD and DROP "all" stands for every allowed one. Throws
// drover::Error, which names the capabilities that are not allowed. No task gets the capability
// WITHHELD (empty: none), and a job that names it is refused, too.
Capabilities ChooseCapabilities(const std::vector<std::string>& allowed,
                                const std::vector<std::string>& add,
                                const std::vector<std::string>& drop, const std::string& withheld);

}  // namespace exec_driver
