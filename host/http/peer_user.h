// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <boost/asio/ip/tcp.hpp>
#include <optional>

namespace drover {

// Returns the user on this machine who holds the other end of a TCP connection. Queries the kernel
// for the socket at REMOTE that is connected to LOCAL. Returns nothing if that socket is closed,
// on another machine or in another network namespace. Also returns nothing if the kernel does not
// report the user. Does not wait. [any thread]
std::optional<uid_t> UserOfPeer(const boost::asio::ip::tcp::endpoint& local,
                                const boost::asio::ip::tcp::endpoint& remote);

}  // namespace drover
