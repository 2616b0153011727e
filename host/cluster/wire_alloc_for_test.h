// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace drover {

inline constexpr char kTestAllocId[] = "0b3ad1c2-1111-4222-8333-444455556666";
inline constexpr char kTestNodeId[] = "7f000001-1111-4222-8333-444455556666";

// Returns a job with the groups "web" and "other", as a server sends it: with all fields that Go
// writes, also those that are not set, and with floating numbers in the configuration.
inline nlohmann::json WireJobForTest() {
  nlohmann::json job = nlohmann::json::parse(R"({
    "ID": "app", "Name": "app", "Region": "global", "Namespace": "default", "Type": "service",
    "Priority": 32000, "AllAtOnce": false, "Datacenters": ["*"], "NodePool": "default",
    "Constraints": [{"LTarget": "${attr.x}", "RTarget": "1", "Operand": "a_new_operand"}],
    "Affinities": null, "Spreads": null, "Multiregion": null, "Periodic": null,
    "ParameterizedJob": null, "Dispatched": false, "DispatchIdempotencyToken": "",
    "Payload": null, "Meta": null, "ParentID": "", "Stop": false, "ConsulToken": "",
    "ConsulNamespace": "", "VaultToken": "", "VaultNamespace": "", "NomadTokenID": "",
    "Status": "pending", "StatusDescription": "", "Stable": false, "Version": 0,
    "SubmitTime": 1767323045000000006, "CreateIndex": 12, "ModifyIndex": 12, "JobModifyIndex": 12,
    "VersionTag": null, "UI": null, "AFieldOfTheFuture": 0,
    "Update": {"Stagger": 30000000000, "MaxParallel": 1, "HealthCheck": "", "MinHealthyTime": 0,
               "HealthyDeadline": 0, "ProgressDeadline": 0, "AutoRevert": false,
               "AutoPromote": false, "Canary": 0},
    "TaskGroups": [
      {"Name": "other", "Count": 1, "Tasks": [{"Name": "t", "Driver": "x", "Vault": {}}]},
      {"Name": "web", "Count": 2, "Constraints": null, "Affinities": null, "Spreads": null,
       "Scaling": null, "Consul": {"Namespace": "", "Cluster": "default", "Partition": ""},
       "Update": {"Stagger": 30000000000, "MaxParallel": 1, "HealthCheck": "task_states",
                  "MinHealthyTime": 10000000000, "HealthyDeadline": 300000000000,
                  "ProgressDeadline": 600000000000, "AutoRevert": false, "AutoPromote": false,
                  "Canary": 0},
       "Migrate": {"MaxParallel": 1, "HealthCheck": "checks", "MinHealthyTime": 10000000000,
                   "HealthyDeadline": 300000000000},
       "Disconnect": null, "MaxRunDuration": null,
       "RestartPolicy": {"Attempts": 2, "Interval": 1800000000000, "Delay": 15000000000,
                         "Mode": "fail", "RenderTemplates": false},
       "ReschedulePolicy": {"Attempts": 0, "Interval": 0, "Delay": 30000000000,
                            "DelayFunction": "exponential", "MaxDelay": 3600000000000,
                            "Unlimited": true},
       "EphemeralDisk": {"Sticky": false, "SizeMB": 300, "Migrate": false},
       "Meta": null, "Networks": null, "Volumes": null, "ShutdownDelay": null,
       "Services": [{"Name": "web", "TaskName": "", "PortLabel": "", "AddressMode": "auto",
                     "Address": "", "EnableTagOverride": false, "Tags": ["a"], "CanaryTags": null,
                     "Checks": null, "Connect": null, "Meta": null, "CanaryMeta": null,
                     "TaggedAddresses": null, "Namespace": "default", "OnUpdate":
                     "require_healthy", "Provider": "nomad", "Cluster": "", "Identity": null}],
       "Tasks": [
         {"Name": "server", "Driver": "raw_exec", "User": "", "Env": {"A": "b"}, "Vault": null,
          "Consul": null, "Templates": null, "Constraints": null, "Affinities": null,
          "RestartPolicy": {"Attempts": 2, "Interval": 1800000000000, "Delay": 15000000000,
                            "Mode": "fail", "RenderTemplates": false},
          "DispatchPayload": null, "Lifecycle": null, "Meta": null, "KillTimeout": 5000000000,
          "LogConfig": {"MaxFiles": 10, "MaxFileSizeMB": 10, "Disabled": false},
          "Artifacts": null, "Leader": false, "ShutdownDelay": 0, "VolumeMounts": null,
          "ScalingPolicies": null, "KillSignal": "", "Kind": "", "CSIPluginConfig": null,
          "Identity": {"Name": "default", "Audience": ["nomadproject.io"], "ChangeMode": "",
                       "ChangeSignal": "", "Env": false, "File": false, "Filepath": "",
                       "ServiceName": "", "TTL": 0},
          "Identities": null, "Actions": null, "Secrets": null, "Schedule": null,
          "Services": null,
          "Resources": {"CPU": 100, "Cores": 0, "MemoryMB": 64, "MemoryMaxMB": 0, "DiskMB": 0,
                        "IOPS": 0, "Networks": null, "Devices": null, "NUMA": null,
                        "SecretsMB": 0}}]}]})");
  job["TaskGroups"][1]["Tasks"][0]["Config"] = {
      {"command", "/bin/sleep"}, {"number", 3.0}, {"part", 2.5}, {"args", {"60"}}};
  return job;
}

// Returns an allocation of the group "web" of that job.
inline nlohmann::json WireAllocForTest() {
  nlohmann::json alloc = nlohmann::json::parse(R"({
    "Namespace": "default", "Name": "app.web[1]",
    "EvalID": "9b3ad1c2-1111-4222-8333-444455556666", "NodeName": "n1", "JobID": "app",
    "TaskGroup": "web", "DesiredStatus": "run", "ClientStatus": "pending",
    "AllocatedResources": {
      "Tasks": {"server": {"Cpu": {"CpuShares": 100, "ReservedCores": [3, 1, 3]},
                           "Memory": {"MemoryMB": 64, "MemoryMaxMB": 0}, "Networks": null,
                           "Devices": [{"Vendor": "acme", "Type": "gpu", "Name": "x1",
                                        "DeviceIDs": ["d0", "d1"]}]}},
      "TaskLifecycles": {"server": null},
      "Shared": {"DiskMB": 300, "Networks": null,
                 "Ports": [{"Label": "http", "Value": 30173, "To": 8080, "HostIP": "10.0.0.5"}]}},
    "SignedIdentities": {"server": "a.b.c"}, "DeploymentID": "dep",
    "DeploymentStatus": {"Canary": true}, "DesiredTransition": {"NoShutdownDelay": null},
    "CreateIndex": 13, "ModifyIndex": 14, "AllocModifyIndex": 13,
    "CreateTime": 1767323045000000006, "ModifyTime": 1767323045000000007})");
  alloc["ID"] = kTestAllocId;
  alloc["NodeID"] = kTestNodeId;
  alloc["Job"] = WireJobForTest();
  return alloc;
}

}  // namespace drover
