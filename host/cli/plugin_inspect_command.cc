// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/cli.h"
#include "host/cli/commands.h"
#include "host/cli/node_setup.h"
#include "host/library/plugin_file.h"
#include "host/library/probe.h"
#include "sdk/include/drover/drover.h"

namespace drover {
namespace {

using Json = nlohmann::ordered_json;

struct Flag {
  std::uint64_t bit;
  const char* name;
};
constexpr Flag kOffers[] = {{DROVER_CAP_SIGNALS, "signals"},
                            {DROVER_CAP_EXEC, "exec"},
                            {DROVER_CAP_STATS, "stats"},
                            {DROVER_CAP_DISABLES_LOG_COLLECTION, "disables_log_collection"}};
constexpr Flag kNeeds[] = {{DROVER_NEEDS_PROCESS_SERVICE, "process_service"},
                           {DROVER_NEEDS_TASK_OUTPUT, "task_output"}};

template <std::size_t N>
Json Names(const Flag (&flags)[N], std::uint64_t bits) {
  Json names = Json::array();
  for (const Flag& flag : flags) {
    if ((bits & flag.bit) != 0) names.push_back(flag.name);
  }
  return names;
}

Json Schema(const std::string& text) {
  Json schema = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return schema.is_discarded() ? Json(text) : schema;
}

Json Describe(const PluginFile& file, const PluginInfo& info) {
  Json json;
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
  json["ConfigSchema"] = Schema(info.config_schema);
  json["TaskConfigSchema"] = Schema(info.task_config_schema);
  return json;
}

void PrintText(const Json& json) {
  for (const auto& [key, value] : json.items()) {
    const bool nested = value.is_object();
    const std::string text =
        value.is_string() ? Printable(value.get<std::string>()) : value.dump(nested ? 2 : -1);
    std::printf(nested ? "%s:\n%s\n" : "%-18s %s\n", key.c_str(), text.c_str());
  }
}

}  // namespace

int PluginInspectCommand(const PluginOptions& options) {
  std::error_code error;
  const std::string path =
      std::filesystem::absolute(options.file, error).lexically_normal().string();
  const Result<PluginFile> file = OpenPluginFile(path, "");
  if (!file.ok()) {
    PrintError("plugin inspect", file.error());
    return kExitFailed;
  }
  PluginProber prober;
  const Result<PluginInfo> info = prober.Probe(*file);
  if (!info.ok()) {
    PrintError("plugin inspect", info.error());
    return kExitFailed;
  }
  const Json json = Describe(*file, *info);
  if (options.json) {
    std::printf("%s\n", json.dump(2).c_str());
  } else {
    PrintText(json);
  }
  return kExitOk;
}

}  // namespace drover
