// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/loop.h"
#include "host/base/result.h"
#include "host/http/byte_stream.h"

namespace drover {

// Writes to a client. If the client takes no bytes for STALL, its connection is closed. Use it on
// one thread only.
class ByteOutput {
 public:
  ByteOutput(Loop* loop, ByteStream* stream, Duration stall)
      : loop_(loop), stream_(stream), stall_(stall), last_progress_(loop->Now()) {}

  // Writes all BYTES. Returns Code::kUnavailable if the client has disconnected or does not read.
  Co<Status> Write(std::string bytes);
  // Writes all BYTES without a copy. BYTES must live until this call has returned.
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
