// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// How tasks end: by themselves, by a signal or by a stop. Also checks what waits report about the
// end.
#include <csignal>
#include <fstream>
#include <iterator>

#include "host/base/gate.h"
#include "host/conformance/kit_case.h"

namespace drover {
namespace {

std::string Told(const ExitResult& end) {
  return "code " + std::to_string(end.exit_code) + ", signal " + std::to_string(end.signal) +
         (end.error.empty() ? "" : ": " + end.error);
}

Co<void> ExitsWith(KitCase* kit, LoadedDriver* driver, int code) {
  const auto task = kit->EndingWith(code);
  if (!task || !co_await kit->Start(driver, task)) co_return;
  const Context patient = kit->Within(5s);
  const Result<ExitResult> end = co_await driver->Wait(patient, task->run_id);
  KIT_EXPECT(end.ok(), "wait: " + Describe(end));
  KIT_EXPECT(end->exit_code == code && end->signal == 0 && end->error.empty(),
             "a task that ends with " + std::to_string(code) + " was reported to have ended with " +
                 Told(*end));
}

Co<void> DiesOf(KitCase* kit, LoadedDriver* driver, int signal, const char* name) {
  const auto task = kit->Script("sleep 0.2; kill -" + std::string(name) + " $$; sleep 60");
  if (!task || !co_await kit->Start(driver, task)) co_return;
  const Context patient = kit->Within(5s);
  const Result<ExitResult> end = co_await driver->Wait(patient, task->run_id);
  KIT_EXPECT(end.ok(), "wait: " + Describe(end));
  // A driver may run commands below another process, such as a shell. That process then reports a
  // signal as an exit code.
  KIT_EXPECT(end->signal == signal || end->exit_code == 128 + signal,
             "a task that SIG" + std::string(name) + " has ended was reported to have ended with " +
                 Told(*end));
}

// Returns the output of a task of the kit, from its first log file.
std::string Written(const TaskConfig& task) {
  std::ifstream file(task.log_dir + "/" + task.task_name + ".stdout.0");
  return {std::istreambuf_iterator<char>(file), {}};
}

// Waits until the task's shell has written to its log. The shell does so after it has set its
// traps. If the task has no log, waits for a fixed time.
Co<void> AwaitReady(KitCase* kit, std::shared_ptr<const TaskConfig> task) {
  for (int i = 0; i < 30 && Written(*task).empty(); ++i) (void)co_await Sleep(kit->context(), 20ms);
}

// Sends the signal NAME to a task. If the task runs a command, the command must receive the signal.
// Otherwise the driver must only answer.
Co<void> Signals(KitCase* kit, LoadedDriver* driver, const char* name) {
  if (!driver->info().can_signal) co_return kit->Skip("it offers no signals");
  const bool seen = kit->RunsCommands();
  const std::string script =
      "trap 'exit 77' " + std::string(name) + "; echo ready; while :; do sleep 0.02; done";
  const auto task = seen ? kit->Script(script) : kit->Lasting();
  if (!task || !co_await kit->Start(driver, task)) co_return;
  if (seen) co_await AwaitReady(kit, task);
  const std::string full = "SIG" + std::string(name);
  const Status sent = co_await driver->Signal(kit->context(), task->run_id, full);
  if (sent.code() == Code::kInvalidArgument || sent.code() == Code::kUnimplemented)
    co_return kit->Skip("it has no " + full + ": " + Describe(sent));
  KIT_EXPECT(sent.code() != Code::kTimeout, "signal " + full + ": " + Describe(sent));
  if (!seen) {
    const Result<TaskStatus> after = co_await driver->Inspect(kit->context(), task->run_id);
    KIT_EXPECT(after.ok(), "inspect fails after signal " + full + ": " + Describe(after));
    co_return;
  }
  KIT_EXPECT(sent.ok(), "signal " + full + ": " + Describe(sent));
  const Context patient = kit->Within(5s);
  const Result<ExitResult> end = co_await driver->Wait(patient, task->run_id);
  KIT_EXPECT(end.ok() && end->exit_code == 77,
             "a task that ends with 77 at " + full + " has had that signal, and " +
                 (end.ok() ? "ended with " + Told(*end) : "did not end: " + Describe(end)));
}

Co<void> KillSignal(KitCase* kit, LoadedDriver* driver) {
  if (!driver->info().can_signal) co_return kit->Skip("it offers no signals");
  const auto task = kit->Script("exec sleep 60");
  if (!task || !co_await kit->Start(driver, task)) co_return;
  const Status sent = co_await driver->Signal(kit->context(), task->run_id, std::string("SIGKILL"));
  KIT_EXPECT(sent.ok(), "signal SIGKILL: " + Describe(sent));
  const Context patient = kit->Within(5s);
  const Result<ExitResult> end = co_await driver->Wait(patient, task->run_id);
  KIT_EXPECT(end.ok(), "a task does not end at SIGKILL: " + Describe(end));
}

// Calls signal with NAME, which is not the name of a signal. The driver must answer in some way,
// and must still have the task.
Co<void> OddSignal(KitCase* kit, LoadedDriver* driver, std::string name) {
  if (!driver->info().can_signal) co_return kit->Skip("it offers no signals");
  const auto task = kit->Lasting();
  if (!task || !co_await kit->Start(driver, task)) co_return;
  const Status sent = co_await driver->Signal(kit->context(), task->run_id, name);
  KIT_EXPECT(sent.code() != Code::kTimeout, "signal is not answered: " + Describe(sent));
  const Result<TaskStatus> after = co_await driver->Inspect(kit->context(), task->run_id);
  KIT_EXPECT(after.ok(), "inspect fails after a signal that is none: " + Describe(after));
}

// Checks that stop completes within MOST, and that the task has ended when stop completes.
Co<void> StopsIn(KitCase* kit, LoadedDriver* driver, std::shared_ptr<const TaskConfig> task,
                 Duration timeout, std::string signal, Duration most) {
  if (!task || !co_await kit->Start(driver, task)) co_return;
  if (kit->RunsCommands()) co_await AwaitReady(kit, task);
  const TimePoint began = kit->loop()->Now();
  const Status stopped = co_await driver->Stop(kit->context(), task->run_id, timeout, signal);
  const Duration took = kit->loop()->Now() - began;
  const std::string what =
      "stop with a timeout of " + FormatDuration(timeout) + " and signal \"" + signal + "\"";
  KIT_EXPECT(stopped.ok(), what + ": " + Describe(stopped));
  KIT_EXPECT(took <= most, what + " has taken " + FormatDuration(took));
  const Result<TaskStatus> after = co_await driver->Inspect(kit->context(), task->run_id);
  KIT_EXPECT(
      after.ok() && after->state == TaskState::kExited,
      "after " + what + " inspect does not report that the task has ended: " + Describe(after));
}

Co<void> StopAtOnce(KitCase* kit, LoadedDriver* driver) {
  const std::string none;
  co_await StopsIn(kit, driver, kit->Lasting(), 0s, none, 3s);
}

Co<void> StopStubborn(KitCase* kit, LoadedDriver* driver) {
  const std::string none;
  const auto task =
      kit->Script("trap '' INT TERM HUP QUIT; echo ready; while :; do sleep 0.05; done");
  co_await StopsIn(kit, driver, task, 300ms, none, 4s);
}

Co<void> StopWilling(KitCase* kit, LoadedDriver* driver) {
  const std::string term = "SIGTERM";
  const auto task = kit->Script("trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done");
  co_await StopsIn(kit, driver, task, 60s, term, 4s);
}

// Checks that stop sends the requested signal.
Co<void> StopBySignal(KitCase* kit, LoadedDriver* driver, const char* name) {
  const auto task = kit->Script("trap 'exit 78' " + std::string(name) +
                                "; echo ready; while :; do sleep 0.02; done");
  if (!task || !co_await kit->Start(driver, task)) co_return;
  co_await AwaitReady(kit, task);
  const std::string full = "SIG" + std::string(name);
  const Status stopped = co_await driver->Stop(kit->context(), task->run_id, 5s, full);
  KIT_EXPECT(stopped.ok(), "stop by " + full + ": " + Describe(stopped));
  const Context patient = kit->Within(5s);
  const Result<ExitResult> end = co_await driver->Wait(patient, task->run_id);
  KIT_EXPECT(end.ok() && end->exit_code == 78,
             "a task that ends with 78 at " + full + ", stopped by that, " +
                 (end.ok() ? "has ended with " + Told(*end) : "has not ended: " + Describe(end)));
}

// Calls stop with NAME, which is not the name of a signal. The driver may return an error or send
// another signal, but it must answer. After that, a stop with the driver's default signal must
// still work.
Co<void> StopByNonsense(KitCase* kit, LoadedDriver* driver, std::string name) {
  const auto task = kit->Lasting();
  if (!task || !co_await kit->Start(driver, task)) co_return;
  const Status odd = co_await driver->Stop(kit->context(), task->run_id, 500ms, name);
  KIT_EXPECT(odd.code() != Code::kTimeout,
             "stop by a signal that is none is not answered: " + Describe(odd));
  const Status stopped = co_await driver->Stop(kit->context(), task->run_id, 1s, std::string());
  KIT_EXPECT(stopped.ok(), "stop, after one by a signal that is none: " + Describe(stopped));
}

// Waits for the end of RUN, and stores the result of the wait in *TO.
Co<void> WaitInto(LoadedDriver* driver, Context context, RunId run, Result<ExitResult>* to) {
  *to = co_await driver->Wait(context, run);
}
Co<void> StopSoon(KitCase* kit, LoadedDriver* driver, RunId run, Duration after) {
  (void)co_await Sleep(kit->context(), after);
  (void)co_await driver->Stop(kit->context(), run, 500ms, std::string());
}

constexpr int kWaits = 12;

// Checks that all waits for a task report the same end, no matter when they were called.
Co<void> EachWaitHears(KitCase* kit, LoadedDriver* driver, bool by_stop) {
  const auto task = by_stop ? kit->Lasting() : kit->Ending();
  if (!task || !co_await kit->Start(driver, task)) co_return;
  const Context patient = kit->Within(5s);
  std::vector<Result<ExitResult>> ends(kWaits, Error(Code::kInternal, "it was not asked"));
  std::vector<Co<void>> all;
  for (Result<ExitResult>& end : ends) all.push_back(WaitInto(driver, patient, task->run_id, &end));
  if (by_stop) all.push_back(StopSoon(kit, driver, task->run_id, 50ms));
  co_await InParallel(kit->loop(), std::move(all));
  const Result<ExitResult> late = co_await driver->Wait(patient, task->run_id);
  KIT_EXPECT(late.ok(), "a wait after the end: " + Describe(late));
  for (const Result<ExitResult>& end : ends) {
    KIT_EXPECT(end.ok(), "one of " + std::to_string(kWaits) + " waits: " + Describe(end));
    KIT_EXPECT(end->exit_code == late->exit_code && end->signal == late->signal,
               "one wait tells " + Told(*end) + ", and another " + Told(*late));
  }
}
Co<void> WaitsForAnEnd(KitCase* kit, LoadedDriver* driver) {
  co_await EachWaitHears(kit, driver, false);
}
Co<void> WaitsForAStop(KitCase* kit, LoadedDriver* driver) {
  co_await EachWaitHears(kit, driver, true);
}

// Cancels one of two waits for the same task. The other wait must still report the end of the task.
Co<void> OneWaitGivenUp(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Lasting();
  if (!task || !co_await kit->Start(driver, task)) co_return;
  const Context impatient = kit->Within(50ms);
  const Context patient = kit->Within(5s);
  Result<ExitResult> given_up = Error(Code::kInternal, "");
  Result<ExitResult> other = Error(Code::kInternal, "");
  std::vector<Co<void>> all;
  all.push_back(WaitInto(driver, impatient, task->run_id, &given_up));
  all.push_back(WaitInto(driver, patient, task->run_id, &other));
  all.push_back(StopSoon(kit, driver, task->run_id, 200ms));
  co_await InParallel(kit->loop(), std::move(all));
  KIT_EXPECT(other.ok(), "of two waits one was given up, and the other: " + Describe(other));
}

std::vector<KitEntry> MakeEndCases() {
  std::vector<KitEntry> cases;
  for (const int code : {0, 1, 42, 255}) {
    const auto run = [code](KitCase* kit, LoadedDriver* driver) {
      return ExitsWith(kit, driver, code);
    };
    cases.push_back({"exit-code-" + std::to_string(code),
                     "wait tells exit code " + std::to_string(code), run, "exit-code"});
  }
  struct Named {
    int number;
    const char* name;
    const char* lower;
  };
  for (const Named& one : {Named{SIGKILL, "KILL", "kill"}, Named{SIGTERM, "TERM", "term"},
                           Named{SIGSEGV, "SEGV", "segv"}, Named{SIGABRT, "ABRT", "abrt"}}) {
    const auto run = [one](KitCase* kit, LoadedDriver* driver) {
      return DiesOf(kit, driver, one.number, one.name);
    };
    cases.push_back({"exit-signal-" + std::string(one.lower),
                     "wait tells that SIG" + std::string(one.name) + " has ended the task", run,
                     "exit-signal"});
  }
  for (const Named& one :
       {Named{SIGHUP, "HUP", "hup"}, Named{SIGINT, "INT", "int"}, Named{SIGQUIT, "QUIT", "quit"},
        Named{SIGUSR1, "USR1", "usr1"}, Named{SIGUSR2, "USR2", "usr2"},
        Named{SIGTERM, "TERM", "term"}, Named{SIGALRM, "ALRM", "alrm"},
        Named{SIGCONT, "CONT", "cont"}, Named{SIGWINCH, "WINCH", "winch"}}) {
    const auto run = [one](KitCase* kit, LoadedDriver* driver) {
      return Signals(kit, driver, one.name);
    };
    cases.push_back({"signal-" + std::string(one.lower),
                     "signal SIG" + std::string(one.name) + " comes to the task", run, "signal"});
  }
  cases.push_back({"signal-kill", "signal SIGKILL ends the task", KillSignal, "signal"});
  struct Odd {
    const char* suffix;
    const char* what;
    std::string name;
  };
  const std::vector<Odd> odd = {{"unknown", "no signal", "SIGNONSENSE"},
                                {"empty", "empty", ""},
                                {"long", "of 64 KiB", std::string(1 << 16, 'S')},
                                {"number", "a number", "-9"},
                                {"bytes", "no text", std::string("SIG\0\xff\n", 6)}};
  for (const Odd& one : odd) {
    const auto run = [name = one.name](KitCase* kit, LoadedDriver* driver) {
      return OddSignal(kit, driver, name);
    };
    cases.push_back({"signal-" + std::string(one.suffix),
                     "signal with a name that is " + std::string(one.what) + " is answered", run,
                     "signal-odd"});
  }
  for (const Odd& one : odd) {
    if (one.name.empty()) continue;  // an empty name means the driver's default signal
    const auto run = [name = one.name](KitCase* kit, LoadedDriver* driver) {
      return StopByNonsense(kit, driver, name);
    };
    cases.push_back({"stop-" + std::string(one.suffix),
                     "stop by a signal that is " + std::string(one.what) + " is answered", run,
                     "stop-odd"});
  }
  for (const Named& one : {Named{SIGINT, "INT", "int"}, Named{SIGTERM, "TERM", "term"},
                           Named{SIGUSR1, "USR1", "usr1"}}) {
    const auto run = [one](KitCase* kit, LoadedDriver* driver) {
      return StopBySignal(kit, driver, one.name);
    };
    cases.push_back({"stop-by-" + std::string(one.lower),
                     "stop sends SIG" + std::string(one.name) + " on request", run, "stop-by"});
  }
  cases.push_back({"stop-at-once", "stop with timeout 0 kills at once", StopAtOnce});
  cases.push_back(
      {"stop-stubborn", "stop kills a task that takes no notice of signals", StopStubborn});
  cases.push_back(
      {"stop-willing", "stop does not wait for a timeout when the task has ended", StopWilling});
  cases.push_back({"wait-side-by-side", "Waits side by side all report the same", WaitsForAnEnd});
  cases.push_back(
      {"wait-stopped", "Waits end with a stop, and all report the same", WaitsForAStop});
  cases.push_back({"wait-other", "A wait that is given up leaves others alone", OneWaitGivenUp});
  return cases;
}

}  // namespace

const std::vector<KitEntry>& EndCases() {
  static const std::vector<KitEntry> cases = MakeEndCases();
  return cases;
}

}  // namespace drover
