// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "host/base/time.h"
#include "host/driver/driver.h"
#include "host/spec/job.h"

namespace drover {

// Returns whether a task that exits successfully starts again. Returns true for the main tasks of
// service and system jobs, and for the sidecars of any job. Returns false for all other tasks, and
// for every poststop task.
bool RestartsOnSuccess(JobType type, const Task& task);

// Decides by the restart policy what follows the end or the failed start of a task. The caller
// supplies the events, the time and the random numbers, so equal calls give equal decisions.
class RestartTracker {
 public:
  // Returns a uniform random number below BOUND.
  using Random = std::function<std::uint64_t(std::uint64_t bound)>;

  enum class Kind {
    kKilled,         // the task was killed and does not restart
    kTerminated,     // the task has done its work
    kNotRestarting,  // the task has failed for good
    kRestarting,     // the task starts again after the delay
  };
  struct Decision {
    Kind kind = Kind::kTerminated;
    Duration delay = 0s;
    std::string reason;

    bool operator==(const Decision&) const = default;
  };

  // The number of attempts in the current interval of the policy, and the start of that interval.
  struct Counted {
    int count = 0;
    TimePoint interval_start;
  };

  // Continues from COUNTED. For a new task, COUNTED must have no attempts, and its interval must
  // start now.
  RestartTracker(RestartPolicy policy, bool on_success, Counted counted, Random random);

  // Replaces the policy and keeps the number of attempts.
  void SetPolicy(RestartPolicy policy);

  // The Set functions below record what happened since the last decision.
  void SetKilled() { killed_ = true; }
  void SetExit(ExitResult result) { exit_ = std::move(result); }
  void SetStartError(Error error) { start_error_ = std::move(error); }
  // Records that a restart was requested. If FAILURE is true, the request counts like an exit with
  // an error.
  void SetTriggered(bool failure) { (failure ? failure_ : triggered_) = true; }

  // Returns the decision, and clears everything that the Set functions have recorded.
  Decision Next(TimePoint now);

  const Counted& counted() const { return counted_; }

 private:
  Decision Decide(TimePoint now);
  Duration Jittered(Duration delay);

  RestartPolicy policy_;
  bool on_success_;
  Random random_;
  Counted counted_;

  bool killed_ = false;
  bool triggered_ = false;
  bool failure_ = false;
  std::optional<Error> start_error_;
  std::optional<ExitResult> exit_;
};

}  // namespace drover
