// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/spec/job_faults.h"

namespace drover {

// What a task's directory gets from elsewhere before the task starts.
struct Artifact {
  // kAny: a file comes into the directory DESTINATION, and an archive or a directory becomes its
  // content. kFile: DESTINATION is the file. kDir: the source must be an archive or a directory.
  enum class Mode { kAny, kFile, kDir };

  std::string source;                  // as go-getter reads it; may contain ${...}
  std::string destination = "local/";  // relative to the task's directory; may contain ${...}
  Mode mode = Mode::kAny;              //
  std::map<std::string, std::string> options;  // parameters that are added to the source
  std::map<std::string, std::string> headers;  // of HTTP requests; may be secrets
  bool insecure = false;                       // no certificate is checked
  bool chown = false;                          // the files belong to the user of the task

  bool operator==(const Artifact&) const = default;
};
std::string_view ArtifactModeName(Artifact::Mode mode);  // such as "any"

inline constexpr std::size_t kMostArtifacts = 64;             // of a task
inline constexpr std::size_t kMostArtifactBytes = 32u << 10;  // of all texts of one

// Returns where DESTINATION of the task TASK is in the allocation directory, without "." and "..":
// such as "web/local/conf" or "alloc/data". Returns nothing for a place that an artifact must not
// change: outside of the allocation directory, in the directory of another task, a directory of the
// agent, and the top of the allocation directory or of its shared directory.
std::optional<std::string> ArtifactPlace(std::string_view task, std::string_view destination);

// Adds the faults of the artifacts of the task TASK to FAULTS. POINTER is the JSON pointer of the
// task.
void CheckArtifacts(const std::vector<Artifact>& artifacts, std::string_view task,
                    const std::string& pointer, JobFaults* faults);

}  // namespace drover
