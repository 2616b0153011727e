// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace drover {

// Finds the data in a chunked body. The decoder works byte by byte, so it does not matter in which
// pieces the bytes arrive. (For the decoder of Beast 1.81 the pieces matter, and some pieces make
// it abort.) Trailers are skipped.
class ChunkedDecoder {
 public:
  explicit ChunkedDecoder(std::uint64_t most) : most_(most) {}

  // Takes bytes from the beginning of BYTES until there is data, the end or a mistake. Returns the
  // number of bytes that it took. The number is 0 if BYTES is empty, and after the end of the body
  // or a mistake. Sets DATA to the data in these bytes, which is a part of BYTES.
  std::size_t Put(std::string_view bytes, std::string_view* data);

  bool done() const { return state_ == State::kDone; }
  bool failed() const { return state_ == State::kFailed; }
  // Returns whether the size of a chunk is larger than MOST.
  bool too_large() const { return too_large_; }

 private:
  enum class State {
    kSizeFirst,  // the first digit of a chunk's size
    kSize,       // further digits of the size
    kExtension,  // an extension, up to its CR
    kSizeLf,     // the LF after the size
    kData,       // the data of a chunk
    kDataCr,     // the CR after the data
    kDataLf,     // the LF after the data
    kLineFirst,  // the first byte of a trailer, or the CR of the empty line
    kTrailer,    // a trailer, up to its CR
    kTrailerLf,  // the LF after a trailer
    kEndLf,      // the LF of the empty line
    kDone,
    kFailed,
  };

  State Next(char c);
  State Digit(char c);
  State AfterSize(char c) const;
  // Returns the state after the character C of an extension or a trailer. The state is AT_CR after
  // a CR, kFailed after a mistake, and SAME after any other character.
  State Text(char c, State same, State at_cr);

  State state_ = State::kSizeFirst;
  std::uint64_t most_;
  std::uint64_t left_ = 0;  // bytes of this chunk's data that are still to come
  std::size_t text_ = 0;    // bytes in the head of this chunk, or in all trailers
  bool too_large_ = false;
};

}  // namespace drover
