// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/time.h"

namespace drover {

// What a step of a random sequence does.
enum class FuzzVerb {
  kStart,
  kRecover,
  kWait,      // waits for the end for a limited time, and then gives the wait up
  kWaitOpen,  // begins a wait that stays open until the task ends
  kStop,
  kSignal,
  kInspect,
  kStats,
  kExec,
  kDestroy,
  kDestroyForce,
  kReload,  // replaces the instance of the driver by another one, which recovers the tasks
};

struct FuzzStep {
  FuzzVerb verb = FuzzVerb::kInspect;
  int run = 0;          // the number of the run, from 0; a reload has none
  bool ends = false;    // of a start: the task ends soon by itself
  bool fresh = false;   // of a start of an unknown run: it gets a new id
  Duration give_up{0};  // when the call is given up; 0 means never
  bool operator==(const FuzzStep&) const = default;
};

inline constexpr int kFuzzRuns = 4;  // the number of runs in a sequence

// What the driver and its kit file offer. Steps for anything else are not made.
struct FuzzOffers {
  bool signals = false;
  bool stats = false;
  bool exec = false;
  bool ending = false;  // there are tasks that end by themselves
};

// Makes the first COUNT steps of the sequence of SEED. A shorter sequence of the same seed is the
// beginning of a longer one.
std::vector<FuzzStep> MakeFuzzSteps(std::uint64_t seed, int count, const FuzzOffers& offers);

// Returns a step such as "stop of run 2, given up after 5ms".
std::string FuzzStepText(const FuzzStep& step);
// Returns the verb of a step, such as "stop".
const char* FuzzVerbName(FuzzVerb verb);

}  // namespace drover
