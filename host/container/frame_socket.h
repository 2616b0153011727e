// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/abi/wire.h"
#include "host/base/result.h"
#include "host/base/time.h"
#include "host/base/unique_fd.h"

// Whole messages between the host and a container, with descriptors, over a pair of SOCK_SEQPACKET
// sockets. The kernel keeps each frame and its descriptors together: threads on both sides send and
// receive without locks, a send that is given up has sent nothing, and a frame that does not fit is
// an error. A frame larger than the socket takes travels as a sealed file.
namespace drover {

inline constexpr std::size_t kMaxFrame = 16u << 20;  // bytes of a body
inline constexpr std::size_t kMaxFrameFds = 4;

struct FrameHead {
  std::uint32_t magic;
  std::uint16_t kind;
  std::uint16_t fds;  // beside the body's own, if that is in a file
  std::uint64_t id;
  std::uint32_t size;  // of the body
  std::uint32_t in_file;
};
inline constexpr std::uint32_t kFrameMagic = 0x64726631;  // "drf1"

struct Frame {
  std::uint16_t kind = 0;
  std::uint64_t id = 0;
  WireMessage message;  // its descriptors are GIVEN
};

enum class Received { kFrame, kNothing, kClosed, kBroken };

// [any thread]
class FrameSocket {
 public:
  explicit FrameSocket(UniqueFd socket) : socket_(std::move(socket)) {}

  // Both ends, close-on-exec.
  static Result<std::pair<UniqueFd, UniqueFd>> MakePair();

  // Waits until there is room, at most until DEADLINE. Closes what MESSAGE gives, whatever comes of
  // it. kUnavailable: nobody is there any more; kTimeout: the other side does not read.
  Status Send(std::uint16_t kind, std::uint64_t id, WireMessage message,
              TimePoint deadline = TimePoint::max());

  // One frame; without WAIT kNothing when none is there. kBroken: WHY has what was wrong with it;
  // all its descriptors have been closed.
  Received Receive(Frame* frame, bool wait, std::string* why);

  // Nothing goes through any more, in neither direction; who waits here hears it.
  void Shutdown();

  int fd() const { return socket_.get(); }

 private:
  Status SendBytes(const FrameHead& head, const void* body, std::size_t size,
                   const std::vector<int>& fds, TimePoint deadline);

  UniqueFd socket_;
};

}  // namespace drover
