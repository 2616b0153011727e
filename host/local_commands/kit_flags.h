// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "host/base/result.h"
#include "host/conformance/conformance.h"

namespace drover {

// Returns what is wrong with TEXT if it is no whole number of 64 bits. A check of CLI11, whose own
// reader takes a minus sign, and any number that is too large.
std::string CheckWholeNumber(const std::string& text);

// The options that all commands of the conformance kit have: which driver is tested, and how.
struct KitFlags {
  std::string file;
  std::string isolation = "in-process";
  std::string plugin_config;
  std::string task_config;
  std::string kit;
  std::optional<std::uint64_t> seed;
  bool json = false;

  void Declare(CLI::App* command);

  // Returns the options of a run. Reads the kit file, and stores its path in KIT_FILE: that of the
  // option, or else one beside the driver. The path is empty if there is none.
  Result<ConformanceOptions> Options(std::string* kit_file) const;
};

}  // namespace drover
