// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The functions of a driver that the host calls. Each function sends a frame to the driver's
// process and returns when the answer has arrived.
#include "host/abi/abi_read.h"
#include "host/abi/abi_verbs.h"
#include "host/abi/abi_write.h"
#include "host/container/process_container_state.h"

namespace drover {
namespace {

using State = ProcessContainer::State;

template <typename T>
void ForwardResult(State* state, std::uint64_t id, const drover_error* error, WireReader* from) {
  const drover_host* host = state->host;
  const T* result = nullptr;
  if (error == nullptr) from->Pointer(result);
  host->complete(host, id, error, from->Done() ? result : nullptr);
}

// The driver's pointer is valid only in the driver's process. So the host gets a pointer to the
// state of the container.
void ForwardCreated(State* state, std::uint64_t id, const drover_error* error, WireReader* from) {
  const drover_host* host = state->host;
  auto result = NewStruct<drover_create_result>();
  const bool made = error == nullptr && from->Number<std::uint8_t>() != 0;
  if (made) from->Pointer(result.info);
  if (made && from->Done()) result.instance = state->handle();
  host->complete(host, id, error, &result);
}

template <typename Args>
std::int32_t CallVerb(std::uint16_t kind, drover_instance* self, const drover_call* call,
                      const Args* args, drover_error* error) {
  const std::shared_ptr<State> state = State::From(self);
  WireMessage message;
  WireWriter to(&message);
  to.Struct(call);
  to.Struct(args);
  const std::uint64_t id = call->id;
  state->Expect(id, &ForwardResult<typename ResultOf<Args>::Type>);
  const std::int32_t status = state->Invoke(kind, std::move(message), error);
  if (status != DROVER_OK) state->Forget(id);
  return status;
}

#define DROVER_REMOTE_VERB(verb_name, tag)                                                    \
  std::int32_t verb_name##_verb(drover_instance* self, const drover_call* call,               \
                                const drover_##verb_name##_args* args, drover_error* error) { \
    return CallVerb(frame_kind::verb::verb_name, self, call, args, error);                    \
  }
DROVER_ASYNC_VERBS(DROVER_REMOTE_VERB)
#undef DROVER_REMOTE_VERB

// Calls a function whose arguments are only numbers, texts and run ids.
template <typename... Args>
std::int32_t CallPlain(std::uint16_t kind, drover_instance* self, drover_error* error,
                       const Args&... args) {
  WireMessage message;
  WireWriter to(&message);
  (to(args), ...);
  return State::From(self)->Invoke(kind, std::move(message), error);
}

// Opens a stream. If the stream is still open when the process ends, the container ends the
// stream.
template <typename... Args>
std::int32_t Subscribe(std::uint16_t kind, drover_instance* self, std::uint64_t id,
                       drover_error* error, const Args&... args) {
  const std::shared_ptr<State> state = State::From(self);
  {
    const std::lock_guard lock(state->mutex);
    state->streams.insert(id);
  }
  const std::int32_t status = CallPlain(kind, self, error, id, args...);
  if (status != DROVER_OK) {
    const std::lock_guard lock(state->mutex);
    state->streams.erase(id);
  }
  return status;
}

std::int32_t OpenFingerprint(drover_instance* self, std::uint64_t id, drover_error* error) {
  return Subscribe(frame_kind::kFingerprint, self, id, error);
}

std::int32_t OpenEvents(drover_instance* self, std::uint64_t id, drover_error* error) {
  return Subscribe(frame_kind::kEvents, self, id, error);
}

std::int32_t Stats(drover_instance* self, std::uint64_t id, const drover_run_id* run,
                   const drover_stats_args* args, drover_error* error) {
  return Subscribe(frame_kind::kStats, self, id, error, *run, args->interval, args->flags);
}

void StreamCancel(drover_instance* self, std::uint64_t id) {
  const std::shared_ptr<State> state = State::From(self);
  auto error = NewStruct<drover_error>();
  {
    const std::lock_guard lock(state->mutex);
    state->streams.erase(id);
  }
  CallPlain(frame_kind::kStreamCancel, self, &error, id);
}

std::int32_t StreamJoin(drover_instance* self, std::uint64_t id, std::int64_t deadline,
                        drover_error* error) {
  return CallPlain(frame_kind::kStreamJoin, self, error, id, deadline);
}

void CallCancelled(drover_instance* self, std::uint64_t id) {
  auto error = NewStruct<drover_error>();
  CallPlain(frame_kind::kCallCancelled, self, &error, id);
}

std::int32_t Exec(drover_instance* self, const drover_call* call, const drover_exec_args* args,
                  drover_error* error) {
  return CallVerb(frame_kind::kExec, self, call, args, error);
}

std::int32_t Resize(drover_instance* self, std::uint64_t session, std::int32_t width,
                    std::int32_t height, drover_error* error) {
  return CallPlain(frame_kind::kResize, self, error, session, width, height);
}

std::int32_t OpenDevices(drover_instance* self, std::uint64_t id, drover_error* error) {
  return Subscribe(frame_kind::kDevices, self, id, error);
}

std::int32_t Reserve(drover_instance* self, const drover_call* call,
                     const drover_reserve_args* args, drover_error* error) {
  return CallVerb(frame_kind::kReserve, self, call, args, error);
}

std::int32_t DeviceStatistics(drover_instance* self, std::uint64_t id,
                              const drover_stats_args* args, drover_error* error) {
  return Subscribe(frame_kind::kDeviceStats, self, id, error, args->interval);
}

std::int32_t Hook(drover_instance* self, const drover_call* call, const drover_hook_args* args,
                  drover_error* error) {
  return CallVerb(frame_kind::kHook, self, call, args, error);
}

std::int32_t AskCapabilities(drover_instance* self, const drover_call* call,
                             const drover_capabilities_args* args, drover_error* error) {
  return CallVerb(frame_kind::kCapabilities, self, call, args, error);
}

std::int32_t PauseTask(drover_instance* self, const drover_call* call,
                       const drover_pause_args* args, drover_error* error) {
  return CallVerb(frame_kind::kPause, self, call, args, error);
}

std::int32_t PrepareKey(drover_instance* self, const drover_call* call,
                        const drover_prepare_key_args* args, drover_error* error) {
  return CallVerb(frame_kind::kPrepareKey, self, call, args, error);
}

std::int32_t Prepare(drover_instance* self, const drover_call* call,
                     const drover_prepare_args* args, drover_error* error) {
  return CallVerb(frame_kind::kPrepare, self, call, args, error);
}

std::int32_t ListPrepared(drover_instance* self, const drover_call* call,
                          const drover_prepared_list_args* args, drover_error* error) {
  return CallVerb(frame_kind::kListPrepared, self, call, args, error);
}

std::int32_t RemovePrepared(drover_instance* self, const drover_call* call,
                            const drover_prepared_remove_args* args, drover_error* error) {
  return CallVerb(frame_kind::kRemovePrepared, self, call, args, error);
}

std::int32_t OpenNews(drover_instance* self, std::uint64_t id, drover_error* error) {
  return Subscribe(frame_kind::kNews, self, id, error);
}

const drover_task_stats kStats = {sizeof(drover_task_stats), 0, Stats};
const drover_task_exec kExec = {sizeof(drover_task_exec), 0, Exec, Resize};
const drover_device_plugin kDevicePlugin = {sizeof(drover_device_plugin), 0, OpenDevices, Reserve,
                                            DeviceStatistics};
const drover_task_hooks kHooks = {sizeof(drover_task_hooks), 0, Hook};
const drover_capable kCapable = {sizeof(drover_capable), 0, AskCapabilities};
const drover_task_pause kPause = {sizeof(drover_task_pause), 0, PauseTask};
const drover_task_prepare kTaskPrepare = {
    sizeof(drover_task_prepare), 0, PrepareKey, Prepare, ListPrepared, RemovePrepared};
const drover_news_source kNews = {sizeof(drover_news_source), 0, OpenNews};

const void* GetExtension(drover_instance* self, drover_str id) {
  auto error = NewStruct<drover_error>();
  const std::int32_t status = CallPlain(frame_kind::kGetExtension, self, &error, id);
  if (status == DROVER_E_FAILED_PRECONDITION) {
    const std::shared_ptr<State> state = State::From(self);
    const std::lock_guard lock(state->mutex);
    if (state->broken_part.ok()) state->broken_part = ReadError(status, &error);
  }
  if (status != DROVER_OK) return nullptr;
  const std::string_view name(id.data, id.size);
  if (name == DROVER_TASK_STATS_ID) return &kStats;
  if (name == DROVER_TASK_EXEC_ID) return &kExec;
  if (name == DROVER_DEVICE_ID) return &kDevicePlugin;
  if (name == DROVER_TASK_HOOKS_ID) return &kHooks;
  if (name == DROVER_CAPABILITIES_ID) return &kCapable;
  if (name == DROVER_TASK_PAUSE_ID) return &kPause;
  if (name == DROVER_TASK_PREPARE_ID) return &kTaskPrepare;
  if (name == DROVER_TASK_NEWS_ID) return &kNews;
  return nullptr;  // this container does not support the extension
}

const drover_info* Info() { return nullptr; }  // the info was received when the plugin was loaded

std::int32_t CreateRefused(const drover_host*, const drover_call*, const drover_create_args*,
                           drover_error*) {
  return DROVER_E_UNIMPLEMENTED;  // not used: ProcessContainer::Create calls create
}

#define DROVER_REMOTE_MEMBER(verb_name, tag) verb_name##_verb,
const drover_driver kTable = {sizeof(drover_driver),
                              DROVER_ABI_MAJOR,
                              DROVER_ABI_MINOR,
                              0,
                              Info,
                              CreateRefused,
                              GetExtension,
                              DROVER_ASYNC_VERBS(DROVER_REMOTE_MEMBER) OpenFingerprint,
                              OpenEvents,
                              StreamCancel,
                              StreamJoin,
                              CallCancelled};
#undef DROVER_REMOTE_MEMBER

}  // namespace

std::int32_t State::Invoke(std::uint16_t kind, WireMessage message, drover_error* error) {
  Waiting own;
  own.kind = kind;
  std::uint64_t id = 0;
  {
    const std::lock_guard lock(mutex);
    if (!dead) {
      id = next_frame++;
      waiting[id] = &own;
    }
  }
  if (id == 0) {
    // The socket is shut down, so this call of Send sends nothing. It only closes the descriptors
    // with the ownership DROVER_FD_GIVEN.
    (void)socket.Send(kind, 0, std::move(message));
    const std::lock_guard lock(mutex);
    return Refuse(Error(Code::kUnavailable, told, true), error);
  }
  // If the driver's process does not read from the socket, this call waits. Then the pool notices
  // that one of its threads has waited for too long, and the host ends the process.
  const Status sent = socket.Send(kind, id, std::move(message));
  std::unique_lock lock(mutex);
  if (!sent.ok() && sent.code() != Code::kUnavailable) {
    waiting.erase(id);
    return Refuse(sent.error(), error);
  }
  own.returned.wait(lock, [&] { return own.over || dead; });
  waiting.erase(id);
  if (!own.over) return Refuse(Error(Code::kUnavailable, told, true), error);
  if (own.status != DROVER_OK && own.error) {
    WriteError(ReadError(own.status, &*own.error), error);
  }
  return own.status;
}

void State::Expect(std::uint64_t call, Forward forward) {
  const std::lock_guard lock(mutex);
  calls[call] = forward;
}

void State::Forget(std::uint64_t call) {
  const std::lock_guard lock(mutex);
  calls.erase(call);
}

const drover_driver* ProcessContainer::table() const { return &kTable; }

std::int32_t ProcessContainer::Create(const drover_host* host, const drover_call* call,
                                      const drover_create_args* args, drover_error* error) {
  WireMessage message;
  WireWriter to(&message);
  const bool processes = host->get_extension(host, ToStr(DROVER_PROCESS_ID)) != nullptr;
  to(static_cast<std::uint8_t>(processes));
  const bool commands = host->get_extension(host, ToStr(DROVER_COMMAND_ID)) != nullptr;
  to(static_cast<std::uint8_t>(commands));
  const auto* service =
      static_cast<const drover_node*>(host->get_extension(host, ToStr(DROVER_NODE_ID)));
  const drover_node_info* node = service == nullptr ? nullptr : service->get(host);
  to.Pointer(node);
  to.Struct(call);
  to.Struct(args);
  const std::uint64_t id = call->id;
  const std::shared_ptr<State> state = state_;
  state->host = host;
  state->Expect(id, &ForwardCreated);
  const std::int32_t status = state->Invoke(frame_kind::kCreate, std::move(message), error);
  if (status != DROVER_OK) state->Forget(id);
  return status;
}

}  // namespace drover
