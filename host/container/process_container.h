// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "host/abi/plugin_info.h"
#include "host/base/result.h"
#include "host/container/container.h"
#include "host/container/container_process.h"

namespace drover {

// A driver instance in a process of its own: what the driver's functions would do in this process
// is done there. A function called here sends a frame and returns when the function there has
// returned, so that the threads, turns and limits of the host's pool hold for both. The reader of
// the socket is a thread of the container, which never waits for anything but frames: it hands
// completions, messages and requests for services to the host at once.
//
// When the process ends, or breaks the rules of the frames and is ended, everything that waits here
// fails with E_UNAVAILABLE, and so does every function from then on.
class ProcessContainer : public DriverContainer {
 public:
  // Called on the container's thread; not after this object is gone.
  struct Listener {
    std::function<void(Result<PluginInfo>)> loaded;  // once, unless it dies first
    std::function<void(ContainerDeath)> died;        // once, the last
    std::function<void(const std::string&)> line;    // that it wrote; valid UTF-8
  };
  // Starts a process for the file, which loads it: LOADED reports the result. NAME ("x 1.0") is for
  // messages. Blocks for a moment.
  static Result<std::unique_ptr<ProcessContainer>> Start(const UniqueFd& file,
                                                         const std::string& path,
                                                         const std::string& name,
                                                         Listener listener);
  ~ProcessContainer() override;  // ends the process

  void UsePool(Post post) override;
  const drover_driver* table() const override;
  std::int32_t Create(const drover_host* host, const drover_call* call,
                      const drover_create_args* args, drover_error* error) override;

  // Ends the process, because of WHY. With ASK it may first report where it hangs. [any thread]
  void Kill(const std::string& why, bool ask);
  bool alive() const override;  // and not being ended
  pid_t pid() const;
  // The last of what it wrote. [any thread]
  std::string output() const;

  struct State;  // process_container_state.h

 private:
  explicit ProcessContainer(std::shared_ptr<State> state) : state_(std::move(state)) {}

  const std::shared_ptr<State> state_;
};

}  // namespace drover
