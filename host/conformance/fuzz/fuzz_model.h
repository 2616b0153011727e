// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>

#include "host/base/result.h"
#include "host/conformance/fuzz/fuzz_steps.h"
#include "host/driver/driver.h"

namespace drover {

// What the driver has answered to a step.
struct FuzzAnswer {
  Status status;
  // True if the host has given the call up before it was answered. STATUS then says nothing.
  bool given_up = false;
  TaskState state = TaskState::kUnknown;  // of inspect, and of a recover that succeeded
  std::optional<ExitResult> end{};        // how the task has ended, if the answer says so
};

// The reference model of a driver: what may be true of each run after the steps and answers so far,
// by the rules of drover.h. A task that ends by itself does so at some time, and a call that was
// given up has taken effect or has not. So the model keeps all states that are possible, and each
// answer excludes some of them.
class FuzzModel {
 public:
  // KEEPS_ENDS: an instance that recovers a run also knows how its task has ended. Only drivers of
  // the process service can promise that.
  explicit FuzzModel(bool keeps_ends) : keeps_ends_(keeps_ends) {}

  // Takes the ANSWER of STEP. Returns why the rules do not permit the answer, or an empty text if
  // they do. A reload has no answer: call Reloaded and Judge each recover instead.
  std::string Judge(const FuzzStep& step, const FuzzAnswer& answer);

  // Takes the answer of a wait of RUN that has been open for some time.
  std::string JudgeOpenWait(int run, const FuzzAnswer& answer);

  // A new instance has come, which knows no run yet.
  void Reloaded();

  bool IsUnknown(int run) const { return Of(run).possible == kUnknown; }  // for certain
  bool IsEnded(int run) const { return Of(run).possible == kEnded; }      // for certain

 private:
  // Bits: a run may be in one of several states.
  static constexpr unsigned kUnknown = 1;
  static constexpr unsigned kRunning = 2;
  static constexpr unsigned kEnded = 4;

  struct Run {
    unsigned possible = kUnknown;
    bool ends = false;                // its task ends by itself
    std::optional<ExitResult> end{};  // how its task has ended, as the driver has reported
  };

  Run& Of(int run) { return runs_[static_cast<std::size_t>(run)]; }
  const Run& Of(int run) const { return runs_[static_cast<std::size_t>(run)]; }

  // The parts of Judge. WHAT is the text of the step.
  static std::string JudgeStart(Run* run, const FuzzStep& step, const FuzzAnswer& answer);
  static std::string JudgeRecover(Run* run, const FuzzAnswer& answer);
  static std::string JudgeWait(Run* run, const FuzzAnswer& answer);
  static std::string JudgeStop(Run* run, const FuzzAnswer& answer);
  static std::string JudgeUse(Run* run, const FuzzStep& step, const FuzzAnswer& answer);
  static std::string JudgeInspect(Run* run, const FuzzAnswer& answer);
  static std::string JudgeDestroy(Run* run, bool force, const FuzzAnswer& answer);
  // The driver says that it does not know the run.
  static std::string NoteNotFound(Run* run);
  // The driver says that the task has ended, by END if it says how.
  static std::string NoteEnd(Run* run, const std::optional<ExitResult>& end);
  static void Forget(Run* run) { *run = Run(); }
  // Returns the sentence that the answer must be one of EXPECTED, by what is possible.
  static std::string Unexpected(const Run& run, const FuzzAnswer& answer,
                                const std::string& expected);

  const bool keeps_ends_;
  std::array<Run, kFuzzRuns> runs_{};
};

}  // namespace drover
