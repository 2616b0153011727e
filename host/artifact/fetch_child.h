// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace drover {

// The first argument of the process that fetches an artifact.
inline constexpr char kFetchArgument[] = "fetch-artifact";

// The descriptors of that process.
enum FetchDescriptor : int {
  kFetchOrder = 0,     // a file with FetchOrderToJson
  kFetchInto = 3,      // its directory
  kFetchAnswer = 4,    // gets FetchAnswerToJson
  kFetchProgress = 5,  // see StoreProgress
  kFetchCached = 6,    // see FetchOrder::is_cached
};

// The name of a download in that directory.
inline constexpr char kFetchDownload[] = "download";

// Returns the files and directories of the machine that this process may read, beside the sources
// of Kind::kFile.
std::vector<std::string> SystemFilesOfFetches(bool by_git);

// A program that fetches artifacts must call this function first in main(). In the process that
// fetches, gives up all rights but those to the network and to its directory, does what the order
// says and ends. In any other process, returns nothing.
std::optional<int> MaybeRunFetchChild(int argc, char** argv);

}  // namespace drover
