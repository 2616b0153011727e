// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/chunked_decoder.h"

#include <algorithm>

#include "host/base/text.h"

namespace drover {
namespace {

// The maximum size in bytes of the head of a chunk, or of all trailers. The server uses neither
// extensions nor trailers.
constexpr std::size_t kMostText = 4 << 10;

}  // namespace

std::size_t ChunkedDecoder::Put(std::string_view bytes, std::string_view* data) {
  *data = {};
  std::size_t taken = 0;
  while (taken < bytes.size() && !done() && !failed()) {
    if (state_ == State::kData) {
      *data = bytes.substr(
          taken, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size() - taken)));
      left_ -= data->size();
      if (left_ == 0) state_ = State::kDataCr;
      return taken + data->size();
    }
    state_ = Next(bytes[taken++]);
  }
  return taken;
}

ChunkedDecoder::State ChunkedDecoder::Next(char c) {
  switch (state_) {
    case State::kSizeFirst:
      left_ = 0;
      text_ = 0;
      return Digit(c);
    case State::kSize:
      return HexDigit(c) >= 0 ? Digit(c) : AfterSize(c);
    case State::kExtension:
      return Text(c, State::kExtension, State::kSizeLf);
    case State::kSizeLf:
      if (c != '\n') return State::kFailed;
      if (left_ > 0) return State::kData;
      text_ = 0;
      return State::kLineFirst;
    case State::kDataCr:
      return c == '\r' ? State::kDataLf : State::kFailed;
    case State::kDataLf:
      return c == '\n' ? State::kSizeFirst : State::kFailed;
    case State::kLineFirst:
      return Text(c, State::kTrailer, State::kEndLf);
    case State::kTrailer:
      return Text(c, State::kTrailer, State::kTrailerLf);
    case State::kTrailerLf:
      return c == '\n' ? State::kLineFirst : State::kFailed;
    case State::kEndLf:
      return c == '\n' ? State::kDone : State::kFailed;
    case State::kData:
    case State::kDone:
    case State::kFailed:
      break;
  }
  return State::kFailed;
}

ChunkedDecoder::State ChunkedDecoder::Digit(char c) {
  const int digit = HexDigit(c);
  if (digit < 0 || ++text_ > kMostText) return State::kFailed;
  left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
  if (left_ <= most_) return State::kSize;
  too_large_ = true;
  return State::kFailed;
}

ChunkedDecoder::State ChunkedDecoder::AfterSize(char c) const {
  if (c == ';') return State::kExtension;
  return c == '\r' ? State::kSizeLf : State::kFailed;
}

ChunkedDecoder::State ChunkedDecoder::Text(char c, State same, State at_cr) {
  if (c == '\r') return at_cr;
  const auto u = static_cast<unsigned char>(c);
  return (u < ' ' && c != '\t') || u == 0x7f || ++text_ > kMostText ? State::kFailed : same;
}

}  // namespace drover
