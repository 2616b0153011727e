// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "drover/types.hpp"

namespace mock {

using Duration = std::chrono::nanoseconds;

extern const char kConfigSchema[];
extern const char kTaskConfigSchema[];

// Faults made on purpose. Each but CRASH_BY is a list of names of calls ("start", "stop", ...),
// separated by commas.
struct Faults {
  std::string hang_in;    // the thread of the call is held for ever
  std::string crash_in;   // the process dies,
  std::string crash_by;   // in this way: segv, abort, exit, throw, heap; or the host must kill it:
                          // loop, deadlock, close, garbage, descriptors; or it lives on: threads
  std::string fail_in;    // the call is refused
  std::string silent_in;  // the call is accepted and never completed

  static Faults Read(const drover::Json& config);
  // Makes the faults of CALL, except silence.
  void Commit(const char* call) const;
  void Crash() const;
  bool Silent(const char* call) const;
  // True if CALL crashes or never returns.
  bool Ends(const char* call) const;
};

// The life of a task, or of a command beside it.
struct RunSpec {
  Duration run_for{0};
  int exit_code = 0;
  int exit_signal = 0;
  std::string exit_err_msg;
  std::string signal_error;
  struct Output {
    std::string text;
    std::int64_t repeat = 0;  // how often the text is written again
    Duration gap{0};
  };
  Output output[2];  // standard output, standard error

  bool speaks() const { return !output[0].text.empty() || !output[1].text.empty(); }
  static RunSpec Read(const drover::Json& config);
};

struct TaskSpec {
  RunSpec run;
  std::optional<RunSpec> exec;
  Faults faults;
  std::string start_error;
  bool start_error_recoverable = false;
  Duration start_block_for{0};
  Duration plugin_exit_after{0};
  std::optional<drover::DriverNetwork> network;
  std::string stats_error;
  bool stats_error_recoverable = false;
  bool stats_unimplemented = false;
  bool stats_each_interval = false;    // else one sample, on a stream that stays open
  std::int64_t stats_close_after = 0;  // samples, one at each interval; 0: never
  bool stats_late_message = false;     // sent after the stream has ended or was cancelled

  bool renew_handle = false;  // each recover of a task that it does not know returns a new handle

  // Throws drover::Error.
  static TaskSpec Read(const drover::Json& config);
};

}  // namespace mock
