// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/spec/job_fields.h"

// The fields by which jobs and groups say when something starts, restarts, changes and moves.
namespace drover::job_fields {

using enum FieldKind;
using enum FieldState;

inline constexpr char kOneMachine[] = "there is one machine, so nothing to choose";
inline constexpr char kNeverApart[] = "node and scheduler are one process and never lose contact";

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
     kDone,
     {},
     "",
     "default 30s; the pause between the nodes of a system job that has no deployment"},
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

inline constexpr char kNoReschedule[] =
    "a failed allocation stays failed until the job is registered anew";
inline constexpr JobField kReschedule[] = {
    {"Attempts", "attempts", kInteger, kWarned, {}, "[1]", kNoReschedule},
    {"Interval", "interval", kDuration, kWarned, {}, R"(["24h"])", kNoReschedule},
    {"Delay", "delay", kDuration, kWarned, {}, R"(["5s", "30s"])", kNoReschedule},
    {"DelayFunction",
     "delay_function",
     kText,
     kWarned,
     {},
     R"(["constant", "exponential"])",
     kNoReschedule},
    {"MaxDelay", "max_delay", kDuration, kWarned, {}, R"(["1h"])", kNoReschedule},
    {"Unlimited", "unlimited", kBoolean, kWarned, {}, "[true]", kNoReschedule},
};

inline constexpr JobField kDisconnect[] = {
    {"LostAfter", "lost_after", kDuration, kInert},
    {"StopOnClientAfter", "stop_on_client_after", kDuration, kInert},
    {"Replace", "replace", kBoolean, kInert},
    {"Reconcile", "reconcile", kText, kInert},
};

inline constexpr JobField kPeriodic[] = {
    {"Enabled", "enabled", kBoolean, kRefused},
    {"Spec", "cron", kText, kRefused},
    {"Specs", "crons", kTextList, kRefused},
    {"SpecType", kNoHcl, kText, kRefused},
    {"ProhibitOverlap", "prohibit_overlap", kBoolean, kRefused},
    {"TimeZone", "time_zone", kText, kRefused},
};

inline constexpr JobField kParameterized[] = {
    {"Payload", "payload", kText, kRefused},
    {"MetaRequired", "meta_required", kTextList, kRefused},
    {"MetaOptional", "meta_optional", kTextList, kRefused},
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

inline constexpr JobField kGroupScaling[] = {
    {"Min", "min", kInteger, kRefused},
    {"Max", "max", kInteger, kRefused},
    {"Policy", "policy", kBody, kRefused},
    {"Enabled", "enabled", kBoolean, kRefused},
    {"Type", "type", kText, kRefused, {}, "", "in HCL, default horizontal"},
    {"ID", kNoHcl, kText, kRefused},
    {"Namespace", kNoHcl, kText, kRefused},
    {"Target", kNoHcl, kTextMap, kRefused},
    {"CreateIndex", kNoHcl, kInteger, kRefused},
    {"ModifyIndex", kNoHcl, kInteger, kRefused},
};

inline constexpr JobField kTaskScaling[] = {
    {"Min", "min", kInteger, kRefused},
    {"Max", "max", kInteger, kRefused},
    {"Policy", "policy", kBody, kRefused},
    {"Enabled", "enabled", kBoolean, kRefused},
    {"Type",
     kLabel,
     kText,
     kRefused,
     {},
     "",
     "in HCL, cpu for vertical_cpu and mem for vertical_mem"},
    {"ID", kNoHcl, kText, kRefused},
    {"Namespace", kNoHcl, kText, kRefused},
    {"Target", kNoHcl, kTextMap, kRefused},
    {"CreateIndex", kNoHcl, kInteger, kRefused},
    {"ModifyIndex", kNoHcl, kInteger, kRefused},
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
