// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/library/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "host/base/unique_fd.h"
#include "host/library/self_spawn.h"

namespace drover {
namespace {

constexpr std::size_t kMaxOutput = 4u << 20;
constexpr std::size_t kMaxTail = 4u << 10;

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> MakePipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return ErrnoError(errno, "pipe");
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// Appends the bytes that can be read now without blocking. Reads at most 64 times, so that the
// caller can check its deadline between two calls. Keeps the last LIMIT bytes if KEEP_END is true,
// otherwise the first. Returns false at the end of the input.
bool Drain(int fd, std::string* to, std::size_t limit, bool keep_end) {
  constexpr int kTurn = 64;
  std::array<char, 8192> buffer{};
  for (int i = 0; i < kTurn; ++i) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) return false;
    to->append(buffer.data(), static_cast<std::size_t>(n));
    if (to->size() > limit) {
      keep_end ? (void)to->erase(0, to->size() - limit) : to->resize(limit);
    }
  }
  return true;
}

void AwaitEnd(pid_t pid, int pidfd, Duration limit) {
  const TimePoint until = BootClock::now() + limit;
  siginfo_t info{};
  while (!WaitForChild(pid, WNOHANG | WNOWAIT, &info)) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - BootClock::now());
    if (left.count() <= 0) return;
    pollfd event{pidfd, POLLIN, 0};
    (void)poll(&event, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 100)));
  }
}

}  // namespace

Result<ChildEnd> RunChildProcess(const ChildSpec& spec) {
  DROVER_ASSIGN(Pipe output, MakePipe());
  DROVER_ASSIGN(Pipe errors, MakePipe());
  SelfSpawn self;
  self.arguments = spec.arguments;
  self.environment = spec.environment;
  self.descriptors = {{errors.write.get(), 2}, {output.write.get(), 4}};
  if (spec.descriptor >= 0) self.descriptors.push_back({spec.descriptor, 3});
  DROVER_ASSIGN(const pid_t pid, SpawnSelf(std::move(self)));
  output.write.Reset();
  errors.write.Reset();

  // No other code waits for this child, so its pid stays valid until WaitForChild reaps it below.
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
    // If no pidfd could be opened, the loop checks the child ten times a second.
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
    if (WaitForChild(pid, WNOHANG | WNOWAIT, &info)) break;
  }
  if (end.timed_out && spec.grace.count() > 0) {
    kill(pid, SIGTERM);
    AwaitEnd(pid, child.get(), spec.grace);
  }
  kill(-pid, SIGKILL);  // the child is not reaped yet, so the group's id is still valid
  siginfo_t info{};
  WaitForChild(pid, 0, &info);
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
