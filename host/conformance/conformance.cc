// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/conformance.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "host/conformance/kit_case.h"
#include "host/conformance/kit_run.h"
#include "host/conformance/scratch.h"
#include "host/library/probe.h"

namespace drover {
namespace {

bool IsNamed(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Parses the faults of OPTIONS. Refuses a kind that is given twice, since its cases would be, too.
Result<std::vector<std::string>> CheckedFaults(const ConformanceOptions& options) {
  std::vector<std::string> kinds;
  std::vector<std::string> faults;
  const bool all = options.faults == std::vector<std::string>{"all"};
  for (const KitFaultKind& known : kKitFaults) {
    if (all) faults.push_back(known.kind);
  }
  for (const std::string& text : all ? faults : options.faults) {
    DROVER_ASSIGN(const KitFault fault, ParseKitFault(text));
    if (IsNamed(kinds, fault.kind)) {
      return Error(Code::kInvalidArgument, "fault " + fault.kind + " is given twice");
    }
    kinds.push_back(fault.kind);
  }
  return all ? faults : options.faults;
}

KitSpec SpecOf(const KitEntry& entry, const std::string& path, const ConformanceOptions& options) {
  KitSpec spec;
  spec.file = path;
  spec.name = entry.name;
  spec.plugin_config = options.plugin_config;
  spec.task_config = options.task_config;
  spec.kit_json = options.kit_json;
  spec.isolation = options.isolation;
  spec.seed = options.seed;
  spec.limit = options.limit;
  return spec;
}

// Adds the cases that need FAULT, which has been checked.
void AddFaultSpecs(const std::string& fault, const std::string& path,
                   const ConformanceOptions& options, std::vector<KitSpec>* to) {
  const KitFault parsed = ParseKitFault(fault).value_or(KitFault());
  for (const KitEntry& entry : FaultCases()) {
    if (entry.fault != parsed.kind) continue;
    if (!options.cases.empty() && !IsNamed(options.cases, entry.name)) continue;
    // The last word of the name of a case of kill-at is its step.
    if (!parsed.step.empty() && !entry.name.ends_with("-" + parsed.step)) continue;
    KitSpec spec = SpecOf(entry, path, options);
    spec.fault = fault;
    // The case also waits for the delay, for the end of the process and for another process.
    spec.limit += 3 * parsed.delay;
    if (parsed.kind == "kill-at") {
      spec.isolation = "process";
      spec.limit += 10s;
    }
    to->push_back(std::move(spec));
  }
}

// Returns the cases of a run, in the order of their lists.
Result<std::vector<KitSpec>> SpecsOf(const std::string& path, const ConformanceOptions& options) {
  DROVER_ASSIGN(std::vector<std::string> faults, CheckedFaults(options));
  std::vector<KitSpec> specs;
  const bool usual = options.faults.empty();
  for (const KitEntry& entry : AllKitCases()) {
    const bool wanted = options.cases.empty() ? usual : IsNamed(options.cases, entry.name);
    if (wanted) specs.push_back(SpecOf(entry, path, options));
  }
  // A case that is named has its fault, even if the fault is not.
  for (const KitFaultKind& known : kKitFaults) {
    if (usual && !options.cases.empty()) faults.push_back(known.kind);
  }
  for (const std::string& fault : faults) AddFaultSpecs(fault, path, options, &specs);
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
  return specs;
}

std::string FamilyOf(const std::string& name) {
  const KitEntry* const entry = FindKitEntry(name);
  return entry == nullptr ? std::string() : entry->family;
}

// Returns the results of a plugin that cannot be loaded for the reason WHY: the case "load" fails,
// and all other cases are skipped.
std::vector<ConformanceResult> Unloadable(const std::vector<KitSpec>& specs, const Error& why) {
  std::vector<ConformanceResult> results;
  for (const KitSpec& spec : specs) {
    ConformanceResult result;
    result.name = spec.name;
    result.family = FamilyOf(spec.name);
    const bool is_load = spec.name == "load";
    result.verdict = is_load || specs.size() == 1 ? Verdict::kFail : Verdict::kSkip;
    result.detail = is_load ? why.message() : "the plugin cannot be loaded";
    results.push_back(std::move(result));
  }
  return results;
}

ConformanceResult RunSpec(const KitSpec& spec, bool in_process) {
  ConformanceResult result;
  const TimePoint began = BootClock::now();
  if (mkdir(spec.directory.c_str(), 0700) != 0) {
    result.name = spec.name;
    result.detail = "mkdir " + spec.directory + ": " + std::strerror(errno);
  } else {
    result = in_process ? RunKitCase(spec, [](Verdict) {}) : RunInChild(spec, spec.limit);
  }
  result.family = FamilyOf(spec.name);
  result.took = BootClock::now() - began;
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
  for (const auto* cases : {&AllKitCases(), &FaultCases()}) {
    for (const KitEntry& entry : *cases)
      all.push_back({entry.name, entry.what, entry.family, entry.fault});
  }
  return all;
}

bool IsOfFamily(const std::string& name, const std::string& family, const std::string& wanted) {
  return !wanted.empty() && (family == wanted || name == wanted || name.starts_with(wanted + "-"));
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
  std::error_code ignored;
  const std::string path = std::filesystem::absolute(file, ignored).string();
  DROVER_ASSIGN(std::vector<KitSpec> specs, SpecsOf(path, options));
  const Result<ProbedPlugin> probed = ProbeForKit(path);
  if (!probed.ok()) {
    std::vector<ConformanceResult> results = Unloadable(specs, probed.error());
    for (const ConformanceResult& result : results) {
      if (on_result) on_result(result);
    }
    return results;
  }
  if (options.cases.empty()) {
    std::erase_if(specs, [&](const KitSpec& spec) { return !IsCaseFor(spec.name, probed->info); });
  }
  const Scratch scratch;
  if (scratch.path().empty()) {
    return Error(Code::kInternal, "no directory for the cases can be made in TMPDIR, or in /tmp");
  }
  for (KitSpec& spec : specs) {
    spec.sha256 = probed->sha256;
    spec.info_json = PluginInfoToJson(probed->info);
    spec.directory = scratch.path() + "/" + spec.name;
  }
  std::vector<ConformanceResult> results(specs.size());
  std::mutex mutex;
  const auto work = [&](std::size_t i) {
    results[i] = RunSpec(specs[i], options.in_process);
    const std::lock_guard lock(mutex);
    if (on_result) on_result(results[i]);
  };
  if (options.in_process) {
    work(0);
  } else {
    RunSideBySide(specs.size(), options.parallel, work);
  }
  return results;
}

}  // namespace drover
