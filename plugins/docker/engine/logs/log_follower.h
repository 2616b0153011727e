// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "drover/process.hpp"
#include "engine/engine.h"
#include "engine/logs/log_position.h"

namespace drover_docker {

// Copies the output of a container into two descriptors until the container has ended and all its
// output is there. It asks for time stamps and takes them off again, so that it can go on after
// the engine was gone, with no line lost or doubled. It runs on the engine's stream loop, and holds
// at most 64 KiB: if the reader of a descriptor is slow, so is the follower. [any-thread]
class LogFollower {
 public:
  struct Options {
    bool tty = false;  // the container has a terminal: all is output, without frames
    LogPosition from;
    drover::Duration retry = std::chrono::milliseconds(200);  // after a break, doubled up to 5 s
    // The shortest time between two calls of MOVED. 0: it is called after each write, so that a
    // follower which is killed doubles nothing that the descriptors had taken before.
    drover::Duration pause = std::chrono::seconds(1);
    // Called on the loop's thread while there is output; may be null.
    std::function<void(const LogPosition&)> moved;
    // Called once on the loop's thread, as the last. ERROR is absent if everything was copied. The
    // descriptors are closed then.
    std::function<void(const LogPosition&, std::optional<drover::Error> error)> end;
  };

  // OUTPUT and ERROR must be pipes or files. ENGINE must outlive the follower.
  LogFollower(Engine* engine, std::string id, drover::Fd output, drover::Fd error, Options options);
  LogFollower(const LogFollower&) = delete;
  LogFollower& operator=(const LogFollower&) = delete;
  // Ends the copying soon. END is called with Error(kCancelled) unless it was called.
  ~LogFollower();

  // The container has ended: the follower ends when it has copied what the engine still has, or
  // after WITHIN.
  void Finish(drover::Duration within = std::chrono::seconds(10));
  LogPosition position() const;

 private:
  class State;
  const std::shared_ptr<State> state_;
};

}  // namespace drover_docker
