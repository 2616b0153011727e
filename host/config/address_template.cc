// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/address_template.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdint>
#include <functional>

namespace drover {
namespace {

constexpr char kKnown[] =
    "known here: {{ GetPrivateIP }}, {{ GetPublicIP }} and {{ GetInterfaceIP \"NAME\" }}";

struct Ipv4Net {
  std::uint32_t address;
  int bits;

  bool Has(std::uint32_t ip) const { return (ip ^ address) >> (32 - bits) == 0; }
};

// The networks of RFC 1918 and RFC 6598.
constexpr Ipv4Net kPrivate[] = {
    {0x0A000000, 8}, {0xAC100000, 12}, {0xC0A80000, 16}, {0x64400000, 10}};
// Addresses that only this machine or its link can reach.
constexpr Ipv4Net kLocal[] = {{0x7F000000, 8}, {0xA9FE0000, 16}};

enum class Reach { kLocal, kPrivate, kPublic };

Reach ReachOf(const std::string& ip) {
  in_addr v4{};
  if (inet_pton(AF_INET, ip.c_str(), &v4) == 1) {
    const std::uint32_t number = ntohl(v4.s_addr);
    const auto has = [number](const Ipv4Net& net) { return net.Has(number); };
    if (std::any_of(std::begin(kLocal), std::end(kLocal), has)) return Reach::kLocal;
    if (std::any_of(std::begin(kPrivate), std::end(kPrivate), has)) return Reach::kPrivate;
    return Reach::kPublic;
  }
  in6_addr v6{};
  if (inet_pton(AF_INET6, ip.c_str(), &v6) != 1 || IN6_IS_ADDR_LOOPBACK(&v6) ||
      IN6_IS_ADDR_LINKLOCAL(&v6)) {
    return Reach::kLocal;
  }
  return (v6.s6_addr[0] & 0xFE) == 0xFC ? Reach::kPrivate : Reach::kPublic;
}

using Condition = std::function<bool(const InterfaceAddress&)>;

std::string First(const std::vector<InterfaceAddress>& addresses, const Condition& fits) {
  for (const bool ipv6 : {false, true}) {
    for (const InterfaceAddress& one : addresses) {
      if ((one.ip.find(':') != std::string::npos) == ipv6 && fits(one)) return one.ip;
    }
  }
  return "";
}

std::string Trimmed(const std::string& text) {
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string::npos) return "";
  return text.substr(start, text.find_last_not_of(" \t") - start + 1);
}

Result<Condition> ConditionOf(const std::string& call) {
  if (call == "GetPrivateIP" || call == "GetPublicIP") {
    const Reach wanted = call == "GetPrivateIP" ? Reach::kPrivate : Reach::kPublic;
    return Condition([wanted](const InterfaceAddress& one) { return ReachOf(one.ip) == wanted; });
  }
  const std::string name = "GetInterfaceIP";
  if (call.starts_with(name)) {
    const std::string argument = Trimmed(call.substr(name.size()));
    const bool quoted = argument.size() > 2 && argument.front() == argument.back() &&
                        (argument.front() == '"' || argument.front() == '`') &&
                        argument.find(argument.front(), 1) == argument.size() - 1;
    if (quoted) {
      const std::string device = argument.substr(1, argument.size() - 2);
      return Condition([device](const InterfaceAddress& one) { return one.device == device; });
    }
  }
  return Error(Code::kInvalidArgument,
               "the template {{ " + call + " }} is not supported by this version; " + kKnown);
}

}  // namespace

bool HasAddressTemplate(const std::string& text) { return text.find("{{") != std::string::npos; }

Result<std::string> FillAddressTemplate(const std::string& text,
                                        const std::vector<InterfaceAddress>& addresses) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t start; (start = text.find("{{", at)) != std::string::npos;) {
    const std::size_t end = text.find("}}", start);
    if (end == std::string::npos) {
      return Error(Code::kInvalidArgument, "the template has no closing braces");
    }
    const std::string call = Trimmed(text.substr(start + 2, end - start - 2));
    DROVER_ASSIGN(const Condition fits, ConditionOf(call));
    const std::string address = First(addresses, fits);
    if (address.empty()) {
      return Error(Code::kInvalidArgument,
                   "no address of this machine fits the template {{ " + call + " }}");
    }
    out += text.substr(at, start - at) + address;
    at = end + 2;
  }
  return out + text.substr(at);
}

}  // namespace drover
