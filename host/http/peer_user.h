// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <boost/asio/ip/tcp.hpp>
#include <optional>

namespace drover {

// The user on this machine who holds the other end of a TCP connection. Asks the kernel for the
// socket at REMOTE that is connected to LOCAL. Nothing if the socket is not on this machine, in
// another network namespace or already closed, or if the kernel does not say. Does not wait.
// [any thread]
std::optional<uid_t> UserOfPeer(const boost::asio::ip::tcp::endpoint& local,
                                const boost::asio::ip::tcp::endpoint& remote);

}  // namespace drover
