// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/asio/generic/stream_protocol.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "host/base/loop.h"
#include "host/base/unique_fd.h"
#include "host/cluster/yamux_frame.h"
#include "host/http/byte_stream.h"

namespace drover {

// Two connected byte streams on LOOP. Bytes of one arrive at the other without any time.
inline std::pair<std::unique_ptr<ByteStream>, std::unique_ptr<ByteStream>> StreamPairForTest(
    Loop* loop) {
  int ends[2] = {-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const boost::asio::generic::stream_protocol protocol(AF_UNIX, 0);
  return {MakePlainStream(StreamSocket(loop->io(), protocol, ends[0])),
          MakePlainStream(StreamSocket(loop->io(), protocol, ends[1]))};
}

// The other end of a connection, which sends and reads bytes as a test wants.
class RawPeerForTest {
 public:
  // Returns this side's end of the connection. Call it once.
  std::unique_ptr<ByteStream> Connect(Loop* loop) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    fd_.Reset(ends[1]);
    EXPECT_EQ(fcntl(fd_.get(), F_SETFL, O_NONBLOCK), 0);
    const boost::asio::generic::stream_protocol protocol(AF_UNIX, 0);
    return MakePlainStream(StreamSocket(loop->io(), protocol, ends[0]));
  }
  // Sends what fits into the socket.
  void Send(std::string_view bytes) {
    (void)!send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  void SendHead(YamuxType type, std::uint16_t flags, std::uint32_t stream, std::uint32_t length) {
    std::string bytes;
    AppendYamuxHead({type, flags, stream, length}, &bytes);
    Send(bytes);
  }
  // Returns all bytes that have arrived.
  std::string Receive() {
    std::string all;
    char block[4096];
    while (true) {
      const ssize_t size = recv(fd_.get(), block, sizeof block, 0);
      if (size <= 0) return all;
      all.append(block, static_cast<std::size_t>(size));
    }
  }

 private:
  UniqueFd fd_;
};

inline std::string HeadForTest(YamuxType type, std::uint16_t flags, std::uint32_t stream,
                               std::uint32_t length) {
  std::string bytes;
  AppendYamuxHead({type, flags, stream, length}, &bytes);
  return bytes;
}

}  // namespace drover
