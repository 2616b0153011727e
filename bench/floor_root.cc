// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/floor_root.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <vector>

#include "bench/bare_clone.h"
#include "host/base/result.h"
#include "host/process/task_root.h"

namespace drover::bench {
namespace {

constexpr unsigned long kSafe = MS_NOSUID | MS_NODEV;
constexpr unsigned long kData = kSafe | MS_NOEXEC;

struct Mount {
  std::string source;
  std::string target;
  const char* type = nullptr;  // null: a bind mount
  unsigned long flags = kSafe;
  const char* data = nullptr;
  bool directory = true;
};

// The parent prepares all that the child does: the child only calls the kernel.
struct Plan {
  std::string root;
  std::vector<Mount> mounts;
  const char* program = nullptr;
};

void Must(bool done) {
  if (!done) _exit(126);
}

void MakePlace(const Mount& mount, const std::string& place) {
  if (mount.directory) {
    mkdir(place.c_str(), 0755);
  } else {
    mknod(place.c_str(), S_IFREG | 0644, 0);
  }
}

// The device nodes are made on the task's own /dev before it becomes read-only.
void MakeDevices() {
  constexpr struct {
    const char* path;
    unsigned major, minor;
  } kNodes[] = {{"dev/null", 1, 3},   {"dev/zero", 1, 5},    {"dev/full", 1, 7},
                {"dev/random", 1, 8}, {"dev/urandom", 1, 9}, {"dev/tty", 5, 0}};
  for (const auto& node : kNodes)
    Must(mknod(node.path, S_IFCHR | 0666, makedev(node.major, node.minor)) == 0);
  Must(mkdir("dev/pts", 0755) == 0 && mkdir("dev/shm", 0755) == 0);
}

void Enter(void* of) {
  const Plan& plan = *static_cast<const Plan*>(of);
  Must(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0);
  Must(mount("none", plan.root.c_str(), "tmpfs", kSafe, "size=1024k,mode=755") == 0);
  Must(chdir(plan.root.c_str()) == 0 && mkdir("empty", 0555) == 0);
  for (const Mount& one : plan.mounts) {
    MakePlace(one, one.target);
    if (one.type != nullptr) {
      Must(mount("none", one.target.c_str(), one.type, one.flags & ~MS_RDONLY, one.data) == 0);
      if (one.target == "dev") MakeDevices();
    } else {
      Must(mount(one.source.c_str(), one.target.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0);
    }
    if (one.type == nullptr || (one.flags & MS_RDONLY) != 0)
      Must(mount(nullptr, one.target.c_str(), nullptr, MS_BIND | MS_REMOUNT | one.flags, nullptr) ==
           0);
  }
  Must(syscall(SYS_pivot_root, ".", ".") == 0 && umount2(".", MNT_DETACH) == 0);
  Must(mount(nullptr, "/", nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY | kSafe, nullptr) == 0);
  char* const argv[] = {const_cast<char*>(plan.program), nullptr};
  char* const envp[] = {nullptr};
  execve(argv[0], argv, envp);
  _exit(127);
}

}  // namespace

FloorRoot::FloorRoot(const Scratch& scratch, const std::string& directory, std::string program)
    : root_(scratch.NewDirectory("floor-root")),
      own_(scratch.NewDirectory("floor-own")),
      directory_(directory),
      program_(std::move(program)) {
  for (const char* path : {"/alloc", "/alloc/logs", "/local", "/secrets", "/tmp"})
    DROVER_CHECK(mkdir((own_ + path).c_str(), 0777) == 0);
}

double FloorRoot::Start() const {
  Plan plan;
  plan.root = root_;
  plan.program = program_.c_str();
  std::vector<Mount>& mounts = plan.mounts;
  for (const auto& [from, to] : DefaultRootPaths())
    if (access(from.c_str(), F_OK) == 0)
      mounts.push_back({from, to.substr(1), nullptr, kSafe | MS_RDONLY});
  mounts.push_back({directory_, "bench", nullptr, kSafe | MS_RDONLY});
  mounts.push_back({own_ + "/alloc", "alloc"});
  mounts.push_back({own_ + "/alloc/logs", "alloc/logs", nullptr, kData | MS_RDONLY});
  mounts.push_back({own_ + "/local", "local"});
  mounts.push_back({own_ + "/tmp", "tmp"});
  mounts.push_back({own_ + "/secrets", "secrets", nullptr, kData});
  mounts.push_back({"", "proc", "proc", kData, "hidepid=2"});
  mounts.push_back({"", "sys", "sysfs", kData | MS_RDONLY});
  mounts.push_back({"", "dev", "tmpfs", MS_NOSUID | MS_NOEXEC | MS_RDONLY, "size=64k,mode=755"});
  mounts.push_back(
      {"", "dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,gid=5,mode=620,ptmxmode=666"});
  mounts.push_back({"", "dev/shm", "tmpfs", kData, "size=65536k"});
  for (const char* path : {"proc/bus", "proc/fs", "proc/irq", "proc/sys"})
    mounts.push_back({root_ + "/" + path, path, nullptr, kData | MS_RDONLY});
  for (const char* path :
       {"proc/keys", "proc/key-users", "proc/kmsg", "proc/timer_list", "proc/kpagecount",
        "proc/kpageflags", "proc/kpagecgroup", "proc/vmallocinfo", "proc/kallsyms"})
    if (access(("/" + std::string(path)).c_str(), F_OK) == 0)
      mounts.push_back({root_ + "/dev/null", path, nullptr, kData & ~MS_NODEV, nullptr, false});
  for (const char* path : {"proc/acpi", "sys/firmware"})
    if (access(("/" + std::string(path)).c_str(), F_OK) == 0)
      mounts.push_back({root_ + "/empty", path, nullptr, kData | MS_RDONLY});
  return StartInNamespaces(Enter, &plan);
}

}  // namespace drover::bench
