// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drover/drover_process2.h"
#include "host/abi/abi_fields.h"

// The lists of abi_fields.h for the structs of drover_process2.h.
namespace drover {

template <typename V>
void Fields(V& v, drover_process2_limit& s) {
  v(s.resource), v(s.soft), v(s.hard);
}
template <typename V>
void Fields(V& v, drover_process2_descriptor& s) {
  v(s.reserved), v(s.fd);
}
template <typename V>
void Fields(V& v, drover_process2_start_args& s) {
  v(s.flags), v(s.name), v.Pointer(s.process), v(s.root);
  v.template Array<drover_process2_limit>(s.limits);
  v(s.input), v(s.output), v(s.error);
  v.template Array<drover_process2_descriptor>(s.descriptors), v(s.width), v(s.height);
}
template <typename V>
void Fields(V& v, drover_process2_info& s) {
  v(s.pid), v(s.cgroup), v(s.pidfd), v(s.terminal), v(s.started_at);
}
template <typename V>
void Fields(V& v, drover_process2_state& s) {
  v(s.state), v(s.name), v.Pointer(s.info), v.Pointer(s.exit_result);
}
template <typename V>
void Fields(V& v, drover_process2_list& s) {
  v(s.reserved), v.template Array<drover_str>(s.names);
}
template <typename V>
void Fields(V& v, drover_process2_name_args& s) {
  v(s.reserved), v(s.name);
}
template <typename V>
void Fields(V& v, drover_process2_signal_args& s) {
  v(s.number), v(s.name);
}
template <typename V>
void Fields(V& v, drover_process2_stop_args& s) {
  v(s.number), v(s.timeout), v(s.name);
}
template <typename V>
void Fields(V& v, drover_process2_exec_args& s) {
  v(s.reserved), v(s.name), v(s.session), v.Pointer(s.command);
}
template <typename V>
void Fields(V& v, drover_process2_session_args& s) {
  v(s.reserved), v(s.session), v(s.width), v(s.height);
}

}  // namespace drover
