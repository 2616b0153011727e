// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/byte_stream.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace drover {
namespace asio = boost::asio;
namespace {

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
using Signature = void(ByteStream::ErrorCode, std::size_t);

class PlainStream : public ByteStream {
 public:
  explicit PlainStream(StreamSocket socket) : socket_(std::move(socket)) {}

  Co<ErrorCode> Handshake() override { co_return ErrorCode(); }
  void AsyncReadSome(asio::mutable_buffer buffer, Handler handler) override {
    socket_.async_read_some(buffer, std::move(handler));
  }
  void AsyncWriteSome(asio::const_buffer buffer, Handler handler) override {
    socket_.async_write_some(buffer, std::move(handler));
  }
  Co<void> ShutdownSend() override {
    ErrorCode ignored;
    socket_.shutdown(StreamSocket::shutdown_send, ignored);
    co_return;
  }
  void Close() override {
    ErrorCode ignored;
    socket_.close(ignored);
  }

 private:
  StreamSocket socket_;
};

}  // namespace

Co<ByteStream::Transfer> ByteStream::ReadSome(asio::mutable_buffer buffer) {
  return asio::async_initiate<decltype(kTuple), Signature>(
      [this, buffer](auto handler) { AsyncReadSome(buffer, std::move(handler)); }, kTuple);
}

Co<ByteStream::Transfer> ByteStream::WriteSome(asio::const_buffer buffer) {
  return asio::async_initiate<decltype(kTuple), Signature>(
      [this, buffer](auto handler) { AsyncWriteSome(buffer, std::move(handler)); }, kTuple);
}

std::unique_ptr<ByteStream> MakePlainStream(StreamSocket socket) {
  return std::make_unique<PlainStream>(std::move(socket));
}

}  // namespace drover
