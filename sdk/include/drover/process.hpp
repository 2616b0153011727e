// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "drover/service.hpp"

// The host's process service. It tracks every descendant of a process, rotates the log files, and
// keeps an exit status that survives the agent. The drivers that come with Drover use it, too.
namespace drover {
inline namespace sdk_v1 {

// Owns a file descriptor and closes it in the destructor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      if (fd_ >= 0) ::close(fd_);
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// The isolation of a process; see drover_isolation in drover.h. By default everything is isolated.
struct Isolation {
  bool pids = true;
  bool ipc = true;
  bool calls = true;
  bool pivot = true;
  bool resources = true;
  bool cpu_hard = false;
  std::int64_t max_processes = 4096;
  std::vector<std::string> capabilities;
  std::vector<std::string> ambient_capabilities;
  StringMap root_paths;
};

struct ProcessSpec {
  std::vector<std::string> argv;  // the first element is an absolute path
  StringMap env;                  // the whole environment of the process
  std::string work_dir;
  std::string user;  // a name or a number; empty means the agent's user
  int oom_score_adj = 0;
  std::optional<Isolation> isolation;
  // Cgroups of the operator; see drover_process_start_args in drover.h.
  std::string cgroup;    // a cgroup of version 2
  StringMap v1_cgroups;  // controllers of version 1, each with the path of a cgroup
};

namespace abi {

// A process in the form of the C interface. It points into SPEC, which must live as long.
class StartArgs {
 public:
  DROVER_SDK_ONCE explicit StartArgs(const ProcessSpec& spec)
      : argv_(Strs(spec.argv)),
        env_(Pairs(spec.env)),
        v1_cgroups_(Pairs(spec.v1_cgroups)),
        args_(Make<drover_process_start_args>()),
        isolation_(Make<drover_isolation>()) {
    args_.oom_score_adj = spec.oom_score_adj;
    args_.argv = Array(argv_);
    args_.env = Array(env_);
    args_.work_dir = Str(spec.work_dir);
    args_.user = Str(spec.user);
    args_.cgroup = Str(spec.cgroup);
    args_.v1_cgroups = Array(v1_cgroups_);
    if (!spec.isolation) return;
    const Isolation& isolated = *spec.isolation;
    capabilities_ = Strs(isolated.capabilities);
    ambient_ = Strs(isolated.ambient_capabilities);
    paths_ = Pairs(isolated.root_paths);
    isolation_.flags = DROVER_ISOLATE_ROOT | (isolated.pids ? DROVER_ISOLATE_PIDS : 0) |
                       (isolated.ipc ? DROVER_ISOLATE_IPC : 0) |
                       (isolated.calls ? DROVER_ISOLATE_CALLS : 0) |
                       (isolated.pivot ? 0 : DROVER_ISOLATE_NO_PIVOT) |
                       (isolated.resources ? DROVER_ISOLATE_RESOURCES : 0) |
                       (isolated.cpu_hard ? DROVER_ISOLATE_CPU_HARD : 0);
    isolation_.max_processes = isolated.max_processes;
    isolation_.capabilities = Array(capabilities_);
    isolation_.ambient_capabilities = Array(ambient_);
    isolation_.root_paths = Array(paths_);
    args_.isolation = &isolation_;
  }
  StartArgs(const StartArgs&) = delete;
  StartArgs& operator=(const StartArgs&) = delete;

  const drover_process_start_args& get() const { return args_; }

 private:
  std::vector<drover_str> argv_;
  std::vector<drover_pair> env_;
  std::vector<drover_pair> v1_cgroups_;
  std::vector<drover_str> capabilities_;
  std::vector<drover_str> ambient_;
  std::vector<drover_pair> paths_;
  drover_process_start_args args_;
  drover_isolation isolation_;
};

}  // namespace abi

struct ProcessState {
  TaskState state = TaskState::kUnknown;
  int pid = 0;
  std::int64_t started_at = 0;  // ns since 1970
  std::optional<ExitResult> exit_result;
};

// An extra command to run for a running task. With a tty, the command writes only to OUTPUT, and
// ERROR is not used.
struct ExecRequest {
  RunId run_id;
  std::vector<std::string> command;
  bool tty = false;
  int width = 80;
  int height = 24;
  Fd input;
  Fd output;
  Fd error;
};

// A session is an extra command that the process service runs for a task. The session exists at
// least until the service reports the end of the command. [any-thread]
class ExecSession {
 public:
  void Resize(int width, int height) const {
    drover_error error = abi::EmptyError();
    std::int32_t code =
        service_->exec_resize(host_, const_cast<ExecSession*>(this), width, height, &error);
    if (code != DROVER_OK) throw abi::ReadError(code, error);
  }
  // Ends the command soon. The service then calls the DONE that was passed to Exec, as for a
  // command that ends by itself.
  void End() const { service_->exec_end(host_, const_cast<ExecSession*>(this)); }

 private:
  friend class ProcessService;
  ExecSession(const drover_host* host, const drover_process* service)
      : host_(host), service_(service) {}

  const drover_host* const host_;
  const drover_process* const service_;
  std::shared_ptr<Gate> gate_;
  Done<ExitResult> done_;
  // The host identifies the session by the address of this object. So the object keeps itself alive
  // until the end of the session is reported.
  std::shared_ptr<ExecSession> self_;
};

// Most functions have two forms. The form with a callback may be called on any thread [any-thread].
// The blocking form throws its errors, and only the driver's own threads may call it.
class ProcessService {
 public:
  ProcessService(const drover_host* host, const drover_process* service, std::shared_ptr<Gate> gate)
      : host_(host), service_(service), gate_(std::move(gate)) {}

  bool available() const { return service_ != nullptr; }

  // Starts the process and returns its pid. Success means that the program has been executed.
  void Start(const RunId& run, const ProcessSpec& spec, Done<int> done) const {
    const abi::StartArgs args(spec);
    Run<int>(run, &drover_process::start, args.get(), &DecodePid, std::move(done));
  }
  int Start(const RunId& run, const ProcessSpec& spec) const {
    abi::Landing<int> landing;
    Start(run, spec, landing.done());
    return landing.Take(gate_);
  }

  // Finds the process of a run again after a restart of the agent. The error kNotFound means that
  // the run has no process.
  void Attach(const RunId& run, Done<ProcessState> done) const {
    Run<ProcessState>(run, &drover_process::attach, None(), &DecodeState, std::move(done));
  }
  ProcessState Attach(const RunId& run) const {
    abi::Landing<ProcessState> landing;
    Attach(run, landing.done());
    return landing.Take(gate_);
  }

  // Calls DONE when the process has ended. Wait has no blocking form, since that would need a
  // thread for each task.
  void Wait(const RunId& run, Done<ExitResult> done) const {
    Run<ExitResult>(run, &drover_process::wait, None(), &DecodeExitResult, std::move(done));
  }

  void Signal(const RunId& run, int number, Done<Empty> done) const {
    auto args = abi::Make<drover_process_signal_args>();
    args.number = number;
    Run<Empty>(run, &drover_process::signal, args, &abi::DecodeEmpty, std::move(done));
  }
  void Signal(const RunId& run, int number) const {
    abi::Landing<Empty> landing;
    Signal(run, number, landing.done());
    landing.Take(gate_);
  }

  // Sends the signal to the process. When the process has ended, or after TIMEOUT, sends SIGKILL to
  // all remaining processes of the run.
  void Stop(const RunId& run, int number, Duration timeout, Done<Empty> done) const {
    auto args = abi::Make<drover_process_stop_args>();
    args.number = number;
    args.timeout = timeout.count();
    Run<Empty>(run, &drover_process::stop, args, &abi::DecodeEmpty, std::move(done));
  }
  void Stop(const RunId& run, int number, Duration timeout) const {
    abi::Landing<Empty> landing;
    Stop(run, number, timeout, landing.done());
    landing.Take(gate_);
  }

  // Sends SIGKILL to the process and every descendant.
  void Kill(const RunId& run, Done<Empty> done) const {
    Run<Empty>(run, &drover_process::kill, None(), &abi::DecodeEmpty, std::move(done));
  }
  void Kill(const RunId& run) const {
    abi::Landing<Empty> landing;
    Kill(run, landing.done());
    landing.Take(gate_);
  }

  // Kills the remaining processes of the run. Then forgets the run and its exit status.
  void Release(const RunId& run, Done<Empty> done) const {
    Run<Empty>(run, &drover_process::release, None(), &abi::DecodeEmpty, std::move(done));
  }
  void Release(const RunId& run) const {
    abi::Landing<Empty> landing;
    Release(run, landing.done());
    landing.Take(gate_);
  }

  // Returns one sample of the usage of the run. If PROCESSES is true, the sample also has the usage
  // of each process.
  void Usage(const RunId& run, bool processes, Done<Stats> done) const {
    auto args = abi::Make<drover_process_usage_args>();
    if (processes) args.flags |= DROVER_STATS_PROCESSES;
    Run<Stats>(run, &drover_process::usage, args, &DecodeSample, std::move(done));
  }
  Stats Usage(const RunId& run, bool processes) const {
    abi::Landing<Stats> landing;
    Usage(run, processes, landing.done());
    return landing.Take(gate_);
  }

  // Runs an extra command for the run, and calls DONE when the command has ended. Takes ownership
  // of the descriptors of REQUEST. If the host refuses the command, DONE gets the error.
  std::shared_ptr<ExecSession> Exec(ExecRequest request, Done<ExitResult> done) const {
    Need();
    std::shared_ptr<ExecSession> session(new ExecSession(host_, service_));
    session->gate_ = gate_;
    session->done_ = std::move(done);
    session->self_ = session;
    std::vector<drover_str> command = abi::Strs(request.command);
    auto args = abi::Make<drover_exec_args>();
    args.tty = request.tty ? 1 : 0;
    args.command = abi::Array(command);
    args.width = request.width;
    args.height = request.height;
    args.input = Give(request.input);
    args.output = Give(request.output);
    args.error = Give(request.error);
    drover_run_id run = abi::Encode(request.run_id);
    drover_error error = abi::EmptyError();
    std::int32_t code = service_->exec(host_, &run, &args, &ExecDone, session.get(), &error);
    if (code != DROVER_OK) {
      session->self_.reset();
      Done<ExitResult> refused = std::move(session->done_);  // the callback may own the session
      refused(abi::ReadError(code, error));
    }
    return session;
  }

 private:
  void Need() const {
    if (service_ == nullptr) {
      throw Error(Code::kUnimplemented, "the host has no process service");
    }
  }
  static drover_process_none_args None() { return abi::Make<drover_process_none_args>(); }
  static drover_fd Give(Fd& fd) {
    if (!fd.ok()) return drover_fd{-1, DROVER_FD_NONE};
    return drover_fd{fd.release(), DROVER_FD_GIVEN};
  }
  static int DecodePid(const void* in) {
    return abi::Sized(static_cast<const drover_process_info*>(in), "the process").pid;
  }
  static ExitResult DecodeExitResult(const void* in) {
    return abi::DecodeExit(static_cast<const drover_exit_result*>(in));
  }
  static ProcessState DecodeState(const void* in) {
    auto raw = abi::Sized(static_cast<const drover_process_state*>(in), "the process state");
    ProcessState out;
    out.state = static_cast<TaskState>(raw.state);
    out.pid = raw.pid;
    out.started_at = raw.started_at;
    if (raw.exit_result != nullptr) out.exit_result = abi::DecodeExit(raw.exit_result);
    return out;
  }
  static Stats DecodeSample(const void* in) {
    return abi::DecodeStats(static_cast<const drover_stats*>(in));
  }
  static void ExecDone(void* context, const drover_error* error, const void* result) noexcept {
    std::shared_ptr<ExecSession> session = std::move(static_cast<ExecSession*>(context)->self_);
    abi::RunInside(session->gate_, [&] {
      abi::Pending<ExitResult> pending(session->gate_, &DecodeExitResult, session->done_);
      pending.Read(error, result);
      pending.Deliver();
    });
    session->done_ = nullptr;
  }

  template <typename T, typename Args, typename Function>
  void Run(const RunId& run, Function drover_process::* function, const Args& args,
           T (*decode)(const void*), Done<T> done) const {
    Need();
    drover_run_id raw = abi::Encode(run);
    abi::CallService(
        std::make_unique<abi::Pending<T>>(gate_, decode, std::move(done)),
        [&](drover_done finish, void* context, drover_error* error, std::int32_t* code) {
          *code = (service_->*function)(host_, &raw, &args, finish, context, error);
        });
  }

  const drover_host* const host_;
  const drover_process* const service_;
  const std::shared_ptr<Gate> gate_;
};

}  // namespace sdk_v1
}  // namespace drover
