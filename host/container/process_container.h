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

// Runs a driver instance in a process of its own. Each function of this container sends a frame to
// that process. The function of the container returns when the driver's function in the process
// has returned. So the threads, turns and limits of the host's pool apply to both functions. A
// thread of the container reads the socket and waits for nothing but frames. That thread passes
// completions, messages and requests for services to the host at once.
//
// The process may end, or it is ended because it breaks the rules of the frames. Then every
// waiting function, every open call and every later function fails with E_UNAVAILABLE.
class ProcessContainer : public DriverContainer {
 public:
  // The container's thread calls these functions, but not after the ProcessContainer was
  // destroyed.
  struct Listener {
    std::function<void(Result<PluginInfo>)> loaded;  // called once, unless the process dies first
    std::function<void(ContainerDeath)> died;        // called once, as the last function
    // Called with each line of output, in valid UTF-8.
    std::function<void(const std::string&)> line;
  };
  // Starts a process that loads FILE. The listener's LOADED gets the result. NAME ("x 1.0") is for
  // messages. Blocks for a short time.
  static Result<std::unique_ptr<ProcessContainer>> Start(const UniqueFd& file,
                                                         const std::string& path,
                                                         const std::string& name,
                                                         Listener listener);
  ~ProcessContainer() override;  // ends the process

  void UsePool(Post post) override;
  const drover_driver* table() const override;
  std::int32_t Create(const drover_host* host, const drover_call* call,
                      const drover_create_args* args, drover_error* error) override;

  // Ends the process for the reason WHY. If ASK is true, the process may first report where it
  // hangs. [any thread]
  void Kill(const std::string& why, bool ask);
  Status broken_part() const override;
  bool alive() const override;  // false also while the process is being ended
  pid_t pid() const;
  // Returns the last part of the process's output. [any thread]
  std::string output() const;

  struct State;  // defined in process_container_state.h

 private:
  explicit ProcessContainer(std::shared_ptr<State> state) : state_(std::move(state)) {}

  const std::shared_ptr<State> state_;
};

}  // namespace drover
