// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Measures the cost of a driver's call in the host's process and in a process of its own: see
// README.md in this directory.
#include <cstdio>

#include "bench/call_places.h"
#include "bench/frame_floor.h"
#include "bench/options.h"
#include "bench/rounds.h"
#include "host/container/plugin_child.h"

namespace drover::bench {
namespace {

int Main(int argc, char** argv) {
  Options defaults;
  defaults.tasks = 300;
  defaults.rounds = 9;
  defaults.idle = kNoIdle;
  int exit_code = 0;
  const std::optional<Options> options =
      ReadOptions("bench_calls", defaults, argc, argv, &exit_code);
  if (!options) return exit_code;
  const std::vector<double> floor = MeasureFrameFloor(options->tasks, options->rounds);

  RealLoop loop;
  WorkerPool workers(2);
  CallPlace inside(&loop, &workers, "in-process");
  CallPlace contained(&loop, &workers, "process");
  for (CallPlace* place : {&inside, &contained}) place->Round(options->tasks / 10 + 1);
  for (CallPlace* place : {&inside, &contained}) place->Forget();
  for (int round = 0; round < options->rounds; ++round) {
    for (CallPlace* place : {&inside, &contained}) place->Round(options->tasks);
  }
  std::printf("%d rounds of %d calls, one after the other; medians in us\n", options->rounds,
              options->tasks);
  std::printf("  a frame to another process and back, alone: %.1f\n", Median(floor));
  std::printf("  %-26s %12s %12s %8s\n", "", "in process", "container", "ratio");
  for (const std::string& call : inside.calls()) {
    const std::vector<double>& in = inside.times(call);
    const std::vector<double>& out = contained.times(call);
    // Round by round, since the machine may be slower in one than in another.
    std::vector<double> ratios;
    for (std::size_t i = 0; i < in.size(); ++i) ratios.push_back(out[i] / in[i]);
    std::printf("  %-26s %12.1f %12.1f   1 : %.1f\n", call.c_str(), Median(in), Median(out),
                Median(ratios));
  }
  return 0;
}

}  // namespace
}  // namespace drover::bench

// The probe of a plugin and its container start this program again.
int main(int argc, char** argv) {
  if (const auto code = drover::MaybeRunPluginChild(argc, argv)) return *code;
  return drover::bench::Main(argc, argv);
}
