// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/shim_exec_session.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "host/process/exit_record.h"
#include "host/process/start_message.h"
#include "shim/start_plan.h"

namespace drover {
namespace {

// The session number in messages. Each session has its own connection, so all sessions use the same
// number.
constexpr std::uint32_t kSession = 1;

struct Terminal {
  UniqueFd master;
  UniqueFd slave;
};

Result<Terminal> OpenTerminal(pid_t leader) {
  Terminal terminal;
  terminal.master = UniqueFd(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!terminal.master || unlockpt(terminal.master.get()) != 0)
    return ErrnoError(errno, "cannot open a terminal");
  terminal.slave =
      UniqueFd(ioctl(terminal.master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!terminal.slave) return ErrnoError(errno, "cannot open the terminal's other side");
  // Programs open their terminal again by its name, so the terminal must belong to the task's
  // user.
  struct stat status{};
  if (stat(("/proc/" + std::to_string(leader)).c_str(), &status) == 0 && status.st_uid != geteuid())
    if (fchown(terminal.slave.get(), status.st_uid, gid_t(-1)) != 0)
      return ErrnoError(errno, "cannot give the terminal to the task's user");
  return terminal;
}

ExecExit ExitOf(const drover_attach_session_exit& message, const std::string& command) {
  ExecExit exit;
  if (message.exec_errno != 0) {
    const bool missing = message.exec_errno == ENOENT || message.exec_errno == ENOTDIR;
    exit.exit_code = message.exec_step == DROVER_STEP_EXEC && missing ? 127 : 126;
    const char* const what =
        message.exec_step == DROVER_STEP_EXEC ? "cannot execute " : "cannot prepare to execute ";
    exit.error = StepError(message.exec_errno, what + command).message();
  } else {
    SetWaitStatus(message.wait_status, &exit);
  }
  return exit;
}

class ShimExecSession : public ExecSession {
 public:
  ShimExecSession(Loop* loop, std::shared_ptr<ShimConnection> connection, UniqueFd master,
                  std::string command)
      : state_(std::make_shared<State>(loop)),
        connection_(std::move(connection)),
        master_(std::move(master)),
        command_(std::move(command)) {}
  ~ShimExecSession() override { connection_->Close(); }

  void Start() {
    connection_->Start(
        [state = state_](const drover_attach_header& header, const ShimConnection::Bytes& bytes) {
          if (header.type != DROVER_ATTACH_SESSION_EXIT) return;
          state->exit = MessageAs<drover_attach_session_exit>(bytes);
          state->over.Set();
        },
        [state = state_] { state->over.Set(); });
  }

  int terminal() const override { return master_.get(); }

  Status Resize(std::uint16_t rows, std::uint16_t columns) override {
    if (!master_) return Error(Code::kFailedPrecondition, "the session has no terminal");
    drover_attach_resize message{};
    message.rows = rows;
    message.columns = columns;
    return SendMessage(ShimConnection::Message(message, DROVER_ATTACH_RESIZE, kSession));
  }

  Status Signal(int signal_number) override {
    DROVER_ASSIGN(ShimConnection::Bytes message,
                  SignalMessage(DROVER_ATTACH_SESSION_SIGNAL, signal_number, kSession));
    return SendMessage(std::move(message));
  }

  Co<Result<ExecExit>> Wait(Context context) override {
    const std::shared_ptr<State> state = state_;
    const std::string command = command_;
    DROVER_CO_TRY(co_await state->over.Wait(context));
    if (!state->exit)
      co_return Error(Code::kUnavailable, "the session ended with the run or its supervisor");
    co_return ExitOf(*state->exit, command);
  }

  void Close() override {
    if (!state_->over.is_set()) (void)Signal(SIGKILL);
  }

 private:
  struct State {
    explicit State(Loop* loop) : over(loop) {}
    Event over;
    std::optional<drover_attach_session_exit> exit;
  };

  Status SendMessage(ShimConnection::Bytes message) {
    if (state_->over.is_set() || !connection_->Send(std::move(message)))
      return Error(Code::kFailedPrecondition, "the session has ended");
    return {};
  }

  std::shared_ptr<State> state_;
  std::shared_ptr<ShimConnection> connection_;
  UniqueFd master_;
  std::string command_;
};

// Returns the error of a session whose run ended before the shim could start the session.
Error NotRunning() { return Error(Code::kFailedPrecondition, "the task is not running"); }

Status CheckExec(const ExecSpec& spec) {
  if (spec.argv.empty() || spec.argv[0].empty())
    return Error(Code::kInvalidArgument, "there is no command to execute");
  if (spec.argv.size() > DROVER_ATTACH_MAX_ARGS)
    return Error(Code::kInvalidArgument, "the command has too many arguments");
  std::size_t size = 0;
  for (const std::string& argument : spec.argv) {
    size += argument.size() + 1;
    if (argument.find('\0') != std::string::npos)
      return Error(Code::kInvalidArgument, "an argument contains a NUL byte");
  }
  if (size > DROVER_ATTACH_MAX - 1024)
    return Error(Code::kInvalidArgument, "the command is longer than 63 KiB");
  if (!spec.tty && !(spec.standard_input && spec.standard_output && spec.standard_error))
    return Error(Code::kInvalidArgument, "a session without a terminal needs three descriptors");
  return {};
}

ShimConnection::Bytes ExecMessage(const ExecSpec& spec) {
  drover_attach_exec message{};
  message.flags = spec.tty ? DROVER_ATTACH_EXEC_TTY : 0;
  message.argc = static_cast<std::uint32_t>(spec.argv.size());
  message.rows = spec.rows;
  message.columns = spec.columns;
  std::string strings;
  for (const std::string& argument : spec.argv) {
    strings += argument;
    strings += '\0';
  }
  if (spec.tty) {
    message.envc = 1;
    strings += "TERM=xterm";
    strings += '\0';
  }
  return ShimConnection::Message(message, DROVER_ATTACH_EXEC, kSession, strings);
}

}  // namespace

Co<Result<std::unique_ptr<ExecSession>>> StartExecSession(
    Context context, Loop* loop, std::shared_ptr<ShimConnection> connection, pid_t leader,
    ExecSpec spec) {
  DROVER_CO_TRY(CheckExec(spec));
  Terminal terminal;
  std::vector<int> fds;
  if (spec.tty) {
    DROVER_CO_ASSIGN(terminal, OpenTerminal(leader));
    fds = {terminal.slave.get()};
  } else {
    fds = {spec.standard_input.get(), spec.standard_output.get(), spec.standard_error.get()};
  }
  auto session =
      std::make_unique<ShimExecSession>(loop, connection, std::move(terminal.master), spec.argv[0]);
  session->Start();
  const Result<ShimConnection::Bytes> greeted =
      co_await connection->Call(context, HelloMessage(/*events=*/0));
  DROVER_CO_TRY(context.status());
  if (!greeted.ok()) co_return NotRunning();
  const Status started = co_await connection->Command(
      context, ExecMessage(spec), "cannot start a session in the task", std::move(fds));
  if (started.code() == Code::kUnavailable || started.code() == Code::kNotFound)
    co_return NotRunning();
  if (!started.ok()) co_return started.error();
  co_return std::unique_ptr<ExecSession>(std::move(session));
}

}  // namespace drover
