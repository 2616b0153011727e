// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>

#include <string_view>

#include "host/base/ids.h"
#include "host/base/result.h"
#include "host/process/boot_id.h"
#include "host/process/process_spec.h"

namespace drover {

// Returns how RUN ended, from the bytes of its drover_exit_record (shim/attach_protocol.h). The
// error says how the record is damaged. kFailedPrecondition: it is intact, but was written before
// this BOOT and says nothing about a run of this boot.
Result<ProcessExit> ParseExitRecord(std::string_view bytes, const RunId& run, const BootId& boot);

// Reads `<16 hex digits>.exit` in RUN_DIRECTORY. kNotFound: there is none. kUnavailable: it cannot
// be read now. kFailedPrecondition: as above. A damaged record becomes an exit with an error: the
// run has ended, but nobody knows how.
Result<ProcessExit> ReadExitRecord(int run_directory, const RunId& run, const BootId& boot);

// Sets the exit code and the signal of EXIT, a ProcessExit or ExecExit, from a status of waitpid.
template <typename Exit>
void SetWaitStatus(int wait_status, Exit* exit) {
  exit->signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  exit->exit_code = exit->signal != 0 ? 128 + exit->signal : WEXITSTATUS(wait_status);
}

// The exit of a run about whose end nothing is known.
ProcessExit LostExit(std::string error, WallTime now);

}  // namespace drover
