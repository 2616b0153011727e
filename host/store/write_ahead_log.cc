// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/store/write_ahead_log.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "host/store/big_endian.h"

namespace drover {
namespace {

constexpr std::size_t kHeader = 32;       // bytes: kind, salts and checksum
constexpr std::size_t kFrameHeader = 24;  // bytes: page number, commit mark, salts and checksum
constexpr std::size_t kFrame = kFrameHeader + kPageSize;

// The checksum of a frame continues the checksum of the frame before it. The checksum of the first
// frame continues that of the header.
struct Checksum {
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  bool operator==(const Checksum&) const = default;

  // BYTES are 32-bit words in the byte order of the machine that has written them.
  Checksum Add(std::string_view bytes) const {
    Checksum sum = *this;
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
      std::uint32_t words[2];
      std::memcpy(words, bytes.data(), sizeof words);
      sum.first += words[0] + sum.second;
      sum.second += words[1] + sum.first;
    }
    return sum;
  }
};

Checksum ChecksumAt(std::string_view bytes) {
  return {static_cast<std::uint32_t>(BigEndian(bytes.substr(0, 4))),
          static_cast<std::uint32_t>(BigEndian(bytes.substr(4, 4)))};
}

bool HeaderIsSound(std::string_view header) {
  return Checksum().Add(header.substr(0, 24)) == ChecksumAt(header.substr(24));
}

std::string_view SaltsOf(std::string_view frame) { return frame.substr(8, 8); }

bool IsCommit(std::string_view frame) { return BigEndian(frame.substr(4, 4)) != 0; }

// Returns the salts of the log. Frames since the last checkpoint have the salts of the header, and
// older frames have other salts. If the header is damaged, the most frequent salts are returned.
std::string_view SaltsOfLog(std::string_view header, const std::vector<std::string_view>& frames) {
  if (HeaderIsSound(header)) return header.substr(16, 8);
  std::map<std::string_view, int> counts;
  std::string_view most;
  for (const std::string_view frame : frames) {
    if (++counts[SaltsOf(frame)] > counts[most]) most = SaltsOf(frame);
  }
  return most;
}

}  // namespace

WriteAheadLog ReadWriteAheadLog(std::string_view bytes) {
  WriteAheadLog log;
  if (bytes.size() < kHeader) return log;
  const std::string_view header = bytes.substr(0, kHeader);
  std::vector<std::string_view> frames;
  for (std::size_t at = kHeader; at + kFrame <= bytes.size(); at += kFrame) {
    frames.push_back(bytes.substr(at, kFrame));
  }
  const std::string_view salts = SaltsOfLog(header, frames);
  // After the last commit there may be frames that were never committed, or frames of an older
  // log.
  while (!frames.empty() && (SaltsOf(frames.back()) != salts || !IsCommit(frames.back()))) {
    frames.pop_back();
  }
  Checksum before = ChecksumAt(header.substr(24));
  for (const std::string_view frame : frames) {
    const std::string_view page = frame.substr(kFrameHeader);
    const Checksum stored = ChecksumAt(frame.substr(16));
    const bool sound =
        SaltsOf(frame) == salts && before.Add(frame.substr(0, 8)).Add(page) == stored;
    log.frames.push_back({static_cast<std::uint32_t>(BigEndian(frame.substr(0, 4))), page, sound});
    before = stored;
  }
  log.damaged =
      !frames.empty() &&
      (!HeaderIsSound(header) || !std::all_of(log.frames.begin(), log.frames.end(),
                                              [](const LogFrame& frame) { return frame.sound; }));
  return log;
}

}  // namespace drover
