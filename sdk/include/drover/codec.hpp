// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "drover/types.hpp"

// Converts between the values of types.hpp and the structs of the C interface. An encoded struct
// points into the value, and is valid only until the callback that gets it returns. Decoding copies
// all data.
namespace drover {
inline namespace sdk_v1 {
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

DROVER_SDK_ONCE inline std::vector<Port> DecodePorts(const drover_array& in) {
  std::vector<Port> out;
  Each<drover_port>(in, "the ports", [&](const drover_port* raw) {
    drover_port port = Sized(raw, "a port");
    out.push_back(Port{Text(port.label), port.value, port.to, Text(port.host_ip)});
  });
  return out;
}

// A field of a C struct and the matching member of the C++ value. A loop over a list of Pairs
// copies all fields of the list, in either direction.
template <typename Raw, typename RawField, typename Value, typename Field>
struct Pair {
  RawField Raw::* raw;
  Field Value::* value;
};

using TaskText = Pair<drover_task_config, drover_str, TaskConfig, std::string>;
inline constexpr TaskText kTaskTexts[] = {
#define DROVER_SDK_FIELD(name) {&drover_task_config::name, &TaskConfig::name}
    DROVER_SDK_FIELD(id),
    DROVER_SDK_FIELD(alloc_id),
    DROVER_SDK_FIELD(alloc_name),
    DROVER_SDK_FIELD(job_id),
    DROVER_SDK_FIELD(job_name),
    DROVER_SDK_FIELD(parent_job_id),
    DROVER_SDK_FIELD(job_namespace),
    DROVER_SDK_FIELD(group_name),
    DROVER_SDK_FIELD(task_name),
    DROVER_SDK_FIELD(node_id),
    DROVER_SDK_FIELD(node_name),
    DROVER_SDK_FIELD(user),
    DROVER_SDK_FIELD(alloc_dir),
    DROVER_SDK_FIELD(task_dir),
    DROVER_SDK_FIELD(local_dir),
    DROVER_SDK_FIELD(secrets_dir),
    DROVER_SDK_FIELD(log_dir),
    DROVER_SDK_FIELD(kill_signal),
    DROVER_SDK_FIELD(network_mode),
    DROVER_SDK_FIELD(network_namespace),
    DROVER_SDK_FIELD(cpu_cores),
    DROVER_SDK_FIELD(hostname)};
using TaskNumber = Pair<drover_task_config, std::int64_t, TaskConfig, std::int64_t>;
inline constexpr TaskNumber kTaskNumbers[] = {
    DROVER_SDK_FIELD(log_max_files), DROVER_SDK_FIELD(log_max_file_size),
    DROVER_SDK_FIELD(cpu_mhz),       DROVER_SDK_FIELD(cpu_shares),
    DROVER_SDK_FIELD(memory_mb),     DROVER_SDK_FIELD(memory_max_mb),
    DROVER_SDK_FIELD(memory_limit)};
#undef DROVER_SDK_FIELD

DROVER_SDK_ONCE inline std::vector<std::string> DecodeTexts(const drover_array& in,
                                                            const char* what) {
  std::vector<std::string> out;
  EachFixed<drover_str>(in, what, [&](const drover_str* text) { out.push_back(Text(*text)); });
  return out;
}

DROVER_SDK_ONCE inline TaskConfig DecodeTaskConfig(const drover_task_config* raw) {
  drover_task_config in = Sized(raw, "the task configuration");
  TaskConfig out;
  for (const TaskText& field : kTaskTexts) out.*field.value = Text(in.*field.raw);
  for (const TaskNumber& field : kTaskNumbers) out.*field.value = in.*field.raw;
  out.run_id = Decode(in.run_id);
  out.env = Map(in.env, "the environment");
  out.device_env = Map(in.device_env, "the environment of the devices");
  out.driver_config_text = Text(in.driver_config);
  out.driver_config = DecodeJson(in.driver_config);
  out.logs_disabled = in.logs_disabled != 0;
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
  out.kill_timeout = Duration(in.kill_timeout);
  out.cpu_period = Duration(in.cpu_period);
  out.cpu_quota = Duration(in.cpu_quota);
  out.labels = Map(in.labels, "the labels");
  out.dns_servers = DecodeTexts(in.dns_servers, "the name servers");
  out.dns_searches = DecodeTexts(in.dns_searches, "the search domains");
  out.dns_options = DecodeTexts(in.dns_options, "the resolver options");
  return out;
}

DROVER_SDK_ONCE inline std::optional<TaskHandle> DecodeHandle(const drover_task_handle* raw) {
  if (raw == nullptr) return std::nullopt;
  drover_task_handle in = Sized(raw, "the handle");
  return TaskHandle{in.format_version, Text(in.state), Text(in.driver_version)};
}

DROVER_SDK_ONCE inline ExitResult DecodeExit(const drover_exit_result* raw) {
  drover_exit_result in = Sized(raw, "the exit result");
  return ExitResult{in.exit_code, in.signal, in.oom_killed != 0, Text(in.error)};
}

using UsageCount = Pair<drover_usage, std::uint64_t, Usage, std::uint64_t>;
inline constexpr UsageCount kUsageCounts[] = {
#define DROVER_SDK_FIELD(name) {&drover_usage::name, &Usage::name}
    DROVER_SDK_FIELD(measured),
    DROVER_SDK_FIELD(rss),
    DROVER_SDK_FIELD(cache),
    DROVER_SDK_FIELD(swap),
    DROVER_SDK_FIELD(mapped_file),
    DROVER_SDK_FIELD(usage),
    DROVER_SDK_FIELD(max_usage),
    DROVER_SDK_FIELD(kernel_usage),
    DROVER_SDK_FIELD(kernel_max_usage),
    DROVER_SDK_FIELD(throttled_periods),
    DROVER_SDK_FIELD(throttled_time)};
using UsageShare = Pair<drover_usage, double, Usage, double>;
inline constexpr UsageShare kUsageShares[] = {
    DROVER_SDK_FIELD(system_mode), DROVER_SDK_FIELD(user_mode), DROVER_SDK_FIELD(percent),
    DROVER_SDK_FIELD(total_ticks)};
#undef DROVER_SDK_FIELD

DROVER_SDK_ONCE inline Usage DecodeUsage(const drover_usage* raw) {
  drover_usage in = Sized(raw, "a usage");
  Usage out;
  out.pid = in.pid;
  for (const UsageCount& field : kUsageCounts) out.*field.value = in.*field.raw;
  for (const UsageShare& field : kUsageShares) out.*field.value = in.*field.raw;
  return out;
}

DROVER_SDK_ONCE inline Stats DecodeStats(const drover_stats* raw) {
  drover_stats in = Sized(raw, "the statistics");
  Stats out;
  out.timestamp = in.timestamp;
  if (in.total != nullptr) out.total = DecodeUsage(in.total);
  Each<drover_usage>(in.processes, "the processes",
                     [&](const drover_usage* item) { out.processes.push_back(DecodeUsage(item)); });
  return out;
}

// ------------------------------------------------------------------------------ values to structs
// Each overload of With converts a value to a C struct and calls USE with a pointer to the struct.
// The pointer is valid until USE returns.

DROVER_SDK_ONCE inline void With(const Empty&, Ref<const void*> use) {
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

DROVER_SDK_ONCE inline void With(const ExitResult& in, Ref<const void*> use) {
  drover_exit_result out = View(in);
  use(&out);
}

DROVER_SDK_ONCE inline void With(const Started& in, Ref<const void*> use) {
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

DROVER_SDK_ONCE inline void With(const Recovered& in, Ref<const void*> use) {
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

DROVER_SDK_ONCE inline void With(const TaskStatus& in, Ref<const void*> use) {
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

DROVER_SDK_ONCE inline void With(const Fingerprint& in, Ref<const void*> use) {
  drover_fingerprint out = Make<drover_fingerprint>();
  std::vector<drover_pair> attributes = Pairs(in.attributes);
  out.type = DROVER_MESSAGE_FINGERPRINT;
  out.health = static_cast<std::int32_t>(in.health);
  out.description = Str(in.description);
  out.attributes = Array(attributes);
  use(&out);
}

DROVER_SDK_ONCE inline void With(const Event& in, Ref<const void*> use) {
  drover_event out = Make<drover_event>();
  std::vector<drover_pair> annotations = Pairs(in.annotations);
  out.type = DROVER_MESSAGE_EVENT;
  out.run_id = Encode(in.run_id);
  out.message = Str(in.message);
  out.annotations = Array(annotations);
  use(&out);
}

DROVER_SDK_ONCE inline drover_usage View(const Usage& in) {
  drover_usage out = Make<drover_usage>();
  out.pid = in.pid;
  for (const UsageCount& field : kUsageCounts) out.*field.raw = in.*field.value;
  for (const UsageShare& field : kUsageShares) out.*field.raw = in.*field.value;
  return out;
}

DROVER_SDK_ONCE inline void With(const Stats& in, Ref<const void*> use) {
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
}  // namespace sdk_v1
}  // namespace drover
