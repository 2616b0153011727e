// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Cases with a host that refuses, hangs or is slow. The driver must answer with an error, leave
// nothing, and work again when the fault is over.
#include <algorithm>

#include "host/base/gate.h"
#include "host/conformance/faulty_processes.h"
#include "host/conformance/kill_cases.h"
#include "host/conformance/kit_ask.h"
#include "host/conformance/kit_case.h"
#include "host/conformance/kit_leftovers.h"

namespace drover {
namespace {

using FaultMode = FaultyProcesses::Mode;
using TaskPointer = std::shared_ptr<const TaskConfig>;

bool UsesProcesses(KitCase* kit) {
  if ((kit->info().needs & DROVER_NEEDS_PROCESS_SERVICE) != 0) return true;
  kit->Skip("it does not need the process service");
  return false;
}

// Destroys the run of TASK, whose start has failed or was given up. Nothing of it may be left.
Co<void> LeavesNothing(KitCase* kit, LoadedDriver* driver, RunId run,
                       std::vector<std::string> before, std::string what) {
  const Status gone = co_await driver->Destroy(kit->context(), run, true);
  KIT_EXPECT(gone.ok() || gone.code() == Code::kNotFound,
             "destroy with force, after " + what + ": " + Describe(gone));
  const Result<TaskStatus> after = co_await driver->Inspect(kit->context(), run);
  KIT_EXPECT(after.code() == Code::kNotFound, "inspect of what was destroyed after " + what +
                                                  " must be E_NOT_FOUND, it was " +
                                                  Describe(after));
  const std::string left = co_await AwaitNoNewRuns(kit, std::move(before));
  KIT_EXPECT(left.empty(),
             "after " + what + " and a destroy, the run directory of the host has " + left);
}

// Starts a task while SET has committed a fault. The start must fail, leave nothing, and succeed
// when CLEAR has ended the fault.
Co<void> RefusedStartOf(KitCase* kit, LoadedDriver* driver, TaskPointer first, TaskPointer second,
                        std::function<void(FaultMode)> set, std::function<int()> asked,
                        std::string service) {
  const std::vector<std::string> before = kit->RunEntries();
  const TaskPointer config = kit->Prepare(driver, first);
  const TaskPointer later = kit->Prepare(driver, second);
  if (!config || !later) co_return;
  set(FaultMode::kRefuse);
  const Result<StartedTask> started = co_await driver->Start(kit->context(), config);
  const std::string what = "a start for which " + service + " was refused";
  if (asked() == 0) co_return kit->Skip("its start does not ask for " + service);
  KIT_EXPECT(started.code() != Code::kTimeout, what + " is not answered");
  KIT_EXPECT(!started.ok(), what + " must be an error, it was OK");
  co_await LeavesNothing(kit, driver, config->run_id, before, what);
  if (kit->decided()) co_return;
  set(FaultMode::kNone);
  const Result<StartedTask> again = co_await driver->Start(kit->context(), later);
  KIT_EXPECT(again.ok(), "start, after " + what + ": " + Describe(again));
}

Co<void> RefusedStart(KitCase* kit, LoadedDriver* driver) {
  if (!UsesProcesses(kit)) co_return;
  FaultyProcesses* const faulty = kit->faulty();
  std::function<void(FaultMode)> set = [faulty](FaultMode mode) { faulty->SetProcesses(mode); };
  std::function<int()> asked = [faulty] { return faulty->starts(); };
  const std::string service = "a process";
  co_await RefusedStartOf(kit, driver, kit->Lasting(), kit->Lasting(), set, asked, service);
}

Co<void> RefusedOutput(KitCase* kit, LoadedDriver* driver) {
  FaultyProcesses* const faulty = kit->faulty();
  std::function<void(FaultMode)> set = [faulty](FaultMode mode) { faulty->SetOutput(mode); };
  std::function<int()> asked = [faulty] { return faulty->outputs(); };
  const std::string service = "the output of a task";
  co_await RefusedStartOf(kit, driver, kit->Writing(), kit->Writing(), set, asked, service);
}

// Makes calls of a running task while the process service refuses everything that they may need.
Co<void> RefusedCalls(KitCase* kit, LoadedDriver* driver) {
  if (!UsesProcesses(kit)) co_return;
  const bool has_exec = driver->info().can_exec && kit->CanRunBeside();
  const TaskPointer task = kit->LastingFor(has_exec ? "exec" : "");
  if (!task || !co_await kit->Start(driver, task)) co_return;
  const RunId run = task->run_id;
  kit->faulty()->SetProcesses(FaultMode::kRefuse);
  if (driver->info().can_signal) {
    const std::string name = "SIGCONT";
    const Status sent = co_await driver->Signal(kit->context(), run, name);
    KIT_EXPECT(
        !sent.ok() && sent.code() != Code::kTimeout,
        "signal, while the host refuses to send it, must be an error, it was " + Describe(sent));
  }
  if (driver->info().has_stats) {
    const std::optional<Status> answer = co_await AskStats(kit, driver, run);
    KIT_EXPECT(answer, "stats, while the host measures nothing, gives neither a sample nor an end");
  }
  if (has_exec) {
    const std::optional<Status> answer = co_await AskExec(kit, driver, run);
    KIT_EXPECT(answer && !answer->ok(),
               "exec, while the host refuses to run commands, must be an error, it was " +
                   (answer ? Describe(*answer) : std::string("not answered")));
  }
  kit->faulty()->SetProcesses(FaultMode::kNone);
  const Result<TaskStatus> after = co_await driver->Inspect(kit->context(), run);
  KIT_EXPECT(after.ok() && after->state == TaskState::kRunning,
             "after calls that the host refused, inspect of a running task is " + Describe(after));
}

// Gives a start up while the process service does not answer. Other tasks must be served, and the
// run must be destroyed.
Co<void> HangingStart(KitCase* kit, LoadedDriver* driver) {
  if (!UsesProcesses(kit)) co_return;
  const TaskPointer running = kit->Lasting();
  if (!running || !co_await kit->Start(driver, running)) co_return;
  std::vector<std::string> before = kit->RunEntries();
  // Below, the running task is stopped. The host keeps the records of the ends of its processes
  // until its destroy.
  before.push_back(running->run_id.Short() + ".exit");
  if (const auto named = kit->faulty()->Named(running->run_id); named.ok()) {
    for (const auto& [name, process] : *named) before.push_back(process.Short() + ".exit");
  }
  const std::size_t open = driver->host()->calls().size();
  const TaskPointer config = kit->Prepare(driver, kit->Lasting());
  if (!config) co_return;
  kit->faulty()->SetProcesses(FaultMode::kHang);
  const Context impatient = kit->Within(500ms);
  const Result<StartedTask> started = co_await driver->Start(impatient, config);
  KIT_EXPECT(!started.ok(), "start succeeds, although the host has started no process");
  const Result<TaskStatus> other = co_await driver->Inspect(kit->context(), running->run_id);
  KIT_EXPECT(other.ok() && other->state == TaskState::kRunning,
             "inspect of another task, while a start hangs: " + Describe(other));
  const std::string usual;
  const Status stopped = co_await driver->Stop(kit->context(), running->run_id, 1s, usual);
  KIT_EXPECT(stopped.ok(), "stop of another task, while a start hangs: " + Describe(stopped));
  const std::string what = "a start that was given up while the host did not answer";
  co_await LeavesNothing(kit, driver, config->run_id, before, what);
  if (kit->decided()) co_return;
  for (int i = 0; i < 300 && driver->host()->calls().size() > open; ++i) {
    (void)co_await Sleep(kit->context(), 10ms);
  }
  if (driver->host()->calls().size() > open) {
    kit->Warn(
        "a start that was given up is completed only when the host answers: complete it at "
        "once, and close what comes later");
  }
}

Co<void> StartAndForget(KitCase* kit, LoadedDriver* driver, TaskPointer config) {
  (void)co_await driver->Start(kit->context(), config);
}

Co<void> HangingShutdown(KitCase* kit, LoadedDriver* driver) {
  if (!UsesProcesses(kit)) co_return;
  const TaskPointer config = kit->Prepare(driver, kit->Lasting());
  if (!config) co_return;
  kit->faulty()->SetProcesses(FaultMode::kHang);
  kit->loop()->Spawn(StartAndForget(kit, driver, config));
  for (int i = 0; i < 100 && kit->faulty()->starts() == 0; ++i) {
    (void)co_await Sleep(kit->context(), 10ms);
  }
  const TimePoint began = kit->loop()->Now();
  const Status ended = co_await kit->Unload(driver);
  KIT_EXPECT(ended.ok(), "shutdown, while a start hangs: " + Describe(ended));
  KIT_EXPECT(kit->loop()->Now() - began < 4s, "shutdown, while a start hangs, took more than 4 s");
}

Co<void> LateTimers(KitCase* kit, LoadedDriver* driver) {
  const Duration lag = kit->fault().delay;
  const std::vector<std::string> before = kit->RunEntries();
  const TaskPointer lasting = kit->Lasting();
  if (!lasting || !co_await kit->Start(driver, lasting)) co_return;
  const std::string usual;
  const TimePoint began = kit->loop()->Now();
  const Status stopped = co_await driver->Stop(kit->context(), lasting->run_id, 300ms, usual);
  const Duration took = kit->loop()->Now() - began;
  KIT_EXPECT(stopped.ok(), "stop, while timers are late: " + Describe(stopped));
  KIT_EXPECT(took < 4s + 2 * lag, "stop with a timeout of 300 ms, while timers come " +
                                      FormatDuration(lag) + " late, took " + FormatDuration(took));
  const Result<TaskStatus> after = co_await driver->Inspect(kit->context(), lasting->run_id);
  KIT_EXPECT(after.ok() && after->state == TaskState::kExited,
             "inspect of a task that was stopped while timers are late: " + Describe(after));
  const Status gone = co_await driver->Destroy(kit->context(), lasting->run_id, true);
  KIT_EXPECT(gone.ok(), "destroy, while timers are late: " + Describe(gone));
  const TaskPointer ending = kit->HasEnding() ? kit->Ending() : nullptr;
  if (!ending || !co_await kit->Start(driver, ending)) co_return;
  const Context patient = kit->Within(5s + 2 * lag);
  const Result<ExitResult> end = co_await driver->Wait(patient, ending->run_id);
  KIT_EXPECT(end.ok(), "wait for a task that ends, while timers are late: " + Describe(end));
  const std::string what = "a task that has ended while timers were late";
  co_await LeavesNothing(kit, driver, ending->run_id, before, what);
}

Co<void> MustStart(KitCase* kit, LoadedDriver* driver, TaskPointer config) {
  const Result<StartedTask> started = co_await driver->Start(kit->context(), config);
  KIT_EXPECT(started.ok(), "a start that takes long: " + Describe(started));
}

Co<void> AskMeanwhile(KitCase* kit, LoadedDriver* driver, RunId run) {
  (void)co_await Sleep(kit->context(), 200ms);
  const Result<TaskStatus> status = co_await driver->Inspect(kit->context(), run);
  KIT_EXPECT(status.ok(), "inspect, while four starts take long: " + Describe(status));
  if (driver->info().can_signal) {
    const std::string name = "SIGCONT";
    const Status sent = co_await driver->Signal(kit->context(), run, name);
    KIT_EXPECT(sent.ok(), "signal, while four starts take long: " + Describe(sent));
  }
  const std::string usual;
  const Status stopped = co_await driver->Stop(kit->context(), run, 1s, usual);
  KIT_EXPECT(stopped.ok(), "stop, while four starts take long: " + Describe(stopped));
  const Status gone = co_await driver->Destroy(kit->context(), run, true);
  KIT_EXPECT(gone.ok(), "destroy, while four starts take long: " + Describe(gone));
}

// Starts four tasks at a time while the host takes long for each. By default, a driver of the SDK
// has four threads for starts.
Co<void> FourSlowStarts(KitCase* kit, LoadedDriver* driver) {
  if (!UsesProcesses(kit)) co_return;
  const TaskPointer running = kit->Lasting();
  if (!running || !co_await kit->Start(driver, running)) co_return;
  kit->faulty()->SetProcesses(FaultMode::kSlow, kit->fault().delay);
  std::vector<Co<void>> all;
  for (int i = 0; i < 4; ++i) {
    const TaskPointer config = kit->Prepare(driver, kit->Lasting());
    if (!config) co_return;
    all.push_back(MustStart(kit, driver, config));
  }
  all.push_back(AskMeanwhile(kit, driver, running->run_id));
  co_await InParallel(kit->loop(), std::move(all));
}

Co<void> SlowStartGivenUp(KitCase* kit, LoadedDriver* driver) {
  if (!UsesProcesses(kit)) co_return;
  const std::vector<std::string> before = kit->RunEntries();
  const TaskPointer config = kit->Prepare(driver, kit->Lasting());
  if (!config) co_return;
  const Duration delay = kit->fault().delay;
  kit->faulty()->SetProcesses(FaultMode::kSlow, delay);
  const Context impatient = kit->Within(std::min<Duration>(300ms, delay / 2));
  const Result<StartedTask> started = co_await driver->Start(impatient, config);
  KIT_EXPECT(!started.ok(), "start succeeds before the host has started the process");
  const std::string what = "a slow start that was given up";
  co_await LeavesNothing(kit, driver, config->run_id, before, what);
  if (kit->decided()) co_return;
  (void)co_await Sleep(kit->context(), delay + 500ms);  // now the process would have been started
  const std::string left = co_await AwaitNoNewRuns(kit, before);
  KIT_EXPECT(left.empty(), "a start that was given up and destroyed has left " + left +
                               " in the run directory of the host");
}

std::vector<KitEntry> MakeFaultCases() {
  const std::string family = "fault";
  std::vector<KitEntry> cases = {
      {"fault-refused-start", "start fails and leaves nothing when no process can be started",
       RefusedStart, family, "process-refuses"},
      {"fault-refused-calls", "Calls of a running task fail when the host refuses what they need",
       RefusedCalls, family, "process-refuses"},
      {"fault-hanging-start", "A start that hangs in the host can be given up and destroyed",
       HangingStart, family, "process-hangs"},
      {"fault-hanging-shutdown", "shutdown does not wait for a start that hangs in the host",
       HangingShutdown, family, "process-hangs"},
      {"fault-refused-output", "start fails and leaves nothing when no output can be collected",
       RefusedOutput, family, "output-refuses"},
      {"fault-late-timers", "Tasks stop and end all the same when timers come late", LateTimers,
       family, "timer-slow"},
      {"fault-slow-starts", "Four starts that take long in the host delay nothing else",
       FourSlowStarts, family, "slow-start"},
      {"fault-slow-start-given-up", "A slow start that is given up leaves no process behind",
       SlowStartGivenUp, family, "slow-start"},
  };
  for (const char* step : kKillSteps) {
    const auto run = [step](KitCase* kit, LoadedDriver*) { return KilledAt(kit, step); };
    cases.push_back({"fault-kill-at-" + std::string(step),
                     std::string("A task outlives the end of the driver's process in ") + step, run,
                     family, "kill-at"});
  }
  return cases;
}

}  // namespace

const std::vector<KitEntry>& FaultCases() {
  static const std::vector<KitEntry> cases = MakeFaultCases();
  return cases;
}

}  // namespace drover
