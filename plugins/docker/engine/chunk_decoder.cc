// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/chunk_decoder.h"

#include <algorithm>

namespace drover_docker {
namespace {

constexpr unsigned kMostSkipped = 4u << 10;
constexpr unsigned kMostDigits = 15;  // so that the size fits

}  // namespace

std::size_t ChunkDecoder::Put(std::string_view bytes, std::string_view* data) {
  *data = {};
  std::size_t taken = 0;
  while (taken < bytes.size() && !done() && !failed()) {
    if (state_ == State::kData) {
      const std::uint64_t size = std::min<std::uint64_t>(left_, bytes.size() - taken);
      *data = bytes.substr(taken, static_cast<std::size_t>(size));
      left_ -= size;
      if (left_ == 0) state_ = State::kDataCr;
      return taken + data->size();
    }
    state_ = Step(bytes[taken++]);
  }
  return taken;
}

ChunkDecoder::State ChunkDecoder::SizeByte(char c) {
  int digit = -1;
  if (c >= '0' && c <= '9') digit = c - '0';
  if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
  if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
  if (digit >= 0) {
    if (++digits_ > kMostDigits) return State::kFailed;
    left_ = left_ * 16 + static_cast<unsigned>(digit);
    return State::kSize;
  }
  if (digits_ == 0) return State::kFailed;
  if (c == '\r') return State::kSizeEnd;
  return c == ';' || c == ' ' ? State::kExtension : State::kFailed;
}

ChunkDecoder::State ChunkDecoder::Step(char c) {
  switch (state_) {
    case State::kSize:
      return SizeByte(c);
    case State::kExtension:
      if (c == '\r') return State::kSizeEnd;
      return c == '\n' || ++skipped_ > kMostSkipped ? State::kFailed : State::kExtension;
    case State::kSizeEnd:
      if (c != '\n') return State::kFailed;
      digits_ = 0;
      return left_ > 0 ? State::kData : State::kTrailer;
    case State::kDataCr:
      return c == '\r' ? State::kDataLf : State::kFailed;
    case State::kDataLf:
      return c == '\n' ? State::kSize : State::kFailed;
    case State::kTrailer:
      if (c == '\r') return State::kEndLf;
      return c == '\n' || ++skipped_ > kMostSkipped ? State::kFailed : State::kTrailerText;
    case State::kTrailerText:
      if (c == '\r') return State::kTrailerLf;
      return c == '\n' || ++skipped_ > kMostSkipped ? State::kFailed : State::kTrailerText;
    case State::kTrailerLf:
      return c == '\n' ? State::kTrailer : State::kFailed;
    case State::kEndLf:
      return c == '\n' ? State::kDone : State::kFailed;
    case State::kData:
    case State::kDone:
    case State::kFailed:
      break;
  }
  return State::kFailed;
}

}  // namespace drover_docker
