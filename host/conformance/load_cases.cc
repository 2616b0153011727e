// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The cases that need no running task: loading, extensions and schemas.
#include <nlohmann/json.hpp>
#include <optional>

#include "host/abi/abi_text.h"
#include "host/conformance/driver_access.h"
#include "host/conformance/kit_case.h"
#include "host/schema/config_checker.h"

namespace drover {
namespace {

Co<void> Loads(KitCase*, LoadedDriver*) { co_return; }  // the kit loads the plugin before each case

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

Co<void> UnknownExtension(KitCase* kit, LoadedDriver* driver, std::string id) {
  const Result<bool> has = co_await DriverAccess::HasExtension(driver, kit->context(), id);
  KIT_EXPECT(has.ok(), "get_extension of \"" + SafeText(id, 60) + "\": " + Describe(has));
  KIT_EXPECT(!*has, "get_extension must be null for ids that it does not know, and is not for \"" +
                        SafeText(id, 60) + "\"");
}

// Checks that get_extension always gives the same answer, and that it returns all extensions that
// the driver reports in its info.
Co<void> ConstantExtensions(KitCase* kit, LoadedDriver* driver) {
  for (const auto& [id, offered] : {std::pair(DROVER_TASK_STATS_ID, driver->info().has_stats),
                                    std::pair(DROVER_TASK_EXEC_ID, driver->info().can_exec)}) {
    const std::string name = id;
    const Result<bool> first = co_await DriverAccess::HasExtension(driver, kit->context(), name);
    const Result<bool> second = co_await DriverAccess::HasExtension(driver, kit->context(), name);
    KIT_EXPECT(first.ok() && second.ok(), "get_extension of " + name + ": " + Describe(first));
    KIT_EXPECT(*first == *second, "asked for " + name + " twice, it answers in two ways");
    KIT_EXPECT(*first || !offered, "it offers " + name + ", but has none");
  }
}

// Returns CONFIG, a JSON object, with an additional key that no driver has.
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

// The schema of the plugin's configuration, or of the configuration of its tasks.
struct Schema {
  const char* whose;
  std::string text;
  std::string good;  // a configuration that the schema accepts
};
std::optional<Schema> SchemaOf(KitCase* kit, bool of_task) {
  if (!of_task)
    return Schema{"the plugin's", kit->info().config_schema, kit->PluginConfigJson(kit->info())};
  const auto task = kit->Lasting();
  if (!task) return std::nullopt;
  return Schema{"a task's", kit->info().task_config_schema, task->driver_config_json};
}

// Checks that the schema accepts only objects as the whole configuration.
void OnlyObjects(KitCase* kit, const Schema& schema, const ConfigChecker& checker) {
  for (const char* text : {"[]", "null", "1", "true", "\"text\"", "{", ""}) {
    if (checker.Normalize("", text, true).ok())
      kit->Fail(std::string(schema.whose) + " configuration may be " + text +
                ", but must be an object");
  }
}

// Checks that no property accepts values of all JSON types.
void TypedProperties(KitCase* kit, const Schema& schema, const ConfigChecker& checker) {
  const auto json = nlohmann::json::parse(schema.text, nullptr, false);
  if (!json.is_object() || !json.contains("properties")) return;
  const std::vector<nlohmann::json> kinds = {
      "\x01 no such value",
      -4711.5,
      true,
      nullptr,
      nlohmann::json::array({nlohmann::json::array()}),
      nlohmann::json{{"no_such_key", nlohmann::json::array({1})}}};
  for (const auto& [name, property] : json["properties"].items()) {
    bool all = true;
    for (const nlohmann::json& value : kinds) {
      nlohmann::json config = nlohmann::json::parse(schema.good, nullptr, false);
      config[name] = value;
      all = all && checker.Normalize("", config.dump(), true).ok();
    }
    if (all)
      kit->Warn(std::string(schema.whose) + " option \"" + name +
                "\" takes a value of any kind: a mistake in it is not noticed");
  }
}

// Checks that a configuration whose defaults are filled in does not change when the defaults are
// filled in a second time.
void StableDefaults(KitCase* kit, const Schema& schema, const ConfigChecker& checker) {
  const Result<std::string> once = checker.Normalize("", schema.good, true);
  if (!once.ok())
    return kit->Fail(std::string(schema.whose) + " configuration " + schema.good +
                     " is refused: " + Describe(once));
  const Result<std::string> twice = checker.Normalize("", *once, true);
  if (!twice.ok() || *twice != *once)
    kit->Fail(std::string(schema.whose) + " configuration, with its defaults filled in, is " +
              (twice.ok() ? "changed when that is done again: " + *twice
                          : "refused by the same schema: " + Describe(twice)));
}

using SchemaFunction = void (*)(KitCase* kit, const Schema& schema, const ConfigChecker& checker);
Co<void> WithSchema(KitCase* kit, bool of_task, SchemaFunction function) {
  const std::optional<Schema> schema = SchemaOf(kit, of_task);
  if (!schema) co_return;
  const auto checker = NewSchemaChecker(schema->text);
  KIT_EXPECT(checker.ok(), std::string(schema->whose) + " schema: " + Describe(checker));
  function(kit, *schema, **checker);
}

std::vector<KitEntry> MakeLoadCases() {
  std::vector<KitEntry> cases = {
      {"load", "The file is a plugin of this ABI, can be probed, loaded and created", Loads},
      {"probe-time", "A probe takes less than 100 ms", ProbesSoon},
      {"unknown-keys", "A configuration with an unknown key is refused", UnknownKeys},
      {"extension-constant", "get_extension answers as it did before", ConstantExtensions},
  };
  const std::string stats = DROVER_TASK_STATS_ID;
  const std::string exec = DROVER_TASK_EXEC_ID;
  const std::vector<std::pair<const char*, std::string>> ids = {
      {"empty", ""},
      {"unknown", "drover.nothing/1"},
      {"longer", stats + "x"},
      {"nul", stats + std::string(1, '\0')},
      {"cut", stats.substr(0, stats.size() - 1)},
      {"later-stats", stats.substr(0, stats.size() - 1) + "4711"},
      {"later-exec", exec.substr(0, exec.size() - 1) + "4711"},
      {"nested", exec + "/1"},
      {"prefix", "drover."},
      {"bytes", std::string("\xff\xfe\0\n", 4)},
      {"huge", std::string(100'000, 'd')}};
  for (const auto& [suffix, id] : ids) {
    const auto run = [wanted = id](KitCase* kit, LoadedDriver* driver) {
      return UnknownExtension(kit, driver, wanted);
    };
    cases.push_back(
        {"extension-" + std::string(suffix),
         "get_extension is null for an id that it does not know: " + std::string(suffix), run,
         "extension"});
  }
  struct Look {
    const char* suffix;
    const char* what;
    SchemaFunction function;
  };
  for (const Look& look : {Look{"objects", "takes objects alone", OnlyObjects},
                           Look{"types", "says what type each option has", TypedProperties},
                           Look{"defaults", "takes what its defaults make", StableDefaults}}) {
    for (const bool of_task : {false, true}) {
      const auto run = [of_task, look](KitCase* kit, LoadedDriver*) {
        return WithSchema(kit, of_task, look.function);
      };
      cases.push_back({std::string(of_task ? "schema-task-" : "schema-plugin-") + look.suffix,
                       std::string(of_task ? "A task's" : "The plugin's") + " schema " + look.what,
                       run, "schema"});
    }
  }
  return cases;
}

}  // namespace

const std::vector<KitEntry>& LoadCases() {
  static const std::vector<KitEntry> cases = MakeLoadCases();
  return cases;
}

}  // namespace drover
