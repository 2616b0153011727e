// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/container/container_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "host/abi/abi_text.h"
#include "host/child/self_spawn.h"
#include "host/container/container_child.h"
#include "host/container/frame_socket.h"
#include "host/library/probe.h"

namespace drover {
namespace {

// Reads the lines that host/container/crash_report.h describes. Their content is not trusted,
// because a crashed process wrote them.
void ReadCrashReport(int fd, const std::string& path, ContainerDeath* death) {
  std::array<char, 16384> buffer{};
  const ssize_t n = pread(fd, buffer.data(), buffer.size(), 0);
  if (n <= 0) return;
  std::istringstream lines(
      SafeText(std::string_view(buffer.data(), static_cast<std::size_t>(n)), buffer.size()));
  bool frames = false;
  for (std::string line; std::getline(lines, line);) {
    if (frames) {
      line.erase(std::remove(line.begin(), line.end(), ' '), line.end());
      constexpr std::string_view kLoaded = "/proc/self/fd/";
      if (line.starts_with(kLoaded)) {
        line = path + line.substr(std::min(line.size(), line.find_first_of("([")));
      }
      if (const auto address = line.find('['); address != std::string::npos) line.resize(address);
      const auto slash = line.substr(0, line.find('(')).rfind('/');
      if (slash != std::string::npos) line.erase(0, slash + 1);
      death->backtrace.push_back(line);
    } else if (line.starts_with("function ")) {
      death->function = line.substr(9);
    } else if (line == "backtrace") {
      frames = true;
    }
  }
}

}  // namespace

std::string ContainerDeath::Text(const std::string& plugin) const {
  constexpr std::size_t kFrames = 8;
  std::string text = "plugin " + plugin;
  text += !why.empty() ? " was ended" : signal != 0 ? " crashed" : " ended";
  if (!function.empty()) text += " in " + function;
  if (!why.empty()) text += ": " + why;
  if (signal != 0) {
    text += " (signal " + std::to_string(signal) + ", " + strsignal(signal) + ")";
  } else if (why.empty()) {
    text += " with exit code " + std::to_string(exit_code);
  }
  for (std::size_t i = 0; i < std::min(backtrace.size(), kFrames); ++i) {
    text += (i == 0 ? ", at " : " < ") + backtrace[i];
  }
  std::string said = output;
  while (!said.empty() && said.back() == '\n') said.pop_back();
  // The last line usually is a runtime's message about an exception or a failed check.
  said = said.substr(said.rfind('\n') == std::string::npos ? 0 : said.rfind('\n') + 1);
  if (!said.empty()) text += "; its last output: " + SafeText(said, 300);
  return text;
}

Result<std::unique_ptr<ContainerProcess>> ContainerProcess::Start(int plugin_fd,
                                                                  const std::string& name) {
  std::unique_ptr<ContainerProcess> made(new ContainerProcess);
  DROVER_ASSIGN(auto sockets, FrameSocket::MakePair());
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return ErrnoError(errno, "pipe");
  made->output_.Reset(ends[0]);
  const UniqueFd writes(ends[1]);
  made->crash_.Reset(memfd_create("crash", MFD_CLOEXEC));
  if (!made->crash_) return ErrnoError(errno, "memfd_create");
  fcntl(made->output_.get(), F_SETFL, O_NONBLOCK);

  SelfSpawn self;
  self.name = "drover-plugin-host";
  self.arguments = {kContainerArgument, name};
  self.environment = OwnEnvironment(kProbeMark);
  self.descriptors = {{writes.get(), 1},
                      {writes.get(), 2},
                      {sockets.second.get(), 3},
                      {plugin_fd, 4},
                      {made->crash_.get(), 5}};
  DROVER_ASSIGN(made->pid_, SpawnSelf(std::move(self)));
  // No other code waits for this child, so its pid cannot be reused until this class reaps it.
  made->pidfd_.Reset(static_cast<int>(syscall(SYS_pidfd_open, made->pid_, 0)));
  if (!made->pidfd_) {
    const Error error = ErrnoError(errno, "pidfd_open");
    kill(made->pid_, SIGKILL);
    siginfo_t info{};
    WaitForChild(made->pid_, 0, &info);
    made->reaped_ = true;
    return error;
  }
  made->socket_ = std::move(sockets.first);
  return made;
}

ContainerProcess::~ContainerProcess() {
  if (reaped_ || pid_ == 0) return;
  Signal(SIGKILL);
  // After SIGKILL the process ends at once, unless it hangs in the kernel.
  constexpr Duration kPatience = 1s;
  ContainerDeath ignored;
  Reap(BootClock::now() + kPatience, "", &ignored);
}

void ContainerProcess::Signal(int number) const {
  syscall(SYS_pidfd_send_signal, pidfd_.get(), number, nullptr, 0);
}

bool ContainerProcess::Reap(TimePoint deadline, const std::string& path, ContainerDeath* death) {
  pollfd ended{pidfd_.get(), POLLIN, 0};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - BootClock::now());
    const int ready =
        poll(&ended, 1, static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000)));
    if (ready > 0) break;
    if (ready == 0 && left.count() <= 0) return false;
  }
  siginfo_t info{};
  if (!WaitForChild(pid_, 0, &info)) return false;
  reaped_ = true;
  if (info.si_code == CLD_EXITED) {
    death->exit_code = info.si_status;
  } else {
    death->signal = info.si_status;
  }
  ReadCrashReport(crash_.get(), path, death);
  return true;
}

std::string ContainerProcess::KernelPlaces() const {
  constexpr int kMost = 8;
  std::set<std::string> places;
  std::error_code gone;
  const std::filesystem::path tasks = "/proc/" + std::to_string(pid_) + "/task";
  for (std::filesystem::directory_iterator at(tasks, gone), end; !gone && at != end;
       at.increment(gone)) {
    std::string stat, place;
    std::getline(std::ifstream(at->path() / "stat"), stat);
    std::getline(std::ifstream(at->path() / "wchan"), place);
    // The line is "PID (NAME) STATE ...", where NAME may contain any characters.
    const std::size_t name_end = stat.rfind(") ");
    if (name_end == std::string::npos) continue;
    places.insert(stat.substr(name_end + 2, 1) + " " + place);
    if (places.size() == kMost) break;
  }
  std::string all;
  for (const std::string& place : places) all += (all.empty() ? "" : ", ") + place;
  return all;
}

}  // namespace drover
