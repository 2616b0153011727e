// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/driver/driver.h"
#include "host/driver/driver_limits.h"

// The hooks of plugins, as task runners know them.
namespace drover {

// When a plugin is called for a task. The numbers are those of enum drover_hook_stage.
enum class PluginHookStage {
  kPrestart = 1,
  kPoststart = 2,
  kPrekill = 3,
  kExited = 4,
  kStop = 5,
};
inline constexpr PluginHookStage kPluginHookStages[] = {
    PluginHookStage::kPrestart, PluginHookStage::kPoststart, PluginHookStage::kPrekill,
    PluginHookStage::kExited, PluginHookStage::kStop};

constexpr std::uint32_t HookStageBit(PluginHookStage stage) {
  return 1u << static_cast<unsigned>(stage);
}

// The limit of a call at STAGE.
constexpr Duration DriverLimits::* HookLimitOf(PluginHookStage stage) {
  switch (stage) {
    case PluginHookStage::kPrestart:
      return &DriverLimits::prestart_hook;
    case PluginHookStage::kPoststart:
      return &DriverLimits::poststart_hook;
    case PluginHookStage::kPrekill:
      return &DriverLimits::prekill_hook;
    case PluginHookStage::kExited:
      return &DriverLimits::exited_hook;
    case PluginHookStage::kStop:
      break;
  }
  return &DriverLimits::stop_hook;
}

// The members of drover_hook_args.
struct PluginHookRequest {
  PluginHookStage stage = PluginHookStage::kPrestart;
  std::string alloc_id;
  std::string task_name;
  std::string alloc_name;
  std::string job_id;
  std::string job_namespace;
  std::string group_name;
  std::string node_id;
  std::string node_name;
  std::string driver;
  std::string user;
  std::string alloc_dir;
  std::string task_dir;
  std::string local_dir;
  std::string secrets_dir;
  std::string log_dir;
  StringMap meta;
  StringMap data;
  std::optional<RunId> run;
  std::optional<ExitResult> exited;
};

// The answer of a plugin, which has been checked.
struct PluginHookAnswer {
  StringMap env;
  std::vector<TaskMount> mounts;
  std::vector<TaskDevice> devices;
  std::optional<StringMap> data;  // absent: what is kept does not change
  std::string event;              // empty: none
};

// A plugin whose hooks take part in the tasks of a node. Control thread only.
class HookPlugin {
 public:
  virtual ~HookPlugin() = default;

  // The stages at which the plugin is called, as bits of HookStageBit. Absent while this is not
  // known, because the plugin is being loaded or could not be loaded.
  virtual std::optional<std::uint32_t> HookStages() const = 0;
  // How long the plugin may take for STAGE.
  virtual Duration HookLimit(PluginHookStage stage) const = 0;
  // Calls the plugin. Waits while the plugin is being loaded, and for a limited time while its
  // process is launched again. An answer that breaks a rule is an error, and so is an answer that
  // comes too late. Answers for the plugin if it is not called at this stage.
  virtual Co<Result<PluginHookAnswer>> CallHook(
      Context context, std::shared_ptr<const PluginHookRequest> request) = 0;
};

}  // namespace drover
