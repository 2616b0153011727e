// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/find_subdir.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "host/artifact/staged_files.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

// More paths than these match no pattern that somebody means.
constexpr std::size_t kMostMatches = 1000;

// Returns the names in DIR that match PATTERN.
std::vector<std::string> MatchingNames(int dir, const std::string& pattern) {
  std::vector<std::string> names;
  Result<UniqueFd> copy = OpenStaged(dir, ".", O_RDONLY | O_DIRECTORY);
  if (!copy.ok()) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(copy->get()), closedir);
  if (!entries) return names;
  (void)copy->Release();  // the stream owns it now
  while (const dirent* entry = readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == ".." || names.size() > kMostMatches) continue;
    if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) names.push_back(name);
  }
  return names;
}

}  // namespace

Result<std::string> FindSubdir(int dir, const std::string& pattern) {
  std::vector<std::string> found = {""};
  for (std::size_t begin = 0; begin < pattern.size();) {
    const std::size_t end = std::min(pattern.find('/', begin), pattern.size());
    const std::string part = pattern.substr(begin, end - begin);
    begin = end + 1;
    std::vector<std::string> next;
    for (const std::string& path : found) {
      const Result<UniqueFd> at = OpenStaged(dir, path, O_RDONLY | O_DIRECTORY);
      if (!at.ok()) continue;
      for (const std::string& name : MatchingNames(at->get(), part)) {
        if (next.size() > kMostMatches) break;
        next.push_back(path.empty() ? name : path + "/" + name);
      }
    }
    found = std::move(next);
  }
  if (found.size() == 1) return found.front();
  return Error(Code::kInvalidArgument,
               "the subdirectory " + Quoted(pattern) +
                   (found.empty() ? " is not there" : " matches several paths"));
}

}  // namespace drover
