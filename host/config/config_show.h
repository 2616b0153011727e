// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/config/load_config.h"

namespace drover {

// One key of a configuration and the value that holds.
struct ShownConfigKey {
  std::string pointer;
  nlohmann::json value;
  ConfigPlace from;  // without a file: the value is the default
};

// Returns the keys that are set, and the others that have a default, in the order of the table of
// keys. Keys that are not carried out are left out. Secrets are replaced, and so is what looks like
// one in a driver's configuration, such as a password.
std::vector<ShownConfigKey> ShowConfig(const LoadedConfig& loaded);

}  // namespace drover
