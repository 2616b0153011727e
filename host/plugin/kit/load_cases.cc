// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// What can be said of a plugin before a task runs: loading, extensions, schemas.
#include <nlohmann/json.hpp>

#include "host/plugin/abi_text.h"
#include "host/plugin/config_checker.h"
#include "host/plugin/kit/kit_case.h"

namespace drover {
namespace {

Co<void> Loads(KitCase*, LoadedDriver*) { co_return; }  // loading it was the case

Co<void> ProbesSoon(KitCase* kit, LoadedDriver*) {
  constexpr Duration kSoon = 100ms;
  Duration best = 1h;
  for (int i = 0; i < 5 && best >= kSoon; ++i) {
    const Result<Duration> took = co_await kit->TimeProbe();
    KIT_EXPECT(took.ok(), "a second probe fails: " + Describe(took));
    best = std::min(best, *took);
  }
  if (best >= kSoon) {
    kit->Warn("the best of five probes took " + FormatDuration(best) +
              ": constructors and info() should do next to nothing");
  }
}

Co<void> UnknownExtensions(KitCase* kit, LoadedDriver* driver) {
  const std::string stats = DROVER_TASK_STATS_ID;
  const std::string exec = DROVER_TASK_EXEC_ID;
  const std::vector<std::string> ids = {"",
                                        "drover.nothing/1",
                                        stats + "x",
                                        stats + std::string(1, '\0'),
                                        stats.substr(0, stats.size() - 1),
                                        exec + "/1",
                                        "drover.",
                                        std::string("\xff\xfe\0\n", 4),
                                        std::string(100'000, 'd')};
  for (const std::string& id : ids) {
    const Result<bool> has = co_await driver->HasExtension(kit->context(), id);
    KIT_EXPECT(has.ok(), "get_extension: " + Describe(has));
    KIT_EXPECT(!*has,
               "get_extension must be null for ids that it does not know, and is not for \"" +
                   SafeText(id, 60) + "\"");
  }
}

// CONFIG, a JSON object, with a key that no driver has.
std::string WithUnknownKey(const std::string& config) {
  nlohmann::json json = nlohmann::json::parse(config, nullptr, false);
  if (!json.is_object()) return config;
  json["no_such_option"] = 1;
  return json.dump();
}

Co<void> UnknownKeys(KitCase* kit, LoadedDriver* driver) {
  const auto told = [kit](const char* whose) {
    kit->Warn(std::string(whose) +
              " configuration may have any key: a mistyped option is not noticed "
              "(its schema has \"additionalProperties\": true)");
  };
  const auto schema = NewSchemaChecker(kit->info().config_schema);
  KIT_EXPECT(schema.ok(), "the schema of its configuration: " + Describe(schema));
  const std::string config = WithUnknownKey(kit->PluginConfigJson(kit->info()));
  if ((*schema)->Normalize("", config, true).ok()) told("the plugin's");
  const auto task = kit->Lasting();
  if (!task) co_return;
  if (driver->NormalizeConfig(WithUnknownKey(task->driver_config_json), true).ok())
    told("a task's");
}

}  // namespace

const std::vector<KitEntry>& LoadCases() {
  static const std::vector<KitEntry> cases = {
      {"load", "The file is a plugin of this ABI, can be probed, loaded and created", Loads},
      {"probe-time", "A probe takes less than 100 ms", ProbesSoon},
      {"extensions", "get_extension is null for unknown ids", UnknownExtensions},
      {"unknown-keys", "A configuration with an unknown key is refused", UnknownKeys},
  };
  return cases;
}

}  // namespace drover
