// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The cost of one more mount, ended allocation, follower or queued job: see README.md in this
// directory.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

#include "bench/agent_jobs.h"
#include "bench/options.h"
#include "bench/rounds.h"
#include "bench/scale_collection.h"
#include "bench/scale_followers.h"
#include "bench/scale_mounts.h"
#include "bench/scale_queue.h"
#include "bench/scratch.h"

namespace drover::bench {
namespace {

constexpr int kStarts = 20;  // of a driver, each round
constexpr int kEnded = 5000;
constexpr int kQueued = 2000;
constexpr int kCollected = 6000;

// The median of the starts of idle tasks, in ms.
double MedianStart(const AgentProcess& agent, const char* driver) {
  ApiClient client = agent.Connect();
  const Json config = std::string(driver) == "exec"
                          ? Json{{"command", "/bin/sleep"}, {"args", {"1000"}}}
                          : Json{{"command", DROVER_BENCH_IDLE}};
  std::vector<double> seconds;
  for (int i = 0; i < kStarts; ++i) {
    const std::string id = std::string("start-") + driver;
    seconds.push_back(SubmitToRunning(&client, id, JobBody(id, "service", driver, config, 1)));
    StopToDead(&client, id);
    Must(client.Delete("/v1/job/" + id, {{"purge", "true"}}));
  }
  return Median(seconds) * 1e3;
}

// Starts with COUNTS of something that SET makes so many of, round by round, as ratios to the
// first.
void PrintStarts(const AgentProcess& agent, const char* what, const std::vector<int>& counts,
                 int rounds, const std::function<void(int)>& set) {
  for (const char* driver : {"raw_exec", "exec"}) {
    std::vector<std::vector<double>> ms(counts.size()), ratios(counts.size());
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < counts.size(); ++i) {
        set(counts[i]);
        ms[i].push_back(MedianStart(agent, driver));
        ratios[i].push_back(ms[i].back() / ms[0].back());
      }
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      std::printf("  %-8s  %5d %-18s %6.2f ms   %5.2f of the first\n", driver, counts[i], what,
                  Median(ms[i]), Median(ratios[i]));
    }
  }
}

void MeasureMounts(const AgentProcess& agent, FurtherMounts* mounts, int rounds) {
  std::printf("submit to running, median of %d rounds of %d starts:\n", rounds, kStarts);
  PrintStarts(agent, "further mounts", {0, 1000, 3000}, rounds,
              [mounts](int count) { mounts->Set(count); });
  mounts->Set(0);
}

void MeasureEnded(const AgentProcess& agent, int rounds) {
  ApiClient client = agent.Connect();
  PrintStarts(agent, "ended allocations", {0, kEnded}, rounds, [&client](int count) {
    Collect(&client);
    Await(&client, "/v1/allocations", [](const Json& left) { return left.empty(); });
    if (count > 0) RunShortTasks(&client, "ended", count);
  });
  Collect(&client);
}

void MeasureFollowers(const AgentProcess& agent, int tasks, int rounds) {
  const std::vector<int> counts = {0, 10, 100, 1000};
  ApiClient client = agent.Connect();
  std::vector<std::vector<double>> rates(counts.size()), ratios(counts.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const Followers followers(agent.address(), "", counts[i], [](std::string_view) {});
      rates[i].push_back(tasks / RunShortTasks(&client, "followed", tasks));
      ratios[i].push_back(rates[i].back() / rates[0].back());
      Collect(&client);
    }
  }
  std::printf("short tasks of one job, median of %d rounds of %d:\n", rounds, tasks);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::printf("  %5d followers  %6.0f a second   %5.2f of the first\n", counts[i],
                Median(rates[i]), Median(ratios[i]));
  }
}

int Main(int argc, char** argv) {
  int exit_code = 0;
  const std::optional<Options> options =
      ReadOptions("bench_scale", {500, 3, kNoIdle}, argc, argv, &exit_code);
  if (!options) return exit_code;
  if (geteuid() != 0) {
    std::fprintf(stderr, "bench_scale: mounts and exec need root: run it as root\n");
    return 1;
  }
  setvbuf(stdout, nullptr, _IOLBF, 0);
  rlimit files = {};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  const Scratch scratch;
  FurtherMounts mounts(scratch);
  {
    const AgentProcess agent(scratch);  // whose memory nothing has grown yet
    const CollectionCost cost = MeasureCollection(agent, kCollected);
    std::printf(
        "%d ended allocations: %.1f KiB of the agent each; after collection %.0f %% of that\n",
        kCollected, cost.ended_kib, cost.kept_percent);
    std::printf(
        "  longest answer of the control thread: %.1f ms idle, %.1f ms while they are collected\n",
        cost.idle_pause_ms, cost.pause_ms);
  }
  const AgentProcess agent(scratch);
  MeasureMounts(agent, &mounts, options->rounds);
  MeasureEnded(agent, options->rounds);
  MeasureFollowers(agent, options->tasks, options->rounds);
  const QueueCost queue = MeasureQueue(agent, kQueued);
  std::printf("%d queued jobs and one free slot: %.2f evaluations written per job, %.0f s\n",
              kQueued, queue.evaluations_per_job, queue.seconds);
  return 0;
}

}  // namespace
}  // namespace drover::bench

int main(int argc, char** argv) { return drover::bench::Main(argc, argv); }
