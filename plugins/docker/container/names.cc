// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "container/names.h"

#include <algorithm>

namespace drover_docker {
namespace {

constexpr std::size_t kLongestName = 180;
const char kNomadPrefix[] = "com.hashicorp.nomad.";

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

}  // namespace

std::string ContainerName(const drover::TaskConfig& task) {
  std::string name = task.task_name.substr(0, kLongestName);
  bool changed = name.size() != task.task_name.size();
  for (char& c : name) {
    if (IsNameCharacter(c)) continue;
    c = '_';
    changed = true;
  }
  const bool begins = !name.empty() && name[0] != '-' && name[0] != '.' && name[0] != '_';
  if (!begins) {
    name.insert(name.begin(), 't');
    changed = true;
  }
  if (changed) name += "-" + task.run_id.Text().substr(0, 8);
  return name + "-" + task.alloc_id;
}

std::string PauseName(const std::string& alloc_id) { return "drover_pause-" + alloc_id; }

bool IsNamedAsOurs(const std::string& name, const StringMap& labels) {
  const auto alloc = labels.find(kAllocLabel);
  if (alloc == labels.end() || alloc->second.empty()) return false;
  const auto kind = labels.find(kKindLabel);
  if (kind != labels.end() && kind->second == kPauseKind) return name == PauseName(alloc->second);
  const std::string end = "-" + alloc->second;
  return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

StringMap ContainerLabels(const drover::TaskConfig& task, const std::vector<std::string>& extra) {
  StringMap out;
  out[kRunLabel] = task.run_id.Text();
  out[kNodeLabel] = task.node_id;
  out[kKindLabel] = kTaskKind;
  out[kAllocLabel] = task.alloc_id;
  const std::pair<const char*, const std::string*> known[] = {{"job_name", &task.job_name},
                                                              {"job_id", &task.job_id},
                                                              {"task_group_name", &task.group_name},
                                                              {"task_name", &task.task_name},
                                                              {"namespace", &task.job_namespace},
                                                              {"node_name", &task.node_name},
                                                              {"node_id", &task.node_id}};
  for (const auto& one : known) {
    const bool wanted = std::any_of(extra.begin(), extra.end(), [&](const std::string& pattern) {
      return Matches(pattern, one.first);
    });
    if (wanted) out[std::string(kNomadPrefix) + one.first] = *one.second;
  }
  return out;
}

}  // namespace drover_docker
