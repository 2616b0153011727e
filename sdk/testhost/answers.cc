// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "sdk/testhost/answers.h"

#include <string>

#include "host/abi/abi_names.h"

namespace drover {

using Json = nlohmann::json;

Json ErrorJson(const Error& error) {
  return {{"code", StatusName(static_cast<std::int32_t>(error.code()))},
          {"message", error.message()},
          {"recoverable", error.recoverable()}};
}

Json FingerprintJson(const Fingerprint& fingerprint) {
  static const char* const kHealth[] = {"undetected", "unhealthy", "healthy"};
  return {{"health", kHealth[static_cast<int>(fingerprint.health)]},
          {"description", fingerprint.description},
          {"attributes", fingerprint.attributes}};
}

Json ExitJson(const ExitResult& exit) {
  return {{"exit_code", exit.exit_code},
          {"signal", exit.signal},
          {"oom_killed", exit.oom_killed},
          {"error", exit.error}};
}

Json StatusJson(const TaskStatus& status) {
  static const char* const kState[] = {"unknown", "running", "exited"};
  Json json = {{"state", kState[static_cast<int>(status.state)]},
               {"attributes", status.attributes}};
  if (status.exit_result) json["exit"] = ExitJson(*status.exit_result);
  return json;
}

Json UsageJson(const TaskUsage& usage) {
  const auto& memory = usage.total.memory;
  const auto& cpu = usage.total.cpu;
  std::vector<std::string> of_memory, of_cpu;
  AddMeasured(kMemoryStats, usage.total.measured, &of_memory);
  AddMeasured(kCpuStats, usage.total.measured, &of_cpu);
  AddMeasured(kThrottlingStats, usage.total.measured, &of_cpu);
  Json pids = Json::array();
  for (const auto& [pid, ignored] : usage.pids) pids.push_back(pid);
  return {{"memory",
           {{"rss", memory.rss},
            {"cache", memory.cache},
            {"swap", memory.swap},
            {"mapped_file", memory.mapped_file},
            {"usage", memory.usage},
            {"max_usage", memory.max_usage},
            {"kernel_usage", memory.kernel_usage},
            {"kernel_max_usage", memory.kernel_max_usage},
            {"measured", of_memory}}},
          {"cpu",
           {{"system_mode", cpu.system_mode},
            {"user_mode", cpu.user_mode},
            {"percent", cpu.percent},
            {"total_ticks", cpu.total_ticks},
            {"throttled_periods", cpu.throttled_periods},
            {"throttled_time_ns", cpu.throttled_time_ns},
            {"measured", of_cpu}}},
          {"pids", pids},
          {"timestamp", usage.timestamp}};
}

nlohmann::json ProgressJson(const TaskProgress& progress) {
  return {{"phase", progress.phase},
          {"done", progress.done},
          {"total", progress.total},
          {"unit", progress.unit},
          {"text", progress.text}};
}

}  // namespace drover
