// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "drover/drover.h"

namespace drover {

inline constexpr std::uint64_t kKnownOffers =
    DROVER_CAP_SIGNALS | DROVER_CAP_EXEC | DROVER_CAP_STATS | DROVER_CAP_DISABLES_LOG_COLLECTION;
inline constexpr std::uint64_t kKnownNeeds =
    DROVER_NEEDS_PROCESS_SERVICE | DROVER_NEEDS_TASK_OUTPUT;

// ReadRecovered sets TaskHandle::driver to this text if the driver's recover function returned a
// new handle. LoadedDriver::Recover then sets TaskHandle::driver to the name of the driver.
inline constexpr char kNewHandle[] = "*";

// Returns the name of a status for the trace: "OK", "E_NOT_FOUND" and so on.
std::string_view StatusName(std::int32_t status);

}  // namespace drover
