// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Measures the cost of a task: see README.md in this directory.
#include <cstdio>

#include "bench/alloc_spawn.h"
#include "bench/bare_spawn.h"
#include "bench/cpu_parts.h"
#include "bench/floor_dirs.h"
#include "bench/floor_spawn.h"
#include "bench/idle_cost.h"
#include "bench/options.h"
#include "bench/rounds.h"
#include "bench/scratch.h"
#include "bench/shim_spawn.h"
#include "host/container/plugin_child.h"

namespace drover::bench {
namespace {

void PrintCpu(const std::vector<Side>& sides) {
  std::printf("  processor time of one task in us:\n");
  for (const Side& side : sides) {
    std::printf(
        "    %-20s %6.0f = control %.0f + other threads %.0f + children %.0f + in cgroups %.0f\n",
        side.name.c_str(), side.cpu.total(), side.cpu.control, side.cpu.threads, side.cpu.children,
        side.cpu.programs);
  }
}

std::shared_ptr<const Job> RawExecJob(const std::string& program) {
  return MakeJob(MakeTask("raw_exec", R"({"command": ")" + program + "\"}"));
}

int Main(int argc, char** argv) {
  int exit_code = 0;
  const std::optional<Options> options = ReadOptions("bench_task", {}, argc, argv, &exit_code);
  if (!options) return exit_code;
  setvbuf(stdout, nullptr, _IOLBF, 0);  // keeps the lines so far when the program is interrupted
  const Scratch scratch;
  if (!scratch.run_dir_is_tmpfs()) {
    std::printf("note: no tmpfs found, so the sockets of shims are on a disk\n");
  }

  const CpuMeter meter(scratch);
  FloorSpawn floor(scratch, DROVER_BENCH_HOLDER);
  const FloorDirs directories(scratch);
  RealLoop loop;
  LocalNode node(&loop, scratch);
  std::printf("tracking: %s\n", node->processes()->TrackingDescription().c_str());
  ShimSpawn shim(&loop, node->processes(), scratch, DROVER_BENCH_NOOP);
  AllocSpawn raw_exec(&node, RawExecJob(DROVER_BENCH_NOOP));

  for (const int in_flight : {1, 4}) {
    std::vector<Side> sides;
    sides.push_back({"bare posix_spawn",
                     [](int tasks, int n) { return RunBareSpawn(DROVER_BENCH_NOOP, tasks, n); },
                     {}});
    sides.push_back({"floor",
                     [&](int tasks, int n) {
                       floor.UseDirectories(nullptr);
                       return floor.Run(tasks, n);
                     },
                     {}});
    sides.push_back({"floor and directories",
                     [&](int tasks, int n) {
                       floor.UseDirectories(&directories);
                       return floor.Run(tasks, n);
                     },
                     {}});
    sides.push_back({"shim", [&](int tasks, int n) { return shim.Run(tasks, n); }, {}});
    sides.push_back({"raw_exec", [&](int tasks, int n) { return raw_exec.Run(tasks, n); }, {}});
    shim.latencies().clear();
    raw_exec.from_start().clear();
    raw_exec.from_gate().clear();
    RunRounds(&sides, meter, options->rounds, options->tasks, in_flight);
    std::printf("%d in flight, median of %d rounds of %d:\n", in_flight, options->rounds,
                options->tasks);
    PrintRates(sides);
    if (meter.works()) PrintCpu(sides);
    std::printf(
        "  until the program runs: shim %.2f ms; raw_exec %.2f ms from the gate, %.2f ms "
        "from the start of the allocation\n",
        Median(shim.latencies()) * 1e3, Median(raw_exec.from_gate()) * 1e3,
        Median(raw_exec.from_start()) * 1e3);
  }
  if (options->idle > 0)
    PrintIdle("raw_exec",
              MeasureIdle(&node, RawExecJob(DROVER_BENCH_IDLE), "bench_idle", options->idle),
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
