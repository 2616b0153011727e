// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/periodic/cron_field.h"

#include <algorithm>
#include <optional>
#include <string>

#include "host/base/text.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

// Returns whether A and B are equal but for the case of ASCII letters.
bool Equal(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, [&lower](char x, char y) { return lower(x) == lower(y); });
}

Error WrongField(const CronFieldKind& kind, const std::string& what) {
  return Error(Code::kInvalidArgument, std::string("the field of ") + kind.name + ": " + what);
}

std::optional<int> Named(std::string_view text, const CronFieldKind& kind) {
  int value = kind.first;
  for (const std::string_view name : kind.names) {
    if (Equal(text, name) || Equal(text, name.substr(0, 3))) return value;
    ++value;
  }
  return std::nullopt;
}

Status ReadElement(std::string_view element, const CronFieldKind& kind,
                   const std::function<void(int)>& set) {
  int first = kind.first, last = kind.last, step = 1;
  const std::size_t slash = element.find('/');
  const std::string_view base = element.substr(0, slash);
  if (slash != std::string_view::npos) {
    const auto number = ParseNumber<int>(element.substr(slash + 1));
    if (!number || *number < 1) {
      return WrongField(kind, Quoted(element) + " needs a step of at least 1 after the slash");
    }
    step = *number;
  }
  if (base != "*" && base != "?") {
    const std::size_t dash = base.find('-');
    DROVER_ASSIGN(first, ReadCronValue(base.substr(0, dash), kind));
    if (dash != std::string_view::npos) {
      DROVER_ASSIGN(last, ReadCronValue(base.substr(dash + 1), kind));
    } else if (slash == std::string_view::npos) {
      last = first;  // a value with a step goes on to the end, as in 5/15
    }
    if (last < first) return WrongField(kind, "the range " + Quoted(element) + " goes backwards");
  }
  for (int value = first; value <= last; value += std::min(step, kind.last + 1)) set(value);
  return {};
}

}  // namespace

Result<int> ReadCronValue(std::string_view text, const CronFieldKind& kind) {
  if (const auto named = Named(text, kind)) return *named;
  const auto number = ParseNumber<int>(text);
  if (number && *number >= kind.first && *number <= kind.last) return *number;
  if (number && *number >= 0 && *number == kind.also) return *number;
  return WrongField(kind, Quoted(text) + " is none of " + std::to_string(kind.first) + " to " +
                              std::to_string(kind.last));
}

Status ReadCronField(std::string_view field, const CronFieldKind& kind,
                     const std::function<void(int)>& set,
                     const std::function<Result<bool>(std::string_view)>& special) {
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(field.find(',', begin), field.size());
    const std::string_view element = field.substr(begin, end - begin);
    bool read = false;
    if (special) {
      DROVER_ASSIGN(read, special(element));
    }
    if (!read) DROVER_TRY(ReadElement(element, kind, set));
    if (end == field.size()) return {};
    begin = end + 1;
  }
}

}  // namespace drover
