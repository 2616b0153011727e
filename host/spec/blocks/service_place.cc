// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/service_place.h"

namespace drover::job_checks {

bool HasVariable(const std::string& text) { return text.find("${") != std::string::npos; }

std::string WithoutVariables(const std::string& text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const bool opens = text.compare(at, 2, "${") == 0;
    const std::size_t end = opens ? text.find('}', at) : std::string::npos;
    out += end == std::string::npos ? text[at] : 'x';
    at = end == std::string::npos ? at + 1 : end + 1;
  }
  return out;
}

bool IsPort(const std::string& text) {
  if (text.empty() || text.size() > 5) return false;
  int number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + (c - '0');
  }
  return number >= 1 && number <= 65535;
}

std::size_t BytesOf(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  return bytes;
}

std::size_t BytesOf(const std::map<std::string, std::string>& texts) {
  std::size_t bytes = 0;
  for (const auto& [key, text] : texts) bytes += key.size() + text.size();
  return bytes;
}

void CheckBytes(std::size_t bytes, std::size_t most, const JobPlace& at) {
  if (bytes <= most) return;
  at.Fault("its texts must have at most " + std::to_string(most) + " bytes together, but have " +
           std::to_string(bytes));
}

void CheckCheckRestart(const CheckRestart& restart, bool builtin, const JobPlace& at) {
  if (restart.limit < 0) {
    (at / "Limit").Fault("must not be negative, but is " + std::to_string(restart.limit));
  } else if (builtin && restart.limit == 0) {
    (at / "Limit").Fault("is missing; write after how many failures the task restarts");
  }
  CheckDuration(restart.grace, at / "Grace");
  if (builtin && restart.ignore_warnings) (at / "IgnoreWarnings").Fault(kOnlyConsul);
}

}  // namespace drover::job_checks
