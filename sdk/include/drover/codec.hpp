// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "drover/types.hpp"

// Between the values of types.hpp and the structs of the C interface. Encoding lends views for the
// time of a callback; decoding copies.
namespace drover {
inline namespace sdk_v0 {
namespace abi {

inline RunId Decode(const drover_run_id& in) {
  RunId out;
  std::memcpy(out.bytes.data(), in.bytes, sizeof in.bytes);
  return out;
}
inline drover_run_id Encode(const RunId& in) {
  drover_run_id out;
  std::memcpy(out.bytes, in.bytes.data(), sizeof out.bytes);
  return out;
}

inline Json DecodeJson(drover_str in) {
  return in.size == 0 ? Json(Json::Object{}) : Json::Parse(View(in));
}

inline std::vector<Port> DecodePorts(const drover_array& in) {
  std::vector<Port> out;
  Each<drover_port>(in, "the ports", [&](const drover_port* raw) {
    drover_port port = Sized(raw, "a port");
    out.push_back(Port{Text(port.label), port.value, port.to, Text(port.host_ip)});
  });
  return out;
}

inline TaskConfig DecodeTaskConfig(const drover_task_config* raw) {
  drover_task_config in = Sized(raw, "the task configuration");
  TaskConfig out;
  out.run_id = Decode(in.run_id);
  out.id = Text(in.id);
  out.alloc_id = Text(in.alloc_id);
  out.alloc_name = Text(in.alloc_name);
  out.job_id = Text(in.job_id);
  out.job_name = Text(in.job_name);
  out.parent_job_id = Text(in.parent_job_id);
  out.job_namespace = Text(in.job_namespace);
  out.group_name = Text(in.group_name);
  out.task_name = Text(in.task_name);
  out.node_id = Text(in.node_id);
  out.node_name = Text(in.node_name);
  out.env = Map(in.env, "the environment");
  out.device_env = Map(in.device_env, "the environment of the devices");
  out.user = Text(in.user);
  out.alloc_dir = Text(in.alloc_dir);
  out.task_dir = Text(in.task_dir);
  out.local_dir = Text(in.local_dir);
  out.secrets_dir = Text(in.secrets_dir);
  out.log_dir = Text(in.log_dir);
  out.driver_config_text = Text(in.driver_config);
  out.driver_config = DecodeJson(in.driver_config);
  out.logs_disabled = in.logs_disabled != 0;
  out.log_max_files = in.log_max_files;
  out.log_max_file_size = in.log_max_file_size;
  out.cpu_mhz = in.cpu_mhz;
  out.cpu_shares = in.cpu_shares;
  out.memory_mb = in.memory_mb;
  out.memory_max_mb = in.memory_max_mb;
  out.memory_limit = in.memory_limit;
  out.ports = DecodePorts(in.ports);
  Each<drover_mount>(in.mounts, "the mounts", [&](const drover_mount* item) {
    drover_mount mount = Sized(item, "a mount");
    out.mounts.push_back(Mount{Text(mount.task_path), Text(mount.host_path), mount.read_only != 0,
                               Text(mount.propagation)});
  });
  Each<drover_device>(in.devices, "the devices", [&](const drover_device* item) {
    drover_device device = Sized(item, "a device");
    out.devices.push_back(
        Device{Text(device.task_path), Text(device.host_path), Text(device.permissions)});
  });
  out.kill_signal = Text(in.kill_signal);
  out.kill_timeout = Duration(in.kill_timeout);
  out.network_mode = Text(in.network_mode);
  out.network_namespace = Text(in.network_namespace);
  return out;
}

inline std::optional<TaskHandle> DecodeHandle(const drover_task_handle* raw) {
  if (raw == nullptr) return std::nullopt;
  drover_task_handle in = Sized(raw, "the handle");
  return TaskHandle{in.format_version, Text(in.state), Text(in.driver_version)};
}

inline ExitResult DecodeExit(const drover_exit_result* raw) {
  drover_exit_result in = Sized(raw, "the exit result");
  return ExitResult{in.exit_code, in.signal, in.oom_killed != 0, Text(in.error)};
}

inline Usage DecodeUsage(const drover_usage* raw) {
  drover_usage in = Sized(raw, "a usage");
  Usage out;
  out.pid = in.pid;
  out.measured = in.measured;
  out.rss = in.rss;
  out.cache = in.cache;
  out.swap = in.swap;
  out.mapped_file = in.mapped_file;
  out.usage = in.usage;
  out.max_usage = in.max_usage;
  out.kernel_usage = in.kernel_usage;
  out.kernel_max_usage = in.kernel_max_usage;
  out.system_mode = in.system_mode;
  out.user_mode = in.user_mode;
  out.percent = in.percent;
  out.total_ticks = in.total_ticks;
  out.throttled_periods = in.throttled_periods;
  out.throttled_time = in.throttled_time;
  return out;
}

inline Stats DecodeStats(const drover_stats* raw) {
  drover_stats in = Sized(raw, "the statistics");
  Stats out;
  out.timestamp = in.timestamp;
  if (in.total != nullptr) out.total = DecodeUsage(in.total);
  Each<drover_usage>(in.processes, "the processes",
                     [&](const drover_usage* item) { out.processes.push_back(DecodeUsage(item)); });
  return out;
}

// ------------------------------------------------------------------- values to structs: each calls
// USE with a pointer that is valid until USE returns.

template <typename Use>
void With(const Empty&, Use&& use) {
  drover_empty_result out = Make<drover_empty_result>();
  use(&out);
}

inline drover_task_handle View(const TaskHandle& in) {
  drover_task_handle out = Make<drover_task_handle>();
  out.format_version = in.format_version;
  out.state = Str(in.state);
  return out;
}

inline drover_exit_result View(const ExitResult& in) {
  drover_exit_result out = Make<drover_exit_result>();
  out.exit_code = in.exit_code;
  out.signal = in.signal;
  out.oom_killed = in.oom_killed ? 1 : 0;
  out.error = Str(in.error);
  return out;
}

template <typename Use>
void With(const ExitResult& in, Use&& use) {
  drover_exit_result out = View(in);
  use(&out);
}

template <typename Use>
void With(const Started& in, Use&& use) {
  drover_start_result out = Make<drover_start_result>();
  drover_task_handle handle = View(in.handle);
  out.handle = &handle;
  drover_driver_network network = Make<drover_driver_network>();
  std::vector<drover_port> ports;
  if (in.network) {
    for (const Port& item : in.network->ports) {
      drover_port port = Make<drover_port>();
      port.label = Str(item.label);
      port.value = item.value;
      port.to = item.to;
      port.host_ip = Str(item.host_ip);
      ports.push_back(port);
    }
    network.ip = Str(in.network->ip);
    network.auto_advertise = in.network->auto_advertise ? 1 : 0;
    network.ports = Array(ports);
    out.network = &network;
  }
  use(&out);
}

template <typename Use>
void With(const Recovered& in, Use&& use) {
  drover_recover_result out = Make<drover_recover_result>();
  drover_task_handle handle = Make<drover_task_handle>();
  drover_exit_result exited = Make<drover_exit_result>();
  out.state = in.exited ? DROVER_TASK_EXITED : DROVER_TASK_RUNNING;
  if (in.handle) {
    handle = View(*in.handle);
    out.handle = &handle;
  }
  if (in.exited) {
    exited = View(*in.exited);
    out.exit_result = &exited;
  }
  use(&out);
}

template <typename Use>
void With(const TaskStatus& in, Use&& use) {
  drover_task_status out = Make<drover_task_status>();
  drover_exit_result exited = Make<drover_exit_result>();
  std::vector<drover_pair> attributes = Pairs(in.attributes);
  out.state = static_cast<std::int32_t>(in.state);
  out.started_at = in.started_at;
  out.completed_at = in.completed_at;
  out.attributes = Array(attributes);
  if (in.exit_result) {
    exited = View(*in.exit_result);
    out.exit_result = &exited;
  }
  use(&out);
}

template <typename Use>
void With(const Fingerprint& in, Use&& use) {
  drover_fingerprint out = Make<drover_fingerprint>();
  std::vector<drover_pair> attributes = Pairs(in.attributes);
  out.type = DROVER_MESSAGE_FINGERPRINT;
  out.health = static_cast<std::int32_t>(in.health);
  out.description = Str(in.description);
  out.attributes = Array(attributes);
  use(&out);
}

template <typename Use>
void With(const Event& in, Use&& use) {
  drover_event out = Make<drover_event>();
  std::vector<drover_pair> annotations = Pairs(in.annotations);
  out.type = DROVER_MESSAGE_EVENT;
  out.run_id = Encode(in.run_id);
  out.message = Str(in.message);
  out.annotations = Array(annotations);
  use(&out);
}

inline drover_usage View(const Usage& in) {
  drover_usage out = Make<drover_usage>();
  out.pid = in.pid;
  out.measured = in.measured;
  out.rss = in.rss;
  out.cache = in.cache;
  out.swap = in.swap;
  out.mapped_file = in.mapped_file;
  out.usage = in.usage;
  out.max_usage = in.max_usage;
  out.kernel_usage = in.kernel_usage;
  out.kernel_max_usage = in.kernel_max_usage;
  out.system_mode = in.system_mode;
  out.user_mode = in.user_mode;
  out.percent = in.percent;
  out.total_ticks = in.total_ticks;
  out.throttled_periods = in.throttled_periods;
  out.throttled_time = in.throttled_time;
  return out;
}

template <typename Use>
void With(const Stats& in, Use&& use) {
  drover_stats out = Make<drover_stats>();
  drover_usage total = View(in.total);
  std::vector<drover_usage> processes;
  for (const Usage& item : in.processes) processes.push_back(View(item));
  out.type = DROVER_MESSAGE_STATS;
  out.timestamp = in.timestamp;
  out.total = &total;
  out.processes = Array(processes);
  use(&out);
}

}  // namespace abi
}  // namespace sdk_v0
}  // namespace drover
