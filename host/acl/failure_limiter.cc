// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/failure_limiter.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace drover {

bool FailureLimiter::IsOver(const std::string& source, TimePoint now) const {
  const auto place = places_.find(source);
  return place != places_.end() && place->second->full - now > limits_.each * limits_.at_once;
}

void FailureLimiter::AddFailure(const std::string& source, TimePoint now) {
  const auto place = places_.find(source);
  if (place == places_.end()) {
    if (places_.size() >= limits_.sources) {
      places_.erase(sources_.back().name);
      sources_.pop_back();
    }
    sources_.push_front({source, now + limits_.each});
    places_.emplace(source, sources_.begin());
    return;
  }
  sources_.splice(sources_.begin(), sources_, place->second);
  // A source that goes on and on is not refused for longer than one that stops at the limit.
  const TimePoint most = now + limits_.each * (limits_.at_once + 1);
  TimePoint& full = place->second->full;
  full = std::min(std::max(full, now) + limits_.each, most);
}

std::string FailureSource(std::string_view remote) {
  if (!remote.starts_with('[')) return std::string(remote.substr(0, remote.rfind(':')));
  const std::string address(remote.substr(1, remote.find(']') - 1));
  in6_addr parsed{};
  // An address may have the name of an interface: fe80::1%eth0.
  if (inet_pton(AF_INET6, address.substr(0, address.find('%')).c_str(), &parsed) != 1) {
    return address;
  }
  if (IN6_IS_ADDR_V4MAPPED(&parsed)) return address;
  std::memset(parsed.s6_addr + 8, 0, 8);
  char text[INET6_ADDRSTRLEN];
  const char* const shown = inet_ntop(AF_INET6, &parsed, text, sizeof text);
  return shown == nullptr ? address : std::string(shown) + "/64";
}

}  // namespace drover
