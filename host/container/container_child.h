// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "drover/drover.h"
#include "host/base/unique_fd.h"
#include "host/container/frame_kinds.h"
#include "host/container/frame_socket.h"

namespace drover {

// The inside of a container: this program again, with one driver and nothing else. It calls the
// driver's functions as the host's frames say, each on a thread of its own; which may run at a time
// is the host's affair, which waits for each to return. What the driver calls goes back as frames.
// One per process, never destroyed.
class ContainerChild {
 public:
  explicit ContainerChild(UniqueFd socket);

  // Loads the file and serves until the host has gone.
  [[noreturn]] void Run(int plugin_fd);

  // The host as the driver gets it. [any thread]
  static const drover_host* Face();

  // For the functions behind that face.
  static ContainerChild& Get();
  // Waits for room, since each frame must arrive. The host's end is this process's end.
  Status Send(std::uint16_t kind, std::uint64_t id, WireMessage message,
              TimePoint deadline = TimePoint::max()) {
    return socket_.Send(kind, id, std::move(message), deadline);
  }
  bool has_processes() const { return has_processes_; }

  void Complete(std::uint64_t id, const drover_error* error, const void* result);
  bool IsCancelled(std::uint64_t id);
  std::int32_t CancelFd(std::uint64_t id, drover_fd* out, drover_error* error);
  bool IsStreamCancelled(std::uint64_t id);
  void ForgetStream(std::uint64_t id);

  // Reads the end of a service, and calls the driver with it.
  using Deliver = void (*)(WireReader* from, drover_done done, void* context);
  std::uint64_t AddService(drover_done done, void* context, Deliver deliver, bool is_session);
  void DropService(std::uint64_t id);
  // The exec session that the driver calls CONTEXT; 0: none.
  std::uint64_t FindSession(void* context);

  // The host has the time and calls; the function stays here.
  std::uint64_t SetTimer(std::int64_t delay, void (*function)(void*), void* context);
  bool CancelTimer(std::uint64_t id);

 private:
  // How the result of a call is written.
  using Encode = bool (*)(const void* result, WireMessage* to, std::string* why);
  struct Call {
    Encode encode = nullptr;
    bool cancelled = false;
    UniqueFd event;
  };
  struct Service {
    drover_done done;
    void* context;
    Deliver deliver;
    bool is_session;  // the context of others may be the same
  };
  struct Timer {
    void (*function)(void*);
    void* context;
  };

  void Load(int plugin_fd);
  void AddReceiver();
  void Receive();
  void Serve(Frame frame);
  std::int32_t Dispatch(std::uint16_t kind, WireReader* from, drover_error* error);
  std::int32_t Create(WireReader* from, drover_error* error);
  std::int32_t GetExtension(WireReader* from);
  std::int32_t Subscribe(std::uint16_t kind, WireReader* from, drover_error* error);
  std::int32_t Cancelled(WireReader* from);
  std::int32_t Resize(WireReader* from, drover_error* error);
  std::int32_t Done(WireReader* from, drover_error* error);
  std::int32_t FireTimer(WireReader* from, drover_error* error);
  template <typename Args, typename Function>
  std::int32_t DoVerb(WireReader* from, drover_error* error, const Function& function);
  void Open(std::uint64_t id, Encode encode);

  static bool EncodeCreated(const void* result, WireMessage* to, std::string* why);

  FrameSocket socket_;
  const WireForm form_;  // of what the driver is given
  const drover_driver* driver_ = nullptr;
  std::atomic<drover_instance*> self_{nullptr};
  std::atomic<bool> has_processes_{false};
  std::atomic<int> receivers_{0};
  std::atomic<int> idle_{0};

  std::mutex mutex_;  // of what follows
  std::map<std::uint64_t, Call> calls_;
  // Cancelled, and not known: their verbs are on their way, or they have ended. Their number is
  // bounded, so that the latter do not gather; the lowest are the oldest.
  static constexpr std::size_t kMaxEarly = 1024;
  std::set<std::uint64_t> cancelled_early_;
  std::map<std::uint64_t, bool> streams_;  // whether it was cancelled
  std::map<std::uint64_t, Service> services_;
  std::uint64_t next_service_ = 1;
  std::map<std::uint64_t, Timer> timers_;
  std::uint64_t next_timer_ = 1;
};

// The child's side: descriptor 3 is the socket, 4 the checked file, 5 takes a crash report.
// DROVER_GROWN in its environment: the driver is given structs that are larger than this ABI's.
int RunContainerChild();
inline constexpr char kContainerArgument[] = "__plugin-host";

}  // namespace drover
