// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Checks that a driver leaves nothing behind when a task is destroyed.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/conformance/kit_case.h"
#include "host/conformance/kit_leftovers.h"

namespace drover {
namespace {

std::size_t Entries(const char* directory) {
  std::error_code ignored;
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    (void)entry;
    ++count;
  }
  return count;
}
std::size_t OpenDescriptors() { return Entries("/proc/self/fd"); }
std::size_t Threads() { return Entries("/proc/self/task"); }

// Returns the number of child processes of this process, including zombies.
std::size_t Children() {
  std::size_t count = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    std::string stat;
    std::getline(std::ifstream(entry.path() / "stat"), stat);
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) continue;
    std::istringstream words(stat.substr(name_end + 1));
    std::string state;
    pid_t parent = 0;
    words >> state >> parent;
    if (parent == getpid()) ++count;
  }
  return count;
}

Co<void> LeavesNoDescriptors(KitCase* kit, LoadedDriver* driver) {
  std::size_t before = 0;
  for (int round = 0; round < 6; ++round) {
    const auto task = kit->Ending();
    if (!task) co_return;
    if (!co_await kit->Start(driver, task)) co_return;
    const Context patient = kit->Within(5s);
    (void)co_await driver->Wait(patient, task->run_id);
    (void)co_await driver->Destroy(patient, task->run_id, true);
    // The first task may open file descriptors that the driver keeps open.
    if (round == 0) before = OpenDescriptors();
  }
  (void)co_await Sleep(kit->context(), 50ms);
  const std::size_t after = OpenDescriptors();
  KIT_EXPECT(after <= before + 2, "after five more tasks " + std::to_string(after - before) +
                                      " more descriptors are open");
}

// Starts a task that runs for a minute, and destroys it. Returns false if a call fails or the case
// is skipped.
Co<bool> Once(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Lasting();
  if (!task) co_return false;
  if (!co_await kit->Start(driver, task)) co_return false;
  const Status gone = co_await driver->Destroy(kit->context(), task->run_id, true);
  if (!gone.ok()) kit->Fail("destroy with force: " + Describe(gone));
  co_return gone.ok();
}

// Waits until NOW() returns at most MOST. This takes time, because threads and processes end with a
// delay.
Co<bool> Shrinks(KitCase* kit, std::size_t (*now)(), std::size_t most) {
  for (int i = 0; i < 200 && now() > most; ++i) (void)co_await Sleep(kit->context(), 10ms);
  co_return now() <= most;
}

Co<void> LeavesNoThreads(KitCase* kit, LoadedDriver* driver) {
  constexpr int kTasks = 10;
  // The number of threads that the thread pools of the host and of the SDK may still start. Each
  // pool grows to at most four threads.
  constexpr std::size_t kPool = 5;
  for (int i = 0; i < 4; ++i) {
    if (!co_await Once(kit, driver)) co_return;
  }
  const std::size_t before = Threads();
  for (int i = 0; i < kTasks; ++i) {
    if (!co_await Once(kit, driver)) co_return;
  }
  const bool gone = co_await Shrinks(kit, Threads, before + kPool);
  KIT_EXPECT(gone, "after " + std::to_string(kTasks) + " more tasks, all destroyed, there are " +
                       std::to_string(Threads()) + " threads instead of " + std::to_string(before));
}

Co<void> LeavesNoChildren(KitCase* kit, LoadedDriver* driver) {
  const std::size_t before = Children();
  for (int i = 0; i < 3; ++i) {
    if (!co_await Once(kit, driver)) co_return;
  }
  const bool gone = co_await Shrinks(kit, Children, before);
  KIT_EXPECT(gone, "three tasks that were destroyed have left " +
                       std::to_string(Children() - before) +
                       " processes, or zombies, that are children of the host");
}

// Starts ten tasks. Checks that a stop of two tasks has no effect on the others, and that destroyed
// tasks leave nothing behind.
Co<void> TenTasks(KitCase* kit, LoadedDriver* driver) {
  const std::vector<std::string> before = kit->RunEntries();
  std::vector<std::shared_ptr<const TaskConfig>> tasks;
  for (int i = 0; i < 10; ++i) {
    const auto task = kit->Lasting();
    if (!task) co_return;
    if (!co_await kit->Start(driver, task)) co_return;
    tasks.push_back(task);
  }
  // Another case checks whether stop works. This case checks that stop does not stop other tasks.
  for (const std::size_t stopped : {std::size_t{0}, std::size_t{5}})
    (void)co_await driver->Stop(kit->context(), tasks[stopped]->run_id, 1s, std::string());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (i % 5 == 0) continue;
    const Result<TaskStatus> status = co_await driver->Inspect(kit->context(), tasks[i]->run_id);
    KIT_EXPECT(status.ok() && status->state == TaskState::kRunning,
               "of ten tasks the first and the sixth were stopped, and now number " +
                   std::to_string(i + 1) + " does not run: " + Describe(status));
  }
  for (const auto& task : tasks) {
    const Status gone = co_await driver->Destroy(kit->context(), task->run_id, true);
    KIT_EXPECT(gone.ok(), "destroy with force: " + Describe(gone));
  }
  const std::string left = co_await AwaitNoNewRuns(kit, before);
  KIT_EXPECT(left.empty(), "all ten tasks were destroyed, but the run directory of the host has " +
                               left + " of them");
}

}  // namespace

const std::vector<KitEntry>& LeftoverCases() {
  static const std::vector<KitEntry> cases = {
      {"ten-tasks", "Ten tasks are stopped one by one and leave nothing", TenTasks},
      {"descriptors", "A task that is destroyed leaves no descriptor open", LeavesNoDescriptors},
      {"threads", "A task that is destroyed leaves no thread", LeavesNoThreads},
      {"children", "A task that is destroyed leaves no child of the host", LeavesNoChildren},
  };
  return cases;
}

}  // namespace drover
