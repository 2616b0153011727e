// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "isolation_trial.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <string>
#include <system_error>

#include "trial_child.h"

namespace exec_driver {
namespace {

enum Step : unsigned {
  kDone,
  kFork,
  kNamespaces,
  kPrivate,
  kRoot,
  kBind,
  kReadOnly,
  kProc,
  kSys,
  kTerminals,
  kDevice,
  kChangeRoot,
  kBounding,
  kGroups,
  kUser,
  kFilter,
};

struct Refusal {
  Step step = kDone;
  int error = 0;
};

constexpr char kEverything[] =
    "give the agent all capabilities of root and leave its system calls unfiltered (in a "
    "container: --privileged)";
constexpr char kKernel[] = "use Linux 5.14 or newer, with its namespaces and seccomp filters";

constexpr const char* kWhat[] = {
    "",
    "try it in a process of its own",
    "make namespaces",
    "keep mounts from the host",
    "mount a tmpfs as the root",
    "bind a directory of the host",
    "make a mount read-only",
    "mount a /proc",
    "mount a /sys",
    "mount a /dev/pts",
    "make a device node that works",
    "change the root",
    "give up capabilities",
    "change groups",
    "become another user",
    "filter system calls",
};
static_assert(std::size(kWhat) == kFilter + 1, "a text for each step");

std::string Remedy(const Refusal& refusal, bool pivot) {
  if (refusal.step == kFork) return "give the agent more processes and descriptors";
  if (refusal.step == kNamespaces && (refusal.error == ENOSPC || refusal.error == EUSERS))
    return "raise the limits of namespaces in /proc/sys/user";
  if (refusal.step == kChangeRoot && pivot)
    return "set no_pivot_root, or start the agent where the root is no initramfs";
  const bool denied = refusal.error == EPERM || refusal.error == EACCES || refusal.error == ENOSYS;
  return denied ? kEverything : kKernel;
}

// The following functions run in the child process and make only system calls.

// The trial mounts its new root on this directory, which exists on every machine.
#define DROVER_TRIAL_ROOT "/dev"

bool MakeMount(const char* type, const char* path, const char* options) {
  return ::mkdir(path, 0755) == 0 && ::mount(type, path, type, MS_NOSUID | MS_NOEXEC, options) == 0;
}

bool MakeDevice() {
  constexpr char kPath[] = DROVER_TRIAL_ROOT "/null";
  if (::mknod(kPath, S_IFCHR | 0666, makedev(1, 3)) != 0) return false;
  const int device = ::open(kPath, O_RDWR | O_CLOEXEC);
  return device >= 0 && ::close(device) == 0;
}

bool ChangeRoot(bool pivot) {
  if (::chdir(DROVER_TRIAL_ROOT) != 0) return false;
  if (!pivot) return ::chroot(".") == 0;
  return ::syscall(SYS_pivot_root, ".", ".") == 0 && ::umount2(".", MNT_DETACH) == 0;
}

// Returns the first step that the kernel refuses, and leaves the reason in errno. Returns kDone if
// the kernel refuses no step.
Step TrySteps(bool pivot) {
  constexpr uid_t kNobody = 65534;
  constexpr char kBound[] = DROVER_TRIAL_ROOT "/etc";
  if (::mount(nullptr, "/", nullptr, MS_PRIVATE | MS_REC, nullptr) != 0) return kPrivate;
  if (::mount("tmpfs", DROVER_TRIAL_ROOT, "tmpfs", MS_NOSUID, "mode=755,size=64k") != 0)
    return kRoot;
  if (::mkdir(kBound, 0755) != 0 ||
      ::mount("/etc", kBound, nullptr, MS_BIND | MS_REC, nullptr) != 0)
    return kBind;
  if (::mount(nullptr, kBound, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV,
              nullptr) != 0)
    return kReadOnly;
  if (!MakeMount("proc", DROVER_TRIAL_ROOT "/proc", "hidepid=invisible")) return kProc;
  if (!MakeMount("sysfs", DROVER_TRIAL_ROOT "/sys", nullptr)) return kSys;
  if (!MakeMount("devpts", DROVER_TRIAL_ROOT "/pts", "newinstance,ptmxmode=0666"))
    return kTerminals;
  if (!MakeDevice()) return kDevice;
  if (!ChangeRoot(pivot)) return kChangeRoot;
  // Use system calls, since setgroups and similar functions of the C library would send a signal to
  // the other threads of the agent.
  if (::prctl(PR_CAPBSET_DROP, CAP_SYS_BOOT, 0, 0, 0) != 0) return kBounding;
  if (::syscall(SYS_setgroups, 0, nullptr) != 0) return kGroups;
  if (::syscall(SYS_setresgid, kNobody, kNobody, kNobody) != 0) return kGroups;
  if (::syscall(SYS_setresuid, kNobody, kNobody, kNobody) != 0) return kUser;
  const unsigned action = SECCOMP_RET_ERRNO;
  if (::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) != 0) return kFilter;
  return kDone;
}

Refusal Try(bool pivot) {
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return {kFork, errno};
  // Use clone3, since a shim also makes the namespaces of a task by clone3.
  const pid_t child = MakeTrialChild(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID);
  if (child == 0) {
    Refusal refusal;
    refusal.step = TrySteps(pivot);
    refusal.error = errno;
    const bool reported = ::write(report[1], &refusal, sizeof refusal) == sizeof refusal;
    ::_exit(reported ? 0 : 1);
  }
  Refusal refusal{kNamespaces, errno};
  ::close(report[1]);
  if (child > 0) {
    ssize_t size;
    while ((size = ::read(report[0], &refusal, sizeof refusal)) < 0 && errno == EINTR) {
    }
    if (size != sizeof refusal || refusal.step > kFilter) refusal = {kFork, ECHILD};
    AwaitTrialChild(child);
  } else if (refusal.error == EAGAIN || refusal.error == ENOMEM) {
    refusal.step = kFork;
  }
  ::close(report[0]);
  return refusal;
}

}  // namespace

std::string WhyNotIsolated(bool pivot) {
  const Refusal refusal = Try(pivot);
  if (refusal.step == kDone) return {};
  return std::string("cannot ") + kWhat[refusal.step] + " (" +
         std::generic_category().message(refusal.error) + "): " + Remedy(refusal, pivot);
}

}  // namespace exec_driver
