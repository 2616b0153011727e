// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/host_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "host/abi/abi_read.h"
#include "host/abi/abi_write.h"
#include "host/plugin/exec/exec_bridge.h"
#include "host/plugin/service_done.h"
#include "host/plugin/start_request.h"
#include "host/plugin/traced.h"

namespace drover {
namespace {

using Host = std::shared_ptr<PluginHost>;

Error NotARun() {
  return Error(Code::kNotFound, "the run is not one of this driver, or was destroyed");
}

// A driver's request to a service. A driver's thread passes it to the control thread.
struct Operation {
  Host host;
  RunId run;
  ServiceDone done;
};

// Posts an operation to the control thread and returns DROVER_OK. If the operation is refused,
// writes ERROR and returns its code. WORK(operation) makes the coroutine that carries out the
// operation.
template <typename Work>
std::int32_t Submit(const drover_host* face, const char* what, const drover_run_id* run,
                    drover_done done, void* context, drover_error* error, Work work) {
  Host host = PluginHost::From(face);
  const auto refuse_gone = [error] {
    return Refuse(Error(Code::kUnavailable, "the host has shut this driver down"), error);
  };
  if (!host) return refuse_gone();
  if (run == nullptr || done == nullptr) {
    return Refuse(Error(Code::kInvalidArgument, std::string(what) + " needs a run and a function"),
                  error);
  }
  auto operation = std::make_shared<Operation>(
      Operation{host, ReadRunId(*run), ServiceDone(host, what, done, context)});
  const bool posted = host->port()->Post([operation, work = std::move(work)]() mutable {
    if (operation->host->services_context().cancelled()) {
      operation->done.Finish(operation->host->services_context().status());
    } else if (operation->host->FindRun(operation->run) == nullptr) {
      operation->done.Finish(Status(NotARun()));
    } else {
      operation->host->services().Spawn(work(operation));
    }
  });
  return posted ? DROVER_OK : refuse_gone();
}

using Op = std::shared_ptr<Operation>;

Co<void> DoStart(Op op, std::shared_ptr<StartRequest> request) {
  const Context context = op->host->services_context().Child();
  const std::shared_ptr<const TaskConfig> config = op->host->FindRun(op->run)->config;
  Result<LogSpec> logs = LogsOf(*config);
  Status ready = logs.ok() ? Status() : Status(logs.error());
  if (ready.ok()) {
    TakeFromConfig(*config, request.get());
    Host host = op->host;
    ready = co_await OpenPlacesOnThread(context, host, request);
  }
  PluginHost::Run* run = op->host->FindRun(op->run);
  if (ready.ok() && run == nullptr) ready = NotARun();  // the run was destroyed during the opening
  if (!ready.ok()) {
    op->done.Finish(ready);
    co_return;
  }
  ProcessSpec* spec = &request->spec;
  spec->run = op->run;
  spec->logs = std::move(*logs);
  spec->bound = BoundOf(*op->host, *config);
  ++run->asked;
  Result<ProcessInfo> started = co_await op->host->processes()->Start(context, std::move(*spec));
  if (started.ok() && op->host->FindRun(op->run) == nullptr) {
    // The run was destroyed while its process was started. The driver can no longer release the
    // process, since the run is not one of its runs.
    const Status released = co_await op->host->processes()->Release(context, op->run);
    op->done.Finish(released.ok() ? Status(NotARun()) : released);
    co_return;
  }
  op->done.Finish(std::move(started));
}

// Stores the time at which the process ended, because the driver's exit result contains no time.
void NoteEnd(const Operation& op, const ProcessExit& end) {
  if (PluginHost::Run* run = op.host->FindRun(op.run)) run->ended_at = end.finished_at;
}

Co<void> DoAttach(Op op) {
  ++op->host->FindRun(op->run)->asked;
  const Context context = op->host->services_context().Child();
  Result<ProcessService::Attached> attached =
      co_await op->host->processes()->Attach(context, op->run);
  if (attached.ok()) {
    if (const auto* end = std::get_if<ProcessExit>(&*attached)) NoteEnd(*op, *end);
  }
  op->done.FinishAttach(std::move(attached));
}

Co<void> DoWait(Op op) {
  const Context context = op->host->services_context().Child();
  Result<ProcessExit> end = co_await op->host->processes()->Wait(context, op->run);
  if (end.ok()) NoteEnd(*op, *end);
  op->done.Finish(std::move(end));
}

Co<void> DoSignal(Op op, int number) {
  const Context context = op->host->services_context().Child();
  op->done.Finish(co_await op->host->processes()->Signal(context, op->run, number));
}

Co<void> DoStop(Op op, int number, Duration timeout) {
  const Context context = op->host->services_context().Child();
  Result<ProcessExit> end = co_await op->host->processes()->Stop(context, op->run, number, timeout);
  op->done.Finish(end.ok() ? Status() : Status(end.error()));
}

Co<void> DoKill(Op op) {
  op->done.Finish(op->host->processes()->Kill(op->run));
  co_return;
}

Co<void> DoRelease(Op op) {
  const Context context = op->host->services_context().Child();
  const int asked = op->host->FindRun(op->run)->asked;
  const Status released = co_await op->host->processes()->Release(context, op->run);
  // After this release, the host need not release the run again. But if the driver requested
  // another process of the run in the meantime, run->asked and run->freed differ, so the host will
  // release the run again.
  PluginHost::Run* const run = op->host->FindRun(op->run);
  if (released.ok() && run != nullptr) {
    run->freed = asked;
    run->inherited = false;
  }
  op->done.Finish(released);
}

Co<void> DoUsage(Op op, UsageDetail detail) {
  const Context context = op->host->services_context().Child();
  Result<ProcessUsage> usage = co_await op->host->processes()->Usage(context, op->run, detail);
  if (!usage.ok()) {
    op->done.Finish(Status(usage.error()));
    co_return;
  }
  Loop* loop = op->host->loop();
  op->done.Finish(Result<TaskUsage>(ToTaskUsage(*usage, op->host->FindRun(op->run), loop->Now(),
                                                loop->Wall(), op->host->core_mhz())));
}

Co<void> DoExec(Op op, std::shared_ptr<ExecBridge> bridge) {
  Result<ExecExit> end = co_await bridge->Run();
  op->host->exec_sessions().erase(op->done.context());
  op->done.Finish(std::move(end));
}

Co<void> DoOutput(Op op) {
  PluginHost::Run* run = op->host->FindRun(op->run);
  Result<LogSpec> logs = LogsOf(*run->config);
  std::array<int, 2> out{-1, -1};
  std::array<int, 2> err{-1, -1};
  Status status;
  if (!logs.ok()) {
    status = logs.error();
  } else if (pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(err.data(), O_CLOEXEC) != 0) {
    status = ErrnoError(errno, "pipe");
  }
  UniqueFd out_read(out[0]), out_write(out[1]), err_read(err[0]), err_write(err[1]);
  if (!status.ok()) {
    op->done.Finish(status);
    co_return;
  }
  OutputSpec spec;
  spec.run = op->run;
  spec.stdout_pipe = std::move(out_read);
  spec.stderr_pipe = std::move(err_read);
  spec.logs = std::move(*logs);
  spec.bound = BoundOf(*op->host, *run->config);
  ++run->asked;
  const Context context = op->host->services_context().Child();
  Result<ProcessInfo> started =
      co_await op->host->processes()->StartOutput(context, std::move(spec));
  if (!started.ok()) {
    op->done.Finish(Status(started.error()));
  } else {
    op->done.FinishPipes(std::move(out_write), std::move(err_write));
  }
}

// ------------------------------------------------------------- the functions that drivers call

// Each function has the name that it has in the C header's list. The table below is made from that
// list.
namespace process {

std::int32_t start(const drover_host* face, const drover_run_id* run,
                   const drover_process_start_args* args, drover_done done, void* context,
                   drover_error* error) {
  Result<StartRequest> request = ReadStart(args);
  if (!request.ok()) return Refuse(request.error(), error);
  auto shared = std::make_shared<StartRequest>(std::move(*request));
  return Submit(face, "process.start", run, done, context, error,
                [shared](Op op) { return DoStart(op, shared); });
}

#define DROVER_PLAIN_FUNCTION(function, Work)                                             \
  std::int32_t function(const drover_host* face, const drover_run_id* run,                \
                        const drover_process_none_args*, drover_done done, void* context, \
                        drover_error* error) {                                            \
    return Submit(face, "process." #function, run, done, context, error,                  \
                  [](Op op) { return Work(op); });                                        \
  }
DROVER_PLAIN_FUNCTION(attach, DoAttach)
DROVER_PLAIN_FUNCTION(wait, DoWait)
DROVER_PLAIN_FUNCTION(kill, DoKill)
DROVER_PLAIN_FUNCTION(release, DoRelease)
#undef DROVER_PLAIN_FUNCTION

std::int32_t usage(const drover_host* face, const drover_run_id* run,
                   const drover_process_usage_args* args, drover_done done, void* context,
                   drover_error* error) {
  const Result<drover_process_usage_args> raw = CopyStruct(args);
  if (!raw.ok()) return Refuse(raw.error(), error);
  const UsageDetail detail =
      (raw->flags & DROVER_STATS_PROCESSES) != 0 ? UsageDetail::kProcesses : UsageDetail::kTotals;
  return Submit(face, "process.usage", run, done, context, error,
                [detail](Op op) { return DoUsage(op, detail); });
}

std::int32_t signal(const drover_host* face, const drover_run_id* run,
                    const drover_process_signal_args* args, drover_done done, void* context,
                    drover_error* error) {
  const Result<drover_process_signal_args> raw = CopyStruct(args);
  if (!raw.ok()) return Refuse(raw.error(), error);
  return Submit(face, "process.signal", run, done, context, error,
                [number = raw->number](Op op) { return DoSignal(op, number); });
}

std::int32_t stop(const drover_host* face, const drover_run_id* run,
                  const drover_process_stop_args* args, drover_done done, void* context,
                  drover_error* error) {
  const Result<drover_process_stop_args> raw = CopyStruct(args);
  if (!raw.ok()) return Refuse(raw.error(), error);
  // The timeout is limited to one year. In practice that is no limit, and a year can be added to
  // any point in time without overflow.
  constexpr std::int64_t kYear = 365LL * 24 * 3600 * 1'000'000'000;
  const Duration timeout(std::clamp<std::int64_t>(raw->timeout, 0, kYear));
  return Submit(face, "process.stop", run, done, context, error,
                [number = raw->number, timeout](Op op) { return DoStop(op, number, timeout); });
}

std::int32_t exec(const drover_host* face, const drover_run_id* run, const drover_exec_args* args,
                  drover_done done, void* context, drover_error* error) {
  const Result<drover_exec_args> raw = CopyStruct(args);
  if (!raw.ok()) return Refuse(raw.error(), error);
  auto request = std::make_shared<ExecBridge::Request>();
  // From here on the host owns the file descriptors with the ownership DROVER_FD_GIVEN, even if
  // this function fails.
  const auto take = [](const drover_fd& fd) {
    if (fd.ownership == DROVER_FD_GIVEN) return UniqueFd(fd.fd);
    if (fd.ownership == DROVER_FD_BORROWED) return UniqueFd(fcntl(fd.fd, F_DUPFD_CLOEXEC, 3));
    return UniqueFd();
  };
  request->input = take(raw->input);
  request->output = take(raw->output);
  request->error = take(raw->error);
  Result<std::vector<std::string>> command = ReadTexts(raw->command);
  if (!command.ok()) return Refuse(command.error(), error);
  if (command->empty()) {
    return Refuse(Error(Code::kInvalidArgument, "there is no command to run"), error);
  }
  request->command = std::move(*command);
  request->tty = raw->tty != 0;
  request->size = {raw->width, raw->height};
  return Submit(face, "process.exec", run, done, context, error, [request](Op op) {
    // The bridge must be registered before the coroutine runs, because the next function in the
    // control thread's queue may be an exec_end of this session.
    auto bridge = std::make_shared<ExecBridge>(op->host.get(), op->run, std::move(*request));
    op->host->exec_sessions()[op->done.context()] = bridge.get();
    return DoExec(op, bridge);
  });
}

}  // namespace process

std::int32_t ExecResize(const drover_host* face, void* context, std::int32_t width,
                        std::int32_t height, drover_error* error) {
  const Host host = PluginHost::From(face);
  const bool posted = host && host->port()->Post([host, context, width, height] {
    const auto found = host->exec_sessions().find(context);
    if (found != host->exec_sessions().end()) (void)found->second->Resize({width, height});
  });
  if (!posted) return Refuse(Error(Code::kUnavailable, "the host is gone"), error);
  return DROVER_OK;
}

void ExecEnd(const drover_host* face, void* context) {
  const Host host = PluginHost::From(face);
  if (!host) return;
  host->port()->Post([host, context] {
    const auto found = host->exec_sessions().find(context);
    if (found != host->exec_sessions().end()) found->second->End();
  });
}

std::int32_t OpenOutput(const drover_host* face, const drover_run_id* run, drover_done done,
                        void* context, drover_error* error) {
  return Submit(face, "task-output.open", run, done, context, error,
                [](Op op) { return DoOutput(op); });
}

#define DROVER_PROCESS_ENTRY(function, args_type, result_type) \
  Traced<"process." #function, process::function>::Call,
const drover_process kProcess = {sizeof(drover_process), 0,
                                 DROVER_PROCESS_FUNCTIONS(DROVER_PROCESS_ENTRY)
                                     Traced<"process.exec_resize", ExecResize>::Call,
                                 Traced<"process.exec_end", ExecEnd>::Call};
#undef DROVER_PROCESS_ENTRY
const drover_task_output kTaskOutput = {sizeof(drover_task_output), 0,
                                        Traced<"task-output.open", OpenOutput>::Call};

}  // namespace

const void* ProcessExtension() { return &kProcess; }
const void* TaskOutputExtension() { return &kTaskOutput; }

}  // namespace drover
