// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/address_claims.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "host/base/time.h"
#include "host/network/neighbor_frames.h"

namespace drover {
namespace {

using Claim = std::optional<AddressClaim>;

constexpr Duration kAskAgain = 5ms;  // a frame may be lost
constexpr Duration kAskFor = 15ms;
constexpr Duration kKernelAsks = 3s;  // usually 1 s to 2 s
constexpr int kKernelPause = 20;      // ms
constexpr unsigned long kTentativeFlag = 0x40;
constexpr unsigned long kFailedFlag = 0x08;

bool CanRead(int fd) {
  pollfd event{fd, POLLIN, 0};
  return fd >= 0 && poll(&event, 1, 0) > 0;
}

// Waits until the kernel has checked ADDRESS.
AddressState AwaitIpv6(const std::string& address, int stop) {
  const TimePoint until = BootClock::now() + kKernelAsks;
  while (true) {
    std::ifstream table("/proc/thread-self/net/if_inet6");
    const AddressState state = Ipv6State(table, address);
    if (state != AddressState::kTentative || BootClock::now() >= until) return state;
    pollfd event{stop, POLLIN, 0};
    if (poll(&event, 1, kKernelPause) > 0) return state;
  }
}

// An interface that can be asked about its link.
struct Link {
  int index = 0;
  MacAddress mac{};
};

// Returns nothing if the interface NAME is no Ethernet, or is down.
std::optional<Link> LinkOf(const std::string& name) {
  const UniqueFd any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  if (!any || name.size() >= sizeof request.ifr_name) return std::nullopt;
  name.copy(request.ifr_name, name.size());
  Link link;
  if (ioctl(any.get(), SIOCGIFFLAGS, &request) != 0 || (request.ifr_flags & IFF_UP) == 0 ||
      (request.ifr_flags & IFF_NOARP) != 0)
    return std::nullopt;
  if (ioctl(any.get(), SIOCGIFHWADDR, &request) != 0 ||
      request.ifr_hwaddr.sa_family != ARPHRD_ETHER)
    return std::nullopt;
  std::memcpy(link.mac.data(), request.ifr_hwaddr.sa_data, link.mac.size());
  if (ioctl(any.get(), SIOCGIFINDEX, &request) != 0) return std::nullopt;
  link.index = request.ifr_ifindex;
  return link;
}

// An address that a link is asked about.
struct Asked {
  std::string address;
  std::string bytes;
};

// Asks a link about addresses. All of them share a socket, since the kernel takes some milliseconds
// to close one.
class LinkQuestion {
 public:
  LinkQuestion(const Link& link, const std::vector<std::string>& addresses) : link_(link) {
    for (const std::string& address : addresses) asked_.push_back({address, AddressBytes(address)});
  }

  Status Open() {
    std::uint16_t protocol = AddressQuestion(asked_.front().bytes, link_.mac).protocol;
    if (asked_.size() > 1) protocol = ETH_P_ALL;
    socket_.Reset(socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const sockaddr_ll place = Place(protocol);
    const auto* const to = reinterpret_cast<const sockaddr*>(&place);
    if (socket_ && bind(socket_.get(), to, sizeof place) == 0) return {};
    return ErrnoError(errno, "cannot ask the network of the allocation who has its addresses");
  }

  // Returns the first claim that somebody answers with.
  Claim Ask(int stop) const {
    pollfd events[] = {{socket_.get(), POLLIN, 0}, {stop, POLLIN, 0}};
    const TimePoint began = BootClock::now();
    for (const TimePoint until : {began + kAskAgain, began + kAskFor}) {
      for (const Asked& one : asked_) Send(AddressQuestion(one.bytes, link_.mac));
      for (TimePoint now = BootClock::now(); now < until; now = BootClock::now()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now);
        if (poll(events, std::size(events), static_cast<int>(left.count())) <= 0) continue;
        if (events[1].revents != 0) return std::nullopt;
        if (Claim claim = ReadClaim(until)) return claim;
      }
    }
    return std::nullopt;
  }

  void AnnounceAll() const {
    for (const Asked& one : asked_) Send(AddressAnnouncement(one.bytes, link_.mac));
  }

 private:
  sockaddr_ll Place(std::uint16_t protocol) const {
    sockaddr_ll place{};
    place.sll_family = AF_PACKET;
    place.sll_protocol = htons(protocol);
    place.sll_ifindex = link_.index;
    return place;
  }

  // A frame that cannot be sent is as one that is lost.
  void Send(const NeighborFrame& frame) const {
    sockaddr_ll place = Place(frame.protocol);
    place.sll_halen = static_cast<unsigned char>(frame.to.size());
    std::ranges::copy(frame.to, std::begin(place.sll_addr));
    (void)sendto(socket_.get(), frame.payload.data(), frame.payload.size(), MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&place), sizeof place);
  }

  // Reads what has come. A flood of frames ends with UNTIL.
  Claim ReadClaim(TimePoint until) const {
    std::array<char, 512> buffer{};
    do {
      sockaddr_ll from{};
      socklen_t length = sizeof from;
      const ssize_t n = recvfrom(socket_.get(), buffer.data(), buffer.size(), 0,
                                 reinterpret_cast<sockaddr*>(&from), &length);
      if (n <= 0) return std::nullopt;
      const std::string_view payload(buffer.data(), static_cast<std::size_t>(n));
      if (from.sll_pkttype == PACKET_OUTGOING || from.sll_halen != link_.mac.size()) continue;
      MacAddress sender{};
      std::copy_n(std::begin(from.sll_addr), sender.size(), sender.begin());
      for (const Asked& one : asked_) {
        const bool six = one.bytes.size() == sizeof(in6_addr);
        if (ntohs(from.sll_protocol) != (six ? ETH_P_IPV6 : ETH_P_ARP)) continue;
        const auto claimant = AddressClaimant(one.bytes, payload, sender);
        // A bridge may send back what this interface has sent.
        if (!claimant || *claimant == link_.mac) continue;
        Send(AddressAnnouncement(one.bytes, *claimant));
        return AddressClaim{one.address, MacText(*claimant)};
      }
    } while (BootClock::now() < until);
    return std::nullopt;
  }

  const Link link_;
  std::vector<Asked> asked_;
  UniqueFd socket_;
};

// The calling thread stays in the namespace.
Result<Claim> EnterAndAsk(int network_namespace, const AllocationNetwork& network, int stop) {
  if (setns(network_namespace, CLONE_NEWNET) != 0)
    return ErrnoError(errno, "cannot enter the network namespace of the allocation");
  std::vector<std::string> asked;
  if (!network.address.empty()) asked.push_back(network.address);
  if (!network.address_ipv6.empty()) {
    const AddressState state = AwaitIpv6(AddressBytes(network.address_ipv6), stop);
    if (state == AddressState::kDuplicate) return Claim(AddressClaim{network.address_ipv6, ""});
    // While the kernel asks, it takes the question of another one for a claim.
    if (state == AddressState::kUsable) asked.push_back(network.address_ipv6);
  }
  const std::optional<Link> link = LinkOf(network.interface_name);
  if (!link || asked.empty() || CanRead(stop)) return Claim();
  LinkQuestion question(*link, asked);
  DROVER_TRY(question.Open());
  Claim claim = question.Ask(stop);
  if (!claim) question.AnnounceAll();
  return claim;
}

}  // namespace

AddressState Ipv6State(std::istream& table, const std::string& address) {
  std::string wanted;
  for (const unsigned char byte : address) {
    constexpr char kDigits[] = "0123456789abcdef";
    wanted += kDigits[byte >> 4];
    wanted += kDigits[byte & 15];
  }
  // The fields of a line are the address, the index, the length, the scope, the flags, the name.
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    std::string found, index, length, scope, flags;
    if (!(fields >> found >> index >> length >> scope >> flags) || found != wanted) continue;
    const unsigned long bits = std::strtoul(flags.c_str(), nullptr, 16);
    if ((bits & kFailedFlag) != 0) return AddressState::kDuplicate;
    return (bits & kTentativeFlag) != 0 ? AddressState::kTentative : AddressState::kUsable;
  }
  return AddressState::kUsable;
}

Result<std::optional<AddressClaim>> FindAddressClaim(const UniqueFd& network_namespace,
                                                     const AllocationNetwork& network, int stop) {
  Result<Claim> found = Error(Code::kInternal, "");
  // Only a thread of its own can enter the namespace, and ends there.
  try {
    std::thread([&] { found = EnterAndAsk(network_namespace.get(), network, stop); }).join();
  } catch (const std::system_error& error) {
    return ErrnoError(error.code().value(), "cannot start a thread that enters a namespace");
  }
  return found;
}

}  // namespace drover
