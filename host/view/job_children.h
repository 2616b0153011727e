// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace drover {

// So many children of a job are shown, unless a user asks for all of them.
inline constexpr std::size_t kMostChildren = 20;

// Returns the jobs in LIST that the job ID has started, the newest first.
std::vector<nlohmann::json> ChildrenOf(const std::string& id, const nlohmann::json& list);

// What is shown of a list of jobs.
struct ShownJobs {
  std::vector<const nlohmann::json*> jobs;
  // How many older children are not shown, by the namespace and the id of their parent.
  std::map<std::pair<std::string, std::string>, std::size_t> left_out;
};
// Returns the jobs of LIST in its order, and of each parent only the newest children, unless ALL.
// LIST must outlive the result.
ShownJobs JobsToShow(const nlohmann::json& list, bool all);

}  // namespace drover
