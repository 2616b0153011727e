// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "drover/drover.h"
#include "drover/drover_capabilities.h"
#include "drover/drover_device.h"
#include "drover/drover_news.h"
#include "drover/drover_pause.h"
#include "drover/drover_task_hooks.h"
#include "host/driver/plugin_hooks.h"

namespace drover {

inline constexpr std::uint64_t kHookOffers = DROVER_CAP_HOOK_PRESTART | DROVER_CAP_HOOK_POSTSTART |
                                             DROVER_CAP_HOOK_PREKILL | DROVER_CAP_HOOK_EXITED |
                                             DROVER_CAP_HOOK_STOP;
// The offer of a plugin whose task hooks are called at STAGE.
constexpr std::uint64_t HookOffer(PluginHookStage stage) {
  return DROVER_CAP_HOOK_PRESTART << (static_cast<int>(stage) - DROVER_HOOK_PRESTART);
}
static_assert(HookOffer(PluginHookStage::kStop) == DROVER_CAP_HOOK_STOP);

inline constexpr std::uint64_t kKnownOffers =
    DROVER_CAP_SIGNALS | DROVER_CAP_EXEC | DROVER_CAP_STATS | DROVER_CAP_DISABLES_LOG_COLLECTION |
    DROVER_CAP_HOSTNAME | DROVER_CAP_DNS | DROVER_CAP_CAPABILITIES | DROVER_CAP_PAUSE |
    DROVER_CAP_NEWS | DROVER_CAP_ONLY_DEVICES | DROVER_CAP_ONLY_TASK_HOOKS | kHookOffers;
inline constexpr std::uint64_t kKnownNeeds =
    DROVER_NEEDS_PROCESS_SERVICE | DROVER_NEEDS_TASK_OUTPUT;

// A mark in TaskHandle::driver. It means that the driver's recover function has returned this
// handle. ReadRecovered sets the mark, and LoadedDriver::Recover then replaces the mark by the
// driver's name.
inline constexpr char kNewHandle[] = "*";

// Returns the name of a status for the trace: "OK", "E_NOT_FOUND" and so on.
std::string_view StatusName(std::int32_t status);

}  // namespace drover
