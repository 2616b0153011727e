// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The life of an instance: health, configuration, completions and shutdown.
#include "host/conformance/kit_case.h"

namespace drover {
namespace {

Co<void> TellsHealth(KitCase* kit, LoadedDriver* driver) {
  const Context patient = kit->Within(5s);
  (void)co_await driver->first_fingerprint()->Wait(patient);
  KIT_EXPECT(driver->first_fingerprint()->is_set(), "no fingerprint came within 5 s");
  KIT_EXPECT(driver->fingerprint().health != Health::kUndetected ||
                 !driver->fingerprint().description.empty(),
             "its first fingerprint says nothing");
}

Co<void> ShutsDown(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Lasting();
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  const TimePoint began = kit->loop()->Now();
  const Status status = co_await kit->Unload(driver);
  KIT_EXPECT(status.ok(), "shutdown: " + Describe(status));
  KIT_EXPECT(kit->loop()->Now() - began < 3s, "shutting it down took more than 3 s");
}

Co<void> TwoInstances(KitCase* kit, LoadedDriver* first) {
  LoadedDriver* second = co_await kit->Load();
  if (second == nullptr) co_return;
  const auto task = kit->Lasting();
  if (!task) co_return;
  if (!co_await kit->Start(second, task)) co_return;
  // The first instance must not know the run that the second instance has started.
  const Result<TaskStatus> there = co_await first->Inspect(kit->context(), task->run_id);
  KIT_EXPECT(there.code() == Code::kNotFound,
             "an instance knows the task of another: inspect says " + Describe(there));
  const Result<TaskStatus> here = co_await second->Inspect(kit->context(), task->run_id);
  KIT_EXPECT(here.ok(), "inspect in the instance that started it: " + Describe(here));
}

Co<void> Configures(KitCase* kit, LoadedDriver* driver) {
  const Status status = co_await driver->Configure(kit->context(), "{}");
  // The driver may refuse a configuration, but it must answer.
  KIT_EXPECT(status.ok() || status.code() == Code::kInvalidArgument ||
                 status.code() == Code::kUnimplemented ||
                 status.code() == Code::kFailedPrecondition,
             "configure: " + Describe(status));
}

Co<void> CompletesOnce(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Ending();
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  const Context patient = kit->Within(5s);
  (void)co_await driver->Wait(patient, task->run_id);
  (void)co_await driver->Wait(patient, task->run_id);
  (void)co_await driver->Inspect(patient, task->run_id);
  (void)co_await driver->Stop(patient, task->run_id, 100ms, std::string());
  (void)co_await driver->Destroy(patient, task->run_id, true);
  (void)co_await Sleep(kit->context(), 100ms);
  KIT_EXPECT(driver->host()->calls().dropped() == 0,
             "it completed a call twice, or one that was not pending (" +
                 std::to_string(driver->host()->calls().dropped()) + " times)");
}

Co<void> NeverBlocks(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Lasting();
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  (void)co_await driver->Inspect(kit->context(), task->run_id);
  const Context short_one = kit->Within(200ms);
  (void)co_await driver->Wait(short_one, task->run_id);
  (void)co_await driver->Destroy(kit->context(), task->run_id, true);
  (void)co_await Sleep(kit->context(), 1200ms);
  KIT_EXPECT(driver->host()->pool().held() == 0,
             driver->host()->pool().held_by() + " holds its thread for more than 1 s");
}

}  // namespace

const std::vector<KitEntry>& LifeCases() {
  static const std::vector<KitEntry> cases = {
      {"fingerprint", "The first fingerprint comes soon", TellsHealth},
      {"configure", "A new configuration is answered", Configures},
      {"two-instances", "Instances of one library do not share tasks", TwoInstances},
      {"shutdown", "shutdown completes soon, also while a task runs", ShutsDown},
      {"completes-once", "Each call is completed exactly once", CompletesOnce},
      {"never-blocks", "No function holds its thread", NeverBlocks},
  };
  return cases;
}

}  // namespace drover
