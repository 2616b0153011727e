// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"

namespace drover {

// A version such as 1.2.3-beta.1+build. It has numbers, a pre-release, and a build, which
// comparisons ignore.
class Version {
 public:
  enum class Form {
    kLoose,   // any count of numbers; a pre-release needs no hyphen, as in 1.2rc1
    kSemver,  // at most three numbers, with the order of semver 2.0
  };

  static Result<Version> Parse(std::string_view text, Form form);

  // Returns a negative value if this version is lower than OTHER, 0 if both are equal, and a
  // positive value if it is higher. Missing numbers count as 0. A pre-release is lower than its
  // version.
  int Compare(const Version& other) const;

  bool is_prerelease() const { return !prerelease_.empty(); }
  // Returns the numbers in the text of the version, without zeros for missing numbers.
  const std::vector<std::uint64_t>& numbers() const { return numbers_; }
  // Returns the number at position AT; 0 if the text of the version has none there.
  std::uint64_t number(std::size_t at) const { return at < numbers_.size() ? numbers_[at] : 0; }
  bool HasNumbersOf(const Version& other) const;

 private:
  std::vector<std::uint64_t> numbers_;
  std::vector<std::string> prerelease_;
};

// A condition such as ">= 1.2, < 2.0". A version must meet all parts of the condition. The loose
// form has two special rules. First, a pre-release meets a part with <, <=, >, >= or ~> only if
// that part names a pre-release of the same numbers. Second, ~> requires at least the given
// version, and equal numbers except for the last given number: "~> 1.2" allows 1.9, but not 2.0.
class VersionConstraint {
 public:
  static Result<VersionConstraint> Parse(std::string_view text, Version::Form form);

  // Returns whether VERSION meets the condition; false if VERSION is not a version.
  bool IsMetBy(std::string_view version) const;

 private:
  struct Part {
    std::string operand;
    Version version;
  };

  bool Meets(const Version& version, const Part& part) const;

  Version::Form form_ = Version::Form::kLoose;
  std::vector<Part> parts_;
};

}  // namespace drover
