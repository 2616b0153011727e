// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/spec/job_fields.h"

// The fields by which jobs and groups say when something starts, restarts, changes and moves.
namespace drover::job_fields {

using enum FieldKind;
using enum FieldState;

inline constexpr char kOneMachine[] = "there is one machine, so nothing to choose";

inline constexpr JobField kConstraint[] = {
    {"LTarget",
     "attribute",
     kText,
     kDone,
     {},
     "",
     "a text, or ${node...}, ${attr...} or ${meta...}"},
    {"RTarget", "value", kText, kDone, {}, "", "as LTarget"},
    {"Operand",
     "operator",
     kText,
     kDone,
     {},
     "",
     "= (default), !=, <, <=, >, >=, regexp, set_contains, set_contains_any, is_set, is_not_set, "
     "version or semver; for jobs and groups also distinct_hosts and distinct_property"},
};

inline constexpr JobField kAffinity[] = {
    {"LTarget", "attribute", kText, kInert},
    {"RTarget", "value", kText, kInert},
    {"Operand", "operator", kText, kInert, {}, R"(["="])"},
    {"Weight", "weight", kInteger, kInert},
};

inline constexpr JobField kSpreadTarget[] = {
    {"Value", kLabel, kText, kInert},
    {"Percent", "percent", kInteger, kInert},
};

inline constexpr JobField kSpread[] = {
    {"Attribute", "attribute", kText, kInert},
    {"Weight", "weight", kInteger, kInert},
    {"SpreadTarget", "target", kObjectList, kInert, kSpreadTarget},
};

inline constexpr JobField kRestartPolicy[] = {
    {"Attempts", "attempts", kInteger, kDone, {}, "", "default 2; 3 for batch and sysbatch jobs"},
    {"Interval",
     "interval",
     kDuration,
     kDone,
     {},
     "",
     "default 30m; 24h for batch and sysbatch jobs"},
    {"Delay", "delay", kDuration, kDone, {}, "", "default 15s"},
    {"Mode", "mode", kText, kDone, {}, "", "fail (default) or delay"},
    {"RenderTemplates",
     "render_templates",
     kBoolean,
     kDone,
     {},
     "",
     "a restart also writes files whose templates are unchanged"},
};

inline constexpr JobField kUpdate[] = {
    {"Stagger",
     "stagger",
     kDuration,
     kInert,
     {},
     "",
     "default 30s; read and kept, but without effect: what changes step by step waits for health"},
    {"MaxParallel",
     "max_parallel",
     kInteger,
     kDone,
     {},
     "",
     "default 1; 0: all at once, and no deployment; of service and system jobs"},
    {"HealthCheck",
     "health_check",
     kText,
     kDone,
     {},
     "",
     "checks (default), task_states or manual, which gives no verdict; of service and system jobs"},
    {"MinHealthyTime", "min_healthy_time", kDuration, kDone, {}, "", "default 10s"},
    {"HealthyDeadline",
     "healthy_deadline",
     kDuration,
     kDone,
     {},
     "",
     "default 5m; then an allocation is unhealthy, and its reschedule policy replaces it"},
    {"ProgressDeadline",
     "progress_deadline",
     kDuration,
     kDone,
     {},
     "",
     "default 10m, and more than HealthyDeadline; 0: the first unhealthy allocation fails the "
     "deployment"},
    {"Canary", "canary", kInteger, kDone, {}, "", "default 0"},
    {"AutoRevert", "auto_revert", kBoolean, kDone, {}, "", "to the last stable version"},
    {"AutoPromote", "auto_promote", kBoolean, kDone, {}, "", "as soon as all canaries are healthy"},
};

// They count for allocations that replace others, outside of deployments.
inline constexpr JobField kMigrate[] = {
    {"MaxParallel", "max_parallel", kInteger, kDone, {}, "", "default 1; see node drain"},
    {"HealthCheck", "health_check", kText, kDone, {}, "", "checks (default) or task_states"},
    {"MinHealthyTime", "min_healthy_time", kDuration, kDone, {}, "", "default 10s"},
    {"HealthyDeadline", "healthy_deadline", kDuration, kDone, {}, "", "default 5m"},
};

inline constexpr JobField kReschedule[] = {
    {"Attempts", "attempts", kInteger, kDone, {}, "", "default 1 for batch jobs; 0 if unlimited"},
    {"Interval", "interval", kDuration, kDone, {}, "", "of the attempts; default 24h"},
    {"Delay", "delay", kDuration, kDone, {}, "", "default 30s, 5s for batch jobs; at least 5s"},
    {"DelayFunction",
     "delay_function",
     kText,
     kDone,
     {},
     "",
     "constant, exponential or fibonacci; default exponential, constant for batch jobs"},
    {"MaxDelay", "max_delay", kDuration, kDone, {}, "", "default 1h; not for constant"},
    {"Unlimited", "unlimited", kBoolean, kDone, {}, "", "default true for service jobs"},
};

inline constexpr JobField kDisconnect[] = {
    {"LostAfter",
     "lost_after",
     kDuration,
     kDone,
     {},
     "",
     "how long an allocation is unknown, before it is lost; the node of an agent never loses "
     "contact"},
    {"StopOnClientAfter",
     "stop_on_client_after",
     kDuration,
     kDone,
     {},
     "",
     "the node stops the allocation after so long without contact; not with lost_after"},
    {"Replace",
     "replace",
     kBoolean,
     kDone,
     {},
     "",
     "default true: another node takes over in the meantime"},
    {"Reconcile",
     "reconcile",
     kText,
     kDone,
     {},
     "",
     "best_score (default), keep_original, keep_replacement or longest_running"},
};

inline constexpr JobField kPeriodic[] = {
    {"Enabled", "enabled", kBoolean, kDone, {}, "", "default true"},
    {"Spec", "cron", kText, kDone, {}, "", "older form of Specs, for one expression"},
    {"Specs", "crons", kTextList, kDone, {}, "", "cron expressions"},
    {"SpecType", kNoHcl, kText, kRefused, {}, R"(["cron"])", "remove it: there is only \"cron\""},
    {"ProhibitOverlap", "prohibit_overlap", kBoolean, kDone},
    {"TimeZone", "time_zone", kText, kDone, {}, "", "default UTC"},
};

inline constexpr JobField kParameterized[] = {
    {"Payload", "payload", kText, kDone, {}, "", "optional (default), required or forbidden"},
    {"MetaRequired", "meta_required", kTextList, kDone},
    {"MetaOptional", "meta_optional", kTextList, kDone},
};

inline constexpr JobField kMultiregionStrategy[] = {
    {"MaxParallel", "max_parallel", kInteger, kRefused},
    {"OnFailure", "on_failure", kText, kRefused},
};

inline constexpr JobField kMultiregionRegion[] = {
    {"Name", kLabel, kText, kRefused},
    {"Count", "count", kInteger, kRefused},
    {"Datacenters", "datacenters", kTextList, kRefused},
    {"NodePool", "node_pool", kText, kRefused},
    {"Meta", "meta", kTextMap, kRefused},
};

inline constexpr JobField kMultiregion[] = {
    {"Strategy", "strategy", kObject, kRefused, kMultiregionStrategy},
    {"Regions", "region", kObjectList, kRefused, kMultiregionRegion},
};

// A client that reads a job and registers it again sends these fields, too.
inline constexpr char kOfAnAnswer[] = "filled in by the server";

inline constexpr JobField kGroupScaling[] = {
    {"Min", "min", kInteger, kDone, {}, "", "default: the count of the group"},
    {"Max", "max", kInteger, kDone, {}, "", "required"},
    {"Policy", "policy", kBody, kDone, {}, "", "for an autoscaler, which alone understands it"},
    {"Enabled", "enabled", kBoolean, kDone, {}, "", "default true; false while the job is stopped"},
    {"Type", "type", kText, kDone, {}, "", "horizontal (default)"},
    {"ID", kNoHcl, kText, kInert, {}, "", kOfAnAnswer},
    {"Namespace", kNoHcl, kText, kInert, {}, "", kOfAnAnswer},
    {"Target", kNoHcl, kTextMap, kInert, {}, "", kOfAnAnswer},
    {"CreateIndex", kNoHcl, kInteger, kInert, {}, "", kOfAnAnswer},
    {"ModifyIndex", kNoHcl, kInteger, kInert, {}, "", kOfAnAnswer},
};

inline constexpr JobField kTaskScaling[] = {
    {"Min", "min", kInteger, kDone, {}, "", "of MHz or MB; default 0"},
    {"Max", "max", kInteger, kDone, {}, "", "required"},
    {"Policy", "policy", kBody, kDone, {}, "", "for an autoscaler, which alone understands it"},
    {"Enabled", "enabled", kBoolean, kDone, {}, "", "default true; false while the job is stopped"},
    {"Type", kLabel, kText, kDone, {}, "", "in HCL, cpu for vertical_cpu and mem for vertical_mem"},
    {"ID", kNoHcl, kText, kInert, {}, "", kOfAnAnswer},
    {"Namespace", kNoHcl, kText, kInert, {}, "", kOfAnAnswer},
    {"Target", kNoHcl, kTextMap, kInert, {}, "", kOfAnAnswer},
    {"CreateIndex", kNoHcl, kInteger, kInert, {}, "", kOfAnAnswer},
    {"ModifyIndex", kNoHcl, kInteger, kInert, {}, "", kOfAnAnswer},
};

inline constexpr JobField kUiLink[] = {
    {"Label", "label", kText, kInert},
    {"URL", "url", kText, kInert},
};

inline constexpr JobField kUi[] = {
    {"Description", "description", kText, kInert},
    {"Links", "link", kObjectList, kInert, kUiLink},
};

}  // namespace drover::job_fields
