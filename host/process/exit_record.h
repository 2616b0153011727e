// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "host/base/ids.h"
#include "host/base/result.h"
#include "host/process/process_spec.h"

namespace drover {

// How the run ended, by the bytes of a drover_exit_record (shim/attach_protocol.h) of RUN. The
// error says what is damaged.
Result<ProcessExit> ParseExitRecord(std::string_view bytes, const RunId& run);

// Reads `<16 hex digits>.exit` in RUN_DIRECTORY. Nothing: there is none. A damaged record is an
// exit with an error: the run has ended, how is lost.
std::optional<ProcessExit> ReadExitRecord(int run_directory, const RunId& run);

// A run of which nobody knows how it ended.
ProcessExit LostExit(std::string error, WallTime now);

}  // namespace drover
