// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/conformance.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "host/abi/abi_text.h"
#include "host/base/unique_fd.h"
#include "host/child/child_process.h"
#include "host/child/self_spawn.h"
#include "host/conformance/kit_case.h"
#include "host/conformance/scratch.h"
#include "host/library/plugin_file.h"
#include "host/library/probe.h"

namespace drover {
namespace {

using Json = nlohmann::json;

Result<UniqueFd> AsFile(const std::string& text) {
  UniqueFd fd(memfd_create("conformance-case", MFD_CLOEXEC));
  if (!fd || write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      lseek(fd.get(), 0, SEEK_SET) != 0) {
    return ErrnoError(errno, "memfd");
  }
  return fd;
}

std::string ToJson(const KitSpec& spec) {
  const Json json = {{"file", spec.file},
                     {"name", spec.name},
                     {"plugin_config", spec.plugin_config},
                     {"task_config", spec.task_config},
                     {"isolation", spec.isolation},
                     {"sha256", spec.sha256},
                     {"info", spec.info_json},
                     {"directory", spec.directory},
                     {"seed", spec.seed},
                     {"parent", getpid()}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string LastLines(const std::string& text) {
  std::string safe = SafeText(text, 4000);
  while (!safe.empty() && safe.back() == '\n') safe.pop_back();
  return safe.empty() ? std::string() : "; it wrote:\n" + safe;
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
  const std::string& said = end->output;
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

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "PASS";
    case Verdict::kFail:
      return "FAIL";
    case Verdict::kCrash:
      return "CRASH";
    case Verdict::kTimeout:
      return "TIMEOUT";
    case Verdict::kSkip:
      return "SKIP";
    case Verdict::kWarn:
      return "WARN";
  }
  return "FAIL";
}

std::vector<ConformanceCase> ConformanceCases() {
  std::vector<ConformanceCase> all;
  for (const KitEntry& entry : AllKitCases()) all.push_back({entry.name, entry.what, entry.family});
  return all;
}

bool AllConform(const std::vector<ConformanceResult>& results) {
  return std::all_of(results.begin(), results.end(), [](const ConformanceResult& result) {
    return result.verdict == Verdict::kPass || result.verdict == Verdict::kSkip ||
           result.verdict == Verdict::kWarn;
  });
}

Result<std::vector<ConformanceResult>> RunConformance(
    const std::string& file, const ConformanceOptions& options,
    const std::function<void(const ConformanceResult&)>& on_result) {
  const auto wanted = [&](const std::string& name) {
    return options.cases.empty() ||
           std::find(options.cases.begin(), options.cases.end(), name) != options.cases.end();
  };
  std::vector<KitSpec> specs;
  std::error_code ignored;
  const std::string path = std::filesystem::absolute(file, ignored).string();
  for (const KitEntry& entry : AllKitCases()) {
    if (!wanted(entry.name)) continue;
    KitSpec spec;
    spec.file = path;
    spec.name = entry.name;
    spec.plugin_config = options.plugin_config;
    spec.task_config = options.task_config;
    spec.isolation = options.isolation;
    spec.seed = options.seed;
    specs.push_back(std::move(spec));
  }
  for (const std::string& name : options.cases) {
    const bool known = std::any_of(specs.begin(), specs.end(),
                                   [&](const KitSpec& spec) { return spec.name == name; });
    if (!known) {
      return Error(Code::kInvalidArgument,
                   "there is no case \"" + name + "\": --list prints the names");
    }
  }
  if (options.in_process && specs.size() != 1) {
    return Error(Code::kInvalidArgument, "in this process one case can be run: name it (--case)");
  }
  // All cases use the result of one probe. If the probe fails, the case "load" fails and all other
  // cases are skipped.
  const auto probed = [&]() -> Result<std::pair<std::string, PluginInfo>> {
    DROVER_ASSIGN(const PluginFile opened, OpenPluginFile(path, ""));
    DROVER_ASSIGN(PluginInfo info, SharedProber().Probe(opened));
    return std::pair(opened.sha256, std::move(info));
  }();
  if (probed.ok() && options.cases.empty()) {
    std::erase_if(specs,
                  [&](const KitSpec& spec) { return !IsCaseFor(spec.name, probed->second); });
  }
  std::vector<ConformanceResult> results(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (probed.ok()) {
      specs[i].sha256 = probed->first;
      specs[i].info_json = PluginInfoToJson(probed->second);
      continue;
    }
    const bool is_load = specs[i].name == "load";
    results[i] = {specs[i].name, is_load ? Verdict::kFail : Verdict::kSkip,
                  is_load ? probed.error().message() : "the plugin cannot be loaded", Duration(0)};
    if (specs.size() == 1) results[i].verdict = Verdict::kFail;
    if (on_result) on_result(results[i]);
  }
  if (!probed.ok()) return results;
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  const Scratch scratch;
  if (scratch.path().empty()) {
    return Error(Code::kInternal, "no directory for the cases can be made in TMPDIR, or in /tmp");
  }
  const auto work = [&] {
    for (std::size_t i; (i = next++) < specs.size();) {
      KitSpec spec = specs[i];
      spec.directory = scratch.path() + "/" + spec.name;
      if (mkdir(spec.directory.c_str(), 0700) != 0) {
        results[i].name = spec.name;
        results[i].detail = "mkdir " + spec.directory + ": " + std::strerror(errno);
        continue;
      }
      const TimePoint began = BootClock::now();
      results[i] =
          options.in_process ? RunKitCase(spec, [](Verdict) {}) : RunInChild(spec, options.limit);
      results[i].took = BootClock::now() - began;
      const std::lock_guard lock(mutex);
      if (on_result) on_result(results[i]);
    }
  };
  if (options.in_process) {
    work();
    return results;
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < std::max(1, options.parallel); ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return results;
}

int RunConformanceChild(int spec_fd, int result_fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(spec_fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  close(spec_fd);
  const Json json = Json::parse(text, nullptr, false);
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
  spec.isolation = json.value("isolation", "");
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
