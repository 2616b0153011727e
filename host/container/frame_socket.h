// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/abi/wire.h"
#include "host/base/result.h"
#include "host/base/time.h"
#include "host/base/unique_fd.h"

// Frames are messages with file descriptors. The host and a container exchange them over a pair of
// SOCK_SEQPACKET sockets. The kernel keeps each frame and its descriptors together, so threads on
// both sides send and receive without locks. A send that reaches its deadline has sent no part of
// the frame. A body that is too large for one message of the socket is sent in a sealed file. A
// frame that was not received completely is an error.
namespace drover {

inline constexpr std::size_t kMaxFrame = 16u << 20;  // the maximum size of a body in bytes
inline constexpr std::size_t kMaxFrameFds = 20;      // those of a named process, and one more

struct FrameHead {
  std::uint32_t magic;
  std::uint16_t kind;
  std::uint16_t fds;  // the number of descriptors, without that of the body's file
  std::uint64_t id;
  std::uint32_t size;  // the size of the body in bytes
  std::uint32_t in_file;
};
inline constexpr std::uint32_t kFrameMagic = 0x64726631;  // "drf1"

struct Frame {
  std::uint16_t kind = 0;
  std::uint64_t id = 0;
  WireMessage message;  // its descriptors have the ownership DROVER_FD_GIVEN
};

enum class Received { kFrame, kNothing, kClosed, kBroken };

// [any thread]
class FrameSocket {
 public:
  explicit FrameSocket(UniqueFd socket) : socket_(std::move(socket)) {}

  // Returns the two ends of a new pair of sockets, which are close-on-exec.
  static Result<std::pair<UniqueFd, UniqueFd>> MakePair();

  // Sends one frame. Waits for room in the socket, at most until DEADLINE. Always closes the
  // descriptors of MESSAGE with the ownership DROVER_FD_GIVEN. The error is kUnavailable if the
  // other side has closed the socket, and kTimeout if the other side does not read.
  Status Send(std::uint16_t kind, std::uint64_t id, WireMessage message,
              TimePoint deadline = TimePoint::max());

  // Receives one frame. Without WAIT, returns kNothing if no frame has arrived. After kBroken, WHY
  // says what is wrong with the frame, and all its descriptors have been closed.
  Received Receive(Frame* frame, bool wait, std::string* why);

  // Closes the connection in both directions. Threads that wait for the socket return at once.
  void Shutdown();

  int fd() const { return socket_.get(); }

 private:
  Status SendBytes(const FrameHead& head, const void* body, std::size_t size,
                   const std::vector<int>& fds, TimePoint deadline);

  UniqueFd socket_;
};

}  // namespace drover
