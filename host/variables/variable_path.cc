// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/variables/variable_path.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

constexpr std::size_t kMostNamespace = 128;

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool MayBeInPath(char c) {
  return IsLetterOrDigit(c) || c == '-' || c == '_' || c == '~' || c == '/';
}

Error InvalidPath(std::string why) { return Error(Code::kInvalidArgument, std::move(why)); }

// Returns whether PATH is BELOW itself, or a path below it.
bool IsAtOrBelow(std::string_view path, std::string_view below) {
  return path.starts_with(below) && (path.size() == below.size() || path[below.size()] == '/');
}

// Checks a path below "nomad", or that path itself.
Status CheckReserved(const std::string& path) {
  constexpr std::string_view kTemplates = "nomad/job-templates";
  if (IsAtOrBelow(path, "nomad/jobs")) return {};
  if (!IsAtOrBelow(path, kTemplates)) {
    return InvalidPath(
        "the path " + Quoted(path) +
        " is reserved: below \"nomad\" variables may only be at \"nomad/jobs\", below "
        "it, and at \"nomad/job-templates/NAME\"");
  }
  const bool has_name =
      path.size() > kTemplates.size() && path.find('/', kTemplates.size() + 1) == std::string::npos;
  if (has_name) return {};
  return InvalidPath("the path " + Quoted(path) +
                     " is reserved: the path of a job template is \"nomad/job-templates/NAME\"");
}

}  // namespace

Status CheckVariablePath(const std::string& path) {
  const bool is_plain = !path.empty() && path.size() <= kMostVariablePath &&
                        std::all_of(path.begin(), path.end(), MayBeInPath);
  if (!is_plain) {
    return InvalidPath("invalid path " + Quoted(path) + ": a path has 1 to " +
                       std::to_string(kMostVariablePath) +
                       " letters, digits, \"-\", \"_\", \"~\" and \"/\"");
  }
  if (path.starts_with('/') || path.ends_with('/') || path.find("//") != std::string::npos) {
    return InvalidPath("invalid path " + Quoted(path) + ": it has an empty part: remove a \"/\"");
  }
  return IsAtOrBelow(path, "nomad") ? CheckReserved(path) : Status();
}

Status CheckVariableNamespace(const std::string& name) {
  const bool is_plain =
      !name.empty() && name.size() <= kMostNamespace &&
      std::all_of(name.begin(), name.end(), [](char c) { return IsLetterOrDigit(c) || c == '-'; });
  if (is_plain) return {};
  return InvalidPath("invalid namespace " + Quoted(name) + ": a namespace has 1 to " +
                     std::to_string(kMostNamespace) + " letters, digits and \"-\"");
}

}  // namespace drover
