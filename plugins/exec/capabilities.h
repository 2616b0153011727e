// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace exec_driver {

// Names of capabilities, in lower case and without "cap_", as the host expects them.
struct Capabilities {
  std::vector<std::string> bounding;  // for a task that runs as root
  // For a task that runs as a user other than root: only the capabilities that the job named.
  std::vector<std::string> ambient;
};

// The capabilities that a task may have if the operator sets no allow_caps.
std::vector<std::string> DefaultCapabilities();

// Chooses the capabilities of a task. They are the default capabilities that are in ALLOWED and not
// in DROP, and the capabilities in ADD. In ADD and DROP, "all" means all allowed capabilities. If
// ADD has a capability that is not in ALLOWED, throws a drover::Error that names it. No task gets
// the capability WITHHELD. If ADD has WITHHELD, also throws. An empty WITHHELD withholds no
// capability.
Capabilities ChooseCapabilities(const std::vector<std::string>& allowed,
                                const std::vector<std::string>& add,
                                const std::vector<std::string>& drop, const std::string& withheld);

}  // namespace exec_driver
