// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/agent/logging.h"
#include "host/base/printable.h"
#include "host/base/text.h"
#include "host/conformance/fuzz/fuzz.h"
#include "host/conformance/kit_report.h"
#include "host/local_commands/kit_flags.h"
#include "host/local_commands/local_commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

// A sequence that the user wants to see again.
struct Reproduction {
  std::uint64_t seed = 0;
  int steps = 0;
};

Result<Reproduction> ParseReproduction(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto seed = ParseNumber<std::uint64_t>(text.substr(0, colon));
  const auto steps =
      colon == std::string::npos ? std::nullopt : ParseNumber<int>(text.substr(colon + 1));
  if (!seed || !steps) {
    return Error(Code::kInvalidArgument,
                 "--reproduce " + text + ": write it as a failure does, SEED:STEPS");
  }
  return Reproduction{*seed, *steps};
}

bool HasFailed(const FuzzResult& result) {
  return result.verdict == Verdict::kFail || result.verdict == Verdict::kCrash ||
         result.verdict == Verdict::kTimeout;
}

std::string ReproductionOf(const FuzzResult& result) {
  return std::to_string(result.seed) + ":" + std::to_string(result.steps.size());
}

nlohmann::json SequenceJson(const FuzzResult& result) {
  nlohmann::json json = {{"Type", "sequence"},
                         {"Seed", result.seed},
                         {"Verdict", VerdictName(result.verdict)},
                         {"Detail", result.detail},
                         {"Steps", result.steps.size()},
                         {"Seconds", std::chrono::duration<double>(result.took).count()}};
  if (!HasFailed(result)) return json;
  json["Prefix"] = result.steps;
  json["Reproduce"] = ReproductionOf(result);
  json["Again"] = nullptr;
  if (result.again) json["Again"] = VerdictName(*result.again);
  return json;
}

void PrintSequence(const FuzzResult& result) {
  std::printf("%-7s  seed %-20llu %5zu steps %6.2f s%s%s\n",
              std::string(VerdictName(result.verdict)).c_str(),
              static_cast<unsigned long long>(result.seed), result.steps.size(),
              std::chrono::duration<double>(result.took).count(), result.detail.empty() ? "" : "  ",
              Printable(result.detail).c_str());
  if (HasFailed(result) && !result.steps.empty()) {
    std::printf("  the shortest prefix that fails:\n");
    for (const std::string& step : result.steps) std::printf("    %s\n", Printable(step).c_str());
    std::printf("  again: --reproduce %s%s\n", ReproductionOf(result).c_str(),
                result.again && *result.again == Verdict::kPass
                    ? " (a second run has passed: it is a matter of time)"
                    : "");
  }
  std::fflush(stdout);
}

struct PluginFuzzCommand {
  KitFlags flags;
  int runs = FuzzOptions().runs;
  int steps = FuzzOptions().steps;
  std::string reproduce;

  void Declare(CLI::App* command) {
    flags.Declare(command);
    command->add_option("--runs", runs, "How many sequences run (20)");
    command->add_option("--steps", steps, "How many steps each sequence has (40)");
    command->add_option("--reproduce", reproduce,
                        "Runs one sequence again, by SEED:STEPS of its failure");
    command->footer(
        "Exits with 0 if every answer was right; 1 if a sequence failed or was skipped; 2 if none "
        "could be run");
  }

  int Run() const {
    std::string kit_file;
    const Result<ConformanceOptions> kit = flags.Options(&kit_file);
    if (!kit.ok()) return Fail("plugin fuzz", kit.error(), kExitUsage);
    FuzzOptions options;
    options.kit = *kit;
    options.runs = runs;
    options.steps = steps;
    if (!reproduce.empty()) {
      const Result<Reproduction> parsed = ParseReproduction(reproduce);
      if (!parsed.ok()) return Fail("plugin fuzz", parsed.error(), kExitUsage);
      options.reproduce = parsed->seed;
      options.steps = parsed->steps;
    }
    SetUpLogging("warn");
    if (flags.json) {
      KitRun run = DescribeKitRun(flags.file, options.kit, DROVER_VERSION);
      run.kit_file = kit_file;
      PrintJsonLine(KitRunJson(run));
    }
    const auto show = [&](const FuzzResult& result) {
      flags.json ? PrintJsonLine(SequenceJson(result)) : PrintSequence(result);
    };
    const auto results = RunFuzz(flags.file, options, show);
    if (!results.ok()) return Fail("plugin fuzz", results.error(), kExitUsage);
    return Summarize(*results, options.kit.seed);
  }

  // Prints the summary. Returns the exit code of the command.
  int Summarize(const std::vector<FuzzResult>& results, std::uint64_t seed) const {
    long failed = 0;
    long skipped = 0;
    for (const FuzzResult& result : results) {
      failed += HasFailed(result) ? 1 : 0;
      skipped += result.verdict == Verdict::kSkip ? 1 : 0;
    }
    const bool conforms = failed == 0 && skipped == 0;
    if (flags.json) {
      PrintJsonLine({{"Type", "summary"},
                     {"Sequences", results.size()},
                     {"Failed", failed},
                     {"Skipped", skipped},
                     {"Conforms", conforms}});
    } else {
      std::printf("%zu sequences, %ld failed, %ld skipped (--seed %llu)\n", results.size(), failed,
                  skipped, static_cast<unsigned long long>(seed));
    }
    return conforms ? kExitOk : kExitFailed;
  }
};

}  // namespace

void AddPluginFuzz(const CommandGroup& plugin) {
  plugin.Add<PluginFuzzCommand>(
      "fuzz", "Tests a plugin with random sequences of verbs, against a model of the rules");
}

}  // namespace drover
