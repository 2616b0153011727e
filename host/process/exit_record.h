// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/base/ids.h"
#include "host/base/result.h"
#include "host/process/boot_id.h"
#include "host/process/process_spec.h"

namespace drover {

// How the run ended, by the bytes of a drover_exit_record (shim/attach_protocol.h) of RUN. The
// error says what is damaged; kFailedPrecondition: nothing, but it was written before this BOOT,
// and says nothing of a run of this one.
Result<ProcessExit> ParseExitRecord(std::string_view bytes, const RunId& run, const BootId& boot);

// Reads `<16 hex digits>.exit` in RUN_DIRECTORY. kNotFound: there is none. kUnavailable: that
// cannot be told now. kFailedPrecondition: as above. A damaged record is an exit with an error: the
// run has ended, how is lost.
Result<ProcessExit> ReadExitRecord(int run_directory, const RunId& run, const BootId& boot);

// A run of which nobody knows how it ended.
ProcessExit LostExit(std::string error, WallTime now);

}  // namespace drover
