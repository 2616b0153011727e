// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/library/plugin_file.h"
#include "host/library/probe.h"
#include "host/local_commands/local_commands.h"
#include "sdk/include/drover/drover.h"
#include "sdk/include/drover/drover_capabilities.h"
#include "sdk/include/drover/drover_news.h"
#include "sdk/include/drover/drover_pause.h"
#include "sdk/include/drover/drover_task_hooks.h"

namespace drover {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct Flag {
  std::uint64_t bit;
  const char* name;
};
constexpr Flag kOffers[] = {{DROVER_CAP_SIGNALS, "signals"},
                            {DROVER_CAP_EXEC, "exec"},
                            {DROVER_CAP_STATS, "stats"},
                            {DROVER_CAP_DISABLES_LOG_COLLECTION, "disables_log_collection"},
                            {DROVER_CAP_HOSTNAME, "hostname"},
                            {DROVER_CAP_DNS, "dns"},
                            {DROVER_CAP_CAPABILITIES, "capabilities"},
                            {DROVER_CAP_PAUSE, "pause"},
                            {DROVER_CAP_NEWS, "news"},
                            {DROVER_CAP_ONLY_TASK_HOOKS, "only_task_hooks"},
                            {DROVER_CAP_HOOK_PRESTART, "hook_prestart"},
                            {DROVER_CAP_HOOK_POSTSTART, "hook_poststart"},
                            {DROVER_CAP_HOOK_PREKILL, "hook_prekill"},
                            {DROVER_CAP_HOOK_EXITED, "hook_exited"},
                            {DROVER_CAP_HOOK_STOP, "hook_stop"}};
constexpr Flag kNeeds[] = {{DROVER_NEEDS_PROCESS_SERVICE, "process_service"},
                           {DROVER_NEEDS_TASK_OUTPUT, "task_output"}};

template <std::size_t N>
OrderedJson Names(const Flag (&flags)[N], std::uint64_t bits) {
  OrderedJson names = OrderedJson::array();
  for (const Flag& flag : flags) {
    if ((bits & flag.bit) != 0) names.push_back(flag.name);
  }
  return names;
}

OrderedJson SchemaJson(const std::string& text) {
  OrderedJson schema = OrderedJson::parse(text, nullptr, /*allow_exceptions=*/false);
  return schema.is_discarded() ? OrderedJson(text) : schema;
}

OrderedJson Describe(const PluginFile& file, const PluginInfo& info) {
  OrderedJson json;
  json["Name"] = file.manifest.name;
  json["Version"] = file.manifest.version;
  json["License"] = file.manifest.license;
  json["File"] = file.path;
  json["SHA256"] = file.sha256;
  json["AbiMajor"] = file.manifest.abi_major;
  json["MinHostMinor"] = file.manifest.min_host_minor;
  static const char* const kIsolation[] = {"none", "chroot", "image"};
  json["FSIsolation"] = kIsolation[static_cast<int>(info.fs_isolation)];
  json["Offers"] = Names(kOffers, info.offers);
  json["Needs"] = Names(kNeeds, info.needs);
  json["ConfigSchema"] = SchemaJson(info.config_schema);
  json["TaskConfigSchema"] = SchemaJson(info.task_config_schema);
  return json;
}

void PrintText(const OrderedJson& json) {
  for (const auto& [key, value] : json.items()) {
    const bool nested = value.is_object();
    const std::string text =
        value.is_string() ? Printable(value.get<std::string>()) : value.dump(nested ? 2 : -1);
    std::printf(nested ? "%s:\n%s\n" : "%-18s %s\n", key.c_str(), text.c_str());
  }
}

struct PluginInspectCommand {
  std::string file;
  bool json = false;

  void Declare(CLI::App* command) {
    command->add_option("FILE", file, "The shared library")->required();
    command->add_flag("--json", json, "Prints JSON");
  }

  int Run() const {
    std::error_code error;
    const std::string path = std::filesystem::absolute(file, error).lexically_normal().string();
    const Result<PluginFile> opened = OpenPluginFile(path, "");
    if (!opened.ok()) return Fail("plugin inspect", opened.error(), kExitFailed);
    PluginProber prober;
    const Result<PluginInfo> info = prober.Probe(*opened);
    if (!info.ok()) return Fail("plugin inspect", info.error(), kExitFailed);
    const OrderedJson described = Describe(*opened, *info);
    if (json) {
      std::printf("%s\n", described.dump(2).c_str());
    } else {
      PrintText(described);
    }
    return kExitOk;
  }
};

}  // namespace

void AddPluginInspect(const CommandGroup& plugin) {
  plugin.Add<PluginInspectCommand>("inspect",
                                   "Prints a plugin's manifest, capabilities and schemas");
}

}  // namespace drover
