// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Cases for sessions (commands beside a task), for drivers whose tasks are commands.
#include <fstream>
#include <iterator>

#include "host/conformance/exec_streams.h"
#include "host/conformance/kit_case.h"

namespace drover {
namespace {

// One exec session. The kit has one end of each stream of the session.
struct Session {
  std::unique_ptr<TaskExecSession> session;
  ExecStreams streams;

  void Write(std::string text) { (void)streams.Write(&text); }
};

// Opens an exec session beside the running task of RUN. On failure, calls KitCase::Fail and returns
// false.
Co<bool> OpenBeside(KitCase* kit, LoadedDriver* driver, RunId run, Session* to, std::string script,
                    bool tty) {
  std::vector<std::string> command = {"/bin/sh", "-c", std::move(script)};
  ExecRequest request = to->streams.Open(std::move(command), tty);
  auto session = co_await driver->Exec(kit->context(), run, std::move(request));
  if (!session.ok()) {
    kit->Fail("exec: " + Describe(session));
    co_return false;
  }
  to->session = std::move(*session);
  co_return true;
}

// Starts a task beside which exec sessions can run. If the driver cannot do this, calls
// KitCase::Skip and returns null. On failure, calls KitCase::Fail and returns null.
Co<std::shared_ptr<const TaskConfig>> StartTask(KitCase* kit, LoadedDriver* driver) {
  if (!driver->info().can_exec) {
    kit->Skip("it offers no exec");
    co_return nullptr;
  }
  const auto task = kit->ExecTask();
  if (!task) co_return nullptr;
  if (!co_await kit->Start(driver, task)) co_return nullptr;
  co_return task;
}

// Starts a task and opens an exec session beside it. Returns false if the start or the session
// fails, or if the case is skipped.
Co<bool> Open(KitCase* kit, LoadedDriver* driver, Session* to, std::string script, bool tty) {
  const auto task = co_await StartTask(kit, driver);
  if (!task) co_return false;
  co_return co_await OpenBeside(kit, driver, task->run_id, to, std::move(script), tty);
}

// Reads until both output streams have ended, but for at most 5 s.
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

Co<void> ExecTwoTtys(KitCase* kit, LoadedDriver* driver) {
  const auto task = co_await StartTask(kit, driver);
  if (!task) co_return;
  const std::string script = "test -t 1 || exit 9; read line; echo got $line; exit ";
  Session first;
  Session second;
  if (!co_await OpenBeside(kit, driver, task->run_id, &first, script + "11", true)) co_return;
  if (!co_await OpenBeside(kit, driver, task->run_id, &second, script + "22", true)) co_return;
  second.Write("two\n");
  co_await ReadAll(kit, &second);
  first.Write("one\n");
  co_await ReadAll(kit, &first);
  for (const auto& [session, word] : {std::pair(&first, "one"), std::pair(&second, "two")}) {
    const std::string& shown = session->streams.out();
    KIT_EXPECT(shown == std::string(word) + "\r\ngot " + word + "\r\n",
               "of two terminals the one that read \"" + std::string(word) + "\" showed \"" +
                   shown + "\"");
  }
  co_await ExpectEnd(kit, &first, 11);
  co_await ExpectEnd(kit, &second, 22);
}

// Checks a task whose output is read too slowly, and a command beside the task whose output nobody
// reads. The task must still be stopped and destroyed.
Co<void> PausedOutput(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Writing();
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  Session unread;
  if (driver->info().can_exec && kit->RunsCommands()) {
    const std::string write = "while :; do echo written; done";
    if (!co_await OpenBeside(kit, driver, task->run_id, &unread, write, false)) co_return;
    for (int i = 0; i < 500 && !unread.streams.OutputIsFull(); ++i)
      (void)co_await Sleep(kit->context(), 10ms);
    KIT_EXPECT(unread.streams.OutputIsFull(), "a command that writes does not fill its pipe");
  }
  const Status stopped = co_await driver->Stop(kit->context(), task->run_id, 1s, std::string());
  KIT_EXPECT(stopped.ok(), "stop of a task whose output nobody takes: " + Describe(stopped));
  const Status gone = co_await driver->Destroy(kit->context(), task->run_id, false);
  KIT_EXPECT(gone.ok(), "destroy of a task whose output nobody takes: " + Describe(gone));
}

// Returns the output of a task of the kit, from its first log file.
std::string LogOf(const TaskConfig& task) {
  std::ifstream file(task.log_dir + "/" + task.task_name + ".stdout.0");
  return {std::istreambuf_iterator<char>(file), {}};
}

// Starts two tasks. Each prints its mount namespace and its cgroup. A command that runs beside the
// second task must print the namespace and the cgroup of the second task.
Co<void> ExecPlace(KitCase* kit, LoadedDriver* driver) {
  if (!driver->info().can_exec) co_return kit->Skip("it offers no exec");
  const std::string place = "readlink /proc/self/ns/mnt; cat /proc/self/cgroup; echo end";
  std::shared_ptr<const TaskConfig> task;
  std::string here;
  for (int i = 0; i < 2; ++i) {
    task = kit->Script(place + "; exec sleep 60");
    if (!task || !co_await kit->Start(driver, task)) co_return;
    for (int tries = 0; tries < 500 && !LogOf(*task).ends_with("end\n"); ++tries) {
      (void)co_await Sleep(kit->context(), 10ms);
    }
    here = LogOf(*task);
    if (i == 0 && here.empty()) co_return kit->Skip("its tasks write no log");
    KIT_EXPECT(here.ends_with("end\n"),
               "a task has printed where it is, within 5 s, only by \"" + here + "\"");
  }
  Session session;
  if (!co_await OpenBeside(kit, driver, task->run_id, &session, place, false)) co_return;
  co_await ReadAll(kit, &session);
  KIT_EXPECT(session.streams.out() == here,
             "a command beside a task whose namespace and cgroup are \"" + here + "\" is in \"" +
                 session.streams.out() + "\"");
  co_await ExpectEnd(kit, &session, 0);
}

Co<void> ExecResize(KitCase* kit, LoadedDriver* driver) {
  Session session;
  if (!co_await Open(kit, driver, &session, "read line; stty size; exit 0", true)) co_return;
  for (const auto& [width, height] : {std::pair(50, 40), std::pair(101, 51)}) {
    TerminalSize size;
    size.width = width;
    size.height = height;
    (void)session.session->Resize(size);
  }
  (void)co_await Sleep(kit->context(), 300ms);
  session.Write("go\n");
  co_await ReadAll(kit, &session);
  KIT_EXPECT(session.streams.out().find("51 101") != std::string::npos,
             "after a second resize, to 101 columns and 51 rows, the terminal showed \"" +
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
      {"exec-place", "A command runs in the cgroup and mount namespace of its task", ExecPlace},
      {"exec-input", "A command reads its input to the end", ExecInput},
      {"exec-no-tty", "Without a terminal there is none", ExecNoTty},
      {"exec-tty", "A terminal shows output and errors as one", ExecTty},
      {"exec-two-ttys", "Two terminals beside a task have nothing to do with each other",
       ExecTwoTtys},
      {"exec-resize", "A terminal takes its new size", ExecResize},
      {"exec-background", "A session ends with its command, not with what that left running",
       ExecBackground},
      {"exec-end", "A session that is given up ends its command", ExecEnd},
      {"paused-output", "stop works while nobody takes the output", PausedOutput},
  };
  return cases;
}

}  // namespace drover
