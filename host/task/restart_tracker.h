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

// Whether a task that exits successfully starts again. Tasks of service and system jobs do, and so
// do sidecars of any job. Other lifecycle tasks do not.
bool RestartsOnSuccess(JobType type, const Task& task);

// Decides by the restart policy what follows the end or the failed start of a task. Pure: the
// caller supplies what happened, the time and the random numbers.
class RestartTracker {
 public:
  using Random = std::function<std::uint64_t(std::uint64_t bound)>;  // below BOUND, uniform

  enum class Kind {
    kKilled,         // it was killed: no restart
    kTerminated,     // it has done its work
    kNotRestarting,  // it has failed for good
    kRestarting,     // it starts again after the delay
  };
  struct Decision {
    Kind kind = Kind::kTerminated;
    Duration delay = 0s;
    std::string reason;

    bool operator==(const Decision&) const = default;
  };

  // The count in the current interval.
  struct Counted {
    int count = 0;
    TimePoint interval_start;
  };

  // Continues from COUNTED. The first interval of a new task begins now.
  RestartTracker(RestartPolicy policy, bool on_success, Counted counted, Random random);

  // Replaces the policy; the count stays.
  void SetPolicy(RestartPolicy policy);

  // These record what happened since the last decision.
  void SetKilled() { killed_ = true; }
  void SetExit(ExitResult result) { exit_ = std::move(result); }
  void SetStartError(Error error) { start_error_ = std::move(error); }
  // Somebody requested a restart. A FAILURE counts like a bad exit.
  void SetTriggered(bool failure) { (failure ? failure_ : triggered_) = true; }

  // Decides and forgets what happened.
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
