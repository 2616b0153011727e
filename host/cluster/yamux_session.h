// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/result.h"
#include "host/http/byte_stream.h"

namespace drover {

struct YamuxCore;         // the state of a session
struct YamuxStreamState;  // the state of a stream

// What a session accepts of its peer, which may be hostile, and how long it waits for it.
struct YamuxLimits {
  // Streams that the peer has opened and whose handler has not ended, also reset ones. The next
  // stream is reset.
  std::size_t peer_streams = 256;
  // Streams that this side has opened.
  std::size_t own_streams = 1024;
  // Bytes of all streams that nobody has read yet. The stream that exceeds this limit is reset.
  std::size_t unread = std::size_t{32} << 20;
  // Bytes that are to be sent and that the peer does not take. Data of streams waits; if answers to
  // the peer's frames exceed the limit, the session ends.
  std::size_t unsent = std::size_t{256} << 10;
  Duration ping_every = 30s;
  Duration ping_answer = 10s;  // a ping must be answered within this time
  Duration write = 10s;        // a write to the socket must progress within this time
  Duration open = 75s;         // the peer must acknowledge a stream within this time
};

// One side of a byte stream within a session. Its destructor ends both directions: in order if both
// sides have ended their part, and by a reset otherwise. At most one coroutine may read and one may
// write at a time. A stream may outlive its session. Control thread only.
class YamuxStream {
 public:
  ~YamuxStream();
  YamuxStream(const YamuxStream&) = delete;
  YamuxStream& operator=(const YamuxStream&) = delete;

  std::uint32_t id() const;
  // Returns whether a read would wait and a write is possible: the state between two calls.
  bool quiet() const;

  // Returns the next bytes, at most MOST, or no bytes after the peer has ended its part. Returns
  // kUnavailable if the stream was reset or the session has ended.
  Co<Result<std::string>> Read(Context context, std::size_t most);
  // Returns when all BYTES are in the session's queue. Waits while the peer's window is full.
  Co<Status> Write(Context context, std::string bytes);
  // Ends the sending part. A second call is allowed.
  void CloseSend();
  // Ends both parts at once. Pending reads and writes end with an error.
  void Reset();
  // Returns when the peer has reset the stream, when it has ended its part and all its bytes were
  // read, or when the session has ended. Bytes that nobody reads keep it waiting.
  Co<Status> PeerGone(Context context);

 private:
  friend struct YamuxCore;
  explicit YamuxStream(std::shared_ptr<YamuxStreamState> state);
  const std::shared_ptr<YamuxStreamState> state_;
};

// A session of yamux (version 0) over one connection: many streams in both directions, each with
// a window of 256 KiB. A peer that breaks the protocol gets a go-away, and the session ends.
// Control thread only.
class YamuxSession {
 public:
  enum class Side { kDialer, kAcceptor };
  // Receives each stream that the peer opens, after it was acknowledged.
  using Accept = std::function<void(std::unique_ptr<YamuxStream> stream)>;

  YamuxSession(Loop* loop, std::unique_ptr<ByteStream> bytes, Side side, YamuxLimits limits,
               Accept accept);
  ~YamuxSession();  // closes the connection
  YamuxSession(const YamuxSession&) = delete;
  YamuxSession& operator=(const YamuxSession&) = delete;

  // Carries frames until the session ends, and returns why it has ended. Call it once. The session
  // object must outlive the call.
  Co<Error> Run(Context context);

  // Opens a stream, whose first bytes are FIRST. They are sent together with the opening frame, so
  // FIRST must fit into the window. Does not wait for the peer. Returns kUnavailable if the session
  // has ended or the peer accepts no more streams, and kResourceExhausted if there are too many.
  Result<std::unique_ptr<YamuxStream>> Open(std::string_view first);
  // Ends the session: all streams fail with REASON.
  void Close(Error reason);

  // Returns whether Open is possible.
  bool usable() const;
  // Returns why the session has ended, if it has.
  std::optional<Error> ended() const;
  // The number of streams that are not over, including those that were given up before the peer has
  // acknowledged them.
  std::size_t streams() const;
  // The bytes of all streams that nobody has read yet.
  std::size_t unread() const;

 private:
  const std::shared_ptr<YamuxCore> core_;
};

}  // namespace drover
