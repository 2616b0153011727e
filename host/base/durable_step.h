// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <type_traits>

#include "host/base/result.h"

namespace drover {

// The steps by which an agent makes changes that outlive the agent. Every such change calls the
// functions below. So a test can kill the agent before and after each step, can make each step
// fail, and notices new steps.
enum class Step : int {
  kLedgerAdd = 1,       // before a run or directory is made, its name is added to the ledger
  kLedgerRemove = 2,    // after a run or directory was removed, its name is removed from the ledger
  kCommit = 3,          // records are written to the store
  kSync = 4,            // the written records are synchronized to the disk
  kMakeAllocDir = 5,    //
  kMakeTaskDir = 6,     //
  kRemoveAllocDir = 7,  //
  kMakeCgroup = 8,      // the cgroup that tracks a run is made
  kLaunchShim = 9,      //
  kRemoveCgroup = 10,   //
  kForgetEnd = 11,      // a run's exit record is removed
  kKeepNetwork = 12,    // a network namespace is mounted
  kDropNetwork = 13,    //
  kMakeLimits = 14,     // the cgroups that limit a run or count its time are made
  kMountSecrets = 15,   // a task's directory for secrets is mounted
  kMakeLedger = 16,     // a ledger gets its name, by which it is found later
  kForgetLedger = 17,   // a ledger is removed after everything that it names was removed
  kReplaceStore = 18,   // a file of a damaged store gets another name
  kDropSecrets = 19,    // the secrets of all tasks of an allocation are unmounted
  kTryCgroup = 20,      // at its start the agent makes a cgroup as a trial and removes it
  kMakeSealKey = 21,    // the key that seals secrets gets its name, by which it is found later
  kRenderFile = 22,     // a file of a task is written from its template
  kNoteNetwork = 23,    // what must be known to remove an allocation's network is noted
  kJoinNetwork = 24,    // plugins attach an allocation to its network
  kLeaveNetwork = 25,   // plugins undo that
  kForgetNetwork = 26,  // the note is removed after the network is gone
  kMakeNetworkFiles = 27,  // the files hosts and resolv.conf of an allocation are written
  kDropNetworkFiles = 28,  //
  kMakeVolume = 29,        // the directory of a volume is made
  kRemoveVolume = 30,      // the directory of a deleted volume is removed
  kMoveDisk = 31,          // a directory of a sticky disk moves to the next allocation
  kFetchArtifact = 32,     // an artifact comes into a directory of its own below the allocation's
  kPlaceArtifact = 33,     // and from there to its place
  kCacheArtifact = 34,     // a download is kept for later allocations
  kTakeBackTaskDir = 35,   // the directory of an ended task is closed to the user it was lent
  kLimitDisk = 36,         // an allocation's directory gets a quota of its file system
  kNameProcess = 37,       // a named process of a run gets its id, by which it is found later
  kForgetNames = 38,       // the names of a run's processes are removed after the processes
  kMakePlace = 39,         // the cgroups of a run whose processes an engine starts are made
  kRemovePlace = 40,       // they are removed before the run is released
};
constexpr int kSteps = 40;
std::string_view StepName(Step step);  // for example "ledger_add"

// Begins a step that is not one function, so DurableStep cannot execute it. If BeginStep returns an
// error, the caller must not execute the step. [any thread]
//
// With DROVER_TEST_STEPS=DIRECTORY in the environment, the agent appends the name of each step to
// DIRECTORY/trace and obeys DIRECTORY/fault. The file fault contains NAME NUMBER WAY. NUMBER counts
// the steps called NAME in the trace, from 1. If WAY is before or after, the agent is killed before
// or after that step. If WAY is ENOSPC or EIO, the step fails with this error.
Status BeginStep(Step step);
void EndStep(Step step);

// Runs ACT as the step STEP. ACT must return a Status or Result.
template <typename Act>
std::invoke_result_t<Act> DurableStep(Step step, Act act) {
  DROVER_TRY(BeginStep(step));
  auto done = act();
  EndStep(step);
  return done;
}

}  // namespace drover
