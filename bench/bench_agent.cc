// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Measures the cost of an agent whose clients use its API: see README.md in this directory.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "bench/agent_jobs.h"
#include "bench/bare_spawn.h"
#include "bench/options.h"
#include "bench/proc_facts.h"
#include "bench/rounds.h"
#include "bench/scratch.h"

namespace drover::bench {
namespace {

constexpr int kLatencies = 100;
constexpr int kBareInFlight = 4;
constexpr Duration kRest = 10s;

Json IdleBody(const std::string& id, int count) {
  return JobBody(id, "service", "raw_exec", {{"command", DROVER_BENCH_IDLE}}, count);
}

void MeasureLatency(const AgentProcess& agent) {
  ApiClient client = agent.Connect();
  std::vector<double> running, dead;
  for (int i = 0; i < kLatencies; ++i) {
    const std::string id = "latency-" + std::to_string(i);
    running.push_back(SubmitToRunning(&client, id, IdleBody(id, 1)));
    dead.push_back(StopToDead(&client, id));
  }
  std::printf("%d jobs, one after the other:\n", kLatencies);
  std::printf("  submit to running  p50 %.1f ms, p95 %.1f ms\n", Percentile(running, 0.5) * 1e3,
              Percentile(running, 0.95) * 1e3);
  std::printf("  stop to dead       p50 %.1f ms, p95 %.1f ms\n", Percentile(dead, 0.5) * 1e3,
              Percentile(dead, 0.95) * 1e3);
}

double RunOneJob(const AgentProcess& agent, int tasks) {
  ApiClient client = agent.Connect();
  const double seconds = RunShortTasks(&client, "many", tasks);
  Collect(&client);
  return seconds;
}

double RunManyJobs(const AgentProcess& agent, int tasks) {
  ApiClient client = agent.Connect();
  const auto start = Clock::now();
  for (int i = 0; i < tasks; ++i)
    Must(client.Put("/v1/jobs", JobBody("job-" + std::to_string(i), "batch", "raw_exec",
                                        {{"command", DROVER_BENCH_NOOP}}, 1)));
  for (int i = 0; i < tasks; ++i) Await(&client, "/v1/job/job-" + std::to_string(i), IsDead);
  const double seconds = Since(start);
  Collect(&client);
  return seconds;
}

// Measures how long another client waits for its answers while the tasks of a job run.
std::vector<double> MeasureApiUnderLoad(const AgentProcess& agent, int tasks) {
  std::atomic<bool> over{false};
  std::vector<double> seconds;
  std::thread asking([&] {
    ApiClient client = agent.Connect();
    while (!over) {
      const auto start = Clock::now();
      Must(client.Get("/v1/agent/self"));
      seconds.push_back(Since(start));
    }
  });
  RunOneJob(agent, tasks);
  over = true;
  asking.join();
  return seconds;
}

void MeasureIdle(const AgentProcess& agent, int tasks) {
  ApiClient client = agent.Connect();
  const long before = ReadProcFacts(agent.pid()).pss_kib;
  Must(client.Put("/v1/jobs", IdleBody("idle", tasks)));
  Await(&client, "/v1/job/idle/summary", [tasks](const Json& summary) {
    return summary.at("Summary").at("g").at("Running") == tasks;
  });
  std::this_thread::sleep_for(kRest);  // the work that the starts have left
  const double cpu = agent.CpuSeconds();
  std::this_thread::sleep_for(kRest);
  const double percent =
      100 * (agent.CpuSeconds() - cpu) / std::chrono::duration<double>(kRest).count();
  std::printf("  %4d idle tasks: %.2f %% of a core, %.1f KiB of the agent each\n", tasks, percent,
              static_cast<double>(ReadProcFacts(agent.pid()).pss_kib - before) / tasks);
  Must(client.Delete("/v1/job/idle", {{"purge", "true"}}));
  Await(&client, "/v1/job/idle/allocations", [](const Json& a) { return AllAre(a, "complete"); });
  Collect(&client);
}

int Main(int argc, char** argv) {
  int exit_code = 0;
  const std::optional<Options> options =
      ReadOptions("bench_agent", {1000, 5, 1000}, argc, argv, &exit_code);
  if (!options) return exit_code;
  setvbuf(stdout, nullptr, _IOLBF, 0);
  const Scratch scratch;
  const AgentProcess agent(scratch);
  std::printf("an agent without a job: %.1f MiB\n",
              static_cast<double>(ReadProcFacts(agent.pid()).pss_kib) / 1024);
  // Before anything else has made the agent's memory larger.
  if (options->idle > 0) {
    MeasureIdle(agent, std::max(options->idle / 10, 1));
    MeasureIdle(agent, options->idle);
  }
  MeasureLatency(agent);

  std::vector<Side> sides;
  sides.push_back({"bare posix_spawn",
                   [](int tasks, int n) { return RunBareSpawn(DROVER_BENCH_NOOP, tasks, n); },
                   {}});
  sides.push_back(
      {"allocations of one job", [&](int tasks, int) { return RunOneJob(agent, tasks); }, {}});
  sides.push_back(
      {"one allocation per job", [&](int tasks, int) { return RunManyJobs(agent, tasks); }, {}});
  const CpuMeter meter(scratch);
  RunRounds(&sides, meter, options->rounds, options->tasks, kBareInFlight);
  std::printf("short tasks, median of %d rounds of %d, %d bare ones in flight:\n", options->rounds,
              options->tasks, kBareInFlight);
  PrintRates(sides);

  const std::vector<double> waits = MeasureApiUnderLoad(agent, options->tasks);
  std::printf("%zu requests of another client meanwhile: p50 %.1f ms, p99 %.1f ms\n", waits.size(),
              Percentile(waits, 0.5) * 1e3, Percentile(waits, 0.99) * 1e3);
  return 0;
}

}  // namespace
}  // namespace drover::bench

int main(int argc, char** argv) { return drover::bench::Main(argc, argv); }
