// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "host/config/config_finding.h"
#include "host/config/config_node.h"

namespace drover {

// The keys of one configuration file, or of several files that were merged. VALUE has the form of
// the table of keys: each done key has a value of its kind, and each block is an object.
struct ConfigDocument {
  nlohmann::json value = nlohmann::json::object();
  // By JSON pointer. Of an extremely large file, some places are left out.
  std::map<std::string, ConfigPlace> places;

  // Returns the place of POINTER, or of the nearest key above it.
  ConfigPlace Place(std::string pointer) const;
};

struct ConfigShapeOptions {
  std::string file;       // for places
  std::string directory;  // where relative paths start
  // True for HCL: there a text may be a number or a boolean, and the other way around.
  bool loose = false;
};

// Gives ROOT the form of the table of keys. Adds each key that is unknown, stands twice or has a
// value of the wrong kind to MISTAKES, and leaves it out. A name may have 256 bytes.
ConfigDocument ShapeConfig(const ConfigNode& root, const ConfigShapeOptions& options,
                           ConfigFindings* mistakes);

// Adds OVER to BASE. Objects are merged key by key. Any other value of OVER replaces that of BASE,
// and so does the configuration of a driver, as with Nomad.
void MergeConfig(ConfigDocument* base, const ConfigDocument& over);

// Adds the refused keys of DOCUMENT to MISTAKES, and the keys that are not carried out to WARNINGS,
// unless their values have no effect.
void CheckConfigStates(const ConfigDocument& document, ConfigFindings* mistakes,
                       ConfigFindings* warnings);

}  // namespace drover
