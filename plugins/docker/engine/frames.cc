// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/frames.h"

#include <algorithm>

namespace drover_docker {

bool FrameSplitter::BeginFrame() {
  const auto byte = [this](std::size_t i) { return static_cast<unsigned char>(header_[i]); };
  if (byte(0) > 2 || byte(1) != 0 || byte(2) != 0 || byte(3) != 0) {
    mistake_ = "its output has no valid frames";
    return false;
  }
  kind_ = static_cast<OutputKind>(byte(0));
  left_ = (std::uint32_t{byte(4)} << 24) | (std::uint32_t{byte(5)} << 16) |
          (std::uint32_t{byte(6)} << 8) | std::uint32_t{byte(7)};
  header_.clear();
  first_ = true;
  if (left_ <= kMostFrame) return true;
  mistake_ = "its output has a frame of " + std::to_string(left_) + " bytes";
  return false;
}

bool FrameSplitter::Put(std::string_view bytes, const Take& take) {
  constexpr std::size_t kHeader = 8;
  while (!bytes.empty()) {
    if (!mistake_.empty()) return false;
    if (left_ == 0) {
      const std::size_t size = std::min(kHeader - header_.size(), bytes.size());
      header_ += bytes.substr(0, size);
      bytes.remove_prefix(size);
      if (header_.size() < kHeader) return true;
      if (!BeginFrame()) return false;
      if (left_ == 0) take(kind_, {}, true, true);
      continue;
    }
    const std::size_t size = std::min<std::size_t>(left_, bytes.size());
    left_ -= static_cast<std::uint32_t>(size);
    take(kind_, bytes.substr(0, size), first_, left_ == 0);
    first_ = false;
    bytes.remove_prefix(size);
  }
  return mistake_.empty();
}

}  // namespace drover_docker
