// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/change_record_json.h"

#include <chrono>
#include <nlohmann/json.hpp>

// Durations are numbers of nanoseconds.
namespace nlohmann {
template <>
struct adl_serializer<drover::Duration> {
  static void to_json(json& out, drover::Duration value) { out = value.count(); }
  static void from_json(const json& in, drover::Duration& value) {
    value = drover::Duration(in.get<std::int64_t>());
  }
};
}  // namespace nlohmann

namespace drover {

// nlohmann's library finds the functions that these macros define only in this namespace.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DeploymentGroup, auto_revert, auto_promote,
                                                promoted, progress_deadline, require_progress_by,
                                                placed_canaries, desired_canaries, desired_total,
                                                placed, healthy, unhealthy)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Deployment, id, job_namespace, job_id, job_version,
                                                job_modify_index, job_create_index, groups, status,
                                                status_description, eval_priority, create_index,
                                                modify_index, create_time, modify_time)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PeriodicLaunch, job_namespace, job_id, launch,
                                                create_index, modify_index)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(JobRestart, id, job_namespace, job_id,
                                                job_create_index, batch_size, batch_wait, all_tasks,
                                                reschedule, no_shutdown_delay, ignore_errors,
                                                groups, tasks, done, begun, errors, next_batch,
                                                status, status_description, create_index,
                                                modify_index, create_time, modify_time)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PreemptionConfig, system, sysbatch, batch, service)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SchedulerConfig, preemption, create_index,
                                                modify_index)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RescheduleEvent, time, previous_alloc,
                                                previous_node, delay)

namespace {

using nlohmann::json;

template <typename T>
std::string Text(const T& of) {
  return json(of).dump(-1, ' ', false, json::error_handler_t::replace);
}

template <typename T>
Result<std::shared_ptr<const T>> Parse(const std::string& text) {
  try {
    return std::make_shared<const T>(json::parse(text).get<T>());
  } catch (const json::exception& error) {
    return Error(Code::kInvalidArgument, error.what());
  }
}

ClientStatus ClientStatusOf(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(ClientStatus::kUnknown); ++i) {
    if (name == ClientStatusName(static_cast<ClientStatus>(i))) return static_cast<ClientStatus>(i);
  }
  return ClientStatus::kUnknown;
}

}  // namespace

std::string EncodeRecord(const Deployment& deployment) { return Text(deployment); }
std::string EncodeRecord(const PeriodicLaunch& launch) { return Text(launch); }
std::string EncodeRecord(const JobRestart& restart) { return Text(restart); }
std::string EncodeRestartAllocs(const JobRestart& restart) { return Text(restart.allocs); }
std::string EncodeRecord(const SchedulerConfig& config) { return Text(config); }

Result<std::shared_ptr<const Deployment>> DecodeDeployment(const std::string& text) {
  return Parse<Deployment>(text);
}

Result<std::shared_ptr<const PeriodicLaunch>> DecodeLaunch(const std::string& text) {
  return Parse<PeriodicLaunch>(text);
}

Result<std::shared_ptr<const JobRestart>> DecodeJobRestart(const std::string& text) {
  return Parse<JobRestart>(text);
}

Result<std::shared_ptr<const std::vector<std::string>>> DecodeRestartAllocs(
    const std::string& text) {
  return Parse<std::vector<std::string>>(text);
}

Result<std::shared_ptr<const SchedulerConfig>> DecodeSchedulerConfig(const std::string& text) {
  return Parse<SchedulerConfig>(text);
}

json AllocChangeToJson(const AllocChange& change) {
  json out = json::object();
  if (!change.reschedules.empty()) out["reschedules"] = change.reschedules;
  if (!change.last_reschedule.empty()) out["last_reschedule"] = change.last_reschedule;
  if (!change.follow_up_eval.empty()) out["follow_up_eval"] = change.follow_up_eval;
  if (!change.preempted.empty()) out["preempted"] = change.preempted;
  if (!change.preempted_by.empty()) out["preempted_by"] = change.preempted_by;
  for (const AllocStateChange& state : change.states) {
    out["states"].push_back({{"to", ClientStatusName(state.to)}, {"time", state.time}});
  }
  return out;
}

std::shared_ptr<const AllocChange> ReadAllocChange(const json& of) {
  auto change = std::make_shared<AllocChange>();
  change->reschedules = of.value("reschedules", change->reschedules);
  change->last_reschedule = of.value("last_reschedule", std::string());
  change->follow_up_eval = of.value("follow_up_eval", std::string());
  change->preempted = of.value("preempted", change->preempted);
  change->preempted_by = of.value("preempted_by", std::string());
  for (const json& state : of.value("states", json::array())) {
    change->states.push_back(
        {ClientStatusOf(state.value("to", std::string())), state.value("time", WallTime{0})});
  }
  return change;
}

}  // namespace drover
