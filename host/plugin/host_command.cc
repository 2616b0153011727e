// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/host_command.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "drover/drover_command.h"
#include "host/abi/abi_read.h"
#include "host/abi/abi_write.h"
#include "host/base/own_thread.h"
#include "host/base/unique_fd.h"
#include "host/child/helper.h"
#include "host/plugin/plugin_host.h"
#include "host/plugin/service_done.h"
#include "host/plugin/traced.h"
#include "host/process/user_lookup.h"

namespace drover {
namespace {

constexpr std::size_t kMaxArguments = DROVER_COMMAND_ARGUMENTS_MAX;

// A request of a driver. The control thread and the thread of the helper share it.
struct Command {
  Command(std::shared_ptr<PluginHost> of, ServiceDone then) : host(std::move(of)), done(then) {}

  std::shared_ptr<PluginHost> host;
  ServiceDone done;
  HelperRun run;
  std::string user;
  UniqueFd stop;  // can be read when the command is to end
  Result<HelperEnd> end{Error(Code::kInternal, "the command was not run")};
};
using SharedCommand = std::shared_ptr<Command>;

Error Wrong(const std::string& what) { return Error(Code::kInvalidArgument, "a command: " + what); }

// Reads a text without NUL bytes, and adds its size to TOTAL.
Result<std::string> ReadPart(const drover_str& from, const char* what, std::size_t* total) {
  Result<std::string> text = ReadBytes(from, kMaxArguments);
  if (!text.ok()) return text.error().WithContext(std::string("a command: ") + what);
  if (text->find('\0') != std::string::npos) {
    return Wrong(std::string(what) + " holds a NUL byte");
  }
  *total += text->size() + 1;
  if (*total > kMaxArguments) {
    return Wrong("argv and env have more than " + std::to_string(kMaxArguments) + " bytes");
  }
  return text;
}

Status ReadCommand(const drover_command_args* args, Duration longest, Command* command) {
  DROVER_ASSIGN(const drover_command_args raw, CopyStruct(args));
  HelperRun& run = command->run;
  std::size_t total = 0;
  DROVER_TRY(
      ReadArray<drover_str>(raw.argv, sizeof(drover_str), [&](const drover_str* at) -> Status {
        DROVER_ASSIGN(std::string text, ReadPart(*at, "an argument", &total));
        run.arguments.push_back(std::move(text));
        return {};
      }));
  if (run.arguments.empty()) return Wrong("argv is empty");
  const std::string& program = run.arguments[0];
  if (program.empty() || (program[0] != '/' && program.find('/') != std::string::npos)) {
    return Wrong("\"" + program +
                 "\" is no program: give an absolute path, or a name without \"/\"");
  }
  DROVER_TRY(
      ReadArray<drover_pair>(raw.env, sizeof(drover_pair), [&](const drover_pair* at) -> Status {
        DROVER_ASSIGN(std::string key, ReadPart(at->key, "the name of a variable", &total));
        DROVER_ASSIGN(const std::string value, ReadPart(at->value, "a variable", &total));
        if (key.empty() || key.find('=') != std::string::npos) {
          return Wrong("a variable of env has no usable name");
        }
        run.environment.push_back(std::move(key) + "=" + value);
        return {};
      }));
  std::size_t ignored = 0;
  DROVER_ASSIGN(std::string directory, ReadPart(raw.work_dir, "work_dir", &ignored));
  if (!directory.empty() && directory[0] != '/') return Wrong("work_dir is no absolute path");
  if (!directory.empty()) run.directory = std::move(directory);
  DROVER_ASSIGN(command->user, ReadPart(raw.user, "user", &ignored));
  Result<std::string> input = ReadBytes(raw.input, DROVER_COMMAND_INPUT_MAX);
  if (!input.ok()) return input.error().WithContext("a command: input");
  run.input = std::move(*input);
  if (raw.timeout < 0 || raw.max_output < 0 || raw.memory_limit < 0) {
    return Wrong("timeout, max_output and memory_limit must not be negative");
  }
  if (raw.max_output > DROVER_COMMAND_OUTPUT_MAX) {
    return Wrong("max_output is at most " + std::to_string(DROVER_COMMAND_OUTPUT_MAX) + " bytes");
  }
  run.limit = raw.timeout == 0 ? longest : std::min(longest, Duration(raw.timeout));
  run.most_output = raw.max_output == 0 ? std::size_t{DROVER_COMMAND_OUTPUT}
                                        : static_cast<std::size_t>(raw.max_output);
  run.most_memory = static_cast<std::uint64_t>(raw.memory_limit);
  return {};
}

// Runs on a thread of its own, which waits for the helper.
Result<HelperEnd> RunOnThread(Command* command) {
  DROVER_ASSIGN(const std::optional<ProcessUser> user, LookUpUser(command->user));
  if (user) command->run.user = HelperUser{user->uid, user->gid, user->groups};
  return RunHelper(command->run);
}

Co<Status> Carry(Context context, SharedCommand command) {
  PluginHost& host = *command->host;
  DROVER_CO_TRY(co_await host.commands().AwaitTurn(context));
  command->stop.Reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  command->run.stop = command->stop.get();
  Status ran;
  if (!command->stop) {
    ran = ErrnoError(errno, "eventfd");
  } else {
    const Subscription cancelled = context.OnCancel([command] {
      const std::uint64_t one = 1;
      (void)!write(command->stop.get(), &one, sizeof one);
    });
    std::function<void()> run = [command] { command->end = RunOnThread(command.get()); };
    // The command ends soon after its cancellation, and only then its turn is over.
    const Context to_its_end(host.loop());
    ran = co_await RunOnOwnThread(to_its_end, std::move(run));
  }
  host.commands().EndTurn();
  DROVER_CO_TRY(ran);
  // A cancellation has the reason of its context, such as the end of the instance.
  if (command->end.code() == Code::kCancelled) DROVER_CO_TRY(context.status());
  co_return Status();
}

Co<void> DoCommand(Context context, SharedCommand command) {
  const Status carried = co_await Carry(context, command);
  command->host->commands().Remove(command->done.context());
  command->done.Finish(carried.ok() ? std::move(command->end) : Result<HelperEnd>(carried.error()));
}

void Begin(const SharedCommand& command) {
  PluginHost& host = *command->host;
  if (host.services_context().cancelled()) {
    return command->done.Finish(host.services_context().status());
  }
  const Context context = host.services_context().Child();
  if (!host.commands().Add(command->done.context(), context)) {
    return command->done.Finish(
        Status(Error(Code::kFailedPrecondition, "another command has the same context")));
  }
  host.services().Spawn(DoCommand(context, command));
}

Error Gone() { return Error(Code::kUnavailable, "the host has shut this driver down"); }

std::int32_t Run(const drover_host* face, const drover_command_args* args, drover_done done,
                 void* context, drover_error* error) {
  const std::shared_ptr<PluginHost> host = PluginHost::From(face);
  if (!host) return Refuse(Gone(), error);
  if (done == nullptr) return Refuse(Wrong("it needs a function for its end"), error);
  const auto command =
      std::make_shared<Command>(host, ServiceDone(host, "command.run", done, context));
  const Status read = ReadCommand(args, host->limits().command, command.get());
  if (!read.ok()) return Refuse(read.error(), error);
  const bool posted = host->port()->Post([command] { Begin(command); });
  return posted ? DROVER_OK : Refuse(Gone(), error);
}

void Cancel(const drover_host* face, void* context) {
  const std::shared_ptr<PluginHost> host = PluginHost::From(face);
  if (host) host->port()->Post([host, context] { host->commands().Cancel(context); });
}

const drover_command kCommand = {sizeof(drover_command), 0, Traced<"command.run", Run>::Call,
                                 Traced<"command.cancel", Cancel>::Call};

}  // namespace

void CommandTable::Cancel(void* command) {
  const auto found = open_.find(command);
  if (found == open_.end()) return;
  Context context = found->second;
  context.CancelWith(Error(Code::kCancelled, "the command was cancelled"));
}

Co<Status> CommandTable::AwaitTurn(Context context) {
  DROVER_CO_TRY(context.status());
  if (running_ < DROVER_COMMANDS_AT_A_TIME && waiting_.empty()) {
    ++running_;
    co_return Status();
  }
  if (waiting_.size() >= DROVER_COMMANDS_WAITING) {
    co_return Error(Code::kResourceExhausted,
                    std::to_string(DROVER_COMMANDS_WAITING) + " commands wait for their turn",
                    /*recoverable=*/true);
  }
  const auto turn = std::make_shared<Event>(loop_);
  waiting_.push_back(turn);
  const Status waited = co_await turn->Wait(context);
  if (waited.ok()) co_return waited;  // EndTurn has passed its turn on
  std::erase(waiting_, turn);
  co_return waited;
}

void CommandTable::EndTurn() {
  if (waiting_.empty()) {
    --running_;
    return;
  }
  const std::shared_ptr<Event> next = waiting_.front();
  waiting_.pop_front();
  next->Set();  // the number of running commands does not change
}

const void* CommandExtension() { return &kCommand; }

}  // namespace drover
