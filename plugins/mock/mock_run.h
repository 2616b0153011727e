// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "drover/host.hpp"
#include "mock_config.h"

namespace mock {

// Writes TEXT to FD, whose reader may have closed it. Stops at the first error. May block.
void WriteAll(int fd, const std::string& text);

// Simulates one task or command. The run writes the configured output, and lasts for the configured
// time. The run ends when the output is written and the time is over. It has no thread of its own:
// it uses timers and the instance's thread pool. [any-thread]
class MockRun : public std::enable_shared_from_this<MockRun> {
 public:
  using Ended = std::function<void(const drover::ExitResult&)>;

  MockRun(drover::Host host, RunSpec spec, Ended ended)
      : host_(std::move(host)), spec_(std::move(spec)), ended_(std::move(ended)) {}

  // Begins the run. REMAINING is the time that the run has left. PIPES may be null if there is no
  // output. The run closes PIPES when the run ends. SPEAK is false for a run that has written its
  // output already.
  void Begin(Duration remaining, std::shared_ptr<drover::OutputPipes> pipes, bool speak);
  // Ends the run soon, with the configured result. Repeats of the output that have not begun are
  // dropped.
  void Kill();
  // Stops the time of the run, or lets it go on. The output goes on.
  void Pause(bool paused);
  bool paused();

 private:
  void StartTime(Duration remaining);  // the caller holds MUTEX_
  // Writes the configured text of STREAM (0: standard output, 1: standard error). Then repeats the
  // text AGAIN times, with the configured gap before each repetition.
  void Say(int stream, std::int64_t again);
  void SayLater(int stream, std::int64_t again);
  void OutputOver(int stream);
  void EndIfOver();

  const drover::Host host_;
  const RunSpec spec_;
  std::mutex mutex_;  // guards the members below
  Ended ended_;
  std::shared_ptr<drover::OutputPipes> pipes_;
  drover::Timer life_;
  drover::Timer gap_[2];
  bool speaking_[2] = {false, false};
  bool time_over_ = false;
  bool killed_ = false;
  bool paused_ = false;
  std::int64_t ends_at_ = 0;  // in ns since 1970
  Duration left_{0};          // while the run is paused
};

}  // namespace mock
