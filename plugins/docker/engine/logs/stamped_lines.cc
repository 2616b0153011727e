// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/logs/stamped_lines.h"

#include <algorithm>

#include "engine/json_read.h"

namespace drover_docker {
namespace {

constexpr std::size_t kMostStamp = 48;

}  // namespace

void StampedLines::Restart() {
  from_ = mark_;
  seen_ = 0;
  passed_ = false;
  in_stamp_ = false;
  stamp_.clear();
}

// The time of the message is known: decides how much of it is new.
void StampedLines::BeginText() {
  in_stamp_ = false;
  skip_ = false;
  skip_bytes_ = 0;
  if (passed_ || from_.time == 0) {
    passed_ = true;
  } else if (time_ < from_.time) {
    skip_ = true;
  } else if (time_ > from_.time) {
    passed_ = true;
  } else {
    ++seen_;
    skip_ = seen_ <= from_.count;
    // The message behind the last whole one may have been cut off.
    if (seen_ == from_.count + 1) skip_bytes_ = from_.bytes;
  }
  if (skip_) return;
  if (time_ != mark_.time) {
    mark_.time = time_;
    mark_.count = 0;
  }
  mark_.bytes = 0;
}

void StampedLines::Pass(std::string_view text, const std::function<void(std::string_view)>& write) {
  if (skip_) return;
  mark_.bytes += text.size();
  const std::size_t old =
      static_cast<std::size_t>(std::min<std::uint64_t>(skip_bytes_, text.size()));
  skip_bytes_ -= old;
  text.remove_prefix(old);
  if (!text.empty()) write(text);
}

void StampedLines::Put(std::string_view piece, bool first, bool last,
                       const std::function<void(std::string_view)>& write) {
  if (first) {
    in_stamp_ = true;
    stamp_.clear();
  }
  if (in_stamp_) {
    const std::size_t space = piece.find(' ');
    const std::size_t size = space == piece.npos ? piece.size() : space;
    const std::size_t taken = std::min(size, kMostStamp + 1 - std::min(kMostStamp, stamp_.size()));
    stamp_ += piece.substr(0, taken);
    const bool complete = space != piece.npos || last || stamp_.size() > kMostStamp;
    if (!complete) return;
    const std::int64_t time = stamp_.size() > kMostStamp ? 0 : ParseTime(stamp_);
    if (time > 0) {
      piece.remove_prefix(space == piece.npos ? piece.size() : space + 1);
      time_ = time;
      BeginText();
    } else {
      // No time stamp: the message is as new as the one before it.
      time_ = std::max<std::int64_t>(time_, 1);
      BeginText();
      const std::string text = stamp_;
      piece.remove_prefix(taken);
      Pass(text, write);
    }
    stamp_.clear();
  }
  Pass(piece, write);
  if (last && !skip_) {
    ++mark_.count;
    mark_.bytes = 0;
  }
}

}  // namespace drover_docker
