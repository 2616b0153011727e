// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/byte_output.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace drover {
namespace asio = boost::asio;
namespace {

Co<ByteStream::Transfer> WriteSome(ByteOutput* output, asio::const_buffer buffer) {
  constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
  return asio::async_initiate<decltype(kTuple), void(ByteStream::ErrorCode, std::size_t)>(
      [output, buffer](auto handler) { output->AsyncWriteSome(buffer, std::move(handler)); },
      kTuple);
}

}  // namespace

void ByteOutput::AsyncWriteSome(asio::const_buffer buffer, ByteStream::Handler handler) {
  const Loop::TimerId timer = loop_->After(stall_, [this] {
    stalled_ = true;
    stream_->Close();
  });
  stream_->AsyncWriteSome(buffer, [this, timer, handler = std::move(handler)](
                                      ByteStream::ErrorCode error, std::size_t size) mutable {
    loop_->Cancel(timer);
    if (error) {
      failed_ = true;
    } else {
      last_progress_ = loop_->Now();
    }
    std::move(handler)(error, size);
  });
}

Co<Status> ByteOutput::Write(std::string bytes) {
  const std::string_view all = bytes;
  co_return co_await WriteView(all);
}

Co<Status> ByteOutput::WriteView(std::string_view bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size() && !failed_) {
    const asio::const_buffer rest = asio::buffer(bytes.data() + sent, bytes.size() - sent);
    const ByteStream::Transfer transfer = co_await WriteSome(this, rest);
    sent += std::get<1>(transfer);
  }
  if (!failed_) co_return Status();
  co_return Error(Code::kUnavailable,
                  stalled_ ? "the client does not read" : "the client has gone");
}

}  // namespace drover
