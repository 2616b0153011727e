// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/job_fields.h"

#include <algorithm>
#include <iterator>

namespace drover {
namespace {

using enum FieldKind;
using enum FieldState;

// A Nomad server fills in some blocks and returns them with the job. Clients that read a job from
// a server register it again with these blocks. So the default values of the blocks count as
// values without effect here.
constexpr char kOneMachine[] = "there is one machine, so nothing to choose";
constexpr char kNeverApart[] = "node and scheduler are one process and never lose contact";
constexpr char kServerField[] = "filled in by the server";

constexpr JobField kRestartPolicy[] = {
    {"Attempts", kInteger, kDone, {}, "", "default 2; 3 for batch and sysbatch jobs"},
    {"Interval", kDuration, kDone, {}, "", "default 30m; 24h for batch and sysbatch jobs"},
    {"Delay", kDuration, kDone, {}, "", "default 15s"},
    {"Mode", kText, kDone, {}, "", "fail (default) or delay"},
    {"RenderTemplates", kBoolean, kRefused},
};

constexpr char kAtOnce[] = "all allocations that a new version replaces are replaced at once";
constexpr JobField kUpdate[] = {
    {"Stagger", kDuration, kWarned, {}, R"(["30s"])", kAtOnce},
    {"MaxParallel", kInteger, kWarned, {}, "[1]", kAtOnce},
    {"HealthCheck", kText, kWarned, {}, R"(["checks"])", kAtOnce},
    {"MinHealthyTime", kDuration, kWarned, {}, R"(["10s"])", kAtOnce},
    {"HealthyDeadline", kDuration, kWarned, {}, R"(["5m"])", kAtOnce},
    {"ProgressDeadline", kDuration, kWarned, {}, R"(["10m"])", kAtOnce},
    {"Canary",
     kInteger,
     kRefused,
     {},
     "",
     "without canaries, a bad version would replace all allocations"},
    {"AutoRevert", kBoolean, kWarned, {}, "", "the health of a new version is not watched"},
    {"AutoPromote", kBoolean, kWarned, {}, "", "there are no canaries"},
};

// A drain does not wait for replacements of the allocations that leave.
constexpr char kNowhere[] = "there is no other node to go to";
constexpr JobField kMigrate[] = {
    {"MaxParallel", kInteger, kDone, {}, "", "default 1; see node drain"},
    {"HealthCheck", kText, kInert, {}, "", kNowhere},
    {"MinHealthyTime", kDuration, kInert, {}, "", kNowhere},
    {"HealthyDeadline", kDuration, kInert, {}, "", kNowhere},
};

constexpr char kNoReschedule[] =
    "a failed allocation stays failed until the job is registered anew";
constexpr JobField kReschedule[] = {
    {"Attempts", kInteger, kWarned, {}, "[1]", kNoReschedule},
    {"Interval", kDuration, kWarned, {}, R"(["24h"])", kNoReschedule},
    {"Delay", kDuration, kWarned, {}, R"(["5s", "30s"])", kNoReschedule},
    {"DelayFunction", kText, kWarned, {}, R"(["constant", "exponential"])", kNoReschedule},
    {"MaxDelay", kDuration, kWarned, {}, R"(["1h"])", kNoReschedule},
    {"Unlimited", kBoolean, kWarned, {}, "[true]", kNoReschedule},
};

constexpr JobField kConsul[] = {
    {"Namespace", kText, kRefused},
    {"Cluster", kText, kRefused, {}, R"(["default"])"},
    {"Partition", kText, kRefused},
};

constexpr JobField kReservedPort[] = {
    {"Label", kText, kDone},
    {"Value", kInteger, kDone, {}, "", "1 to 65535"},
    {"To", kInteger, kDone},
    {"HostNetwork", kText, kRefused, {}, R"(["default"])"},
    {"IgnoreCollision", kBoolean, kRefused},
};

constexpr JobField kNetwork[] = {
    {"Mode", kText, kDone, {}, "", "host (default) or none"},
    {"ReservedPorts", kObjectList, kDone, kReservedPort},
    {"DynamicPorts", kObjectList, kDone, kReservedPort},
    {"Device", kText, kRefused},
    {"CIDR", kText, kRefused},
    {"IP", kText, kRefused},
    {"DNS", kAny, kRefused},
    {"Hostname", kText, kRefused},
    {"MBits", kInteger, kInert, {}, "", "bandwidth is not reserved"},
    {"CNI", kAny, kRefused},
};

constexpr JobField kEphemeralDisk[] = {
    {"SizeMB", kInteger, kDone, {}, "", "default 300; counts at placement by an agent"},
    {"Sticky", kBoolean, kRefused},
    {"Migrate", kBoolean, kRefused},
};

constexpr JobField kLifecycle[] = {
    {"Hook", kText, kDone, {}, "", "prestart, poststart or poststop"},
    {"Sidecar", kBoolean, kDone},
};

constexpr JobField kResources[] = {
    {"CPU", kInteger, kDone, {}, "", "MHz, default 100"},
    {"Cores", kInteger, kDone, {}, "", "instead of CPU"},
    {"MemoryMB", kInteger, kDone, {}, "", "default 300"},
    {"MemoryMaxMB", kInteger, kDone},
    {"DiskMB", kInteger, kInert, {}, "", "use EphemeralDisk of the group"},
    {"IOPS", kInteger, kInert},
    {"Networks", kObjectList, kDone, kNetwork, "", "at most one; an older place, with a warning"},
    {"Devices", kAny, kRefused},
    {"NUMA",
     kAny,
     kRefused,
     {},
     R"([{"Affinity": "none"}, {"Affinity": "none", "Devices": null}])"},
    {"SecretsMB", kInteger, kRefused},
};

constexpr JobField kLogConfig[] = {
    {"MaxFiles", kInteger, kDone, {}, "", "default 10"},
    {"MaxFileSizeMB", kInteger, kDone, {}, "", "default 10"},
    {"Disabled", kBoolean, kDone},
    {"Enabled", kBoolean, kDone, {}, "", "older form of Disabled"},
};

constexpr char kNoIdentity[] = "no identity is issued to tasks";
constexpr JobField kIdentity[] = {
    {"Name", kText, kRefused, {}, R"(["default"])"},
    {"Audience", kAny, kRefused, {}, R"([["nomadproject.io"]])"},
    {"ChangeMode", kText, kWarned, {}, R"(["noop"])", kNoIdentity},
    {"ChangeSignal", kText, kWarned, {}, "", kNoIdentity},
    {"Env", kBoolean, kWarned, {}, "", kNoIdentity},
    {"File", kBoolean, kWarned, {}, "", kNoIdentity},
    {"Filepath", kText, kWarned, {}, "", kNoIdentity},
    {"ServiceName", kText, kRefused},
    {"TTL", kDuration, kWarned, {}, "", kNoIdentity},
    {"ExtraClaims", kAny, kWarned, {}, "", kNoIdentity},
};

constexpr char kNoServices[] = "services are not registered, and their checks do not run";
constexpr JobField kService[] = {
    {"Name", kText, kInert},
    {"Tags", kTextList, kInert},
    {"CanaryTags", kTextList, kInert},
    {"EnableTagOverride", kBoolean, kInert},
    {"PortLabel", kText, kInert},
    {"AddressMode", kText, kInert, {}, R"(["auto"])"},
    {"Address", kText, kInert},
    {"Checks", kAny, kInert},
    {"CheckRestart", kAny, kInert},
    {"Connect", kAny, kRefused, {}, "", "the task would not reach its upstream services"},
    {"Meta", kTextMap, kInert},
    {"CanaryMeta", kTextMap, kInert},
    {"TaggedAddresses", kTextMap, kInert},
    {"TaskName", kText, kInert},
    {"OnUpdate", kText, kInert, {}, R"(["require_healthy"])"},
    {"Identity", kAny, kInert},
    {"Provider", kText, kInert, {}, R"(["consul"])", "consul (default) or nomad"},
    {"Cluster", kText, kInert, {}, R"(["default"])"},
    {"Weights", kAny, kInert},
    {"Kind", kText, kInert},
    {"Id", kAny, kInert},
    {"ID", kAny, kInert},
};

constexpr JobField kAction[] = {
    {"Name", kText, kDone, {}, "", "letters, digits and \"-\""},
    {"Command", kText, kDone},
    {"Args", kTextList, kDone},
};

constexpr JobField kConstraint[] = {
    {"LTarget", kText, kDone, {}, "", "a text, or ${node...}, ${attr...} or ${meta...}"},
    {"RTarget", kText, kDone, {}, "", "as LTarget"},
    {"Operand",
     kText,
     kDone,
     {},
     "",
     "= (default), !=, <, <=, >, >=, regexp, set_contains, set_contains_any, is_set, is_not_set, "
     "version or semver; for jobs and groups also distinct_hosts and distinct_property"},
};

constexpr JobField kTask[] = {
    {"Name", kText, kDone},
    {"Driver", kText, kDone},
    {"User", kText, kDone},
    {"Config", kAny, kDone, {}, "", "checked against the driver's schema"},
    {"Env", kTextMap, kDone},
    {"Meta", kTextMap, kDone},
    {"Lifecycle", kObject, kDone, kLifecycle},
    {"RestartPolicy", kObject, kDone, kRestartPolicy, "", "the group supplies missing fields"},
    {"Resources", kObject, kDone, kResources},
    {"LogConfig", kObject, kDone, kLogConfig},
    {"KillTimeout", kDuration, kDone, {}, "", "default 5s"},
    {"KillSignal", kText, kDone, {}, "", "default: the driver's"},
    {"ShutdownDelay", kDuration, kDone},
    {"Leader", kBoolean, kDone},
    {"Actions", kObjectList, kDone, kAction},
    {"Constraints", kObjectList, kDone, kConstraint},
    {"Affinities", kAny, kInert, {}, "", kOneMachine},
    {"Services", kObjectList, kWarned, kService, "", kNoServices},
    {"Artifacts", kAny, kRefused},
    {"Templates", kAny, kRefused},
    {"VolumeMounts", kAny, kRefused},
    {"DispatchPayload", kAny, kRefused},
    {"Vault", kAny, kRefused},
    {"Consul", kObject, kRefused, kConsul},
    {"Secrets", kAny, kRefused},
    {"Identity", kObject, kWarned, kIdentity},
    {"Identities", kAny, kRefused},
    {"Schedule", kAny, kRefused},
    {"CSIPluginConfig", kAny, kRefused},
    {"ScalingPolicies", kAny, kRefused},
    {"Kind", kText, kRefused},
};

constexpr JobField kGroup[] = {
    {"Name", kText, kDone},
    {"Count", kInteger, kDone, {}, "", "default 1"},
    {"Tasks", kObjectList, kDone, kTask},
    {"RestartPolicy", kObject, kDone, kRestartPolicy},
    {"Networks", kObjectList, kDone, kNetwork, "", "at most one"},
    {"Meta", kTextMap, kDone},
    {"EphemeralDisk", kObject, kDone, kEphemeralDisk},
    {"ShutdownDelay", kDuration, kDone},
    {"MaxRunDuration", kDuration, kDone, {}, "", "batch and sysbatch"},
    {"Constraints", kObjectList, kDone, kConstraint},
    {"Affinities", kAny, kInert, {}, "", kOneMachine},
    {"Spreads", kAny, kInert, {}, "", kOneMachine},
    {"Update", kObject, kWarned, kUpdate},
    {"Migrate", kObject, kDone, kMigrate},
    {"ReschedulePolicy", kObject, kWarned, kReschedule},
    {"Volumes", kAny, kRefused},
    {"Services", kObjectList, kWarned, kService, "", kNoServices},
    {"Consul", kObject, kRefused, kConsul},
    {"Scaling", kAny, kRefused},
    {"Disconnect", kAny, kInert, {}, "", kNeverApart},
    {"StopAfterClientDisconnect", kDuration, kInert, {}, "", kNeverApart},
    {"MaxClientDisconnect", kDuration, kInert, {}, "", kNeverApart},
    {"PreventRescheduleOnLost", kBoolean, kInert, {}, "", kOneMachine},
};

constexpr JobField kJob[] = {
    {"ID", kText, kDone},
    {"Name", kText, kDone, {}, "", "default: the ID"},
    {"Type", kText, kDone, {}, "", "service (default), batch, system or sysbatch"},
    {"Region", kText, kDone, {}, "", "default global; of an agent"},
    {"Namespace", kText, kDone, {}, "", "default: default"},
    {"Priority", kInteger, kDone, {}, "", "1 to 100, default 50"},
    {"Datacenters", kTextList, kDone, {}, "", "default: all; of an agent"},
    {"TaskGroups", kObjectList, kDone, kGroup},
    {"Meta", kTextMap, kDone},
    {"ParentID", kText, kDone},
    {"AllAtOnce", kBoolean, kRefused},
    {"NodePool", kText, kDone, {}, "", "default: default; of an agent"},
    {"Constraints", kObjectList, kDone, kConstraint},
    {"Affinities", kAny, kInert, {}, "", kOneMachine},
    {"Spreads", kAny, kInert, {}, "", kOneMachine},
    {"Update", kObject, kWarned, kUpdate},
    {"Migrate", kObject, kDone, kMigrate},
    {"Reschedule", kObject, kWarned, kReschedule},
    {"Multiregion", kAny, kRefused},
    {"Periodic", kAny, kRefused},
    {"ParameterizedJob", kAny, kRefused},
    {"Dispatched", kBoolean, kRefused},
    {"DispatchIdempotencyToken", kText, kRefused},
    {"Payload", kAny, kRefused},
    {"Stop", kBoolean, kRefused},
    {"ConsulNamespace", kText, kRefused},
    {"ConsulToken", kText, kRefused},
    {"VaultNamespace", kText, kRefused},
    {"VaultToken", kText, kRefused},
    {"UI", kAny, kInert, {}, "", "shown by web interfaces only"},
    {"NomadTokenID", kAny, kInert, {}, "", kServerField},
    {"Status", kAny, kInert, {}, "", kServerField},
    {"StatusDescription", kAny, kInert, {}, "", kServerField},
    {"Stable", kAny, kInert, {}, "", kServerField},
    {"Version", kAny, kInert, {}, "", kServerField},
    {"VersionTag", kAny, kInert, {}, "", kServerField},
    {"SubmitTime", kAny, kInert, {}, "", kServerField},
    {"CreateIndex", kAny, kInert, {}, "", kServerField},
    {"ModifyIndex", kAny, kInert, {}, "", kServerField},
    {"JobModifyIndex", kAny, kInert, {}, "", kServerField},
};

}  // namespace

std::span<const JobField> JobFields() { return kJob; }

bool IsServerField(std::string_view name) {
  return std::any_of(std::begin(kJob), std::end(kJob), [name](const JobField& field) {
    return name == field.name && field.note == std::string_view(kServerField);
  });
}

}  // namespace drover
