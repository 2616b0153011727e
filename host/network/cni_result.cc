// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/cni_result.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/base/ip_address.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMostElements = 256;  // of each list of a result
constexpr std::size_t kLongestWord = 253;

Error BadResult(const std::string& what) {
  return {Code::kUnavailable, "the result of its CNI plugins " + what};
}

// Returns the list KEY of OF; an empty list if there is none.
Result<json> ListIn(const json& of, const char* key) {
  const auto found = of.find(key);
  if (found == of.end() || found->is_null()) return json(json::array());
  if (!found->is_array() || found->size() > kMostElements) {
    return BadResult(std::string("has \"") + key + "\" that is no list of at most " +
                     std::to_string(kMostElements) + " elements");
  }
  return *found;
}

std::string WordOf(const json& of, const char* key) {
  if (!of.is_object()) return "";
  const auto found = of.find(key);
  return found != of.end() && found->is_string() ? found->get<std::string>() : "";
}

// Returns whether INTERFACE is the one called NAME inside the allocation's namespace.
bool IsInside(const json& interface, const std::string& name) {
  return !WordOf(interface, "sandbox").empty() && WordOf(interface, "name") == name;
}

// Returns whether IP belongs to an interface of INTERFACES that is inside. If it belongs to none,
// it belongs to the only one.
Result<bool> IsOfInside(const json& ip, const json& interfaces, const std::string& name) {
  const auto index = ip.find("interface");
  if (index == ip.end() || index->is_null()) return true;
  const std::int64_t at = index->is_number_integer() ? index->get<std::int64_t>() : -1;
  if (at < 0 || at >= static_cast<std::int64_t>(interfaces.size())) {
    return BadResult("has an address of an interface that it does not have");
  }
  return IsInside(interfaces[static_cast<std::size_t>(at)], name);
}

// Returns the address of TEXT, which is an address and the length of its network.
Result<std::string> AddressIn(const std::string& text) {
  const std::string address = text.substr(0, text.find('/'));
  if (!IsIpAddress(address)) return BadResult("has " + Quoted(text) + ", which is no address");
  return address;
}

// Copies those texts of the list KEY of DNS that can be words of a resolv.conf.
Status CopyWords(const json& dns, const char* key, bool addresses, std::vector<std::string>* out) {
  DROVER_ASSIGN(const json list, ListIn(dns, key));
  for (const json& element : list) {
    const std::string word = element.is_string() ? element.get<std::string>() : "";
    const bool right = !word.empty() && word.size() <= kLongestWord &&
                       word.find_first_of(" \t\r\n#;") == std::string::npos &&
                       (!addresses || IsIpAddress(word));
    if (!right) return BadResult("has " + Quoted(word) + " in \"dns\"");
    out->push_back(word);
  }
  return {};
}

Result<DnsConfig> ReadDns(const json& result) {
  DnsConfig config;
  const auto dns = result.find("dns");
  if (dns == result.end() || !dns->is_object()) return config;
  DROVER_TRY(CopyWords(*dns, "nameservers", true, &config.servers));
  DROVER_TRY(CopyWords(*dns, "search", false, &config.searches));
  DROVER_TRY(CopyWords(*dns, "options", false, &config.options));
  return config;
}

}  // namespace

Result<AllocationNetwork> ReadCniResult(const json& result, const std::string& name) {
  if (!result.is_object()) return BadResult("is no object");
  AllocationNetwork network;
  network.interface_name = name;
  DROVER_ASSIGN(const json interfaces, ListIn(result, "interfaces"));
  DROVER_ASSIGN(const json ips, ListIn(result, "ips"));
  for (const json& ip : ips) {
    if (!ip.is_object()) return BadResult("has an address that is no object");
    DROVER_ASSIGN(const std::string address, AddressIn(WordOf(ip, "address")));
    DROVER_ASSIGN(const bool inside, IsOfInside(ip, interfaces, name));
    if (!inside) continue;
    std::string* const place = IsIpv6Address(address) ? &network.address_ipv6 : &network.address;
    if (place->empty()) *place = address;
  }
  if (network.address.empty() && network.address_ipv6.empty()) {
    return BadResult("has no address of the interface " + Quoted(name));
  }
  DROVER_ASSIGN(network.dns, ReadDns(result));
  return network;
}

}  // namespace drover
