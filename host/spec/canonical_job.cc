// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/canonical_job.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>

#include "host/spec/blocks/scaling_json.h"
#include "host/spec/job_fields.h"
#include "host/spec/job_json.h"

namespace drover {
namespace {

using nlohmann::json;
using enum FieldKind;

constexpr std::int64_t kSecond = 1'000'000'000;

// Returns OURS, the values that the reader made, together with the fields that the client SENT.
// OURS wins if both have a value. Fields that have no effect here keep the values of SENT.
json Overlay(const json& sent, json ours) {
  if (sent.is_object() && ours.is_object()) {
    for (const auto& [key, value] : sent.items()) {
      const auto found = ours.find(key);
      if (found == ours.end()) {
        ours[key] = value;
      } else {
        *found = Overlay(value, std::move(*found));
      }
    }
  } else if (sent.is_array() && ours.is_array() && sent.size() == ours.size()) {
    for (std::size_t i = 0; i < sent.size(); ++i) ours[i] = Overlay(sent[i], std::move(ours[i]));
  } else if (ours.is_null()) {
    return sent;
  }
  return ours;
}

// Calls CALL with each object that MEMBER, the value of FIELD, has for the members of FIELD.
void ForEachObject(const JobField& field, json* member, const std::function<void(json*)>& call) {
  if (field.kind == kObject && member->is_object()) call(member);
  const bool many = (field.kind == kObjectList && member->is_array()) ||
                    (field.kind == kObjectMap && member->is_object());
  if (!many) return;
  for (json& element : *member) {
    if (element.is_object()) call(&element);
  }
}

// Converts the durations of an object to numbers, since clients read them as numbers. This
// includes durations that have no effect here.
void TellDurationsAsNumbers(std::span<const JobField> fields, json* object) {
  for (const JobField& field : fields) {
    const auto member = object->find(field.name);
    if (member == object->end()) continue;
    Duration duration{0};
    if (field.kind == kDuration && member->is_string()) {
      if (ReadJsonDuration(*member, &duration)) *member = duration.count();
    } else {
      ForEachObject(field, &*member,
                    [&field](json* inner) { TellDurationsAsNumbers(field.members, inner); });
    }
  }
}

// Returns BASE with the members of OVER. If both objects have a member, the member of OVER wins,
// unless its value is null.
json Merged(json base, const json& over) {
  if (!over.is_object()) return base;
  for (const auto& [key, value] : over.items()) {
    if (!value.is_null() || !base.contains(key)) base[key] = value;
  }
  return base;
}

const json& DefaultUpdate() {
  static const json update = {{"Stagger", 30 * kSecond},
                              {"MaxParallel", 1},
                              {"HealthCheck", "checks"},
                              {"MinHealthyTime", 10 * kSecond},
                              {"HealthyDeadline", 300 * kSecond},
                              {"ProgressDeadline", 600 * kSecond},
                              {"AutoRevert", false},
                              {"Canary", 0},
                              {"AutoPromote", false}};
  return update;
}

const json& DefaultMigrate() {
  static const json migrate = {{"MaxParallel", 1},
                               {"HealthCheck", "checks"},
                               {"MinHealthyTime", 10 * kSecond},
                               {"HealthyDeadline", 300 * kSecond}};
  return migrate;
}

json Reschedule(std::int64_t attempts, std::int64_t interval, std::int64_t delay,
                const char* function, std::int64_t max_delay, bool unlimited) {
  return {{"Attempts", attempts},      {"Interval", interval},  {"Delay", delay},
          {"DelayFunction", function}, {"MaxDelay", max_delay}, {"Unlimited", unlimited}};
}

// Returns the reschedule policy of a group that sets none; null if jobs of this type have no such
// policy.
const json& DefaultReschedule(JobType type) {
  static const json service = Reschedule(0, 0, 30 * kSecond, "exponential", 3600 * kSecond, true);
  static const json batch = Reschedule(1, 86400 * kSecond, 5 * kSecond, "constant", 0, false);
  static const json none;
  return type == JobType::kService ? service : type == JobType::kBatch ? batch : none;
}

// Returns whether all fields of an update block have empty values.
bool SaysNothing(const json& update) {
  for (const auto& [key, value] : update.items()) {
    const bool zero = value.is_null() || value == 0 || value == "" || value == false;
    if (!zero) return false;
  }
  return true;
}

// Merges the Update of the job into its groups. The job itself keeps only the values of Stagger
// and MaxParallel.
void MergeUpdate(JobType type, json* job) {
  json& of_job = (*job)["Update"];
  const bool expected = type == JobType::kService || type == JobType::kSystem;
  // A block of zeros means that there are no deployments. One without any value means nothing.
  const bool has_values = of_job.is_object() && !of_job.value("MaxParallel", json()).is_null();
  if (!of_job.is_object() || (SaysNothing(of_job) && !has_values)) {
    of_job = expected ? DefaultUpdate() : json::object();
  }
  for (json& group : job->at("TaskGroups")) {
    json& update = group["Update"];
    if (update.is_object() || !SaysNothing(of_job)) {
      update = Merged(DefaultUpdate(), Merged(of_job, update));
      // The empty text is the default, too.
      if (update.at("HealthCheck") == "") update["HealthCheck"] = "checks";
    }
  }
  json kept = {{"Stagger", 0},        {"MaxParallel", 0},     {"HealthCheck", ""},
               {"MinHealthyTime", 0}, {"HealthyDeadline", 0}, {"ProgressDeadline", 0},
               {"AutoRevert", false}, {"Canary", 0},          {"AutoPromote", false}};
  const json whole = SaysNothing(of_job) ? kept : Merged(DefaultUpdate(), of_job);
  if (whole.at("MaxParallel") != 0) {
    for (const char* field : {"Stagger", "MaxParallel"}) kept[field] = whole.at(field);
  }
  of_job = std::move(kept);
}

void MergePolicies(JobType type, json* job) {
  const json reschedule = std::exchange((*job)["Reschedule"], nullptr);
  const json migrate = std::exchange((*job)["Migrate"], nullptr);
  for (json& group : job->at("TaskGroups")) {
    json& policy = group["ReschedulePolicy"];
    if (policy.is_object() || reschedule.is_object() || !DefaultReschedule(type).is_null()) {
      const json& defaults = DefaultReschedule(type);
      static const json zeros = Reschedule(0, 0, 0, "", 0, false);
      policy = Merged(defaults.is_null() ? zeros : defaults, Merged(reschedule, policy));
    }
    json& strategy = group["Migrate"];
    if (strategy.is_object() || migrate.is_object() || type == JobType::kService) {
      strategy = Merged(DefaultMigrate(), Merged(migrate, strategy));
    }
    for (json& task : group["Tasks"]) {
      if (!task["RestartPolicy"].is_object()) task["RestartPolicy"] = group["RestartPolicy"];
    }
  }
}

// Returns the value that a server gives a field that the client has not set. The value need not be
// zero.
json ValueOf(const JobField& field) {
  switch (field.kind) {
    case kText:
      // field.no_effect is a JSON list of values that have no effect. Its first value is the
      // default.
      return *field.no_effect == '\0' ? json("") : json::parse(field.no_effect).at(0);
    case kInteger:
      return 0;
    case kBoolean:
      return false;
    default:
      // All other fields get null. So does a duration, because 0 may have an effect, but a missing
      // duration has none.
      return nullptr;
  }
}

// Returns whether FillIn must not set FIELD. The Update of the job itself is complete already: its
// empty values have a meaning.
bool IsLeftAlone(const JobField& field, bool of_job) {
  const std::string_view name = field.name;
  return of_job && (IsServerField(name) || name == "Stop" || name == "Update");
}

void FillIn(std::span<const JobField> fields, bool of_job, json* object) {
  for (const JobField& field : fields) {
    if (IsLeftAlone(field, of_job)) continue;
    json& member = (*object)[field.name];
    if (member.is_null() || (field.kind == kText && member == "")) {
      member = ValueOf(field);
    } else {
      ForEachObject(field, &member, [&field](json* inner) { FillIn(field.members, false, inner); });
    }
  }
}

// A service that names no provider has the one that Nomad's server would give it.
void TellProviders(json* owner) {
  for (json& service : (*owner)["Services"]) {
    json& provider = service["Provider"];
    if (provider.is_null() || provider == "") {
      provider = ServiceProviderName(ServiceProvider::kConsul);
    }
  }
}

void WeighAll(json* object) {
  for (const char* list : {"Affinities", "Spreads"}) {
    const auto found = object->find(list);
    if (found == object->end() || !found->is_array()) continue;
    for (json& one : *found) {
      if (one.is_object() && one.value("Weight", json()).is_null()) one["Weight"] = 50;
    }
  }
}

}  // namespace

json CanonicalJob(const Job& job, const json& original) {
  json sent = json::object();
  for (const auto& [key, value] : original.items()) {
    // Stop is left out: it is never true in an accepted job.
    if (!IsServerField(key) && key != "Stop") sent[key] = value;
  }
  json out = Overlay(sent, json::parse(JobToJson(job)));
  EraseScalingAnswers(&out);
  TellDurationsAsNumbers(JobFields(), &out);
  MergeUpdate(job.type, &out);
  MergePolicies(job.type, &out);
  WeighAll(&out);
  for (json& group : out.at("TaskGroups")) {
    TellProviders(&group);
    WeighAll(&group);
    for (json& task : group.at("Tasks")) {
      TellProviders(&task);
      WeighAll(&task);
    }
  }
  FillIn(JobFields(), true, &out);
  for (json& group : out.at("TaskGroups")) {
    // Enabled is the older form of Disabled, and must not contradict it.
    for (json& task : group.at("Tasks")) task.at("LogConfig").erase("Enabled");
  }
  return out;
}

}  // namespace drover
