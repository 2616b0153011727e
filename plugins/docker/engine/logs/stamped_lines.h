// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "engine/logs/log_position.h"

namespace drover_docker {

// Takes the time stamps off the messages of one stream of logs, and leaves out those messages that
// were copied before. It keeps at most one time stamp.
class StampedLines {
 public:
  explicit StampedLines(LogMark from = {}) : mark_(from), from_(from) {}

  // Takes the next bytes of a message. FIRST and LAST: they begin or end a message. Passes what is
  // new to WRITE. A message without a time stamp is passed as it is.
  void Put(std::string_view piece, bool first, bool last,
           const std::function<void(std::string_view)>& write);
  // The stream begins again, at or before the mark. A message that was cut off is completed.
  void Restart();

  // Where the copying stands.
  const LogMark& mark() const { return mark_; }

 private:
  void BeginText();
  void Pass(std::string_view text, const std::function<void(std::string_view)>& write);

  LogMark mark_;
  // Since the last Restart.
  LogMark from_;            // where the copying stood then
  std::uint64_t seen_ = 0;  // messages of the time from_.time that have come
  bool passed_ = false;     // a message newer than FROM_ has come
  // Of the current message.
  bool in_stamp_ = false;
  bool skip_ = false;
  std::uint64_t skip_bytes_ = 0;
  std::int64_t time_ = 0;
  std::string stamp_;
};

}  // namespace drover_docker
