// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/library/probe_reaper.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace drover {
namespace {

constexpr int kRounds = 200;
constexpr long kPause = 10'000'000;  // nanoseconds

// Returns the pid of the parent of PROCESS, from /proc, or 0 if the process has ended.
pid_t ParentOf(const std::string& process) {
  const int fd = open(("/proc/" + process + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  std::array<char, 512> text{};
  const ssize_t n = read(fd, text.data(), text.size() - 1);
  close(fd);
  if (n <= 0) return 0;
  // The line is "PID (NAME) STATE PARENT ...". NAME may contain any characters, so the last ')'
  // ends it.
  const char* const behind = std::strrchr(text.data(), ')');
  return behind == nullptr || std::strlen(behind) < 5
             ? 0
             : static_cast<pid_t>(std::strtol(behind + 4, nullptr, 10));
}

// Kills all children of this process. They include processes whose own parent has ended, because
// this process is a subreaper.
void KillChildren() {
  DIR* const processes = opendir("/proc");
  if (processes == nullptr) return;
  const pid_t self = getpid();
  while (const dirent* entry = readdir(processes)) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    if (ParentOf(entry->d_name) != self) continue;
    // Only this process reaps its children, so the child's pid is still valid.
    kill(static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)), SIGKILL);
  }
  closedir(processes);
}

// Kills and reaps all descendants. The children of a killed process become children of this
// process, so the next round kills them.
void EndDescendants() {
  for (int round = 0; round < kRounds; ++round) {
    pid_t ended = 0;
    while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) continue;
    if (ended < 0) return;  // no child is left
    KillChildren();
    const timespec pause{0, round == 0 ? kPause / 10 : kPause};
    nanosleep(&pause, nullptr);
  }
}

[[noreturn]] void Reap(pid_t child, const sigset_t& awaited) {
  int status = 0;
  while (true) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) break;
    siginfo_t info{};
    if (sigwaitinfo(&awaited, &info) == SIGTERM) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
  }
  EndDescendants();
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  // This process ends by the child's signal, so that its parent reports that signal.
  const int number = WTERMSIG(status);
  signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  raise(number);
  _exit(128 + number);
}

}  // namespace

void ReapAfterChild() {
  sigset_t awaited;
  sigset_t before;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGTERM);
  sigaddset(&awaited, SIGCHLD);
  sigprocmask(SIG_BLOCK, &awaited, &before);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  const pid_t agent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
  if (getppid() != agent) _exit(126);
  const pid_t child = fork();
  if (child < 0) _exit(126);
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return;
  }
  // Closes the copies of the child's descriptors, so that the parent's pipe ends when the child
  // ends.
  syscall(SYS_close_range, 3u, ~0u, 0u);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  Reap(child, awaited);
}

}  // namespace drover
