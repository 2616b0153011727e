// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The life of a task: start, wait, stop, destroy and recover.
#include "host/base/gate.h"
#include "host/conformance/kit_case.h"

namespace drover {
namespace {

Co<void> ExitCode(KitCase* kit, LoadedDriver* driver) {
  int code = 0;
  const auto task = kit->Failing(&code);
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  const Context patient = kit->Within(5s);
  const Result<ExitResult> end = co_await driver->Wait(patient, task->run_id);
  KIT_EXPECT(end.ok(), "wait: " + Describe(end));
  KIT_EXPECT(end->exit_code == code && end->signal == 0 && end->error.empty(),
             "a task that ends with " + std::to_string(code) +
                 " was reported to have ended with code " + std::to_string(end->exit_code) +
                 ", signal " + std::to_string(end->signal) +
                 (end->error.empty() ? "" : ": " + end->error));
}

Co<void> OneWait(LoadedDriver* driver, Context context, RunId run, int* answers) {
  const Result<ExitResult> end = co_await driver->Wait(context, run);
  if (end.ok()) ++*answers;
}

Co<void> ManyWaits(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Ending();
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  const Context patient = kit->Within(5s);
  int answers = 0;
  std::vector<Co<void>> waits;
  for (int i = 0; i < 3; ++i) {
    waits.push_back(OneWait(driver, patient, task->run_id, &answers));
  }
  co_await InParallel(kit->loop(), std::move(waits));
  KIT_EXPECT(answers > 0, "no wait was answered");
  const Context soon = kit->Within(3s);
  const Result<ExitResult> again = co_await driver->Wait(soon, task->run_id);
  KIT_EXPECT(again.ok(), "a wait after the end: " + Describe(again));
}

Co<void> CancelledWait(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Lasting();
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  const std::size_t before = driver->host()->calls().size();
  const Context impatient = kit->Within(50ms);
  (void)co_await driver->Wait(impatient, task->run_id);
  for (int i = 0; i < 30 && driver->host()->calls().size() > before; ++i) {
    (void)co_await Sleep(kit->context(), 100ms);
  }
  KIT_EXPECT(driver->host()->calls().size() <= before,
             "a wait that was given up is not completed within 3 s");
}

Co<void> Stop(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Lasting();
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  const Status stopped = co_await driver->Stop(kit->context(), task->run_id, 1s, std::string());
  KIT_EXPECT(stopped.ok(), "stop: " + Describe(stopped));
  const Result<TaskStatus> after = co_await driver->Inspect(kit->context(), task->run_id);
  KIT_EXPECT(after.ok() && after->state == TaskState::kExited,
             "stop was completed, but inspect does not report that the task has ended: " +
                 Describe(after));
  const Status again = co_await driver->Stop(kit->context(), task->run_id, 1s, std::string());
  KIT_EXPECT(again.ok(), "stop of a task that has ended: " + Describe(again));
}

Co<void> DestroyRunning(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Lasting();
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  const Status refused = co_await driver->Destroy(kit->context(), task->run_id, false);
  KIT_EXPECT(refused.code() == Code::kFailedPrecondition,
             "destroy of a running task without force must be E_FAILED_PRECONDITION, it was " +
                 Describe(refused));
}

Co<void> DestroyForce(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Lasting();
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  const Status destroyed = co_await driver->Destroy(kit->context(), task->run_id, true);
  KIT_EXPECT(destroyed.ok(), "destroy with force: " + Describe(destroyed));
  const Result<TaskStatus> gone = co_await driver->Inspect(kit->context(), task->run_id);
  KIT_EXPECT(gone.code() == Code::kNotFound,
             "inspect of a destroyed task must be E_NOT_FOUND, it was " + Describe(gone));
  // The driver must accept a new start of the same run, because nothing is left of the destroyed
  // run.
  if (!co_await kit->Start(driver, task)) co_return;
}

Co<void> DestroyEnded(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Ending();
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  const Context patient = kit->Within(5s);
  (void)co_await driver->Wait(patient, task->run_id);
  const Status destroyed = co_await driver->Destroy(kit->context(), task->run_id, false);
  KIT_EXPECT(destroyed.ok(), "destroy of a task that has ended: " + Describe(destroyed));
}

Co<void> Inspect(KitCase* kit, LoadedDriver* driver) {
  const auto lasting = kit->Lasting();
  if (!lasting) co_return;
  if (!co_await kit->Start(driver, lasting)) co_return;
  const Result<TaskStatus> running = co_await driver->Inspect(kit->context(), lasting->run_id);
  KIT_EXPECT(running.ok() && running->state == TaskState::kRunning && !running->exit_result,
             "inspect of a running task does not report that it runs: " + Describe(running));
  const auto ending = kit->Ending();
  if (!ending) co_return;
  if (!co_await kit->Start(driver, ending)) co_return;
  const Context patient = kit->Within(5s);
  (void)co_await driver->Wait(patient, ending->run_id);
  const Result<TaskStatus> ended = co_await driver->Inspect(kit->context(), ending->run_id);
  KIT_EXPECT(ended.ok() && ended->state == TaskState::kExited && ended->exit_result,
             "inspect of a task that has ended does not report its result: " + Describe(ended));
}

Co<void> Signal(KitCase* kit, LoadedDriver* driver) {
  if (!driver->info().can_signal) co_return kit->Skip("it offers no signals");
  const auto task = kit->Lasting();
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  const Status sent = co_await driver->Signal(kit->context(), task->run_id, "SIGCONT");
  KIT_EXPECT(sent.ok(), "signal SIGCONT: " + Describe(sent));
  const Result<TaskStatus> running = co_await driver->Inspect(kit->context(), task->run_id);
  KIT_EXPECT(running.ok() && running->state == TaskState::kRunning,
             "the task does not run after SIGCONT");
  // The two names below are not names of signals. Some drivers send SIGINT instead. Each driver
  // must answer and continue.
  (void)co_await driver->Signal(kit->context(), task->run_id, "SIGNONSENSE");
  (void)co_await driver->Signal(kit->context(), task->run_id, std::string(300, 'S'));
  const Result<TaskStatus> after = co_await driver->Inspect(kit->context(), task->run_id);
  KIT_EXPECT(after.ok(), "inspect fails after two names that are no signals: " + Describe(after));
}

Co<void> StartKnown(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Lasting();
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  const Result<StartedTask> again = co_await driver->Start(kit->context(), task);
  KIT_EXPECT(
      again.code() == Code::kFailedPrecondition,
      "start of a run that it knows must be E_FAILED_PRECONDITION, it was " + Describe(again));
}

Co<void> RecoverKnown(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Lasting();
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  const TaskHandle none;
  const Result<RecoveredTask> known = co_await driver->Recover(kit->context(), task, none);
  KIT_EXPECT(known.ok() && !known->exited,
             "recover of a running task that it knows must succeed: " + Describe(known));
}

Co<void> RecoverUnknown(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Lasting();
  if (!task) co_return;
  const TaskHandle none;
  const Result<RecoveredTask> unknown = co_await driver->Recover(kit->context(), task, none);
  KIT_EXPECT(unknown.code() == Code::kNotFound,
             "recover of a run that was never started, without a handle, must be E_NOT_FOUND, it "
             "was " +
                 Describe(unknown));
}

Co<void> RecoverAfterRestart(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Lasting();
  if (!task) co_return;
  Result<std::string> normal = driver->NormalizeConfig(task->driver_config_json, true);
  auto config = std::make_shared<TaskConfig>(*task);
  if (normal.ok()) config->driver_config_json = *normal;
  const std::shared_ptr<const TaskConfig> final = config;
  const Result<StartedTask> started = co_await driver->Start(kit->context(), final);
  KIT_EXPECT(started.ok(), "start: " + Describe(started));
  (void)co_await kit->Unload(driver);
  LoadedDriver* next = co_await kit->Load();
  if (next == nullptr) co_return;
  const Context patient = kit->Within(8s);
  const Result<RecoveredTask> back = co_await next->Recover(patient, final, started->handle);
  KIT_EXPECT(back.ok(), "recover in a new instance: " + Describe(back));
  KIT_EXPECT(!back->exited, "the task ended when its instance was shut down");
  const Status gone = co_await next->Destroy(patient, task->run_id, true);
  KIT_EXPECT(gone.ok(), "destroy of a recovered task: " + Describe(gone));
}

Co<void> StartAndDestroy(KitCase* kit, LoadedDriver* driver,
                         std::shared_ptr<const TaskConfig> task) {
  if (!co_await kit->Start(driver, task)) co_return;
  const Status gone = co_await driver->Destroy(kit->context(), task->run_id, true);
  KIT_EXPECT(gone.ok(), "destroy: " + Describe(gone));
}

Co<void> ManyTasks(KitCase* kit, LoadedDriver* driver) {
  std::vector<Co<void>> all;
  for (int i = 0; i < 16; ++i) {
    const auto task = kit->Lasting();
    if (!task) co_return;
    all.push_back(StartAndDestroy(kit, driver, task));
  }
  co_await InParallel(kit->loop(), std::move(all));
}

Co<void> GivenUpStart(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Lasting();
  if (!task) co_return;
  const Context at_once = kit->Within(1ms);
  (void)co_await driver->Start(at_once, task);
  const Status gone = co_await driver->Destroy(kit->context(), task->run_id, true);
  KIT_EXPECT(gone.ok() || gone.code() == Code::kNotFound,
             "destroy after a start that was given up: " + Describe(gone));
  const Result<TaskStatus> status = co_await driver->Inspect(kit->context(), task->run_id);
  KIT_EXPECT(status.code() == Code::kNotFound,
             "the task of a start that was given up is still known after its destroy");
}

Co<void> StartWhatever(KitCase* kit, LoadedDriver* driver, std::shared_ptr<const TaskConfig> task) {
  (void)co_await driver->Start(kit->context(),
                               task);  // the result is ignored here, since other cases check it
}

Co<void> AskWhileOthersStart(KitCase* kit, LoadedDriver* driver, RunId run) {
  // Waits until the driver has begun to start the other tasks.
  (void)co_await Sleep(kit->context(), 200ms);
  if (driver->info().can_signal) {
    const Status sent = co_await driver->Signal(kit->context(), run, std::string("SIGCONT"));
    KIT_EXPECT(sent.ok(), "signal, while other tasks start: " + Describe(sent));
  }
  const Status stopped = co_await driver->Stop(kit->context(), run, 1s, std::string());
  KIT_EXPECT(stopped.ok(), "stop, while other tasks start: " + Describe(stopped));
  const Status gone = co_await driver->Destroy(kit->context(), run, true);
  KIT_EXPECT(gone.ok(), "destroy, while other tasks start: " + Describe(gone));
}

// Starts eight tasks at the same time, and each start takes long. By default, a driver of the SDK
// has four threads for starts.
Co<void> SlowStarts(KitCase* kit, LoadedDriver* driver) {
  const auto running = kit->Lasting();
  if (!running || !co_await kit->Start(driver, running)) co_return;
  std::vector<Co<void>> all;
  for (int i = 0; i < 8; ++i) {
    const auto config = kit->Prepare(driver, kit->SlowlyStarting());
    if (!config) co_return;
    all.push_back(StartWhatever(kit, driver, config));
  }
  all.push_back(AskWhileOthersStart(kit, driver, running->run_id));
  co_await InParallel(kit->loop(), std::move(all));
}

// Makes several calls at the same time, because the ABI allows calls from any thread.
Co<void> SideBySide(KitCase* kit, LoadedDriver* driver) {
  std::vector<RunId> runs;
  for (int i = 0; i < 3; ++i) {
    const auto task = kit->Lasting();
    if (!task) co_return;
    if (!co_await kit->Start(driver, task)) co_return;
    runs.push_back(task->run_id);
  }
  const auto ask = [](KitCase* of, LoadedDriver* whom, RunId run) -> Co<void> {
    for (int i = 0; i < 10 && !of->decided(); ++i) {
      const Result<TaskStatus> status = co_await whom->Inspect(of->context(), run);
      if (!status.ok() || status->state != TaskState::kRunning) {
        of->Fail("inspect of a running task, beside others: " + Describe(status));
      }
    }
  };
  std::vector<Co<void>> all;
  for (const RunId& run : runs) {
    for (int i = 0; i < 3; ++i) all.push_back(ask(kit, driver, run));
  }
  co_await InParallel(kit->loop(), std::move(all));
}

}  // namespace

const std::vector<KitEntry>& TaskCases() {
  static const std::vector<KitEntry> cases = {
      {"exit-code", "wait tells how the task has ended", ExitCode},
      {"wait-many", "wait may be asked any number of times, also after the end", ManyWaits},
      {"wait-cancel", "A wait that is given up is completed soon", CancelledWait},
      {"stop", "stop completes when the task has ended, also when it had before", Stop},
      {"destroy-running", "destroy without force refuses a running task", DestroyRunning},
      {"destroy-force", "destroy with force ends a task and forgets it", DestroyForce},
      {"destroy-ended", "destroy forgets a task that has ended", DestroyEnded},
      {"inspect", "inspect tells whether the task runs, and its result", Inspect},
      {"signal", "signal reaches a task, and wrong names are answered", Signal},
      {"start-known", "start of a run that is known is E_FAILED_PRECONDITION", StartKnown},
      {"start-given-up", "destroy cleans up after a start that was given up", GivenUpStart},
      {"recover-known", "recover of a run that is known succeeds", RecoverKnown},
      {"recover-unknown", "recover of a run that never started is E_NOT_FOUND", RecoverUnknown},
      {"recover-restart", "A new instance takes the task of an earlier one over",
       RecoverAfterRestart},
      {"side-by-side", "[any-thread] functions may be called several at a time", SideBySide},
      {"slow-starts", "Starts that take long delay no signal, stop or destroy of another task",
       SlowStarts},
      {"many-tasks", "Tasks can be started and destroyed side by side", ManyTasks},
  };
  return cases;
}

}  // namespace drover
