// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/local_commands/kit_flags.h"

#include <nlohmann/json.hpp>
#include <random>

#include "host/base/text.h"
#include "host/conformance/kit_file.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

// Checks that the value of OPTION is JSON, if it was given.
Status CheckJson(const std::string& option, const std::string& value) {
  if (value.empty()) return {};
  const Result<nlohmann::json> json = ParseStrictJson(value);
  return json.ok() ? Status() : json.error().WithContext(option);
}

}  // namespace

std::string CheckWholeNumber(const std::string& text) {
  if (ParseNumber<std::uint64_t>(text)) return "";
  return text + " is no whole number from 0 to 18446744073709551615";
}

void KitFlags::Declare(CLI::App* command) {
  command->add_option("FILE", file, "The shared library");
  command
      ->add_option("--isolation", isolation,
                   "Where the driver's code runs in each case: in-process, or process, as a "
                   "host runs drivers that are not its own")
      ->check(CLI::IsMember({"in-process", "process"}));
  command->add_option("--kit", kit,
                      "The kit file of the driver (JSON); without it NAME.kit.json or kit.json "
                      "beside FILE");
  command->add_option("--plugin-config", plugin_config, "The plugin's configuration (JSON)");
  command->add_option("--task-config", task_config,
                      "The configuration of a task that runs for a minute (JSON)");
  command->add_option("--seed", seed, "A number for what cases make up at random, to repeat a run")
      ->check(CheckWholeNumber);
  command->add_flag("--json", json, "Prints JSON lines");
}

Result<ConformanceOptions> KitFlags::Options(std::string* kit_file) const {
  if (file.empty()) return Error(Code::kInvalidArgument, "FILE is required");
  DROVER_TRY(OpenRegularFile(file, file));
  DROVER_TRY(CheckJson("--plugin-config", plugin_config));
  DROVER_TRY(CheckJson("--task-config", task_config));
  ConformanceOptions options;
  options.isolation = isolation;
  options.plugin_config = plugin_config;
  options.task_config = task_config;
  options.seed = seed ? *seed : std::random_device()();
  *kit_file = kit.empty() ? FindKitFile(file) : kit;
  if (kit_file->empty()) return options;
  DROVER_ASSIGN(options.kit_json, ReadKitFile(*kit_file));
  DROVER_ASSIGN(const KitFile parsed, ParseKitFile(options.kit_json));
  if (parsed.case_limit) options.limit = *parsed.case_limit;
  return options;
}

}  // namespace drover
