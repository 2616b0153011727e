// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/gate.h"
#include "host/base/result.h"
#include "host/cluster/yamux_session.h"
#include "host/http/byte_stream.h"

namespace drover {

// What a stream carries: its first byte, written by the side that opens it.
enum class StreamMode : std::uint8_t {
  kRpc = 1,        // requests and their answers, one after the other
  kStreaming = 5,  // one call with any number of messages in both directions
};

// Serves a stream that the server has opened; its mode was read. Ends when CONTEXT ends, which is
// at the latest with the connection. YamuxStream::PeerGone says when the server has lost its
// interest.
using ServeStream = std::function<Co<void>(Context context, std::unique_ptr<YamuxStream> stream)>;

// The functions for the streams of the server. A null function resets its streams.
struct StreamHandlers {
  ServeStream rpc;
  ServeStream streaming;
};

// A connection to a server, with streams in both directions, each of one mode. Control thread only.
class MuxConnection {
 public:
  // BYTES is a connection whose server expects a session (the byte kMuxV2 was sent).
  MuxConnection(Loop* loop, std::unique_ptr<ByteStream> bytes, StreamHandlers handlers,
                YamuxLimits limits = {});

  // Serves the connection until it ends, and returns why. All handlers have ended then. Call it
  // once. The object must outlive the call.
  Co<Error> Run(Context context);

  // Opens a stream. Its mode is sent together with the opening frame: a server accepts no other
  // stream until it has read the mode.
  Result<std::unique_ptr<YamuxStream>> Open(StreamMode mode);

  void Close(Error reason) { session_.Close(std::move(reason)); }
  // Returns whether Open is possible.
  bool usable() const { return session_.usable(); }
  std::optional<Error> ended() const { return session_.ended(); }
  std::size_t streams() const { return session_.streams(); }

 private:
  void Accept(std::unique_ptr<YamuxStream> stream);
  static Co<void> Serve(Context context, std::shared_ptr<const StreamHandlers> handlers,
                        std::unique_ptr<YamuxStream> stream);

  const std::shared_ptr<const StreamHandlers> handlers_;
  std::optional<Context> serving_;  // that of the handlers; set while Run runs
  Gate gate_;
  YamuxSession session_;
};

}  // namespace drover
