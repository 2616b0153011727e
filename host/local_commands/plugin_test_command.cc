// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "host/agent/logging.h"
#include "host/base/printable.h"
#include "host/conformance/conformance.h"
#include "host/library/plugin_file.h"
#include "host/local_commands/local_commands.h"
#include "host/view/json_fields.h"
#include "host/view/terminal.h"
#include "sdk/include/drover/drover.h"

namespace drover {
namespace {

int ListCases(bool json) {
  nlohmann::json list = nlohmann::json::array();
  for (const ConformanceCase& one : ConformanceCases()) {
    list.push_back({{"Name", one.name}, {"Rule", one.what}});
    if (!json) std::printf("%-28s %s\n", one.name.c_str(), one.what.c_str());
  }
  if (json) PrintUtf8Json(list);
  return kExitOk;
}

std::string AbiText(unsigned major, unsigned minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

double Seconds(Duration took) { return std::chrono::duration<double>(took).count(); }

void PrintResult(const Terminal& terminal, const ConformanceResult& result) {
  const Terminal::Colour colour =
      result.verdict == Verdict::kPass ? Terminal::Colour::kGreen
      : result.verdict == Verdict::kSkip || result.verdict == Verdict::kWarn
          ? Terminal::Colour::kYellow
          : Terminal::Colour::kRed;
  char verdict[16];
  std::snprintf(verdict, sizeof verdict, "%-7s", std::string(VerdictName(result.verdict)).c_str());
  std::printf("%s  %-28s %5.2f s%s%s\n", terminal.Paint(colour, verdict).c_str(),
              result.name.c_str(), Seconds(result.took), result.detail.empty() ? "" : "  ",
              Printable(result.detail).c_str());
  std::fflush(stdout);
}

long Count(const std::vector<ConformanceResult>& results, Verdict verdict) {
  return std::count_if(results.begin(), results.end(),
                       [verdict](const auto& result) { return result.verdict == verdict; });
}

void PrintSummary(const std::vector<ConformanceResult>& results, std::uint64_t seed) {
  const long passed = Count(results, Verdict::kPass);
  const long skipped = Count(results, Verdict::kSkip);
  const long warned = Count(results, Verdict::kWarn);
  std::printf("%ld passed, %ld failed, %ld skipped, %ld with a warning (--seed %llu)\n", passed,
              static_cast<long>(results.size()) - passed - skipped - warned, skipped, warned,
              static_cast<unsigned long long>(seed));
}

struct PluginTestCommand {
  std::string file;
  std::vector<std::string> cases;
  bool list_cases = false;
  bool in_process = false;
  std::string isolation = "in-process";
  std::string plugin_config;
  std::string task_config;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> max_skips;
  bool json = false;

  void Declare(CLI::App* command) {
    command->add_option("FILE", file, "The shared library");
    command->add_option("--case", cases, "Only this case; may be repeated");
    command->add_flag("--list", list_cases, "Prints the names of the cases");
    command->add_flag("--in-process", in_process, "Runs the case in this process, for a debugger");
    command
        ->add_option("--isolation", isolation,
                     "Where the driver's code runs in each case: in-process, or process, as a "
                     "host runs drivers that are not its own")
        ->check(CLI::IsMember({"in-process", "process"}));
    command->add_option("--plugin-config", plugin_config, "The plugin's configuration (JSON)");
    command->add_option("--task-config", task_config,
                        "The configuration of a task that runs for a minute (JSON)");
    command->add_option("--seed", seed,
                        "A number for what cases make up at random, to repeat a run");
    command->add_option("--max-skips", max_skips, "Fails when more cases than this were skipped");
    command->add_flag("--json", json, "Prints JSON");
  }

  int Run() const {
    if (list_cases) return ListCases(json);
    if (file.empty()) {
      return Fail("plugin test", Error(Code::kInvalidArgument, "FILE is required"), kExitUsage);
    }
    SetUpLogging("warn");
    const ConformanceOptions kit = KitOptions();
    const Terminal terminal;
    std::function<void(const ConformanceResult&)> show;
    if (!json) {
      show = [&terminal](const ConformanceResult& result) { PrintResult(terminal, result); };
    }
    const auto results = RunConformance(file, kit, show);
    if (!results.ok()) return Fail("plugin test", results.error(), kExitUsage);
    const auto skipped = static_cast<std::uint64_t>(Count(*results, Verdict::kSkip));
    const bool asked_enough = !max_skips || skipped <= *max_skips;
    const bool conforms = AllConform(*results) && asked_enough;
    json ? PrintUtf8Json(Report(kit, *results, conforms)) : PrintSummary(*results, kit.seed);
    if (!asked_enough) {
      PrintError("plugin test",
                 Error(Code::kFailedPrecondition,
                       std::to_string(skipped) + " cases were skipped, --max-skips allows " +
                           std::to_string(*max_skips) +
                           ": their lines say what they need, most often --task-config"));
    }
    return conforms ? kExitOk : kExitFailed;
  }

  ConformanceOptions KitOptions() const {
    ConformanceOptions kit;
    kit.plugin_config = plugin_config;
    kit.task_config = task_config;
    kit.cases = cases;
    kit.in_process = in_process;
    kit.isolation = isolation;
    kit.seed = seed ? *seed : std::random_device()();
    return kit;
  }

  // Returns the results, and everything that someone needs to repeat the run.
  nlohmann::json Report(const ConformanceOptions& kit,
                        const std::vector<ConformanceResult>& results, bool conforms) const {
    nlohmann::json list = nlohmann::json::array();
    for (const ConformanceResult& result : results) {
      list.push_back({{"Name", result.name},
                      {"Verdict", VerdictName(result.verdict)},
                      {"Detail", result.detail},
                      {"Seconds", Seconds(result.took)}});
    }
    nlohmann::json run = {{"File", file},
                          {"Sha256", nullptr},
                          {"Driver", nullptr},
                          {"DriverVersion", nullptr},
                          {"DriverAbi", nullptr},
                          {"HostVersion", DROVER_VERSION},
                          {"HostAbi", AbiText(DROVER_ABI_MAJOR, DROVER_ABI_MINOR)},
                          {"Isolation", kit.isolation},
                          {"PluginConfig", kit.plugin_config},
                          {"TaskConfig", kit.task_config},
                          {"Seed", kit.seed},
                          {"Skipped", Count(results, Verdict::kSkip)},
                          {"MaxSkips", nullptr},
                          {"Conforms", conforms},
                          {"Cases", std::move(list)}};
    if (max_skips) run["MaxSkips"] = *max_skips;
    // If the file cannot be opened, the result of a case contains the reason.
    if (const Result<PluginFile> opened = OpenPluginFile(file, ""); opened.ok()) {
      run["Sha256"] = opened->sha256;
      run["Driver"] = opened->manifest.name;
      run["DriverVersion"] = opened->manifest.version;
      run["DriverAbi"] = AbiText(opened->manifest.abi_major, opened->manifest.min_host_minor);
    }
    return run;
  }
};

}  // namespace

void AddPluginTest(const CommandGroup& plugin) {
  plugin.Add<PluginTestCommand>(
      "test", "Runs the conformance cases against a plugin, each in a process of its own");
}

}  // namespace drover
