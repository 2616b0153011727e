// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The process between the host and a helper program. It is a small copy of the host's program that
// does nothing else, so it has one thread.
#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "host/base/time.h"
#include "host/child/exec_texts.h"
#include "host/child/helper.h"

namespace drover {
namespace {

constexpr int kDescriptionFd = 3;
constexpr int kReportFd = 4;
// How long the keeper tries to end processes. A process that hangs in the kernel does not end.
constexpr Duration kKillPatience = 5s;

struct KeptHelper {
  std::string program;
  std::string directory;
  std::uint64_t most_memory = 0;
  std::vector<std::string> user;  // uid, gid, groups; empty: the keeper's user
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
};

// Reads the texts that DescribeHelper has written.
class DescriptionReader {
 public:
  explicit DescriptionReader(std::string all) : all_(std::move(all)) {}

  std::string Text() {
    const std::size_t end = std::min(all_.find('\0', at_), all_.size());
    std::string text = all_.substr(at_, end - at_);
    at_ = std::min(end + 1, all_.size());
    return text;
  }
  std::vector<std::string> List() {
    std::vector<std::string> texts(std::strtoul(Text().c_str(), nullptr, 10));
    for (std::string& text : texts) text = Text();
    return texts;
  }

 private:
  std::string all_;
  std::size_t at_ = 0;
};

KeptHelper ReadDescription() {
  std::string all;
  std::array<char, 65536> buffer{};
  ssize_t n = 0;
  while ((n = read(kDescriptionFd, buffer.data(), buffer.size())) > 0) {
    all.append(buffer.data(), static_cast<std::size_t>(n));
  }
  DescriptionReader from(std::move(all));
  KeptHelper helper;
  helper.program = from.Text();
  helper.directory = from.Text();
  helper.most_memory = std::strtoull(from.Text().c_str(), nullptr, 10);
  helper.user = from.List();
  helper.arguments = from.List();
  helper.environment = from.List();
  return helper;
}

void Report(const std::string& text) { (void)!write(kReportFd, text.data(), text.size()); }

int BecomeUser(const std::vector<std::string>& user) {
  std::vector<gid_t> numbers;
  for (const std::string& number : user) {
    numbers.push_back(static_cast<gid_t>(std::strtoul(number.c_str(), nullptr, 10)));
  }
  if (setgroups(numbers.size() - 2, numbers.data() + 2) != 0) return -1;
  if (setresgid(numbers[1], numbers[1], numbers[1]) != 0) return -1;
  return setresuid(numbers[0], numbers[0], numbers[0]);
}

// Becomes the program, in a child of the keeper. Returns the step that failed, with errno.
const char* Become(KeptHelper* helper) {
  // They need memory, which the limit of the program may forbid.
  const std::vector<char*> arguments = ExecTexts(&helper->arguments);
  const std::vector<char*> environment = ExecTexts(&helper->environment);
  sigset_t none;
  sigemptyset(&none);
  if (sigprocmask(SIG_SETMASK, &none, nullptr) != 0) return "reset its signals";
  if (setsid() < 0) return "lead a session";
  umask(022);
  if (helper->most_memory > 0) {
    const rlimit limit{helper->most_memory, helper->most_memory};
    if (setrlimit(RLIMIT_DATA, &limit) != 0) return "limit its memory";
  }
  const rlimit no_core{0, 0};
  if (setrlimit(RLIMIT_CORE, &no_core) != 0) return "do without core files";
  if (!helper->user.empty() && BecomeUser(helper->user) != 0) return "become its user";
  if (chdir(helper->directory.c_str()) != 0) return "enter its working directory";
  // A change of the user removes this, so it comes last. It ends the program if the keeper dies.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return "be tied to the host";
  execve(helper->program.c_str(), arguments.data(), environment.data());
  return "be executed";
}

// Starts the program. Returns its process id, or 0 if it could not be started, which is reported.
pid_t StartProgram(KeptHelper* helper) {
  std::array<int, 2> ends{-1, -1};
  const pid_t child = pipe2(ends.data(), O_CLOEXEC) == 0 ? fork() : -1;
  if (child < 0) {
    Report("failed " + std::to_string(errno) + " get a process");
    return 0;
  }
  if (child == 0) {
    const char* const step = Become(helper);
    const std::string failure = "failed " + std::to_string(errno) + " " + step;
    (void)!write(ends[1], failure.data(), failure.size());
    _exit(127);
  }
  close(ends[1]);
  std::array<char, 256> failure{};
  ssize_t n = 0;
  do n = read(ends[0], failure.data(), failure.size());
  while (n < 0 && errno == EINTR);
  close(ends[0]);
  if (n <= 0) return child;  // executing the program has closed the pipe
  Report(std::string(failure.data(), static_cast<std::size_t>(n)));
  return 0;
}

// Kills the children of this process that there are now.
void KillChildren() {
  const std::string path = "/proc/self/task/" + std::to_string(getpid()) + "/children";
  std::FILE* const file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return;
  int pid = 0;
  while (std::fscanf(file, "%d", &pid) == 1) kill(pid, SIGKILL);
  std::fclose(file);
}

// Kills all processes that descend from this one. The children of a process that has ended become
// children of this process.
void KillAllBelow(pid_t program) {
  const TimePoint until = BootClock::now() + kKillPatience;
  if (program > 0) kill(-program, SIGKILL);  // also where /proc does not list the children
  while (BootClock::now() < until) {
    KillChildren();
    int status = 0;
    pid_t ended = 0;
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
    }
    if (ended < 0 && errno == ECHILD) return;
    poll(nullptr, 0, 1);
  }
}

// Waits for the end of PROGRAM or for a signal that tells the keeper to end.
void AwaitProgram(pid_t program, int signals) {
  while (true) {
    siginfo_t info{};
    // The program is not reaped here, so that no other process gets its id before KillAllBelow.
    if (waitid(P_PID, static_cast<id_t>(program), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == program) {
      Report((info.si_code == CLD_EXITED ? "exit " : "signal ") + std::to_string(info.si_status));
      return;
    }
    // Other children are processes that have lost their parent.
    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0 &&
           info.si_pid != program) {
      waitpid(info.si_pid, nullptr, WNOHANG);
      info = siginfo_t{};
    }
    if (info.si_pid == program) continue;
    signalfd_siginfo signal{};
    const ssize_t n = read(signals, &signal, sizeof signal);
    if (n == static_cast<ssize_t>(sizeof signal) && signal.ssi_signo != SIGCHLD) return;
  }
}

}  // namespace

int RunHelperKeeper(const char* argument) {
  sigset_t waited;
  sigemptyset(&waited);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&waited, number);
  sigprocmask(SIG_BLOCK, &waited, nullptr);
  prctl(PR_SET_NAME, "drover-helper");
  // SIGTERM comes when the thread that has started the keeper ends, also by the end of the host.
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return 1;
  if (getppid() != std::atoi(argument)) return 1;
  syscall(SYS_close_range, 5u, ~0u, 0u);
  fcntl(kReportFd, F_SETFD, FD_CLOEXEC);
  KeptHelper helper = ReadDescription();
  close(kDescriptionFd);
  const int signals = signalfd(-1, &waited, SFD_CLOEXEC);
  if (signals < 0) {
    Report("failed " + std::to_string(errno) + " be watched");
    return 1;
  }
  const pid_t program = StartProgram(&helper);
  // Only the program and its processes keep the outputs open from here on.
  for (const int fd : {0, 1, 2}) close(fd);
  if (program != 0) AwaitProgram(program, signals);
  KillAllBelow(program);
  return 0;
}

}  // namespace drover
