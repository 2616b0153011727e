// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/container/container_child.h"

#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "host/abi/abi_read.h"
#include "host/abi/abi_verbs.h"
#include "host/abi/abi_write.h"
#include "host/abi/optional_part.h"
#include "host/abi/plugin_info.h"
#include "host/container/crash_report.h"
#include "host/library/loader.h"

namespace drover {
namespace {

// The maximum number of threads that receive frames. The host calls functions on fewer threads
// than this. So the driver never runs more functions at the same time than there can be receivers.
constexpr int kMaxReceivers = 64;

ContainerChild* the_child = nullptr;

template <typename T>
bool EncodeResult(const void* result, WireMessage* to, std::string* why) {
  return PutResult(to, static_cast<const T*>(result), why);
}

// Returns null if the driver lacks the part. The host has refused a driver with a broken part, so
// only a driver that answers in two ways gets that far.
template <typename T>
const T* Part(const drover_driver* driver, drover_instance* self, const char* id) {
  const Result<const T*> found = FindPart<T>(driver, self, id);
  return found.ok() ? *found : nullptr;
}

// The type of the messages of the stream that a frame of KIND opens.
std::int32_t MessageType(std::uint16_t kind) {
  switch (kind) {
    case frame_kind::kFingerprint:
      return DROVER_MESSAGE_FINGERPRINT;
    case frame_kind::kEvents:
      return DROVER_MESSAGE_EVENT;
    case frame_kind::kNews:
      return DROVER_MESSAGE_TASK_NEWS;
    case frame_kind::kDevices:
      return DROVER_MESSAGE_DEVICES;
    case frame_kind::kDeviceStats:
      return DROVER_MESSAGE_DEVICE_STATS;
    default:
      return DROVER_MESSAGE_STATS;
  }
}

std::int32_t BadFrame(drover_error* error) {
  return Refuse(Error(Code::kInternal, "the host has sent a frame that cannot be read"), error);
}

}  // namespace

ContainerChild& ContainerChild::Get() { return *the_child; }

// ------------------------------------------------------------------------------- the process

ContainerChild::ContainerChild(UniqueFd socket)
    : socket_(std::move(socket)),
      form_(getenv("DROVER_GROWN") == nullptr ? WireForm::kPlain : WireForm::kGrown) {}

void ContainerChild::Run(int plugin_fd) {
  the_child = this;
  std::thread([this, plugin_fd] {
    const ReportedThread reported;
    Load(plugin_fd);
    AddReceiver();
  }).detach();
  // The main thread calls no function of the driver, so it always notices that the host has closed
  // the socket.
  sigset_t waiting;
  pthread_sigmask(SIG_SETMASK, nullptr, &waiting);
  sigdelset(&waiting, SIGQUIT);
  pollfd event{socket_.fd(), 0, 0};
  while (ppoll(&event, 1, nullptr, &waiting) <= 0) continue;
  // If the host wants a report of where this process hangs, it sends SIGQUIT before it closes the
  // socket. A pending SIGQUIT is handled before the exit.
  sigset_t asked;
  while (sigpending(&asked) == 0 && sigismember(&asked, SIGQUIT) == 1) sigsuspend(&waiting);
  _exit(0);
}

void ContainerChild::Load(int plugin_fd) {
  const auto load = [&]() -> Result<PluginInfo> {
    const ReportedFunction in("its constructors");
    PluginFile file;
    file.fd.Reset(plugin_fd);
    file.path = "plugin";  // the host replaces this by the real path
    DROVER_ASSIGN(const ElfFile elf, ElfFile::Open(plugin_fd));
    DROVER_ASSIGN(file.manifest, ReadManifest(elf));
    const Manifest manifest = file.manifest;
    DROVER_ASSIGN(driver_, LoadPluginCode(std::move(file)));
    return AskInfo("plugin", manifest, driver_);
  };
  const Result<PluginInfo> info = load();
  WireMessage message;
  WireWriter to(&message);
  auto error = NewStruct<drover_error>();
  if (!info.ok()) WriteError(info.error(), &error);
  PutError(&to, info.ok() ? nullptr : &error);
  if (info.ok()) to(ToStr(PluginInfoToJson(*info)));
  (void)Send(frame_kind::kLoaded, 0, std::move(message));
}

void ContainerChild::AddReceiver() {
  if (receivers_.fetch_add(1) >= kMaxReceivers) {
    --receivers_;
    return;
  }
  try {
    std::thread([this] { Receive(); }).detach();
  } catch (const std::system_error&) {
    // This thread could not be started. When all other receiver threads are busy, the last of them
    // calls AddReceiver again. If no thread receives frames at all, the host gets no answer and
    // notices that.
    --receivers_;
  }
}

// Receives frames and serves them. The thread that receives a frame also serves it, so no frame is
// passed to another thread. Some thread always waits for the next frame.
void ContainerChild::Receive() {
  const ReportedThread reported;
  while (true) {
    Frame frame;
    std::string why;
    ++idle_;
    const Received received = socket_.Receive(&frame, /*wait=*/true, &why);
    while (received == Received::kClosed) pause();  // the main thread exits the process
    if (--idle_ == 0) AddReceiver();
    if (received == Received::kFrame) {
      Serve(std::move(frame));
      continue;
    }
    std::fprintf(stderr, "the host sent %s\n", why.c_str());
    _exit(1);
  }
}

// --------------------------------------------------------------- functions that the host calls

void ContainerChild::Serve(Frame frame) {
  const std::uint16_t kind = frame.kind;
  auto error = NewStruct<drover_error>();
  std::int32_t status = DROVER_OK;
  {
    WireReader from(std::move(frame.message), form_);
    const ReportedFunction in(FrameFunction(kind));
    try {
      status = Dispatch(kind, &from, &error);
    } catch (...) {
      status = Refuse(
          Error(Code::kInternal, "it threw an exception out of a function of the plugin ABI"),
          &error);
    }
  }
  WireMessage answer;
  WireWriter to(&answer);
  to(status);
  if (status != DROVER_OK) error.code = status;
  PutError(&to, status == DROVER_OK ? nullptr : &error);
  (void)Send(frame_kind::kReturn, frame.id, std::move(answer));
}

template <typename Args, typename Function>
std::int32_t ContainerChild::DoVerb(WireReader* from, drover_error* error,
                                    const Function& function) {
  const auto* call = from->Struct<drover_call>();
  const auto* args = from->Struct<Args>();
  if (!from->Done()) return BadFrame(error);
  const std::uint64_t id = call->id;
  Open(id, &EncodeResult<typename ResultOf<Args>::Type>);
  const std::int32_t status = function(call, args);
  if (status != DROVER_OK) {
    const std::lock_guard lock(mutex_);
    calls_.erase(id);
  }
  return status;
}

std::int32_t ContainerChild::Dispatch(std::uint16_t kind, WireReader* from, drover_error* error) {
  // Timers also fire while the instance is being created.
  if (kind == frame_kind::kTimer) return FireTimer(from, error);
  drover_instance* const self = self_;
  if (self == nullptr && kind != frame_kind::kCreate) {
    return Refuse(Error(Code::kFailedPrecondition, "there is no instance"), error);
  }
  switch (kind) {
    case frame_kind::kCreate:
      return Create(from, error);
    case frame_kind::kGetExtension:
      return GetExtension(from, error);
    case frame_kind::kFingerprint:
    case frame_kind::kEvents:
    case frame_kind::kStats:
    case frame_kind::kNews:
      return Subscribe(kind, from, error);
    case frame_kind::kDevices:
    case frame_kind::kDeviceStats:
      return SubscribeDevices(kind, from, error);
    case frame_kind::kReserve: {
      const drover_device_plugin* const devices =
          Part<drover_device_plugin>(driver_, self, DROVER_DEVICE_ID);
      if (devices == nullptr)
        return Refuse(Error(Code::kUnimplemented, "it has no devices"), error);
      return DoVerb<drover_reserve_args>(from, error, [&](const auto* call, const auto* args) {
        return devices->reserve(self, call, args, error);
      });
    }
    case frame_kind::kStreamCancel:
    case frame_kind::kCallCancelled:
      return kind == frame_kind::kCallCancelled ? Cancelled(from) : [&] {
        const auto id = from->Number<std::uint64_t>();
        {
          const std::lock_guard lock(mutex_);
          if (const auto found = streams_.find(id); found != streams_.end())
            found->second.cancelled = true;
        }
        driver_->stream_cancel(self, id);
        return std::int32_t{DROVER_OK};
      }();
    case frame_kind::kStreamJoin: {
      const auto id = from->Number<std::uint64_t>();
      const auto deadline = from->Number<std::int64_t>();
      return driver_->stream_join(self, id, deadline, error);
    }
    case frame_kind::kExec: {
      const auto* exec = Part<drover_task_exec>(driver_, self, DROVER_TASK_EXEC_ID);
      if (exec == nullptr) return Refuse(Error(Code::kUnimplemented, "it has no exec"), error);
      return DoVerb<drover_exec_args>(from, error, [&](const auto* call, const auto* args) {
        return exec->exec(self, call, args, error);
      });
    }
    case frame_kind::kResize:
      return Resize(from, error);
    case frame_kind::kHook: {
      const auto* hooks = Part<drover_task_hooks>(driver_, self, DROVER_TASK_HOOKS_ID);
      if (hooks == nullptr)
        return Refuse(Error(Code::kUnimplemented, "it has no task hooks"), error);
      return DoVerb<drover_hook_args>(from, error, [&](const auto* call, const auto* args) {
        return hooks->hook(self, call, args, error);
      });
    }
    case frame_kind::kCapabilities: {
      const auto* capable = Part<drover_capable>(driver_, self, DROVER_CAPABILITIES_ID);
      if (capable == nullptr)
        return Refuse(Error(Code::kUnimplemented, "it has no capabilities"), error);
      return DoVerb<drover_capabilities_args>(from, error, [&](const auto* call, const auto* args) {
        return capable->capabilities(self, call, args, error);
      });
    }
    case frame_kind::kPause: {
      const auto* pause = Part<drover_task_pause>(driver_, self, DROVER_TASK_PAUSE_ID);
      if (pause == nullptr)
        return Refuse(Error(Code::kUnimplemented, "it cannot pause tasks"), error);
      return DoVerb<drover_pause_args>(from, error, [&](const auto* call, const auto* args) {
        return pause->pause(self, call, args, error);
      });
    }
    case frame_kind::kPrepareKey:
    case frame_kind::kPrepare:
    case frame_kind::kListPrepared:
    case frame_kind::kRemovePrepared:
      return DispatchPrepare(kind, from, error);
    case frame_kind::kDone:
      return Done(from, error);
#define DROVER_CHILD_VERB(verb_name, tag)                                                          \
  case frame_kind::verb::verb_name:                                                                \
    return DoVerb<drover_##verb_name##_args>(from, error,                                          \
                                             [&](const auto* call, const auto* args) {             \
                                               return driver_->verb_name(self, call, args, error); \
                                             });
      DROVER_ASYNC_VERBS(DROVER_CHILD_VERB)
#undef DROVER_CHILD_VERB
    default:
      return BadFrame(error);
  }
}

std::int32_t ContainerChild::DispatchPrepare(std::uint16_t kind, WireReader* from,
                                             drover_error* error) {
  drover_instance* const self = self_;
  const drover_task_prepare* const table =
      Part<drover_task_prepare>(driver_, self, DROVER_TASK_PREPARE_ID);
  if (table == nullptr) {
    return Refuse(Error(Code::kUnimplemented, "it prepares no tasks"), error);
  }
  switch (kind) {
    case frame_kind::kPrepareKey:
      return DoVerb<drover_prepare_key_args>(from, error, [&](const auto* call, const auto* args) {
        return table->key(self, call, args, error);
      });
    case frame_kind::kPrepare:
      return DoVerb<drover_prepare_args>(from, error, [&](const auto* call, const auto* args) {
        return table->prepare(self, call, args, error);
      });
    case frame_kind::kListPrepared:
      return DoVerb<drover_prepared_list_args>(
          from, error,
          [&](const auto* call, const auto* args) { return table->list(self, call, args, error); });
    default:
      return DoVerb<drover_prepared_remove_args>(from, error,
                                                 [&](const auto* call, const auto* args) {
                                                   return table->remove(self, call, args, error);
                                                 });
  }
}

// Writes the result of create. The pointer to the instance stays in this process. The host only
// receives whether there is an instance.
bool ContainerChild::EncodeCreated(const void* result, WireMessage* to, std::string* why) {
  const auto made = CopyStruct(static_cast<const drover_create_result*>(result));
  if (!made.ok()) {
    *why = made.error().message();
    return false;
  }
  Get().self_ = made->instance;
  WireWriter writer(to);
  writer(static_cast<std::uint8_t>(made->instance != nullptr));
  if (made->instance == nullptr) return true;
  const bool readable = made->info == nullptr || CopyStruct(made->info).ok();
  if (readable) writer.Pointer(made->info);
  if (readable && writer.ok()) return true;
  *why = "what it tells of itself cannot be read";
  return false;
}

std::int32_t ContainerChild::Create(WireReader* from, drover_error* error) {
  has_processes_ = from->Number<std::uint8_t>() != 0;
  has_commands_ = from->Number<std::uint8_t>() != 0;
  const drover_node_info* node = nullptr;
  from->Pointer(node);
  const auto* call = from->Struct<drover_call>();
  const auto* args = from->Struct<drover_create_args>();
  if (!from->Done()) return BadFrame(error);
  if (node != nullptr) node_ = ReadNodeInfo(*node);
  node_info_ = ToNodeInfo(node_);
  Open(call->id, &EncodeCreated);
  const std::int32_t status = driver_->create(Face(), call, args, error);
  if (status != DROVER_OK) {
    const std::lock_guard lock(mutex_);
    calls_.erase(call->id);
  }
  return status;
}

std::int32_t ContainerChild::GetExtension(WireReader* from, drover_error* error) {
  drover_str id{};
  (*from)(id);
  if (!from->Done()) return BadFrame(error);
  const Result<const void*> table =
      FindPart<void>(driver_, self_, std::string_view(id.data, id.size));
  if (!table.ok()) return Refuse(table.error(), error);
  return *table != nullptr ? DROVER_OK : DROVER_E_NOT_FOUND;
}

std::int32_t ContainerChild::Subscribe(std::uint16_t kind, WireReader* from, drover_error* error) {
  const auto id = from->Number<std::uint64_t>();
  {
    const std::lock_guard lock(mutex_);
    streams_[id] = {MessageType(kind), false};
  }
  std::int32_t status = DROVER_OK;
  if (kind == frame_kind::kFingerprint) {
    status = driver_->fingerprint(self_, id, error);
  } else if (kind == frame_kind::kEvents) {
    status = driver_->events(self_, id, error);
  } else if (kind == frame_kind::kNews) {
    const auto* source = Part<drover_news_source>(driver_, self_, DROVER_TASK_NEWS_ID);
    status = source == nullptr ? Refuse(Error(Code::kUnimplemented, "it has no news"), error)
                               : source->news(self_, id, error);
  } else {
    const auto* run = from->Struct<drover_run_id>();
    auto args = NewStruct<drover_stats_args>();
    args.interval = from->Number<std::int64_t>();
    args.flags = from->Number<std::uint32_t>();
    const auto* stats = Part<drover_task_stats>(driver_, self_, DROVER_TASK_STATS_ID);
    status = stats == nullptr ? Refuse(Error(Code::kUnimplemented, "it has no statistics"), error)
                              : stats->stats(self_, id, run, &args, error);
  }
  if (status != DROVER_OK) ForgetStream(id);
  return status;
}

std::int32_t ContainerChild::SubscribeDevices(std::uint16_t kind, WireReader* from,
                                              drover_error* error) {
  const auto id = from->Number<std::uint64_t>();
  {
    const std::lock_guard lock(mutex_);
    streams_[id] = {MessageType(kind), false};
  }
  std::int32_t status = DROVER_OK;
  const drover_device_plugin* const devices =
      Part<drover_device_plugin>(driver_, self_, DROVER_DEVICE_ID);
  if (devices == nullptr) {
    status = Refuse(Error(Code::kUnimplemented, "it has no devices"), error);
  } else if (kind == frame_kind::kDevices) {
    status = devices->devices(self_, id, error);
  } else {
    auto args = NewStruct<drover_stats_args>();
    args.interval = from->Number<std::int64_t>();
    status = devices->stats(self_, id, &args, error);
  }
  if (status != DROVER_OK) ForgetStream(id);
  return status;
}

std::int32_t ContainerChild::Cancelled(WireReader* from) {
  const auto id = from->Number<std::uint64_t>();
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = calls_.find(id); found != calls_.end()) {
      found->second.cancelled = true;
      const std::uint64_t one = 1;
      if (found->second.event) (void)!write(found->second.event.get(), &one, sizeof one);
    } else {
      // Another thread may have received the frame that begins this call without having served it
      // yet.
      cancelled_early_.insert(id);
      if (cancelled_early_.size() > kMaxEarly) cancelled_early_.erase(cancelled_early_.begin());
    }
  }
  driver_->call_cancelled(self_, id);
  return DROVER_OK;
}

std::int32_t ContainerChild::Resize(WireReader* from, drover_error* error) {
  const auto session = from->Number<std::uint64_t>();
  const auto width = from->Number<std::int32_t>();
  const auto height = from->Number<std::int32_t>();
  const auto* exec = Part<drover_task_exec>(driver_, self_, DROVER_TASK_EXEC_ID);
  if (exec == nullptr) return Refuse(Error(Code::kUnimplemented, "it has no exec"), error);
  return exec->resize(self_, session, width, height, error);
}

std::int32_t ContainerChild::Done(WireReader* from, drover_error* error) {
  const auto id = from->Number<std::uint64_t>();
  Service service{};
  {
    const std::lock_guard lock(mutex_);
    const auto found = services_.find(id);
    if (found == services_.end()) return BadFrame(error);
    service = found->second;
    services_.erase(found);
  }
  service.deliver(from, service.done, service.context);
  return DROVER_OK;
}

std::int32_t ContainerChild::FireTimer(WireReader* from, drover_error* error) {
  const auto id = from->Number<std::uint64_t>();
  if (!from->Done()) return BadFrame(error);
  Timer timer{};
  {
    const std::lock_guard lock(mutex_);
    const auto node = timers_.extract(id);
    if (node.empty()) return DROVER_OK;  // the driver has cancelled the timer
    timer = node.mapped();
  }
  timer.function(timer.context);
  return DROVER_OK;
}

// ------------------------------------------------------------- functions that the driver calls

void ContainerChild::Open(std::uint64_t id, Encode encode) {
  const std::lock_guard lock(mutex_);
  Call& call = calls_[id];
  call.encode = encode;
  call.cancelled = cancelled_early_.erase(id) > 0;
}

void ContainerChild::Complete(std::uint64_t id, const drover_error* error, const void* result) {
  Encode encode = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = calls_.find(id); found != calls_.end()) {
      encode = found->second.encode;
      calls_.erase(found);
    }
  }
  WireMessage message;
  WireMessage body;
  std::string why;
  auto unreadable = NewStruct<drover_error>();
  // If this process does not know the call, the host does not know it either. The host then drops
  // and logs the completion, so the frame needs no result.
  if (encode != nullptr && error == nullptr && !encode(result, &body, &why)) {
    body = WireMessage();
    WriteError(Error(Code::kInternal, "its answer: " + why), &unreadable);
    error = &unreadable;
  }
  WireWriter to(&message);
  PutError(&to, error);
  message.bytes += body.bytes;
  (void)Send(frame_kind::kComplete, id, std::move(message));
}

bool ContainerChild::IsCancelled(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(id);
  return found == calls_.end() || found->second.cancelled;
}

std::int32_t ContainerChild::CancelFd(std::uint64_t id, drover_fd* out, drover_error* error) {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(id);
  if (found == calls_.end()) {
    return Refuse(Error(Code::kNotFound, "the call is completed or unknown"), error);
  }
  Call& call = found->second;
  if (!call.event) {
    call.event.Reset(eventfd(call.cancelled ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK));
  }
  const int copy = call.event ? fcntl(call.event.get(), F_DUPFD_CLOEXEC, 3) : -1;
  if (copy < 0) return Refuse(ErrnoError(errno, "eventfd"), error);
  *out = {copy, DROVER_FD_GIVEN};
  return DROVER_OK;
}

bool ContainerChild::IsStreamCancelled(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(id);
  return found == streams_.end() || found->second.cancelled;
}

std::int32_t ContainerChild::StreamType(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(id);
  return found == streams_.end() ? 0 : found->second.type;
}

void ContainerChild::ForgetStream(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  streams_.erase(id);
}

std::uint64_t ContainerChild::AddService(drover_done done, void* context, Deliver deliver,
                                         ServiceKind kind) {
  const std::lock_guard lock(mutex_);
  services_[next_service_] = {done, context, deliver, kind};
  return next_service_++;
}

void ContainerChild::DropService(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  services_.erase(id);
}

std::uint64_t ContainerChild::FindService(ServiceKind kind, void* context) {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, service] : services_) {
    if (service.kind == kind && service.context == context) return id;
  }
  return 0;
}

std::uint64_t ContainerChild::SetTimer(std::int64_t delay, void (*function)(void*), void* context) {
  std::uint64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = next_timer_++;
    if (function == nullptr) return id;
    timers_[id] = {function, context};
  }
  WireMessage message;
  WireWriter to(&message);
  to(delay);
  (void)Send(frame_kind::kTimerAfter, id, std::move(message));
  return id;
}

bool ContainerChild::CancelTimer(std::uint64_t id) {
  {
    const std::lock_guard lock(mutex_);
    if (timers_.erase(id) == 0) return false;
  }
  (void)Send(frame_kind::kTimerCancel, id, WireMessage());
  return true;
}

int RunContainerChild() {
  syscall(SYS_close_range, 6u, ~0u, 0u);
  for (const int fd : {3, 4, 5}) fcntl(fd, F_SETFD, FD_CLOEXEC);
  prctl(PR_SET_NAME, "drover-plugin");
  InstallCrashReport(5);
  // The object is never destroyed, because the driver's threads use it until the process exits.
  (new ContainerChild(UniqueFd(3)))->Run(4);
}

}  // namespace drover
