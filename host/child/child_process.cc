// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/child/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "host/child/self_spawn.h"

namespace drover {
namespace {

// Appends the bytes that can be read now without blocking. Reads at most 64 times, so that the
// caller can check its deadline between two calls. Keeps the last LIMIT bytes if KEEP_END is true,
// otherwise the first LIMIT bytes and one more, which shows that there were more. Returns false at
// the end of the input.
bool Drain(int fd, std::string* to, std::size_t limit, bool keep_end) {
  constexpr int kTurn = 64;
  std::array<char, 8192> buffer{};
  for (int i = 0; i < kTurn; ++i) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) return false;
    to->append(buffer.data(), static_cast<std::size_t>(n));
    if (to->size() > limit) {
      keep_end ? (void)to->erase(0, to->size() - limit) : to->resize(limit + 1);
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

Result<ChildPipe> MakeChildPipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return ErrnoError(errno, "pipe");
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return ChildPipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Result<ChildEnd> RunChildProcess(const ChildSpec& spec) {
  DROVER_ASSIGN(ChildPipe output, MakeChildPipe());
  DROVER_ASSIGN(ChildPipe errors, MakeChildPipe());
  SelfSpawn self;
  self.arguments = spec.arguments;
  self.environment = spec.environment;
  self.descriptors = {{errors.write.get(), 2}, {output.write.get(), 4}};
  if (spec.descriptor >= 0) self.descriptors.push_back({spec.descriptor, 3});
  AwaitedChild child;
  DROVER_ASSIGN(child.pid, SpawnSelf(std::move(self)));
  output.write.Reset();
  errors.write.Reset();
  child.output = std::move(output.read);
  child.errors = std::move(errors.read);
  child.limit = spec.limit;
  child.grace = spec.grace;
  return AwaitChild(std::move(child));
}

ChildEnd AwaitChild(AwaitedChild child) {
  // No other code waits for this child, so its pid stays valid until WaitForChild reaps it below.
  const pid_t pid = child.pid;
  UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  ChildEnd end;
  const auto read_output = [&] {
    return Drain(child.output.get(), &end.output, child.most_output, false);
  };
  const auto read_errors = [&] {
    return Drain(child.errors.get(), &end.stderr_tail, child.most_errors, true);
  };
  const TimePoint until = BootClock::now() + child.limit;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - BootClock::now());
    if (left.count() <= 0) {
      end.timed_out = true;
      break;
    }
    std::array<pollfd, 4> events{{{pidfd.get(), POLLIN, 0},
                                  {child.output.get(), POLLIN, 0},
                                  {child.errors.get(), POLLIN, 0},
                                  {child.stop, POLLIN, 0}}};
    // If no pidfd could be opened, the loop checks the child ten times a second.
    const int wait = static_cast<int>(std::min<std::int64_t>(left.count(), pidfd ? 60'000 : 100));
    if (poll(events.data(), events.size(), wait) < 0 && errno != EINTR) break;
    if (child.output && events[1].revents != 0 && !read_output()) child.output.Reset();
    if (child.errors && events[2].revents != 0 && !read_errors()) child.errors.Reset();
    if (child.ends_when_full && end.output.size() > child.most_output) break;
    if (child.stop >= 0 && events[3].revents != 0) {
      end.stopped = true;
      break;
    }
    siginfo_t info{};
    if (WaitForChild(pid, WNOHANG | WNOWAIT, &info)) break;
  }
  if ((end.timed_out || end.stopped) && child.grace.count() > 0) {
    kill(pid, SIGTERM);
    AwaitEnd(pid, pidfd.get(), child.grace);
  }
  kill(-pid, SIGKILL);  // the child is not reaped yet, so the group's id is still valid
  siginfo_t info{};
  WaitForChild(pid, 0, &info);
  if (child.output) read_output();
  if (child.errors) read_errors();
  if (end.output.size() > child.most_output) {
    end.too_long = true;
    end.output.resize(child.most_output);
  }
  if (info.si_code == CLD_EXITED) {
    end.exit_code = info.si_status;
  } else {
    end.signal = info.si_status;
  }
  return end;
}

}  // namespace drover
