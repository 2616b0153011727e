// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/cli/client_command.h"
#include "host/cli/command.h"

namespace drover {

// Each function adds one command to a group. The name of the file that defines a function follows
// from its name: AddJobRun is in job_run_command.cc. Such a file needs only this header to declare
// options and to return exit codes.

void AddMonitor(const CommandGroup& drover);
void AddEvents(const CommandGroup& drover);
void AddStatus(const CommandGroup& drover);
void AddUi(const CommandGroup& drover);
void AddAgentInfo(const CommandGroup& drover);

void AddJobRun(const ClientGroup& job);
void AddJobPlan(const ClientGroup& job);
void AddJobValidate(const ClientGroup& job);
void AddJobStatus(const ClientGroup& job);
void AddJobStop(const ClientGroup& job);
void AddJobStart(const ClientGroup& job);
void AddJobEval(const ClientGroup& job);
void AddJobRevert(const ClientGroup& job);
void AddJobScale(const ClientGroup& job);
void AddJobScalingEvents(const ClientGroup& job);
void AddJobInspect(const ClientGroup& job);
void AddJobHistory(const ClientGroup& job);
void AddJobAllocs(const ClientGroup& job);
void AddJobDeployments(const ClientGroup& job);
void AddJobAction(const ClientGroup& job);
void AddJobDispatch(const ClientGroup& job);
void AddJobPeriodicForce(const ClientGroup& periodic);
void AddJobTagApply(const ClientGroup& tag);
void AddJobTagUnset(const ClientGroup& tag);

void AddAllocStatus(const ClientGroup& alloc);
void AddAllocRestart(const ClientGroup& alloc);
void AddAllocStop(const ClientGroup& alloc);
void AddAllocSignal(const ClientGroup& alloc);
void AddAllocPause(const ClientGroup& alloc);
void AddAllocChecks(const ClientGroup& alloc);
void AddAllocLogs(const ClientGroup& alloc);
void AddAllocFs(const ClientGroup& alloc);
void AddAllocExec(const ClientGroup& alloc);

void AddNodeStatus(const ClientGroup& node);
void AddNodeDrain(const ClientGroup& node);
void AddNodeEligibility(const ClientGroup& node);
void AddNodeConfig(const ClientGroup& node);
void AddNodeMetaRead(const ClientGroup& meta);
void AddNodeMetaApply(const ClientGroup& meta);

void AddEvalStatus(const ClientGroup& eval);
void AddEvalList(const ClientGroup& eval);
void AddEvalDelete(const ClientGroup& eval);

void AddServiceList(const ClientGroup& service);
void AddServiceInfo(const ClientGroup& service);
void AddServiceDelete(const ClientGroup& service);

void AddSystemGc(const ClientGroup& system);
void AddSystemReconcileSummaries(const ClientGroup& reconcile);

void AddNamespaceList(const ClientGroup& group);
void AddNamespaceStatus(const ClientGroup& group);
void AddNamespaceInspect(const ClientGroup& group);

void AddVarPut(const ClientGroup& var);
void AddVarGet(const ClientGroup& var);
void AddVarList(const ClientGroup& var);
void AddVarPurge(const ClientGroup& var);

void AddScalingPolicyList(const ClientGroup& policy);
void AddScalingPolicyInfo(const ClientGroup& policy);

void AddVolumeStatus(const ClientGroup& volume);
void AddVolumeCreate(const ClientGroup& volume);
void AddVolumeRegister(const ClientGroup& volume);
void AddVolumeClaimDelete(const ClientGroup& claim);
void AddVolumeClaimList(const ClientGroup& claim);
void AddVolumeDelete(const ClientGroup& volume);

void AddAclBootstrap(const ClientGroup& acl);
void AddAclTokenCreate(const ClientGroup& token);
void AddAclTokenList(const ClientGroup& token);
void AddAclTokenInfo(const ClientGroup& token);
void AddAclTokenSelf(const ClientGroup& token);
void AddAclTokenUpdate(const ClientGroup& token);
void AddAclTokenDelete(const ClientGroup& token);
void AddAclPolicyApply(const ClientGroup& policy);
void AddAclPolicyList(const ClientGroup& policy);
void AddAclPolicyInfo(const ClientGroup& policy);
void AddAclPolicySelf(const ClientGroup& policy);
void AddAclPolicyDelete(const ClientGroup& policy);
void AddAclRoleCreate(const ClientGroup& role);
void AddAclRoleList(const ClientGroup& role);
void AddAclRoleInfo(const ClientGroup& role);
void AddAclRoleUpdate(const ClientGroup& role);
void AddAclRoleDelete(const ClientGroup& role);

void AddServerMembers(const ClientGroup& server);

void AddOperatorApi(const ClientGroup& group);
void AddOperatorMetrics(const ClientGroup& group);
void AddOperatorSchedulerGetConfig(const ClientGroup& scheduler);
void AddOperatorRootKeyringList(const ClientGroup& keyring);
void AddOperatorRootKeyringRotate(const ClientGroup& keyring);

void AddPluginStatus(const CommandGroup& plugin);
void AddPluginReload(const CommandGroup& plugin);

}  // namespace drover
