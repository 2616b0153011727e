// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "host/base/ids.h"
#include "host/base/result.h"

namespace drover {

// The names of the processes that runs have beside their own process, each with the random id of
// the process. They are in a file `<run>.named` in the run directory, in which only the agent can
// write. So the next agent finds the processes even if this agent was killed. A run without such
// processes has no file. Control thread only.
class NamedNotes {
 public:
  using Names = std::map<std::string, RunId>;
  static constexpr std::size_t kMaxNames = 15;       // of a run
  static constexpr std::size_t kMaxNameLength = 32;  // in bytes

  // DIRECTORY is borrowed.
  explicit NamedNotes(int directory) : directory_(directory) {}

  // Returns true if NAME can be the name of a process: letters, digits, "-" and "_".
  static bool IsName(const std::string& name);

  // Returns false if RUN surely has no names.
  bool Any(const RunId& run) const;
  // The error is kUnavailable if the names cannot be read now.
  Result<Names> Read(const RunId& run) const;
  // Adds NAME in a durable step, and returns its id. The error is kFailedPrecondition if the run
  // has the name already, and kResourceExhausted if it has too many.
  Result<RunId> Add(const RunId& run, const std::string& name) const;
  // Both remove in a durable step. They succeed if there is nothing to remove.
  Status Remove(const RunId& run, const std::string& name) const;
  Status RemoveAll(const RunId& run) const;

 private:
  const int directory_;
};

}  // namespace drover
