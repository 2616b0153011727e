// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Serves the requests for services of the host that come from a driver in its own process. For
// each frame with a request, the container calls a function in the host's tables. When the
// requested operation has ended, the container sends a frame with the result.
#include <string_view>

#include "host/abi/abi_write.h"
#include "host/container/process_container_state.h"

namespace drover {
namespace {

using State = ProcessContainer::State;

// The maximum number of open services, and also the maximum number of timers. A driver needs
// fewer, even with as many tasks as a machine can have.
constexpr std::size_t kMaxServices = 256u << 10;

// Sends the result of an operation to the driver's process. The host calls this function on a
// thread of its pool, so this function may wait.
template <typename T>
void Done(void* context, const drover_error* error, const void* result) {
  auto* service = static_cast<State::Service*>(context);
  // This function holds STATE, because all other owners of STATE may release it while this function
  // runs.
  const std::shared_ptr<State> state = service->state->shared_from_this();
  const std::unique_ptr<State::Service> own = state->TakeService(service);
  WireMessage message;
  WireWriter to(&message);
  to(own->id);
  PutError(&to, error);
  to.Pointer(static_cast<const T*>(result));
  auto failed = NewStruct<drover_error>();
  // If the process has ended, nobody needs the result, so the error is ignored.
  (void)state->Invoke(frame_kind::kDone, std::move(message), &failed);
}

// Calls CALL, which starts an operation of the host. If the host refuses the operation, a thread
// of the host's pool sends the refusal to the driver's process. The container's thread must not
// send it, because a send may wait.
template <typename T, typename Call>
void Submit(State* state, std::uint64_t id, WireReader* from, const Call& call) {
  auto made = std::make_unique<State::Service>(State::Service{state, id});
  State::Service* const service = made.get();
  bool too_many = false;
  {
    const std::lock_guard lock(state->mutex);
    too_many = state->services.size() >= kMaxServices || state->services.count(id) != 0;
    if (!too_many) state->services.emplace(id, std::move(made));
  }
  // Only a faulty driver opens more than kMaxServices services or uses an id twice.
  if (too_many) return from->Drop();
  auto error = NewStruct<drover_error>();
  if (call(service, &error) == DROVER_OK) return;
  if (state->post) {
    state->post("done of a refused service",
                [service, error] { Done<T>(service, &error, nullptr); });
  }
}

const drover_process* Processes(const drover_host* host) {
  return static_cast<const drover_process*>(host->get_extension(host, ToStr(DROVER_PROCESS_ID)));
}

const drover_process2* NamedProcesses(const drover_host* host) {
  return static_cast<const drover_process2*>(host->get_extension(host, ToStr(DROVER_PROCESS2_ID)));
}

// Returns null if the host has ended or runs no commands.
const drover_command* Commands(const drover_host* host) {
  return static_cast<const drover_command*>(host->get_extension(host, ToStr(DROVER_COMMAND_ID)));
}

// Returns null if the host has ended.
const drover_timer* Timers(const drover_host* host) {
  return static_cast<const drover_timer*>(host->get_extension(host, ToStr(DROVER_TIMER_ID)));
}

// Returns null if the host has ended.
const drover_progress* Reports(const drover_host* host) {
  return static_cast<const drover_progress*>(host->get_extension(host, ToStr(DROVER_PROGRESS_ID)));
}

std::int32_t NoSuchService(WireReader* from, drover_error* error) {
  from->Drop();
  const Error reason(Code::kUnimplemented, "this host has no such service");
  WriteError(reason, error);
  return static_cast<std::int32_t>(reason.code());
}

}  // namespace

std::unique_ptr<State::Service> State::TakeService(Service* service) {
  const std::lock_guard lock(mutex);
  const auto found = services.find(service->id);
  std::unique_ptr<Service> own = std::move(found->second);
  services.erase(found);
  return own;
}

// The mutex of this object is always locked before the mutex of the host's timers.
void State::SetTimer(std::uint64_t id, std::int64_t delay) {
  const drover_host* const face = host;
  const drover_timer* const table = Timers(face);
  const std::lock_guard lock(mutex);
  if (table == nullptr || timers.size() >= kMaxServices || timers.count(id) != 0) return;
  auto made = std::make_unique<Timer>(Timer{this, id});
  made->in_host = table->after(face, delay, &FireTimer, made.get());
  timers.emplace(id, std::move(made));
}

void State::CancelTimer(std::uint64_t id) {
  const drover_host* const face = host;
  const drover_timer* const table = Timers(face);
  const std::lock_guard lock(mutex);
  const auto found = timers.find(id);
  if (table == nullptr || found == timers.end()) return;
  if (table->cancel(face, found->second->in_host) == 1) timers.erase(found);
}

// The host calls this function on a thread of its pool, so this function may wait.
void State::FireTimer(void* context) {
  auto* const timer = static_cast<Timer*>(context);
  const std::shared_ptr<State> state = timer->state->shared_from_this();
  WireMessage message;
  WireWriter to(&message);
  {
    const std::lock_guard lock(state->mutex);
    to(timer->id);
    state->timers.erase(timer->id);
  }
  auto failed = NewStruct<drover_error>();
  (void)state->Invoke(frame_kind::kTimer, std::move(message), &failed);
}

bool State::HandleService(std::uint16_t kind, std::uint64_t id, WireReader* from) {
  const drover_host* const face = host;
  const drover_process* const table = Processes(face);
  drover_run_id run{};
  switch (kind) {
#define DROVER_REMOTE_PROCESS(function, args_type, result_type)                           \
  case frame_kind::process::function: {                                                   \
    (*from)(run);                                                                         \
    const auto* args = from->Struct<args_type>();                                         \
    if (!from->Done()) return true;                                                       \
    Submit<result_type>(this, id, from, [&](Service* service, drover_error* error) {      \
      return table == nullptr                                                             \
                 ? NoSuchService(from, error)                                             \
                 : table->function(face, &run, args, &Done<result_type>, service, error); \
    });                                                                                   \
    return true;                                                                          \
  }
    DROVER_PROCESS_FUNCTIONS(DROVER_REMOTE_PROCESS)
#undef DROVER_REMOTE_PROCESS
#define DROVER_REMOTE_NAMED(function, args_type, result_type)                             \
  case frame_kind::process2::function: {                                                  \
    (*from)(run);                                                                         \
    const auto* args = from->Struct<args_type>();                                         \
    if (!from->Done()) return true;                                                       \
    const drover_process2* const named = NamedProcesses(face);                            \
    Submit<result_type>(this, id, from, [&](Service* service, drover_error* error) {      \
      return named == nullptr                                                             \
                 ? NoSuchService(from, error)                                             \
                 : named->function(face, &run, args, &Done<result_type>, service, error); \
    });                                                                                   \
    return true;                                                                          \
  }
    DROVER_PROCESS2_FUNCTIONS(DROVER_REMOTE_NAMED)
#undef DROVER_REMOTE_NAMED
    case frame_kind::kCancelNamed: {
      void* service = nullptr;
      {
        const std::lock_guard lock(mutex);
        if (const auto found = services.find(id); found != services.end()) {
          service = found->second.get();
        }
      }
      // As for a command: the host only compares SERVICE with the pointers of its operations.
      const drover_process2* const named = NamedProcesses(face);
      if (from->Done() && service != nullptr && named != nullptr) named->cancel(face, service);
      return true;
    }
    case frame_kind::kOpenOutput: {
      (*from)(run);
      from->Struct<drover_process_none_args>();
      if (!from->Done()) return true;
      const auto* outputs = static_cast<const drover_task_output*>(
          face->get_extension(face, ToStr(DROVER_TASK_OUTPUT_ID)));
      Submit<drover_task_output_pipes>(this, id, from, [&](Service* service, drover_error* error) {
        return outputs == nullptr
                   ? NoSuchService(from, error)
                   : outputs->open(face, &run, &Done<drover_task_output_pipes>, service, error);
      });
      return true;
    }
    case frame_kind::kInterpolate: {
      (*from)(run);
      const auto* args = from->Struct<drover_interpolate_args>();
      if (!from->Done()) return true;
      const auto* texts =
          static_cast<const drover_task_env*>(face->get_extension(face, ToStr(DROVER_TASK_ENV_ID)));
      Submit<drover_interpolate_result>(this, id, from, [&](Service* service, drover_error* error) {
        return texts == nullptr
                   ? NoSuchService(from, error)
                   : texts->interpolate(face, &run, args, &Done<drover_interpolate_result>, service,
                                        error);
      });
      return true;
    }
    case frame_kind::kMakePlace:
    case frame_kind::kRemovePlace: {
      (*from)(run);
      from->Struct<drover_process_none_args>();
      if (!from->Done()) return true;
      const auto* places = static_cast<const drover_task_place*>(
          face->get_extension(face, ToStr(DROVER_TASK_PLACE_ID)));
      if (kind == frame_kind::kMakePlace) {
        Submit<drover_place>(this, id, from, [&](Service* service, drover_error* error) {
          return places == nullptr ? NoSuchService(from, error)
                                   : places->make(face, &run, &Done<drover_place>, service, error);
        });
      } else {
        Submit<drover_empty_result>(this, id, from, [&](Service* service, drover_error* error) {
          return places == nullptr
                     ? NoSuchService(from, error)
                     : places->remove(face, &run, &Done<drover_empty_result>, service, error);
        });
      }
      return true;
    }
    case frame_kind::kExecResize:
    case frame_kind::kExecEnd: {
      const bool resize = kind == frame_kind::kExecResize;
      const auto width = resize ? from->Number<std::int32_t>() : 0;
      const auto height = resize ? from->Number<std::int32_t>() : 0;
      void* session = nullptr;
      {
        const std::lock_guard lock(mutex);
        if (const auto found = services.find(id); found != services.end()) {
          session = found->second.get();
        }
      }
      // The session may have ended by now, so SESSION may be an invalid pointer. The host only
      // compares the pointer with those of its open sessions, so it finds no session then.
      if (!from->Done() || session == nullptr || table == nullptr) return true;
      auto error = NewStruct<drover_error>();
      if (resize) {
        (void)table->exec_resize(face, session, width, height, &error);
      } else {
        table->exec_end(face, session);
      }
      return true;
    }
    case frame_kind::kRunCommand: {
      const auto* args = from->Struct<drover_command_args>();
      if (!from->Done()) return true;
      const drover_command* const commands = Commands(face);
      Submit<drover_command_result>(this, id, from, [&](Service* service, drover_error* error) {
        return commands == nullptr
                   ? NoSuchService(from, error)
                   : commands->run(face, args, &Done<drover_command_result>, service, error);
      });
      return true;
    }
    case frame_kind::kCancelCommand: {
      void* service = nullptr;
      {
        const std::lock_guard lock(mutex);
        if (const auto found = services.find(id); found != services.end()) {
          service = found->second.get();
        }
      }
      // The command may have ended by now, so SERVICE may be an invalid pointer. The host only
      // compares it with those of its open commands.
      const drover_command* const commands = Commands(face);
      if (from->Done() && service != nullptr && commands != nullptr) {
        commands->cancel(face, service);
      }
      return true;
    }
    case frame_kind::kTimerAfter: {
      const auto delay = from->Number<std::int64_t>();
      if (from->Done()) SetTimer(id, delay);
      return true;
    }
    case frame_kind::kTimerCancel:
      if (from->Done()) CancelTimer(id);
      return true;
    case frame_kind::kProgress: {
      const auto* report = from->Struct<drover_progress_report>();
      const drover_progress* const progress = Reports(face);
      if (from->Done() && progress != nullptr) progress->report(face, id, report);
      return true;
    }
    case frame_kind::kExtend: {
      const auto more = from->Number<std::int64_t>();
      const drover_progress* const progress = Reports(face);
      if (from->Done() && progress != nullptr) progress->extend(face, id, more);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace drover
