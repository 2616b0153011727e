// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/abi_write.h"

#include <algorithm>
#include <cstring>

#include "host/abi/abi_names.h"

namespace drover {
namespace {

std::vector<drover_pair> ToPairs(const StringMap& map) {
  std::vector<drover_pair> pairs;
  pairs.reserve(map.size());
  for (const auto& [key, value] : map) pairs.push_back({ToStr(key), ToStr(value)});
  return pairs;
}

}  // namespace

std::string_view StatusName(std::int32_t status) {
  switch (status) {
    case DROVER_OK:
      return "OK";
    case DROVER_E_INTERNAL:
      return "E_INTERNAL";
    case DROVER_E_INVALID_ARGUMENT:
      return "E_INVALID_ARGUMENT";
    case DROVER_E_NOT_FOUND:
      return "E_NOT_FOUND";
    case DROVER_E_UNIMPLEMENTED:
      return "E_UNIMPLEMENTED";
    case DROVER_E_UNAVAILABLE:
      return "E_UNAVAILABLE";
    case DROVER_E_CANCELLED:
      return "E_CANCELLED";
    case DROVER_E_TIMEOUT:
      return "E_TIMEOUT";
    case DROVER_E_FAILED_PRECONDITION:
      return "E_FAILED_PRECONDITION";
    case DROVER_E_PERMISSION_DENIED:
      return "E_PERMISSION_DENIED";
    case DROVER_E_RESOURCE_EXHAUSTED:
      return "E_RESOURCE_EXHAUSTED";
    default:
      return "unknown status";
  }
}

drover_run_id ToRunId(const RunId& run) {
  drover_run_id id;
  std::copy(run.bytes.begin(), run.bytes.end(), std::begin(id.bytes));
  return id;
}

void WriteError(const Error& error, drover_error* out) {
  if (out == nullptr) return;
  std::uint32_t room = 0;
  std::memcpy(&room, out, sizeof room);
  drover_error made = NewStruct<drover_error>();
  made.struct_size = room;  // stays the driver's
  made.code = static_cast<std::int32_t>(error.code());
  made.flags = error.recoverable() ? DROVER_ERROR_RECOVERABLE : 0;
  constexpr std::size_t kHead = offsetof(drover_error, message);
  if (room > kHead) {
    std::size_t size = std::min<std::size_t>(
        {error.message().size(), room - kHead, std::size_t{DROVER_ERROR_MESSAGE_MAX}});
    // Not in the middle of a character.
    while (size > 0 && size < error.message().size() &&
           (static_cast<unsigned char>(error.message()[size]) & 0xc0) == 0x80) {
      --size;
    }
    made.message_size = static_cast<std::uint32_t>(size);
    std::memcpy(made.message, error.message().data(), size);
  }
  std::memcpy(out, &made, std::min<std::size_t>(room, sizeof made));
}

TaskConfigView::TaskConfigView(std::shared_ptr<const TaskConfig> config)
    : config_(std::move(config)), view_(NewStruct<drover_task_config>()) {
  const TaskConfig& from = *config_;
  env_ = ToPairs(from.env);
  device_env_ = ToPairs(from.device_env);
  for (const Port& port : from.ports) {
    auto to = NewStruct<drover_port>();
    to.value = port.value;
    to.to = port.to;
    to.label = ToStr(port.label);
    to.host_ip = ToStr(port.host_ip);
    ports_.push_back(to);
  }
  for (const TaskMount& mount : from.mounts) {
    auto to = NewStruct<drover_mount>();
    to.read_only = mount.read_only ? 1 : 0;
    to.task_path = ToStr(mount.task_path);
    to.host_path = ToStr(mount.host_path);
    to.propagation = ToStr(mount.propagation);
    mounts_.push_back(to);
  }
  for (const TaskDevice& device : from.devices) {
    auto to = NewStruct<drover_device>();
    to.task_path = ToStr(device.task_path);
    to.host_path = ToStr(device.host_path);
    to.permissions = ToStr(device.permissions);
    devices_.push_back(to);
  }
  view_.logs_disabled = from.log_config.disabled ? 1 : 0;
  view_.run_id = ToRunId(from.run_id);
  view_.id = ToStr(from.id);
  view_.alloc_id = ToStr(from.alloc_id);
  view_.alloc_name = ToStr(from.alloc_name);
  view_.job_id = ToStr(from.job_id);
  view_.job_name = ToStr(from.job_name);
  view_.parent_job_id = ToStr(from.parent_job_id);
  view_.job_namespace = ToStr(from.job_namespace);
  view_.group_name = ToStr(from.group_name);
  view_.task_name = ToStr(from.task_name);
  view_.node_id = ToStr(from.node_id);
  view_.node_name = ToStr(from.node_name);
  view_.env = ToArray(env_);
  view_.device_env = ToArray(device_env_);
  view_.user = ToStr(from.user);
  view_.alloc_dir = ToStr(from.alloc_dir);
  view_.task_dir = ToStr(from.task_dir);
  view_.local_dir = ToStr(from.local_dir);
  view_.secrets_dir = ToStr(from.secrets_dir);
  view_.log_dir = ToStr(from.log_dir);
  view_.driver_config = ToStr(from.driver_config_json);
  view_.log_max_files = from.log_config.max_files;
  view_.log_max_file_size = from.log_config.max_file_size_bytes;
  view_.cpu_mhz = from.resources.cpu_mhz;
  view_.cpu_shares = from.cpu_shares;
  view_.memory_mb = from.resources.memory_mb;
  view_.memory_max_mb = from.resources.memory_max_mb;
  view_.memory_limit = from.memory_limit_bytes;
  view_.ports = ToArray(ports_);
  view_.mounts = ToArray(mounts_);
  view_.devices = ToArray(devices_);
  view_.kill_signal = ToStr(from.kill_signal);
  view_.kill_timeout = from.kill_timeout.count();
  view_.network_mode = ToStr(from.network_mode);
  view_.network_namespace = ToStr(from.network_namespace_path);
  view_.cpu_cores = ToStr(from.cpu_cores);
  view_.cpu_period = kCpuPeriod.count();
  view_.cpu_quota = from.cpu_quota.count();
}

}  // namespace drover
