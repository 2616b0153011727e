// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/spec/blocks/artifact.h"

namespace drover {

// What one artifact may cost. The values come from the configuration of the agent.
struct FetchLimits {
  Duration http_time = std::chrono::minutes(30);           // of a download by HTTP, or of a copy
  Duration git_time = std::chrono::minutes(30);            // of a download by git
  std::uint64_t most_bytes = std::uint64_t{100} << 30;     // that are downloaded or copied
  std::uint64_t most_unpacked = std::uint64_t{100} << 30;  // of the files of an archive
  std::uint64_t most_files = 4096;                         // of a directory or an archive
  std::uint64_t most_memory = std::uint64_t{1} << 30;      // of the process that fetches

  bool operator==(const FetchLimits&) const = default;
};

// What the process that fetches has to do. The agent writes it as JSON to that process.
struct FetchOrder {
  Artifact artifact;  // with all references replaced; its destination is not used
  FetchLimits limits;
  std::vector<std::string> file_sources;  // the directories from which files may be copied
  bool without_rules = false;             // see NetworkRights
  bool is_cached = false;                 // the download is the file kFetchCached
  bool keeps_download = false;            // the download stays, so that the agent can keep it

  bool operator==(const FetchOrder&) const = default;
};

std::string FetchOrderToJson(const FetchOrder& order);
Result<FetchOrder> FetchOrderFromJson(const std::string& text);

// What the process has fetched.
struct Fetched {
  std::string path;        // relative to its directory
  bool directory = false;  // whether the content of PATH is the artifact
  std::string filename;    // of a file: its name in the destination; empty: that of the job
};

// The answer of the process: what it has fetched, or an error.
std::string FetchAnswerToJson(const Result<Fetched>& fetched);
// TEXT comes from a process that is not trusted.
Result<Fetched> FetchAnswerFromJson(const std::string& text);

}  // namespace drover
