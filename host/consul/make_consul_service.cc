// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/make_consul_service.h"

#include <openssl/sha.h>

#include <optional>
#include <string_view>
#include <utility>

#include "host/base/text.h"
#include "host/base/time.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

// How late the result of a script may be before Consul takes the check for failed.
constexpr Duration kTtlReserve = 30s;

std::string HashOf(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  constexpr std::size_t kBytes = 20;
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  std::string hash;
  for (std::size_t i = 0; i < kBytes; ++i) {
    hash += kHex[digest[i] >> 4];
    hash += kHex[digest[i] & 15];
  }
  return hash;
}

std::string HostAndPort(const ConsulAddress& place) {
  const bool ipv6 = place.ip.find(':') != std::string::npos && !place.ip.starts_with('[');
  return (ipv6 ? "[" + place.ip + "]" : place.ip) + ":" + std::to_string(place.port);
}

// Reads the value of a tagged address, which is HOST or HOST:PORT.
ConsulAddress ReadTagged(const std::string& text, int port) {
  const std::size_t colon = text.rfind(':');
  const bool ipv6 = colon != std::string::npos && text.find(':') != colon && !text.starts_with('[');
  const std::optional<int> own =
      colon == std::string::npos || ipv6 ? std::nullopt : ParseNumber<int>(text.substr(colon + 1));
  if (!own) return {text, port};
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {std::move(host), *own};
}

void AddHttp(const ServiceCheck& check, const ConsulAddress& place, json* out) {
  const std::string slash = check.path.starts_with('/') ? "" : "/";
  (*out)["HTTP"] = (check.protocol.empty() ? "http" : check.protocol) + "://" + HostAndPort(place) +
                   slash + check.path;
  (*out)["Method"] = check.method.empty() ? "GET" : check.method;
  if (!check.header.empty()) (*out)["Header"] = check.header;
  if (!check.body.empty()) (*out)["Body"] = check.body;
}

// Returns the definition of CHECK. PLACE does not matter for a script.
json DefinitionOf(const ServiceCheck& check, const ConsulAddress& place) {
  json out = {{"Name", check.name}};
  if (!check.notes.empty()) out["Notes"] = check.notes;
  if (check.initial_status != InitialStatus::kNone) {
    out["Status"] = InitialStatusName(check.initial_status);
  }
  if (check.success_before_passing > 0) out["SuccessBeforePassing"] = check.success_before_passing;
  if (check.failures_before_critical > 0) {
    out["FailuresBeforeCritical"] = check.failures_before_critical;
  }
  if (check.failures_before_warning > 0) {
    out["FailuresBeforeWarning"] = check.failures_before_warning;
  }
  // Consul refuses an interval of a check that it does not run itself.
  if (check.type == CheckType::kScript) {
    out["TTL"] = FormatDuration(check.interval + check.timeout + kTtlReserve);
    return out;
  }
  out["Interval"] = FormatDuration(check.interval);
  out["Timeout"] = FormatDuration(check.timeout);
  if (check.tls_skip_verify) out["TLSSkipVerify"] = true;
  if (!check.tls_server_name.empty()) out["TLSServerName"] = check.tls_server_name;
  if (check.type == CheckType::kHttp) {
    AddHttp(check, place, &out);
  } else if (check.type == CheckType::kGrpc) {
    const std::string service = check.grpc_service.empty() ? "" : "/" + check.grpc_service;
    out["GRPC"] = HostAndPort(place) + service;
    if (check.grpc_use_tls) out["GRPCUseTLS"] = true;
  } else {
    out["TCP"] = HostAndPort(place);
  }
  return out;
}

}  // namespace

Result<ConsulService> MakeConsulService(const Service& service, const std::string& owner,
                                        const ServiceRegistration& registration,
                                        const CheckPlaceOf& place_of) {
  ConsulService made;
  made.id = registration.id;
  made.name = registration.name;
  made.tags = registration.tags;
  made.enable_tag_override = service.enable_tag_override;
  made.meta = service.meta;
  made.meta.emplace("external-source", "nomad");  // by this, pages of Consul know the kind of it
  made.meta[kConsulMetaNode] = registration.node_id;
  made.meta[kConsulMetaOwner] = owner;
  made.address = registration.address;
  made.port = registration.port;
  for (const auto& [name, text] : service.tagged_addresses) {
    made.tagged_addresses.emplace(name, ReadTagged(text, registration.port));
  }
  if (service.weights) made.weights = *service.weights;
  for (std::size_t i = 0; i < service.checks.size(); ++i) {
    const ServiceCheck& check = service.checks[i];
    ConsulCheck of_consul;
    of_consul.name = check.name;
    of_consul.script = check.type == CheckType::kScript;
    of_consul.on_update = check.on_update;
    ConsulAddress place;
    if (NeedsPort(check.type)) {
      Result<ConsulAddress> found = place_of(check);
      if (!found.ok()) return found.error().WithContext("check " + Quoted(check.name));
      place = *std::move(found);
    }
    of_consul.definition = DefinitionOf(check, place);
    // Two checks of one service may be equal. A script may change while its times stay.
    json whole = of_consul.definition;
    whole["Script"] = {check.command, check.args};
    of_consul.id =
        kConsulCheckPrefix + HashOf(made.id + "\n" + std::to_string(i) + "\n" + JsonText(whole));
    made.checks.push_back(std::move(of_consul));
  }
  return made;
}

}  // namespace drover
