// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drover/drover.h"
#include "drover/drover_capabilities.h"
#include "drover/drover_device.h"
#include "drover/drover_pause.h"
#include "drover/drover_prepare.h"
#include "drover/drover_task_hooks.h"

namespace drover {

// Maps the type of a verb's arguments to the type of the verb's result. A verb is an asynchronous
// function of a driver, such as start.
template <typename Args>
struct ResultOf {
  using Type = drover_empty_result;
};
template <>
struct ResultOf<drover_start_args> {
  using Type = drover_start_result;
};
template <>
struct ResultOf<drover_recover_args> {
  using Type = drover_recover_result;
};
template <>
struct ResultOf<drover_wait_args> {
  using Type = drover_exit_result;
};
template <>
struct ResultOf<drover_inspect_args> {
  using Type = drover_task_status;
};
template <>
struct ResultOf<drover_exec_args> {
  using Type = drover_exit_result;
};
template <>
struct ResultOf<drover_reserve_args> {
  using Type = drover_reserve_result;
};
template <>
struct ResultOf<drover_capabilities_args> {
  using Type = drover_capabilities;
};
template <>
struct ResultOf<drover_hook_args> {
  using Type = drover_hook_result;
};
template <>
struct ResultOf<drover_prepare_key_args> {
  using Type = drover_prepare_key_result;
};
template <>
struct ResultOf<drover_prepare_args> {
  using Type = drover_prepare_result;
};
template <>
struct ResultOf<drover_prepared_list_args> {
  using Type = drover_prepared_list;
};

}  // namespace drover
