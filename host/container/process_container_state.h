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

// The state that the container's thread and the callers of its functions share. It is an instance
// to the host: drover_instance* are pointers to it.
struct ProcessContainer::State : std::enable_shared_from_this<State> {
  // A function that has not returned yet.
  struct Waiting {
    std::uint16_t kind = 0;
    bool over = false;
    std::int32_t status = DROVER_E_UNAVAILABLE;
    std::optional<drover_error> error;
    std::condition_variable returned;
  };
  // How the result of a call reaches the host.
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
  // A caller of a function holds it: the process may end, and this with it, before the function
  // returns.
  static std::shared_ptr<State> From(drover_instance* handle) {
    return reinterpret_cast<State*>(handle)->shared_from_this();
  }

  // Calls a function over there; returns when that has returned.
  std::int32_t Invoke(std::uint16_t kind, WireMessage message, drover_error* error);
  void Expect(std::uint64_t call, Forward forward);
  void Forget(std::uint64_t call);
  void Kill(const std::string& because, bool ask);

  // The thread.
  void Run();
  void End(ContainerDeath death);
  Frames ReadFrames(std::string* why_not);
  bool ReadOutput();  // false at its end
  Status Handle(Frame frame);
  void HandleReturn(std::uint64_t id, WireReader* from);
  void HandleLoaded(WireReader* from);
  void HandleComplete(std::uint64_t id, WireReader* from);
  void HandleMessage(std::uint64_t id, WireReader* from);
  void HandleLog(WireReader* from);
  void CancelStream(std::uint64_t id);
  void Die(ContainerDeath death);

  // process_container_services.cc: what the driver asks of the host. False: no such service.
  struct Service {
    State* state;
    std::uint64_t id;
  };
  bool HandleService(std::uint16_t kind, std::uint64_t id, WireReader* from);
  // Its timers are the host's, so that one whose function hangs is seen like any other function.
  struct Timer {
    State* state;
    std::uint64_t id;
    std::uint64_t in_host = 0;
  };
  void SetTimer(std::uint64_t id, std::int64_t delay);
  void CancelTimer(std::uint64_t id);
  static void FireTimer(void* context);

  // The operations end before their host, and that before this.
  std::unique_ptr<Service> TakeService(Service* service);

  const std::unique_ptr<ContainerProcess> process;
  const std::string path;
  const std::string name;
  FrameSocket socket;
  std::atomic<const drover_host*> host{nullptr};  // set before the driver is made
  Post post;                                      // likewise

  std::mutex mutex;  // of what follows
  Listener listener;
  bool dead = false;
  std::string why;     // it is being ended
  bool asked = false;  // and may first report where it hangs
  std::string told;    // the error of calls, once it is dead
  std::uint64_t next_frame = 1;
  std::map<std::uint64_t, Waiting*> waiting;
  std::map<std::uint64_t, Forward> calls;
  std::set<std::uint64_t> streams;
  std::map<std::uint64_t, std::unique_ptr<Service>> services;
  std::map<std::uint64_t, std::unique_ptr<Timer>> timers;
  std::string output;  // the last of what it wrote
  std::string line;    // of it, not complete
};

}  // namespace drover
