// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The functions of the host that a driver inside a container gets. Each function sends a frame.
#include <string_view>

#include "host/abi/abi_read.h"
#include "host/abi/abi_write.h"
#include "host/abi/process2_read.h"
#include "host/container/container_child.h"

namespace drover {
namespace {

ContainerChild& Child() { return ContainerChild::Get(); }

void Complete(const drover_host*, std::uint64_t id, const drover_error* error, const void* result) {
  Child().Complete(id, error, result);
}

std::int32_t CallIsCancelled(const drover_host*, std::uint64_t id) {
  return Child().IsCancelled(id) ? 1 : 0;
}

std::int32_t CallCancelFd(const drover_host*, std::uint64_t id, drover_fd* out,
                          drover_error* error) {
  if (out == nullptr) {
    return Refuse(Error(Code::kInvalidArgument, "there is no place for the fd"), error);
  }
  return Child().CancelFd(id, out, error);
}

// ------------------------------------------------------------------------------------- streams

template <typename T>
bool PutMessage(WireMessage* to, const drover_message* message, std::string* why) {
  const void* whole = message;
  return PutResult(to, static_cast<const T*>(whole), why);
}

std::int32_t StreamSend(const drover_host*, std::uint64_t id, const drover_message* message) {
  WireMessage frame;
  std::string why;
  const Result<drover_message> head = CopyStruct(message);
  const std::int32_t type = head.ok() ? head->type : 0;
  WireWriter to(&frame);
  to(type);
  bool readable = false;
  const bool fits = type == Child().StreamType(id);
  if (!fits) {
    // The type may be wrong and the message another struct, so nothing of it is read.
  } else if (type == DROVER_MESSAGE_FINGERPRINT) {
    readable = PutMessage<drover_fingerprint>(&frame, message, &why);
  } else if (type == DROVER_MESSAGE_EVENT) {
    readable = PutMessage<drover_event>(&frame, message, &why);
  } else if (type == DROVER_MESSAGE_STATS) {
    readable = PutMessage<drover_stats>(&frame, message, &why);
  } else if (type == DROVER_MESSAGE_DEVICES) {
    readable = PutMessage<drover_devices>(&frame, message, &why);
  } else if (type == DROVER_MESSAGE_DEVICE_STATS) {
    readable = PutMessage<drover_device_stats>(&frame, message, &why);
  } else if (type == DROVER_MESSAGE_TASK_NEWS) {
    readable = PutMessage<drover_task_news>(&frame, message, &why);
  }
  // A message that cannot be read is sent without its body. The host then reports that the message
  // is broken.
  if (!readable) to(fits ? kNoBody : kOtherType);
  // If the host is slow, this call waits, so the driver is slowed down, too (back-pressure).
  (void)Child().Send(frame_kind::kStreamSend, id, std::move(frame));
  return Child().IsStreamCancelled(id) ? 1 : 0;
}

void StreamEnd(const drover_host*, std::uint64_t id, const drover_error* error) {
  Child().ForgetStream(id);
  WireMessage frame;
  WireWriter to(&frame);
  PutError(&to, error);
  (void)Child().Send(frame_kind::kStreamEnd, id, std::move(frame));
}

// ------------------------------------------------------------------------------------ services

template <typename T>
void DeliverDone(WireReader* from, drover_done done, void* context) {
  std::optional<drover_error> error = GetError(from);
  const T* result = nullptr;
  from->Pointer(result);
  if (!from->Done()) {
    error = NewStruct<drover_error>();
    WriteError(Error(Code::kInternal, "the service's result cannot be read"), &*error);
    result = nullptr;
  }
  done(context, error ? &*error : nullptr, result);
}

// Closes the descriptors in ARGS with the ownership DROVER_FD_GIVEN. The receiver of a call must
// close them even if it refuses the call.
template <typename Args>
void CloseGiven(const Args* args) {
  const auto close_all = [](const auto& from) {
    for (const drover_fd& fd : {from.input, from.output, from.error}) {
      if (fd.ownership == DROVER_FD_GIVEN && fd.fd >= 0) close(fd.fd);
    }
  };
  if constexpr (std::is_same_v<Args, drover_exec_args>) close_all(*args);
  if constexpr (std::is_same_v<Args, drover_process2_start_args>) {
    const Result<drover_process2_start_args> raw = CopyStruct(args);
    if (!raw.ok()) return;
    close_all(*raw);
    (void)ReadArray<drover_process2_descriptor>(
        raw->descriptors, sizeof(std::uint32_t),
        [](const drover_process2_descriptor* at) -> Status {
          const Result<drover_process2_descriptor> one = CopyStruct(at);
          if (one.ok() && one->fd.ownership == DROVER_FD_GIVEN && one->fd.fd >= 0)
            close(one->fd.fd);
          return {};
        });
  }
  if constexpr (std::is_same_v<Args, drover_process2_exec_args>) {
    const Result<drover_process2_exec_args> raw = CopyStruct(args);
    if (!raw.ok()) return;
    const Result<drover_exec_args> command = CopyStruct(raw->command);
    if (command.ok()) close_all(*command);
  }
}

template <typename Args>
constexpr ContainerChild::ServiceKind KindOf() {
  using Kind = ContainerChild::ServiceKind;
  return std::is_same_v<Args, drover_exec_args> ? Kind::kSession : Kind::kPlain;
}

template <typename Args, typename ResultType>
std::int32_t Submit(std::uint16_t kind, const drover_run_id* run, const Args* args,
                    drover_done done, void* context, drover_error* error,
                    ContainerChild::ServiceKind service = KindOf<Args>()) {
  if (run == nullptr || done == nullptr || args == nullptr) {
    return Refuse(Error(Code::kInvalidArgument, "a service needs a run, arguments and a function"),
                  error);
  }
  // On its way to the host, each descriptor becomes one that is given.
  if constexpr (requires { CheckOwnerships(args); }) {
    if (const Status known = CheckOwnerships(args); !known.ok()) {
      CloseGiven(args);
      return Refuse(known.error(), error);
    }
  }
  WireMessage frame;
  WireWriter to(&frame);
  to(*run);
  to.Struct(args);
  if (!to.ok()) {
    CloseGiven(args);
    return Refuse(Error(Code::kInvalidArgument, "the arguments cannot be read"), error);
  }
  const std::uint64_t id = Child().AddService(done, context, &DeliverDone<ResultType>, service);
  if (const Status sent = Child().Send(kind, id, std::move(frame)); !sent.ok()) {
    Child().DropService(id);
    return Refuse(sent.error(), error);
  }
  // The host may still refuse the operation later. Then DONE gets the refusal as the result.
  return DROVER_OK;
}

#define DROVER_CHILD_PROCESS(function, args_type, result_type)                                     \
  std::int32_t function##_process(const drover_host*, const drover_run_id* run,                    \
                                  const args_type* args, drover_done done, void* context,          \
                                  drover_error* error) {                                           \
    return Submit<args_type, result_type>(frame_kind::process::function, run, args, done, context, \
                                          error);                                                  \
  }
DROVER_PROCESS_FUNCTIONS(DROVER_CHILD_PROCESS)
#undef DROVER_CHILD_PROCESS

#define DROVER_CHILD_NAMED(function, args_type, result_type)                                    \
  std::int32_t function##_named(const drover_host*, const drover_run_id* run,                   \
                                const args_type* args, drover_done done, void* context,         \
                                drover_error* error) {                                          \
    return Submit<args_type, result_type>(frame_kind::process2::function, run, args, done,      \
                                          context, error, ContainerChild::ServiceKind::kNamed); \
  }
DROVER_PROCESS2_FUNCTIONS(DROVER_CHILD_NAMED)
#undef DROVER_CHILD_NAMED

void CancelNamed(const drover_host*, void* context) {
  const std::uint64_t id = Child().FindService(ContainerChild::ServiceKind::kNamed, context);
  if (id != 0) (void)Child().Send(frame_kind::kCancelNamed, id, WireMessage());
}

std::int32_t ExecResize(const drover_host*, void* context, std::int32_t width, std::int32_t height,
                        drover_error* error) {
  const std::uint64_t id = Child().FindService(ContainerChild::ServiceKind::kSession, context);
  if (id == 0) return DROVER_OK;  // the session has ended
  WireMessage frame;
  WireWriter to(&frame);
  to(width);
  to(height);
  const Status sent = Child().Send(frame_kind::kExecResize, id, std::move(frame));
  return sent.ok() ? DROVER_OK : Refuse(sent.error(), error);
}

void ExecEnd(const drover_host*, void* context) {
  const std::uint64_t id = Child().FindService(ContainerChild::ServiceKind::kSession, context);
  if (id != 0) (void)Child().Send(frame_kind::kExecEnd, id, WireMessage());
}

std::int32_t OpenOutput(const drover_host*, const drover_run_id* run, drover_done done,
                        void* context, drover_error* error) {
  const auto none = NewStruct<drover_process_none_args>();
  return Submit<drover_process_none_args, drover_task_output_pipes>(frame_kind::kOpenOutput, run,
                                                                    &none, done, context, error);
}

std::int32_t RunCommand(const drover_host*, const drover_command_args* args, drover_done done,
                        void* context, drover_error* error) {
  if (done == nullptr || args == nullptr) {
    return Refuse(Error(Code::kInvalidArgument, "a command needs arguments and a function"), error);
  }
  WireMessage frame;
  WireWriter to(&frame);
  to.Struct(args);
  if (!to.ok()) {
    return Refuse(Error(Code::kInvalidArgument, "the arguments cannot be read"), error);
  }
  const std::uint64_t id = Child().AddService(done, context, &DeliverDone<drover_command_result>,
                                              ContainerChild::ServiceKind::kCommand);
  if (const Status sent = Child().Send(frame_kind::kRunCommand, id, std::move(frame)); !sent.ok()) {
    Child().DropService(id);
    return Refuse(sent.error(), error);
  }
  return DROVER_OK;
}

void CancelCommand(const drover_host*, void* context) {
  const std::uint64_t id = Child().FindService(ContainerChild::ServiceKind::kCommand, context);
  if (id != 0) (void)Child().Send(frame_kind::kCancelCommand, id, WireMessage());
}

std::int32_t InterpolateTexts(const drover_host*, const drover_run_id* run,
                              const drover_interpolate_args* args, drover_done done, void* context,
                              drover_error* error) {
  return Submit<drover_interpolate_args, drover_interpolate_result>(frame_kind::kInterpolate, run,
                                                                    args, done, context, error);
}

std::int32_t MakePlace(const drover_host*, const drover_run_id* run, drover_done done,
                       void* context, drover_error* error) {
  const auto none = NewStruct<drover_process_none_args>();
  return Submit<drover_process_none_args, drover_place>(frame_kind::kMakePlace, run, &none, done,
                                                        context, error);
}

std::int32_t RemovePlace(const drover_host*, const drover_run_id* run, drover_done done,
                         void* context, drover_error* error) {
  const auto none = NewStruct<drover_process_none_args>();
  return Submit<drover_process_none_args, drover_empty_result>(frame_kind::kRemovePlace, run, &none,
                                                               done, context, error);
}

// Waits only a short time for room in the socket, because a line of the log may be lost.
void WriteLog(const drover_host*, std::int32_t level, const drover_run_id* run,
              drover_str message) {
  constexpr std::size_t kLongest = 8u << 10;
  if (message.data == nullptr) return;
  message.size = std::min(message.size, kLongest);
  WireMessage frame;
  WireWriter to(&frame);
  to(level);
  to(static_cast<std::uint8_t>(run != nullptr));
  to(run != nullptr ? *run : drover_run_id{});
  to(message);
  (void)Child().Send(frame_kind::kLog, 0, std::move(frame), BootClock::now() + 100ms);
}

std::uint64_t TimerAfter(const drover_host*, std::int64_t delay, void (*function)(void*),
                         void* context) {
  return Child().SetTimer(delay, function, context);
}

std::int32_t TimerCancel(const drover_host*, std::uint64_t id) {
  return Child().CancelTimer(id) ? 1 : 0;
}

// The two below wait only a short time for room in the socket. The host may not know the call any
// more, and then drops what it gets.
std::int32_t SendOfCall(std::uint16_t kind, std::uint64_t call, WireMessage frame) {
  if (Child().IsCancelled(call)) return 0;  // it was completed, given up or never there
  return Child().Send(kind, call, std::move(frame), BootClock::now() + 100ms).ok() ? 1 : 0;
}

std::int32_t ReportProgress(const drover_host*, std::uint64_t call,
                            const drover_progress_report* report) {
  const Result<TaskProgress> progress = ReadProgress(report);
  if (!progress.ok()) return 0;
  auto copy = NewStruct<drover_progress_report>();
  copy.phase = ToStr(progress->phase);
  copy.done = progress->done;
  copy.total = progress->total;
  copy.unit = ToStr(progress->unit);
  copy.text = ToStr(progress->text);
  WireMessage frame;
  WireWriter to(&frame);
  to.Struct(&copy);
  return SendOfCall(frame_kind::kProgress, call, std::move(frame));
}

std::int32_t ExtendCall(const drover_host*, std::uint64_t call, std::int64_t more) {
  WireMessage frame;
  WireWriter to(&frame);
  to(more);
  return SendOfCall(frame_kind::kExtend, call, std::move(frame));
}

#define DROVER_CHILD_MEMBER(function, args_type, result_type) function##_process,
const drover_process kProcess = {sizeof(drover_process), 0,
                                 DROVER_PROCESS_FUNCTIONS(DROVER_CHILD_MEMBER) ExecResize, ExecEnd};
#undef DROVER_CHILD_MEMBER
#define DROVER_CHILD_NAMED_MEMBER(function, args_type, result_type) function##_named,
const drover_process2 kProcess2 = {
    sizeof(drover_process2), 0, DROVER_PROCESS2_FUNCTIONS(DROVER_CHILD_NAMED_MEMBER) CancelNamed};
#undef DROVER_CHILD_NAMED_MEMBER
const drover_task_output kTaskOutput = {sizeof(drover_task_output), 0, OpenOutput};
const drover_node_info* GetNode(const drover_host*) { return Child().node_info(); }

// The process of a plugin has the user and the files of the host, so it makes the directories
// itself.
std::int32_t MakeDirectories(const drover_host*, drover_error* error) {
  const Status made = MakePluginDirectories(Child().node());
  return made.ok() ? DROVER_OK : Refuse(made.error(), error);
}

const drover_diag_log kDiagLog = {sizeof(drover_diag_log), 0, WriteLog};
const drover_timer kTimer = {sizeof(drover_timer), 0, TimerAfter, TimerCancel};
const drover_command kCommand = {sizeof(drover_command), 0, RunCommand, CancelCommand};
const drover_node kNode = {sizeof(drover_node), 0, GetNode, MakeDirectories};
const drover_progress kProgress = {sizeof(drover_progress), 0, ReportProgress, ExtendCall};
const drover_task_env kTaskEnv = {sizeof(drover_task_env), 0, InterpolateTexts};
const drover_task_place kTaskPlace = {sizeof(drover_task_place), 0, MakePlace, RemovePlace};

const void* GetExtension(const drover_host*, drover_str id) {
  if (id.data == nullptr) return nullptr;
  const std::string_view name(id.data, id.size);
  if (name == DROVER_DIAG_LOG_ID) return &kDiagLog;
  if (name == DROVER_TIMER_ID) return &kTimer;
  if (name == DROVER_COMMAND_ID) return Child().has_commands() ? &kCommand : nullptr;
  if (name == DROVER_NODE_ID) return Child().node().directory.empty() ? nullptr : &kNode;
  if (name == DROVER_PROGRESS_ID) return &kProgress;
  if (name == DROVER_TASK_ENV_ID) return &kTaskEnv;
  if (!Child().has_processes()) return nullptr;
  if (name == DROVER_PROCESS_ID) return &kProcess;
  if (name == DROVER_PROCESS2_ID) return &kProcess2;
  if (name == DROVER_TASK_OUTPUT_ID) return &kTaskOutput;
  if (name == DROVER_TASK_PLACE_ID) return &kTaskPlace;
  return nullptr;
}

const drover_host kFace = {sizeof(drover_host), DROVER_ABI_MINOR, GetExtension, Complete,
                           CallIsCancelled,     CallCancelFd,     StreamSend,   StreamEnd};

}  // namespace

const drover_host* ContainerChild::Face() { return &kFace; }

}  // namespace drover
