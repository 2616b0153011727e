// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/byte_input.h"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace drover {
namespace asio = boost::asio;
namespace {

// The sizes of the buffer for reads, in bytes. Idle connections have the small buffer. A
// connection that fills the small buffer gets the large one.
constexpr std::size_t kSmallBlock = 4 << 10;
constexpr std::size_t kLargeBlock = 64 << 10;

}  // namespace

Co<void> ByteInput::Pump() {
  std::vector<char> block(kSmallBlock);
  for (;;) {
    while (full()) {
      taken_.Reset();
      co_await taken_.Wait();
    }
    const asio::mutable_buffer space = asio::buffer(block.data(), block.size());
    const ByteStream::Transfer transfer = co_await stream_->ReadSome(space);
    const auto& error = std::get<0>(transfer);
    const std::size_t size = std::get<1>(transfer);
    last_arrival_ = loop_->Now();
    if (!discarding_) buffer_.append(block.data(), size);
    if (error) {
      broken_ = error != asio::error::eof;
      ended_.Set();
      arrived_.Set();
      co_return;
    }
    arrived_.Set();
    const std::size_t wanted = size == block.size() ? kLargeBlock : kSmallBlock;
    if (wanted != block.size()) std::vector<char>(wanted).swap(block);
  }
}

void ByteInput::Take(std::size_t count) {
  begin_ += count;
  if (begin_ == buffer_.size()) {
    buffer_.clear();
    if (buffer_.capacity() > kSmallBlock) buffer_.shrink_to_fit();
    begin_ = 0;
  } else if (begin_ > room_) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  taken_.Set();
}

Co<Status> ByteInput::More(Context context) {
  if (ended()) co_return Status();
  arrived_.Reset();
  co_return co_await arrived_.Wait(context);
}

void ByteInput::AsyncReadSome(asio::mutable_buffer buffer, ByteStream::Handler handler) {
  auto shared = std::make_shared<ByteStream::Handler>(std::move(handler));
  auto complete = [this, buffer, shared] {
    const std::size_t size = asio::buffer_copy(buffer, asio::buffer(bytes()));
    Take(size);
    const ByteStream::ErrorCode error =
        size == 0 && buffer.size() > 0 ? asio::error::eof : ByteStream::ErrorCode();
    asio::post(loop_->io(), [shared, error, size] { std::move (*shared)(error, size); });
  };
  if (buffer.size() == 0 || !bytes().empty() || ended()) return complete();
  arrived_.Reset();
  on_arrived_ = arrived_.OnSet(complete);
}

void ByteInput::Discard() {
  discarding_ = true;
  Take(bytes().size());
}

}  // namespace drover
