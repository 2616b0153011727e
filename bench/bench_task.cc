// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// What a task costs: see README.md in this directory.
#include <cstdio>

#include "bench/bare_spawn.h"
#include "bench/options.h"
#include "bench/rounds.h"
#include "bench/scratch.h"
#include "bench/shim_spawn.h"

namespace drover::bench {
namespace {

void PrintRates(const std::vector<Side>& sides) {
  const std::vector<double>& bare = sides.front().rates;
  for (const Side& side : sides) {
    // Round by round, since the machine may be slower in one than in another.
    std::vector<double> ratios;
    for (std::size_t i = 0; i < bare.size(); ++i) ratios.push_back(side.rates[i] / bare[i]);
    const auto [least, most] = std::minmax_element(side.rates.begin(), side.rates.end());
    std::printf("  %-22s %7.0f a second  (%.0f to %.0f)  %5.2f of bare\n", side.name.c_str(),
                Median(side.rates), *least, *most, Median(ratios));
  }
}

int Main(int argc, char** argv) {
  int exit_code = 0;
  const std::optional<Options> options = ReadOptions(argc, argv, &exit_code);
  if (!options) return exit_code;
  const Scratch scratch;
  if (!scratch.run_dir_is_tmpfs()) {
    std::printf("note: no tmpfs found for the sockets of shims, they are on a disk\n");
  }

  RealLoop loop;
  ProcessServiceOptions process_options;
  process_options.run_dir = scratch.run_dir();
  Result<std::unique_ptr<ProcessService>> processes = NewProcessService(&loop, process_options);
  if (!processes.ok()) {
    std::fprintf(stderr, "bench_task: %s\n", processes.error().message().c_str());
    return 1;
  }
  std::printf("tracking: %s\n", (*processes)->TrackingDescription().c_str());
  ShimSpawn shim(&loop, processes->get(), scratch, DROVER_BENCH_NOOP);

  for (const int in_flight : {1, 4}) {
    std::vector<Side> sides;
    sides.push_back({"bare posix_spawn",
                     [](int tasks, int n) { return RunBareSpawn(DROVER_BENCH_NOOP, tasks, n); },
                     {}});
    sides.push_back({"shim", [&](int tasks, int n) { return shim.Run(tasks, n); }, {}});
    shim.latencies().clear();
    RunRounds(&sides, options->rounds, options->tasks, in_flight);
    std::printf("%d in flight, median of %d rounds of %d:\n", in_flight, options->rounds,
                options->tasks);
    PrintRates(sides);
    std::printf("  start to execution: shim %.2f ms\n", Median(shim.latencies()) * 1e3);
  }
  return 0;
}

}  // namespace
}  // namespace drover::bench

int main(int argc, char** argv) { return drover::bench::Main(argc, argv); }
