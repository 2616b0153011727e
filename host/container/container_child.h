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
#include "host/library/plugin_node.h"

namespace drover {

// The part of a container that runs in the driver's own process. That process runs this program,
// with one driver and nothing else. This class calls the functions of the driver that the host's
// frames name. Each function runs on a thread of its own. The host decides which functions run at
// the same time, and waits for each function to return. Calls of the driver to the host are sent
// as frames. Each process has one ContainerChild, which is never destroyed.
class ContainerChild {
 public:
  explicit ContainerChild(UniqueFd socket);

  // Loads the file of the plugin and serves frames until the host has closed the socket.
  [[noreturn]] void Run(int plugin_fd);

  // Returns the functions of the host as the driver gets them. [any thread]
  static const drover_host* Face();

  // Returns the object of this process, for the functions of Face().
  static ContainerChild& Get();
  // Sends a frame. Waits for room in the socket, by default without limit, since no frame may be
  // lost. If the host ends, this process ends, too, so the wait does not outlast the host.
  Status Send(std::uint16_t kind, std::uint64_t id, WireMessage message,
              TimePoint deadline = TimePoint::max()) {
    return socket_.Send(kind, id, std::move(message), deadline);
  }
  bool has_processes() const { return has_processes_; }
  bool has_commands() const { return has_commands_; }
  // The node of the plugin. Its directory is empty if the host has no service of the node.
  const PluginNode& node() const { return node_; }
  const drover_node_info* node_info() const { return &node_info_; }

  void Complete(std::uint64_t id, const drover_error* error, const void* result);
  bool IsCancelled(std::uint64_t id);
  std::int32_t CancelFd(std::uint64_t id, drover_fd* out, drover_error* error);
  bool IsStreamCancelled(std::uint64_t id);
  // Returns the type of the messages of a stream, or 0 if the stream has ended or was never there.
  std::int32_t StreamType(std::uint64_t id);
  void ForgetStream(std::uint64_t id);

  // A function that reads the result of a service from FROM and passes it to the driver's function
  // DONE.
  using Deliver = void (*)(WireReader* from, drover_done done, void* context);
  // Services of the first kind may have the same context. Those of another kind are found by it.
  enum class ServiceKind { kPlain, kSession, kCommand, kNamed };
  std::uint64_t AddService(drover_done done, void* context, Deliver deliver, ServiceKind kind);
  void DropService(std::uint64_t id);
  // Returns the id of the exec session, command or operation of named processes that the driver
  // started with CONTEXT, or 0 if there is none.
  std::uint64_t FindService(ServiceKind kind, void* context);

  // Starts a timer. The host runs the timer and sends a frame when it fires. FUNCTION stays in
  // this process.
  std::uint64_t SetTimer(std::int64_t delay, void (*function)(void*), void* context);
  bool CancelTimer(std::uint64_t id);

 private:
  // A function that writes RESULT, the result of a call, into the frame TO. If RESULT cannot be
  // read, the function returns false and sets WHY to the reason.
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
    ServiceKind kind;
  };
  struct Stream {
    std::int32_t type;
    bool cancelled;
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
  std::int32_t DispatchPrepare(std::uint16_t kind, WireReader* from, drover_error* error);
  std::int32_t Create(WireReader* from, drover_error* error);
  std::int32_t GetExtension(WireReader* from, drover_error* error);
  std::int32_t Subscribe(std::uint16_t kind, WireReader* from, drover_error* error);
  std::int32_t SubscribeDevices(std::uint16_t kind, WireReader* from, drover_error* error);
  std::int32_t Cancelled(WireReader* from);
  std::int32_t Resize(WireReader* from, drover_error* error);
  std::int32_t Done(WireReader* from, drover_error* error);
  std::int32_t FireTimer(WireReader* from, drover_error* error);
  template <typename Args, typename Function>
  std::int32_t DoVerb(WireReader* from, drover_error* error, const Function& function);
  void Open(std::uint64_t id, Encode encode);

  static bool EncodeCreated(const void* result, WireMessage* to, std::string* why);

  FrameSocket socket_;
  const WireForm form_;  // the form of the structs that the driver gets
  const drover_driver* driver_ = nullptr;
  std::atomic<drover_instance*> self_{nullptr};
  std::atomic<bool> has_processes_{false};
  std::atomic<bool> has_commands_{false};
  PluginNode node_;  // this and the next member are set before the driver is created
  drover_node_info node_info_{};
  std::atomic<int> receivers_{0};
  std::atomic<int> idle_{0};

  std::mutex mutex_;  // protects all members below
  std::map<std::uint64_t, Call> calls_;
  // The ids of calls that were cancelled and are not in CALLS_. Either the frame of such a call
  // has not been served yet, or the call has ended. The number of ids is limited, so that the ids
  // of ended calls do not accumulate. The lowest ids are the oldest.
  static constexpr std::size_t kMaxEarly = 1024;
  std::set<std::uint64_t> cancelled_early_;
  std::map<std::uint64_t, Stream> streams_;
  std::map<std::uint64_t, Service> services_;
  std::uint64_t next_service_ = 1;
  std::map<std::uint64_t, Timer> timers_;
  std::uint64_t next_timer_ = 1;
};

// Runs the process of a container. Descriptor 3 is the socket, 4 is the checked file of the
// plugin, and 5 is the file for a crash report. If the environment contains DROVER_GROWN, the
// driver gets structs that are larger than those of this ABI.
int RunContainerChild();
inline constexpr char kContainerArgument[] = "__plugin-host";

}  // namespace drover
