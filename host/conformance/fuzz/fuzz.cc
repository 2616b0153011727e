// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/fuzz/fuzz.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "host/conformance/fuzz/fuzz_sequence.h"
#include "host/conformance/kit_run.h"
#include "host/conformance/scratch.h"

namespace drover {
namespace {

bool IsBad(Verdict verdict) {
  return verdict == Verdict::kFail || verdict == Verdict::kCrash || verdict == Verdict::kTimeout;
}

// Returns the time limit of a sequence. Each step has limits of its own, which are far longer than
// a step takes.
Duration LimitOf(const ConformanceOptions& kit, int steps) {
  return 2 * kit.limit + steps * std::chrono::milliseconds(500);
}

ConformanceResult RunOne(KitSpec spec, const std::string& directory, Duration limit) {
  spec.directory = directory;
  if (mkdir(directory.c_str(), 0700) != 0) {
    ConformanceResult result;
    result.detail = "mkdir " + directory + ": " + std::strerror(errno);
    return result;
  }
  return RunInChild(spec, limit);
}

FuzzResult RunSequence(const KitSpec& spec, const ConformanceOptions& kit) {
  FuzzResult result;
  result.seed = spec.seed;
  const std::string directory = spec.directory + "/" + std::to_string(spec.seed);
  const ConformanceResult first = RunOne(spec, directory, LimitOf(kit, spec.steps));
  result.verdict = first.verdict;
  result.detail = first.detail;
  result.steps = first.steps;
  result.took = first.took;
  if (!IsBad(first.verdict) || first.steps.empty()) return result;
  KitSpec prefix = spec;
  prefix.steps = static_cast<int>(first.steps.size());
  result.again = RunOne(prefix, directory + "-again", LimitOf(kit, prefix.steps)).verdict;
  return result;
}

}  // namespace

std::uint64_t FuzzSeed(std::uint64_t seed, int number) {
  // The finalizer of splitmix64, so that seeds that follow each other make unrelated sequences.
  std::uint64_t z = seed + 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(number) + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (z ^ (z >> 31)) >> 12;  // short enough to be read and typed
}

Result<std::vector<FuzzResult>> RunFuzz(const std::string& file, const FuzzOptions& options,
                                        const std::function<void(const FuzzResult&)>& on_result) {
  if (options.runs < 1 || options.runs > kMostFuzzRuns || options.steps < 1 ||
      options.steps > kMostFuzzSteps) {
    return Error(Code::kInvalidArgument, "a run has 1 to " + std::to_string(kMostFuzzRuns) +
                                             " sequences of 1 to " +
                                             std::to_string(kMostFuzzSteps) + " steps");
  }
  std::error_code ignored;
  DROVER_ASSIGN(const ProbedPlugin probed,
                ProbeForKit(std::filesystem::absolute(file, ignored).string()));
  const Scratch scratch;
  if (scratch.path().empty()) {
    return Error(Code::kInternal,
                 "no directory for the sequences can be made in TMPDIR, or in /tmp");
  }
  KitSpec spec;
  spec.file = probed.path;
  spec.name = FuzzEntry().name;
  spec.plugin_config = options.kit.plugin_config;
  spec.task_config = options.kit.task_config;
  spec.kit_json = options.kit.kit_json;
  spec.isolation = options.kit.isolation;
  spec.sha256 = probed.sha256;
  spec.info_json = PluginInfoToJson(probed.info);
  spec.steps = options.steps;
  spec.directory = scratch.path();
  const std::size_t count = options.reproduce ? 1 : static_cast<std::size_t>(options.runs);
  std::vector<FuzzResult> results(count);
  std::mutex mutex;
  const auto work = [&](std::size_t i) {
    KitSpec one = spec;
    one.seed =
        options.reproduce ? *options.reproduce : FuzzSeed(options.kit.seed, static_cast<int>(i));
    results[i] = RunSequence(one, options.kit);
    const std::lock_guard lock(mutex);
    if (on_result) on_result(results[i]);
  };
  RunSideBySide(count, options.kit.parallel, work);
  return results;
}

}  // namespace drover
