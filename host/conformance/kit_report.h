// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/conformance/conformance.h"

// The reports of a run of the kit, for programs: JSON lines, and the XML of JUnit.
namespace drover {

// A run of the kit, with everything that someone needs to repeat it.
struct KitRun {
  std::string file;
  // The next four members are empty if the file could not be opened.
  std::string sha256;
  std::string driver;
  std::string driver_version;
  std::string driver_abi;            // "1.0": the major, and the lowest minor that the driver needs
  std::uint32_t min_host_minor = 0;  // that minor alone
  std::string host_version;
  std::string host_abi;       // "1.0"
  std::string place;          // where the driver's code ran: "in-process" or "process"
  std::string kit_file;       // empty if there was none
  std::string plugin_config;  // as it was given, or empty
  std::string task_config;    // as it was given, or empty
  std::vector<std::string> faults;
  std::uint64_t seed = 0;
};

// Returns a description of the run of FILE with OPTIONS. Reads the file.
KitRun DescribeKitRun(const std::string& file, const ConformanceOptions& options,
                      const std::string& host_version);

// What the user requires of a run, beyond that no case fails.
struct KitDemands {
  std::optional<std::uint64_t> max_skips;
  std::vector<std::string> families;  // no case of these families may be skipped
};

// Returns an error if a family of DEMANDS has no case at all.
Status CheckDemands(const KitDemands& demands);
// Returns one sentence for each demand that RESULTS do not meet.
std::vector<std::string> UnmetDemands(const KitDemands& demands,
                                      const std::vector<ConformanceResult>& results);

// The objects of the JSON lines. The member "Type" of each says which it is: "run", "case" or
// "summary".
nlohmann::json KitRunJson(const KitRun& run);
nlohmann::json KitCaseJson(const ConformanceResult& result);
nlohmann::json KitSummaryJson(const std::vector<ConformanceResult>& results,
                              const KitDemands& demands);

// Returns the results as the XML document of JUnit that CI systems read.
std::string KitJunitXml(const KitRun& run, const std::vector<ConformanceResult>& results,
                        const KitDemands& demands);

// Returns TEXT as the content of an XML element or attribute. Characters that XML cannot represent
// become U+FFFD.
std::string XmlText(std::string_view text);

long CountVerdicts(const std::vector<ConformanceResult>& results, Verdict verdict);

}  // namespace drover
