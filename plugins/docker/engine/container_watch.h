// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "drover/error.hpp"
#include "engine/container_info.h"
#include "engine/engine_event.h"

namespace drover_docker {

class Engine;

// Watches any number of containers with two connections and one thread: a stream of events, and
// inspections of those that an event names. After each break of the stream, and once in a while,
// one list tells what was missed. Engine owns it. [any-thread]
class ContainerWatch {
 public:
  struct Options {
    drover::Duration sweep = std::chrono::seconds(30);        // between two lists
    drover::Duration retry = std::chrono::milliseconds(500);  // after a break, doubled up to 5 s
  };
  // The container as it was found after its end. Error(kNotFound): the container is gone and its
  // result is not known. Error(kCancelled): the engine object ends.
  using Ended = std::function<void(drover::Outcome<ContainerInfo>)>;
  using Heard = std::function<void(const EngineEvent&)>;

  ContainerWatch(Engine* engine, Options options);
  ContainerWatch(const ContainerWatch&) = delete;
  ContainerWatch& operator=(const ContainerWatch&) = delete;
  ~ContainerWatch();

  // Calls DONE once, on a thread of the watch, when the container with the full id ID has ended. An
  // engine that cannot be reached only delays this. DONE must not block. Returns a number for
  // Forget.
  std::uint64_t Await(const std::string& id, Ended done);
  // DONE of this number is not called any more, and does not run any more when Forget returns,
  // unless DONE itself calls Forget.
  void Forget(std::uint64_t number);
  // Calls HEARD for each event of each watched container, on a thread of the watch. Replaces the
  // last one.
  void OnEvent(Heard heard);
  // Calls CHANGED(true) when the stream of events stands, and CHANGED(false, why) when it breaks.
  // Replaces the last one.
  void OnConnection(std::function<void(bool connected, const std::string& why)> changed);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace drover_docker
