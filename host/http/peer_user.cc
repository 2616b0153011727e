// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/peer_user.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "host/base/unique_fd.h"

namespace drover {
namespace {

using boost::asio::ip::address;
using boost::asio::ip::tcp;

constexpr std::uint8_t kListening = 10;  // TCP_LISTEN, whose name differs between headers

// Returns an IPv4-mapped IPv6 address as the IPv4 address, and any other address unchanged.
address Plain(const address& given) {
  if (!given.is_v6() || !given.to_v6().is_v4_mapped()) return given;
  return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, given.to_v6());
}

void Put(const address& from, __be32 (&to)[4]) {
  if (from.is_v4()) {
    const auto bytes = from.to_v4().to_bytes();
    std::memcpy(to, bytes.data(), bytes.size());
  } else {
    const auto bytes = from.to_v6().to_bytes();
    std::memcpy(to, bytes.data(), bytes.size());
  }
}

struct Question {
  nlmsghdr head;
  inet_diag_req_v2 about;
};

}  // namespace

std::optional<uid_t> UserOfPeer(const tcp::endpoint& local, const tcp::endpoint& remote) {
  const address here = Plain(local.address()), there = Plain(remote.address());
  if (here.is_v4() != there.is_v4()) return std::nullopt;
  const UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!socket) return std::nullopt;
  Question question{};
  question.head.nlmsg_len = sizeof question;
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST;
  question.about.sdiag_family = here.is_v4() ? AF_INET : AF_INET6;
  question.about.sdiag_protocol = IPPROTO_TCP;
  question.about.idiag_states = ~0u;
  Put(there, question.about.id.idiag_src);
  Put(here, question.about.id.idiag_dst);
  question.about.id.idiag_sport = htons(remote.port());
  question.about.id.idiag_dport = htons(local.port());
  question.about.id.idiag_cookie[0] = question.about.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  // The kernel has already answered when the send returns.
  if (::send(socket.get(), &question, sizeof question, MSG_DONTWAIT) != sizeof question) {
    return std::nullopt;
  }
  alignas(nlmsghdr) std::array<char, 1024> answer{};
  const ssize_t size = ::recv(socket.get(), answer.data(), answer.size(), MSG_DONTWAIT);
  constexpr std::size_t kWhole = NLMSG_LENGTH(sizeof(inet_diag_msg));
  if (size < static_cast<ssize_t>(kWhole)) return std::nullopt;
  nlmsghdr head{};
  std::memcpy(&head, answer.data(), sizeof head);
  if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY || head.nlmsg_len < kWhole) return std::nullopt;
  inet_diag_msg found{};
  std::memcpy(&found, answer.data() + NLMSG_HDRLEN, sizeof found);
  // A socket without an inode is closed and has no owner any more. For such a socket, the kernel
  // reports user 0, which is root.
  if (found.idiag_state == kListening || found.idiag_inode == 0) return std::nullopt;
  return found.idiag_uid;
}

}  // namespace drover
