// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/child/helper.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "host/base/unique_fd.h"
#include "host/child/child_input.h"
#include "host/child/child_process.h"
#include "host/child/self_spawn.h"

namespace drover {
namespace {

// How long a keeper may take to kill the processes of its helper.
constexpr Duration kKeeperGrace = 10s;
constexpr char kUsualPath[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// The description of a helper for its keeper: texts, each with a NUL at its end.
std::string DescribeHelper(const HelperRun& run, const std::string& program) {
  std::string all;
  const auto add = [&all](const std::string& text) { all.append(text.c_str(), text.size() + 1); };
  const auto list = [&add](const std::vector<std::string>& texts) {
    add(std::to_string(texts.size()));
    for (const std::string& text : texts) add(text);
  };
  add(program);
  add(run.directory);
  add(std::to_string(run.most_memory));
  std::vector<std::string> user;
  if (run.user) {
    user = {std::to_string(run.user->uid), std::to_string(run.user->gid)};
    for (const gid_t group : run.user->groups) user.push_back(std::to_string(group));
  }
  list(user);
  list(run.arguments);
  list(run.environment);
  return all;
}

// Reads all that can be read now, and keeps the first MOST bytes. Returns false at the end.
bool ReadHelperOutput(int fd, std::size_t most, std::string* to, bool* truncated) {
  std::array<char, 16384> buffer{};
  constexpr int kTurn = 64;  // the caller checks its deadline between two calls
  for (int i = 0; i < kTurn; ++i) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) return false;
    const std::size_t room = most - std::min(most, to->size());
    to->append(buffer.data(), std::min<std::size_t>(room, static_cast<std::size_t>(n)));
    if (static_cast<std::size_t>(n) > room) *truncated = true;
  }
  return true;
}

// The pipes of a helper that runs, and the process of its keeper.
struct RunningHelper {
  pid_t keeper = 0;
  UniqueFd pidfd;
  UniqueFd output;
  UniqueFd errors;
  UniqueFd report;
};

enum class HelperWait { kEnded, kTimeout, kStopped };

// Reads the outputs until the keeper has ended, until the deadline, or until STOP can be read.
HelperWait ReadUntilEnd(const HelperRun& run, TimePoint until, int stop, RunningHelper* helper,
                        HelperEnd* end) {
  while (true) {
    siginfo_t info{};
    if (WaitForChild(helper->keeper, WNOHANG | WNOWAIT, &info)) return HelperWait::kEnded;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - BootClock::now());
    if (left.count() <= 0) return HelperWait::kTimeout;
    std::array<pollfd, 4> events{{{helper->pidfd.get(), POLLIN, 0},
                                  {helper->output.get(), POLLIN, 0},
                                  {helper->errors.get(), POLLIN, 0},
                                  {stop, POLLIN, 0}}};
    // If no pidfd could be opened, the loop checks the keeper ten times a second.
    const auto wait = std::min<std::int64_t>(left.count(), helper->pidfd ? 60'000 : 100);
    if (poll(events.data(), events.size(), static_cast<int>(wait)) < 0) continue;
    if (events[1].revents != 0 && !ReadHelperOutput(helper->output.get(), run.most_output,
                                                    &end->output, &end->output_truncated)) {
      helper->output.Reset();
    }
    if (events[2].revents != 0 && !ReadHelperOutput(helper->errors.get(), run.most_output,
                                                    &end->errors, &end->errors_truncated)) {
      helper->errors.Reset();
    }
    if (events[3].revents != 0) return HelperWait::kStopped;
  }
}

// Returns the last line that the helper has written to its standard error, for messages.
std::string LastWords(const HelperEnd& end) {
  std::string text = end.errors;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (const std::size_t line = text.rfind('\n'); line != std::string::npos) text.erase(0, line + 1);
  constexpr std::size_t kMost = 200;
  if (text.size() > kMost) text.resize(kMost);
  for (char& c : text) c = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return text.empty() ? "" : "; its last words: " + text;
}

// Reads the keeper's report: "exit N", "signal N", or "failed ERRNO STEP".
Status ReadReport(int fd, const std::string& program, HelperEnd* end) {
  std::array<char, 512> buffer{};
  const ssize_t n = read(fd, buffer.data(), buffer.size());
  const std::string text(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  const std::size_t space = text.find(' ');
  int number = 0;
  if (space != std::string::npos) {
    std::from_chars(text.data() + space + 1, text.data() + text.size(), number);
  }
  if (text.starts_with("exit ")) {
    end->exit_code = number;
    return {};
  }
  if (text.starts_with("signal ")) {
    end->signal = number;
    return {};
  }
  if (text.starts_with("failed ")) {
    const std::string step = text.substr(std::min(text.size(), text.find(' ', space + 1) + 1));
    return ErrnoError(number, program + " cannot " + step);
  }
  return Error(Code::kInternal, "the keeper of " + program + " has ended without a report");
}

}  // namespace

Result<std::string> FindHelper(const std::string& argument,
                               const std::optional<std::string>& path) {
  if (argument.starts_with("/")) return argument;
  if (argument.empty() || argument.find('/') != std::string::npos) {
    return Error(Code::kInvalidArgument, "\"" + argument +
                                             "\" is no program: give an absolute path, or a name "
                                             "without \"/\"");
  }
  const std::string all = path.value_or(kUsualPath);
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t end = std::min(all.find(':', at), all.size());
    const std::string directory = all.substr(at, end - at);
    at = end + 1;
    if (!directory.starts_with("/")) continue;
    const std::string file = directory + "/" + argument;
    struct stat info{};
    if (stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(file.c_str(), X_OK) == 0)
      return file;
  }
  return Error(Code::kNotFound, "there is no program \"" + argument + "\" in " + all +
                                    ": install it, or give its absolute path");
}

Result<HelperEnd> RunHelper(const HelperRun& run) {
  if (run.arguments.empty()) return Error(Code::kInvalidArgument, "there is no program to run");
  std::optional<std::string> path;
  for (const std::string& variable : run.environment) {
    if (variable.starts_with("PATH=")) path = variable.substr(5);
  }
  DROVER_ASSIGN(const std::string program, FindHelper(run.arguments[0], path));
  DROVER_ASSIGN(const UniqueFd input, MakeChildInput(run.input));
  DROVER_ASSIGN(const UniqueFd description, MakeChildInput(DescribeHelper(run, program)));
  DROVER_ASSIGN(ChildPipe output, MakeChildPipe());
  DROVER_ASSIGN(ChildPipe errors, MakeChildPipe());
  DROVER_ASSIGN(ChildPipe report, MakeChildPipe());

  SelfSpawn self;
  self.name = "drover-helper";
  self.arguments = {kHelperArgument, std::to_string(getpid())};
  self.environment = {"PATH=/usr/bin:/bin"};
  self.descriptors = {{input.get(), 0},
                      {output.write.get(), 1},
                      {errors.write.get(), 2},
                      {description.get(), 3},
                      {report.write.get(), 4}};
  RunningHelper helper;
  DROVER_ASSIGN(helper.keeper, SpawnSelf(std::move(self)));
  // No other code waits for this child, so its pid stays valid until WaitForChild reaps it.
  helper.pidfd.Reset(static_cast<int>(syscall(SYS_pidfd_open, helper.keeper, 0)));
  helper.output = std::move(output.read);
  helper.errors = std::move(errors.read);
  helper.report = std::move(report.read);
  output.write.Reset();
  errors.write.Reset();
  report.write.Reset();

  HelperEnd end;
  const HelperWait waited =
      ReadUntilEnd(run, BootClock::now() + run.limit, run.stop, &helper, &end);
  if (waited != HelperWait::kEnded) {
    kill(helper.keeper, SIGTERM);  // the keeper then kills all processes of the helper
    (void)ReadUntilEnd(run, BootClock::now() + kKeeperGrace, -1, &helper, &end);
    kill(helper.keeper, SIGKILL);  // it is not reaped yet, so its id is still valid
  }
  siginfo_t info{};
  WaitForChild(helper.keeper, 0, &info);
  if (helper.output) {
    ReadHelperOutput(helper.output.get(), run.most_output, &end.output, &end.output_truncated);
  }
  if (helper.errors) {
    ReadHelperOutput(helper.errors.get(), run.most_output, &end.errors, &end.errors_truncated);
  }
  if (waited == HelperWait::kTimeout) {
    return Error(Code::kTimeout, program + " has not ended within " + FormatDuration(run.limit) +
                                     " and was killed" + LastWords(end));
  }
  if (waited == HelperWait::kStopped) {
    return Error(Code::kCancelled, program + " was cancelled, and so it was killed");
  }
  DROVER_TRY(ReadReport(helper.report.get(), program, &end));
  return end;
}

}  // namespace drover
