// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Measures the cost of the isolation of the driver exec: see README.md in this directory.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/alloc_spawn.h"
#include "bench/bare_clone.h"
#include "bench/floor_root.h"
#include "bench/idle_cost.h"
#include "bench/isolated_start.h"
#include "bench/local_node.h"
#include "bench/oci_runtime.h"
#include "bench/options.h"
#include "bench/rounds.h"
#include "bench/scratch.h"
#include "host/base/gate.h"
#include "host/container/plugin_child.h"
#include "host/process/task_root.h"

namespace drover::bench {
namespace {

constexpr int kParallel = 100;

// One way to start a program; start() returns seconds.
struct Starter {
  std::string name;
  std::function<double()> start;
  std::vector<double> medians = {};  // of each round
  CpuParts cpu = {};                 // of one start with its end and removal; the mean of all
};

void RunRounds(std::vector<Starter>* starters, const CpuMeter& meter, int rounds, int tasks) {
  for (int round = -1; round < rounds; ++round) {
    for (Starter& starter : *starters) {
      std::vector<double> seconds;
      const CpuParts before = meter.Now();
      for (int i = 0; i < tasks; ++i) seconds.push_back(starter.start());
      if (round < 0) continue;  // the first warms up
      starter.medians.push_back(Median(seconds));
      starter.cpu += (meter.Now() - before) / (double(rounds) * tasks);
    }
  }
}

void Print(const std::vector<Starter>& starters, const CpuMeter& meter) {
  const Starter& bare = starters.front();
  for (const Starter& starter : starters) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < bare.medians.size(); ++i)
      ratios.push_back(starter.medians[i] / bare.medians[i]);
    const auto [least, most] = std::minmax_element(starter.medians.begin(), starter.medians.end());
    std::printf("  %-26s %7.2f ms  (%.2f to %.2f)  %6.2f of bare\n", starter.name.c_str(),
                Median(starter.medians) * 1e3, *least * 1e3, *most * 1e3, Median(ratios));
  }
  if (!meter.works()) return;
  std::printf("  processor time of one, with its end, in us:\n");
  for (const Starter& starter : starters)
    std::printf(
        "    %-24s %6.0f = control %.0f + other threads %.0f + children %.0f + in cgroups %.0f\n",
        starter.name.c_str(), starter.cpu.total(), starter.cpu.control, starter.cpu.threads,
        starter.cpu.children, starter.cpu.programs);
}

std::shared_ptr<const Job> ExecJob(const std::string& program) {
  Task task = MakeTask("exec", R"({"command": ")" + program + "\"}");
  task.resources.memory_mb = kMemoryBytes >> 20;
  return MakeJob(std::move(task));
}

// Starts some allocations at once, and returns the seconds until each one's program ran.
std::vector<double> StartInParallel(LocalNode* node, std::shared_ptr<const Job> job) {
  std::vector<std::unique_ptr<LocalAlloc>> allocs;
  for (int i = 0; i < kParallel; ++i) allocs.push_back(std::make_unique<LocalAlloc>(node, job));
  std::vector<double> seconds;
  const auto run = [&seconds](LocalAlloc* alloc) -> Co<void> {
    const bool running = co_await alloc->WaitRunning();
    DROVER_CHECK(running);
    seconds.push_back(static_cast<double>(alloc->record().started_at - alloc->started()) / 1e9);
  };
  const auto end = [](LocalAlloc* alloc) -> Co<void> {
    alloc->Stop();
    const Status finished = co_await alloc->Finish();
    DROVER_CHECK(finished.ok());
  };
  for (const auto& alloc : allocs) alloc->Start();
  for (const std::function<Co<void>(LocalAlloc*)>& step :
       {std::function<Co<void>(LocalAlloc*)>(run), std::function<Co<void>(LocalAlloc*)>(end)}) {
    std::vector<Co<void>> all;
    for (const auto& alloc : allocs) all.push_back(step(alloc.get()));
    DROVER_CHECK(
        node->loop()->RunToEnd(InParallel(node->loop(), std::move(all)), std::chrono::minutes(5)));
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

// Bytes of the files in a running task's allocation, without the mounts in it.
std::uint64_t BytesInAllocation(LocalNode* node, std::shared_ptr<const Job> job) {
  LocalAlloc alloc(node, std::move(job));
  alloc.Start();
  std::uint64_t bytes = 0;
  auto look = [&]() -> Co<void> {
    const bool running = co_await alloc.WaitRunning();
    DROVER_CHECK(running);
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(node->alloc_dir() + "/" + alloc.alloc().id))
      if (entry.is_regular_file()) bytes += entry.file_size();
    alloc.Stop();
    const Status finished = co_await alloc.Finish();
    DROVER_CHECK(finished.ok());
  };
  DROVER_CHECK(node->loop()->RunToEnd(look(), std::chrono::minutes(1)));
  return bytes;
}

// The paths that tasks see by default, and DIRECTORY as /bench.
std::string ExecConfiguration(const std::string& directory) {
  nlohmann::json paths;
  for (const auto& [from, to] : DefaultRootPaths()) paths[from] = to;
  paths[directory] = "/bench";
  return nlohmann::json{{"chroot_env", paths}}.dump();
}

int Main(int argc, char** argv) {
  int exit_code = 0;
  const std::optional<Options> options =
      ReadOptions("bench_exec", {20, 7, 500}, argc, argv, &exit_code);
  if (!options) return exit_code;
  if (geteuid() != 0) {
    std::fprintf(stderr, "bench_exec: the driver exec needs root\n");
    return 1;
  }
  setvbuf(stdout, nullptr, _IOLBF, 0);
  const Scratch scratch;
  const CpuMeter meter(scratch);
  RealLoop loop;
  const std::string directory = std::filesystem::path(DROVER_BENCH_NOOP).parent_path().string();
  PluginConfig exec;
  exec.name = "exec";
  exec.config_json = ExecConfiguration(directory);
  LocalNodeOptions node_options;
  node_options.more_plugins.push_back(std::move(exec));
  LocalNode node(&loop, scratch, std::move(node_options));
  std::printf("tracking: %s\n", node->processes()->TrackingDescription().c_str());

  IsolatedStart isolated(&loop, node->processes(), scratch, directory, "/bench/bench_noop");
  const FloorRoot floor(scratch, directory, "/bench/bench_noop");
  AllocSpawn alloc(&node, ExecJob("/bench/bench_noop"));
  std::vector<Starter> starters;
  starters.push_back({"bare clone", [] { return StartBareClone(DROVER_BENCH_NOOP); }});
  starters.push_back({"clone with that root", [&floor] { return floor.Start(); }});
  starters.push_back({"process service, isolated", [&isolated] { return isolated.Start(); }});
  starters.push_back({"exec, a whole allocation", [&alloc] {
                        alloc.Run(1, 1);
                        return alloc.from_gate().back();
                      }});
  std::vector<std::unique_ptr<OciRuntime>> runtimes;
  for (const char* name : {"crun", "runc"}) {
    std::optional<OciRuntime> found =
        OciRuntime::Find(name, scratch, directory, "/bench/bench_noop");
    if (!found) {
      std::printf("note: %s is not installed, so exec is not compared with it\n", name);
      continue;
    }
    runtimes.push_back(std::make_unique<OciRuntime>(std::move(*found)));
    OciRuntime* const runtime = runtimes.back().get();
    starters.push_back({name, [runtime] { return runtime->Start(); }});
  }
  RunRounds(&starters, meter, options->rounds, options->tasks);
  std::printf("from the call until the program runs, medians of %d rounds of %d:\n",
              options->rounds, options->tasks);
  Print(starters, meter);

  const std::vector<double> parallel = StartInParallel(&node, ExecJob("/bench/bench_idle"));
  std::printf("%d allocations at once until their programs run: median %.0f ms, p99 %.0f ms\n",
              kParallel, Median(parallel) * 1e3, parallel[kParallel * 99 / 100 - 1] * 1e3);

  std::int64_t enough = 10;
  IsolatedStart small(&loop, node->processes(), scratch, "/bin", "/bench/true");
  while (enough > 0 && small.EndsWell(enough << 20)) --enough;
  std::printf("memory that /bin/true needs: %ld MiB\n", static_cast<long>(enough + 1));
  std::printf("bytes copied for a task: %lu\n",
              static_cast<unsigned long>(BytesInAllocation(&node, ExecJob("/bench/bench_idle"))));
  if (options->idle > 0)
    PrintIdle("exec", MeasureIdle(&node, ExecJob("/bench/bench_idle"), "bench_idle", options->idle),
              options->idle);
  return 0;
}

}  // namespace
}  // namespace drover::bench

// The probe of a plugin starts this program again.
int main(int argc, char** argv) {
  if (const auto code = drover::MaybeRunPluginChild(argc, argv)) return *code;
  return drover::bench::Main(argc, argv);
}
