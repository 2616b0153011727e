// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/job_fields.h"

#include <algorithm>

#include "host/spec/job_fields_service.h"

namespace drover {
namespace job_fields {
namespace {

// A Nomad server fills in some blocks and returns them with the job. Clients that read a job from
// a server register it again with these blocks. So the default values of the blocks count as
// values without effect here.
constexpr char kServerField[] = "filled in by the server";

constexpr JobField kTask[] = {
    {"Name", kLabel, kText, kDone},
    {"Driver", "driver", kText, kDone},
    {"User", "user", kText, kDone},
    {"Config", "config", kBody, kDone, {}, "", "checked against the driver's schema"},
    {"Env", "env", kTextMap, kDone},
    {"Meta", "meta", kTextMap, kDone},
    {"Lifecycle", "lifecycle", kObject, kDone, kLifecycle},
    {"RestartPolicy", "restart", kObject, kDone, kRestartPolicy, "",
     "the group supplies missing fields"},
    {"Resources", "resources", kObject, kDone, kResources},
    {"LogConfig", "logs", kObject, kDone, kLogConfig},
    {"KillTimeout", "kill_timeout", kDuration, kDone, {}, "", "default 5s"},
    {"KillSignal", "kill_signal", kText, kDone, {}, "", "default: the driver's"},
    {"ShutdownDelay", "shutdown_delay", kDuration, kDone},
    {"Leader", "leader", kBoolean, kDone},
    {"Actions", "action", kObjectList, kDone, kAction},
    {"Constraints", "constraint", kObjectList, kDone, kConstraint},
    {"Affinities", "affinity", kObjectList, kInert, kAffinity, "", kOneMachine},
    {"Services", "service", kObjectList, kDone, kService},
    {"Artifacts", "artifact", kObjectList, kDone, kArtifact},
    {"Templates", "template", kObjectList, kDone, kTemplate},
    {"VolumeMounts", "volume_mount", kObjectList, kDone, kVolumeMount},
    {"DispatchPayload", "dispatch_payload", kObject, kDone, kDispatchPayload, "",
     "of parameterized jobs"},
    {"Vault", "vault", kObject, kRefused, kVault, "", kInsteadOfVault, kEvenEmpty},
    {"Consul", "consul", kObject, kRefused, kConsul, "", kInsteadOfConsul},
    {"Secrets", "secret", kObjectList, kRefused, kSecret, "", kInsteadOfVault},
    {"Identities", "identity", kObjectList, kDone, kIdentity},
    {"Identity", kNoHcl, kObject, kDone, kIdentity, "", "the identity \"default\""},
    {"Schedule", "schedule", kObject, kRefused, kSchedule},
    {"CSIPluginConfig", "csi_plugin", kObject, kRefused, kCsiPlugin, "", kInsteadOfCsi},
    {"ScalingPolicies", "scaling", kObjectList, kDone, kTaskScaling, "",
     "at most one of each type"},
    {"Kind", "kind", kText, kRefused, {}, "", kInsteadOfKind},
};

constexpr JobField kGroup[] = {
    {"Name", kLabel, kText, kDone},
    {"Count", "count", kInteger, kDone, {}, "", "default 1, or the minimum of scaling"},
    {"Tasks", "task", kObjectList, kDone, kTask},
    {"RestartPolicy", "restart", kObject, kDone, kRestartPolicy},
    {"Networks", "network", kObjectList, kDone, kNetwork, "", "at most one"},
    {"Meta", "meta", kTextMap, kDone},
    {"EphemeralDisk", "ephemeral_disk", kObject, kDone, kEphemeralDisk},
    {"ShutdownDelay", "shutdown_delay", kDuration, kDone},
    {"MaxRunDuration", "max_run_duration", kDuration, kDone, {}, "", "batch and sysbatch"},
    {"Constraints", "constraint", kObjectList, kDone, kConstraint},
    {"Affinities", "affinity", kObjectList, kInert, kAffinity, "", kOneMachine},
    {"Spreads", "spread", kObjectList, kInert, kSpread, "", kOneMachine},
    {"Update", "update", kObject, kDone, kUpdate},
    {"Migrate", "migrate", kObject, kDone, kMigrate},
    {"ReschedulePolicy", "reschedule", kObject, kDone, kReschedule},
    {"Volumes", "volume", kObjectMap, kDone, kVolume},
    {"Services", "service", kObjectList, kDone, kService},
    {"Consul", "consul", kObject, kRefused, kConsul, "", kInsteadOfConsul},
    {"Scaling", "scaling", kObject, kDone, kGroupScaling, "", "not of system jobs"},
    {"Disconnect", "disconnect", kObject, kDone, kDisconnect},
    {"StopAfterClientDisconnect",
     "stop_after_client_disconnect",
     kDuration,
     kDone,
     {},
     "",
     "as disconnect.stop_on_client_after, which wins"},
    {"MaxClientDisconnect",
     "max_client_disconnect",
     kDuration,
     kDone,
     {},
     "",
     "as disconnect.lost_after, which wins"},
    {"PreventRescheduleOnLost",
     "prevent_reschedule_on_lost",
     kBoolean,
     kDone,
     {},
     "",
     "true: as disconnect.replace = false"},
};

constexpr JobField kJob[] = {
    {"ID", "id", kText, kDone},
    {"Name", "name", kText, kDone, {}, "", "default: the ID"},
    {"Type", "type", kText, kDone, {}, "", "service (default), batch, system or sysbatch"},
    {"Region", "region", kText, kDone, {}, "", "default global; of an agent"},
    {"Namespace", "namespace", kText, kDone, {}, "", "default: default"},
    {"Priority", "priority", kInteger, kDone, {}, "", "1 to 100, default 50"},
    {"Datacenters", "datacenters", kTextList, kDone, {}, "", "default: all; of an agent"},
    {"TaskGroups", "group", kObjectList, kDone, kGroup},
    {"Meta", "meta", kTextMap, kDone},
    {"ParentID", kNoHcl, kText, kDone, {}, "", "ignored with a warning if a client sends it"},
    {"AllAtOnce", "all_at_once", kBoolean, kRefused},
    {"NodePool", "node_pool", kText, kDone, {}, "", "default: default; of an agent"},
    {"Constraints", "constraint", kObjectList, kDone, kConstraint},
    {"Affinities", "affinity", kObjectList, kInert, kAffinity, "", kOneMachine},
    {"Spreads", "spread", kObjectList, kInert, kSpread, "", kOneMachine},
    {"Update", "update", kObject, kDone, kUpdate},
    {"Migrate", "migrate", kObject, kDone, kMigrate},
    {"Reschedule", "reschedule", kObject, kDone, kReschedule},
    {"Multiregion", "multiregion", kObject, kRefused, kMultiregion},
    {"Periodic", "periodic", kObject, kDone, kPeriodic, "", "batch and sysbatch"},
    {"ParameterizedJob", "parameterized", kObject, kDone, kParameterized, "", "batch and sysbatch"},
    {"Dispatched", kNoHcl, kBoolean, kDone, {}, "", "only of children, set by a dispatch"},
    {"DispatchIdempotencyToken", kNoHcl, kText, kDone, {}, "", "as Dispatched"},
    {"Payload", kNoHcl, kAny, kDone, {}, "", "as Dispatched; a text in base64"},
    {"Stop", kNoHcl, kBoolean, kRefused},
    {"ConsulNamespace", kNoHcl, kText, kRefused, {}, "", kInsteadOfConsul},
    {"ConsulToken", "consul_token", kText, kRefused, {}, "", kInsteadOfConsul},
    {"VaultNamespace", kNoHcl, kText, kRefused, {}, "", kInsteadOfVault},
    {"VaultToken", "vault_token", kText, kRefused, {}, "", kInsteadOfVault},
    {"UI", "ui", kObject, kInert, kUi, "", "shown by web interfaces only"},
    {"NomadTokenID", kNoHcl, kAny, kInert, {}, "", kServerField},
    {"Status", kNoHcl, kAny, kInert, {}, "", kServerField},
    {"StatusDescription", kNoHcl, kAny, kInert, {}, "", kServerField},
    {"Stable", kNoHcl, kAny, kInert, {}, "", kServerField},
    {"Version", kNoHcl, kAny, kInert, {}, "", kServerField},
    {"VersionTag", kNoHcl, kAny, kInert, {}, "", kServerField},
    {"SubmitTime", kNoHcl, kAny, kInert, {}, "", kServerField},
    {"CreateIndex", kNoHcl, kAny, kInert, {}, "", kServerField},
    {"ModifyIndex", kNoHcl, kAny, kInert, {}, "", kServerField},
    {"JobModifyIndex", kNoHcl, kAny, kInert, {}, "", kServerField},
};

}  // namespace
}  // namespace job_fields

std::span<const JobField> JobFields() { return job_fields::kJob; }

bool IsServerField(std::string_view name) {
  return std::ranges::any_of(JobFields(), [name](const JobField& field) {
    return name == field.name && field.note == std::string_view(job_fields::kServerField);
  });
}

}  // namespace drover
