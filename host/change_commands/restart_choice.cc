// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/change_commands/restart_choice.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr int kLongestChain = 1000;  // of replacements; an answer could have a circle

bool IsOneOf(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Returns the names of the tasks of the allocation STUB, by the version of its job. If the agent
// does not have that version any more, by the states of its tasks.
std::vector<std::string> TasksOf(const json& stub, const json& versions) {
  std::vector<std::string> tasks;
  for (const json& version : ListField(versions, "Versions")) {
    if (NumberField(version, "Version") != NumberField(stub, "JobVersion")) continue;
    for (const json& group : ListField(version, "TaskGroups")) {
      if (RawField(group, "Name") != RawField(stub, "TaskGroup")) continue;
      for (const json& task : ListField(group, "Tasks")) tasks.push_back(RawField(task, "Name"));
    }
  }
  if (!tasks.empty()) return tasks;
  for (const auto& [task, state] : MapField(stub, "TaskStates").items()) tasks.push_back(task);
  return tasks;
}

// Returns why STUB is not restarted; empty if it is. Fills in the tasks of CHOSEN.
std::string ReasonToSkip(const json& stub, const json& versions, const RestartOptions& options,
                         ChosenAlloc* chosen) {
  const bool runs = RawField(stub, "ClientStatus") == "running";
  if (!runs && RawField(stub, "DesiredStatus") != "run") {
    return "it is " + TextField(stub, "ClientStatus") + ", and shall " +
           TextField(stub, "DesiredStatus");
  }
  if (const std::string next = TextField(stub, "NextAllocation"); !next.empty()) {
    return "it is replaced by " + next;
  }
  if (!options.groups.empty() && !IsOneOf(options.groups, chosen->group)) {
    return "it is of the group \"" + Printable(chosen->group) + "\"";
  }
  if (options.tasks.empty()) return "";
  for (const std::string& task : TasksOf(stub, versions)) {
    if (IsOneOf(options.tasks, task)) chosen->tasks.push_back(task);
  }
  return chosen->tasks.empty() ? "it has none of the tasks" : "";
}

}  // namespace

std::vector<ChosenAlloc> ChooseAllocs(const json& stubs, const json& versions,
                                      const RestartOptions& options,
                                      std::vector<std::string>* skipped) {
  std::vector<ChosenAlloc> chosen;
  for (const json& stub : AsList(stubs)) {
    ChosenAlloc alloc{RawField(stub, "ID"), RawField(stub, "TaskGroup"), {}};
    const std::string why = ReasonToSkip(stub, versions, options, &alloc);
    if (why.empty()) {
      chosen.push_back(std::move(alloc));
    } else {
      skipped->push_back("Skipping allocation \"" + ShownId(Printable(alloc.id), options.verbose) +
                         "\": " + why);
    }
  }
  return chosen;
}

std::set<std::string> Replaced(const json& stubs) {
  std::set<std::string> ids;
  for (const json& stub : AsList(stubs)) {
    if (!RawField(stub, "NextAllocation").empty()) ids.insert(RawField(stub, "ID"));
  }
  return ids;
}

ReplacementState StateOfReplacement(const ChosenAlloc& alloc, const json& stubs, const json& evals,
                                    std::uint64_t stopped) {
  using Kind = ReplacementState::Kind;
  std::map<std::string, const json*> by_id;
  for (const json& stub : AsList(stubs)) by_id[RawField(stub, "ID")] = &stub;
  const auto first = by_id.find(alloc.id);
  if (first == by_id.end()) return {Kind::kFailed, false, "the allocation is gone"};
  const json* last = first->second;
  for (int i = 0; i < kLongestChain; ++i) {
    const std::string status = RawField(*last, "ClientStatus");
    if (last != first->second && (status == "running" || status == "complete")) {
      return {Kind::kRuns, false, RawField(*last, "ID")};
    }
    const auto next = by_id.find(RawField(*last, "NextAllocation"));
    if (next == by_id.end()) break;
    last = next->second;
  }
  if (last == first->second) {
    bool ended = false, open = false;
    for (const json& eval : AsList(evals)) {
      if (static_cast<std::uint64_t>(NumberField(eval, "CreateIndex")) >= stopped) {
        const std::string status = RawField(eval, "Status");
        (status == "pending" || status == "blocked" ? open : ended) = true;
      }
      const bool later = static_cast<std::uint64_t>(NumberField(eval, "CreateIndex")) > stopped;
      if (later && RawField(eval, "Status") == "blocked" &&
          MapField(eval, "FailedTGAllocs").contains(alloc.group)) {
        return {
            Kind::kFailed, true,
            "the replacement cannot be placed: see drover eval status " + TextField(eval, "ID")};
      }
    }
    // Nothing will replace it: the job was stopped, or wants fewer allocations.
    const bool none = RawField(*last, "NextAllocation").empty();
    if (ended && !open && none)
      return {Kind::kFailed, false, "the job needs no replacement any more"};
    return {};
  }
  const std::string id = TextField(*last, "ID");
  if (RawField(*last, "DesiredStatus") != "run") {
    return {Kind::kFailed, false, "the replacement " + id + " was stopped"};
  }
  const std::string status = RawField(*last, "ClientStatus");
  if ((status == "failed" || status == "lost") && RawField(*last, "FollowupEvalID").empty() &&
      RawField(*last, "NextAllocation").empty()) {
    return {Kind::kFailed, false, "the replacement " + id + " is " + status};
  }
  return {};
}

}  // namespace drover
