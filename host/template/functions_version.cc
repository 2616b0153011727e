// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/govalues/go_number.h"
#include "host/govalues/go_text.h"
#include "host/template/function.h"
#include "host/template/render_state.h"

// The functions of versions (semver.org), and what they may be required to be.
namespace drover::templates {
namespace {

constexpr std::size_t kLongestText = 4 << 10;

struct Version {
  std::array<std::uint64_t, 3> numbers{};
  std::size_t given = 3;  // numbers; the others are wildcards in a requirement
  std::string prerelease;
};

bool IsWildcard(std::string_view part) { return part == "x" || part == "X" || part == "*"; }

// Reads a version such as v1.2.3-rc.1+build. Numbers may be missing.
std::optional<Version> ReadVersion(std::string_view text, bool wildcards) {
  if (text.starts_with('v')) text.remove_prefix(1);
  text = text.substr(0, text.find('+'));
  Version version;
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos) version.prerelease = text.substr(dash + 1);
  if (dash != std::string_view::npos && version.prerelease.empty()) return std::nullopt;
  const std::vector<std::string> parts = Split(text.substr(0, dash), ".");
  if (parts.size() > 3) return std::nullopt;
  version.given = parts.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (wildcards && IsWildcard(parts[i])) {
      version.given = std::min(version.given, i);
      continue;
    }
    const std::optional<std::uint64_t> number = ParseUint(parts[i], 10);
    if (!number) return std::nullopt;
    version.numbers[i] = *number;
  }
  return version;
}

// Compares parts of a prerelease: numbers are less than words.
int ComparePart(const std::string& a, const std::string& b) {
  const auto a_number = ParseUint(a, 10), b_number = ParseUint(b, 10);
  if (a_number && b_number) return *a_number < *b_number ? -1 : (*a_number > *b_number ? 1 : 0);
  if (a_number || b_number) return a_number ? -1 : 1;
  return a < b ? -1 : (a > b ? 1 : 0);
}

int CompareVersions(const Version& a, const Version& b) {
  if (a.numbers != b.numbers) return a.numbers < b.numbers ? -1 : 1;
  if (a.prerelease == b.prerelease) return 0;
  if (a.prerelease.empty()) return 1;
  if (b.prerelease.empty()) return -1;
  const std::vector<std::string> a_parts = Split(a.prerelease, "."),
                                 b_parts = Split(b.prerelease, ".");
  for (std::size_t i = 0; i < a_parts.size() && i < b_parts.size(); ++i) {
    if (const int order = ComparePart(a_parts[i], b_parts[i]); order != 0) return order;
  }
  return a_parts.size() < b_parts.size() ? -1 : 1;
}

struct Requirement {
  std::string operation;
  Version version;
};

// Returns whether the first COUNT numbers of both are the same.
bool HaveSameNumbers(const Version& a, const Version& b, std::size_t count) {
  return std::equal(a.numbers.begin(), a.numbers.begin() + static_cast<std::ptrdiff_t>(count),
                    b.numbers.begin());
}

bool IsCompatible(const Version& version, const Version& with) {
  if (with.given == 0) return true;
  if (CompareVersions(version, with) < 0 || version.numbers[0] != with.numbers[0]) return false;
  if (with.numbers[0] > 0 || with.given == 1) return true;
  if (version.numbers[1] != with.numbers[1]) return false;
  if (with.numbers[1] > 0 || with.given == 2) return true;
  return version.numbers[2] == with.numbers[2];
}

bool Meets(const Version& version, const Requirement& requirement) {
  const Version& with = requirement.version;
  const std::string& operation = requirement.operation;
  // A prerelease is only wanted by who names one.
  if (!version.prerelease.empty() && with.prerelease.empty() && operation != "!=") return false;
  const int order = CompareVersions(version, with);
  const bool same = HaveSameNumbers(version, with, with.given);
  const bool partial = with.given < 3;
  if (operation == "!=") return partial ? !same : order != 0;
  if (operation == ">") return partial ? order > 0 && !same : order > 0;
  if (operation == "<") return order < 0;
  if (operation == ">=" || operation == "=>") return order >= 0;
  if (operation == "<=" || operation == "=<") return partial ? order <= 0 || same : order <= 0;
  if (operation == "^") return IsCompatible(version, with);
  const bool tilde = operation == "~" || operation == "~>";
  if (tilde)
    return order >= 0 && HaveSameNumbers(version, with, std::min<std::size_t>(2, with.given));
  return partial ? same : order == 0;
}

Error WrongRequirement() { return CallError("improper constraint: the text is no requirement"); }

// Reads requirements that must all be met, such as ">= 1.2, < 2" or "1.2 - 1.4".
Result<std::vector<Requirement>> ReadRequirements(std::string_view all) {
  std::vector<Requirement> requirements;
  std::string text = ReplaceAll(all, " - ", "\n");
  for (std::string part : Split(ReplaceAll(text, ",", " "), " ")) {
    if (part.empty()) continue;
    const std::size_t range = part.find('\n');
    const auto add = [&](std::string operation, std::string_view of) {
      const std::optional<Version> version = ReadVersion(of, true);
      if (version) requirements.push_back({std::move(operation), *version});
      return version.has_value();
    };
    if (range != std::string::npos) {
      if (!add(">=", part.substr(0, range)) || !add("<=", part.substr(range + 1))) {
        return WrongRequirement();
      }
      continue;
    }
    const std::size_t end = std::min(part.find_first_not_of("=<>!~^"), part.size());
    // An operation may stand alone, before a blank.
    const bool continues = !requirements.empty() && requirements.back().operation.ends_with(' ');
    std::string operation = part.substr(0, end);
    if (continues && end == 0) {
      operation = requirements.back().operation;
      operation.pop_back();
      requirements.pop_back();
    }
    if (end == part.size()) {
      requirements.push_back({operation + " ", {}});
    } else if (!add(operation, std::string_view(part).substr(end))) {
      return WrongRequirement();
    }
  }
  if (requirements.empty() || requirements.back().operation.ends_with(' '))
    return WrongRequirement();
  return requirements;
}

Result<Value> VersionCompare(const Call& call) {
  if (call.text(0).size() > kLongestText || call.text(1).size() > kLongestText) {
    return CallError("the text is too long for a version");
  }
  const std::optional<Version> version = ReadVersion(call.text(1), false);
  if (!version) return CallError("invalid semantic version: the text is no version");
  bool meets = false;
  for (const std::string& one : Split(call.text(0), "||")) {
    DROVER_ASSIGN(const std::vector<Requirement> all, ReadRequirements(one));
    meets = meets ||
            std::ranges::all_of(all, [&](const Requirement& of) { return Meets(*version, of); });
  }
  return Value::Bool(meets);
}

constexpr Function kVersionFunctions[] = {{"sprig_semverCompare", "ss", VersionCompare}};

}  // namespace

FunctionSpan VersionFunctions() { return kVersionFunctions; }

}  // namespace drover::templates
