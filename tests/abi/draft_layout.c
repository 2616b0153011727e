/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of structs of drafts on 64-bit Linux. A draft may change, but then it gets another id.
 * So a line here that fails to compile means that the id must change, too. Compiled as C and as
 * C++.
 */
#include "drover/drover_process2.h"
#include "drover/drover_task_env.h"
#include "drover/drover_task_place.h"
#include "layout.h"

CHECK(DROVER_PROCESS2_MAX == 16);
CHECK(DROVER_PROCESS2_DESCRIPTORS_MAX == 16);
CHECK(DROVER_PROCESS2_LIMITS_MAX == 16);
CHECK(DROVER_PROCESS2_SESSIONS_MAX == 64);
CHECK(DROVER_PROCESS2_TERMINAL == 1);

AT(drover_process2_limit, struct_size, 0);
AT(drover_process2_limit, resource, 4);
AT(drover_process2_limit, soft, 8);
AT(drover_process2_limit, hard, 16);
END(drover_process2_limit, hard, 24);

AT(drover_process2_descriptor, struct_size, 0);
AT(drover_process2_descriptor, reserved, 4);
AT(drover_process2_descriptor, fd, 8);
END(drover_process2_descriptor, fd, 16);

AT(drover_process2_start_args, struct_size, 0);
AT(drover_process2_start_args, flags, 4);
AT(drover_process2_start_args, name, 8);
AT(drover_process2_start_args, process, 24);
AT(drover_process2_start_args, root, 32);
AT(drover_process2_start_args, limits, 48);
AT(drover_process2_start_args, input, 72);
AT(drover_process2_start_args, output, 80);
AT(drover_process2_start_args, error, 88);
AT(drover_process2_start_args, descriptors, 96);
AT(drover_process2_start_args, width, 120);
AT(drover_process2_start_args, height, 124);
END(drover_process2_start_args, height, 128);

AT(drover_process2_info, struct_size, 0);
AT(drover_process2_info, pid, 4);
AT(drover_process2_info, cgroup, 8);
AT(drover_process2_info, pidfd, 24);
AT(drover_process2_info, terminal, 32);
AT(drover_process2_info, started_at, 40);
END(drover_process2_info, started_at, 48);

AT(drover_process2_state, struct_size, 0);
AT(drover_process2_state, state, 4);
AT(drover_process2_state, name, 8);
AT(drover_process2_state, info, 24);
AT(drover_process2_state, exit_result, 32);
END(drover_process2_state, exit_result, 40);

AT(drover_process2_list, struct_size, 0);
AT(drover_process2_list, reserved, 4);
AT(drover_process2_list, names, 8);
END(drover_process2_list, names, 32);

AT(drover_process2_name_args, struct_size, 0);
AT(drover_process2_name_args, reserved, 4);
AT(drover_process2_name_args, name, 8);
END(drover_process2_name_args, name, 24);

AT(drover_process2_signal_args, struct_size, 0);
AT(drover_process2_signal_args, number, 4);
AT(drover_process2_signal_args, name, 8);
END(drover_process2_signal_args, name, 24);

AT(drover_process2_stop_args, struct_size, 0);
AT(drover_process2_stop_args, number, 4);
AT(drover_process2_stop_args, timeout, 8);
AT(drover_process2_stop_args, name, 16);
END(drover_process2_stop_args, name, 32);

AT(drover_process2_exec_args, struct_size, 0);
AT(drover_process2_exec_args, reserved, 4);
AT(drover_process2_exec_args, name, 8);
AT(drover_process2_exec_args, session, 24);
AT(drover_process2_exec_args, command, 32);
END(drover_process2_exec_args, command, 40);

AT(drover_process2_session_args, struct_size, 0);
AT(drover_process2_session_args, reserved, 4);
AT(drover_process2_session_args, session, 8);
AT(drover_process2_session_args, width, 16);
AT(drover_process2_session_args, height, 20);
END(drover_process2_session_args, height, 24);

AT(drover_process2, struct_size, 0);
AT(drover_process2, reserved, 4);
AT(drover_process2, start, 8);
AT(drover_process2, attach, 16);
AT(drover_process2, list, 24);
AT(drover_process2, wait, 32);
AT(drover_process2, signal, 40);
AT(drover_process2, stop, 48);
AT(drover_process2, kill, 56);
AT(drover_process2, release, 64);
AT(drover_process2, exec, 72);
AT(drover_process2, resize, 80);
AT(drover_process2, end_session, 88);
AT(drover_process2, cancel, 96);
END(drover_process2, cancel, 104);

CHECK(DROVER_TASK_ENV_TEXTS_MAX == 4096);
CHECK(DROVER_TASK_ENV_BYTES_MAX == 1048576);
CHECK(DROVER_TASK_ENV_STRICT == 1);

AT(drover_interpolate_args, struct_size, 0);
AT(drover_interpolate_args, flags, 4);
AT(drover_interpolate_args, texts, 8);
END(drover_interpolate_args, texts, 32);

AT(drover_interpolate_result, struct_size, 0);
AT(drover_interpolate_result, reserved, 4);
AT(drover_interpolate_result, texts, 8);
END(drover_interpolate_result, texts, 32);

AT(drover_task_env, struct_size, 0);
AT(drover_task_env, reserved, 4);
AT(drover_task_env, interpolate, 8);
END(drover_task_env, interpolate, 16);

AT(drover_place, struct_size, 0);
AT(drover_place, reserved, 4);
AT(drover_place, cgroup, 8);
AT(drover_place, directories, 24);
AT(drover_place, network_namespace, 48);
AT(drover_place, network, 64);
END(drover_place, network, 72);

AT(drover_task_place, struct_size, 0);
AT(drover_task_place, reserved, 4);
AT(drover_task_place, make, 8);
AT(drover_task_place, remove, 16);
END(drover_task_place, remove, 24);
