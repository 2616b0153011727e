// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>

#include "host/agent/logging.h"
#include "host/base/printable.h"
#include "host/cli/cli.h"
#include "host/cli/commands.h"
#include "host/cli/node_setup.h"
#include "host/cli/terminal.h"
#include "host/conformance/conformance.h"
#include "host/library/plugin_file.h"
#include "sdk/include/drover/drover.h"

namespace drover {
namespace {

int ListCases(bool json) {
  nlohmann::json list = nlohmann::json::array();
  for (const ConformanceCase& one : ConformanceCases()) {
    if (json) {
      list.push_back({{"Name", one.name}, {"Rule", one.what}});
    } else {
      std::printf("%-28s %s\n", one.name.c_str(), one.what.c_str());
    }
  }
  if (json) std::printf("%s\n", list.dump(2).c_str());
  return kExitOk;
}

// Of a driver, what it needs at least.
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

// With all that a repetition needs.
void PrintJson(const PluginOptions& options, const ConformanceOptions& kit,
               const std::vector<ConformanceResult>& results, bool conforms) {
  nlohmann::json list = nlohmann::json::array();
  for (const ConformanceResult& result : results) {
    list.push_back({{"Name", result.name},
                    {"Verdict", VerdictName(result.verdict)},
                    {"Detail", result.detail},
                    {"Seconds", Seconds(result.took)}});
  }
  nlohmann::json run = {{"File", options.file},
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
  if (options.max_skips) run["MaxSkips"] = *options.max_skips;
  // What cannot be opened has failed, and its case says why.
  if (const Result<PluginFile> file = OpenPluginFile(options.file, ""); file.ok()) {
    run["Sha256"] = file->sha256;
    run["Driver"] = file->manifest.name;
    run["DriverVersion"] = file->manifest.version;
    run["DriverAbi"] = AbiText(file->manifest.abi_major, file->manifest.min_host_minor);
  }
  std::printf("%s\n", run.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

}  // namespace

int PluginTestCommand(const PluginOptions& options) {
  if (options.list_cases) return ListCases(options.json);
  if (options.file.empty()) {
    PrintError("plugin test", Error(Code::kInvalidArgument, "FILE is required"));
    return kExitUsage;
  }
  SetUpLogging("warn");
  ConformanceOptions kit;
  kit.plugin_config = options.plugin_config;
  kit.task_config = options.task_config;
  kit.cases = options.cases;
  kit.in_process = options.in_process;
  kit.isolation = options.isolation;
  kit.seed = options.seed ? *options.seed : std::random_device()();
  const Terminal terminal;
  std::function<void(const ConformanceResult&)> show;
  if (!options.json) {
    show = [&terminal](const ConformanceResult& result) { PrintResult(terminal, result); };
  }
  const auto results = RunConformance(options.file, kit, show);
  if (!results.ok()) {
    PrintError("plugin test", results.error());
    return kExitUsage;
  }
  const auto skipped = static_cast<std::uint64_t>(Count(*results, Verdict::kSkip));
  const bool asked_enough = !options.max_skips || skipped <= *options.max_skips;
  const bool conforms = AllConform(*results) && asked_enough;
  options.json ? PrintJson(options, kit, *results, conforms) : PrintSummary(*results, kit.seed);
  if (!asked_enough) {
    PrintError("plugin test",
               Error(Code::kFailedPrecondition,
                     std::to_string(skipped) + " cases were skipped, --max-skips allows " +
                         std::to_string(*options.max_skips) +
                         ": their lines say what they need, most often --task-config"));
  }
  return conforms ? kExitOk : kExitFailed;
}

}  // namespace drover
