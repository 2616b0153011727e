// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace drover {

// Finds the data in a chunked body, byte by byte, so that the pieces in which the bytes arrive do
// not matter. (They do for the decoder of Beast 1.81, and some make it abort.) Skips trailers.
class ChunkedDecoder {
 public:
  explicit ChunkedDecoder(std::uint64_t most) : most_(most) {}

  // Takes bytes from the beginning of BYTES until there is data, the end or a mistake, and returns
  // their number. 0: BYTES is empty or nothing may follow. DATA is the data in them, a part of
  // BYTES.
  std::size_t Put(std::string_view bytes, std::string_view* data);

  bool done() const { return state_ == State::kDone; }
  bool failed() const { return state_ == State::kFailed; }
  // A chunk would have made the body larger than MOST.
  bool too_large() const { return too_large_; }

 private:
  enum class State {
    kSizeFirst,  // the first digit
    kSize,       // further digits
    kExtension,  // up to CR
    kSizeLf,     // LF after the size
    kData,       //
    kDataCr,     // CR after the data
    kDataLf,     //
    kLineFirst,  // the first byte of a trailer, or CR
    kTrailer,    // up to CR
    kTrailerLf,  //
    kEndLf,      // LF of the empty line
    kDone,
    kFailed,
  };

  State Next(char c);
  State Digit(char c);
  State AfterSize(char c) const;
  // The next state in an extension or a trailer.
  State Text(char c, State same, State at_cr);

  State state_ = State::kSizeFirst;
  std::uint64_t most_;
  std::uint64_t left_ = 0;  // bytes of this chunk
  std::size_t text_ = 0;    // bytes in the head of this chunk, or in all trailers
  bool too_large_ = false;
};

}  // namespace drover
