// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/oci_runtime.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "bench/isolated_start.h"
#include "host/process/cgroup_tracker.h"
#include "host/process/small_file.h"
#include "host/process/task_root.h"

namespace drover::bench {
namespace {

using Json = nlohmann::json;

// The calls that host/process/seccomp_filter.cc refuses to a task without capabilities.
constexpr const char* kRefused[] = {"mount",
                                    "umount2",
                                    "pivot_root",
                                    "open_tree",
                                    "move_mount",
                                    "fsopen",
                                    "fsconfig",
                                    "fsmount",
                                    "fspick",
                                    "mount_setattr",
                                    "setns",
                                    "unshare",
                                    "reboot",
                                    "kexec_load",
                                    "kexec_file_load",
                                    "init_module",
                                    "finit_module",
                                    "delete_module",
                                    "swapon",
                                    "swapoff",
                                    "sethostname",
                                    "setdomainname",
                                    "settimeofday",
                                    "clock_settime",
                                    "clock_adjtime",
                                    "adjtimex",
                                    "acct",
                                    "quotactl",
                                    "syslog",
                                    "vhangup",
                                    "iopl",
                                    "ioperm",
                                    "uselib",
                                    "modify_ldt",
                                    "open_by_handle_at",
                                    "name_to_handle_at",
                                    "fanotify_init",
                                    "add_key",
                                    "request_key",
                                    "keyctl",
                                    "io_uring_setup",
                                    "io_uring_enter",
                                    "io_uring_register",
                                    "process_vm_readv",
                                    "process_vm_writev",
                                    "kcmp",
                                    "bpf",
                                    "perf_event_open",
                                    "userfaultfd",
                                    "lookup_dcookie",
                                    "personality",
                                    "migrate_pages",
                                    "move_pages",
                                    "clone3"};

Json Mount(const std::string& target, const std::string& type, const std::string& source,
           const std::vector<std::string>& options) {
  return {{"destination", target}, {"type", type}, {"source", source}, {"options", options}};
}

Json Mounts(const std::string& bundle, const std::string& directory) {
  Json mounts = Json::array();
  std::vector<std::pair<std::string, std::string>> paths = DefaultRootPaths();
  paths.emplace_back(directory, "/bench");
  for (const auto& [from, to] : paths)
    if (access(from.c_str(), F_OK) == 0)
      mounts.push_back(Mount(to, "bind", from, {"rbind", "ro", "nosuid", "nodev"}));
  mounts.push_back(Mount("/proc", "proc", "proc", {"nosuid", "noexec", "nodev"}));
  mounts.push_back(Mount("/sys", "sysfs", "sysfs", {"nosuid", "noexec", "nodev", "ro"}));
  mounts.push_back(Mount("/dev", "tmpfs", "tmpfs", {"nosuid", "mode=755", "size=64k"}));
  mounts.push_back(
      Mount("/dev/pts", "devpts", "devpts",
            {"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"}));
  mounts.push_back(
      Mount("/dev/shm", "tmpfs", "shm", {"nosuid", "noexec", "nodev", "mode=1777", "size=64m"}));
  for (const char* own : {"alloc", "local", "tmp", "secrets"})
    mounts.push_back(Mount(std::string("/") + own, "bind", bundle + "/own/" + own,
                           {"bind", "rw", "nosuid", "nodev"}));
  mounts.push_back(
      Mount("/alloc/logs", "bind", bundle + "/own/alloc/logs", {"bind", "ro", "nosuid", "nodev"}));
  return mounts;
}

Json Configuration(const std::string& bundle, const std::string& directory,
                   const std::string& program) {
  Json namespaces = Json::array();
  for (const char* type : {"mount", "pid", "ipc", "uts"}) namespaces.push_back({{"type", type}});
  Json none = Json::array();
  return {{"ociVersion", "1.0.0"},
          {"root", {{"path", "rootfs"}, {"readonly", true}}},
          {"mounts", Mounts(bundle, directory)},
          {"process",
           {{"terminal", false},
            {"user", {{"uid", 65534}, {"gid", 65534}, {"umask", 022}}},
            {"args", {program}},
            {"env", none},
            {"cwd", "/"},
            {"noNewPrivileges", true},
            {"oomScoreAdj", 0},
            {"capabilities",
             {{"bounding", none}, {"effective", none}, {"permitted", none}, {"inheritable", none}}},
            {"rlimits",
             {{{"type", "RLIMIT_NOFILE"}, {"soft", 1024}, {"hard", 4096}},
              {{"type", "RLIMIT_CORE"}, {"soft", 0}, {"hard", 0}}}}}},
          {"linux",
           {{"namespaces", namespaces},
            {"resources",
             {{"memory", {{"limit", kMemoryBytes}, {"swap", kMemoryBytes}}},
              {"cpu", {{"shares", kCpuShares}}},
              {"pids", {{"limit", kMaxProcesses}}}}},
            {"maskedPaths", {"/proc/kcore", "/proc/keys", "/proc/timer_list", "/sys/firmware"}},
            {"readonlyPaths",
             {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"}},
            {"seccomp",
             {{"defaultAction", "SCMP_ACT_ALLOW"},
              {"architectures", {"SCMP_ARCH_X86_64"}},
              {"syscalls", {{{"names", kRefused}, {"action", "SCMP_ACT_ERRNO"}}}}}}}}};
}

// Hides the version 2 hierarchy of a hybrid machine from this thread and from the programs that it
// starts: crun does not start beside controllers of both versions.
void HideHybridCgroups() {
  const std::string mounts = ReadSmallFile(AT_FDCWD, "/proc/self/mounts").value_or("");
  const std::optional<std::string> unified = CgroupTracker::FindMount(mounts);
  if (!unified || mounts.find(" cgroup rw") == std::string::npos) return;
  DROVER_CHECK(unshare(CLONE_NEWNS) == 0);
  DROVER_CHECK(mount(nullptr, "/", nullptr, MS_PRIVATE | MS_REC, nullptr) == 0);
  DROVER_CHECK(umount2(unified->c_str(), MNT_DETACH) == 0);
}

// A runtime gives up on a cgroup in which a process is still ending.
void RemoveCgroups(const std::string& id) {
  std::istringstream mounts(ReadSmallFile(AT_FDCWD, "/proc/self/mounts").value_or(""));
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string source, path, type;
    if (!(words >> source >> path >> type) || !type.starts_with("cgroup")) continue;
    for (int i = 0; i < 1000 && rmdir((path + "/" + id).c_str()) != 0 && errno == EBUSY; ++i)
      usleep(1000);
  }
}

// Runs ARGUMENTS with /dev/null for input and output, and errors to the file ERRORS. Returns the
// exit code.
int RunProgram(std::vector<std::string> arguments, const std::string& errors) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&actions, 0, 1);
  posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (error != 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

}  // namespace

std::optional<OciRuntime> OciRuntime::Find(const std::string& name, const Scratch& scratch,
                                           const std::string& directory,
                                           const std::string& program) {
  for (const char* place : {"/usr/bin/", "/usr/sbin/", "/usr/local/bin/"}) {
    const std::string file = place + name;
    if (access(file.c_str(), X_OK) != 0) continue;
    const std::string bundle = scratch.path() + "/" + name, state = scratch.run_dir() + "/" + name;
    for (const char* path : {"", "/rootfs", "/own", "/own/alloc", "/own/alloc/logs", "/own/local",
                             "/own/tmp", "/own/secrets"})
      DROVER_CHECK(mkdir((bundle + path).c_str(), 0777) == 0);
    std::ofstream(bundle + "/config.json") << Configuration(bundle, directory, program);
    return OciRuntime(name, file, bundle, state);
  }
  return std::nullopt;
}

double OciRuntime::Start() {
  const std::string id =
      "drover-bench-" + std::to_string(getpid()) + "-" + std::to_string(count_++);
  const std::string errors = bundle_ + "/errors";
  double seconds = 0;
  std::thread([&] {
    HideHybridCgroups();
    const auto start = std::chrono::steady_clock::now();
    const int code =
        RunProgram({file_, "--root", state_, "run", "--detach", "--bundle", bundle_, id}, errors);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (code != 0) {
      std::ifstream text(errors);
      std::fprintf(stderr, "%s cannot start the bundle: %s\n", name_.c_str(),
                   std::string(std::istreambuf_iterator<char>(text), {}).c_str());
      std::abort();
    }
    DROVER_CHECK(RunProgram({file_, "--root", state_, "delete", "--force", id}, errors) == 0);
    RemoveCgroups(id);
  }).join();
  return seconds;
}

}  // namespace drover::bench
