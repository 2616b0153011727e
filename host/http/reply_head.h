// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/time.h"
#include "host/http/http_message.h"

namespace drover {

// The headers that the server itself adds to an answer.
struct ReplyFraming {
  std::optional<std::uint64_t> length;  // of the body; else chunks, or the end of the connection
  bool chunked = false;
  bool gzip = false;
  bool close = false;
};

// The status line and the headers, with the empty line.
std::string ReplyHead(const HttpReply& reply, const ReplyFraming& framing, WallTime now);

// Whether an answer of this status can have a body at all.
bool StatusHasBody(int status);

// "Sun, 06 Nov 1994 08:49:37 GMT".
std::string HttpDate(WallTime time);

}  // namespace drover
