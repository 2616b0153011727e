// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "driver/log_copy.h"
#include "drover/driver.hpp"
#include "engine/engine.h"
#include "engine/stats.h"

namespace drover_docker {

// A task of this instance. Everything here can be made again from the container's labels, so a
// driver that is killed loses nothing.
struct DockerTask {
  drover::RunId run;
  std::string name;  // of the container
  std::string alloc_id;
  std::string task_dir;
  CancelToken start_cancel;  // ends the start

  std::mutex mutex;  // guards the members below
  std::condition_variable changed;
  bool starting = false;
  bool given_up = false;  // destroyed, maybe while it starts
  std::string container;  // empty before it is made
  std::string stop_signal;
  std::int64_t started_at = 0;
  std::int64_t completed_at = 0;
  bool ending = false;  // the container has ended, and its last output is copied
  std::optional<drover::ExitResult> exited;
  std::vector<drover::Call<drover::ExitResult>> waiters;
  std::vector<drover::Call<drover::Empty>> stoppers;
  std::shared_ptr<LogCopy> logs;
  std::uint64_t watch = 0;
  std::string last_health;  // the last event about the health check of the image
};

// One stream of statistics.
class StatsFollow {
 public:
  StatsFollow(drover::Stream<drover::Stats> stream, drover::Duration interval, double core_mhz)
      : interval_(interval), stream_(std::move(stream)), reader_(core_mhz) {}

  // Stores what cancels the stream of the engine.
  void Set(Engine::Subscription subscription);
  void Take(const nlohmann::json& sample);
  void End(const std::optional<drover::Error>& error);
  void Stop();
  bool stopped();

 private:
  const drover::Duration interval_;
  const drover::Stream<drover::Stats> stream_;
  StatsReader reader_;  // used by Take only
  std::chrono::steady_clock::time_point next_{};
  std::mutex mutex_;  // guards the members below
  bool stopped_ = false;
  Engine::Subscription subscription_;
};

// One session of exec.
struct ExecSlot {
  std::string container;
  std::mutex mutex;           // guards the members below
  std::string exec_id;        // empty until the engine knows the command
  int width = 0, height = 0;  // asked for before that
};

}  // namespace drover_docker
