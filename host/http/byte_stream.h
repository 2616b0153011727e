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

// A connection over TCP or over a Unix socket.
using StreamSocket = boost::asio::generic::stream_protocol::socket;

// The bytes of a connection, with or without TLS. Both cases have one type, so that HTTP and
// websockets are compiled once. At most one read and one write may be pending at a time. A stream
// belongs to one thread.
class ByteStream {
 public:
  using ErrorCode = boost::system::error_code;
  using Handler = boost::asio::any_completion_handler<void(ErrorCode, std::size_t)>;
  using Transfer = std::tuple<ErrorCode, std::size_t>;

  virtual ~ByteStream() = default;

  // Does the TLS handshake. Without TLS, does nothing.
  virtual Co<ErrorCode> Handshake() = 0;
  virtual void AsyncReadSome(boost::asio::mutable_buffer buffer, Handler handler) = 0;
  virtual void AsyncWriteSome(boost::asio::const_buffer buffer, Handler handler) = 0;
  // Ends the sending side of the connection. Bytes from the other side can still be read.
  virtual Co<void> ShutdownSend() = 0;
  // Closes the connection. Pending reads and writes end with an error. A second call is allowed.
  virtual void Close() = 0;
  // Returns the subject of a verified client certificate, or an empty text if there is none.
  virtual std::string client_subject() const { return ""; }

  Co<Transfer> ReadSome(boost::asio::mutable_buffer buffer);
  Co<Transfer> WriteSome(boost::asio::const_buffer buffer);
};

std::unique_ptr<ByteStream> MakePlainStream(StreamSocket socket);

}  // namespace drover
