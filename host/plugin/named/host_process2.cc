// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/named/host_process2.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "drover/drover_process2.h"
#include "host/abi/abi_read.h"
#include "host/abi/abi_write.h"
#include "host/abi/process2_read.h"
#include "host/plugin/exec/exec_bridge.h"
#include "host/plugin/plugin_host.h"
#include "host/plugin/service_done.h"
#include "host/plugin/start_request.h"
#include "host/plugin/traced.h"
#include "host/process/named/named_notes.h"
#include "host/process/named/named_processes.h"

namespace drover {
namespace {

using Host = std::shared_ptr<PluginHost>;

Error Wrong(const std::string& what) {
  return Error(Code::kInvalidArgument, "a named process: " + what);
}
Error NotARun() {
  return Error(Code::kNotFound, "the run is not one of this driver, or was destroyed");
}
Error HostIsGone() { return Error(Code::kUnavailable, "the host has shut this driver down"); }

// A driver's request. A driver's thread passes it to the control thread.
struct Operation {
  Operation(Host of, RunId of_run, ServiceDone then, Context until)
      : host(std::move(of)), run(of_run), done(std::move(then)), context(std::move(until)) {}

  ProcessService* processes() const { return host->processes(); }
  PluginHost::Run* find() const { return host->FindRun(run); }
  // Every operation ends with one of the two. Afterwards its pointer can be used again.
  template <typename T>
  void Finish(T result) {
    host->named_calls().Remove(done.context());
    done.Finish(std::move(result));
  }
  void Deliver(std::function<void(drover_done, void*)> call) {
    host->named_calls().Remove(done.context());
    done.Deliver(std::move(call));
  }

  const Host host;
  const RunId run;
  ServiceDone done;
  const Context context;
};
using Op = std::shared_ptr<Operation>;

// Posts an operation to the control thread and returns DROVER_OK. If the operation is refused,
// writes ERROR and returns its code. WORK(operation) makes the coroutine that carries out the
// operation.
template <typename Work>
std::int32_t Submit(const drover_host* face, const char* what, const drover_run_id* run,
                    drover_done done, void* context, drover_error* error, Work work) {
  const Host host = PluginHost::From(face);
  if (!host) return Refuse(HostIsGone(), error);
  if (run == nullptr || done == nullptr) {
    return Refuse(Error(Code::kInvalidArgument, std::string(what) + " needs a run and a function"),
                  error);
  }
  const bool posted =
      host->port()->Post([host, id = ReadRunId(*run), then = ServiceDone(host, what, done, context),
                          work = std::move(work)]() mutable {
        if (host->services_context().cancelled()) {
          return then.Finish(host->services_context().status());
        }
        if (host->FindRun(id) == nullptr) return then.Finish(Status(NotARun()));
        const Context until = host->services_context().Child();
        if (!host->named_calls().Add(then.context(), until)) {
          return then.Finish(
              Status(Error(Code::kFailedPrecondition, "another operation has the same context")));
        }
        host->services().Spawn(work(std::make_shared<Operation>(host, id, then, until)));
      });
  return posted ? DROVER_OK : Refuse(HostIsGone(), error);
}

Result<std::string> ReadName(const drover_str& from) {
  Result<std::string> name = ReadBytes(from, NamedNotes::kMaxNameLength);
  if (name.ok() && NamedNotes::IsName(*name)) return name;
  return Wrong("its name must have 1 to 32 letters, digits, \"-\" and \"_\"");
}

// From here on the host owns a descriptor with the ownership DROVER_FD_GIVEN.
UniqueFd TakeFd(const drover_fd& fd) {
  if (fd.ownership == DROVER_FD_GIVEN) return UniqueFd(fd.fd);
  if (fd.ownership == DROVER_FD_BORROWED) return UniqueFd(fcntl(fd.fd, F_DUPFD_CLOEXEC, 3));
  return UniqueFd();
}

// -------------------------------------------------------------------------------------- starting

struct NamedStart {
  std::string name;
  StartRequest request;
  bool terminal = false;
  winsize size{};
};

Status TakeDescriptors(const drover_process2_start_args& raw, GivenDescriptors* to) {
  to->standard = {TakeFd(raw.input), TakeFd(raw.output), TakeFd(raw.error)};
  bool empty = false;
  DROVER_TRY(ReadArray<drover_process2_descriptor>(
      raw.descriptors, sizeof(std::uint32_t), [&](const drover_process2_descriptor* at) -> Status {
        DROVER_ASSIGN(const drover_process2_descriptor one, CopyStruct(at));
        to->more.push_back(TakeFd(one.fd));
        empty = empty || !to->more.back();
        return {};
      }));
  DROVER_TRY(CheckOwnerships(&raw));
  if (empty) return Wrong("one of its descriptors is empty");
  if (to->more.size() > DROVER_PROCESS2_DESCRIPTORS_MAX) return Wrong("too many descriptors");
  return {};
}

Status ReadLimits(const drover_array& array, std::vector<ResourceLimit>* limits) {
  if (array.count > DROVER_PROCESS2_LIMITS_MAX) return Wrong("too many limits");
  return ReadArray<drover_process2_limit>(
      array, sizeof(std::uint32_t), [&](const drover_process2_limit* at) -> Status {
        DROVER_ASSIGN(const drover_process2_limit one, CopyStruct(at));
        std::erase_if(
            *limits, [&one](const ResourceLimit& limit) { return limit.resource == one.resource; });
        limits->push_back({one.resource, one.soft, one.hard});
        return {};
      });
}

Result<std::shared_ptr<NamedStart>> ReadNamedStart(const drover_process2_start_args* args) {
  DROVER_ASSIGN(const drover_process2_start_args raw, CopyStruct(args));
  auto start = std::make_shared<NamedStart>();
  GivenDescriptors descriptors;
  DROVER_TRY(TakeDescriptors(raw, &descriptors));
  if ((raw.flags & ~DROVER_PROCESS2_TERMINAL) != 0) {
    return Error(Code::kUnimplemented, "a named process: this host does not know all its flags");
  }
  DROVER_ASSIGN(start->name, ReadName(raw.name));
  if (raw.process == nullptr) return Wrong("it has no program");
  DROVER_ASSIGN(start->request, ReadStart(raw.process));
  ProcessSpec& spec = start->request.spec;
  DROVER_ASSIGN(start->request.root_path, ReadBytes(raw.root, 4096));
  const std::string& root = start->request.root_path;
  if (!root.empty() && (root[0] != '/' || root.find('\0') != std::string::npos))
    return Wrong("its root is no absolute path");
  if (!root.empty() && !spec.namespaces) return Wrong("a root of its own needs an isolation");
  if (!root.empty() && !start->request.root.host_paths.empty())
    return Wrong("it has a root and root_paths, not both");
  DROVER_TRY(ReadLimits(raw.limits, &spec.limits));
  start->terminal = (raw.flags & DROVER_PROCESS2_TERMINAL) != 0;
  const auto& standard = descriptors.standard;
  if (start->terminal && (standard[0] || standard[1] || standard[2]))
    return Wrong("it has a terminal and other standard descriptors, not both");
  const auto cells = [](std::int32_t value, int usual) {
    return static_cast<unsigned short>(value <= 0 ? usual : std::min(value, 0xffff));
  };
  start->size.ws_col = cells(raw.width, 80);
  start->size.ws_row = cells(raw.height, 24);
  spec.descriptors = std::move(descriptors);
  return start;
}

// Makes a terminal whose one side becomes the standard descriptors of SPEC. Returns the other side.
Result<UniqueFd> AddTerminal(const winsize& size, ProcessSpec* spec) {
  UniqueFd ours(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!ours || unlockpt(ours.get()) != 0) return ErrnoError(errno, "cannot open a terminal");
  UniqueFd theirs(ioctl(ours.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!theirs || ioctl(ours.get(), TIOCSWINSZ, &size) != 0)
    return ErrnoError(errno, "cannot open the terminal's other side");
  // Programs open their terminal again by its name.
  if (spec->user && fchown(theirs.get(), spec->user->uid, gid_t(-1)) != 0)
    return ErrnoError(errno, "cannot give the terminal to the process's user");
  for (UniqueFd& standard : spec->descriptors.standard) {
    standard.Reset(fcntl(theirs.get(), F_DUPFD_CLOEXEC, 3));
    if (!standard) return ErrnoError(errno, "cannot copy the terminal");
  }
  spec->descriptors.terminal = true;
  return ours;
}

// What a driver learns about a running process.
struct NamedInfo {
  ProcessInfo info;
  std::string cgroup;
  UniqueFd pidfd;
  UniqueFd terminal;

  // Passes the descriptors to the reader of the struct.
  drover_process2_info Release() {
    auto raw = NewStruct<drover_process2_info>();
    const auto give = [](UniqueFd* fd) {
      const bool open = static_cast<bool>(*fd);
      return drover_fd{open ? fd->Release() : -1, open ? DROVER_FD_GIVEN : DROVER_FD_NONE};
    };
    raw.pid = info.pid;
    raw.cgroup = ToStr(cgroup);
    raw.pidfd = give(&pidfd);
    raw.terminal = give(&terminal);
    raw.started_at = info.started_at;
    return raw;
  }
};

std::shared_ptr<NamedInfo> InfoOf(const Operation& op, const RunId& process,
                                  const ProcessInfo& info) {
  auto named = std::make_shared<NamedInfo>();
  named->info = info;
  named->cgroup = op.processes()->CgroupPath(process);
  Result<UniqueFd> pidfd = op.processes()->OpenPidfd(process);
  if (pidfd.ok()) named->pidfd = std::move(*pidfd);  // otherwise the process has ended
  return named;
}

// Returns the process of the operation's run that has NAME.
Result<RunId> ProcessOf(const Operation& op, const std::string& name) {
  return FindNamed(*op.processes(), op.run, name);
}

Co<void> DoStart(Op op, std::shared_ptr<NamedStart> start) {
  const std::shared_ptr<const TaskConfig> config = op->find()->config;
  const auto request = std::shared_ptr<StartRequest>(start, &start->request);
  Result<LogSpec> logs = LogsOf(*config);
  Status ready = logs.ok() ? Status() : Status(logs.error());
  if (ready.ok()) {
    TakeFromConfig(*config, request.get());
    ready = co_await OpenPlacesOnThread(op->context, op->host, request);
  }
  // If this coroutine was cancelled, the thread may still use the request.
  if (!ready.ok()) co_return op->Finish(ready);
  ProcessSpec& spec = request->spec;
  UniqueFd terminal;
  if (start->terminal) {
    Result<UniqueFd> made = AddTerminal(start->size, &spec);
    if (!made.ok()) co_return op->Finish(Status(made.error()));
    terminal = std::move(*made);
  }
  PluginHost::Run* const run = op->find();
  if (run == nullptr) co_return op->Finish(Status(NotARun()));  // it was destroyed meanwhile
  spec.logs = std::move(*logs);
  spec.bound = BoundOf(*op->host, *config);
  ++run->asked;
  Result<ProcessInfo> started =
      co_await StartNamed(op->processes(), op->context, op->run, start->name, std::move(spec));
  if (!started.ok()) co_return op->Finish(Status(started.error()));
  if (op->find() == nullptr) {
    // The run was destroyed while its process was started, so nobody else can release the process.
    const Context context = op->host->services_context().Child();
    const Status released = co_await ReleaseNamed(op->processes(), context, op->run, start->name);
    co_return op->Finish(released.ok() ? Status(NotARun()) : released);
  }
  const Result<RunId> process = ProcessOf(*op, start->name);
  if (!process.ok()) co_return op->Finish(Status(process.error()));
  const std::shared_ptr<NamedInfo> info = InfoOf(*op, *process, *started);
  info->terminal = std::move(terminal);
  op->Deliver([info](drover_done function, void* context) {
    const drover_process2_info raw = info->Release();
    function(context, nullptr, &raw);
  });
}

// ---------------------------------------------------------------------- the other operations

drover_exit_result RawExit(const ProcessExit& end) {
  auto raw = NewStruct<drover_exit_result>();
  raw.exit_code = end.exit_code;
  raw.signal = end.signal;
  raw.oom_killed = end.oom_killed ? 1 : 0;
  raw.error = ToStr(end.error);
  return raw;
}

// Stores when "main" ended, because the driver's exit result contains no time.
void NoteEndOf(const Operation& op, const std::string& name, const ProcessExit& end) {
  if (name != kMainProcess) return;
  if (PluginHost::Run* const run = op.find()) run->ended_at = end.finished_at;
}

Co<void> DoAttach(Op op, std::string name) {
  ++op->find()->asked;
  const Result<RunId> process = ProcessOf(*op, name);
  if (!process.ok()) co_return op->Finish(Status(process.error()));
  Result<ProcessService::Attached> attached =
      co_await op->processes()->Attach(op->context, *process);
  if (!attached.ok()) co_return op->Finish(Status(attached.error()));
  if (const auto* end = std::get_if<ProcessExit>(&*attached)) {
    NoteEndOf(*op, name, *end);
    co_return op->Deliver([name, end = *end](drover_done function, void* context) {
      const drover_exit_result exited = RawExit(end);
      auto state = NewStruct<drover_process2_state>();
      state.state = DROVER_TASK_EXITED;
      state.name = ToStr(name);
      state.exit_result = &exited;
      function(context, nullptr, &state);
    });
  }
  const std::shared_ptr<NamedInfo> info = InfoOf(*op, *process, std::get<ProcessInfo>(*attached));
  op->Deliver([name, info](drover_done function, void* context) {
    const drover_process2_info raw = info->Release();
    auto state = NewStruct<drover_process2_state>();
    state.state = DROVER_TASK_RUNNING;
    state.name = ToStr(name);
    state.info = &raw;
    function(context, nullptr, &state);
  });
}

Co<void> DoList(Op op) {
  const Result<NamedNotes::Names> named = op->processes()->Named(op->run);
  if (!named.ok()) co_return op->Finish(Status(named.error()));
  op->Deliver([named = *named](drover_done function, void* context) {
    std::vector<drover_str> names;
    for (const auto& [name, process] : named) names.push_back(ToStr(name));
    auto list = NewStruct<drover_process2_list>();
    list.names = ToArray(names);
    function(context, nullptr, &list);
  });
}

Co<void> DoWait(Op op, std::string name) {
  const Result<RunId> process = ProcessOf(*op, name);
  if (!process.ok()) co_return op->Finish(Status(process.error()));
  Result<ProcessExit> end = co_await op->processes()->Wait(op->context, *process);
  if (end.ok()) NoteEndOf(*op, name, *end);
  op->Finish(std::move(end));
}

Co<void> DoSignal(Op op, std::string name, int number) {
  const Result<RunId> process = ProcessOf(*op, name);
  if (!process.ok()) co_return op->Finish(Status(process.error()));
  const Status sent = co_await op->processes()->Signal(op->context, *process, number);
  op->Finish(sent);
}

Co<void> DoStop(Op op, std::string name, int number, Duration timeout) {
  const Result<RunId> process = ProcessOf(*op, name);
  if (!process.ok()) co_return op->Finish(Status(process.error()));
  const Result<ProcessExit> end =
      co_await op->processes()->Stop(op->context, *process, number, timeout);
  op->Finish(end.ok() ? Status() : Status(end.error()));
}

Co<void> DoKill(Op op, std::string name) {
  const Result<RunId> process = ProcessOf(*op, name);
  if (!process.ok()) co_return op->Finish(Status(process.error()));
  op->Finish(op->processes()->Kill(*process));
}

Co<void> DoRelease(Op op, std::string name) {
  const int asked = op->find()->asked;
  const Status released = co_await ReleaseNamed(op->processes(), op->context, op->run, name);
  PluginHost::Run* const run = op->find();
  // As in host_process.cc: after this release, the host need not release the run again.
  if (released.ok() && run != nullptr && name == kMainProcess) {
    run->freed = asked;
    run->inherited = false;
  }
  op->Finish(released);
}

struct NamedExec {
  std::string name;
  std::uint64_t session = 0;
  ExecBridge::Request request;
};

Co<void> DoExec(Op op, std::shared_ptr<NamedExec> exec) {
  const Result<RunId> process = ProcessOf(*op, exec->name);
  if (!process.ok()) co_return op->Finish(Status(process.error()));
  NamedCalls& calls = op->host->named_calls();
  if (calls.CountSessions(op->run) >= DROVER_PROCESS2_SESSIONS_MAX) {
    co_return op->Finish(
        Status(Error(Code::kResourceExhausted, "the run has too many open sessions")));
  }
  const std::pair<RunId, std::uint64_t> key(op->run, exec->session);
  const auto bridge =
      std::make_shared<ExecBridge>(op->host.get(), *process, std::move(exec->request));
  if (!calls.sessions().emplace(key, bridge).second) {
    co_return op->Finish(
        Status(Error(Code::kFailedPrecondition,
                     "the run has a session " + std::to_string(exec->session) + " already")));
  }
  Result<ExecExit> end = Error(Code::kInternal, "the command was not run");
  {
    const Subscription cancelled = op->context.OnCancel([bridge] { bridge->End(); });
    end = co_await bridge->Run();
  }
  calls.sessions().erase(key);
  const Status status = op->context.status();
  if (!status.ok()) co_return op->Finish(status);
  op->Finish(std::move(end));
}

Co<void> DoResize(Op op, std::uint64_t session, TerminalSize size) {
  const auto& sessions = op->host->named_calls().sessions();
  const auto found = sessions.find({op->run, session});
  op->Finish(found == sessions.end() ? Status() : found->second->Resize(size));
  co_return;
}

Co<void> DoEndSession(Op op, std::uint64_t session) {
  const auto& sessions = op->host->named_calls().sessions();
  const auto found = sessions.find({op->run, session});
  if (found != sessions.end()) found->second->End();
  op->Finish(Status());
  co_return;
}

// ------------------------------------------------------------- the functions that drivers call

// Each function has the name that it has in the C header's list. The table below is made from that
// list.
namespace process2 {

std::int32_t start(const drover_host* face, const drover_run_id* run,
                   const drover_process2_start_args* args, drover_done done, void* context,
                   drover_error* error) {
  const Result<std::shared_ptr<NamedStart>> read = ReadNamedStart(args);
  if (!read.ok()) return Refuse(read.error(), error);
  return Submit(face, "process2.start", run, done, context, error,
                [start = *read](Op op) { return DoStart(op, start); });
}

#define DROVER_NAMED_FUNCTION(function, Work)                                                   \
  std::int32_t function(const drover_host* face, const drover_run_id* run,                      \
                        const drover_process2_name_args* args, drover_done done, void* context, \
                        drover_error* error) {                                                  \
    const Result<drover_process2_name_args> raw = CopyStruct(args);                             \
    if (!raw.ok()) return Refuse(raw.error(), error);                                           \
    const Result<std::string> name = ReadName(raw->name);                                       \
    if (!name.ok()) return Refuse(name.error(), error);                                         \
    return Submit(face, "process2." #function, run, done, context, error,                       \
                  [name = *name](Op op) { return Work(op, name); });                            \
  }
DROVER_NAMED_FUNCTION(attach, DoAttach)
DROVER_NAMED_FUNCTION(wait, DoWait)
DROVER_NAMED_FUNCTION(kill, DoKill)
DROVER_NAMED_FUNCTION(release, DoRelease)
#undef DROVER_NAMED_FUNCTION

std::int32_t list(const drover_host* face, const drover_run_id* run,
                  const drover_process_none_args*, drover_done done, void* context,
                  drover_error* error) {
  return Submit(face, "process2.list", run, done, context, error, [](Op op) { return DoList(op); });
}

std::int32_t signal(const drover_host* face, const drover_run_id* run,
                    const drover_process2_signal_args* args, drover_done done, void* context,
                    drover_error* error) {
  const Result<drover_process2_signal_args> raw = CopyStruct(args);
  if (!raw.ok()) return Refuse(raw.error(), error);
  const Result<std::string> name = ReadName(raw->name);
  if (!name.ok()) return Refuse(name.error(), error);
  return Submit(face, "process2.signal", run, done, context, error,
                [name = *name, number = raw->number](Op op) { return DoSignal(op, name, number); });
}

std::int32_t stop(const drover_host* face, const drover_run_id* run,
                  const drover_process2_stop_args* args, drover_done done, void* context,
                  drover_error* error) {
  const Result<drover_process2_stop_args> raw = CopyStruct(args);
  if (!raw.ok()) return Refuse(raw.error(), error);
  const Result<std::string> name = ReadName(raw->name);
  if (!name.ok()) return Refuse(name.error(), error);
  // A year can be added to any point in time without overflow.
  constexpr std::int64_t kYear = 365LL * 24 * 3600 * 1'000'000'000;
  const Duration timeout(std::clamp<std::int64_t>(raw->timeout, 0, kYear));
  return Submit(face, "process2.stop", run, done, context, error,
                [name = *name, number = raw->number, timeout](Op op) {
                  return DoStop(op, name, number, timeout);
                });
}

std::int32_t exec(const drover_host* face, const drover_run_id* run,
                  const drover_process2_exec_args* args, drover_done done, void* context,
                  drover_error* error) {
  const Result<drover_process2_exec_args> raw = CopyStruct(args);
  if (!raw.ok()) return Refuse(raw.error(), error);
  const Result<drover_exec_args> command = CopyStruct(raw->command);
  if (!command.ok()) return Refuse(command.error(), error);
  const auto asked = std::make_shared<NamedExec>();
  asked->request.input = TakeFd(command->input);
  asked->request.output = TakeFd(command->output);
  asked->request.error = TakeFd(command->error);
  if (const Status known = CheckOwnerships(args); !known.ok()) return Refuse(known.error(), error);
  Result<std::string> name = ReadName(raw->name);
  if (!name.ok()) return Refuse(name.error(), error);
  Result<std::vector<std::string>> words = ReadTexts(command->command);
  if (!words.ok()) return Refuse(words.error(), error);
  if (words->empty()) return Refuse(Wrong("there is no command to run"), error);
  asked->name = std::move(*name);
  asked->session = raw->session;
  asked->request.command = std::move(*words);
  asked->request.tty = command->tty != 0;
  asked->request.size = {command->width, command->height};
  return Submit(face, "process2.exec", run, done, context, error,
                [asked](Op op) { return DoExec(op, asked); });
}

std::int32_t resize(const drover_host* face, const drover_run_id* run,
                    const drover_process2_session_args* args, drover_done done, void* context,
                    drover_error* error) {
  const Result<drover_process2_session_args> raw = CopyStruct(args);
  if (!raw.ok()) return Refuse(raw.error(), error);
  const TerminalSize size{raw->width, raw->height};
  return Submit(face, "process2.resize", run, done, context, error,
                [session = raw->session, size](Op op) { return DoResize(op, session, size); });
}

std::int32_t end_session(const drover_host* face, const drover_run_id* run,
                         const drover_process2_session_args* args, drover_done done, void* context,
                         drover_error* error) {
  const Result<drover_process2_session_args> raw = CopyStruct(args);
  if (!raw.ok()) return Refuse(raw.error(), error);
  return Submit(face, "process2.end_session", run, done, context, error,
                [session = raw->session](Op op) { return DoEndSession(op, session); });
}

void cancel(const drover_host* face, void* context) {
  const Host host = PluginHost::From(face);
  if (host) host->port()->Post([host, context] { host->named_calls().Cancel(context); });
}

}  // namespace process2

#define DROVER_PROCESS2_ENTRY(function, args_type, result_type) \
  Traced<"process2." #function, process2::function>::Call,
const drover_process2 kProcess2 = {sizeof(drover_process2), 0,
                                   DROVER_PROCESS2_FUNCTIONS(DROVER_PROCESS2_ENTRY)
                                       Traced<"process2.cancel", process2::cancel>::Call};
#undef DROVER_PROCESS2_ENTRY

}  // namespace

const void* NamedProcessExtension() { return &kProcess2; }

}  // namespace drover
