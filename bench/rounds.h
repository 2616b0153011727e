// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "bench/cpu_parts.h"

namespace drover::bench {

// One way to run tasks. `run` runs TASKS of them, IN_FLIGHT at once, and returns the seconds.
struct Side {
  std::string name;
  std::function<double(int tasks, int in_flight)> run;
  std::vector<double> rates;  // tasks per second, one per round
  CpuParts cpu = {};          // of one task, the mean of all rounds
};

inline double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Runs the sides in turn, so that the noise of the machine affects all of them.
inline void RunRounds(std::vector<Side>* sides, const CpuMeter& meter, int rounds, int tasks,
                      int in_flight) {
  for (Side& side : *sides) {
    side.rates.clear();
    side.run(tasks / 10 + 1, in_flight);  // warm up: caches, plugin, first directories
  }
  for (int round = 0; round < rounds; ++round) {
    for (Side& side : *sides) {
      const CpuParts before = meter.Now();
      side.rates.push_back(tasks / side.run(tasks, in_flight));
      side.cpu += (meter.Now() - before) / (double(rounds) * tasks);
    }
  }
}

// Each side's rate, and its ratio to the first.
inline void PrintRates(const std::vector<Side>& sides) {
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

}  // namespace drover::bench
