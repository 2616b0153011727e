// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/plugin_info.h"

#include <nlohmann/json.hpp>

#include "drover/drover.h"
#include "drover/drover_capabilities.h"
#include "drover/drover_device.h"
#include "drover/drover_news.h"
#include "drover/drover_pause.h"
#include "host/abi/abi_names.h"

namespace drover {

DriverInfo ToDriverInfo(const PluginInfo& info) {
  DriverInfo driver;
  driver.name = info.name;
  driver.version = info.version;
  driver.can_signal = (info.offers & DROVER_CAP_SIGNALS) != 0;
  driver.can_exec = (info.offers & DROVER_CAP_EXEC) != 0;
  driver.has_stats = (info.offers & DROVER_CAP_STATS) != 0;
  driver.fs_isolation = info.fs_isolation;
  driver.disables_log_collection = (info.offers & DROVER_CAP_DISABLES_LOG_COLLECTION) != 0;
  driver.takes_hostname = (info.offers & DROVER_CAP_HOSTNAME) != 0;
  driver.takes_dns = (info.offers & DROVER_CAP_DNS) != 0;
  driver.has_capabilities = (info.offers & DROVER_CAP_CAPABILITIES) != 0;
  driver.can_pause = (info.offers & DROVER_CAP_PAUSE) != 0;
  driver.has_news = (info.offers & DROVER_CAP_NEWS) != 0;
  driver.only_devices = (info.offers & DROVER_CAP_ONLY_DEVICES) != 0;
  driver.only_task_hooks = (info.offers & DROVER_CAP_ONLY_TASK_HOOKS) != 0;
  for (const PluginHookStage stage : kPluginHookStages) {
    if ((info.offers & HookOffer(stage)) != 0) driver.hook_stages |= HookStageBit(stage);
  }
  return driver;
}

std::string PluginInfoToJson(const PluginInfo& info) {
  const nlohmann::json json = {
      {"name", info.name},
      {"version", info.version},
      {"fs_isolation", static_cast<int>(info.fs_isolation)},
      {"offers", info.offers},
      {"needs", info.needs},
      {"config_schema", info.config_schema},
      {"task_config_schema", info.task_config_schema},
  };
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<PluginInfo> PluginInfoFromJson(const std::string& text) {
  // The text is not trusted, because the child process that wrote it has run the plugin's code.
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    PluginInfo info;
    info.name = json.at("name").get<std::string>();
    info.version = json.at("version").get<std::string>();
    const int isolation = json.at("fs_isolation").get<int>();
    if (isolation < 0 || isolation > 2) {
      return Error(Code::kInvalidArgument, "the probe reported an unknown isolation");
    }
    info.fs_isolation = static_cast<FsIsolation>(isolation);
    info.offers = json.at("offers").get<std::uint64_t>();
    info.needs = json.at("needs").get<std::uint64_t>();
    info.config_schema = json.at("config_schema").get<std::string>();
    info.task_config_schema = json.at("task_config_schema").get<std::string>();
    return info;
  } catch (const nlohmann::json::exception& e) {
    return Error(Code::kInternal, std::string("the probe's answer cannot be read: ") + e.what());
  }
}

bool IsDriverName(const std::string& name) {
  if (name.empty() || name.size() > 63) return false;
  for (const char c : name) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-')) return false;
  }
  return true;
}

}  // namespace drover
