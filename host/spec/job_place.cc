// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/job_place.h"

#include "host/base/unseen_text.h"
#include "host/spec/job_limits.h"

namespace drover::job_checks {
namespace {

bool IsControl(char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }

}  // namespace

bool HasControl(std::string_view text) {
  for (const char c : text) {
    if (IsControl(c)) return true;
  }
  return HasUnseen(text);
}

bool IsPlain(std::string_view text, std::string_view more) {
  for (const char c : text) {
    const bool alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!alnum && more.find(c) == std::string_view::npos) return false;
  }
  return true;
}

bool CheckText(std::string_view text, const JobPlace& at) {
  if (text.empty()) {
    at.Fault("is missing");
  } else if (text.size() > kMaxName) {
    at.Fault("is longer than " + std::to_string(kMaxName) + " bytes");
  } else if (HasControl(text)) {
    at.Fault(Quoted(text) + " holds a control character or an invisible one");
  } else {
    return true;
  }
  return false;
}

void CheckMap(const StringMap& map, bool env, const JobPlace& at) {
  for (const auto& [key, value] : map) {
    if (key.empty()) at.Fault("has an empty key");
    if (env && key.find('=') != std::string::npos) (at / key).Fault("the name holds a \"=\"");
  }
}

void CheckLength(Duration duration, const JobPlace& at) {
  if (duration <= kLongestOfJob) return;
  at.Fault("must be at most " + FormatDuration(kLongestOfJob) + " (100 years), but is " +
           FormatDuration(duration));
}

void CheckDuration(Duration duration, const JobPlace& at) {
  if (duration < 0s) at.Fault("must not be negative, but is " + FormatDuration(duration));
  CheckLength(duration, at);
}

bool CheckMost(std::int64_t value, std::int64_t most, const JobPlace& at) {
  if (value <= most) return true;
  at.Fault("must be at most " + std::to_string(most) + ", but is " + std::to_string(value));
  return false;
}

}  // namespace drover::job_checks
