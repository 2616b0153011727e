/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of every struct of the interface on 64-bit Linux. A line here that fails to compile
 * means that the interface has changed: members may only be added at the end of a struct, with a
 * new line here and a new DROVER_ABI_MINOR. Compiled as C and as C++.
 */
#include "layout.h"

#include "drover/drover.h"

CHECK(sizeof(void*) == 8);
CHECK(DROVER_ABI_MAJOR == 1);

AT(drover_str, data, 0);
AT(drover_str, size, 8);
END(drover_str, size, 16);

AT(drover_error, struct_size, 0);
AT(drover_error, code, 4);
AT(drover_error, flags, 8);
AT(drover_error, message_size, 12);
AT(drover_error, message, 16);
END(drover_error, message, 1016);

AT(drover_info, struct_size, 0);
AT(drover_info, fs_isolation, 4);
AT(drover_info, name, 8);
AT(drover_info, version, 24);
AT(drover_info, offers, 40);
AT(drover_info, needs, 48);
AT(drover_info, config_schema, 56);
AT(drover_info, task_config_schema, 72);
END(drover_info, task_config_schema, 88);

AT(drover_port, struct_size, 0);
AT(drover_port, value, 4);
AT(drover_port, to, 8);
AT(drover_port, reserved, 12);
AT(drover_port, label, 16);
AT(drover_port, host_ip, 32);
END(drover_port, host_ip, 48);

AT(drover_mount, struct_size, 0);
AT(drover_mount, read_only, 4);
AT(drover_mount, task_path, 8);
AT(drover_mount, host_path, 24);
AT(drover_mount, propagation, 40);
END(drover_mount, propagation, 56);

AT(drover_device, struct_size, 0);
AT(drover_device, reserved, 4);
AT(drover_device, task_path, 8);
AT(drover_device, host_path, 24);
AT(drover_device, permissions, 40);
END(drover_device, permissions, 56);

AT(drover_run_id, bytes, 0);
END(drover_run_id, bytes, 16);

AT(drover_array, data, 0);
AT(drover_array, count, 8);
AT(drover_array, element_size, 16);
END(drover_array, element_size, 24);

AT(drover_task_config, struct_size, 0);
AT(drover_task_config, logs_disabled, 4);
AT(drover_task_config, run_id, 8);
AT(drover_task_config, id, 24);
AT(drover_task_config, alloc_id, 40);
AT(drover_task_config, alloc_name, 56);
AT(drover_task_config, job_id, 72);
AT(drover_task_config, job_name, 88);
AT(drover_task_config, parent_job_id, 104);
AT(drover_task_config, job_namespace, 120);
AT(drover_task_config, group_name, 136);
AT(drover_task_config, task_name, 152);
AT(drover_task_config, node_id, 168);
AT(drover_task_config, node_name, 184);
AT(drover_task_config, env, 200);
AT(drover_task_config, device_env, 224);
AT(drover_task_config, user, 248);
AT(drover_task_config, alloc_dir, 264);
AT(drover_task_config, task_dir, 280);
AT(drover_task_config, local_dir, 296);
AT(drover_task_config, secrets_dir, 312);
AT(drover_task_config, log_dir, 328);
AT(drover_task_config, driver_config, 344);
AT(drover_task_config, log_max_files, 360);
AT(drover_task_config, log_max_file_size, 368);
AT(drover_task_config, cpu_mhz, 376);
AT(drover_task_config, cpu_shares, 384);
AT(drover_task_config, memory_mb, 392);
AT(drover_task_config, memory_max_mb, 400);
AT(drover_task_config, memory_limit, 408);
AT(drover_task_config, ports, 416);
AT(drover_task_config, mounts, 440);
AT(drover_task_config, devices, 464);
AT(drover_task_config, kill_signal, 488);
AT(drover_task_config, kill_timeout, 504);
AT(drover_task_config, network_mode, 512);
AT(drover_task_config, network_namespace, 528);
AT(drover_task_config, cpu_cores, 544);
AT(drover_task_config, cpu_period, 560);
AT(drover_task_config, cpu_quota, 568);
AT(drover_task_config, hostname, 576);
AT(drover_task_config, labels, 592);
AT(drover_task_config, dns_servers, 616);
AT(drover_task_config, dns_searches, 640);
AT(drover_task_config, dns_options, 664);
END(drover_task_config, dns_options, 688);

AT(drover_task_handle, struct_size, 0);
AT(drover_task_handle, format_version, 4);
AT(drover_task_handle, driver_version, 8);
AT(drover_task_handle, state, 24);
END(drover_task_handle, state, 40);

AT(drover_driver_network, struct_size, 0);
AT(drover_driver_network, auto_advertise, 4);
AT(drover_driver_network, ip, 8);
AT(drover_driver_network, ports, 24);
END(drover_driver_network, ports, 48);

AT(drover_exit_result, struct_size, 0);
AT(drover_exit_result, exit_code, 4);
AT(drover_exit_result, signal, 8);
AT(drover_exit_result, oom_killed, 12);
AT(drover_exit_result, error, 16);
END(drover_exit_result, error, 32);

AT(drover_task_status, struct_size, 0);
AT(drover_task_status, state, 4);
AT(drover_task_status, started_at, 8);
AT(drover_task_status, completed_at, 16);
AT(drover_task_status, exit_result, 24);
AT(drover_task_status, attributes, 32);
END(drover_task_status, attributes, 56);

AT(drover_call, struct_size, 0);
AT(drover_call, reserved, 4);
AT(drover_call, id, 8);
AT(drover_call, run_id, 16);
AT(drover_call, deadline, 32);
END(drover_call, deadline, 40);

AT(drover_create_args, struct_size, 0);
AT(drover_create_args, reserved, 4);
AT(drover_create_args, config, 8);
END(drover_create_args, config, 24);

AT(drover_create_result, struct_size, 0);
AT(drover_create_result, reserved, 4);
AT(drover_create_result, instance, 8);
AT(drover_create_result, info, 16);
END(drover_create_result, info, 24);

AT(drover_configure_args, struct_size, 0);
AT(drover_configure_args, reserved, 4);
AT(drover_configure_args, config, 8);
END(drover_configure_args, config, 24);

AT(drover_start_args, struct_size, 0);
AT(drover_start_args, reserved, 4);
AT(drover_start_args, config, 8);
END(drover_start_args, config, 16);

AT(drover_start_result, struct_size, 0);
AT(drover_start_result, reserved, 4);
AT(drover_start_result, handle, 8);
AT(drover_start_result, network, 16);
END(drover_start_result, network, 24);

AT(drover_recover_args, struct_size, 0);
AT(drover_recover_args, reserved, 4);
AT(drover_recover_args, config, 8);
AT(drover_recover_args, handle, 16);
END(drover_recover_args, handle, 24);

AT(drover_recover_result, struct_size, 0);
AT(drover_recover_result, state, 4);
AT(drover_recover_result, handle, 8);
AT(drover_recover_result, exit_result, 16);
END(drover_recover_result, exit_result, 24);

AT(drover_wait_args, struct_size, 0);
AT(drover_wait_args, reserved, 4);
END(drover_wait_args, reserved, 8);

AT(drover_stop_args, struct_size, 0);
AT(drover_stop_args, reserved, 4);
AT(drover_stop_args, timeout, 8);
AT(drover_stop_args, signal, 16);
END(drover_stop_args, signal, 32);

AT(drover_signal_args, struct_size, 0);
AT(drover_signal_args, reserved, 4);
AT(drover_signal_args, name, 8);
END(drover_signal_args, name, 24);

AT(drover_destroy_args, struct_size, 0);
AT(drover_destroy_args, force, 4);
END(drover_destroy_args, force, 8);

AT(drover_inspect_args, struct_size, 0);
AT(drover_inspect_args, reserved, 4);
END(drover_inspect_args, reserved, 8);

AT(drover_restore_complete_args, struct_size, 0);
AT(drover_restore_complete_args, reserved, 4);
AT(drover_restore_complete_args, run_ids, 8);
END(drover_restore_complete_args, run_ids, 32);

AT(drover_shutdown_args, struct_size, 0);
AT(drover_shutdown_args, reserved, 4);
END(drover_shutdown_args, reserved, 8);

AT(drover_empty_result, struct_size, 0);
AT(drover_empty_result, reserved, 4);
END(drover_empty_result, reserved, 8);

AT(drover_message, struct_size, 0);
AT(drover_message, type, 4);
END(drover_message, type, 8);

AT(drover_fingerprint, struct_size, 0);
AT(drover_fingerprint, type, 4);
AT(drover_fingerprint, health, 8);
AT(drover_fingerprint, reserved, 12);
AT(drover_fingerprint, description, 16);
AT(drover_fingerprint, attributes, 32);
END(drover_fingerprint, attributes, 56);

AT(drover_event, struct_size, 0);
AT(drover_event, type, 4);
AT(drover_event, run_id, 8);
AT(drover_event, message, 24);
AT(drover_event, annotations, 40);
END(drover_event, annotations, 64);

AT(drover_usage, struct_size, 0);
AT(drover_usage, pid, 4);
AT(drover_usage, measured, 8);
AT(drover_usage, rss, 16);
AT(drover_usage, cache, 24);
AT(drover_usage, swap, 32);
AT(drover_usage, mapped_file, 40);
AT(drover_usage, usage, 48);
AT(drover_usage, max_usage, 56);
AT(drover_usage, kernel_usage, 64);
AT(drover_usage, kernel_max_usage, 72);
AT(drover_usage, system_mode, 80);
AT(drover_usage, user_mode, 88);
AT(drover_usage, percent, 96);
AT(drover_usage, total_ticks, 104);
AT(drover_usage, throttled_periods, 112);
AT(drover_usage, throttled_time, 120);
END(drover_usage, throttled_time, 128);

AT(drover_stats, struct_size, 0);
AT(drover_stats, type, 4);
AT(drover_stats, timestamp, 8);
AT(drover_stats, total, 16);
AT(drover_stats, processes, 24);
END(drover_stats, processes, 48);

AT(drover_host, struct_size, 0);
AT(drover_host, abi_minor, 4);
AT(drover_host, get_extension, 8);
AT(drover_host, complete, 16);
AT(drover_host, call_is_cancelled, 24);
AT(drover_host, call_cancel_fd, 32);
AT(drover_host, stream_send, 40);
AT(drover_host, stream_end, 48);
END(drover_host, stream_end, 56);

AT(drover_driver, struct_size, 0);
AT(drover_driver, abi_major, 4);
AT(drover_driver, min_host_minor, 8);
AT(drover_driver, reserved, 12);
AT(drover_driver, info, 16);
AT(drover_driver, create, 24);
AT(drover_driver, get_extension, 32);
AT(drover_driver, configure, 40);
AT(drover_driver, start, 48);
AT(drover_driver, recover, 56);
AT(drover_driver, wait, 64);
AT(drover_driver, stop, 72);
AT(drover_driver, signal, 80);
AT(drover_driver, destroy, 88);
AT(drover_driver, inspect, 96);
AT(drover_driver, restore_complete, 104);
AT(drover_driver, shutdown, 112);
AT(drover_driver, fingerprint, 120);
AT(drover_driver, events, 128);
AT(drover_driver, stream_cancel, 136);
AT(drover_driver, stream_join, 144);
AT(drover_driver, call_cancelled, 152);
END(drover_driver, call_cancelled, 160);

AT(drover_stats_args, struct_size, 0);
AT(drover_stats_args, flags, 4);
AT(drover_stats_args, interval, 8);
END(drover_stats_args, interval, 16);

AT(drover_task_stats, struct_size, 0);
AT(drover_task_stats, reserved, 4);
AT(drover_task_stats, stats, 8);
END(drover_task_stats, stats, 16);

AT(drover_fd, fd, 0);
AT(drover_fd, ownership, 4);
END(drover_fd, ownership, 8);

AT(drover_exec_args, struct_size, 0);
AT(drover_exec_args, tty, 4);
AT(drover_exec_args, command, 8);
AT(drover_exec_args, width, 32);
AT(drover_exec_args, height, 36);
AT(drover_exec_args, input, 40);
AT(drover_exec_args, output, 48);
AT(drover_exec_args, error, 56);
END(drover_exec_args, error, 64);

AT(drover_task_exec, struct_size, 0);
AT(drover_task_exec, reserved, 4);
AT(drover_task_exec, exec, 8);
AT(drover_task_exec, resize, 16);
END(drover_task_exec, resize, 24);

AT(drover_isolation, struct_size, 0);
AT(drover_isolation, flags, 4);
AT(drover_isolation, capabilities, 8);
AT(drover_isolation, ambient_capabilities, 32);
AT(drover_isolation, root_paths, 56);
AT(drover_isolation, max_processes, 80);
END(drover_isolation, max_processes, 88);

AT(drover_process_start_args, struct_size, 0);
AT(drover_process_start_args, oom_score_adj, 4);
AT(drover_process_start_args, argv, 8);
AT(drover_process_start_args, env, 32);
AT(drover_process_start_args, work_dir, 56);
AT(drover_process_start_args, user, 72);
AT(drover_process_start_args, isolation, 88);
AT(drover_process_start_args, cgroup, 96);
AT(drover_process_start_args, v1_cgroups, 112);
END(drover_process_start_args, v1_cgroups, 136);

AT(drover_process_info, struct_size, 0);
AT(drover_process_info, pid, 4);
END(drover_process_info, pid, 8);

AT(drover_process_none_args, struct_size, 0);
AT(drover_process_none_args, reserved, 4);
END(drover_process_none_args, reserved, 8);

AT(drover_process_usage_args, struct_size, 0);
AT(drover_process_usage_args, flags, 4);
END(drover_process_usage_args, flags, 8);

AT(drover_process_signal_args, struct_size, 0);
AT(drover_process_signal_args, number, 4);
END(drover_process_signal_args, number, 8);

AT(drover_process_stop_args, struct_size, 0);
AT(drover_process_stop_args, number, 4);
AT(drover_process_stop_args, timeout, 8);
END(drover_process_stop_args, timeout, 16);

AT(drover_process_state, struct_size, 0);
AT(drover_process_state, state, 4);
AT(drover_process_state, pid, 8);
AT(drover_process_state, reserved, 12);
AT(drover_process_state, started_at, 16);
AT(drover_process_state, exit_result, 24);
END(drover_process_state, exit_result, 32);

AT(drover_process, struct_size, 0);
AT(drover_process, reserved, 4);
AT(drover_process, start, 8);
AT(drover_process, attach, 16);
AT(drover_process, wait, 24);
AT(drover_process, signal, 32);
AT(drover_process, stop, 40);
AT(drover_process, kill, 48);
AT(drover_process, release, 56);
AT(drover_process, usage, 64);
AT(drover_process, exec, 72);
AT(drover_process, exec_resize, 80);
AT(drover_process, exec_end, 88);
END(drover_process, exec_end, 96);

AT(drover_task_output_pipes, struct_size, 0);
AT(drover_task_output_pipes, reserved, 4);
AT(drover_task_output_pipes, output, 8);
AT(drover_task_output_pipes, error, 16);
END(drover_task_output_pipes, error, 24);

AT(drover_task_output, struct_size, 0);
AT(drover_task_output, reserved, 4);
AT(drover_task_output, open, 8);
END(drover_task_output, open, 16);

AT(drover_diag_log, struct_size, 0);
AT(drover_diag_log, reserved, 4);
AT(drover_diag_log, write, 8);
END(drover_diag_log, write, 16);

AT(drover_timer, struct_size, 0);
AT(drover_timer, reserved, 4);
AT(drover_timer, after, 8);
AT(drover_timer, cancel, 16);
END(drover_timer, cancel, 24);

AT(drover_manifest, magic, 0);
AT(drover_manifest, struct_size, 8);
AT(drover_manifest, abi_major, 12);
AT(drover_manifest, reserved, 16);
AT(drover_manifest, min_host_minor, 20);
AT(drover_manifest, name, 24);
AT(drover_manifest, version, 88);
AT(drover_manifest, license, 120);
END(drover_manifest, license, 184);

AT(drover_pair, key, 0);
AT(drover_pair, value, 16);
END(drover_pair, value, 32);
