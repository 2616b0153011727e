// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/config_finding.h"

#include <utility>

namespace drover {
namespace {

constexpr std::size_t kMost = 100;

}  // namespace

void AddFinding(ConfigFinding finding, ConfigFindings* to) {
  if (to->size() < kMost) {
    to->push_back(std::move(finding));
  } else if (to->size() == kMost) {
    to->push_back({std::move(finding.at), "", "there is more like this: correct these first"});
  }
}

std::string FindingText(const ConfigFinding& finding) {
  std::string text = finding.at.file;
  if (finding.at.line > 0) text += ":" + std::to_string(finding.at.line);
  if (!text.empty()) text += ": ";
  if (!finding.pointer.empty()) text += finding.pointer + ": ";
  return text + finding.message;
}

Status AsError(const ConfigFindings& mistakes) {
  if (mistakes.empty()) return {};
  std::string all, file;
  for (const ConfigFinding& mistake : mistakes) {
    if (!all.empty()) all += "; ";
    if (mistake.at.file != file) {
      file = mistake.at.file;
      all += "configuration " + file + ": ";
    }
    if (!mistake.pointer.empty()) {
      if (mistake.at.line > 0) all += "line " + std::to_string(mistake.at.line) + ", ";
      all += mistake.pointer + ": ";
    }
    all += mistake.message;
  }
  return Error(mistakes.front().code, all);
}

}  // namespace drover
