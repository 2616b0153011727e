// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/kill_cases.h"

#include <signal.h>

#include <string_view>

#include "host/conformance/kit_case.h"
#include "host/conformance/kit_leftovers.h"
#include "host/plugin/supervised_driver.h"

namespace drover {
namespace {

constexpr Duration kBackWithin = 12s;  // the host starts another process after 1 s, and then 2 s

// The call that is open when the process is killed.
struct KilledCall {
  bool over = false;
  Status status;
};

Co<void> CallAtKill(Driver* driver, Context context, std::string_view step,
                    std::shared_ptr<const TaskConfig> config, std::shared_ptr<KilledCall> to) {
  const RunId run = config->run_id;
  if (step == "start") {
    const auto started = co_await driver->Start(context, config);
    if (!started.ok()) to->status = started.error();
  } else if (step == "wait") {
    const auto end = co_await driver->Wait(context, run);
    if (!end.ok()) to->status = end.error();
  } else if (step == "stop") {
    const std::string usual;
    to->status = co_await driver->Stop(context, run, 1s, usual);
  } else if (step == "signal") {
    const std::string name = "SIGCONT";
    to->status = co_await driver->Signal(context, run, name);
  } else if (step == "inspect") {
    const auto status = co_await driver->Inspect(context, run);
    if (!status.ok()) to->status = status.error();
  } else if (step == "stats") {
    std::function<void(TaskUsage)> sink = [](const TaskUsage&) {};
    const StatsRequest request{50ms};
    to->status = co_await driver->Stats(context, run, request, std::move(sink));
  } else if (step == "destroy") {
    to->status = co_await driver->Destroy(context, run, true);
  }
  to->over = true;
}

// Kills the process of the driver. Returns its pid, or 0 after a verdict.
pid_t KillOwnProcess(KitCase* kit, SupervisedDriver* driver) {
  const pid_t pid = driver->status().pid;
  if (pid > 0 && kill(pid, SIGKILL) == 0) return pid;
  kit->Fail("the driver's own process cannot be killed: it has ended");
  return 0;
}

// Waits until the host has started another process than PID for the driver.
Co<bool> AwaitNextProcess(KitCase* kit, SupervisedDriver* driver, pid_t pid) {
  const TimePoint until = kit->loop()->Now() + kBackWithin;
  while (kit->loop()->Now() < until) {
    const pid_t now = driver->status().pid;
    if (now > 0 && now != pid) co_return true;
    (void)co_await Sleep(kit->context(), 2ms);
  }
  kit->Fail("the host has not brought the driver back within " + FormatDuration(kBackWithin));
  co_return false;
}

// Calls inspect until a process of the driver answers.
Co<Result<TaskStatus>> InspectWhenBack(KitCase* kit, SupervisedDriver* driver, RunId run) {
  const TimePoint until = kit->loop()->Now() + kBackWithin;
  while (true) {
    const Context soon = kit->Within(6s);
    Result<TaskStatus> status = co_await driver->Inspect(soon, run);
    const bool answered = status.ok() || status.code() == Code::kNotFound;
    if (answered || kit->loop()->Now() > until) co_return status;
    (void)co_await Sleep(kit->context(), 50ms);
  }
}

Co<void> AwaitOver(KitCase* kit, std::shared_ptr<KilledCall> call, Duration limit) {
  const TimePoint until = kit->loop()->Now() + limit;
  while (!call->over && kit->loop()->Now() < until) {
    (void)co_await Sleep(kit->context(), 10ms);
  }
}

// Checks the task after the process was killed while CALL was open.
Co<void> CheckAfterKill(KitCase* kit, SupervisedDriver* driver, std::string_view step, RunId run,
                        std::shared_ptr<KilledCall> call) {
  const std::string what = "after a kill of the driver's process in " + std::string(step) + ", ";
  if (step != "wait" && step != "stats") {
    co_await AwaitOver(kit, call, kBackWithin);
    KIT_EXPECT(call->over, what + "the call is not answered");
  }
  const Result<TaskStatus> status = co_await InspectWhenBack(kit, driver, run);
  const bool runs = status.ok() && status->state == TaskState::kRunning;
  const bool gone = status.code() == Code::kNotFound;
  if (step == "start") {
    KIT_EXPECT(runs || (gone && !call->status.ok()),
               what + "the task must run, or its start must have failed; start was " +
                   Describe(call->status) + ", and inspect is " + Describe(status));
  } else if (step == "stop") {
    const std::string usual;
    const Status again = co_await driver->Stop(kit->context(), run, 1s, usual);
    KIT_EXPECT(again.ok(), what + "another stop is " + Describe(again));
  } else if (step == "destroy") {
    KIT_EXPECT(gone || !call->status.ok(),
               what + "inspect of a run whose destroy was OK is " + Describe(status));
  } else {
    KIT_EXPECT(runs, what + "inspect of the task, which runs on, is " + Describe(status));
  }
  if (step != "wait") co_return;
  KIT_EXPECT(!call->over, what + "the wait says that the task, which runs on, has ended: " +
                              Describe(call->status));
  const std::string usual;
  const Status stopped = co_await driver->Stop(kit->context(), run, 1s, usual);
  KIT_EXPECT(stopped.ok(), what + "stop is " + Describe(stopped));
  co_await AwaitOver(kit, call, 5s);
  KIT_EXPECT(call->over && call->status.ok(),
             what + "the wait does not tell the end of the task: " + Describe(call->status));
}

}  // namespace

Co<void> KilledAt(KitCase* kit, const char* step_name) {
  const std::string_view step = step_name;
  SupervisedDriver* const driver = kit->Supervised();
  if (driver == nullptr) co_return kit->Skip("it does not run in a process of its own");
  if (step == "signal" && !driver->info().can_signal) co_return kit->Skip("it offers no signals");
  if (step == "stats" && !driver->info().has_stats) co_return kit->Skip("it offers no stats");
  const std::vector<std::string> before = kit->RunEntries();
  const auto task = kit->Lasting();
  if (!task) co_return;
  const Result<std::string> normal = driver->NormalizeConfig(task->driver_config_json, true);
  KIT_EXPECT(normal.ok(), "the task's configuration is refused: " + Describe(normal));
  auto made = std::make_shared<TaskConfig>(*task);
  made->driver_config_json = *normal;
  const std::shared_ptr<const TaskConfig> config = made;
  if (step != "start") {
    const Result<StartedTask> started = co_await driver->Start(kit->context(), config);
    KIT_EXPECT(started.ok(), "start: " + Describe(started));
  }
  auto call = std::make_shared<KilledCall>();
  Context life = kit->context().Child();
  if (step == "idle" || step == "recover") {
    call->over = true;
  } else {
    kit->loop()->Spawn(CallAtKill(driver, life, step, config, call));
    (void)co_await Sleep(kit->context(), 1ms);  // the driver gets the call
  }
  const pid_t killed = KillOwnProcess(kit, driver);
  if (killed == 0) co_return;
  if (step == "recover") {
    // The next process recovers the task at once.
    if (!co_await AwaitNextProcess(kit, driver, killed)) co_return;
    if (KillOwnProcess(kit, driver) == 0) co_return;
  }
  co_await CheckAfterKill(kit, driver, step, config->run_id, call);
  life.Cancel("the case is over");
  // Also after a failure: the kit cannot end a task that is no process of the host.
  const Status gone = co_await driver->Destroy(kit->Within(kBackWithin), config->run_id, true);
  if (kit->decided()) co_return;
  KIT_EXPECT(gone.ok() || gone.code() == Code::kNotFound,
             "destroy with force, after a kill: " + Describe(gone));
  const std::string left = co_await AwaitNoNewRuns(kit, before);
  KIT_EXPECT(left.empty(), "after a kill and a destroy, the run directory of the host has " + left);
}

}  // namespace drover
