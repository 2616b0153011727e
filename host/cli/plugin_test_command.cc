// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>

#include "host/cli/cli.h"
#include "host/cli/commands.h"
#include "host/cli/logging.h"
#include "host/cli/node_setup.h"
#include "host/cli/terminal.h"
#include "host/plugin/kit/conformance.h"

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

void PrintSummary(const std::vector<ConformanceResult>& results, std::uint64_t seed) {
  const auto count = [&results](Verdict verdict) {
    return std::count_if(results.begin(), results.end(),
                         [verdict](const auto& result) { return result.verdict == verdict; });
  };
  const long passed = count(Verdict::kPass);
  const long skipped = count(Verdict::kSkip);
  const long warned = count(Verdict::kWarn);
  std::printf("%ld passed, %ld failed, %ld skipped, %ld with a warning (--seed %llu)\n", passed,
              static_cast<long>(results.size()) - passed - skipped - warned, skipped, warned,
              static_cast<unsigned long long>(seed));
}

void PrintJson(const std::vector<ConformanceResult>& results) {
  nlohmann::json list = nlohmann::json::array();
  for (const ConformanceResult& result : results) {
    list.push_back({{"Name", result.name},
                    {"Verdict", VerdictName(result.verdict)},
                    {"Detail", result.detail},
                    {"Seconds", Seconds(result.took)}});
  }
  std::printf("%s\n", list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
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
  options.json ? PrintJson(*results) : PrintSummary(*results, kit.seed);
  return AllConform(*results) ? kExitOk : kExitFailed;
}

}  // namespace drover
