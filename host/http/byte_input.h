// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/context.h"
#include "host/base/event.h"
#include "host/http/byte_stream.h"

namespace drover {

// The bytes that a client has sent and nobody has taken yet. While there is room a read is always
// pending, so a client that goes is noticed while its request is handled. One thread.
class ByteInput {
 public:
  ByteInput(Loop* loop, ByteStream* stream, std::size_t room)
      : loop_(loop),
        stream_(stream),
        room_(room),
        last_arrival_(loop->Now()),
        arrived_(loop),
        taken_(loop),
        ended_(loop) {}

  // Reads until the stream ends; run it in the background.
  Co<void> Pump();

  std::string_view bytes() const { return std::string_view(buffer_).substr(begin_); }
  bool full() const { return bytes().size() >= room_; }
  void Take(std::size_t count);
  // Nothing follows bytes().
  bool ended() const { return ended_.is_set(); }
  // The input ended otherwise than by the client's closing of its side.
  bool broken() const { return broken_; }
  Event* end() { return &ended_; }
  // Returns when more has arrived, or the input has ended.
  Co<Status> More(Context context);
  // Takes bytes that are there, else the next ones; the error is "end of file" after the end.
  void AsyncReadSome(boost::asio::mutable_buffer buffer, ByteStream::Handler handler);
  TimePoint last_arrival() const { return last_arrival_; }
  // Drops all bytes, also those that come later.
  void Discard();

 private:
  Loop* loop_;
  ByteStream* stream_;
  std::size_t room_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of the bytes that are not taken yet
  bool discarding_ = false;
  bool broken_ = false;
  TimePoint last_arrival_;
  Event arrived_;
  Event taken_;
  Event ended_;
  Subscription on_arrived_;  // of AsyncReadSome
};

}  // namespace drover
