// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/conformance/conformance.h"

// Tests a driver with random sequences of verbs. A reference model decides which answers the rules
// of drover.h permit.
namespace drover {

struct FuzzOptions {
  // Which driver is tested, and how. Its cases and faults are not used. Its seed is that from which
  // the seeds of the sequences are made.
  ConformanceOptions kit;
  int runs = 20;   // how many sequences
  int steps = 40;  // how many steps each sequence has
  // If it has a value, only the sequence with this seed runs.
  std::optional<std::uint64_t> reproduce;
};

struct FuzzResult {
  std::uint64_t seed = 0;  // of the sequence
  Verdict verdict = Verdict::kFail;
  std::string detail;  // the reason of a verdict other than kPass
  // The steps that have begun. After a failure they are the shortest prefix of the sequence that
  // fails: the last step is the one whose answer was wrong.
  std::vector<std::string> steps;
  // After a failure: how a second run of that prefix has ended.
  std::optional<Verdict> again;
  Duration took{0};
};

// The most sequences and steps of a run.
inline constexpr int kMostFuzzRuns = 100'000;
inline constexpr int kMostFuzzSteps = 2'000;

// Runs the sequences, each in a process of its own. Calls ON_RESULT when a sequence has ended, in
// any order, but never at the same time for two. Returns an error if no sequence can be run. Blocks
// until all have ended. main() must call MaybeRunKitChild first.
Result<std::vector<FuzzResult>> RunFuzz(
    const std::string& file, const FuzzOptions& options,
    const std::function<void(const FuzzResult&)>& on_result = nullptr);

// Returns the seed of sequence NUMBER of a run with SEED.
std::uint64_t FuzzSeed(std::uint64_t seed, int number);

}  // namespace drover
