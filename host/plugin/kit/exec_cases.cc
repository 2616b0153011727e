// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Commands beside a task, for drivers whose tasks are commands.
#include "host/plugin/kit/exec_streams.h"
#include "host/plugin/kit/kit_case.h"

namespace drover {
namespace {

// One session with this side's ends of its streams.
struct Session {
  std::unique_ptr<TaskExecSession> session;
  ExecStreams streams;

  void Write(std::string text) { (void)streams.Write(&text); }
};

Co<bool> Open(KitCase* kit, LoadedDriver* driver, Session* to, std::string script, bool tty) {
  if (!driver->info().can_exec) {
    kit->Skip("it offers no exec");
    co_return false;
  }
  const auto task = kit->Script("exec sleep 60");
  if (!task) co_return false;
  if (!co_await kit->Start(driver, task)) co_return false;
  std::vector<std::string> command = {"/bin/sh", "-c", std::move(script)};
  ExecRequest request = to->streams.Open(std::move(command), tty);
  auto session = co_await driver->Exec(kit->context(), task->run_id, std::move(request));
  if (!session.ok()) {
    kit->Fail("exec: " + Describe(session));
    co_return false;
  }
  to->session = std::move(*session);
  co_return true;
}

// Reads until both streams have ended, or for at most 5 s.
Co<void> ReadAll(KitCase* kit, Session* session) {
  for (int i = 0; i < 500 && session->streams.open(); ++i) {
    session->streams.Drain();
    if (session->streams.open()) (void)co_await Sleep(kit->context(), 10ms);
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
  KIT_EXPECT(
      session.streams.out() == "out\n" && session.streams.err() == "err\n",
      "the output was \"" + session.streams.out() + "\" and \"" + session.streams.err() + "\"");
  co_await ExpectEnd(kit, &session, 43);
}

Co<void> ExecInput(KitCase* kit, LoadedDriver* driver) {
  Session session;
  if (!co_await Open(kit, driver, &session, "cat; exit 7", false)) co_return;
  const std::string text(30'000, 'x');
  session.Write(text);
  session.streams.CloseInput();
  co_await ReadAll(kit, &session);
  KIT_EXPECT(
      session.streams.out() == text,
      "of 30000 bytes of input " + std::to_string(session.streams.out().size()) + " came back");
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
  KIT_EXPECT(session.streams.out() == "out\r\nerr\r\n",
             "the terminal showed \"" + session.streams.out() + "\"");
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
  session.Write("go\n");
  co_await ReadAll(kit, &session);
  KIT_EXPECT(session.streams.out().find("51 101") != std::string::npos,
             "after a resize to 101 columns and 51 rows the terminal showed \"" +
                 session.streams.out() + "\"");
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
  for (int i = 0; i < 200 && session.streams.out().empty(); ++i) {
    session.streams.Drain();
    (void)co_await Sleep(kit->context(), 10ms);
  }
  KIT_EXPECT(session.streams.out() == "begun\n", "the command did not begin");
  session.session.reset();
  for (int i = 0; i < 300 && session.streams.open(); ++i) {
    session.streams.Drain();
    (void)co_await Sleep(kit->context(), 10ms);
  }
  KIT_EXPECT(!session.streams.open(), "the command lives on after its session was given up");
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
