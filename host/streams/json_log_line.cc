// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/json_log_line.h"

#include <spdlog/pattern_formatter.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

// Nomad's clients know a warning as "warn".
std::string_view LevelName(spdlog::level::level_enum level) {
  if (level == spdlog::level::warn) return "warn";
  const auto name = spdlog::level::to_string_view(level);
  return {name.data(), name.size()};
}

class JsonLogFormatter : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& to) override {
    spdlog::memory_buf_t time;
    time_.format(message, time);
    const std::string text =
        JsonText({{"@timestamp", std::string_view(time.data(), time.size())},
                  {"@level", LevelName(message.level)},
                  {"@message", std::string_view(message.payload.data(), message.payload.size())}}) +
        "\n";
    to.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return NewJsonLogFormatter(); }

 private:
  spdlog::pattern_formatter time_{"%Y-%m-%dT%H:%M:%S.%e", spdlog::pattern_time_type::local, ""};
};

}  // namespace

std::unique_ptr<spdlog::formatter> NewJsonLogFormatter() {
  return std::make_unique<JsonLogFormatter>();
}

}  // namespace drover
