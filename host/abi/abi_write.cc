// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/abi_write.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "host/abi/abi_names.h"

namespace drover {
namespace {

std::vector<drover_pair> ToPairs(const StringMap& map) {
  std::vector<drover_pair> pairs;
  pairs.reserve(map.size());
  for (const auto& [key, value] : map) pairs.push_back({ToStr(key), ToStr(value)});
  return pairs;
}

std::vector<drover_str> ToStrs(const std::vector<std::string>& texts) {
  std::vector<drover_str> strs;
  strs.reserve(texts.size());
  for (const std::string& text : texts) strs.push_back(ToStr(text));
  return strs;
}

// The members of TaskConfig that are texts, each with its member in the struct of the C header.
constexpr std::pair<std::string TaskConfig::*, drover_str drover_task_config::*> kTaskTexts[] = {
    {&TaskConfig::id, &drover_task_config::id},
    {&TaskConfig::alloc_id, &drover_task_config::alloc_id},
    {&TaskConfig::alloc_name, &drover_task_config::alloc_name},
    {&TaskConfig::job_id, &drover_task_config::job_id},
    {&TaskConfig::job_name, &drover_task_config::job_name},
    {&TaskConfig::parent_job_id, &drover_task_config::parent_job_id},
    {&TaskConfig::job_namespace, &drover_task_config::job_namespace},
    {&TaskConfig::group_name, &drover_task_config::group_name},
    {&TaskConfig::task_name, &drover_task_config::task_name},
    {&TaskConfig::node_id, &drover_task_config::node_id},
    {&TaskConfig::node_name, &drover_task_config::node_name},
    {&TaskConfig::user, &drover_task_config::user},
    {&TaskConfig::alloc_dir, &drover_task_config::alloc_dir},
    {&TaskConfig::task_dir, &drover_task_config::task_dir},
    {&TaskConfig::local_dir, &drover_task_config::local_dir},
    {&TaskConfig::secrets_dir, &drover_task_config::secrets_dir},
    {&TaskConfig::log_dir, &drover_task_config::log_dir},
    {&TaskConfig::driver_config_json, &drover_task_config::driver_config},
    {&TaskConfig::kill_signal, &drover_task_config::kill_signal},
    {&TaskConfig::network_mode, &drover_task_config::network_mode},
    {&TaskConfig::network_namespace_path, &drover_task_config::network_namespace},
    {&TaskConfig::cpu_cores, &drover_task_config::cpu_cores},
    {&TaskConfig::hostname, &drover_task_config::hostname},
};

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
  made.struct_size = room;  // room is the struct_size that the driver had set in OUT
  made.code = static_cast<std::int32_t>(error.code());
  made.flags = error.recoverable() ? DROVER_ERROR_RECOVERABLE : 0;
  constexpr std::size_t kHead = offsetof(drover_error, message);
  if (room > kHead) {
    std::size_t size = std::min<std::size_t>(
        {error.message().size(), room - kHead, std::size_t{DROVER_ERROR_MESSAGE_MAX}});
    // The message must not be cut in the middle of a UTF-8 character.
    while (size > 0 && size < error.message().size() &&
           (static_cast<unsigned char>(error.message()[size]) & 0xc0) == 0x80) {
      --size;
    }
    made.message_size = static_cast<std::uint32_t>(size);
    std::memcpy(made.message, error.message().data(), size);
  }
  std::memcpy(out, &made, std::min<std::size_t>(room, sizeof made));
}

std::int32_t Refuse(const Error& error, drover_error* out) {
  WriteError(error, out);
  return static_cast<std::int32_t>(error.code());
}

TaskConfigView::TaskConfigView(std::shared_ptr<const TaskConfig> config)
    : config_(std::move(config)), view_(NewStruct<drover_task_config>()) {
  const TaskConfig& from = *config_;
  env_ = ToPairs(from.env);
  device_env_ = ToPairs(from.device_env);
  labels_ = ToPairs(from.labels);
  dns_servers_ = ToStrs(from.dns.servers);
  dns_searches_ = ToStrs(from.dns.searches);
  dns_options_ = ToStrs(from.dns.options);
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
  for (const auto& [text, to] : kTaskTexts) view_.*to = ToStr(from.*text);
  view_.run_id = ToRunId(from.run_id);
  view_.env = ToArray(env_);
  view_.device_env = ToArray(device_env_);
  view_.ports = ToArray(ports_);
  view_.mounts = ToArray(mounts_);
  view_.devices = ToArray(devices_);
  view_.labels = ToArray(labels_);
  view_.dns_servers = ToArray(dns_servers_);
  view_.dns_searches = ToArray(dns_searches_);
  view_.dns_options = ToArray(dns_options_);
  view_.logs_disabled = from.log_config.disabled ? 1 : 0;
  view_.log_max_files = from.log_config.max_files;
  view_.log_max_file_size = from.log_config.max_file_size_bytes;
  view_.cpu_mhz = from.resources.cpu_mhz;
  view_.cpu_shares = from.cpu_shares;
  view_.cpu_period = kCpuPeriod.count();
  view_.cpu_quota = from.cpu_quota.count();
  view_.memory_mb = from.resources.memory_mb;
  view_.memory_max_mb = from.resources.memory_max_mb;
  view_.memory_limit = from.memory_limit_bytes;
  view_.kill_timeout = from.kill_timeout.count();
}

}  // namespace drover
