// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/child/self_spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>

#include "host/base/unique_fd.h"
#include "host/child/exec_texts.h"
#include "host/child/spawn_attributes.h"

extern char** environ;

namespace drover {
namespace {

// All numbers of the child's descriptors are below kAbove. First, the parent's descriptors are
// duplicated to kAbove and higher numbers. So no descriptor is overwritten before it is copied to
// its number in the child.
constexpr int kAbove = 16;

}  // namespace

Result<pid_t> SpawnSelf(SelfSpawn spec) {
  std::vector<UniqueFd> above;
  bool given[3] = {false, false, false};
  for (const SelfSpawn::Descriptor& descriptor : spec.descriptors) {
    above.emplace_back(fcntl(descriptor.fd, F_DUPFD_CLOEXEC, kAbove));
    if (!above.back()) return ErrnoError(errno, "dup");
    if (descriptor.number < 3) given[descriptor.number] = true;
  }
  SpawnAttributes spawn(spec.own_session);
  for (int number = 0; number < 3; ++number) {
    if (given[number]) continue;
    const int mode = number == 0 ? O_RDONLY : O_WRONLY;
    posix_spawn_file_actions_addopen(spawn.actions(), number, "/dev/null", mode, 0);
  }
  for (std::size_t i = 0; i < above.size(); ++i) {
    posix_spawn_file_actions_adddup2(spawn.actions(), above[i].get(), spec.descriptors[i].number);
  }

  spec.arguments.insert(spec.arguments.begin(), spec.name);
  pid_t pid = 0;
  const int failed =
      posix_spawn(&pid, "/proc/self/exe", spawn.actions(), spawn.attributes(),
                  ExecTexts(&spec.arguments).data(), ExecTexts(&spec.environment).data());
  if (failed != 0) return ErrnoError(failed, "start this program again");
  return pid;
}

std::vector<std::string> OwnEnvironment(std::string_view without) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (without.empty() || !text.starts_with(without)) variables.emplace_back(text);
  }
  return variables;
}

bool WaitForChild(pid_t pid, int flags, siginfo_t* info) {
  *info = siginfo_t{};
  int failed = 0;
  do failed = waitid(P_PID, static_cast<id_t>(pid), info, WEXITED | flags);
  while (failed != 0 && errno == EINTR);
  return failed == 0 && info->si_pid == pid;
}

}  // namespace drover
