// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/kit_report.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "drover/drover.h"
#include "host/base/utf8.h"
#include "host/library/plugin_file.h"

namespace drover {
namespace {

using ReportJson = nlohmann::json;

std::string AbiVersionText(std::uint32_t major, std::uint32_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

double SecondsOf(Duration took) { return std::chrono::duration<double>(took).count(); }

std::string SecondsText(Duration took) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", SecondsOf(took));
  return text;
}

ReportJson TextOrNull(const std::string& text) {
  return text.empty() ? ReportJson(nullptr) : ReportJson(text);
}

bool Succeeded(Verdict verdict) {
  return verdict == Verdict::kPass || verdict == Verdict::kSkip || verdict == Verdict::kWarn;
}

std::string Attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + XmlText(value) + "\"";
}

std::string Property(const char* name, const std::string& value) {
  return "      <property" + Attribute("name", name) + Attribute("value", value) + "/>\n";
}

std::string TestCaseXml(const KitRun& run, const ConformanceResult& result) {
  const std::string family = result.family.empty() ? result.name : result.family;
  std::string xml = "    <testcase" + Attribute("name", result.name) +
                    Attribute("classname", "drover." + run.driver + "." + family) +
                    Attribute("time", SecondsText(result.took));
  if (result.verdict == Verdict::kPass) return xml + "/>\n";
  xml += ">\n";
  const std::string first = result.detail.substr(0, result.detail.find('\n'));
  const std::string type(VerdictName(result.verdict));
  if (result.verdict == Verdict::kSkip) {
    xml += "      <skipped" + Attribute("message", result.detail) + "/>\n";
  } else if (result.verdict == Verdict::kWarn) {
    xml += "      <system-out>" + XmlText(type + ": " + result.detail) + "</system-out>\n";
  } else {
    const char* const element = result.verdict == Verdict::kFail ? "failure" : "error";
    xml += std::string("      <") + element + Attribute("type", type) +
           Attribute("message", first) + ">" + XmlText(result.detail) + "</" + element + ">\n";
  }
  return xml + "    </testcase>\n";
}

}  // namespace

long CountVerdicts(const std::vector<ConformanceResult>& results, Verdict verdict) {
  return std::count_if(results.begin(), results.end(),
                       [verdict](const auto& result) { return result.verdict == verdict; });
}

KitRun DescribeKitRun(const std::string& file, const ConformanceOptions& options,
                      const std::string& host_version) {
  KitRun run;
  run.file = file;
  run.host_version = host_version;
  run.host_abi = AbiVersionText(DROVER_ABI_MAJOR, DROVER_ABI_MINOR);
  run.place = options.isolation;
  run.plugin_config = options.plugin_config;
  run.task_config = options.task_config;
  run.seed = options.seed;
  // If the file cannot be opened, the result of the case "load" contains the reason.
  std::error_code ignored;
  const std::string path = std::filesystem::absolute(file, ignored).string();
  if (const Result<PluginFile> opened = OpenPluginFile(path, ""); opened.ok()) {
    run.sha256 = opened->sha256;
    run.driver = opened->manifest.name;
    run.driver_version = opened->manifest.version;
    run.min_host_minor = opened->manifest.min_host_minor;
    run.driver_abi = AbiVersionText(opened->manifest.abi_major, run.min_host_minor);
  }
  return run;
}

Status CheckDemands(const KitDemands& demands) {
  const std::vector<ConformanceCase> cases = ConformanceCases();
  for (const std::string& wanted : demands.families) {
    const bool known = std::any_of(cases.begin(), cases.end(), [&](const ConformanceCase& one) {
      return IsOfFamily(one.name, one.family, wanted);
    });
    if (!known) {
      return Error(Code::kInvalidArgument, "--require \"" + wanted +
                                               "\": no case has this name or family: --list "
                                               "prints both");
    }
  }
  return {};
}

std::vector<std::string> UnmetDemands(const KitDemands& demands,
                                      const std::vector<ConformanceResult>& results) {
  std::vector<std::string> unmet;
  const long skipped = CountVerdicts(results, Verdict::kSkip);
  if (demands.max_skips && static_cast<std::uint64_t>(skipped) > *demands.max_skips) {
    unmet.push_back(std::to_string(skipped) + " cases were skipped, --max-skips allows " +
                    std::to_string(*demands.max_skips) +
                    ": their lines say what they need, most often a kit file or --task-config");
  }
  for (const std::string& wanted : demands.families) {
    long ran = 0;
    for (const ConformanceResult& result : results) {
      if (!IsOfFamily(result.name, result.family, wanted)) continue;
      ++ran;
      if (result.verdict != Verdict::kSkip) continue;
      unmet.push_back("--require " + wanted + ": " + result.name +
                      " was skipped: " + result.detail);
    }
    if (ran == 0) unmet.push_back("--require " + wanted + ": this run has no such case");
  }
  return unmet;
}

ReportJson KitRunJson(const KitRun& run) {
  return {{"Type", "run"},
          {"File", run.file},
          {"Sha256", TextOrNull(run.sha256)},
          {"Driver", TextOrNull(run.driver)},
          {"DriverVersion", TextOrNull(run.driver_version)},
          {"DriverAbi", TextOrNull(run.driver_abi)},
          {"MinHostMinor", run.min_host_minor},
          {"HostVersion", run.host_version},
          {"HostAbi", run.host_abi},
          {"Place", run.place},
          {"KitFile", TextOrNull(run.kit_file)},
          {"PluginConfig", run.plugin_config},
          {"TaskConfig", run.task_config},
          {"Faults", run.faults},
          {"Seed", run.seed}};
}

ReportJson KitCaseJson(const ConformanceResult& result) {
  return {{"Type", "case"},
          {"Name", result.name},
          {"Family", TextOrNull(result.family)},
          {"Verdict", VerdictName(result.verdict)},
          {"Detail", result.detail},
          {"Seconds", SecondsOf(result.took)}};
}

ReportJson KitSummaryJson(const std::vector<ConformanceResult>& results,
                          const KitDemands& demands) {
  const std::vector<std::string> unmet = UnmetDemands(demands, results);
  ReportJson json = {{"Type", "summary"},
                     {"Cases", results.size()},
                     {"Passed", CountVerdicts(results, Verdict::kPass)},
                     {"Failed", CountVerdicts(results, Verdict::kFail)},
                     {"Crashed", CountVerdicts(results, Verdict::kCrash)},
                     {"TimedOut", CountVerdicts(results, Verdict::kTimeout)},
                     {"Skipped", CountVerdicts(results, Verdict::kSkip)},
                     {"Warned", CountVerdicts(results, Verdict::kWarn)},
                     {"MaxSkips", nullptr},
                     {"Required", demands.families},
                     {"Unmet", unmet},
                     {"Conforms", AllConform(results) && unmet.empty()}};
  if (demands.max_skips) json["MaxSkips"] = *demands.max_skips;
  return json;
}

std::string KitJunitXml(const KitRun& run, const std::vector<ConformanceResult>& results,
                        const KitDemands& demands) {
  const std::vector<std::string> unmet = UnmetDemands(demands, results);
  const long failures = CountVerdicts(results, Verdict::kFail);
  long bad = 0;
  Duration took{0};
  for (const ConformanceResult& result : results) {
    bad += Succeeded(result.verdict) ? 0 : 1;
    took += result.took;
  }
  // A demand that is not met is a test case of its own, so that CI systems show it.
  const std::size_t tests = results.size() + (unmet.empty() ? 0 : 1);
  const std::string counts =
      Attribute("tests", std::to_string(tests)) +
      Attribute("failures", std::to_string(failures + (unmet.empty() ? 0 : 1))) +
      Attribute("errors", std::to_string(bad - failures)) +
      Attribute("skipped", std::to_string(CountVerdicts(results, Verdict::kSkip))) +
      Attribute("time", SecondsText(took));
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts + ">\n";
  xml += "  <testsuite" + Attribute("name", "drover plugin test " + run.driver) + counts + ">\n";
  xml += "    <properties>\n";
  xml += Property("file", run.file);
  xml += Property("sha256", run.sha256);
  xml += Property("driver", run.driver);
  xml += Property("driver_version", run.driver_version);
  xml += Property("abi", run.driver_abi);
  xml += Property("min_host_minor", std::to_string(run.min_host_minor));
  xml += Property("host_version", run.host_version);
  xml += Property("host_abi", run.host_abi);
  xml += Property("place", run.place);
  xml += Property("seed", std::to_string(run.seed));
  if (!run.kit_file.empty()) xml += Property("kit_file", run.kit_file);
  if (!run.plugin_config.empty()) xml += Property("plugin_config", run.plugin_config);
  if (!run.task_config.empty()) xml += Property("task_config", run.task_config);
  for (const std::string& fault : run.faults) xml += Property("fault", fault);
  xml += "    </properties>\n";
  for (const ConformanceResult& result : results) xml += TestCaseXml(run, result);
  if (!unmet.empty()) {
    std::string all;
    for (const std::string& one : unmet) all += (all.empty() ? "" : "\n") + one;
    xml += TestCaseXml(run, {"demands", "", Verdict::kFail, all, Duration(0)});
  }
  return xml + "  </testsuite>\n</testsuites>\n";
}

std::string XmlText(std::string_view text) {
  static constexpr std::string_view kUnknown = "\xef\xbf\xbd";  // U+FFFD
  std::string xml;
  while (!text.empty()) {
    const Utf8Character next = FirstCharacter(text);
    const std::size_t length = std::max<std::size_t>(next.length, 1);
    const char32_t c = next.value;
    const bool allowed = next.length > 0 && c != 0xFFFE && c != 0xFFFF && c != 0x7F &&
                         (c >= 0x20 || c == '\t' || c == '\n' || c == '\r');
    if (!allowed) {
      xml += kUnknown;
    } else if (c == '<') {
      xml += "&lt;";
    } else if (c == '>') {
      xml += "&gt;";
    } else if (c == '&') {
      xml += "&amp;";
    } else if (c == '"') {
      xml += "&quot;";
    } else if (c == '\'') {
      xml += "&apos;";
    } else if (c < 0x20) {  // in an attribute such a character would otherwise become a space
      xml += "&#" + std::to_string(static_cast<unsigned>(c)) + ";";
    } else {
      xml += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return xml;
}

}  // namespace drover
