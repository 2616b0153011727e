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
  // The length of the body. Without a length, chunks or the end of the connection mark the body's
  // end.
  std::optional<std::uint64_t> length;
  bool chunked = false;
  bool gzip = false;
  bool close = false;
};

// Returns the status line and the headers, with the empty line after them.
std::string ReplyHead(const HttpReply& reply, const ReplyFraming& framing, WallTime now);

// Returns whether an answer with STATUS can have a body.
bool StatusHasBody(int status);

// Returns TIME in the form "Sun, 06 Nov 1994 08:49:37 GMT".
std::string HttpDate(WallTime time);

}  // namespace drover
