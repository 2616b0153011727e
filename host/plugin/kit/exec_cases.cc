// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Commands beside a task, for drivers whose tasks are commands.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "host/plugin/kit/kit_case.h"

namespace drover {
namespace {

// One session with this side's ends of its streams.
struct Session {
  std::unique_ptr<TaskExecSession> session;
  UniqueFd input;
  UniqueFd output;
  UniqueFd error;
  std::string out;
  std::string err;
};

std::pair<UniqueFd, UniqueFd> Pipe(bool read_here) {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  fcntl(ends[read_here ? 0 : 1], F_SETFL, O_NONBLOCK);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Co<bool> Open(KitCase* kit, LoadedDriver* driver, Session* to, std::string script, bool tty) {
  if (!driver->info().can_exec) {
    kit->Skip("it offers no exec");
    co_return false;
  }
  const auto task = kit->Script("exec sleep 60");
  if (!task) co_return false;
  if (!co_await kit->Start(driver, task)) co_return false;
  ExecRequest request;
  request.command = {"/bin/sh", "-c", std::move(script)};
  request.tty = tty;
  auto in = Pipe(false);
  auto out = Pipe(true);
  request.input = std::move(in.first);
  request.output = std::move(out.second);
  to->input = std::move(in.second);
  to->output = std::move(out.first);
  if (!tty) {
    auto err = Pipe(true);
    request.error = std::move(err.second);
    to->error = std::move(err.first);
  }
  auto session = co_await driver->Exec(kit->context(), task->run_id, std::move(request));
  if (!session.ok()) {
    kit->Fail("exec: " + Describe(session));
    co_return false;
  }
  to->session = std::move(*session);
  co_return true;
}

void Drain(UniqueFd* from, std::string* to) {
  std::array<char, 4096> buffer;
  for (ssize_t n; from->valid() && (n = read(from->get(), buffer.data(), buffer.size())) != -1;) {
    if (n == 0) return from->Reset();
    to->append(buffer.data(), static_cast<std::size_t>(n));
  }
}

// Reads until both streams have ended, or for at most 5 s.
Co<void> ReadAll(KitCase* kit, Session* session) {
  for (int i = 0; i < 500 && (session->output.valid() || session->error.valid()); ++i) {
    Drain(&session->output, &session->out);
    Drain(&session->error, &session->err);
    if (session->output.valid() || session->error.valid()) {
      (void)co_await Sleep(kit->context(), 10ms);
    }
  }
}

Co<void> ExpectEnd(KitCase* kit, Session* session, int exit_code) {
  const Context patient = kit->Within(5s);
  const Result<ExitResult> end = co_await session->session->Wait(patient);
  KIT_EXPECT(end.ok(), "the end of the session: " + Describe(end));
  KIT_EXPECT(end->exit_code == exit_code, "exit code " + std::to_string(end->exit_code) +
                                              " instead of " + std::to_string(exit_code));
}

Co<void> Exec(KitCase* kit, LoadedDriver* driver) {
  Session session;
  if (!co_await Open(kit, driver, &session, "echo out; echo err >&2; exit 43", false)) co_return;
  co_await ReadAll(kit, &session);
  KIT_EXPECT(session.out == "out\n" && session.err == "err\n",
             "the output was \"" + session.out + "\" and \"" + session.err + "\"");
  co_await ExpectEnd(kit, &session, 43);
}

Co<void> ExecInput(KitCase* kit, LoadedDriver* driver) {
  Session session;
  if (!co_await Open(kit, driver, &session, "cat; exit 7", false)) co_return;
  const std::string text(30'000, 'x');
  (void)!write(session.input.get(), text.data(), text.size());
  session.input.Reset();
  co_await ReadAll(kit, &session);
  KIT_EXPECT(session.out == text,
             "of 30000 bytes of input " + std::to_string(session.out.size()) + " came back");
  co_await ExpectEnd(kit, &session, 7);
}

Co<void> ExecNoTty(KitCase* kit, LoadedDriver* driver) {
  Session session;
  if (!co_await Open(kit, driver, &session, "test -t 0 && exit 9; exit 1", false)) co_return;
  co_await ExpectEnd(kit, &session, 1);
}

Co<void> ExecTty(KitCase* kit, LoadedDriver* driver) {
  Session session;
  if (!co_await Open(kit, driver, &session, "test -t 1 || exit 9; echo out; echo err >&2; exit 43",
                     true)) {
    co_return;
  }
  co_await ReadAll(kit, &session);
  KIT_EXPECT(session.out == "out\r\nerr\r\n", "the terminal showed \"" + session.out + "\"");
  co_await ExpectEnd(kit, &session, 43);
}

Co<void> ExecResize(KitCase* kit, LoadedDriver* driver) {
  Session session;
  if (!co_await Open(kit, driver, &session, "read line; stty size; exit 0", true)) co_return;
  TerminalSize size;
  size.width = 101;
  size.height = 51;
  (void)session.session->Resize(size);
  (void)co_await Sleep(kit->context(), 300ms);
  (void)!write(session.input.get(), "go\n", 3);
  co_await ReadAll(kit, &session);
  KIT_EXPECT(
      session.out.find("51 101") != std::string::npos,
      "after a resize to 101 columns and 51 rows the terminal showed \"" + session.out + "\"");
  co_await ExpectEnd(kit, &session, 0);
}

Co<void> ExecBackground(KitCase* kit, LoadedDriver* driver) {
  Session session;
  if (!co_await Open(kit, driver, &session, "trap '' HUP; sleep 30 & echo ok; exit 5", true)) {
    co_return;
  }
  co_await ExpectEnd(kit, &session, 5);
}

Co<void> ExecEnd(KitCase* kit, LoadedDriver* driver) {
  Session session;
  if (!co_await Open(kit, driver, &session, "echo begun; exec sleep 60", false)) co_return;
  for (int i = 0; i < 200 && session.out.empty(); ++i) {
    Drain(&session.output, &session.out);
    (void)co_await Sleep(kit->context(), 10ms);
  }
  KIT_EXPECT(session.out == "begun\n", "the command did not begin");
  session.session.reset();
  for (int i = 0; i < 300 && session.output.valid(); ++i) {
    Drain(&session.output, &session.out);
    (void)co_await Sleep(kit->context(), 10ms);
  }
  KIT_EXPECT(!session.output.valid(), "the command lives on after its session was given up");
}

}  // namespace

const std::vector<KitEntry>& ExecCases() {
  static const std::vector<KitEntry> cases = {
      {"exec", "A command gives its output, its errors and its exit code", Exec},
      {"exec-input", "A command reads its input to the end", ExecInput},
      {"exec-no-tty", "Without a terminal there is none", ExecNoTty},
      {"exec-tty", "A terminal shows output and errors as one", ExecTty},
      {"exec-resize", "A terminal takes its new size", ExecResize},
      {"exec-background", "A session ends with its command, not with what that left running",
       ExecBackground},
      {"exec-end", "A session that is given up ends its command", ExecEnd},
  };
  return cases;
}

}  // namespace drover
