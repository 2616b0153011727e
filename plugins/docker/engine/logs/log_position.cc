// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/logs/log_position.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace drover_docker {
namespace {

std::string MarkText(const LogMark& mark) {
  return std::to_string(mark.time) + "/" + std::to_string(mark.count) + "/" +
         std::to_string(mark.bytes);
}

template <typename Number>
bool TakeNumber(std::string_view* text, Number* out) {
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *out);
  if (error != std::errc() || *out < 0) return false;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return true;
}

bool TakeSign(std::string_view* text, char sign) {
  if (text->empty() || text->front() != sign) return false;
  text->remove_prefix(1);
  return true;
}

bool TakeMark(std::string_view* text, LogMark* out) {
  return TakeNumber(text, &out->time) && TakeSign(text, '/') && TakeNumber(text, &out->count) &&
         TakeSign(text, '/') && TakeNumber(text, &out->bytes);
}

}  // namespace

std::string LogPosition::Text() const { return MarkText(output) + "," + MarkText(error); }

LogPosition LogPosition::Parse(const std::string& text) {
  LogPosition out;
  std::string_view rest(text);
  if (TakeMark(&rest, &out.output) && TakeSign(&rest, ',') && TakeMark(&rest, &out.error) &&
      rest.empty()) {
    return out;
  }
  return LogPosition();
}

std::int64_t LogPosition::Since() const {
  constexpr std::int64_t kMargin = 5'000'000'000;
  const std::int64_t last = std::max(output.time, error.time);
  return last <= kMargin ? 0 : last - kMargin;
}

}  // namespace drover_docker
