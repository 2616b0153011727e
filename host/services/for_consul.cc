// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/services/for_consul.h"

#include <cstddef>
#include <map>
#include <utility>

#include "host/spec/job_limits.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

// All texts of one service together have at most this many bytes.
constexpr std::size_t kMostTexts = std::size_t{64} << 10;

// Replaces the variables in the texts of one service.
class ServiceTexts {
 public:
  explicit ServiceTexts(const TaskEnv& env) : env_(env) {}

  bool too_long() const { return bytes_ > kMostTexts; }
  std::string Replace(const std::string& text) {
    if (too_long()) return {};
    std::string replaced = env_.Interpolate(text);
    bytes_ += replaced.size();
    return replaced;
  }
  std::map<std::string, std::string> Replace(const std::map<std::string, std::string>& texts) {
    std::map<std::string, std::string> replaced;
    for (const auto& [name, text] : texts) replaced[Replace(name)] = Replace(text);
    return replaced;
  }
  ServiceCheck Replace(const ServiceCheck& from) {
    ServiceCheck check = from;
    check.name = Replace(from.name);
    check.notes = Replace(from.notes);
    check.path = Replace(from.path);
    check.protocol = Replace(from.protocol);
    check.port_label = Replace(from.port_label);
    check.method = Replace(from.method);
    check.body = Replace(from.body);
    check.tls_server_name = Replace(from.tls_server_name);
    check.grpc_service = Replace(from.grpc_service);
    check.header.clear();
    for (const auto& [name, values] : from.header) {
      std::vector<std::string>& replaced = check.header[Replace(name)];
      for (const std::string& value : values) replaced.push_back(Replace(value));
    }
    return check;
  }

 private:
  const TaskEnv& env_;
  std::size_t bytes_ = 0;
};

}  // namespace

Result<ForConsul> MakeForConsul(const Service& service, const std::string& id, const TaskEnv& env,
                                const ServiceAddressSource& source, bool canary) {
  ServiceTexts texts(env);
  ForConsul made;
  made.id = id;
  made.service = service;
  made.service.name = texts.Replace(service.name);
  made.service.port_label = texts.Replace(service.port_label);
  made.service.address = texts.Replace(service.address);
  const bool other = canary && !service.canary_meta.empty();
  made.service.meta = texts.Replace(other ? service.canary_meta : service.meta);
  made.service.tagged_addresses = texts.Replace(service.tagged_addresses);
  for (ServiceCheck& check : made.service.checks) {
    check = texts.Replace(check);
    check.interval = Bounded(check.interval);
    check.timeout = Bounded(check.timeout);
    if (check.name.empty()) check.name = "service: \"" + made.service.name + "\" check";
    ServiceAddress place;
    if (NeedsPort(check.type)) {
      Result<ServiceAddress> found = FindCheckAddress(source, made.service, check);
      if (!found.ok()) return found.error().WithContext("check " + Quoted(check.name));
      place = std::move(*found);
    }
    made.places.push_back(std::move(place));
  }
  if (texts.too_long()) {
    return Error(Code::kInvalidArgument, "its texts have more than " + std::to_string(kMostTexts) +
                                             " bytes when their variables are replaced");
  }
  return made;
}

}  // namespace drover
