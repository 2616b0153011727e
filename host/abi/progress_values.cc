// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/progress_values.h"

#include <algorithm>
#include <string_view>

#include "host/abi/abi_read.h"
#include "host/abi/abi_text.h"

namespace drover {
namespace {

std::string OneLine(drover_str from, std::size_t most) {
  if (from.data == nullptr) return {};
  // A few bytes more, so that a character at the limit is left out and not mended.
  std::string text = SafeText(std::string_view(from.data, std::min(from.size, most + 4)), most);
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

}  // namespace

Result<TaskProgress> ReadProgress(const drover_progress_report* from) {
  DROVER_ASSIGN(const drover_progress_report raw, CopyStruct(from));
  TaskProgress progress;
  progress.phase = OneLine(raw.phase, DROVER_PROGRESS_PHASE_MAX);
  progress.done = raw.total == 0 ? raw.done : std::min(raw.done, raw.total);
  progress.total = raw.total;
  progress.unit = OneLine(raw.unit, DROVER_PROGRESS_UNIT_MAX);
  progress.text = OneLine(raw.text, DROVER_PROGRESS_TEXT_MAX);
  return progress;
}

}  // namespace drover
