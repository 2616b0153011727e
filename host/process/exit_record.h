// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>

#include <string_view>

#include "host/base/ids.h"
#include "host/base/result.h"
#include "host/process/boot_id.h"
#include "host/process/process_spec.h"

namespace drover {

// Returns how RUN ended. BYTES are its drover_exit_record (shim/attach_protocol.h). The error
// kFailedPrecondition means that the record is intact but was written during another boot than
// BOOT; then it belongs to no run of this boot. Any other error says how the record is damaged.
Result<ProcessExit> ParseExitRecord(std::string_view bytes, const RunId& run, const BootId& boot);

// Reads the exit record of RUN, the file `<16 hex digits>.exit` in RUN_DIRECTORY. The error is
// kNotFound if there is no record, and kUnavailable if the record cannot be read now. It is
// kFailedPrecondition if the record is from another boot than BOOT. If the record is damaged, the
// run has ended, but it is not known how; then the function returns an exit with an error.
Result<ProcessExit> ReadExitRecord(int run_directory, const RunId& run, const BootId& boot);

// Sets the exit code and the signal of EXIT, a ProcessExit or an ExecExit, from WAIT_STATUS, a
// status of waitpid.
template <typename Exit>
void SetWaitStatus(int wait_status, Exit* exit) {
  exit->signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  exit->exit_code = exit->signal != 0 ? 128 + exit->signal : WEXITSTATUS(wait_status);
}

// Returns the exit of a run whose exit code is not known. ERROR says why. NOW becomes the end time.
ProcessExit LostExit(std::string error, WallTime now);

}  // namespace drover
