// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/kit_run.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "host/abi/abi_text.h"
#include "host/base/unique_fd.h"
#include "host/child/child_process.h"
#include "host/child/self_spawn.h"
#include "host/conformance/fuzz/fuzz_sequence.h"
#include "host/library/plugin_file.h"

namespace drover {
namespace {

using SpecJson = nlohmann::json;

Result<UniqueFd> AsFile(const std::string& text) {
  UniqueFd fd(memfd_create("conformance-case", MFD_CLOEXEC));
  if (!fd || write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      lseek(fd.get(), 0, SEEK_SET) != 0) {
    return ErrnoError(errno, "memfd");
  }
  return fd;
}

std::string ToJson(const KitSpec& spec) {
  const SpecJson json = {{"file", spec.file},
                         {"name", spec.name},
                         {"plugin_config", spec.plugin_config},
                         {"task_config", spec.task_config},
                         {"kit", spec.kit_json},
                         {"isolation", spec.isolation},
                         {"fault", spec.fault},
                         {"steps", spec.steps},
                         {"sha256", spec.sha256},
                         {"info", spec.info_json},
                         {"directory", spec.directory},
                         {"seed", spec.seed},
                         {"parent", getpid()}};
  return json.dump(-1, ' ', false, SpecJson::error_handler_t::replace);
}

std::string LastLines(const std::string& text) {
  std::string safe = SafeText(text, 4000);
  while (!safe.empty() && safe.back() == '\n') safe.pop_back();
  return safe.empty() ? std::string() : "; it wrote:\n" + safe;
}

// Splits what a child has written to its result descriptor: the lines of the steps that it has
// begun, and its verdict. Returns the steps, and leaves the verdict in SAID.
std::vector<std::string> TakeSteps(std::string* said) {
  std::vector<std::string> steps;
  std::size_t at = 0;
  while (said->compare(at, sizeof kStepMark - 1, kStepMark) == 0) {
    const std::size_t end = std::min(said->find('\n', at), said->size());
    steps.push_back(said->substr(at, end - at));
    at = std::min(end + 1, said->size());
  }
  said->erase(0, at);
  return steps;
}

}  // namespace

Result<ProbedPlugin> ProbeForKit(const std::string& path) {
  DROVER_ASSIGN(const PluginFile opened, OpenPluginFile(path, ""));
  DROVER_ASSIGN(PluginInfo info, SharedProber().Probe(opened));
  return ProbedPlugin{path, opened.sha256, std::move(info)};
}

void RunSideBySide(std::size_t count, int parallel, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t i; (i = next++) < count;) work(i);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < std::max(1, parallel); ++i) threads.emplace_back(take);
  for (std::thread& thread : threads) thread.join();
}

ConformanceResult RunInChild(const KitSpec& spec, Duration limit) {
  ConformanceResult result;
  result.name = spec.name;
  const TimePoint began = BootClock::now();
  const Result<UniqueFd> file = AsFile(ToJson(spec));
  ChildSpec child;
  child.arguments = {kConformanceArgument, "3", "4"};
  child.environment = OwnEnvironment(kProbeMark);
  child.limit = limit;
  child.descriptor = file.ok() ? file->get() : -1;
  const Result<ChildEnd> end = file.ok() ? RunChildProcess(child) : Result<ChildEnd>(file.error());
  result.took = BootClock::now() - began;
  if (!end.ok()) {
    result.detail = "the case cannot be run: " + end.error().message();
    return result;
  }
  std::string said = end->output;
  result.steps = TakeSteps(&said);
  const bool decided = !said.empty();
  if (end->signal != 0 && !end->timed_out) {
    result.verdict = Verdict::kCrash;
    result.detail = "signal " + std::to_string(end->signal) + " (" + strsignal(end->signal) + ")" +
                    (decided ? " while the case was cleaned up" : "") + LastLines(end->stderr_tail);
  } else if (!decided && end->timed_out) {
    result.verdict = Verdict::kTimeout;
    result.detail = "it was not over after " + FormatDuration(limit) + LastLines(end->stderr_tail);
  } else if (!decided) {
    result.verdict = Verdict::kCrash;
    result.detail = "the process ended with exit code " + std::to_string(end->exit_code) +
                    LastLines(end->stderr_tail);
  } else if (said == "pass") {
    result.verdict = Verdict::kPass;
  } else if (said.rfind("skip ", 0) == 0) {
    result.verdict = Verdict::kSkip;
    result.detail = SafeText(said.substr(5), 4000);
  } else if (said.rfind("warn ", 0) == 0) {
    result.verdict = Verdict::kWarn;
    result.detail = SafeText(said.substr(5), 4000);
  } else {
    result.verdict = Verdict::kFail;
    result.detail = SafeText(said.rfind("fail ", 0) == 0 ? said.substr(5) : said, 4000);
  }
  return result;
}

int RunConformanceChild(int spec_fd, int result_fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(spec_fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  close(spec_fd);
  const SpecJson json = SpecJson::parse(text, nullptr, false);
  if (!json.is_object()) return 2;
  // A write to the input of a command that does not read it raises SIGPIPE. SIGPIPE must not end
  // this process.
  std::signal(SIGPIPE, SIG_IGN);
  // The kernel kills this process when its parent, the kit, ends. Otherwise a driver that hangs
  // could keep this process alive after the end of the kit.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != json.value("parent", 0)) return 2;
  KitSpec spec;
  spec.file = json.value("file", "");
  spec.name = json.value("name", "");
  spec.plugin_config = json.value("plugin_config", "");
  spec.task_config = json.value("task_config", "");
  spec.kit_json = json.value("kit", "");
  spec.isolation = json.value("isolation", "");
  spec.fault = json.value("fault", "");
  spec.steps = json.value("steps", 0);
  spec.progress = result_fd;
  spec.sha256 = json.value("sha256", "");
  spec.info_json = json.value("info", "");
  spec.directory = json.value("directory", "");
  spec.seed = json.value("seed", spec.seed);
  const ConformanceResult result = RunKitCase(spec, [](Verdict) {});
  std::string said = "pass";
  if (result.verdict == Verdict::kSkip) said = "skip " + result.detail;
  if (result.verdict == Verdict::kFail) said = "fail " + result.detail;
  if (result.verdict == Verdict::kWarn) said = "warn " + result.detail;
  (void)!write(result_fd, said.data(), said.size());
  // Exits without destructors, because threads of the driver may still use the objects.
  _exit(0);
}

}  // namespace drover
