// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace drover_docker {

enum class OutputKind { kInput = 0, kOutput = 1, kError = 2 };

// Splits the stream of a container without a terminal: frames with a header of eight bytes (kind,
// three zeros, size as big endian). It keeps no more than one header.
class FrameSplitter {
 public:
  // A larger frame is a mistake. Engines send at most 16 KiB per log line piece, and attach sends
  // what the program wrote at once.
  static constexpr std::uint32_t kMostFrame = 16u << 20;

  // Takes a piece of a frame's content. FIRST and LAST: the piece begins or ends the frame. An
  // empty frame is one empty piece.
  using Take = std::function<void(OutputKind kind, std::string_view piece, bool first, bool last)>;

  // Splits BYTES, which may begin and end anywhere. Returns false after a mistake, and from then
  // on.
  bool Put(std::string_view bytes, const Take& take);
  // Returns what is wrong; empty if nothing is.
  const std::string& mistake() const { return mistake_; }
  // True if the stream may end here: no frame is incomplete.
  bool between_frames() const { return header_.empty() && left_ == 0; }

 private:
  bool BeginFrame();

  std::string header_;
  OutputKind kind_ = OutputKind::kOutput;
  std::uint32_t left_ = 0;  // bytes of the frame that are missing
  bool first_ = false;
  std::string mistake_;
};

}  // namespace drover_docker
