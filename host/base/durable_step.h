// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <type_traits>

#include "host/base/result.h"

namespace drover {

// The steps by which an agent makes changes that outlive it. All go through here. So a test can
// kill the agent before and after each step, can let each one fail, and notices new ones.
enum class Step : int {
  kLedgerAdd = 1,       // a run or a directory is named before it is made
  kLedgerRemove = 2,    // and its name is removed when it is gone
  kCommit = 3,          // records reach the store
  kSync = 4,            // and the disk
  kMakeAllocDir = 5,    //
  kMakeTaskDir = 6,     //
  kRemoveAllocDir = 7,  //
  kMakeCgroup = 8,      // the cgroup that tracks a run
  kLaunchShim = 9,      //
  kRemoveCgroup = 10,   //
  kForgetEnd = 11,      // a run's exit record is removed
  kKeepNetwork = 12,    // a network namespace is mounted
  kDropNetwork = 13,    //
  kMakeLimits = 14,     // the cgroups that limit a run or count its time
  kMountSecrets = 15,   // a task's directory for secrets
  kMakeLedger = 16,     // a ledger gets its name, by which it is found later
  kForgetLedger = 17,   // a ledger is removed when everything it names is gone
  kReplaceStore = 18,   // a file of a damaged store gets another name
  kDropSecrets = 19,    // the secrets of all tasks of an allocation are unmounted
  kTryCgroup = 20,      // at the agent's start: a cgroup is made, which it then removes
};
constexpr int kSteps = 20;
std::string_view StepName(Step step);  // "ledger_add"

// Begins a step that is not one function. Returns the error that must replace the step, if any.
// With DROVER_TEST_STEPS=DIRECTORY in the environment the agent writes each step into
// DIRECTORY/trace, and obeys DIRECTORY/fault, which contains NAME NUMBER WAY. WAY is before or
// after (then the agent is killed) or the name of an errno. NUMBER counts the steps of that name in
// the trace, from 1. [any thread]
Status BeginStep(Step step);
void EndStep(Step step);

// Calls ACT, which returns a Status or Result, as STEP.
template <typename Act>
std::invoke_result_t<Act> DurableStep(Step step, Act act) {
  DROVER_TRY(BeginStep(step));
  auto done = act();
  EndStep(step);
  return done;
}

}  // namespace drover
