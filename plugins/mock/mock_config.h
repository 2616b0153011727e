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

// Faults that the driver has on purpose. Each member except crash_by is a list of names of calls
// ("start", "stop", ...), separated by commas. The fault happens in these calls.
struct Faults {
  std::string hang_in;   // the call never returns
  std::string crash_in;  // the call causes the crash that crash_by names
  // The kind of a crash. Segv, abort, exit, throw and heap end the process. After loop, deadlock,
  // close, garbage and descriptors, the host must kill the process. After threads, it goes on.
  std::string crash_by;
  std::string fail_in;    // the call is refused
  std::string silent_in;  // the call is accepted and never completed

  static Faults Read(const drover::Json& config);
  // Executes the faults that are set for CALL, except silent_in.
  void Commit(const char* call) const;
  void Crash() const;
  bool Silent(const char* call) const;
  // True if CALL crashes or never returns.
  bool Ends(const char* call) const;
};

// The behaviour of a task, or of a command that exec runs for a task.
struct RunSpec {
  Duration run_for{0};
  int exit_code = 0;
  int exit_signal = 0;
  std::string exit_err_msg;
  std::string signal_error;
  struct Output {
    std::string text;
    std::int64_t repeat = 0;  // how many more times the text is written
    Duration gap{0};
  };
  Output output[2];  // standard output, standard error

  bool speaks() const { return !output[0].text.empty() || !output[1].text.empty(); }
  static RunSpec Read(const drover::Json& config);
};

// News that the driver sends this long after the start of the task, with a new handle.
struct NewsSpec {
  Duration after{0};
  std::string ip;      // a network with this address
  std::string health;  // "healthy" or "unhealthy"
  std::string text;
  bool of_nobody = false;  // the same news follow for a run that does not exist
};

struct TaskSpec {
  RunSpec run;
  std::optional<RunSpec> exec;
  Faults faults;
  std::string start_error;
  bool start_error_recoverable = false;
  Duration start_block_for{0};
  std::string prepare_key;    // empty: the task needs nothing before its start
  Duration prepare_for{0};    // how long prepare takes, unless the key is prepared already
  std::string prepare_error;  // if it is not empty, prepare then fails with this text
  Duration plugin_exit_after{0};
  std::optional<drover::DriverNetwork> network;
  std::string stats_error;
  bool stats_error_recoverable = false;
  bool stats_unimplemented = false;
  // If true, a sample is sent at each interval. If false, and if stats_close_after is 0, only one
  // sample is sent, and the stream stays open.
  bool stats_each_interval = false;
  // The stream ends after this number of samples, one at each interval. 0 means that it does not
  // end.
  std::int64_t stats_close_after = 0;
  // If true, a message is sent after the stream has ended or was cancelled.
  bool stats_late_message = false;

  std::optional<NewsSpec> news;

  // If true, recover returns a new handle for each task that this process does not know yet.
  bool renew_handle = false;

  // Reads the configuration of a task. Throws drover::Error.
  static TaskSpec Read(const drover::Json& config);
};

}  // namespace mock
