// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/child/network_rights.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "host/child/file_rules.h"
#include "host/child/give_up_rights.h"
#include "host/child/network_calls.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DROVER_HAS_SHADOW_MEMORY 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DROVER_HAS_SHADOW_MEMORY 1
#endif

namespace drover {
namespace {

// Rights that the header of an older system does not name: to rename between directories (version
// 2), to truncate (3), and to control devices (5).
constexpr std::uint64_t kRefer = std::uint64_t{1} << 13;
constexpr std::uint64_t kTruncate = std::uint64_t{1} << 14;
constexpr std::uint64_t kControlDevices = std::uint64_t{1} << 15;

constexpr std::uint64_t kSpecialFiles = LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                        LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                                        LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO;
constexpr std::uint64_t kOfDirectoriesOnly =
    ~(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
      kTruncate);

Status AllowPath(const UniqueFd& rules, const std::string& path, std::uint64_t allowed) {
  UniqueFd place(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!place && errno == ENOTDIR) {
    place.Reset(open(path.c_str(), O_PATH | O_CLOEXEC));
    allowed &= ~kOfDirectoriesOnly;
  }
  if (!place) return {};
  return AllowFiles(rules, place.get(), allowed);
}

// Returns no descriptor if the kernel lacks Landlock and RIGHTS accept that.
Result<UniqueFd> RulesOf(const NetworkRights& rights) {
  const int version = FileRulesVersion();
  std::uint64_t handled = kFirstFileRights;
  if (version >= 2) handled |= kRefer;
  if (version >= 3) handled |= kTruncate;
  if (version >= 5) handled |= kControlDevices;
  DROVER_ASSIGN(UniqueFd rules, MakeFileRules(handled));
  if (!rules) {
    if (rights.without_rules) return rules;
    return Error(Code::kUnimplemented,
                 "this kernel cannot hide the files of the machine from a download: it lacks "
                 "Landlock");
  }
  const std::uint64_t execute = rights.starts_programs ? LANDLOCK_ACCESS_FS_EXECUTE : 0;
  for (const std::string& path : rights.readable) {
    DROVER_TRY(AllowPath(rules, path, kReadFiles | execute));
  }
  for (const char* path : {"/dev/null", "/dev/zero"}) {
    DROVER_TRY(
        AllowPath(rules, path, LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE));
  }
  for (const char* path : {"/dev/random", "/dev/urandom"}) {
    DROVER_TRY(AllowPath(rules, path, LANDLOCK_ACCESS_FS_READ_FILE));
  }
  constexpr std::uint64_t kNotWritten =
      kSpecialFiles | LANDLOCK_ACCESS_FS_EXECUTE | kControlDevices;
  DROVER_TRY(AllowFiles(rules, rights.writable, handled & ~kNotWritten));
  return rules;
}

// Root may have no right to become another user, as in a small user namespace. Then the process
// stays root. It has no capabilities even so.
Status BecomeFetcher(bool passes_directories) {
  // The call access looks at the rights of the real user, which are none of those of root unless
  // this bit is set. An error shows later, in the call.
  if (passes_directories) prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0);
  if (geteuid() == 0 && drover_become_user(DROVER_FETCH_USER) != 0 &&
      drover_become_user(DROVER_NOBODY) != 0 && errno != EPERM && errno != EINVAL) {
    return ErrnoError(errno, "become another user");
  }
  const std::uint64_t kept = passes_directories ? std::uint64_t{1} << CAP_DAC_READ_SEARCH : 0;
  if (drover_keep_capabilities(kept) != 0) return ErrnoError(errno, "give up capabilities");
  return {};
}

Status LimitResources(const NetworkRights& rights, bool is_root) {
  const auto limit = [](int resource, std::uint64_t most) -> Status {
    if (drover_limit(resource, most) != 0) return ErrnoError(errno, "limit resources");
    return {};
  };
  DROVER_TRY(limit(RLIMIT_CORE, 0));
  DROVER_TRY(limit(RLIMIT_CPU, rights.most_seconds));
  DROVER_TRY(limit(RLIMIT_FSIZE, rights.most_file));
  DROVER_TRY(limit(RLIMIT_MEMLOCK, 0));
  DROVER_TRY(limit(RLIMIT_NOFILE, rights.most_descriptors));
  // Otherwise it would count all processes of the agent's user, or be without effect.
  if (is_root && geteuid() != 0) DROVER_TRY(limit(RLIMIT_NPROC, rights.most_processes));
#ifndef DROVER_HAS_SHADOW_MEMORY  // sanitizers reserve terabytes
  DROVER_TRY(limit(RLIMIT_DATA, rights.most_memory));
#endif
  return {};
}

Status FilterCalls(bool starts_programs) {
  std::vector<sock_filter> filter = CallsOfNetworkChildren(starts_programs);
  sock_fprog program{};
  program.len = static_cast<unsigned short>(filter.size());
  program.filter = filter.data();
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) {
    return ErrnoError(errno, "filter system calls");
  }
  return {};
}

// Where memory is scarce, the kernel ends this process and not the agent. It is no error if the
// kernel cannot be told so.
void PreferOwnEnd() {
  const UniqueFd file(open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (!file) return;
  const ssize_t written = write(file.get(), "1000", 4);
  (void)written;
}

}  // namespace

Status GiveUpAllButNetwork(const NetworkRights& rights) {
  const bool is_root = geteuid() == 0;
  PreferOwnEnd();
  DROVER_ASSIGN(const UniqueFd rules, RulesOf(rights));
  DROVER_TRY(BecomeFetcher(rights.passes_directories && rules.valid()));
  if (drover_stay_below(getppid()) != 0) return ErrnoError(errno, "give up rights");
  DROVER_TRY(LimitResources(rights, is_root));
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (rules && syscall(SYS_landlock_restrict_self, rules.get(), 0) != 0) {
    return ErrnoError(errno, "leave the file system (Landlock)");
  }
  return FilterCalls(rights.starts_programs);
}

}  // namespace drover
