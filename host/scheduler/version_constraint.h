// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"

namespace drover {

// A version such as 1.2.3-beta.1+build: numbers, a pre-release, and a build, which does not count.
class Version {
 public:
  enum class Form {
    kLoose,   // any number of numbers; the pre-release may follow without a hyphen: 1.2rc1
    kSemver,  // at most three numbers, as semver 2.0 orders them
  };

  static Result<Version> Parse(std::string_view text, Form form);

  // Returns <0, 0 or >0. Missing numbers are 0; a pre-release comes before its version.
  int Compare(const Version& other) const;

  bool is_prerelease() const { return !prerelease_.empty(); }
  // Only the numbers that were written.
  const std::vector<std::uint64_t>& numbers() const { return numbers_; }
  // The number at position AT; 0 if none was written there.
  std::uint64_t number(std::size_t at) const { return at < numbers_.size() ? numbers_[at] : 0; }
  bool HasNumbersOf(const Version& other) const;

 private:
  std::vector<std::uint64_t> numbers_;
  std::vector<std::string> prerelease_;
};

// A condition such as ">= 1.2, < 2.0", all parts of which a version must meet. The loose form has
// two rules of its own. A pre-release only meets a part with = or !=, or one that names a
// pre-release of the same numbers. And ~> wants at least this version, of which only the last
// written number may be higher.
class VersionConstraint {
 public:
  static Result<VersionConstraint> Parse(std::string_view text, Version::Form form);

  // A text that is no version does not meet it.
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
