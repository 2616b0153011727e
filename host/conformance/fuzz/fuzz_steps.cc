// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/fuzz/fuzz_steps.h"

#include <array>
#include <iterator>
#include <random>

namespace drover {
namespace {

// What a run most probably is after the steps so far. The answers of the driver are not known when
// the steps are made, so that a sequence follows from its seed alone.
enum class Plan { kUnknown, kRunning, kEnded };

struct WeightedVerb {
  FuzzVerb verb;
  int weight;
};
constexpr WeightedVerb kOfUnknown[] = {
    {FuzzVerb::kStart, 24}, {FuzzVerb::kRecover, 2},      {FuzzVerb::kWait, 1},
    {FuzzVerb::kStop, 1},   {FuzzVerb::kSignal, 1},       {FuzzVerb::kInspect, 2},
    {FuzzVerb::kStats, 1},  {FuzzVerb::kExec, 1},         {FuzzVerb::kDestroy, 1},
    {FuzzVerb::kReload, 1}, {FuzzVerb::kDestroyForce, 1},
};
constexpr WeightedVerb kOfRunning[] = {
    {FuzzVerb::kStart, 2},    {FuzzVerb::kRecover, 3},      {FuzzVerb::kWait, 5},
    {FuzzVerb::kWaitOpen, 4}, {FuzzVerb::kStop, 6},         {FuzzVerb::kSignal, 6},
    {FuzzVerb::kInspect, 6},  {FuzzVerb::kStats, 3},        {FuzzVerb::kExec, 3},
    {FuzzVerb::kDestroy, 3},  {FuzzVerb::kDestroyForce, 3}, {FuzzVerb::kReload, 3},
};
constexpr WeightedVerb kOfEnded[] = {
    {FuzzVerb::kStart, 2},    {FuzzVerb::kRecover, 3},      {FuzzVerb::kWait, 5},
    {FuzzVerb::kWaitOpen, 2}, {FuzzVerb::kStop, 4},         {FuzzVerb::kSignal, 2},
    {FuzzVerb::kInspect, 5},  {FuzzVerb::kStats, 1},        {FuzzVerb::kExec, 1},
    {FuzzVerb::kDestroy, 7},  {FuzzVerb::kDestroyForce, 4}, {FuzzVerb::kReload, 2},
};

// One step in this number is given up, if its verb may be.
constexpr int kGiveUpOneIn = 6;

class StepMaker {
 public:
  StepMaker(std::uint64_t seed, const FuzzOffers& offers) : random_(seed), offers_(offers) {}

  FuzzStep Next() {
    FuzzStep step;
    if (half_done_ >= 0) {
      // The host destroys a run after a start or a destroy that it has given up.
      step.run = half_done_;
      step.verb = FuzzVerb::kDestroyForce;
    } else {
      step.run = Below(kFuzzRuns);
      step.verb = Choose(plans_[static_cast<std::size_t>(step.run)]);
    }
    Fill(&step);
    Note(step);
    return step;
  }

 private:
  // Returns a number from 0 to LIMIT - 1. The distributions of the library differ between
  // libraries, so a seed would not mean the same steps everywhere.
  int Below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }

  bool Offered(FuzzVerb verb) const {
    if (verb == FuzzVerb::kSignal) return offers_.signals;
    if (verb == FuzzVerb::kStats) return offers_.stats;
    if (verb == FuzzVerb::kExec) return offers_.exec;
    return true;
  }

  FuzzVerb Choose(Plan plan) {
    const WeightedVerb* first = plan == Plan::kUnknown   ? std::begin(kOfUnknown)
                                : plan == Plan::kRunning ? std::begin(kOfRunning)
                                                         : std::begin(kOfEnded);
    const WeightedVerb* last = plan == Plan::kUnknown   ? std::end(kOfUnknown)
                               : plan == Plan::kRunning ? std::end(kOfRunning)
                                                        : std::end(kOfEnded);
    int total = 0;
    for (const WeightedVerb* one = first; one != last; ++one) {
      if (Offered(one->verb)) total += one->weight;
    }
    int left = Below(total);
    for (const WeightedVerb* one = first; one != last; ++one) {
      if (!Offered(one->verb)) continue;
      left -= one->weight;
      if (left < 0) return one->verb;
    }
    return FuzzVerb::kInspect;
  }

  void Fill(FuzzStep* step) {
    if (step->verb == FuzzVerb::kReload) step->run = 0;
    if (step->verb == FuzzVerb::kStart) {
      step->ends = offers_.ending && Below(3) == 0;
      step->fresh = Below(2) == 0;
    }
    if (step->verb == FuzzVerb::kWait) step->give_up = std::chrono::milliseconds(Below(150));
    const bool may_give_up = step->verb == FuzzVerb::kStart || step->verb == FuzzVerb::kStop ||
                             step->verb == FuzzVerb::kSignal || step->verb == FuzzVerb::kInspect ||
                             step->verb == FuzzVerb::kDestroy ||
                             (step->verb == FuzzVerb::kDestroyForce && half_done_ < 0);
    if (may_give_up && Below(kGiveUpOneIn) == 0) {
      step->give_up = 1ms + std::chrono::milliseconds(Below(20));
    }
  }

  void Note(const FuzzStep& step) {
    Plan& plan = plans_[static_cast<std::size_t>(step.run)];
    const bool given_up = step.give_up > Duration(0);
    half_done_ = -1;
    switch (step.verb) {
      case FuzzVerb::kStart:
        if (plan == Plan::kUnknown) plan = step.ends ? Plan::kEnded : Plan::kRunning;
        if (given_up) half_done_ = step.run;
        break;
      case FuzzVerb::kStop:
        if (plan == Plan::kRunning) plan = Plan::kEnded;
        break;
      case FuzzVerb::kDestroy:
        if (plan == Plan::kEnded) plan = Plan::kUnknown;
        if (given_up) half_done_ = step.run;
        break;
      case FuzzVerb::kDestroyForce:
        plan = Plan::kUnknown;
        if (given_up) half_done_ = step.run;
        break;
      default:
        break;
    }
  }

  std::mt19937_64 random_;
  const FuzzOffers offers_;
  std::array<Plan, kFuzzRuns> plans_{};
  int half_done_ = -1;  // the run whose start or destroy was given up, or -1
};

}  // namespace

std::vector<FuzzStep> MakeFuzzSteps(std::uint64_t seed, int count, const FuzzOffers& offers) {
  StepMaker maker(seed, offers);
  std::vector<FuzzStep> steps;
  for (int i = 0; i < count; ++i) steps.push_back(maker.Next());
  return steps;
}

const char* FuzzVerbName(FuzzVerb verb) {
  switch (verb) {
    case FuzzVerb::kStart:
      return "start";
    case FuzzVerb::kRecover:
      return "recover";
    case FuzzVerb::kWait:
      return "wait";
    case FuzzVerb::kWaitOpen:
      return "open wait";
    case FuzzVerb::kStop:
      return "stop";
    case FuzzVerb::kSignal:
      return "signal";
    case FuzzVerb::kInspect:
      return "inspect";
    case FuzzVerb::kStats:
      return "stats";
    case FuzzVerb::kExec:
      return "exec";
    case FuzzVerb::kDestroy:
      return "destroy";
    case FuzzVerb::kDestroyForce:
      return "destroy with force";
    case FuzzVerb::kReload:
      return "reload";
  }
  return "step";
}

std::string FuzzStepText(const FuzzStep& step) {
  std::string text = FuzzVerbName(step.verb);
  if (step.verb == FuzzVerb::kReload) return text;
  text += " of run " + std::to_string(step.run + 1);
  if (step.verb == FuzzVerb::kStart) {
    if (step.ends) text += ", which ends soon";
    if (step.fresh) text += ", under a new id if it is unknown";
  }
  const bool given_up = step.give_up > Duration(0) || step.verb == FuzzVerb::kWait;
  if (given_up) text += ", given up after " + FormatDuration(step.give_up);
  return text;
}

}  // namespace drover
