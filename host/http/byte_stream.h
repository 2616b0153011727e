// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/system/error_code.hpp>
#include <memory>
#include <string>
#include <tuple>

#include "host/base/co.h"

namespace drover {

// A connection of TCP or of a Unix socket.
using StreamSocket = boost::asio::generic::stream_protocol::socket;

// The bytes of a connection, with or without TLS. It is one type, so that HTTP and websockets are
// compiled once. At most one read and one write at a time; belongs to one thread.
class ByteStream {
 public:
  using ErrorCode = boost::system::error_code;
  using Handler = boost::asio::any_completion_handler<void(ErrorCode, std::size_t)>;
  using Transfer = std::tuple<ErrorCode, std::size_t>;

  virtual ~ByteStream() = default;

  // Does what must precede the first byte of the protocol.
  virtual Co<ErrorCode> Handshake() = 0;
  virtual void AsyncReadSome(boost::asio::mutable_buffer buffer, Handler handler) = 0;
  virtual void AsyncWriteSome(boost::asio::const_buffer buffer, Handler handler) = 0;
  // Ends our side of the connection; the client can still be read.
  virtual Co<void> ShutdownSend() = 0;
  // Pending reads and writes end with an error. May be called again.
  virtual void Close() = 0;
  // The subject of a verified client certificate; empty without one.
  virtual std::string client_subject() const { return ""; }

  Co<Transfer> ReadSome(boost::asio::mutable_buffer buffer);
  Co<Transfer> WriteSome(boost::asio::const_buffer buffer);
};

std::unique_ptr<ByteStream> MakePlainStream(StreamSocket socket);

}  // namespace drover
