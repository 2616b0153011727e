// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/event.h"
#include "host/cluster/yamux_frame.h"
#include "host/cluster/yamux_session.h"

namespace drover {

struct YamuxStreamState {
  YamuxStreamState(std::shared_ptr<YamuxCore> of, Loop* loop, std::uint32_t number, bool is_own)
      : core(std::move(of)),
        id(number),
        own(is_own),
        opened(loop->Now()),
        readable(loop),
        writable(loop),
        gone(loop) {}

  std::size_t unread() const { return in.size() - at; }

  const std::shared_ptr<YamuxCore> core;
  const std::uint32_t id;
  const bool own;  // whether this side has opened the stream
  const TimePoint opened;
  std::uint64_t credit = kYamuxWindow;  // the bytes that the peer can take
  std::uint32_t window = kYamuxWindow;  // the bytes that the peer may send
  std::string in;                       // received bytes; those before AT were read
  std::size_t at = 0;
  bool acknowledged = false;
  bool sent_fin = false;
  bool got_fin = false;
  bool reset = false;
  bool given_up = false;  // a reset follows as soon as the peer has acknowledged the stream
  Event readable;
  Event writable;
  Event gone;  // see YamuxStream::PeerGone
};

// The state of a session, and the rules of the protocol. The session and its streams share it. All
// functions but the coroutines return at once.
struct YamuxCore : std::enable_shared_from_this<YamuxCore> {
  YamuxCore(Loop* of, std::unique_ptr<ByteStream> connection, YamuxSession::Side its_side,
            YamuxLimits its_limits, YamuxSession::Accept to)
      : loop(of),
        bytes(std::move(connection)),
        side(its_side),
        limits(its_limits),
        accept(std::move(to)),
        next_id(its_side == YamuxSession::Side::kDialer ? 1 : 2),
        wake_writer(of),
        room(of),
        over(of),
        ping_answered(of) {}

  // Ends the session. FLUSHES says whether the queue is sent first.
  void End(Error why, bool flushes = false);
  // Ends the session because of the peer's MISTAKE.
  void Break(const std::string& mistake);

  // Queues a frame without data.
  void Put(YamuxType type, std::uint16_t flags, std::uint32_t stream, std::uint32_t length);
  // Queues DATA, which must fit into the credit of STREAM.
  void PutData(YamuxStreamState* stream, std::string_view data);

  // Takes bytes from the connection.
  void Take(std::string_view received);
  void TakeHead(const YamuxHead& head);
  void TakeStreamHead(const YamuxHead& head);
  // Makes the stream that the peer opens, or refuses it.
  void TakeNewStream(std::uint32_t id);
  void TakeData(std::string_view data);
  // Notes that the peer has ended its part of STREAM.
  void TakeEnd(YamuxStreamState* stream);

  Result<std::unique_ptr<YamuxStream>> Open(std::string_view first);
  // Returns the next bytes of STREAM, and gives the peer new credit for them.
  std::string TakeUnread(YamuxStreamState* stream, std::size_t most);
  void CloseSend(YamuxStreamState* stream);
  void Reset(YamuxStreamState* stream);
  // Notes that STREAM is over: further frames of it are ignored.
  void Forget(YamuxStreamState* stream);
  // Drops the unread bytes of STREAM.
  void DropUnread(YamuxStreamState* stream);
  void CheckGone(YamuxStreamState* stream) const;
  Error WhyNot(const YamuxStreamState& stream) const;
  bool HasLateStream() const;

  static Co<void> ReadFrames(std::shared_ptr<YamuxCore> core);
  static Co<void> WriteFrames(std::shared_ptr<YamuxCore> core);
  static Co<void> KeepAlive(std::shared_ptr<YamuxCore> core);

  Loop* const loop;
  const std::unique_ptr<ByteStream> bytes;
  const YamuxSession::Side side;
  const YamuxLimits limits;
  const YamuxSession::Accept accept;
  std::optional<Error> ended;
  bool peer_closed = false;  // the peer accepts no more streams

  std::map<std::uint32_t, std::shared_ptr<YamuxStreamState>> streams;
  std::uint64_t next_id;
  std::size_t own_streams = 0;
  std::size_t peer_handles = 0;  // YamuxStream objects for streams of the peer
  std::size_t unread = 0;

  // The bytes of a head that is incomplete, then what is known of the data that follows it.
  std::string head_bytes;
  std::uint32_t data_left = 0;
  std::shared_ptr<YamuxStreamState> data_stream;  // null if the data is dropped
  bool data_is_last = false;                      // whether the stream ends after the data

  std::string out;
  Event wake_writer;
  Event room;  // set while there is room for data in OUT
  Event over;  // set when the session has ended
  std::uint32_t ping_id = 0;
  Event ping_answered;
};

}  // namespace drover
