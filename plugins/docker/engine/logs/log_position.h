// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace drover_docker {

// Where the copying of one stream stands: after the last message that was written.
struct LogMark {
  std::int64_t time = 0;    // of that message, in ns since 1970; 0: no message yet
  std::uint64_t count = 0;  // messages of exactly this time that were written
  std::uint64_t bytes = 0;  // written bytes of the message after these; 0 in most cases

  bool operator==(const LogMark& other) const = default;
};

// Where a follower of logs stands. It can be stored in a task's handle, so that a later follower
// goes on there.
struct LogPosition {
  LogMark output;
  LogMark error;

  // Returns a text such as 1700000000000000001/1/0,0/0/0.
  std::string Text() const;
  // A malformed text is the begin of the logs.
  static LogPosition Parse(const std::string& text);
  // Returns from which time on a follower must read again, in ns since 1970; 0: from the begin. A
  // few seconds earlier than the last message, since two streams are not in one order.
  std::int64_t Since() const;
  bool operator==(const LogPosition& other) const = default;
};

}  // namespace drover_docker
