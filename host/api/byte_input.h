// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/api/byte_stream.h"
#include "host/base/context.h"
#include "host/base/event.h"

namespace drover {

// What a client has sent and nobody has taken yet. While there is room a read is always pending, so
// a client that goes is noticed while its request is worked on. One thread.
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
  // It did not end by the client's closing of its side.
  bool broken() const { return broken_; }
  Event* end() { return &ended_; }
  // Returns when there is more than now, or it has ended.
  Co<Status> More(Context context);
  // Takes what is there, or what comes next; "end of file" when it has ended.
  void AsyncReadSome(boost::asio::mutable_buffer buffer, ByteStream::Handler handler);
  TimePoint last_arrival() const { return last_arrival_; }
  // Whatever comes is forgotten.
  void Discard();

 private:
  Loop* loop_;
  ByteStream* stream_;
  std::size_t room_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of what has not been taken
  bool discarding_ = false;
  bool broken_ = false;
  TimePoint last_arrival_;
  Event arrived_;
  Event taken_;
  Event ended_;
  Subscription on_arrived_;  // of AsyncReadSome
};

}  // namespace drover
