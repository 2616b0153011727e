// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/job_children.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

bool IsNewerChild(const json& a, const json& b) {
  return std::pair(NumberField(a, "SubmitTime"), RawField(a, "ID")) >
         std::pair(NumberField(b, "SubmitTime"), RawField(b, "ID"));
}

}  // namespace

std::vector<json> ChildrenOf(const std::string& id, const json& list) {
  std::vector<json> children;
  for (const json& job : AsList(list)) {
    if (RawField(job, "ParentID") == id) children.push_back(job);
  }
  std::sort(children.begin(), children.end(), IsNewerChild);
  return children;
}

ShownJobs JobsToShow(const json& list, bool all) {
  std::map<std::pair<std::string, std::string>, std::vector<const json*>> children;
  for (const json& job : AsList(list)) {
    const std::string parent = RawField(job, "ParentID");
    if (!all && !parent.empty()) children[{RawField(job, "Namespace"), parent}].push_back(&job);
  }
  ShownJobs shown;
  std::set<const json*> older;
  for (auto& [parent, of_parent] : children) {
    if (of_parent.size() <= kMostChildren) continue;
    shown.left_out[parent] = of_parent.size() - kMostChildren;
    const auto rest = of_parent.begin() + kMostChildren;
    std::nth_element(of_parent.begin(), rest, of_parent.end(),
                     [](const json* a, const json* b) { return IsNewerChild(*a, *b); });
    older.insert(rest, of_parent.end());
  }
  for (const json& job : AsList(list)) {
    if (!older.contains(&job)) shown.jobs.push_back(&job);
  }
  return shown;
}

}  // namespace drover
