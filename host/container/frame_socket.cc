// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/container/frame_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

namespace drover {
namespace {

// The largest body in bytes that is sent in one message with its head. A larger body takes a large
// part of the socket's buffer, so it is sent as a file.
constexpr std::size_t kInline = 64u << 10;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_WRITE;

using Control = std::array<char, CMSG_SPACE(sizeof(int) * (kMaxFrameFds + 1))>;

int Milliseconds(TimePoint deadline) {
  if (deadline == TimePoint::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - BootClock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX));
}

// Returns a memory file that has BYTES and that nobody can change any more.
Result<UniqueFd> AsSealedFile(const std::string& bytes) {
  UniqueFd file(memfd_create("frame", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return ErrnoError(errno, "memfd");
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = write(file.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return ErrnoError(errno, "write to a memfd");
    done += static_cast<std::size_t>(n);
  }
  if (fcntl(file.get(), F_ADD_SEALS, kSeals | F_SEAL_GROW) != 0) return ErrnoError(errno, "seal");
  return file;
}

// Reads a sealed file of SIZE bytes. Returns false if FD is no such file. Only a memory file has
// seals, so reading never waits for another process.
bool ReadSealedFile(int fd, std::size_t size, std::string* bytes) {
  const int seals = fcntl(fd, F_GET_SEALS);
  struct stat info{};
  if (seals < 0 || (seals & kSeals) != kSeals || fstat(fd, &info) != 0 ||
      static_cast<std::uint64_t>(info.st_size) != size) {
    return false;
  }
  bytes->resize(size);
  for (std::size_t done = 0; done < size;) {
    const ssize_t n = pread(fd, bytes->data() + done, size - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

// Closes the descriptors of MESSAGE with the ownership DROVER_FD_GIVEN after MESSAGE has been sent
// or the send has failed.
class Given {
 public:
  explicit Given(const WireMessage* message) : message_(message) {}
  ~Given() {
    for (const drover_fd& fd : message_->fds) {
      if (fd.ownership == DROVER_FD_GIVEN) close(fd.fd);
    }
  }

 private:
  const WireMessage* message_;
};

std::vector<UniqueFd> TakeFds(msghdr* header) {
  std::vector<UniqueFd> fds;
  for (cmsghdr* c = CMSG_FIRSTHDR(header); c != nullptr; c = CMSG_NXTHDR(header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = CMSG_LEN(0); at + sizeof(int) <= c->cmsg_len; at += sizeof(int)) {
      int fd = -1;
      std::memcpy(&fd, reinterpret_cast<const char*>(c) + at, sizeof fd);
      fds.emplace_back(fd);
    }
  }
  return fds;
}

}  // namespace

Result<std::pair<UniqueFd, UniqueFd>> FrameSocket::MakePair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return ErrnoError(errno, "socketpair");
  }
  return std::pair(UniqueFd(ends[0]), UniqueFd(ends[1]));
}

Status FrameSocket::Send(std::uint16_t kind, std::uint64_t id, WireMessage message,
                         TimePoint deadline) {
  const Given given(&message);
  if (message.too_large) {
    return Error(Code::kResourceExhausted, "a message of more than " + std::to_string(kMaxWire) +
                                               " bytes is too large for a container");
  }
  if (message.bytes.size() > kMaxFrame || message.fds.size() > kMaxFrameFds) {
    return Error(Code::kResourceExhausted, "a message of " + std::to_string(message.bytes.size()) +
                                               " bytes is too large for a container");
  }
  const FrameHead head{kFrameMagic,
                       kind,
                       static_cast<std::uint16_t>(message.fds.size()),
                       id,
                       static_cast<std::uint32_t>(message.bytes.size()),
                       message.bytes.size() > kInline ? 1u : 0u};
  std::vector<int> fds;
  if (head.in_file == 0) {
    for (const drover_fd& fd : message.fds) fds.push_back(fd.fd);
    return SendBytes(head, message.bytes.data(), message.bytes.size(), fds, deadline);
  }
  DROVER_ASSIGN(const UniqueFd file, AsSealedFile(message.bytes));
  fds.push_back(file.get());
  for (const drover_fd& fd : message.fds) fds.push_back(fd.fd);
  return SendBytes(head, nullptr, 0, fds, deadline);
}

Status FrameSocket::SendBytes(const FrameHead& head, const void* body, std::size_t size,
                              const std::vector<int>& fds, TimePoint deadline) {
  std::array<iovec, 2> parts{
      {{const_cast<FrameHead*>(&head), sizeof head}, {const_cast<void*>(body), size}}};
  msghdr header{};
  header.msg_iov = parts.data();
  header.msg_iovlen = size > 0 ? 2 : 1;
  alignas(cmsghdr) Control control{};
  if (!fds.empty()) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    std::memcpy(CMSG_DATA(c), fds.data(), sizeof(int) * fds.size());
  }
  while (sendmsg(socket_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno == EINTR) continue;
    if (errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN) {
      return Error(Code::kUnavailable, "the other side is gone", true);
    }
    if (errno != EAGAIN) return ErrnoError(errno, "send to a container");
    pollfd room{socket_.get(), POLLOUT, 0};
    if (poll(&room, 1, Milliseconds(deadline)) == 0 && BootClock::now() >= deadline) {
      return Error(Code::kTimeout, "the other side does not read", true);
    }
  }
  return {};
}

Received FrameSocket::Receive(Frame* frame, bool wait, std::string* why) {
  // The buffer is not cleared, because only the received bytes are read.
  thread_local std::array<char, kInline> buffer;
  FrameHead head{};
  std::array<iovec, 2> parts{{{&head, sizeof head}, {buffer.data(), buffer.size()}}};
  alignas(cmsghdr) Control control;
  msghdr header{};
  header.msg_iov = parts.data();
  header.msg_iovlen = parts.size();
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t got = 0;
  do {
    got = recvmsg(socket_.get(), &header, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
  } while (got < 0 && errno == EINTR);
  if (got < 0 && errno == EAGAIN) return Received::kNothing;
  if (got <= 0) return Received::kClosed;
  std::vector<UniqueFd> fds = TakeFds(&header);
  const auto broken = [&](const char* what) {
    *why = what;
    return Received::kBroken;
  };
  const auto size = static_cast<std::size_t>(got);
  if ((header.msg_flags & MSG_CTRUNC) != 0) return broken("more descriptors than a frame has");
  if ((header.msg_flags & MSG_TRUNC) != 0) return broken("a frame that is too large");
  if (size < sizeof head || head.magic != kFrameMagic) return broken("bytes that are no frame");
  if (head.size > kMaxFrame) return broken("a frame that is too large");
  if (head.fds + (head.in_file != 0 ? 1u : 0u) != fds.size()) {
    return broken("descriptors that its frame does not name");
  }
  frame->kind = head.kind;
  frame->id = head.id;
  frame->message = WireMessage();
  if (head.in_file != 0) {
    const bool whole =
        size == sizeof head && ReadSealedFile(fds.front().get(), head.size, &frame->message.bytes);
    if (!whole) return broken("a frame whose file is not what its head tells");
    fds.erase(fds.begin());
  } else {
    if (size - sizeof head != head.size) return broken("a frame that is cut off");
    frame->message.bytes.assign(buffer.data(), head.size);
  }
  for (UniqueFd& fd : fds) frame->message.fds.push_back({fd.Release(), DROVER_FD_GIVEN});
  return Received::kFrame;
}

void FrameSocket::Shutdown() { shutdown(socket_.get(), SHUT_RDWR); }

}  // namespace drover
