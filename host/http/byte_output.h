// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/loop.h"
#include "host/base/result.h"
#include "host/http/byte_stream.h"

namespace drover {

// Writes to a client. A client that takes nothing for STALL loses its connection. One thread.
class ByteOutput {
 public:
  ByteOutput(Loop* loop, ByteStream* stream, Duration stall)
      : loop_(loop), stream_(stream), stall_(stall), last_progress_(loop->Now()) {}

  // Writes all BYTES; Code::kUnavailable when the client has gone or does not read.
  Co<Status> Write(std::string bytes);
  // The same for bytes of the caller, which must live until this has returned.
  Co<Status> WriteView(std::string_view bytes);
  void AsyncWriteSome(boost::asio::const_buffer buffer, ByteStream::Handler handler);

  bool failed() const { return failed_; }
  TimePoint last_progress() const { return last_progress_; }

 private:
  Loop* loop_;
  ByteStream* stream_;
  Duration stall_;
  TimePoint last_progress_;
  bool failed_ = false;
  bool stalled_ = false;
};

}  // namespace drover
