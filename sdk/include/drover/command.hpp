// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "drover/drover_command.h"
#include "drover/host.hpp"

// Runs helper programs by the host. Like drover_command.h, this is a DRAFT without a promise.
namespace drover {
inline namespace sdk_v1 {

// A helper program. The members are those of drover_command_args in drover_command.h.
struct CommandSpec {
  std::vector<std::string> argv;  // the first is an absolute path, or a name to find in PATH
  StringMap env;                  // the whole environment
  std::string work_dir;           // empty means "/"
  std::string user;               // empty means the agent's user
  std::string input;              // bytes for the standard input
  Duration timeout{0};            // 0 means the operator's limit
  std::size_t max_output = 0;     // in bytes, of each output; 0 means 64 KiB
  std::int64_t memory_limit = 0;  // in bytes, of each process; 0 means none
};

struct CommandResult {
  ExitResult exit;
  std::string output;  // the first bytes of the standard output, and of the standard error
  std::string error;
  bool output_truncated = false;  // the program has written more
  bool error_truncated = false;

  bool ok() const { return exit.exit_code == 0 && exit.signal == 0; }
};

namespace abi {

DROVER_SDK_ONCE inline CommandResult DecodeCommand(const void* raw) {
  const auto in = Sized(static_cast<const drover_command_result*>(raw), "the result of a command");
  CommandResult out;
  out.exit = DecodeExit(in.exit_result);
  out.output = Text(in.output);
  out.error = Text(in.error);
  out.output_truncated = (in.flags & DROVER_COMMAND_OUTPUT_TRUNCATED) != 0;
  out.error_truncated = (in.flags & DROVER_COMMAND_ERROR_TRUNCATED) != 0;
  return out;
}

// A command that runs. The host identifies the command by the address of this object, so the object
// keeps itself alive until the host has called DONE.
class RunningCommand : public std::enable_shared_from_this<RunningCommand> {
 public:
  RunningCommand(const Host& host, const drover_command* service, Done<CommandResult> done)
      : host_(host), service_(service), done_(std::move(done)) {}

  DROVER_SDK_ONCE void Start(const CommandSpec& spec) {
    std::vector<drover_str> argv = Strs(spec.argv);
    std::vector<drover_pair> env = Pairs(spec.env);
    auto args = Make<drover_command_args>();
    args.argv = Array(argv);
    args.env = Array(env);
    args.work_dir = Str(spec.work_dir);
    args.user = Str(spec.user);
    args.input = Str(spec.input);
    args.timeout = spec.timeout.count();
    args.max_output = static_cast<std::int64_t>(spec.max_output);
    args.memory_limit = spec.memory_limit;
    const std::shared_ptr<RunningCommand> self = shared_from_this();
    self_ = self;
    drover_error error = EmptyError();
    const std::int32_t code = service_->run(host_.raw(), &args, &Finish, this, &error);
    if (code == DROVER_OK) return;
    self_.reset();
    done_(ReadError(code, error));
  }
  // Does nothing if the command has ended.
  void Cancel() { service_->cancel(host_.raw(), this); }

 private:
  DROVER_SDK_ONCE static void Finish(void* context, const drover_error* error,
                                     const void* result) noexcept {
    const std::shared_ptr<RunningCommand> self =
        std::move(static_cast<RunningCommand*>(context)->self_);
    RunInside(self->host_.core()->gate, [&] {
      Pending<CommandResult> pending(self->host_.core()->gate, &DecodeCommand, self->done_);
      pending.Read(error, result);
      pending.Deliver();
    });
    self->done_ = nullptr;
  }

  const Host host_;
  const drover_command* const service_;
  Done<CommandResult> done_;
  std::shared_ptr<RunningCommand> self_;
};

DROVER_SDK_ONCE inline std::shared_ptr<RunningCommand> MakeCommand(const Host& host,
                                                                   Done<CommandResult> done) {
  const auto* service = static_cast<const drover_command*>(host.Extension(DROVER_COMMAND_ID));
  if (service == nullptr || !DROVER_HAS(service, drover_command, cancel)) {
    throw Error(Code::kUnimplemented, "the host runs no commands (drover.command)");
  }
  return std::make_shared<RunningCommand>(host, service, std::move(done));
}

}  // namespace abi

// True if the host runs commands. [any-thread]
inline bool CanRunCommands(const Host& host) {
  return host.Extension(DROVER_COMMAND_ID) != nullptr;
}

// Runs a helper program, and calls DONE once when it has ended. DONE gets an error if the program
// could not be run or was killed by the host. Throws kUnimplemented if the host has no such
// service. [any-thread]
inline void RunCommandAsync(const Host& host, const CommandSpec& spec, Done<CommandResult> done) {
  abi::MakeCommand(host, std::move(done))->Start(spec);
}

// Runs a helper program, and returns when it has ended, with any exit code. Throws Error if the
// program could not be run, or was killed by the host. It blocks, so only the driver's own threads
// may call it, such as those of the blocking methods. If CALL is given and the host gives it up,
// the program is killed, and RunCommand throws kCancelled. It replaces the function of an earlier
// OnCancel of CALL.
inline CommandResult RunCommand(const Host& host, const CommandSpec& spec,
                                const CallView* call = nullptr) {
  abi::Landing<CommandResult> landing;
  const std::shared_ptr<abi::RunningCommand> command = abi::MakeCommand(host, landing.done());
  command->Start(spec);
  if (call != nullptr) {
    const std::weak_ptr<abi::RunningCommand> weak = command;
    call->OnCancel([weak] {
      if (const auto running = weak.lock()) running->Cancel();
    });
  }
  return landing.Take(host.core()->gate);
}

}  // namespace sdk_v1
}  // namespace drover
