// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <optional>
#include <utility>

#include "host/abi/abi_read.h"
#include "host/abi/abi_trace.h"
#include "host/abi/abi_write.h"
#include "host/plugin/loaded_driver.h"

namespace drover {
namespace {

Result<CallValue> DecodeExit(const void* result) {
  Result<ExitResult> exit = ReadExitResult(static_cast<const drover_exit_result*>(result));
  if (!exit.ok()) return exit.error();
  return CallValue(std::move(*exit));
}

// The size that a terminal must get next. Only one thread at a time passes sizes to the driver.
// With two threads, the driver could get the older size last.
class PendingSize {
 public:
  // Stores the size. Returns true if no job on the pool will take it, so the caller must post a job
  // that calls Take.
  bool Set(TerminalSize size) {
    const std::lock_guard lock(mutex_);
    next_ = size;
    return !std::exchange(taken_, true);
  }
  // Takes the stored size. If no size is stored, returns nothing, and the next Set returns true.
  std::optional<TerminalSize> Take() {
    const std::lock_guard lock(mutex_);
    taken_ = next_.has_value();
    return std::exchange(next_, std::nullopt);
  }
  // Drops the stored size. Called if the pool has no thread left for Take.
  void Drop() {
    const std::lock_guard lock(mutex_);
    next_ = std::nullopt;
    taken_ = false;
  }

 private:
  std::mutex mutex_;
  std::optional<TerminalSize> next_;
  bool taken_ = false;
};

// One exec session: a call that the driver completes when the command has ended. The session does
// not hold the driver object, only the parts of it that the session needs.
class LoadedExecSession : public TaskExecSession {
 public:
  LoadedExecSession(std::shared_ptr<PluginHost> host, std::shared_ptr<DriverContainer> container,
                    drover_instance* self, const drover_task_exec* exec,
                    std::shared_ptr<PendingCall> call)
      : host_(std::move(host)),
        container_(std::move(container)),
        self_(self),
        exec_(exec),
        call_(std::move(call)) {}

  ~LoadedExecSession() override {
    if (host_->calls().Cancel(call_->id)) PostCancelled(host_, container_, self_, call_->id);
  }

  // Returns without waiting for the result. A thread of the pool then passes the size to the
  // driver.
  Status Resize(TerminalSize size) override {
    if (host_->is_shutting_down())
      return Error(Code::kUnavailable, "the driver is being shut down");
    if (!sizes_->Set(size)) return {};
    const bool posted = host_->pool().Post(
        {"exec.resize",
         [host = host_, container = container_, self = self_, exec = exec_, id = call_->id,
          sizes = sizes_] {
           while (const std::optional<TerminalSize> next = sizes->Take()) {
             auto error = NewStruct<drover_error>();
             const TimePoint began = BootClock::now();
             const std::int32_t status = exec->resize(self, id, next->width, next->height, &error);
             TraceReturn(host->plugin(), "exec.resize", id, RunId(), began, status);
             if (status != DROVER_OK) {
               host->Log(PluginLogLevel::kDebug,
                         "resizing a terminal: " + ReadError(status, &error).message());
             }
           }
         },
         host_->limits().hold, false});
    if (!posted) {
      sizes_->Drop();
      return Error(Code::kUnavailable, "the driver has no thread left");
    }
    return {};
  }

  Co<Result<ExitResult>> Wait(Context context) override {
    const std::shared_ptr<PendingCall> call = call_;
    DROVER_CO_TRY(co_await call->done.Wait(context));
    if (!call->outcome->ok()) co_return call->outcome->error();
    co_return std::get<ExitResult>(**call->outcome);
  }

 private:
  const std::shared_ptr<PluginHost> host_;
  const std::shared_ptr<DriverContainer> container_;
  drover_instance* const self_;
  const drover_task_exec* const exec_;
  const std::shared_ptr<PendingCall> call_;
  const std::shared_ptr<PendingSize> sizes_ = std::make_shared<PendingSize>();
};

}  // namespace

Co<Result<std::unique_ptr<TaskExecSession>>> LoadedDriver::Exec(Context context, RunId run,
                                                                ExecRequest request) {
  DROVER_CO_TRY(Usable());
  if (exec_ == nullptr) {
    co_return Error(Code::kUnimplemented, "driver " + info_.name + " does not support exec");
  }
  if (request.command.empty()) {
    co_return Error(Code::kInvalidArgument, "there is no command to run");
  }
  const auto call = NewCall("exec", run, DecodeExit);
  host_->calls().Add(call);
  auto given = std::make_shared<ExecRequest>(std::move(request));
  Verb verb = [exec = exec_, self = instance_, given](const drover_call* frame,
                                                      drover_error* error) {
    std::vector<drover_str> command;
    for (const std::string& word : given->command) command.push_back(ToStr(word));
    auto args = NewStruct<drover_exec_args>();
    args.tty = given->tty ? 1 : 0;
    args.command = ToArray(command);
    args.width = given->size.width;
    args.height = given->size.height;
    const auto give = [](UniqueFd* fd) {
      return fd->valid() ? drover_fd{fd->Release(), DROVER_FD_GIVEN}
                         : drover_fd{-1, DROVER_FD_NONE};
    };
    args.input = give(&given->input);
    args.output = give(&given->output);
    args.error = give(&given->error);
    return exec->exec(self, frame, &args, error);
  };
  Plain start = [host = host_, container = container_, told = instance_, call,
                 verb = std::move(verb)](drover_error* error) {
    return RunVerb(host.get(), *container, told, *call, verb, error);
  };
  const Status begun = co_await Invoke(context, "exec", run, call->id, limits().hold,
                                       /*control=*/false, std::move(start), /*is_call=*/true);
  // The session is made before BEGUN is checked: if BEGUN is an error, the session's destructor
  // gives the call up.
  auto session = std::make_unique<LoadedExecSession>(host_, container_, instance_, exec_, call);
  if (!begun.ok()) {
    const bool refused = !context.cancelled() && begun.code() != Code::kTimeout;
    if (refused) host_->calls().Fail(call->id, begun.error());
    co_return begun.error();
  }
  co_return std::unique_ptr<TaskExecSession>(std::move(session));
}

}  // namespace drover
