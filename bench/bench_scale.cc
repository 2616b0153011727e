// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Measures the cost of one more mount, ended allocation, follower or queued job: see README.md in
// this directory.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

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

// The goals; see README.md.
constexpr double kOneMore = 1.3;  // of the first
constexpr double kHundredFollowers = 0.8, kThousandFollowers = 0.5;
constexpr double kEndedKib = 8, kKeptPercent = 20, kPauseMs = 10;
constexpr double kEvaluationsPerJob = 3;

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

// Measures starts beside COUNTS of something, round by round, as ratios to the first count. SET
// makes that many of it, CHECK looks whether they are still there.
void PrintStarts(const AgentProcess& agent, const char* what, const std::vector<int>& counts,
                 int rounds, const std::function<void(int)>& set,
                 const std::function<void(int)>& check) {
  for (const char* driver : {"raw_exec", "exec"}) {
    std::vector<std::vector<double>> ms(counts.size()), ratios(counts.size());
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < counts.size(); ++i) {
        set(counts[i]);
        ms[i].push_back(MedianStart(agent, driver));
        check(counts[i]);
        ratios[i].push_back(ms[i].back() / ms[0].back());
      }
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      std::printf("  %-8s  %5d %-18s %6.2f ms   %5.2f of the first", driver, counts[i], what,
                  Median(ms[i]), Median(ratios[i]));
      if (i > 0) std::printf(" (goal: at most %.1f)", kOneMore);
      std::printf("\n");
    }
  }
}

void MeasureMounts(const AgentProcess& agent, FurtherMounts* mounts, int rounds) {
  std::printf("submit to running, median of %d rounds of %d starts:\n", rounds, kStarts);
  PrintStarts(
      agent, "further mounts", {0, 1000, 3000}, rounds, [mounts](int count) { mounts->Set(count); },
      [](int) {});
  mounts->Set(0);
}

void MeasureEnded(const AgentProcess& agent, int rounds) {
  ApiClient client = agent.Connect();
  const auto set = [&client](int count) {
    Collect(&client);
    Await(&client, "/v1/allocations", [](const Json& left) { return left.empty(); });
    if (count > 0) RunShortTasks(&client, "ended", count);
  };
  PrintStarts(agent, "ended allocations", {0, kEnded}, rounds, set,
              [&client](int count) { MustHold(&client, count); });
  Collect(&client);
}

// The results for one count of followers, over all rounds.
struct Followed {
  int count = 0;
  double goal = 0;  // of the first's rate; 0: none
  std::vector<double> rates = {}, ratios = {}, readers = {}, agents = {}, mib = {}, cpu = {};
  int closed = 0;
};

std::uint64_t LastWrite(ApiClient* client) {
  std::uint64_t last = 0;
  for (const char* table : {"/v1/jobs", "/v1/evaluations", "/v1/allocations"}) {
    std::uint64_t index = 0;
    Must(client->Get(table, {}, &index));
    last = std::max(last, index);
  }
  return last;
}

void MeasureFollowers(const AgentProcess& agent, int tasks, int rounds) {
  std::vector<Followed> all = {{.count = 0},
                               {.count = 10},
                               {.count = 100, .goal = kHundredFollowers},
                               {.count = 1000, .goal = kThousandFollowers}};
  ApiClient client = agent.Connect();
  for (int round = 0; round < rounds; ++round) {
    for (Followed& one : all) {
      // Memory that the agent still has from the round before must not count.
      const std::string next = "?index=" + std::to_string(LastWrite(&client) + 1);
      const Followers followers(agent.address(), next, one.count);
      const double reader_before = followers.CpuSeconds(), agent_before = agent.CpuSeconds();
      const double seconds = RunShortTasks(&client, "followed", tasks);
      const double of_agent = agent.CpuSeconds() - agent_before;
      one.readers.push_back((followers.CpuSeconds() - reader_before) / seconds);
      one.agents.push_back(of_agent / seconds);
      one.cpu.push_back(of_agent / tasks);
      one.mib.push_back(static_cast<double>(followers.bytes()) / (1 << 20));
      one.rates.push_back(tasks / seconds);
      one.ratios.push_back(one.rates.back() / all[0].rates.back());
      one.closed += followers.closed();
      Collect(&client);
      Await(&client, "/v1/allocations", [](const Json& left) { return left.empty(); });
    }
  }
  std::printf("short tasks of one job, median of %d rounds of %d:\n", rounds, tasks);
  for (const Followed& one : all) {
    std::printf("  %5d followers  %6.0f a second   %5.2f of the first", one.count,
                Median(one.rates), Median(one.ratios));
    if (one.goal > 0) std::printf(" (goal: %.2f)", one.goal);
    std::printf("\n      of a processor the agent took %.0f %% (%.2f ms a task), ",
                100 * Median(one.agents), 1e3 * Median(one.cpu));
    std::printf("the readers %.0f %% for %.0f MiB\n", 100 * Median(one.readers), Median(one.mib));
    if (one.closed > 0) {
      std::printf("      the agent closed %d of them because they read too slowly\n", one.closed);
    }
  }
}

void MeasurePause(const Scratch& scratch) {
  const AgentProcess agent(scratch);  // nothing has grown its memory yet
  const CollectionCost cost = MeasureCollection(agent, kCollected);
  std::printf(
      "%d ended allocations: %.1f KiB of the agent each (goal: %.0f); after collection %.0f %% of "
      "that (goal: %.0f)\n",
      kCollected, cost.ended_kib, kEndedKib, cost.kept_percent, kKeptPercent);
  std::printf("  as many again: %.2f KiB more each; after collection %.2f KiB\n",
              cost.again_ended_kib, cost.again_kept_kib);
  std::printf(
      "  longest answer of the control thread: %.1f ms idle, %.1f ms while they are collected "
      "(goal: %.0f ms)\n",
      cost.idle.longest_ms, cost.busy.longest_ms, kPauseMs);
  std::printf("  without waits of only one thread of the API: %.1f ms and %.1f ms\n",
              cost.idle.both_ms, cost.busy.both_ms);
}

void PrintQueue(const AgentProcess& agent) {
  const QueueCost queue = MeasureQueue(agent, kQueued);
  std::printf(
      "%d queued jobs and one free slot: %.2f evaluations written per job (goal: at most %.0f), "
      "%.0f s\n",
      kQueued, queue.evaluations_per_job, kEvaluationsPerJob, queue.seconds);
}

// Takes the name of the only part to run from the arguments, and returns it; empty: run all.
std::string TakePart(int* argc, char** argv) {
  for (const char* part : {"pause", "mounts", "ended", "followers", "queue"}) {
    if (*argc < 2 || std::string(argv[1]) != part) continue;
    std::copy(argv + 2, argv + *argc, argv + 1);
    --*argc;
    return part;
  }
  return "";
}

int Main(int argc, char** argv) {
  int exit_code = 0;
  const std::string part = TakePart(&argc, argv);
  const std::optional<Options> options =
      ReadOptions("bench_scale [pause|mounts|ended|followers|queue]", {500, 3, kNoIdle}, argc, argv,
                  &exit_code);
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
  const auto wanted = [&part](const char* name) { return part.empty() || part == name; };
  const Scratch scratch;
  FurtherMounts mounts(scratch);
  if (wanted("pause")) MeasurePause(scratch);
  if (part == "pause") return 0;
  const AgentProcess agent(scratch);
  if (wanted("mounts")) MeasureMounts(agent, &mounts, options->rounds);
  if (wanted("ended")) MeasureEnded(agent, options->rounds);
  if (wanted("followers")) MeasureFollowers(agent, options->tasks, options->rounds);
  if (wanted("queue")) PrintQueue(agent);
  return 0;
}

}  // namespace
}  // namespace drover::bench

int main(int argc, char** argv) { return drover::bench::Main(argc, argv); }
