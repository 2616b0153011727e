// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/echo_services.h"

#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "host/plugin/abi_write.h"
#include "host/plugin/wire.h"

namespace drover {
namespace {

const drover_host* Outer(const drover_host* face) {
  return static_cast<const EchoHost*>(face)->outer;
}

template <typename T>
const T* OuterService(const drover_host* face, const char* id) {
  const drover_host* outer = Outer(face);
  return static_cast<const T*>(outer->get_extension(outer, ToStr(id)));
}

// The driver's function for one operation, as the host calls it.
struct Pending {
  drover_done done;
  void* context;
};

// Exec sessions by the driver's context: the host knows ours.
struct Sessions {
  std::mutex mutex;
  std::map<void*, Pending*> pending;
};
Sessions& ExecSessions() {
  static auto* const sessions = new Sessions;
  return *sessions;
}

template <typename T>
void Done(void* context, const drover_error* error, const void* result) {
  const std::unique_ptr<Pending> pending(static_cast<Pending*>(context));
  {
    const std::lock_guard lock(ExecSessions().mutex);
    const auto found = ExecSessions().pending.find(pending->context);
    if (found != ExecSessions().pending.end() && found->second == pending.get()) {
      ExecSessions().pending.erase(found);
    }
  }
  drover_error failed = NewStruct<drover_error>();
  if (error != nullptr) WriteError(ReadError(DROVER_OK, error), &failed);
  const Carried<T> carried(static_cast<const T*>(result));
  pending->done(pending->context, error != nullptr ? &failed : nullptr, carried.get());
}

template <typename ResultType, typename Call>
std::int32_t Submit(drover_done done, void* context, bool is_exec, Call call) {
  auto pending = std::make_unique<Pending>(Pending{done, context});
  if (is_exec) {
    const std::lock_guard lock(ExecSessions().mutex);
    ExecSessions().pending[context] = pending.get();
  }
  const std::int32_t status = call(&Done<ResultType>, pending.get());
  if (status == DROVER_OK) {
    (void)pending.release();  // Done frees it
  } else if (is_exec) {
    const std::lock_guard lock(ExecSessions().mutex);
    ExecSessions().pending.erase(context);
  }
  return status;
}

#define DROVER_ECHO_PROCESS(function, args_type, result_type)                              \
  std::int32_t function##_process(const drover_host* face, const drover_run_id* run,       \
                                  const args_type* args, drover_done done, void* context,  \
                                  drover_error* error) {                                   \
    const auto* real = OuterService<drover_process>(face, DROVER_PROCESS_ID);              \
    const Carried<args_type> carried(args);                                                \
    const bool is_exec = std::string_view(#function) == "exec";                            \
    return Submit<result_type>(done, context, is_exec, [&](drover_done mine, void* with) { \
      return real->function(Outer(face), run, carried.get(), mine, with, error);           \
    });                                                                                    \
  }
DROVER_PROCESS_FUNCTIONS(DROVER_ECHO_PROCESS)
#undef DROVER_ECHO_PROCESS

// The host's context of a session; null when it has ended. The host only compares it.
void* SessionContext(void* context) {
  const std::lock_guard lock(ExecSessions().mutex);
  const auto found = ExecSessions().pending.find(context);
  return found == ExecSessions().pending.end() ? nullptr : found->second;
}

std::int32_t ExecResize(const drover_host* face, void* context, std::int32_t width,
                        std::int32_t height, drover_error* error) {
  const auto* real = OuterService<drover_process>(face, DROVER_PROCESS_ID);
  return real->exec_resize(Outer(face), SessionContext(context), width, height, error);
}

void ExecEnd(const drover_host* face, void* context) {
  const auto* real = OuterService<drover_process>(face, DROVER_PROCESS_ID);
  real->exec_end(Outer(face), SessionContext(context));
}

std::int32_t OpenOutput(const drover_host* face, const drover_run_id* run, drover_done done,
                        void* context, drover_error* error) {
  const auto* real = OuterService<drover_task_output>(face, DROVER_TASK_OUTPUT_ID);
  return Submit<drover_task_output_pipes>(done, context, false, [&](drover_done mine, void* with) {
    return real->open(Outer(face), run, mine, with, error);
  });
}

void WriteLog(const drover_host* face, std::int32_t level, const drover_run_id* run,
              drover_str message) {
  OuterService<drover_diag_log>(face, DROVER_DIAG_LOG_ID)->write(Outer(face), level, run, message);
}

std::uint64_t TimerAfter(const drover_host* face, std::int64_t delay, void (*function)(void*),
                         void* context) {
  // A container has timers of its own: functions do not travel.
  return OuterService<drover_timer>(face, DROVER_TIMER_ID)
      ->after(Outer(face), delay, function, context);
}

std::int32_t TimerCancel(const drover_host* face, std::uint64_t id) {
  return OuterService<drover_timer>(face, DROVER_TIMER_ID)->cancel(Outer(face), id);
}

#define DROVER_ECHO_MEMBER(function, args_type, result_type) function##_process,
const drover_process kProcess = {sizeof(drover_process), 0,
                                 DROVER_PROCESS_FUNCTIONS(DROVER_ECHO_MEMBER) ExecResize, ExecEnd};
#undef DROVER_ECHO_MEMBER
const drover_task_output kTaskOutput = {sizeof(drover_task_output), 0, OpenOutput};
const drover_diag_log kDiagLog = {sizeof(drover_diag_log), 0, WriteLog};
const drover_timer kTimer = {sizeof(drover_timer), 0, TimerAfter, TimerCancel};

}  // namespace

const void* EchoHostExtension(const drover_host* face, drover_str id) {
  const drover_host* outer = Outer(face);
  if (outer->get_extension(outer, id) == nullptr) return nullptr;
  const std::string_view name(id.data, id.size);
  if (name == DROVER_PROCESS_ID) return &kProcess;
  if (name == DROVER_TASK_OUTPUT_ID) return &kTaskOutput;
  if (name == DROVER_DIAG_LOG_ID) return &kDiagLog;
  if (name == DROVER_TIMER_ID) return &kTimer;
  return nullptr;
}

}  // namespace drover
