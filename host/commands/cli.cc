// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/commands/cli.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "host/base/printable.h"
#include "host/change_commands/change_commands.h"
#include "host/cli/completion.h"
#include "host/cli/exit_code.h"
#include "host/cli/long_options.h"
#include "host/commands/commands.h"
#include "host/local_commands/local_commands.h"

namespace drover {
namespace {

void AddJobCommands(const CommandGroup& drover) {
  const ClientGroup job(drover, "job", "Runs jobs by an agent, and looks at them");
  AddJobRun(job);
  AddJobPlan(job);
  AddJobValidate(job);
  AddJobInit(job.group());
  AddJobStatus(job);
  AddJobStop(job);
  AddJobStart(job);
  AddJobEval(job);
  AddJobRevert(job);
  AddJobPromote(job);
  AddJobRestart(job);
  AddJobScale(job);
  AddJobScalingEvents(job);
  AddJobInspect(job);
  AddJobHistory(job);
  AddJobAllocs(job);
  AddJobDeployments(job);
  AddJobAction(job);
  AddJobDispatch(job);
  AddJobPeriodicForce(ClientGroup(job, "periodic", "Starts children of periodic jobs"));
  const ClientGroup tag(job, "tag", "Names versions of a job; such a version is not forgotten");
  AddJobTagApply(tag);
  AddJobTagUnset(tag);
}

void AddAllocCommands(const CommandGroup& drover) {
  const ClientGroup alloc(drover, "alloc", "Looks at allocations, and steers them");
  AddAllocStatus(alloc);
  AddAllocRestart(alloc);
  AddAllocStop(alloc);
  AddAllocSignal(alloc);
  AddAllocPause(alloc);
  AddAllocChecks(alloc);
  AddAllocLogs(alloc);
  AddAllocFs(alloc);
  AddAllocExec(alloc);
}

void AddNodeCommands(const CommandGroup& drover) {
  const ClientGroup node(drover, "node", "Looks at nodes, and steers them");
  AddNodeStatus(node);
  AddNodeDrain(node);
  AddNodeEligibility(node);
  AddNodeConfig(node);
  const ClientGroup meta(node, "meta", "Shows the metadata of a node, and changes them");
  AddNodeMetaRead(meta);
  AddNodeMetaApply(meta);
}

void AddDeploymentCommands(const CommandGroup& drover) {
  const ClientGroup deployment(
      drover, "deployment", "Looks at how jobs change from one version to the next, and steers it");
  AddDeploymentList(deployment);
  AddDeploymentStatus(deployment);
  AddDeploymentPromote(deployment);
  AddDeploymentPause(deployment);
  AddDeploymentResume(deployment);
  AddDeploymentFail(deployment);
  AddDeploymentUnblock(deployment);
}

void AddEvalCommands(const CommandGroup& drover) {
  const ClientGroup eval(drover, "eval", "Looks at the decisions of the scheduler");
  AddEvalStatus(eval);
  AddEvalList(eval);
  AddEvalDelete(eval);
}

void AddServiceCommands(const CommandGroup& drover) {
  const ClientGroup service(drover, "service", "Looks at services, and where they are");
  AddServiceList(service);
  AddServiceInfo(service);
  AddServiceDelete(service);
}

void AddSystemCommands(const CommandGroup& drover) {
  const ClientGroup system(drover, "system", "Looks after an agent");
  AddSystemGc(system);
  AddSystemReconcileSummaries(ClientGroup(system, "reconcile", "Puts records of an agent right"));
}

void AddNamespaceCommands(const CommandGroup& drover) {
  const ClientGroup group(drover, "namespace", "Looks at namespaces",
                          ClientGroup::Options::kConnection);
  AddNamespaceList(group);
  AddNamespaceStatus(group);
  AddNamespaceInspect(group);
}

void AddVarCommands(const CommandGroup& drover) {
  const ClientGroup var(drover, "var", "Keeps secrets that tasks can read");
  AddVarPut(var);
  AddVarGet(var);
  AddVarList(var);
  AddVarPurge(var);
  AddVarInit(var.group());
}

void AddVolumeCommands(const CommandGroup& drover) {
  const ClientGroup volume(drover, "volume", "Makes host volumes, and looks at them");
  AddVolumeStatus(volume);
  AddVolumeCreate(volume);
  AddVolumeRegister(volume);
  AddVolumeDelete(volume);
  AddVolumeInit(volume.group());
  const ClientGroup claim(volume, "claim", "Looks at claims on host volumes, and deletes them");
  AddVolumeClaimList(claim);
  AddVolumeClaimDelete(claim);
}

void AddScalingCommands(const CommandGroup& drover) {
  const ClientGroup scaling(drover, "scaling", "Looks at how jobs may be scaled");
  const ClientGroup policy(scaling, "policy", "Lists the scaling policies of jobs, and shows them");
  AddScalingPolicyList(policy);
  AddScalingPolicyInfo(policy);
}

void AddAclCommands(const CommandGroup& drover) {
  const ClientGroup acl(drover, "acl", "Controls who may do what: tokens, policies and roles",
                        ClientGroup::Options::kConnection);
  AddAclBootstrap(acl);
  const ClientGroup token(acl, "token", "Makes tokens, looks at them and changes them");
  AddAclTokenCreate(token);
  AddAclTokenList(token);
  AddAclTokenInfo(token);
  AddAclTokenSelf(token);
  AddAclTokenUpdate(token);
  AddAclTokenDelete(token);
  const ClientGroup policy(acl, "policy", "Writes policies, and looks at them");
  AddAclPolicyApply(policy);
  AddAclPolicyList(policy);
  AddAclPolicyInfo(policy);
  AddAclPolicySelf(policy);
  AddAclPolicyDelete(policy);
  const ClientGroup role(acl, "role", "Makes roles, looks at them and changes them");
  AddAclRoleCreate(role);
  AddAclRoleList(role);
  AddAclRoleInfo(role);
  AddAclRoleUpdate(role);
  AddAclRoleDelete(role);
}

void AddServerCommands(const CommandGroup& drover) {
  AddServerMembers(ClientGroup(drover, "server", "Looks at the servers of a cluster",
                               ClientGroup::Options::kConnection));
}

void AddOperatorCommands(const CommandGroup& drover) {
  const ClientGroup group(drover, "operator", "Has tools for those who operate agents");
  AddOperatorApi(group);
  AddOperatorMetrics(group);
  AddOperatorSchedulerGetConfig(
      ClientGroup(group, "scheduler", "Looks at the configuration of the scheduler"));
  const ClientGroup root(group, "root", "Looks after the keys of an agent");
  const ClientGroup keyring(root, "keyring",
                            "Lists the keys that sign tokens of tasks, and rotates them");
  AddOperatorRootKeyringList(keyring);
  AddOperatorRootKeyringRotate(keyring);
}

void AddConfigCommands(const CommandGroup& drover) {
  const CommandGroup config(drover, "config", "Looks at the configuration of an agent");
  AddConfigValidate(config);
  AddConfigShow(config);
}

void AddPluginCommands(const CommandGroup& drover) {
  const CommandGroup plugin(drover, "plugin", "Looks at driver plugins");
  AddPluginList(plugin);
  AddPluginStatus(plugin);
  AddPluginReload(plugin);
  AddPluginInspect(plugin);
  AddPluginValidate(plugin);
  AddPluginTest(plugin);
  AddPluginFuzz(plugin);
  AddPluginNew(plugin);
}

void AddCommands(const CommandGroup& drover) {
  AddAgent(drover);
  AddRun(drover);
  AddValidate(drover);
  AddJobCommands(drover);
  AddAllocCommands(drover);
  AddNodeCommands(drover);
  AddDeploymentCommands(drover);
  AddEvalCommands(drover);
  AddServiceCommands(drover);
  AddNamespaceCommands(drover);
  AddVarCommands(drover);
  AddVolumeCommands(drover);
  AddScalingCommands(drover);
  AddAclCommands(drover);
  AddServerCommands(drover);
  AddSystemCommands(drover);
  AddOperatorCommands(drover);
  AddStatus(drover);
  AddAgentInfo(drover);
  AddUi(drover);
  AddFmt(drover);
  AddMonitor(drover);
  AddEvents(drover);
  AddConfigCommands(drover);
  AddPluginCommands(drover);
  AddVersion(drover);
  AddCompletion(drover);
}

// Returns true if standard output has taken everything that was printed.
bool OutputHasArrived() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

// Prints the word that stands in the place of a command and is none, because the parser then only
// reports that a command is missing.
void PrintUnknownCommand(const CLI::App& app) {
  const CLI::App* group = &app;
  std::string name = app.get_name();
  while (!group->get_subcommands().empty()) {
    group = group->get_subcommands().front();
    name += " " + group->get_name();
  }
  const auto is_command = [](const CLI::App* below) { return !below->get_name().empty(); };
  if (group->get_subcommands(is_command).empty()) return;  // a command, and no group of commands
  for (const std::string& word : app.remaining(true)) {
    const bool option = word.starts_with('-');
    std::fprintf(stderr, "%s: unknown %s \"%s\"\n", name.c_str(), option ? "option" : "command",
                 Printable(word).c_str());
    if (!option) return;  // the words behind an unknown command belong to it
  }
}

}  // namespace

int RunCli(int argc, char** argv) {
  CLI::App app("Drover runs groups of tasks through driver plugins.", "drover");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.set_version_flag("-v,--version", std::string("drover ") + DROVER_VERSION);
  int code = kExitOk;
  AddCommands(CommandGroup(&app, &code));
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (!arguments.empty() && arguments[0] == kCompleteArgument) {
    return CompleteCommand(app, {arguments.begin() + 1, arguments.end()});
  }
  arguments = WithTwoDashes(std::move(arguments));
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes the arguments in reverse order
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) PrintUnknownCommand(app);
    return app.exit(e) == 0 ? kExitOk : kExitUsage;
  }
  // Output that is lost, for example on a full disk, is no success. But the exit codes of these two
  // commands are about tasks.
  const bool about_tasks = app.got_subcommand("agent") || app.got_subcommand("run");
  if (code == kExitOk && !about_tasks && !OutputHasArrived()) {
    std::fputs("drover: not everything could be written to standard output\n", stderr);
    return kExitFailed;
  }
  return code;
}

}  // namespace drover
