// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/result.h"

namespace drover {

// A place in a configuration file.
struct ConfigPlace {
  std::string file;  // empty: a text without a file
  int line = 0;      // 0: unknown

  bool operator==(const ConfigPlace&) const = default;
};

// A mistake in a configuration, or a warning.
struct ConfigFinding {
  ConfigPlace at;
  std::string pointer;  // the JSON pointer of the key; empty: the file
  std::string message;
  Code code = Code::kInvalidArgument;
};

using ConfigFindings = std::vector<ConfigFinding>;

// Adds FINDING to TO. If there are already a hundred, only a last one says that there are more.
void AddFinding(ConfigFinding finding, ConfigFindings* to);

// Returns "FILE:LINE: /POINTER: MESSAGE".
std::string FindingText(const ConfigFinding& finding);

// Returns all MISTAKES as one error; success if there are none.
Status AsError(const ConfigFindings& mistakes);

}  // namespace drover
