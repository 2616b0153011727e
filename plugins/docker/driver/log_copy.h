// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "drover/host.hpp"
#include "engine/engine.h"
#include "engine/logs/log_follower.h"

namespace drover_docker {

// The file in which a copy stores its position. It is in the task's directory on the host, which
// the container does not see. The copy that works holds a lock on it, so two instances of the
// driver, of which one takes over from the other, never copy the same output. The kernel releases
// the lock when its process ends.
class PositionFile {
 public:
  // Opens the file for RUN, and locks it. Returns nothing if another copy has the lock. Throws
  // drover::Error if the file cannot be made.
  static std::unique_ptr<PositionFile> Lock(const std::string& task_dir, const drover::RunId& run);
  // Removes the file of a run that is destroyed.
  static void Remove(const std::string& task_dir, const drover::RunId& run);

  LogPosition Read() const;
  void Write(const LogPosition& position) const;

 private:
  explicit PositionFile(drover::Fd file) : file_(std::move(file)) {}
  const drover::Fd file_;
};

// Copies the output of one container to the host, over all restarts of agent, plugin and engine.
// [any-thread]
class LogCopy : public std::enable_shared_from_this<LogCopy> {
 public:
  struct What {
    drover::RunId run;
    std::string container;
    std::string task_dir;
    bool tty = false;
  };
  // FAILED hears why the output is not collected; it may be called on any thread.
  LogCopy(drover::Host host, Engine* engine, What what,
          std::function<void(const std::string&)> failed);
  ~LogCopy();

  // Begins with PIPES, which the caller has opened, or opens them itself if PIPES is null.
  void Begin(std::shared_ptr<drover::OutputPipes> pipes);
  // The container has ended. DONE is called once, when all its output is with the host or after
  // some seconds.
  void Finish(std::function<void()> done);
  // Ends the copying soon. DONE of Finish is called.
  void Stop();

 private:
  void Follow(std::unique_ptr<PositionFile> position, std::shared_ptr<drover::OutputPipes> pipes);
  void Ended(std::optional<drover::Error> error);
  void NotOpened(const drover::Error& error);
  void TryLater(std::shared_ptr<drover::OutputPipes> pipes);

  const drover::Host host_;
  Engine* const engine_;
  const What what_;
  const std::function<void(const std::string&)> failed_;
  std::atomic<int> refused_{0};  // how often the host has not opened the pipes
  std::mutex mutex_;             // guards the members below
  bool began_ = false, finishing_ = false, ended_ = false;
  std::function<void()> done_;
  std::shared_ptr<LogFollower> follower_;
};

}  // namespace drover_docker
