// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "host/child/give_up_rights.h"
#include "host/library/loader.h"
#include "host/library/probe.h"
#include "host/library/probe_reaper.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DROVER_SHADOW_MEMORY 1
#endif
#endif

namespace drover {
namespace {

constexpr std::uint64_t kCpuSeconds = 60;  // ends a child that no parent waits for any more
constexpr std::uint64_t kProcesses =
    256;  // includes threads, and a language runtime may start many

// Each probe uses one of several users, so that simultaneous probes rarely share one.
uid_t ProbeUser() {
  return DROVER_FIRST_PROBE_USER + static_cast<uid_t>(getpid() % DROVER_PROBE_USERS);
}

void Limit(int resource, std::uint64_t most) { (void)drover_limit(resource, most); }

// Gives up all rights that a plugin's constructors do not need. It is no error if the kernel
// refuses to remove a right: a probe finds faults and is no protection against attacks.
void Restrict(const ProbeLimits& limits) {
  // The probe itself uses descriptors 0 to 4.
  syscall(SYS_close_range, 5u, ~0u, 0u);
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_CPU, kCpuSeconds);
  Limit(RLIMIT_FSIZE, static_cast<std::uint64_t>(limits.file_mb) << 20);
  Limit(RLIMIT_NOFILE, 64);
#ifndef DROVER_SHADOW_MEMORY  // sanitizers reserve terabytes of address space
  Limit(RLIMIT_AS, static_cast<std::uint64_t>(limits.memory_mb) << 20);
#endif
  if (geteuid() == 0) {
    unshare(CLONE_NEWNET | CLONE_NEWIPC);
    if (drover_become_user(ProbeUser()) == 0) {
      Limit(RLIMIT_NPROC, kProcesses);
    } else if (drover_become_user(DROVER_NOBODY) != 0) {
      _exit(126);  // a probe must not run as root
    }
    if (drover_keep_capabilities(0) != 0) _exit(126);
  }
  (void)drover_stay_below(getppid());
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (chdir("/") != 0) _exit(126);
}

void Answer(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

Result<PluginInfo> Load(int plugin_fd) {
  PluginFile file;
  file.fd.Reset(plugin_fd);
  file.path = "plugin";  // the parent replaces this by the path
  DROVER_ASSIGN(const ElfFile elf, ElfFile::Open(plugin_fd));
  DROVER_ASSIGN(file.manifest, ReadManifest(elf));
  const Manifest manifest = file.manifest;
  DROVER_ASSIGN(const drover_driver* driver, LoadPluginCode(std::move(file)));
  return AskInfo("plugin", manifest, driver);
}

}  // namespace

int RunProbeChild(int plugin_fd, int result_fd, const ProbeLimits& limits) {
  ReapAfterChild();
  Restrict(limits);
  const Result<PluginInfo> info = Load(plugin_fd);
  Answer(result_fd,
         info.ok() ? "ok " + PluginInfoToJson(*info) : "error " + info.error().message());
  // The plugin's destructors do not run. An agent runs them only at its own end, so their faults
  // do not matter for the probe.
  _exit(0);
}

}  // namespace drover
