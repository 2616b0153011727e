// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "host/container/frame_kinds.h"
#include "host/container/frame_socket.h"
#include "host/container/process_container.h"

namespace drover {

// The state that the container's thread and the callers of its functions share. For the host the
// state is the instance: a drover_instance* is a pointer to it.
struct ProcessContainer::State : std::enable_shared_from_this<State> {
  // A call of a function that has not returned yet.
  struct Waiting {
    std::uint16_t kind = 0;
    bool over = false;
    std::int32_t status = DROVER_E_UNAVAILABLE;
    std::optional<drover_error> error;
    std::condition_variable returned;
  };
  // A function that passes the result of a call to the host.
  using Forward = void (*)(State* state, std::uint64_t id, const drover_error* error,
                           WireReader* from);
  enum class Frames { kDrained, kMore, kOver };

  State(std::unique_ptr<ContainerProcess> from, std::string file, std::string plugin, Listener hear)
      : process(std::move(from)),
        path(std::move(file)),
        name(std::move(plugin)),
        socket(process->TakeSocket()),
        listener(std::move(hear)) {}

  drover_instance* handle() { return reinterpret_cast<drover_instance*>(this); }
  // Returns a shared pointer to the state. The caller must hold this pointer until the caller
  // returns. Otherwise the state may be destroyed earlier, when the process ends.
  static std::shared_ptr<State> From(drover_instance* handle) {
    return reinterpret_cast<State*>(handle)->shared_from_this();
  }

  // Calls a function in the driver's process. Returns when that function has returned.
  std::int32_t Invoke(std::uint16_t kind, WireMessage message, drover_error* error);
  void Expect(std::uint64_t call, Forward forward);
  void Forget(std::uint64_t call);
  void Kill(const std::string& because, bool ask);

  // These functions run on the container's thread.
  void Run();
  void End(ContainerDeath death);
  Frames ReadFrames(std::string* why_not);
  bool ReadOutput();  // returns false at the end of the output
  Status Handle(Frame frame);
  void HandleReturn(std::uint64_t id, WireReader* from);
  void HandleLoaded(WireReader* from);
  void HandleComplete(std::uint64_t id, WireReader* from);
  void HandleMessage(std::uint64_t id, WireReader* from);
  void HandleLog(WireReader* from);
  void CancelStream(std::uint64_t id);
  void Die(ContainerDeath death);

  // The driver's requests to services of the host are in process_container_services.cc.
  // HandleService returns false for an unknown kind.
  struct Service {
    State* state;
    std::uint64_t id;
  };
  bool HandleService(std::uint16_t kind, std::uint64_t id, WireReader* from);
  // A timer of the driver. The host runs it as one of the host's own timers. So the host notices
  // if the timer's function hangs, as with any other function of the driver.
  struct Timer {
    State* state;
    std::uint64_t id;
    std::uint64_t in_host = 0;
  };
  void SetTimer(std::uint64_t id, std::int64_t delay);
  void CancelTimer(std::uint64_t id);
  static void FireTimer(void* context);

  // Removes SERVICE from SERVICES. Called when an operation ends. This object still exists then:
  // each operation ends before its PluginHost does, and the PluginHost ends before this object is
  // destroyed.
  std::unique_ptr<Service> TakeService(Service* service);

  const std::unique_ptr<ContainerProcess> process;
  const std::string path;
  const std::string name;
  FrameSocket socket;
  std::atomic<const drover_host*> host{nullptr};  // set before the driver is created
  Post post;                                      // set before the driver is created

  std::mutex mutex;  // protects all members below
  Listener listener;
  bool dead = false;
  std::string why;     // why the process is being ended, or empty
  bool asked = false;  // the process may first report where it hangs
  std::string told;    // the error message of all calls after the death of the process
  Status broken_part;  // the first table that lacks a function
  std::uint64_t next_frame = 1;
  std::map<std::uint64_t, Waiting*> waiting;
  std::map<std::uint64_t, Forward> calls;
  std::set<std::uint64_t> streams;
  std::map<std::uint64_t, std::unique_ptr<Service>> services;
  std::map<std::uint64_t, std::unique_ptr<Timer>> timers;
  std::string output;  // the last part of the output
  std::string line;    // the last line of the output, while it is incomplete
};

}  // namespace drover
