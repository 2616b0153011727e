// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/isolation.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "host/process/plan_builder.h"

namespace drover {
namespace {

constexpr std::uint32_t kQuiet = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;

std::string Texts(std::initializer_list<std::string_view> texts) {
  std::string joined;
  for (const std::string_view text : texts) {
    joined += text;
    joined += '\0';
  }
  return joined;
}

bool IsAtOrBelow(const std::string& place, const std::string& above) {
  return (place + "/").starts_with(above + "/");
}

// Returns the mounts without those that a later mount covers completely, because the task could
// not see them.
std::vector<const MountTree*> VisibleMounts(const std::vector<MountTree>& mounts) {
  std::vector<const MountTree*> visible;
  for (const MountTree& mount : mounts) {
    const std::string place = PlaceOf(mount.target);
    std::erase_if(visible, [&place](const MountTree* earlier) {
      return IsAtOrBelow(PlaceOf(earlier->target), place);
    });
    visible.push_back(&mount);
  }
  return visible;
}

class RootBuilder {
 public:
  explicit RootBuilder(PlanBuilder* plan) : plan_(plan) {}

  void Filesystem(std::string_view type, std::string_view target, std::uint32_t attributes,
                  std::initializer_list<std::string_view> options) {
    drover_step_filesystem step{};
    step.attributes = attributes;
    step.option_count = static_cast<std::uint32_t>(options.size());
    plan_->Add(DROVER_STEP_FILESYSTEM, step, Texts({type, target}) + Texts(options),
               "mount " + std::string(type) + " at /" + std::string(target));
  }
  void Tree(const MountTree& mount) {
    drover_step_mount step{};
    step.tree_fd = plan_->Descriptor(mount.tree.get());
    if (mount.is_file) step.flags |= DROVER_MOUNT_FILE;
    if (mount.is_place) step.flags |= DROVER_MOUNT_PLACE;
    if (mount.is_recursive) step.flags |= DROVER_MOUNT_RECURSIVE;
    if (mount.follows) step.flags |= DROVER_MOUNT_FOLLOWS;
    step.attributes = mount.attributes;
    plan_->Add(DROVER_STEP_MOUNT, step, Texts({PlaceOf(mount.target), ""}),
               "mount " + mount.target);
  }
  void Copy(std::string_view source, std::string_view target, std::uint32_t flags,
            std::uint32_t attributes) {
    drover_step_mount step{};
    step.tree_fd = -1;
    step.flags = flags | DROVER_MOUNT_MAY_MISS | DROVER_MOUNT_RECURSIVE;
    step.attributes = attributes;
    plan_->Add(DROVER_STEP_MOUNT, step, Texts({target, source}), "protect /" + std::string(target));
  }
  void Node(std::string_view path, mode_t mode, dev_t device, std::string_view target = {}) {
    drover_step_node step{};
    step.mode = mode;
    step.device = static_cast<std::uint32_t>(device);
    plan_->Add(DROVER_STEP_NODE, step, Texts({path, target}), "make /" + std::string(path));
  }
  void Attributes(std::string_view path, std::uint32_t set) {
    drover_step_mount_attributes step{};
    step.set = set;
    plan_->Add(DROVER_STEP_MOUNT_ATTRIBUTES, step, Texts({path}),
               "make /" + std::string(path) + " read-only");
  }

 private:
  PlanBuilder* plan_;
};

// Adds the steps that make /dev. MOUNTS are the task's mounts, which may replace /dev/pts and
// /dev/shm.
void AddDevices(const std::vector<const MountTree*>& mounts, RootBuilder* root) {
  root->Filesystem("tmpfs", "dev", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, {"mode=755", "size=64k"});
  constexpr mode_t kDevice = S_IFCHR | 0666;
  root->Node("dev/null", kDevice, makedev(1, 3));
  root->Node("dev/zero", kDevice, makedev(1, 5));
  root->Node("dev/full", kDevice, makedev(1, 7));
  root->Node("dev/random", kDevice, makedev(1, 8));
  root->Node("dev/urandom", kDevice, makedev(1, 9));
  root->Node("dev/tty", kDevice, makedev(5, 0));
  root->Node("dev/fd", S_IFLNK, 0, "/proc/self/fd");
  root->Node("dev/stdin", S_IFLNK, 0, "/proc/self/fd/0");
  root->Node("dev/stdout", S_IFLNK, 0, "/proc/self/fd/1");
  root->Node("dev/stderr", S_IFLNK, 0, "/proc/self/fd/2");
  root->Node("dev/ptmx", S_IFLNK, 0, "pts/ptmx");
  const auto is_given = [&mounts](const std::string& place) {
    return std::any_of(mounts.begin(), mounts.end(), [&place](const MountTree* mount) {
      return PlaceOf(mount->target) == place;
    });
  };
  if (!is_given("/dev/pts"))
    root->Filesystem("devpts", "dev/pts", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC,
                     {"newinstance", "ptmxmode=0666", "mode=0620", "gid=5"});
  if (!is_given("/dev/shm"))
    root->Filesystem("tmpfs", "dev/shm", kQuiet, {"mode=1777", "size=64m"});
}

// Hides the files of /proc and /sys that describe or change the whole machine, or makes them
// read-only.
void ProtectKernelFiles(RootBuilder* root) {
  for (const char* path : {"proc/bus", "proc/fs", "proc/irq", "proc/sys", "proc/sysrq-trigger"})
    root->Copy(path, path, std::string_view(path).ends_with("trigger") ? DROVER_MOUNT_FILE : 0,
               kQuiet | MOUNT_ATTR_RDONLY);
  for (const char* path :
       {"proc/kcore", "proc/keys", "proc/key-users", "proc/kmsg", "proc/latency_stats",
        "proc/timer_list", "proc/timer_stats", "proc/sched_debug", "proc/kpagecount",
        "proc/kpageflags", "proc/kpagecgroup", "proc/vmallocinfo", "proc/kallsyms"})
    root->Copy("dev/null", path, DROVER_MOUNT_FILE, MOUNT_ATTR_RDONLY);
  for (const char* path :
       {"proc/acpi", "proc/scsi", "proc/asound", "sys/firmware", "sys/devices/virtual/powercap"})
    root->Copy("empty", path, 0, kQuiet | MOUNT_ATTR_RDONLY);
}

}  // namespace

std::string PlaceOf(const std::string& target) {
  std::string place = std::filesystem::path(target).lexically_normal();
  while (place.ends_with('/')) place.pop_back();
  return place;
}

void AddNamespaceSteps(const NamespaceSpec& namespaces, int clean_namespace, PlanBuilder* plan) {
  plan->For(DROVER_STEP_FOR_NAMESPACES);
  std::int64_t flags = CLONE_NEWNS | CLONE_NEWUTS;
  if (namespaces.pids) flags |= CLONE_NEWPID;
  if (namespaces.ipc) flags |= CLONE_NEWIPC;
  plan->AddNumber(DROVER_STEP_NAMESPACES, flags, "make namespaces");
  if (!namespaces.hostname.empty())
    plan->Add(DROVER_STEP_HOSTNAME, drover_step{}, Texts({namespaces.hostname}),
              "set the hostname " + namespaces.hostname);
  if (clean_namespace >= 0)
    plan->AddNumber(DROVER_STEP_CLEAN_MOUNTS, plan->Descriptor(clean_namespace), kCleanMountsStep);
  plan->Add(DROVER_STEP_PRIVATE_MOUNTS, "keep mounts from the host");
  RootBuilder root(plan);
  root.Filesystem("tmpfs", "", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, {"mode=755", "size=1m"});
  root.Node("empty", S_IFDIR | 0555, 0);
  const std::vector<const MountTree*> mounts = VisibleMounts(namespaces.root.mounts);
  const auto is_device = [](const MountTree* mount) {
    return IsAtOrBelow(PlaceOf(mount->target), "/dev");
  };
  for (const MountTree* mount : mounts)
    if (!is_device(mount)) root.Tree(*mount);
  root.Filesystem("proc", "proc", kQuiet, {"hidepid=invisible"});
  // The new sysfs shows only the task's network namespace. It has none of the mounts below the
  // host's /sys, such as cgroups and tracefs.
  root.Filesystem("sysfs", "sys", kQuiet | MOUNT_ATTR_RDONLY, {});
  AddDevices(mounts, &root);
  for (const MountTree* mount : mounts)
    if (is_device(mount)) root.Tree(*mount);
  root.Attributes("dev", MOUNT_ATTR_RDONLY);
  ProtectKernelFiles(&root);
  root.Attributes("", MOUNT_ATTR_RDONLY);
  plan->AddNumber(DROVER_STEP_PIVOT, namespaces.root.pivot ? 1 : 0, "change the root");
  plan->Add(DROVER_STEP_VERIFY, kVerifyStep);
  plan->For(DROVER_STEP_FOR_TASK | DROVER_STEP_FOR_SESSION);
}

}  // namespace drover
