// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/role.hpp>
#include <cstddef>
#include <utility>

#include "host/base/loop.h"
#include "host/http/byte_stream.h"

namespace drover {

// Adapts a connection to the stream type that Beast expects. INPUT must have the function
// AsyncReadSome of ByteStream, and OUTPUT must have the function AsyncWriteSome of ByteStream.
// Beast does not close the connection, because the owner of the connection does that. Include this
// file only in source files, because Beast's headers are large.
template <typename Input, typename Output>
class BeastStream {
 public:
  using executor_type = boost::asio::io_context::executor_type;
  using ErrorCode = ByteStream::ErrorCode;

  BeastStream(Loop* loop, Input* input, Output* output)
      : loop_(loop), input_(input), output_(output) {}

  executor_type get_executor() const noexcept { return loop_->io().get_executor(); }

  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    const auto first = FirstOf<boost::asio::mutable_buffer>(buffers);
    return boost::asio::async_initiate<Token, void(ErrorCode, std::size_t)>(
        [input = input_, first](auto handler) {
          input->AsyncReadSome(first, ByteStream::Handler(std::move(handler)));
        },
        token);
  }
  template <typename Buffers, typename Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    const auto first = FirstOf<boost::asio::const_buffer>(buffers);
    return boost::asio::async_initiate<Token, void(ErrorCode, std::size_t)>(
        [output = output_, first](auto handler) {
          output->AsyncWriteSome(first, ByteStream::Handler(std::move(handler)));
        },
        token);
  }

  friend void beast_close_socket(BeastStream&) {}
  friend void teardown(boost::beast::role_type, BeastStream&, ErrorCode& error) { error = {}; }
  template <typename Handler>
  friend void async_teardown(boost::beast::role_type, BeastStream& stream, Handler&& handler) {
    boost::asio::post(stream.get_executor(),
                      [done = std::forward<Handler>(handler)]() mutable { done(ErrorCode()); });
  }

 private:
  // Returns the first buffer that is not empty. One buffer is enough, because reads and writes may
  // transfer less than all buffers.
  template <typename Buffer, typename Buffers>
  static Buffer FirstOf(const Buffers& buffers) {
    const auto end = boost::asio::buffer_sequence_end(buffers);
    for (auto at = boost::asio::buffer_sequence_begin(buffers); at != end; ++at) {
      const Buffer buffer(*at);
      if (buffer.size() > 0) return buffer;
    }
    return Buffer();
  }

  Loop* loop_;
  Input* input_;
  Output* output_;
};

}  // namespace drover
