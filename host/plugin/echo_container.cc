// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/echo_container.h"

#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "host/plugin/abi_verbs.h"
#include "host/plugin/abi_write.h"
#include "host/plugin/echo_services.h"
#include "host/plugin/wire.h"

namespace drover {
namespace {

using Forward = void (*)(const drover_host* outer, std::uint64_t id, const drover_error* error,
                         const void* result);

template <typename T>
void ForwardResult(const drover_host* outer, std::uint64_t id, const drover_error* error,
                   const void* result) {
  const Carried<T> carried(static_cast<const T*>(result));
  outer->complete(outer, id, error, carried.get());
}

// What an instance is to the host, and the host to the instance. Never freed: the driver may call
// as long as the process lives.
struct Instance {
  EchoHost host;  // what the driver is given
  const drover_driver* real = nullptr;
  drover_instance* self = nullptr;
  std::uint64_t create_call = 0;

  std::mutex mutex;
  std::map<std::uint64_t, Forward> calls;  // how the result of each is carried
};

drover_instance* AsHandle(Instance* instance) {
  return reinterpret_cast<drover_instance*>(instance);
}
Instance* FromHandle(drover_instance* handle) { return reinterpret_cast<Instance*>(handle); }
Instance* FromFace(const drover_host* face) {
  return static_cast<Instance*>(static_cast<const EchoHost*>(face)->instance);
}

// The error of a call into the driver, on its way back to the caller.
std::int32_t CarryError(std::int32_t status, const drover_error& from, drover_error* to) {
  if (status != DROVER_OK) WriteError(ReadError(status, &from), to);
  return status;
}

// ----------------------------------------------------------------------- from the driver outward

void Complete(const drover_host* face, std::uint64_t id, const drover_error* error,
              const void* result) {
  Instance* instance = FromFace(face);
  const drover_host* outer = instance->host.outer;
  drover_error failed = NewStruct<drover_error>();
  if (error != nullptr) WriteError(ReadError(DROVER_OK, error), &failed);
  const drover_error* carried = error != nullptr ? &failed : nullptr;
  if (id == instance->create_call && error == nullptr) {
    // The driver's pointer stays here; the host gets one of the container's.
    const auto made = CopyStruct(static_cast<const drover_create_result*>(result));
    if (made.ok()) instance->self = made->instance;
    const Carried<drover_info> info(made.ok() ? made->info : nullptr);
    auto answer = NewStruct<drover_create_result>();
    answer.instance = instance->self != nullptr ? AsHandle(instance) : nullptr;
    answer.info = info.get();
    outer->complete(outer, id, carried, &answer);
    return;
  }
  Forward forward = nullptr;
  {
    const std::lock_guard lock(instance->mutex);
    const auto found = instance->calls.find(id);
    if (found != instance->calls.end()) {
      forward = found->second;
      instance->calls.erase(found);
    }
  }
  // Unknown to us is unknown to the host: it drops and tells it.
  if (forward == nullptr) return outer->complete(outer, id, carried, nullptr);
  forward(outer, id, carried, error == nullptr ? result : nullptr);
}

std::int32_t CallIsCancelled(const drover_host* face, std::uint64_t id) {
  const drover_host* outer = FromFace(face)->host.outer;
  return outer->call_is_cancelled(outer, id);
}

std::int32_t CallCancelFd(const drover_host* face, std::uint64_t id, drover_fd* out,
                          drover_error* error) {
  const drover_host* outer = FromFace(face)->host.outer;
  return outer->call_cancel_fd(outer, id, out, error);
}

template <typename T>
std::int32_t SendAs(const drover_host* outer, std::uint64_t id, const drover_message* message) {
  const void* whole = message;
  const Carried<T> carried(static_cast<const T*>(whole));
  const void* out = carried.get();
  return outer->stream_send(outer, id, static_cast<const drover_message*>(out));
}

std::int32_t StreamSend(const drover_host* face, std::uint64_t id, const drover_message* message) {
  const drover_host* outer = FromFace(face)->host.outer;
  const Result<drover_message> head = CopyStruct(message);
  switch (head.ok() ? head->type : 0) {
    case DROVER_MESSAGE_FINGERPRINT:
      return SendAs<drover_fingerprint>(outer, id, message);
    case DROVER_MESSAGE_EVENT:
      return SendAs<drover_event>(outer, id, message);
    case DROVER_MESSAGE_STATS:
      return SendAs<drover_stats>(outer, id, message);
    default:
      return outer->stream_send(outer, id, message);
  }
}

void StreamEnd(const drover_host* face, std::uint64_t id, const drover_error* error) {
  const drover_host* outer = FromFace(face)->host.outer;
  drover_error failed = NewStruct<drover_error>();
  if (error != nullptr) WriteError(ReadError(DROVER_OK, error), &failed);
  outer->stream_end(outer, id, error != nullptr ? &failed : nullptr);
}

// ------------------------------------------------------------------------- from the host inward

template <typename Args, typename Function>
std::int32_t ForwardCall(drover_instance* handle, const drover_call* call, const Args* args,
                         drover_error* error, Function function) {
  Instance* instance = FromHandle(handle);
  const std::uint64_t id = call->id;
  {
    const std::lock_guard lock(instance->mutex);
    instance->calls[id] = ForwardResult<typename ResultOf<Args>::Type>;
  }
  const Carried<drover_call> frame(call);
  const Carried<Args> carried(args);
  drover_error failed = NewStruct<drover_error>();
  const std::int32_t status = function(instance, frame.get(), carried.get(), &failed);
  if (status != DROVER_OK) {
    const std::lock_guard lock(instance->mutex);
    instance->calls.erase(id);
  }
  return CarryError(status, failed, error);
}

#define DROVER_ECHO_VERB(verb, tag)                                                    \
  std::int32_t verb##_verb(drover_instance* self, const drover_call* call,             \
                           const drover_##verb##_args* args, drover_error* error) {    \
    return ForwardCall(                                                                \
        self, call, args, error,                                                       \
        [](Instance* to, const drover_call* frame, const drover_##verb##_args* with,   \
           drover_error* out) { return to->real->verb(to->self, frame, with, out); }); \
  }
DROVER_ASYNC_VERBS(DROVER_ECHO_VERB)
#undef DROVER_ECHO_VERB

const drover_info* Info() { return nullptr; }  // the host asks the library itself

std::int32_t CreateRefused(const drover_host*, const drover_call*, const drover_create_args*,
                           drover_error*) {
  return DROVER_E_UNIMPLEMENTED;  // EchoContainer::Create does it
}

std::int32_t OpenFingerprint(drover_instance* handle, std::uint64_t id, drover_error* error) {
  Instance* instance = FromHandle(handle);
  return instance->real->fingerprint(instance->self, id, error);
}

std::int32_t OpenEvents(drover_instance* handle, std::uint64_t id, drover_error* error) {
  Instance* instance = FromHandle(handle);
  return instance->real->events(instance->self, id, error);
}

void StreamCancel(drover_instance* handle, std::uint64_t id) {
  Instance* instance = FromHandle(handle);
  instance->real->stream_cancel(instance->self, id);
}

std::int32_t StreamJoin(drover_instance* handle, std::uint64_t id, std::int64_t deadline,
                        drover_error* error) {
  Instance* instance = FromHandle(handle);
  return instance->real->stream_join(instance->self, id, deadline, error);
}

void CallCancelled(drover_instance* handle, std::uint64_t id) {
  Instance* instance = FromHandle(handle);
  instance->real->call_cancelled(instance->self, id);
}

std::int32_t Stats(drover_instance* handle, std::uint64_t id, const drover_run_id* run,
                   const drover_stats_args* args, drover_error* error) {
  Instance* instance = FromHandle(handle);
  const auto* real = static_cast<const drover_task_stats*>(
      instance->real->get_extension(instance->self, ToStr(DROVER_TASK_STATS_ID)));
  const drover_run_id copy = *run;
  const Carried<drover_stats_args> carried(args);
  return real->stats(instance->self, id, &copy, carried.get(), error);
}

const drover_task_exec* RealExec(Instance* instance) {
  return static_cast<const drover_task_exec*>(
      instance->real->get_extension(instance->self, ToStr(DROVER_TASK_EXEC_ID)));
}

std::int32_t Exec(drover_instance* handle, const drover_call* call, const drover_exec_args* args,
                  drover_error* error) {
  return ForwardCall(
      handle, call, args, error,
      [](Instance* to, const drover_call* frame, const drover_exec_args* with, drover_error* out) {
        return RealExec(to)->exec(to->self, frame, with, out);
      });
}

std::int32_t Resize(drover_instance* handle, std::uint64_t id, std::int32_t width,
                    std::int32_t height, drover_error* error) {
  Instance* instance = FromHandle(handle);
  return RealExec(instance)->resize(instance->self, id, width, height, error);
}

const drover_task_stats kStats = {sizeof(drover_task_stats), 0, Stats};
const drover_task_exec kExec = {sizeof(drover_task_exec), 0, Exec, Resize};

const void* GetExtension(drover_instance* handle, drover_str id) {
  Instance* instance = FromHandle(handle);
  if (instance->real->get_extension(instance->self, id) == nullptr) return nullptr;
  const std::string_view name(id.data, id.size);
  if (name == DROVER_TASK_STATS_ID) return &kStats;
  if (name == DROVER_TASK_EXEC_ID) return &kExec;
  return nullptr;  // not carried by this container
}

#define DROVER_ECHO_MEMBER(verb, tag) verb##_verb,
const drover_driver kTable = {sizeof(drover_driver),
                              DROVER_ABI_MAJOR,
                              DROVER_ABI_MINOR,
                              0,
                              Info,
                              CreateRefused,
                              GetExtension,
                              DROVER_ASYNC_VERBS(DROVER_ECHO_MEMBER) OpenFingerprint,
                              OpenEvents,
                              StreamCancel,
                              StreamJoin,
                              CallCancelled};
#undef DROVER_ECHO_MEMBER

class EchoContainer : public DriverContainer {
 public:
  explicit EchoContainer(const drover_driver* real) : real_(real) {}

  const drover_driver* table() const override { return &kTable; }

  std::int32_t Create(const drover_host* host, const drover_call* call,
                      const drover_create_args* args, drover_error* error) override {
    auto* instance = new Instance;
    {
      static std::mutex mutex;
      static auto* const all = new std::vector<Instance*>;  // reachable, never freed
      const std::lock_guard lock(mutex);
      all->push_back(instance);
    }
    static_cast<drover_host&>(instance->host) = {
        sizeof(drover_host), DROVER_ABI_MINOR, EchoHostExtension, Complete,
        CallIsCancelled,     CallCancelFd,     StreamSend,        StreamEnd,
    };
    instance->host.outer = host;
    instance->host.instance = instance;
    instance->real = real_;
    instance->create_call = call->id;
    const Carried<drover_call> frame(call);
    const Carried<drover_create_args> carried(args);
    drover_error failed = NewStruct<drover_error>();
    const std::int32_t status = real_->create(&instance->host, frame.get(), carried.get(), &failed);
    return CarryError(status, failed, error);
  }

 private:
  const drover_driver* real_;
};

}  // namespace

std::unique_ptr<DriverContainer> NewContainer(Isolation isolation, const drover_driver* driver) {
  if (isolation == Isolation::kEcho) return std::make_unique<EchoContainer>(driver);
  return std::make_unique<InProcessContainer>(driver);
}

}  // namespace drover
