// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drover/drover.h"

// Fields() lists the members of each ABI struct that carries data. It calls a visitor V like this:
//   v(field)             for numbers, drover_str, drover_run_id and drover_fd,
//   v.Array<T>(field)    for a drover_array of T,
//   v.Pointer(field)     for a pointer to another such struct, which may be null.
// The lists omit struct_size, which a visitor handles itself. They include the members "reserved",
// so that a list covers every byte of its struct. A test fails if a list lacks a member.
namespace drover {

template <typename V>
void Fields(V& v, drover_str& s) {
  v(s);
}
template <typename V>
void Fields(V& v, drover_run_id& s) {
  v(s);
}
template <typename V>
void Fields(V& v, drover_pair& s) {
  v(s.key), v(s.value);
}
template <typename V>
void Fields(V& v, drover_info& s) {
  v(s.fs_isolation), v(s.name), v(s.version), v(s.offers), v(s.needs);
  v(s.config_schema), v(s.task_config_schema);
}
template <typename V>
void Fields(V& v, drover_port& s) {
  v(s.value), v(s.to), v(s.reserved), v(s.label), v(s.host_ip);
}
template <typename V>
void Fields(V& v, drover_mount& s) {
  v(s.read_only), v(s.task_path), v(s.host_path), v(s.propagation);
}
template <typename V>
void Fields(V& v, drover_device& s) {
  v(s.reserved), v(s.task_path), v(s.host_path), v(s.permissions);
}
template <typename V>
void Fields(V& v, drover_task_config& s) {
  v(s.logs_disabled), v(s.run_id), v(s.id), v(s.alloc_id), v(s.alloc_name), v(s.job_id);
  v(s.job_name), v(s.parent_job_id), v(s.job_namespace), v(s.group_name), v(s.task_name);
  v(s.node_id), v(s.node_name);
  v.template Array<drover_pair>(s.env), v.template Array<drover_pair>(s.device_env);
  v(s.user), v(s.alloc_dir), v(s.task_dir), v(s.local_dir), v(s.secrets_dir), v(s.log_dir);
  v(s.driver_config), v(s.log_max_files), v(s.log_max_file_size), v(s.cpu_mhz), v(s.cpu_shares);
  v(s.memory_mb), v(s.memory_max_mb), v(s.memory_limit);
  v.template Array<drover_port>(s.ports), v.template Array<drover_mount>(s.mounts);
  v.template Array<drover_device>(s.devices);
  v(s.kill_signal), v(s.kill_timeout), v(s.network_mode), v(s.network_namespace);
  v(s.cpu_cores), v(s.cpu_period), v(s.cpu_quota), v(s.hostname);
  v.template Array<drover_pair>(s.labels), v.template Array<drover_str>(s.dns_servers);
  v.template Array<drover_str>(s.dns_searches), v.template Array<drover_str>(s.dns_options);
}
template <typename V>
void Fields(V& v, drover_task_handle& s) {
  v(s.format_version), v(s.driver_version), v(s.state);
}
template <typename V>
void Fields(V& v, drover_driver_network& s) {
  v(s.auto_advertise), v(s.ip), v.template Array<drover_port>(s.ports);
}
template <typename V>
void Fields(V& v, drover_exit_result& s) {
  v(s.exit_code), v(s.signal), v(s.oom_killed), v(s.error);
}
template <typename V>
void Fields(V& v, drover_task_status& s) {
  v(s.state), v(s.started_at), v(s.completed_at), v.Pointer(s.exit_result);
  v.template Array<drover_pair>(s.attributes);
}
template <typename V>
void Fields(V& v, drover_call& s) {
  v(s.reserved), v(s.id), v(s.run_id), v(s.deadline);
}
template <typename V>
void Fields(V& v, drover_create_args& s) {
  v(s.reserved), v(s.config);
}
template <typename V>
void Fields(V& v, drover_configure_args& s) {
  v(s.reserved), v(s.config);
}
template <typename V>
void Fields(V& v, drover_start_args& s) {
  v(s.reserved), v.Pointer(s.config);
}
template <typename V>
void Fields(V& v, drover_start_result& s) {
  v(s.reserved), v.Pointer(s.handle), v.Pointer(s.network);
}
template <typename V>
void Fields(V& v, drover_recover_args& s) {
  v(s.reserved), v.Pointer(s.config), v.Pointer(s.handle);
}
template <typename V>
void Fields(V& v, drover_recover_result& s) {
  v(s.state), v.Pointer(s.handle), v.Pointer(s.exit_result);
}
template <typename V>
void Fields(V& v, drover_wait_args& s) {
  v(s.reserved);
}
template <typename V>
void Fields(V& v, drover_stop_args& s) {
  v(s.reserved), v(s.timeout), v(s.signal);
}
template <typename V>
void Fields(V& v, drover_signal_args& s) {
  v(s.reserved), v(s.name);
}
template <typename V>
void Fields(V& v, drover_destroy_args& s) {
  v(s.force);
}
template <typename V>
void Fields(V& v, drover_inspect_args& s) {
  v(s.reserved);
}
template <typename V>
void Fields(V& v, drover_restore_complete_args& s) {
  v(s.reserved), v.template Array<drover_run_id>(s.run_ids);
}
template <typename V>
void Fields(V& v, drover_shutdown_args& s) {
  v(s.reserved);
}
template <typename V>
void Fields(V& v, drover_empty_result& s) {
  v(s.reserved);
}
template <typename V>
void Fields(V& v, drover_fingerprint& s) {
  v(s.type), v(s.health), v(s.reserved), v(s.description);
  v.template Array<drover_pair>(s.attributes);
}
template <typename V>
void Fields(V& v, drover_event& s) {
  v(s.type), v(s.run_id), v(s.message), v.template Array<drover_pair>(s.annotations);
}
template <typename V>
void Fields(V& v, drover_usage& s) {
  v(s.pid), v(s.measured), v(s.rss), v(s.cache), v(s.swap), v(s.mapped_file), v(s.usage);
  v(s.max_usage), v(s.kernel_usage), v(s.kernel_max_usage), v(s.system_mode), v(s.user_mode);
  v(s.percent), v(s.total_ticks), v(s.throttled_periods), v(s.throttled_time);
}
template <typename V>
void Fields(V& v, drover_stats& s) {
  v(s.type), v(s.timestamp), v.Pointer(s.total), v.template Array<drover_usage>(s.processes);
}
template <typename V>
void Fields(V& v, drover_stats_args& s) {
  v(s.flags), v(s.interval);
}
template <typename V>
void Fields(V& v, drover_exec_args& s) {
  v(s.tty), v.template Array<drover_str>(s.command), v(s.width), v(s.height);
  v(s.input), v(s.output), v(s.error);
}
template <typename V>
void Fields(V& v, drover_isolation& s) {
  v(s.flags), v.template Array<drover_str>(s.capabilities);
  v.template Array<drover_str>(s.ambient_capabilities);
  v.template Array<drover_pair>(s.root_paths), v(s.max_processes);
}
template <typename V>
void Fields(V& v, drover_process_start_args& s) {
  v(s.oom_score_adj), v.template Array<drover_str>(s.argv), v.template Array<drover_pair>(s.env);
  v(s.work_dir), v(s.user), v.Pointer(s.isolation), v(s.cgroup);
  v.template Array<drover_pair>(s.v1_cgroups);
}
template <typename V>
void Fields(V& v, drover_process_info& s) {
  v(s.pid);
}
template <typename V>
void Fields(V& v, drover_process_none_args& s) {
  v(s.reserved);
}
template <typename V>
void Fields(V& v, drover_process_usage_args& s) {
  v(s.flags);
}
template <typename V>
void Fields(V& v, drover_process_signal_args& s) {
  v(s.number);
}
template <typename V>
void Fields(V& v, drover_process_stop_args& s) {
  v(s.number), v(s.timeout);
}
template <typename V>
void Fields(V& v, drover_process_state& s) {
  v(s.state), v(s.pid), v(s.reserved), v(s.started_at), v.Pointer(s.exit_result);
}
template <typename V>
void Fields(V& v, drover_task_output_pipes& s) {
  v(s.reserved), v(s.output), v(s.error);
}

}  // namespace drover
