// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/agent/logging.h"
#include "host/base/printable.h"
#include "host/cli/replace_file.h"
#include "host/conformance/conformance.h"
#include "host/conformance/kit_report.h"
#include "host/local_commands/kit_flags.h"
#include "host/local_commands/local_commands.h"
#include "host/view/json_fields.h"
#include "host/view/terminal.h"

namespace drover {
namespace {

int ListCases(bool json) {
  nlohmann::json list = nlohmann::json::array();
  for (const ConformanceCase& one : ConformanceCases()) {
    list.push_back(
        {{"Name", one.name}, {"Rule", one.what}, {"Family", one.family}, {"Fault", one.fault}});
    if (!json) std::printf("%-28s %s\n", one.name.c_str(), one.what.c_str());
  }
  if (json) PrintUtf8Json(list);
  return kExitOk;
}

void PrintResult(const Terminal& terminal, const ConformanceResult& result) {
  const Terminal::Colour colour =
      result.verdict == Verdict::kPass ? Terminal::Colour::kGreen
      : result.verdict == Verdict::kSkip || result.verdict == Verdict::kWarn
          ? Terminal::Colour::kYellow
          : Terminal::Colour::kRed;
  char verdict[16];
  std::snprintf(verdict, sizeof verdict, "%-7s", std::string(VerdictName(result.verdict)).c_str());
  std::printf("%s  %-28s %5.2f s%s%s\n", terminal.Paint(colour, verdict).c_str(),
              result.name.c_str(), std::chrono::duration<double>(result.took).count(),
              result.detail.empty() ? "" : "  ", Printable(result.detail).c_str());
  std::fflush(stdout);
}

void PrintSummary(const std::vector<ConformanceResult>& results, std::uint64_t seed) {
  const long passed = CountVerdicts(results, Verdict::kPass);
  const long skipped = CountVerdicts(results, Verdict::kSkip);
  const long warned = CountVerdicts(results, Verdict::kWarn);
  std::printf("%ld passed, %ld failed, %ld skipped, %ld with a warning (--seed %llu)\n", passed,
              static_cast<long>(results.size()) - passed - skipped - warned, skipped, warned,
              static_cast<unsigned long long>(seed));
}

Status WriteReport(const std::string& path, const std::string& text) {
  const Status written = WriteNewFile(path, text);
  if (written.code() != Code::kFailedPrecondition) return written;
  return ReplaceFile(path, text);  // there is a report of an earlier run
}

// Returns the names in the values of --require, each of which may be a list.
Result<std::vector<std::string>> FamiliesOf(const std::vector<std::string>& values) {
  std::vector<std::string> families;
  for (const std::string& value : values) {
    for (std::size_t begin = 0, end = 0; begin <= value.size(); begin = end + 1) {
      end = std::min(value.find(',', begin), value.size());
      families.push_back(value.substr(begin, end - begin));
    }
    if (std::count(families.begin(), families.end(), "") > 0) {
      return Error(Code::kInvalidArgument,
                   "--require \"" + value + "\": a name of its list is empty");
    }
  }
  return families;
}

struct PluginTestCommand {
  KitFlags flags;
  std::vector<std::string> cases;
  std::vector<std::string> faults;
  bool list_cases = false;
  bool in_process = false;
  std::optional<std::uint64_t> max_skips;
  std::vector<std::string> required;
  std::optional<std::string> junit;

  void Declare(CLI::App* command) {
    flags.Declare(command);
    command->add_option("--case", cases, "Only this case; may be repeated");
    command->add_flag("--list", list_cases, "Prints the names of the cases");
    command->add_flag("--in-process", in_process, "Runs the case in this process, for a debugger");
    command
        ->add_option("--fault", faults,
                     "Runs the cases of this fault of the host instead: process-refuses, "
                     "process-hangs, output-refuses, timer-slow[=TIME], slow-start[=TIME], "
                     "kill-at[=VERB] or all; may be repeated")
        ->allow_extra_args(false);
    command->add_option("--max-skips", max_skips, "Fails when more cases than this were skipped")
        ->check(CheckWholeNumber);
    command
        ->add_option("--require", required,
                     "Fails when a case of these families (FAMILY,...) was skipped")
        ->allow_extra_args(false);
    command->add_option("--junit", junit, "Writes the results to this file, in JUnit's XML");
    command->footer(
        "Exits with 0 if the driver conforms; 1 if a case failed, too many or required cases were "
        "skipped; 2 if no case could be run");
  }

  int Run() const {
    if (list_cases) return ListCases(flags.json);
    std::string kit_file;
    Result<ConformanceOptions> options = flags.Options(&kit_file);
    if (!options.ok()) return Fail("plugin test", options.error(), kExitUsage);
    const Result<std::vector<std::string>> families = FamiliesOf(required);
    if (!families.ok()) return Fail("plugin test", families.error(), kExitUsage);
    if (junit && junit->empty()) {
      return Fail("plugin test", Error(Code::kInvalidArgument, "--junit: names no file"),
                  kExitUsage);
    }
    const KitDemands demands = {max_skips, *families};
    if (const Status known = CheckDemands(demands); !known.ok()) {
      return Fail("plugin test", known.error(), kExitUsage);
    }
    options->cases = cases;
    options->faults = faults;
    options->in_process = in_process;
    SetUpLogging("warn");
    KitRun run = DescribeKitRun(flags.file, *options, DROVER_VERSION);
    run.kit_file = kit_file;
    run.faults = faults;
    if (flags.json) {
      PrintJsonLine(KitRunJson(run));
    } else if (!kit_file.empty()) {
      std::printf("kit file: %s\n", Printable(kit_file).c_str());
    }
    const Terminal terminal;
    const auto show = [&](const ConformanceResult& result) {
      flags.json ? PrintJsonLine(KitCaseJson(result)) : PrintResult(terminal, result);
    };
    const auto results = RunConformance(flags.file, *options, show);
    if (!results.ok()) return Fail("plugin test", results.error(), kExitUsage);
    flags.json ? PrintJsonLine(KitSummaryJson(*results, demands))
               : PrintSummary(*results, run.seed);
    const std::vector<std::string> unmet = UnmetDemands(demands, *results);
    for (const std::string& what : unmet) {
      PrintError("plugin test", Error(Code::kFailedPrecondition, Printable(what)));
    }
    const Status written =
        junit ? WriteReport(*junit, KitJunitXml(run, *results, demands)) : Status();
    if (!written.ok()) return Fail("plugin test", written.error(), kExitFailed);
    return AllConform(*results) && unmet.empty() ? kExitOk : kExitFailed;
  }
};

}  // namespace

void AddPluginTest(const CommandGroup& plugin) {
  plugin.Add<PluginTestCommand>(
      "test", "Runs the conformance cases against a plugin, each in a process of its own");
}

}  // namespace drover
