// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/hcl/job_of_hcl.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "host/hcl/hcl_places.h"
#include "host/hcl/job_schema.h"
#include "host/spec/job_fields.h"
#include "host/spec/json_cost.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;
using enum FieldKind;

constexpr std::size_t kMostCopied = std::size_t{16} << 20;  // bytes of memory

// Removes the member NAME from OBJECT and returns it. Returns null if there is none.
json Take(json* object, const char* name) {
  const auto found = object->find(name);
  if (found == object->end()) return nullptr;
  json taken = std::move(*found);
  object->erase(found);
  return taken;
}

std::string Text(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// Sets a member of a constraint, unless the constraint sets it to something else already.
void SetOnce(const std::string& pointer, const char* name, const std::string& value, json* one,
             JobFaults* faults) {
  const std::string there = Text(*one, name);
  if (!there.empty() && there != value) {
    faults->Add(pointer, "says two things at once: " + Quoted(there) + " and " + Quoted(value));
  }
  (*one)[name] = value;
}

// Says that the member TO of OBJECT is written where its member FROM is, if OBJECT has places.
void CopyPlace(const char* from, const char* to, json* object) {
  const auto places = object->find(kHclPlaces);
  if (places != object->end() && places->contains(from)) (*places)[to] = json(places->at(from));
}

// Replaces the operator attributes of a constraint or an affinity by Operand and its values.
void ReplaceOperators(const std::string& pointer, json* one, JobFaults* faults) {
  for (const OperatorAttribute& attribute : kOperatorAttributes) {
    const json given = Take(one, attribute.name);
    if (given.is_null() || given == "") continue;
    const std::string value = given.is_string() ? given.get<std::string>() : given.dump();
    const char* const target = attribute.names_target ? "LTarget" : "RTarget";
    SetOnce(pointer, "Operand", attribute.name, one, faults);
    SetOnce(pointer, target, value, one, faults);
    CopyPlace(attribute.name, "Operand", one);
    CopyPlace(attribute.name, target, one);
  }
  if (Text(*one, "Operand").empty()) (*one)["Operand"] = "=";
}

// Moves the ports of NETWORK that have a fixed number to its reserved ports.
void ReservePorts(json* network) {
  json dynamic = json::array();
  for (json& port : Take(network, "DynamicPorts")) {
    json* const list =
        port.value("Value", std::int64_t{0}) > 0 ? &(*network)["ReservedPorts"] : &dynamic;
    list->push_back(std::move(port));
  }
  if (!dynamic.empty()) (*network)["DynamicPorts"] = std::move(dynamic);
}

// Returns the objects of LIST by their labels.
json ByLabel(const JobField& field, const std::string& pointer, json list, JobFaults* faults) {
  const auto label = std::ranges::find_if(field.members, &JobField::IsLabel);
  json map = json::object();
  for (json& one : list) {
    const std::string name = Text(one, label->name);
    if (map.contains(name)) faults->Add(pointer, Quoted(name) + " stands here twice");
    map[name] = std::move(one);
  }
  return map;
}

// The label of a task's scaling block stands for the type of the policy.
void NameScalingType(const std::string& pointer, json* policy, JobFaults* faults) {
  json& type = (*policy)["Type"];
  if (type == "cpu" || type == "mem") {
    type = "vertical_" + type.get<std::string>();
  } else {
    faults->Add(pointer, "the label of a task's scaling block must be cpu or mem");
  }
}

void FinishBlock(const JobField& field, const std::string& pointer, json* block,
                 JobFaults* faults) {
  const std::string_view name = field.name;
  if (name == "Constraints" || name == "Affinities") ReplaceOperators(pointer, block, faults);
  if (name == "Networks") ReservePorts(block);
  if (name == "ScalingPolicies") NameScalingType(pointer, block, faults);
  if (name == "Scaling" && Text(*block, "Type").empty()) (*block)["Type"] = "horizontal";
}

// Finishes the blocks in OBJECT that have the form of HCL still, and those below them.
void Finish(std::span<const JobField> fields, const std::string& pointer, json* object,
            JobFaults* faults) {
  for (const JobField& field : fields) {
    const auto member = object->find(field.name);
    if (field.members.empty() || member == object->end()) continue;
    const std::string here = JsonPointer(pointer, field.name);
    const auto finish = [&](const std::string& at, json* block) {
      FinishBlock(field, at, block, faults);
      Finish(field.members, at, block, faults);
    };
    if (field.kind == kObject) {
      finish(here, &*member);
      continue;
    }
    for (std::size_t i = 0; i < member->size(); ++i) {
      finish(JsonPointer(here, i), &member->at(i));
    }
    if (field.kind == kObjectMap) *member = ByLabel(field, here, std::move(*member), faults);
  }
}

// The identity without a name is a field of its own, since older clients know only that one.
void SetDefaultIdentity(json* task) {
  json others = json::array();
  for (json& identity : Take(task, "Identities")) {
    const std::string name = Text(identity, "Name");
    const bool is_default = (name.empty() || name == "default") && !task->contains("Identity");
    if (is_default) {
      (*task)["Identity"] = std::move(identity);
    } else {
      others.push_back(std::move(identity));
    }
  }
  if (!others.empty()) (*task)["Identities"] = std::move(others);
}

// Blocks that stand outside of tasks and are for all tasks below.
struct OuterBlocks {
  explicit OuterBlocks(json* from)
      : vault(Take(from, job_hcl_keys::kVault)),
        secrets(Take(from, job_hcl_keys::kSecrets)),
        cost(JsonCost(JsonText(vault)) + JsonCost(JsonText(secrets))) {}

  const json vault;
  const json secrets;
  const std::size_t cost;  // the memory of a copy, in bytes
};

void AddOuter(const OuterBlocks& outer, json* task) {
  using namespace job_hcl_keys;
  if (!outer.vault.is_null() && !task->contains(kVault)) (*task)[kVault] = outer.vault;
  for (const json& secret : outer.secrets) (*task)[kSecrets].push_back(secret);
}

// Finishes the tasks of JOB. Each gets a copy of what stands further outside, so a short text could
// become a job of any size. Returns false if it becomes too large.
bool FinishTasks(json* job) {
  const OuterBlocks of_job(job);
  if (!job->contains("TaskGroups")) return true;
  std::size_t copied = 0;
  for (json& group : job->at("TaskGroups")) {
    const OuterBlocks of_group(&group);
    if (!group.contains("Tasks")) continue;
    for (json& task : group.at("Tasks")) {
      copied += of_group.cost + of_job.cost;
      if (copied > kMostCopied) return false;
      AddOuter(of_group, &task);
      AddOuter(of_job, &task);
      SetDefaultIdentity(&task);
    }
  }
  return true;
}

// Puts each task that stands outside of groups into a group of its own, ahead of the other groups.
void GroupTasks(json* job) {
  json groups = json::array();
  for (json& task : Take(job, job_hcl_keys::kTasks)) {
    json group = json::object();
    group["Name"] = Text(task, "Name");
    const auto places = task.find(kHclPlaces);
    if (places != task.end() && places->contains(kHclPlaces)) {
      group[kHclPlaces][kHclPlaces] = json(places->at(kHclPlaces));
    }
    group["Tasks"] = json::array({std::move(task)});
    groups.push_back(std::move(group));
  }
  for (json& group : Take(job, "TaskGroups")) groups.push_back(std::move(group));
  if (!groups.empty()) (*job)["TaskGroups"] = std::move(groups);
}

}  // namespace

json JobOfHcl(json decoded, JobFaults* faults) {
  using namespace job_hcl_keys;
  json job = Take(&decoded, kJob);
  if (!job.is_object()) {
    faults->Add("", "there is no block job \"NAME\" in it");
    return nullptr;
  }
  const json label = Take(&job, kJobLabel);
  if (!job.contains("ID")) job["ID"] = label;
  if (!job.contains("Name")) job["Name"] = label;
  GroupTasks(&job);
  if (!FinishTasks(&job)) {
    faults->Add("",
                "its blocks vault and secret outside of tasks are too large for so many tasks: "
                "each task gets a copy");
    return nullptr;
  }
  Finish(JobFields(), "", &job, faults);
  return job;
}

}  // namespace drover
