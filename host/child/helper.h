// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"

namespace drover {

struct HelperUser {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
};

// Describes a program that the host runs for a plugin. No text may contain a NUL byte, except the
// input.
struct HelperRun {
  // The first is an absolute path, or a plain name that is looked up in the PATH of ENVIRONMENT.
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // the complete environment, as "NAME=value"
  std::string directory = "/";
  std::optional<HelperUser> user;  // absent: the user of this process
  std::string input;
  std::size_t most_output = 64u << 10;  // of each of both outputs
  std::uint64_t most_memory = 0;        // of the own data of each process; 0: no limit
  Duration limit = 30s;
  // A descriptor of the caller, or -1. When it can be read, the program is ended.
  int stop = -1;
};

struct HelperEnd {
  int exit_code = 0;
  int signal = 0;
  std::string output;
  std::string errors;
  bool output_truncated = false;
  bool errors_truncated = false;
};

// Returns the file that ARGUMENT names. A plain name is looked up in the absolute directories of
// PATH, or of the usual PATH if PATH is absent. A relative path is refused. [any thread]
Result<std::string> FindHelper(const std::string& argument, const std::optional<std::string>& path);

// Runs the program and blocks until it has ended, with any exit code. Returns kTimeout at the
// limit, and kCancelled when STOP can be read. A keeper, a process that runs this program again,
// is between this process and the helper. When the helper has ended, or the calling thread, the
// keeper kills all processes that descend from the helper. [any thread]
Result<HelperEnd> RunHelper(const HelperRun& run);

// Runs the process of a keeper. Descriptors 0, 1 and 2 are those of the helper. Descriptor 3 has
// the description of the helper, and 4 is a pipe for the report of its end. ARGUMENT is the process
// id of the parent.
int RunHelperKeeper(const char* argument);
inline constexpr char kHelperArgument[] = "__run-helper";

}  // namespace drover
