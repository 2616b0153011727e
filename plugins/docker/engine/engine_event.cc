// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/engine_event.h"

#include <nlohmann/json.hpp>

#include "engine/engine_error.h"
#include "engine/json_read.h"

namespace drover_docker {

std::optional<EngineEvent> ReadEvent(std::string_view text) {
  nlohmann::json json;
  try {
    json = ParseJson(text, "events");
  } catch (const drover::Error&) {
    return std::nullopt;
  }
  EngineEvent out;
  out.type = TextAt(json, {"Type"});
  out.action = TextAt(json, {"Action"}, TextAt(json, {"status"}));
  out.id = TextAt(json, {"Actor", "ID"}, TextAt(json, {"id"}));
  out.attributes = TextsAt(json, {"Actor", "Attributes"});
  out.time = IntAt(json, {"timeNano"});
  const std::int64_t seconds = IntAt(json, {"time"});
  if (out.time == 0 && seconds > 0 && seconds < 9'000'000'000) out.time = seconds * 1'000'000'000;
  if (out.type.empty() || out.action.empty()) return std::nullopt;
  return out;
}

bool JsonSplitter::Put(std::string_view bytes, const std::function<void(std::string_view)>& take) {
  std::size_t begin = 0;  // of what is not in TEXT_ yet
  for (std::size_t i = 0; i < bytes.size() && !failed_; ++i) {
    const char c = bytes[i];
    if (depth_ == 0) {
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
      if (c != '{') {
        failed_ = true;
        break;
      }
      begin = i;
      depth_ = 1;
      continue;
    }
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
      }
      continue;
    }
    if (c == '"') in_string_ = true;
    if (c == '{' || c == '[') ++depth_;
    if (c != '}' && c != ']') continue;
    if (--depth_ > 0) continue;
    text_ += bytes.substr(begin, i + 1 - begin);
    begin = i + 1;
    if (text_.size() > most_) {
      failed_ = true;
      break;
    }
    std::string object;
    object.swap(text_);
    take(object);
  }
  if (depth_ > 0 && !failed_) text_ += bytes.substr(begin);
  if (text_.size() > most_) failed_ = true;
  if (failed_) text_.clear();
  return !failed_;
}

}  // namespace drover_docker
