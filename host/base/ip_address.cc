// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/ip_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

namespace drover {
namespace {

// A NUL character would end the text early.
template <typename Address>
bool Is(int family, const std::string& text) {
  Address address{};
  return text.find('\0') == std::string::npos && inet_pton(family, text.c_str(), &address) == 1;
}

}  // namespace

bool IsIpAddress(const std::string& text) {
  return Is<in_addr>(AF_INET, text) || IsIpv6Address(text);
}

bool IsIpv6Address(const std::string& text) { return Is<in6_addr>(AF_INET6, text); }

}  // namespace drover
