// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "drover/call.hpp"
#include "drover/drover_process2.h"
#include "drover/host.hpp"

// Several named processes of one run. Like drover_process2.h, this is a DRAFT without a promise.
namespace drover {
inline namespace sdk_v1 {

// The name of the process that ProcessService means, too.
inline constexpr char kMainProcessName[] = "main";

struct ProcessLimit {
  int resource = 0;        // an RLIMIT_ number
  std::uint64_t soft = 0;  // UINT64_MAX means no limit
  std::uint64_t hard = 0;
};

// A process to start. The members are those of drover_process2_start_args in drover_process2.h.
struct NamedProcessSpec {
  std::string name;
  ProcessSpec process;
  std::string root;  // a directory of the host, whose entries are the root of an isolated process
  std::vector<ProcessLimit> limits;
  bool terminal = false;  // the host makes a terminal of this size
  int width = 80;
  int height = 24;
  // The host takes ownership of all descriptors.
  Fd input;  // without one, the input is /dev/null, and the outputs go to the logs
  Fd output;
  Fd error;
  std::vector<Fd> descriptors;  // become the descriptors 3, 4 and so on
};

// A running process.
struct NamedProcess {
  int pid = 0;
  std::string cgroup;           // its directory; empty if there is none
  Fd pidfd;                     // not open if the process has ended already
  Fd terminal;                  // the driver's side, if Start has made one
  std::int64_t started_at = 0;  // ns since 1970
};

struct NamedProcessState {
  TaskState state = TaskState::kUnknown;
  std::shared_ptr<NamedProcess> process;  // of a running process; else null
  std::optional<ExitResult> exit_result;  // of an ended process
};

// An operation of NamedProcesses that may not have ended. [any-thread]
class NamedOperation {
 public:
  NamedOperation(const Host& host, const drover_process2* service)
      : host_(host), service_(service) {}
  virtual ~NamedOperation() = default;
  NamedOperation(const NamedOperation&) = delete;
  NamedOperation& operator=(const NamedOperation&) = delete;

  // Ends the operation soon; see cancel in drover_process2.h. Does nothing if it has ended.
  void Cancel() const { service_->cancel(host_.raw(), context_); }

 protected:
  const Host host_;
  const drover_process2* const service_;
  void* context_ = nullptr;
};

namespace abi {

DROVER_SDK_ONCE inline std::shared_ptr<NamedProcess> DecodeNamed(const void* raw) {
  const auto in = Sized(static_cast<const drover_process2_info*>(raw), "a named process");
  auto out = std::make_shared<NamedProcess>();
  if (in.pidfd.ownership == DROVER_FD_GIVEN) out->pidfd = Fd(in.pidfd.fd);
  if (in.terminal.ownership == DROVER_FD_GIVEN) out->terminal = Fd(in.terminal.fd);
  out->pid = in.pid;
  out->cgroup = Text(in.cgroup);
  out->started_at = in.started_at;
  return out;
}
DROVER_SDK_ONCE inline NamedProcessState DecodeNamedState(const void* raw) {
  const auto in = Sized(static_cast<const drover_process2_state*>(raw), "a process's state");
  NamedProcessState out;
  out.state = static_cast<TaskState>(in.state);
  if (in.info != nullptr) out.process = DecodeNamed(in.info);
  if (in.exit_result != nullptr) out.exit_result = DecodeExit(in.exit_result);
  return out;
}
DROVER_SDK_ONCE inline std::vector<std::string> DecodeNames(const void* raw) {
  const auto in = Sized(static_cast<const drover_process2_list*>(raw), "the names of processes");
  return DecodeTexts(in.names, "the names of processes");
}
inline ExitResult DecodeNamedExit(const void* raw) {
  return DecodeExit(static_cast<const drover_exit_result*>(raw));
}

// The host identifies the operation by the address of this object, so the object keeps itself alive
// until the host has called DONE.
template <typename T>
class NamedOperationOf final : public NamedOperation {
 public:
  NamedOperationOf(const Host& host, const drover_process2* service, T (*decode)(const void*),
                   Done<T> done)
      : NamedOperation(host, service), decode_(decode), done_(std::move(done)) {
    context_ = this;
  }

  template <typename Args, typename Function>
  void Begin(const std::shared_ptr<NamedOperationOf>& self, const RunId& run,
             Function drover_process2::* function, const Args& args) {
    self_ = self;
    const drover_run_id raw = Encode(run);
    drover_error error = EmptyError();
    const std::int32_t code =
        (service_->*function)(host_.raw(), &raw, &args, &Finish, this, &error);
    if (code == DROVER_OK) return;
    self_.reset();
    done_(ReadError(code, error));
  }

 private:
  static void Finish(void* context, const drover_error* error, const void* result) noexcept {
    const std::shared_ptr<NamedOperationOf> self =
        std::move(static_cast<NamedOperationOf*>(context)->self_);
    // The result is read even if the gate is closed, since its descriptors must be closed.
    Pending<T> pending(self->host_.core()->gate, self->decode_, std::move(self->done_));
    pending.Read(error, result);
    RunInside(self->host_.core()->gate, [&] { pending.Deliver(); });
  }

  T (*const decode_)(const void*);
  Done<T> done_;
  std::shared_ptr<NamedOperationOf> self_;
};

}  // namespace abi

// The service drover.process/2. The functions are described in drover_process2.h. Most have two
// forms. The form with a callback may be called on any thread [any-thread], and calls DONE once.
// The blocking form throws its errors, and only the driver's own threads may call it. If it gets a
// CALL that the host gives up, it throws kCancelled; it replaces the function of an earlier
// OnCancel of CALL.
class NamedProcesses {
 public:
  using Operation = std::shared_ptr<NamedOperation>;

  // Throws kUnimplemented if the host has no such service.
  explicit NamedProcesses(const Host& host)
      : host_(host),
        service_(static_cast<const drover_process2*>(host.Extension(DROVER_PROCESS2_ID))) {
    if (service_ == nullptr || !DROVER_HAS(service_, drover_process2, cancel)) {
      throw Error(Code::kUnimplemented, "the host has no named processes (drover.process/2)");
    }
  }
  static bool Available(const Host& host) { return host.Extension(DROVER_PROCESS2_ID) != nullptr; }

  Operation Start(const RunId& run, NamedProcessSpec spec,
                  Done<std::shared_ptr<NamedProcess>> done) const {
    const abi::StartArgs process(spec.process);
    auto args = abi::Make<drover_process2_start_args>();
    args.flags = spec.terminal ? DROVER_PROCESS2_TERMINAL : 0;
    args.name = abi::Str(spec.name);
    args.process = &process.get();
    args.root = abi::Str(spec.root);
    std::vector<drover_process2_limit> limits;
    for (const ProcessLimit& limit : spec.limits) {
      limits.push_back(abi::Make<drover_process2_limit>());
      limits.back().resource = limit.resource;
      limits.back().soft = limit.soft;
      limits.back().hard = limit.hard;
    }
    args.limits = abi::Array(limits);
    std::vector<drover_process2_descriptor> descriptors(spec.descriptors.size(),
                                                        abi::Make<drover_process2_descriptor>());
    for (std::size_t i = 0; i < descriptors.size(); ++i) {
      descriptors[i].fd = Give(spec.descriptors[i]);
    }
    args.descriptors = abi::Array(descriptors);
    args.input = Give(spec.input);
    args.output = Give(spec.output);
    args.error = Give(spec.error);
    args.width = spec.width;
    args.height = spec.height;
    return Run(run, &drover_process2::start, args, &abi::DecodeNamed, std::move(done));
  }
  std::shared_ptr<NamedProcess> Start(const RunId& run, NamedProcessSpec spec,
                                      const CallView* call = nullptr) const {
    abi::Landing<std::shared_ptr<NamedProcess>> landing;
    CancelWith(call, Start(run, std::move(spec), landing.done()));
    return landing.Take(host_.core()->gate);
  }

  Operation Attach(const RunId& run, const std::string& name, Done<NamedProcessState> done) const {
    return Run(run, &drover_process2::attach, Named(name), &abi::DecodeNamedState, std::move(done));
  }
  NamedProcessState Attach(const RunId& run, const std::string& name,
                           const CallView* call = nullptr) const {
    abi::Landing<NamedProcessState> landing;
    CancelWith(call, Attach(run, name, landing.done()));
    return landing.Take(host_.core()->gate);
  }

  // Returns the names of all processes of the run but "main".
  Operation List(const RunId& run, Done<std::vector<std::string>> done) const {
    return Run(run, &drover_process2::list, abi::Make<drover_process_none_args>(),
               &abi::DecodeNames, std::move(done));
  }
  std::vector<std::string> List(const RunId& run, const CallView* call = nullptr) const {
    abi::Landing<std::vector<std::string>> landing;
    CancelWith(call, List(run, landing.done()));
    return landing.Take(host_.core()->gate);
  }

  // Calls DONE when the process has ended. Wait has no blocking form, since that would need a
  // thread for each task.
  Operation Wait(const RunId& run, const std::string& name, Done<ExitResult> done) const {
    return Run(run, &drover_process2::wait, Named(name), &abi::DecodeNamedExit, std::move(done));
  }

  Operation Signal(const RunId& run, const std::string& name, int number, Done<Empty> done) const {
    auto args = abi::Make<drover_process2_signal_args>();
    args.name = abi::Str(name);
    args.number = number;
    return Run(run, &drover_process2::signal, args, &abi::DecodeEmpty, std::move(done));
  }
  void Signal(const RunId& run, const std::string& name, int number,
              const CallView* call = nullptr) const {
    abi::Landing<Empty> landing;
    CancelWith(call, Signal(run, name, number, landing.done()));
    landing.Take(host_.core()->gate);
  }

  Operation Stop(const RunId& run, const std::string& name, int number, Duration timeout,
                 Done<Empty> done) const {
    auto args = abi::Make<drover_process2_stop_args>();
    args.name = abi::Str(name);
    args.number = number;
    args.timeout = timeout.count();
    return Run(run, &drover_process2::stop, args, &abi::DecodeEmpty, std::move(done));
  }
  void Stop(const RunId& run, const std::string& name, int number, Duration timeout,
            const CallView* call = nullptr) const {
    abi::Landing<Empty> landing;
    CancelWith(call, Stop(run, name, number, timeout, landing.done()));
    landing.Take(host_.core()->gate);
  }

  Operation Kill(const RunId& run, const std::string& name, Done<Empty> done) const {
    return Run(run, &drover_process2::kill, Named(name), &abi::DecodeEmpty, std::move(done));
  }
  void Kill(const RunId& run, const std::string& name, const CallView* call = nullptr) const {
    abi::Landing<Empty> landing;
    CancelWith(call, Kill(run, name, landing.done()));
    landing.Take(host_.core()->gate);
  }

  Operation Release(const RunId& run, const std::string& name, Done<Empty> done) const {
    return Run(run, &drover_process2::release, Named(name), &abi::DecodeEmpty, std::move(done));
  }
  void Release(const RunId& run, const std::string& name, const CallView* call = nullptr) const {
    abi::Landing<Empty> landing;
    CancelWith(call, Release(run, name, landing.done()));
    landing.Take(host_.core()->gate);
  }

  // Runs a command beside the process NAME until the command ends. SESSION is the driver's number
  // for Resize and EndSession. The run of REQUEST counts, and its descriptors go to the host.
  Operation Exec(ExecRequest request, const std::string& name, std::uint64_t session,
                 Done<ExitResult> done) const {
    std::vector<drover_str> words = abi::Strs(request.command);
    auto command = abi::Make<drover_exec_args>();
    command.tty = request.tty ? 1 : 0;
    command.command = abi::Array(words);
    command.width = request.width;
    command.height = request.height;
    command.input = Give(request.input);
    command.output = Give(request.output);
    command.error = Give(request.error);
    auto args = abi::Make<drover_process2_exec_args>();
    args.name = abi::Str(name);
    args.session = session;
    args.command = &command;
    return Run(request.run_id, &drover_process2::exec, args, &abi::DecodeNamedExit,
               std::move(done));
  }
  Operation Resize(const RunId& run, std::uint64_t session, int width, int height,
                   Done<Empty> done) const {
    auto args = abi::Make<drover_process2_session_args>();
    args.session = session;
    args.width = width;
    args.height = height;
    return Run(run, &drover_process2::resize, args, &abi::DecodeEmpty, std::move(done));
  }
  Operation EndSession(const RunId& run, std::uint64_t session, Done<Empty> done) const {
    auto args = abi::Make<drover_process2_session_args>();
    args.session = session;
    return Run(run, &drover_process2::end_session, args, &abi::DecodeEmpty, std::move(done));
  }

 private:
  static drover_process2_name_args Named(const std::string& name) {
    auto args = abi::Make<drover_process2_name_args>();
    args.name = abi::Str(name);
    return args;
  }
  static drover_fd Give(Fd& fd) {
    if (!fd.ok()) return drover_fd{-1, DROVER_FD_NONE};
    return drover_fd{fd.release(), DROVER_FD_GIVEN};
  }
  // Cancels OPERATION when the host gives CALL up.
  static void CancelWith(const CallView* call, const Operation& operation) {
    if (call == nullptr) return;
    const std::weak_ptr<NamedOperation> weak = operation;
    call->OnCancel([weak] {
      if (const auto running = weak.lock()) running->Cancel();
    });
  }
  template <typename T, typename Args, typename Function>
  Operation Run(const RunId& run, Function drover_process2::* function, const Args& args,
                T (*decode)(const void*), Done<T> done) const {
    const auto operation =
        std::make_shared<abi::NamedOperationOf<T>>(host_, service_, decode, std::move(done));
    operation->Begin(operation, run, function, args);
    return operation;
  }

  const Host host_;
  const drover_process2* const service_;
};

}  // namespace sdk_v1
}  // namespace drover
