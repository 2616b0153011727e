// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace drover_docker {

// Finds the data in a body that is sent in chunks. It works byte by byte, so the bytes may arrive
// in any pieces. Extensions and trailers are skipped, up to 4 KiB.
class ChunkDecoder {
 public:
  // Takes bytes from the begin of BYTES until there is data, the end or a mistake. Returns their
  // number. Sets DATA to the data in these bytes.
  std::size_t Put(std::string_view bytes, std::string_view* data);

  bool done() const { return state_ == State::kDone; }
  bool failed() const { return state_ == State::kFailed; }

 private:
  enum class State {
    kSize,       // digits
    kExtension,  // up to the CR
    kSizeEnd,    // the LF after the size
    kData,
    kDataCr,
    kDataLf,
    kTrailer,      // the first byte of a trailer, or the CR of the empty line
    kTrailerText,  // up to the CR
    kTrailerLf,
    kEndLf,
    kDone,
    kFailed,
  };

  State Step(char c);
  State SizeByte(char c);

  State state_ = State::kSize;
  std::uint64_t left_ = 0;  // bytes of this chunk that are missing
  unsigned digits_ = 0;     // digits of this chunk's size
  unsigned skipped_ = 0;    // bytes of extensions and trailers
};

}  // namespace drover_docker
