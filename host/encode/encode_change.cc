// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/encode/encode.h"

namespace drover {

using nlohmann::json;

namespace {

// Lists of Go that are empty are null.
json ListOrNull(const std::vector<std::string>& list) {
  return list.empty() ? json(nullptr) : json(list);
}

}  // namespace

json EncodeDeployment(const Deployment& deployment) {
  json groups = json::object();
  for (const auto& [name, group] : deployment.groups) {
    groups[name] = {{"AutoRevert", group.auto_revert},
                    {"AutoPromote", group.auto_promote},
                    {"ProgressDeadline", group.progress_deadline.count()},
                    {"RequireProgressBy", Rfc3339(group.require_progress_by)},
                    {"Promoted", group.promoted},
                    {"PlacedCanaries", ListOrNull(group.placed_canaries)},
                    {"DesiredCanaries", group.desired_canaries},
                    {"DesiredTotal", group.desired_total},
                    {"PlacedAllocs", group.placed},
                    {"HealthyAllocs", group.healthy},
                    {"UnhealthyAllocs", group.unhealthy}};
  }
  return {{"ID", deployment.id},
          {"Namespace", deployment.job_namespace},
          {"JobID", deployment.job_id},
          {"JobVersion", deployment.job_version},
          {"JobModifyIndex", deployment.job_modify_index},
          {"JobSpecModifyIndex", deployment.job_modify_index},
          {"JobCreateIndex", deployment.job_create_index},
          {"IsMultiregion", false},
          {"TaskGroups", std::move(groups)},
          {"Status", deployment.status},
          {"StatusDescription", deployment.status_description},
          {"EvalPriority", deployment.eval_priority},
          {"CreateIndex", deployment.create_index},
          {"ModifyIndex", deployment.modify_index},
          {"CreateTime", deployment.create_time},
          {"ModifyTime", deployment.modify_time}};
}

// The peer has no such object, so the form is Drover's own.
json EncodeJobRestart(const JobRestart& restart) {
  return {{"ID", restart.id},
          {"Namespace", restart.job_namespace},
          {"JobID", restart.job_id},
          {"BatchSize", restart.batch_size},
          {"BatchWait", restart.batch_wait.count()},
          {"AllTasks", restart.all_tasks},
          {"Reschedule", restart.reschedule},
          {"NoShutdownDelay", restart.no_shutdown_delay},
          {"IgnoreErrors", restart.ignore_errors},
          {"Groups", restart.groups},
          {"Tasks", restart.tasks},
          {"Allocations", restart.allocs},
          {"Done", restart.done},
          {"Errors", restart.errors},
          {"Status", restart.status},
          {"StatusDescription", restart.status_description},
          {"CreateIndex", restart.create_index},
          {"ModifyIndex", restart.modify_index},
          {"CreateTime", restart.create_time},
          {"ModifyTime", restart.modify_time}};
}

}  // namespace drover
