// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "host/change_commands/restart_options.h"

namespace drover {

// An allocation that "job restart" restarts.
struct ChosenAlloc {
  std::string id;
  std::string group;
  std::vector<std::string> tasks;  // those to restart by name; empty: the allocation as a whole

  bool operator==(const ChosenAlloc&) const = default;
};

// Returns which of the allocations in STUBS are to be restarted by OPTIONS. VERSIONS is what the
// agent answers about the versions of the job, which have the names of the tasks. SKIPPED gets a
// line for each allocation that is left out, and why.
std::vector<ChosenAlloc> ChooseAllocs(const nlohmann::json& stubs, const nlohmann::json& versions,
                                      const RestartOptions& options,
                                      std::vector<std::string>* skipped);

// Returns the ids of the allocations in STUBS that have a replacement.
std::set<std::string> Replaced(const nlohmann::json& stubs);

// What has become of an allocation that was stopped so that another one replaces it.
struct ReplacementState {
  enum class Kind { kWaits, kRuns, kFailed };
  Kind kind = Kind::kWaits;
  bool no_room = false;  // kFailed: whether nothing can be placed, also for other allocations
  std::string text;      // kRuns: the id of the replacement; kFailed: why there is none
};
// Returns the state of the replacement of ALLOC. EVALS are the evaluations of the job, which must
// not be newer than STUBS. STOPPED is the index of the stop.
ReplacementState StateOfReplacement(const ChosenAlloc& alloc, const nlohmann::json& stubs,
                                    const nlohmann::json& evals, std::uint64_t stopped);

}  // namespace drover
