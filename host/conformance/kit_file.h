// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/base/unique_fd.h"

namespace drover {

// What a kit file says of a driver: the tasks and configurations with which the kit tests it. An
// author writes it beside a driver whose tasks the kit cannot make from the driver's schema.
// docs/kit.md describes the format.
struct KitFile {
  std::string plugin_config;  // a JSON object, or empty
  std::string user;           // the user of each task; empty means the driver's default
  // The configurations of tasks, each a JSON object, or empty if the file has no such task.
  std::string lasting;  // runs for a minute
  std::string ending;   // ends soon with ENDING_CODE
  std::string failing;  // ends soon with FAILING_CODE, which is not 0
  std::string writing;  // writes as fast as it can, and does not end soon
  std::string exec;     // runs for a minute, and has /bin/sh for commands beside it
  int ending_code = 0;
  // Absent if FAILING can end with any code: it contains the text ${exit_code}.
  std::optional<int> failing_code;
  std::optional<Duration> case_limit;   // the time limit of one case
  std::optional<Duration> start_limit;  // how long a start may take
};

// Parses the content of a kit file. Refuses every key that it does not know, by the key's place.
Result<KitFile> ParseKitFile(const std::string& text);

// Opens the regular file PATH. What is no such file is refused by NAME: it does not block.
Result<UniqueFd> OpenRegularFile(const std::string& path, const std::string& name);

// Returns the path of the kit file that belongs to PLUGIN_FILE: NAME.kit.json beside NAME.so, or
// else kit.json in the same directory. Returns an empty text if there is neither.
std::string FindKitFile(const std::string& plugin_file);

// Returns the content of the kit file PATH, which has been parsed once. Blocks.
Result<std::string> ReadKitFile(const std::string& path);

// Returns the configuration of the failing task of KIT that ends with CODE. KIT must have such a
// task, without a FAILING_CODE.
std::string FailingConfig(const KitFile& kit, int code);

}  // namespace drover
