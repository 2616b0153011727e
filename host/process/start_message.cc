// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/start_message.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "host/process/isolation.h"
#include "host/process/plan_builder.h"
#include "host/process/seccomp_filter.h"

namespace drover {
namespace {

// The maximum number of mounts. This maximum keeps the descriptors and steps of a message within
// the limits of the shim.
constexpr std::size_t kMaxMounts = 100;

bool HasNul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

Error Invalid(std::string message) { return Error(Code::kInvalidArgument, std::move(message)); }

Status CheckLogs(const LogSpec& logs) {
  if (logs.disabled) return {};
  if (!logs.directory) return Invalid("the log directory is not open");
  if (logs.task.empty() || logs.task.size() >= sizeof(drover_start::log_name) ||
      logs.task.find('/') != std::string::npos || HasNul(logs.task))
    return Invalid("\"" + logs.task + "\" cannot be part of a log file's name");
  if (logs.max_files < 1 || logs.max_file_size < 1)
    return Invalid("max_files and max_file_size of the logs must be at least 1");
  return {};
}

Status CheckBound(const std::optional<BoundSpec>& bound) {
  if (bound && (bound->kill_signal < 1 || bound->kill_signal > 64))
    return Invalid("the kill signal " + std::to_string(bound->kill_signal) + " does not exist");
  if (bound && bound->kill_timeout.count() < 0)
    return Invalid("the kill timeout must not be negative");
  return {};
}

Status CheckDescriptors(const GivenDescriptors& given) {
  if (given.more.size() > DROVER_PLAN_MAX_GIVEN)
    return Invalid("a process gets at most " + std::to_string(DROVER_PLAN_MAX_GIVEN) +
                   " descriptors");
  for (const UniqueFd& fd : given.more)
    if (!fd) return Invalid("a descriptor for the process is not open");
  if (given.terminal && !given.standard[0])
    return Invalid("a process with a terminal needs it as its standard input");
  return {};
}

Status CheckPrivileges(const ProcessSpec& spec) {
  if (!spec.privileges) return {};
  const Privileges& privileges = *spec.privileges;
  if (!privileges.bounding.Contains(privileges.ambient))
    return Invalid("the ambient capabilities " + privileges.ambient.ToString() +
                   " are not all among the capabilities " + privileges.bounding.ToString());
  if (spec.namespaces && !spec.namespaces->root.pivot && privileges.bounding.Has(CAP_SYS_CHROOT))
    return Invalid("without pivot_root the capability sys_chroot would lead out of the root");
  return {};
}

Status CheckNamespaces(const ProcessSpec& spec) {
  if (!spec.namespaces) return {};
  if (!spec.privileges)
    return Invalid("a task needs a list of capabilities, or it could undo its namespaces");
  for (const MountTree& mount : spec.namespaces->root.mounts) {
    if (!mount.tree) return Invalid("the mount for " + mount.target + " is not open");
    const std::string place = PlaceOf(mount.target);
    if (!mount.target.starts_with('/') || place.empty() || HasNul(mount.target) ||
        (mount.target + "/").find("/../") != std::string::npos)
      return Invalid("\"" + mount.target + "\" cannot be the place of a mount");
    for (const char* own : {"/proc/", "/sys/"})
      if ((place + "/").starts_with(own) || place == "/dev")
        return Invalid("nothing can be mounted at " + mount.target + ": isolation makes it");
  }
  if (spec.namespaces->root.mounts.size() > kMaxMounts)
    return Invalid("there are more than " + std::to_string(kMaxMounts) + " mounts");
  return {};
}

Status CheckSpec(const ProcessSpec& spec) {
  DROVER_TRY(CheckLogs(spec.logs));
  DROVER_TRY(CheckBound(spec.bound));
  DROVER_TRY(CheckDescriptors(spec.descriptors));
  DROVER_TRY(CheckPrivileges(spec));
  DROVER_TRY(CheckNamespaces(spec));
  if (spec.argv.empty()) return Invalid("there is no command");
  if (spec.executable.empty() && spec.argv[0].empty()) return Invalid("the command is empty");
  if (HasNul(spec.executable) || HasNul(spec.cwd))
    return Invalid("the command or its directory contains a NUL byte");
  for (const std::string& argument : spec.argv)
    if (HasNul(argument)) return Invalid("an argument contains a NUL byte");
  for (const auto& [name, value] : spec.env) {
    if (name.empty() || name.find('=') != std::string::npos || HasNul(name))
      return Invalid("\"" + name + "\" cannot be the name of an environment variable");
    if (HasNul(value)) return Invalid("the environment variable " + name + " contains a NUL byte");
  }
  if (spec.argv.size() + spec.env.size() + 2 > DROVER_PLAN_MAX_STRINGS)
    return Invalid("too many arguments and environment variables");
  if (spec.oom_score_adj < -1000 || spec.oom_score_adj > 1000)
    return Invalid("oom_score_adj must be from -1000 to 1000");
  if (spec.user && (spec.user->uid == uid_t(-1) || spec.user->gid == gid_t(-1)))
    return Invalid("a user or group id of 4294967295 means \"unchanged\" and cannot be used");
  if (spec.user && spec.user->groups.size() > DROVER_PLAN_MAX_GROUPS)
    return Invalid("too many supplementary groups");
  if (spec.limits.size() > 32) return Invalid("too many resource limits");
  for (const ResourceLimit& limit : spec.limits)
    if (limit.resource < 0 || limit.resource >= RLIM_NLIMITS || limit.soft > limit.hard)
      return Invalid("resource limit " + std::to_string(limit.resource) +
                     " does not exist or its soft limit is above its hard limit");
  return {};
}

template <typename T>
std::string_view BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

void AddExec(const ProcessSpec& spec, PlanBuilder* plan) {
  drover_step_exec exec{};
  exec.argc = static_cast<std::uint32_t>(spec.argv.size());
  exec.envc = static_cast<std::uint32_t>(spec.env.size());
  if (spec.namespaces) exec.path_flags = DROVER_PATH_NO_PROC_LINKS;
  const std::string& program = spec.executable.empty() ? spec.argv[0] : spec.executable;
  std::string tail((exec.argc + exec.envc + 2) * sizeof(std::uint64_t), '\0');
  auto add = [&tail](std::string_view text) {
    tail += text;
    tail += '\0';
  };
  add(program);
  for (const std::string& argument : spec.argv) add(argument);
  for (const auto& [name, value] : spec.env) {
    tail += name;
    tail += '=';
    add(value);
  }
  plan->Add(DROVER_STEP_EXEC, exec, tail, "execute " + program);
}

void AddDescriptors(const GivenDescriptors& given, PlanBuilder* plan) {
  drover_step_descriptors step{};
  step.flags = given.terminal ? DROVER_GIVE_TERMINAL : 0;
  step.count = static_cast<std::uint32_t>(given.more.size());
  for (std::size_t i = 0; i < given.standard.size(); ++i)
    step.standard[i] = given.standard[i] ? plan->Descriptor(given.standard[i].get()) : -1;
  std::vector<std::int32_t> more;
  for (const UniqueFd& fd : given.more) more.push_back(plan->Descriptor(fd.get()));
  plan->For(DROVER_STEP_FOR_TASK);
  plan->Add(DROVER_STEP_DESCRIPTORS, step, BytesOf(more), "give the process its descriptors");
  plan->For(DROVER_STEP_FOR_TASK | DROVER_STEP_FOR_SESSION);
}

// The order of the steps matters. Steps that need privileges come before the change of the user
// and group ids. Steps whose effect that change would undo come after it.
void AddSteps(const ProcessSpec& spec, const StartEnvironment& environment, std::int32_t cgroup,
              PlanBuilder* plan) {
  if (cgroup >= 0)
    plan->AddNumber(environment.freezer ? DROVER_STEP_JOIN : DROVER_STEP_CGROUP, cgroup,
                    "enter the cgroup");
  if (spec.network) {
    plan->For(DROVER_STEP_FOR_TASK | DROVER_STEP_FOR_SESSION | DROVER_STEP_FOR_NAMESPACES);
    plan->AddNumber(DROVER_STEP_NETWORK, plan->Descriptor(spec.network.get()),
                    "enter the network namespace");
    plan->For(DROVER_STEP_FOR_TASK | DROVER_STEP_FOR_SESSION);
  }
  if (spec.namespaces) AddNamespaceSteps(*spec.namespaces, environment.clean_namespace, plan);
  plan->Add(DROVER_STEP_SETSID, "become a session of its own");
  if (spec.oom_score_adj != environment.own_oom_score_adj)
    plan->AddNumber(DROVER_STEP_OOM_SCORE_ADJ, spec.oom_score_adj,
                    "set oom_score_adj to " + std::to_string(spec.oom_score_adj));
  for (const int entered : environment.resource_cgroups)
    plan->AddNumber(DROVER_STEP_JOIN, plan->Descriptor(entered), "enter a cgroup of its resources");
  for (const auto& [entered, name] : environment.given_cgroups)
    plan->AddNumber(DROVER_STEP_JOIN, plan->Descriptor(entered), "enter the cgroup " + name);
  if (spec.namespaces) plan->Add(DROVER_STEP_ENTER, "enter the namespaces of the run");
  if (spec.descriptors.any()) AddDescriptors(spec.descriptors, plan);
  // No later step needs a descriptor. The descriptors are closed now because the next steps follow
  // paths that the task chooses.
  plan->Add(DROVER_STEP_CLOSE, kCloseStep);
  for (const ResourceLimit& limit : spec.limits) {
    drover_step_rlimit step{};
    step.resource = static_cast<std::uint32_t>(limit.resource);
    step.soft = limit.soft;
    step.hard = limit.hard;
    plan->Add(DROVER_STEP_RLIMIT, step, {}, "set resource limit " + std::to_string(limit.resource));
  }
  if (spec.umask) plan->AddNumber(DROVER_STEP_UMASK, *spec.umask, "set the umask");
  drover_step_capabilities capabilities{};
  if (spec.privileges) {
    const bool root = !spec.user || spec.user->uid == 0;
    capabilities.bounding = spec.privileges->bounding.bits();
    capabilities.ambient = root ? 0 : spec.privileges->ambient.bits();
    capabilities.permitted = root ? capabilities.bounding : capabilities.ambient;
    plan->Add(DROVER_STEP_KEYRING, "get a keyring of its own");
    plan->Add(DROVER_STEP_BOUNDING, capabilities, {}, "give up capabilities");
  }
  if (spec.user) {
    drover_step_ids ids{};
    ids.uid = spec.user->uid;
    ids.gid = spec.user->gid;
    ids.group_count = static_cast<std::uint32_t>(spec.user->groups.size());
    plan->Add(DROVER_STEP_IDS, ids, BytesOf(spec.user->groups),
              "become user " + std::to_string(ids.uid) + " and group " + std::to_string(ids.gid));
  }
  if (spec.privileges)
    plan->Add(DROVER_STEP_CAPABILITIES, capabilities, {},
              "get the capabilities " + CapabilitySet(capabilities.permitted).ToString());
  drover_step_cwd cwd{};
  if (spec.namespaces) cwd.path_flags = DROVER_PATH_NO_PROC_LINKS | DROVER_PATH_IN_ROOT;
  const std::string path = spec.cwd.empty() ? "/" : spec.cwd;
  plan->Add(DROVER_STEP_CWD, cwd, std::string_view(path.c_str(), path.size() + 1),
            "change to directory " + path +
                (spec.user ? " as user " + std::to_string(spec.user->uid) : ""));
  const bool filtered = spec.privileges && spec.privileges->filter_calls;
  if (spec.no_new_privileges || filtered)
    plan->Add(DROVER_STEP_NO_NEW_PRIVS, "give up gaining privileges");
  plan->Add(DROVER_STEP_PDEATHSIG, "be bound to its shim");
  if (filtered) {
    const std::vector<sock_filter> filter = DefaultSeccompFilter(spec.privileges->bounding);
    drover_step_filter step{};
    step.count = static_cast<std::uint32_t>(filter.size());
    plan->Add(DROVER_STEP_SECCOMP, step, BytesOf(filter), "be restricted in its system calls");
  }
  AddExec(spec, plan);
}

drover_start Header(const RunId& run, const LogSpec& logs, const std::optional<BoundSpec>& bound,
                    const StartEnvironment& environment, PlanBuilder* plan) {
  drover_start start{};
  start.header.type = DROVER_START;
  start.version = DROVER_PLAN_VERSION;
  std::memcpy(start.run_id, run.bytes.data(), sizeof start.run_id);
  std::memcpy(start.boot_id, environment.boot_id.data(), sizeof start.boot_id);
  start.run_dir_fd = plan->Descriptor(environment.run_directory);
  start.log_dir_fd = start.cgroup_fd = start.memory_events_fd = -1;
  start.stdout_fd = start.stderr_fd = start.plan_fd = -1;
  if (!logs.disabled) {
    start.flags |= DROVER_START_LOGS;
    start.log_dir_fd = plan->Descriptor(logs.directory.get());
    std::memcpy(start.log_name, logs.task.data(), logs.task.size());
    start.max_files = logs.max_files;
    start.max_file_size = logs.max_file_size;
  }
  if (bound) {
    start.flags |= DROVER_START_BOUND;
    start.kill_signal = bound->kill_signal;
    start.kill_timeout_ns = static_cast<std::uint64_t>(bound->kill_timeout.count());
  }
  return start;
}

Result<UniqueFd> MemoryFile(const std::vector<char>& bytes) {
  UniqueFd file(memfd_create("drover-plan", MFD_CLOEXEC));
  if (!file || write(file.get(), bytes.data(), bytes.size()) != ssize_t(bytes.size()))
    return ErrnoError(errno, "cannot make a memory file for the start plan");
  return file;
}

Result<StartMessage> Assemble(drover_start start, PlanBuilder plan) {
  StartMessage message;
  message.fds = std::move(plan.fds());
  std::vector<char>& steps = plan.bytes();
  if (steps.size() > DROVER_PLAN_MAX_SIZE)
    return Invalid("the arguments and the environment are too big");
  start.step_count = static_cast<std::uint32_t>(plan.names().size());
  start.steps_size = static_cast<std::uint32_t>(steps.size());
  if (sizeof start + steps.size() > DROVER_ATTACH_MAX) {
    DROVER_ASSIGN(message.large_plan, MemoryFile(steps));
    message.fds.push_back(message.large_plan.get());
    start.plan_fd = static_cast<std::int32_t>(message.fds.size() - 1);
    steps.clear();
  }
  start.header.size = static_cast<std::uint32_t>(sizeof start + steps.size());
  message.bytes.resize(start.header.size);
  std::memcpy(message.bytes.data(), &start, sizeof start);
  if (!steps.empty()) std::memcpy(message.bytes.data() + sizeof start, steps.data(), steps.size());
  message.step_names = std::move(plan.names());
  DROVER_CHECK(message.fds.size() <= DROVER_PLAN_MAX_FDS);
  return message;
}

}  // namespace

Result<StartMessage> CompileStart(const ProcessSpec& spec, const StartEnvironment& environment) {
  DROVER_TRY(CheckSpec(spec));
  PlanBuilder plan;
  drover_start start = Header(spec.run, spec.logs, spec.bound, environment, &plan);
  if (spec.memory_events) start.memory_events_fd = plan.Descriptor(spec.memory_events.get());
  if (environment.cgroup >= 0) start.cgroup_fd = plan.Descriptor(environment.cgroup);
  if (environment.freezer) start.flags |= DROVER_START_FREEZER;
  if (spec.namespaces && MountCallsExist()) start.flags |= DROVER_START_MOUNT_CALLS;
  AddSteps(spec, environment, start.cgroup_fd, &plan);
  return Assemble(start, std::move(plan));
}

Result<StartMessage> CompileOutputStart(const OutputSpec& spec,
                                        const StartEnvironment& environment) {
  if (spec.logs.disabled) return Invalid("a run without a process needs its logs");
  if (!spec.stdout_pipe || !spec.stderr_pipe) return Invalid("a pipe is not open");
  DROVER_TRY(CheckLogs(spec.logs));
  DROVER_TRY(CheckBound(spec.bound));
  PlanBuilder plan;
  drover_start start = Header(spec.run, spec.logs, spec.bound, environment, &plan);
  start.flags |= DROVER_START_NO_PROCESS;
  start.stdout_fd = plan.Descriptor(spec.stdout_pipe.get());
  start.stderr_fd = plan.Descriptor(spec.stderr_pipe.get());
  return Assemble(start, std::move(plan));
}

Error StepError(int error, const std::string& what) {
  if (error != DROVER_LEAVES_ROOT) return ErrnoError(error, what);
  return Error(Code::kInvalidArgument,
               what + ": it leads out of the task's root, or by a link of /proc that could");
}

Error StartError(const drover_start_reply& reply, const StartMessage& message) {
  if (reply.error == DROVER_NO_ROOM)
    return ErrnoError(ENOSPC, "the run directory has no room for the end of the task");
  if (reply.step < 0 || std::size_t(reply.step) >= message.step_names.size())
    return ErrnoError(reply.error, "the shim cannot prepare the task");
  const std::string& name = message.step_names[std::size_t(reply.step)];
  if (reply.kind != DROVER_STEP_VERIFY || name == kVerifyStep)
    return StepError(reply.error, "cannot " + name);
  const std::string where = std::string("cannot ") + kVerifyStep + ": after the step \"" + name;
  if (reply.error != DROVER_NOT_AS_CLAIMED)
    return ErrnoError(reply.error, where + "\" an option of a mount cannot be set");
  return Error(Code::kFailedPrecondition,
               where +
                   "\" /proc/self/mountinfo lacks its mount, or an option of it or of a mount "
                   "below it");
}

}  // namespace drover
