// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/context.h"
#include "host/base/event.h"
#include "host/http/byte_stream.h"

namespace drover {

// The bytes that a client has sent and that nobody has taken yet. While there is room, a read is
// always pending, so the server notices a client that disconnects while its request is handled.
// Use it on one thread only.
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

  // Reads until the stream ends. Run it in the background.
  Co<void> Pump();

  std::string_view bytes() const { return std::string_view(buffer_).substr(begin_); }
  bool full() const { return bytes().size() >= room_; }
  void Take(std::size_t count);
  // Returns whether the input has ended, so that nothing follows bytes().
  bool ended() const { return ended_.is_set(); }
  // Returns whether the input ended with an error, and not because the client closed its side.
  bool broken() const { return broken_; }
  Event* end() { return &ended_; }
  // Returns when more bytes have arrived, or when the input has ended.
  Co<Status> More(Context context);
  // Takes bytes that have arrived, or else waits for the next bytes. After the end of the input,
  // the error is "end of file".
  void AsyncReadSome(boost::asio::mutable_buffer buffer, ByteStream::Handler handler);
  TimePoint last_arrival() const { return last_arrival_; }
  // Drops all bytes, and also the bytes that arrive later.
  void Discard();

 private:
  Loop* loop_;
  ByteStream* stream_;
  std::size_t room_;
  std::string buffer_;
  std::size_t begin_ = 0;  // the position of the first byte that is not taken yet
  bool discarding_ = false;
  bool broken_ = false;
  TimePoint last_arrival_;
  Event arrived_;
  Event taken_;
  Event ended_;
  Subscription on_arrived_;  // completes a waiting AsyncReadSome when bytes arrive
};

}  // namespace drover
