// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Cases for streams, and for the data that streams carry.
#include "host/conformance/kit_case.h"

namespace drover {
namespace {

struct Samples {
  int count = 0;
  std::map<int, ResourceUsage> processes;  // the processes in the last sample
  bool over = false;
  Status end;
};

Co<void> Collect(LoadedDriver* driver, Context context, RunId run, StatsRequest request,
                 std::shared_ptr<Samples> to) {
  std::function<void(TaskUsage)> sink = [to](const TaskUsage& usage) {
    ++to->count;
    to->processes = usage.pids;
  };
  to->end = co_await driver->Stats(context, run, request, std::move(sink));
  to->over = true;
}

Co<void> Stats(KitCase* kit, LoadedDriver* driver) {
  if (!driver->info().has_stats) co_return kit->Skip("it offers no stats");
  const auto task = kit->Lasting();
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  auto samples = std::make_shared<Samples>();
  const Context wanted = kit->Within(3s);
  kit->loop()->Spawn(Collect(driver, wanted, task->run_id, StatsRequest{50ms}, samples));
  for (int i = 0; i < 100 && samples->count < 2 && !samples->over; ++i) {
    (void)co_await Sleep(kit->context(), 20ms);
  }
  KIT_EXPECT(samples->count >= 2, "in 2 s at intervals of 50 ms came " +
                                      std::to_string(samples->count) +
                                      " samples; the stream ended with " + Describe(samples->end));
}

// Checks that statistics contain the processes of a task. If a driver does not use the process
// service, its tasks may not be processes of this machine. Such a driver may report no processes.
Co<void> StatsProcesses(KitCase* kit, LoadedDriver* driver) {
  if (!driver->info().has_stats) co_return kit->Skip("it offers no stats");
  const bool needs_them = (kit->info().needs & DROVER_NEEDS_PROCESS_SERVICE) != 0;
  const auto task = kit->Lasting();
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  auto samples = std::make_shared<Samples>();
  const Context wanted = kit->Within(3s);
  const StatsRequest request{50ms, UsageDetail::kProcesses};
  kit->loop()->Spawn(Collect(driver, wanted, task->run_id, request, samples));
  for (int i = 0; i < 100 && samples->count < 2 && !samples->over; ++i) {
    (void)co_await Sleep(kit->context(), 20ms);
  }
  KIT_EXPECT(samples->count > 0,
             "asked for processes, too, it tells nothing; the stream ended with " +
                 Describe(samples->end));
  KIT_EXPECT(!needs_them || !samples->processes.empty(),
             "asked for processes, too, it names none, though its task is one");
  for (const auto& [pid, usage] : samples->processes) {
    KIT_EXPECT(pid > 0, "a process has the id " + std::to_string(pid));
  }
}

Co<void> StatsInterval(KitCase* kit, LoadedDriver* driver) {
  if (!driver->info().has_stats) co_return kit->Skip("it offers no stats");
  const auto task = kit->Lasting();
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  constexpr Duration kInterval = 100ms;
  auto samples = std::make_shared<Samples>();
  const TimePoint began = kit->loop()->Now();
  const Context wanted = kit->Within(1200ms);
  kit->loop()->Spawn(Collect(driver, wanted, task->run_id, StatsRequest{kInterval}, samples));
  for (int i = 0; i < 300 && !samples->over; ++i) (void)co_await Sleep(kit->context(), 10ms);
  // Too many samples are a fault of the driver. Too few samples are only a warning, because a slow
  // machine can delay samples.
  const auto due = (kit->loop()->Now() - began) / kInterval;
  const std::string said = std::to_string(samples->count) + " samples came where " +
                           std::to_string(due) + " were due, at intervals of 100 ms";
  KIT_EXPECT(samples->count <= due + 3, said);
  if (samples->count < due / 2) kit->Warn(said);
}

Co<void> StreamJoin(KitCase* kit, LoadedDriver* driver) {
  if (!driver->info().has_stats) co_return kit->Skip("it offers no stats, the stream to look at");
  const auto task = kit->Lasting();
  if (!task) co_return;
  if (!co_await kit->Start(driver, task)) co_return;
  auto samples = std::make_shared<Samples>();
  const Context wanted = kit->Within(200ms);
  kit->loop()->Spawn(Collect(driver, wanted, task->run_id, StatsRequest{50ms}, samples));
  // During this sleep the host cancels and joins the stream.
  (void)co_await Sleep(kit->context(), 2s);
  const long late = driver->host()->streams().late();
  (void)co_await Sleep(kit->context(), 300ms);
  KIT_EXPECT(driver->host()->streams().late() == late,
             "it sends on a stream that was cancelled and joined");
}

Co<void> StatsUnknown(KitCase* kit, LoadedDriver* driver) {
  if (!driver->info().has_stats) co_return kit->Skip("it offers no stats");
  const Context soon = kit->Within(3s);
  std::function<void(TaskUsage)> sink = [](TaskUsage) {};
  const StatsRequest request;
  const Status status = co_await driver->Stats(soon, RunId::Random(), request, std::move(sink));
  KIT_EXPECT(!status.ok() && status.code() != Code::kTimeout,
             "stats of an unknown run must be an error, it was " + Describe(status));
}

// Starts a task with a large configuration. If the environment contains DROVER_GROWN and the
// isolation is "process", the host's structs are larger than the driver's, and the additional bytes
// are meaningless. Otherwise this case is only one more check of start.
Co<void> WholeConfig(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Lasting();
  if (!task) co_return;
  auto full = std::make_shared<TaskConfig>(*task);
  for (int i = 0; i < 200; ++i) {
    full->env["KIT_" + std::to_string(i)] = std::string(static_cast<std::size_t>(i), 'v');
  }
  full->ports = {{"http", 18080, 80, "127.0.0.1"}, {"db", 18081, 0, "127.0.0.1"}};
  full->parent_job_id = "parent";
  full->kill_signal = "SIGTERM";
  const std::shared_ptr<const TaskConfig> config = full;
  if (!co_await kit->Start(driver, config)) co_return;
  const Result<TaskStatus> status = co_await driver->Inspect(kit->context(), config->run_id);
  KIT_EXPECT(status.ok() && status->state == TaskState::kRunning,
             "a task with 200 variables and two ports does not run: " + Describe(status));
}

}  // namespace

const std::vector<KitEntry>& StreamCases() {
  static const std::vector<KitEntry> cases = {
      {"stats", "Samples come at once and at each interval", Stats},
      {"stats-processes", "Samples name the task's processes when they are asked to",
       StatsProcesses},
      {"stats-interval", "Samples come no faster than they were asked for", StatsInterval},
      {"stats-unknown", "stats of an unknown run is an error", StatsUnknown},
      {"stream-join", "Nothing is sent on a stream that was cancelled and joined", StreamJoin},
      {"whole-config", "A task with many variables and ports starts", WholeConfig},
  };
  return cases;
}

}  // namespace drover
