// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/placement/version_constraint.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace drover {
namespace {

// The maximum length of a version or a constraint in bytes. Both come from clients, and no
// sensible version or constraint is longer.
constexpr std::size_t kMaxVersionText = 256;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsVersionLetter(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '~';
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<std::uint64_t> NumberIn(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || rest != end) return std::nullopt;
  return number;
}

// Splits TEXT at dots into identifiers; absent if one is empty or contains another character than
// letters, digits, hyphens and tildes.
std::optional<std::vector<std::string>> Identifiers(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == '.') {
      if (parts.back().empty()) return std::nullopt;
      parts.emplace_back();
    } else if (IsVersionLetter(c)) {
      parts.back() += c;
    } else {
      return std::nullopt;
    }
  }
  if (parts.back().empty()) return std::nullopt;
  return parts;
}

template <typename T>
int Sign(const T& left, const T& right) {
  return left < right ? -1 : (right < left ? 1 : 0);
}

// Orders numeric identifiers by value. They come before identifiers that contain letters.
int CompareIdentifiers(const std::string& left, const std::string& right) {
  const bool left_is_number = std::all_of(left.begin(), left.end(), IsDigit);
  const bool right_is_number = std::all_of(right.begin(), right.end(), IsDigit);
  if (left_is_number != right_is_number) return left_is_number ? -1 : 1;
  if (!left_is_number) return Sign(left, right);
  // Compares digits as text: the numbers may be too large for any type.
  const auto digits = [](const std::string& text) {
    return std::string_view(text).substr(std::min(text.find_first_not_of('0'), text.size() - 1));
  };
  const std::string_view a = digits(left), b = digits(right);
  return a.size() != b.size() ? Sign(a.size(), b.size()) : Sign(a, b);
}

}  // namespace

Result<Version> Version::Parse(std::string_view text, Form form) {
  const Error wrong(Code::kInvalidArgument,
                    "\"" + std::string(text.substr(0, kMaxVersionText)) + "\" is not a version");
  if (text.size() > kMaxVersionText) return wrong;
  std::string_view rest = text;
  if (rest.starts_with('v')) rest.remove_prefix(1);
  Version version;
  while (true) {
    const auto* const end = std::find_if_not(rest.begin(), rest.end(), IsDigit);
    const auto length = static_cast<std::size_t>(end - rest.begin());
    const std::optional<std::uint64_t> number = NumberIn(rest.substr(0, length));
    if (!number) return wrong;
    version.numbers_.push_back(*number);
    rest.remove_prefix(length);
    if (!rest.starts_with('.')) break;
    rest.remove_prefix(1);
  }
  if (form == Form::kSemver && version.numbers_.size() > 3) return wrong;
  const std::size_t plus = rest.find('+');
  if (plus != std::string_view::npos) {
    if (!Identifiers(rest.substr(plus + 1))) return wrong;
    rest = rest.substr(0, plus);
  }
  if (rest.empty()) return version;
  const bool hyphen = rest.starts_with('-');
  if (!hyphen && form == Form::kSemver) return wrong;
  auto prerelease = Identifiers(hyphen ? rest.substr(1) : rest);
  if (!prerelease) return wrong;
  version.prerelease_ = std::move(*prerelease);
  return version;
}

bool Version::HasNumbersOf(const Version& other) const {
  const std::size_t most = std::max(numbers_.size(), other.numbers_.size());
  for (std::size_t i = 0; i < most; ++i) {
    if (number(i) != other.number(i)) return false;
  }
  return true;
}

int Version::Compare(const Version& other) const {
  const std::size_t most = std::max(numbers_.size(), other.numbers_.size());
  for (std::size_t i = 0; i < most; ++i) {
    if (number(i) != other.number(i)) return Sign(number(i), other.number(i));
  }
  if (is_prerelease() != other.is_prerelease()) return is_prerelease() ? -1 : 1;
  const std::size_t common = std::min(prerelease_.size(), other.prerelease_.size());
  for (std::size_t i = 0; i < common; ++i) {
    const int order = CompareIdentifiers(prerelease_[i], other.prerelease_[i]);
    if (order != 0) return order;
  }
  return Sign(prerelease_.size(), other.prerelease_.size());
}

Result<VersionConstraint> VersionConstraint::Parse(std::string_view text, Version::Form form) {
  if (text.size() > kMaxVersionText) {
    return Error(Code::kInvalidArgument, "a version constraint has at most 256 characters");
  }
  VersionConstraint constraint;
  constraint.form_ = form;
  while (true) {
    const std::size_t comma = text.find(',');
    std::string_view part = Trimmed(text.substr(0, comma));
    const std::size_t begin = std::min(part.find_first_not_of("=!<>~"), part.size());
    Part parsed{std::string(part.substr(0, begin)), {}};
    if (parsed.operand.empty()) parsed.operand = "=";
    static constexpr std::string_view kOperands[] = {"=", "!=", ">", ">=", "<", "<=", "~>"};
    const bool known = std::find(std::begin(kOperands), std::end(kOperands), parsed.operand) !=
                       std::end(kOperands);
    if (!known || (parsed.operand == "~>" && form == Version::Form::kSemver)) {
      return Error(Code::kInvalidArgument,
                   "\"" + std::string(part) +
                       "\" has an unknown operator: use =, !=, >, >=, <, <=" +
                       (form == Version::Form::kSemver ? "" : ", ~>"));
    }
    DROVER_ASSIGN(parsed.version, Version::Parse(Trimmed(part.substr(begin)), form));
    constraint.parts_.push_back(std::move(parsed));
    if (comma == std::string_view::npos) return constraint;
    text.remove_prefix(comma + 1);
  }
}

bool VersionConstraint::IsMetBy(std::string_view text) const {
  const Result<Version> version = Version::Parse(Trimmed(text), form_);
  return version.ok() && std::all_of(parts_.begin(), parts_.end(),
                                     [&](const Part& part) { return Meets(*version, part); });
}

bool VersionConstraint::Meets(const Version& version, const Part& part) const {
  const int order = version.Compare(part.version);
  if (part.operand == "=") return order == 0;
  if (part.operand == "!=") return order != 0;
  if (form_ == Version::Form::kLoose && version.is_prerelease() &&
      !(part.version.is_prerelease() && version.HasNumbersOf(part.version))) {
    return false;
  }
  if (part.operand == ">") return order > 0;
  if (part.operand == ">=") return order >= 0;
  if (part.operand == "<") return order < 0;
  if (part.operand == "<=") return order <= 0;
  if (part.version.is_prerelease() && !version.is_prerelease()) return false;
  for (std::size_t i = 0; i + 1 < part.version.numbers().size(); ++i) {
    if (version.number(i) != part.version.number(i)) return false;
  }
  return order >= 0;
}

}  // namespace drover
