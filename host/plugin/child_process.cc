// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "host/base/unique_fd.h"

namespace drover {
namespace {

constexpr std::size_t kMaxOutput = 4u << 20;
constexpr std::size_t kMaxTail = 4u << 10;

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

// Both ends above the numbers that the child uses, so that none is overwritten before it is copied.
Result<Pipe> MakePipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return ErrnoError(errno, "pipe");
  Pipe low{UniqueFd(ends[0]), UniqueFd(ends[1])};
  Pipe high{UniqueFd(fcntl(low.read.get(), F_DUPFD_CLOEXEC, 16)),
            UniqueFd(fcntl(low.write.get(), F_DUPFD_CLOEXEC, 16))};
  if (!high.read || !high.write) return ErrnoError(errno, "dup");
  fcntl(high.read.get(), F_SETFL, O_NONBLOCK);
  return high;
}

// Appends what can be read; false at the end.
bool Drain(int fd, std::string* to, std::size_t limit, bool keep_end) {
  std::array<char, 8192> buffer{};
  while (true) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) return false;
    to->append(buffer.data(), static_cast<std::size_t>(n));
    if (to->size() > limit) {
      keep_end ? (void)to->erase(0, to->size() - limit) : to->resize(limit);
    }
  }
}

}  // namespace

Result<ChildEnd> RunChildProcess(const ChildSpec& spec) {
  DROVER_ASSIGN(Pipe output, MakePipe());
  DROVER_ASSIGN(Pipe errors, MakePipe());
  UniqueFd given;
  if (spec.descriptor >= 0) {
    given = UniqueFd(fcntl(spec.descriptor, F_DUPFD_CLOEXEC, 16));
    if (!given) return ErrnoError(errno, "dup");
  }

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, errors.write.get(), 2);
  if (given) posix_spawn_file_actions_adddup2(&actions, given.get(), 3);
  posix_spawn_file_actions_adddup2(&actions, output.write.get(), 4);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);

  std::string program = "drover";
  std::vector<char*> argv{program.data()};
  std::vector<std::string> arguments = spec.arguments;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::vector<char*> envp;
  std::vector<std::string> environment = spec.environment;
  for (std::string& variable : environment) envp.push_back(variable.data());
  envp.push_back(nullptr);
  pid_t pid = 0;
  const int failed =
      posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return ErrnoError(failed, "start this program again");
  output.write.Reset();
  errors.write.Reset();
  given.Reset();

  // Nobody else waits for this child, so its number stays its own until the waitid below.
  UniqueFd child(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  ChildEnd end;
  const TimePoint until = BootClock::now() + spec.limit;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - BootClock::now());
    if (left.count() <= 0) {
      end.timed_out = true;
      break;
    }
    std::array<pollfd, 3> events{
        {{child.get(), POLLIN, 0}, {output.read.get(), POLLIN, 0}, {errors.read.get(), POLLIN, 0}}};
    // Without a pidfd (no descriptor was free) the child is looked at ten times a second.
    const int wait = static_cast<int>(std::min<std::int64_t>(left.count(), child ? 60'000 : 100));
    if (poll(events.data(), events.size(), wait) < 0 && errno != EINTR) break;
    if (output.read && events[1].revents != 0 &&
        !Drain(output.read.get(), &end.output, kMaxOutput, false)) {
      output.read.Reset();
    }
    if (errors.read && events[2].revents != 0 &&
        !Drain(errors.read.get(), &end.stderr_tail, kMaxTail, true)) {
      errors.read.Reset();
    }
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == pid) {
      break;
    }
  }
  kill(-pid, SIGKILL);  // before it is reaped: the group's number is still its own
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED) != 0 && errno == EINTR) {
  }
  if (output.read) Drain(output.read.get(), &end.output, kMaxOutput, false);
  if (errors.read) Drain(errors.read.get(), &end.stderr_tail, kMaxTail, true);
  if (info.si_code == CLD_EXITED) {
    end.exit_code = info.si_status;
  } else {
    end.signal = info.si_status;
  }
  return end;
}

}  // namespace drover
