// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/service_json.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "host/spec/job_limits.h"

namespace drover {
namespace {

using nlohmann::json;

// Returns the value of IN over DEFAULTS, that of the service. A limit of 0 is one that is not set.
CheckRestart ReadCheckRestart(const JobMembers& in, const std::optional<CheckRestart>& defaults) {
  CheckRestart restart = defaults.value_or(CheckRestart());
  int limit = 0;
  in.Read("Limit", &limit);
  if (limit != 0) restart.limit = limit;
  in.Read("Grace", &restart.grace);
  bool ignore_warnings = false;
  in.Read("IgnoreWarnings", &ignore_warnings);
  restart.ignore_warnings = restart.ignore_warnings || ignore_warnings;
  return restart;
}

template <typename Out>
void ReadAddressMode(const JobMembers& in, Out* mode) {
  using enum AddressMode;
  ReadName(in, "AddressMode", {kAuto, kHost, kDriver, kAlloc, kAllocIpv6}, AddressModeName, mode);
}

void ReadOnUpdate(const JobMembers& in, OnUpdate* on_update) {
  using enum OnUpdate;
  ReadName(in, "OnUpdate", {kRequireHealthy, kIgnoreWarnings, kIgnore}, OnUpdateName, on_update);
}

void ReadCheckType(const JobMembers& in, CheckType* type) {
  using enum CheckType;
  std::string text;
  in.Read("Type", &text);
  if (text.empty()) in.Fault("Type", "is missing; write tcp, http or script");
  // The checks of jobs refuse this type by its name, so nobody is advised to write it.
  if (text == CheckTypeName(kGrpc)) {
    *type = kGrpc;
  } else {
    ReadName(in, "Type", {kTcp, kHttp, kScript}, CheckTypeName, type);
  }
}

// Reads a check of SERVICE, of which all other members are there.
void ReadCheck(const JobMembers& in, const Service& service, ServiceCheck* check) {
  in.Read("Name", &check->name);
  if (check->name.empty()) check->name = DefaultCheckName(service);
  ReadCheckType(in, &check->type);
  in.Read("Command", &check->command);
  in.Read("Args", &check->args);
  in.Read("Path", &check->path);
  in.Read("Protocol", &check->protocol);
  in.Read("PortLabel", &check->port_label);
  ReadAddressMode(in, &check->address_mode);
  in.Read("Interval", &check->interval);
  in.Read("Timeout", &check->timeout);
  using enum InitialStatus;
  ReadName(in, "InitialStatus", {kPassing, kWarning, kCritical}, InitialStatusName,
           &check->initial_status);
  in.Read("Notes", &check->notes);
  in.Read("TLSServerName", &check->tls_server_name);
  in.Read("TLSSkipVerify", &check->tls_skip_verify);
  in.Read("Header", &check->header);
  in.Read("Method", &check->method);
  in.Read("Body", &check->body);
  in.Read("TaskName", &check->task);
  in.Read("GRPCService", &check->grpc_service);
  in.Read("GRPCUseTLS", &check->grpc_use_tls);
  in.Read("SuccessBeforePassing", &check->success_before_passing);
  in.Read("FailuresBeforeCritical", &check->failures_before_critical);
  in.Read("FailuresBeforeWarning", &check->failures_before_warning);
  check->on_update = service.on_update;
  ReadOnUpdate(in, &check->on_update);
  check->check_restart = service.check_restart;
  if (in.Find("CheckRestart") != nullptr) {
    check->check_restart = ReadCheckRestart(in.Object("CheckRestart"), service.check_restart);
  }
}

json TextOrNull(const std::vector<std::string>& list) {
  return list.empty() ? json(nullptr) : json(list);
}

template <typename Value>
json MapOrNull(const std::map<std::string, Value>& map) {
  return map.empty() ? json(nullptr) : json(map);
}

json ToJson(const std::optional<CheckRestart>& restart) {
  if (!restart) return nullptr;
  return {{"Limit", restart->limit},
          {"Grace", restart->grace.count()},
          {"IgnoreWarnings", restart->ignore_warnings}};
}

json ToJson(const std::optional<ServiceWeights>& weights) {
  if (!weights) return nullptr;
  return {{"Passing", weights->passing}, {"Warning", weights->warning}};
}

json ToJson(const ServiceCheck& check) {
  json out = {{"Name", check.name},
              {"Type", CheckTypeName(check.type)},
              {"Command", check.command},
              {"Args", TextOrNull(check.args)},
              {"Path", check.path},
              {"Protocol", check.protocol},
              {"PortLabel", check.port_label},
              {"AddressMode", ""},
              {"Interval", check.interval.count()},
              {"Timeout", check.timeout.count()},
              {"InitialStatus", InitialStatusName(check.initial_status)},
              {"Notes", check.notes},
              {"TLSServerName", check.tls_server_name},
              {"TLSSkipVerify", check.tls_skip_verify},
              {"Header", MapOrNull(check.header)},
              {"Method", check.method},
              {"Body", check.body},
              {"TaskName", check.task},
              {"GRPCService", check.grpc_service},
              {"GRPCUseTLS", check.grpc_use_tls},
              {"SuccessBeforePassing", check.success_before_passing},
              {"FailuresBeforeCritical", check.failures_before_critical},
              {"FailuresBeforeWarning", check.failures_before_warning},
              {"OnUpdate", OnUpdateName(check.on_update)},
              {"CheckRestart", ToJson(check.check_restart)}};
  if (check.address_mode) out["AddressMode"] = AddressModeName(*check.address_mode);
  return out;
}

json ToJson(const Service& service) {
  json checks = json::array();
  for (const ServiceCheck& check : service.checks) checks.push_back(ToJson(check));
  json out = {{"Name", service.name},
              {"Provider", ""},
              {"Cluster", service.cluster},
              {"Tags", TextOrNull(service.tags)},
              {"CanaryTags", TextOrNull(service.canary_tags)},
              {"EnableTagOverride", service.enable_tag_override},
              {"PortLabel", service.port_label},
              {"AddressMode", AddressModeName(service.address_mode)},
              {"Address", service.address},
              {"Meta", MapOrNull(service.meta)},
              {"CanaryMeta", MapOrNull(service.canary_meta)},
              {"TaggedAddresses", MapOrNull(service.tagged_addresses)},
              {"TaskName", service.task},
              {"OnUpdate", OnUpdateName(service.on_update)},
              {"Checks", nullptr},
              {"CheckRestart", ToJson(service.check_restart)},
              {"Weights", ToJson(service.weights)}};
  if (service.provider) out["Provider"] = ServiceProviderName(*service.provider);
  if (!checks.empty()) out["Checks"] = std::move(checks);
  return out;
}

}  // namespace

void ReadService(const JobMembers& in, const ServiceOwner& owner, Service* service) {
  in.Read("Name", &service->name);
  if (service->name.empty()) service->name = DefaultServiceName(owner);
  service->name = ResolvedServiceName(service->name, owner);
  ReadName(in, "Provider", {ServiceProvider::kConsul, ServiceProvider::kBuiltin},
           ServiceProviderName, &service->provider);
  std::string cluster;
  in.Read("Cluster", &cluster);
  if (!cluster.empty()) service->cluster = cluster;
  in.Read("Tags", &service->tags);
  in.Read("CanaryTags", &service->canary_tags);
  in.Read("EnableTagOverride", &service->enable_tag_override);
  in.Read("PortLabel", &service->port_label);
  ReadAddressMode(in, &service->address_mode);
  in.Read("Address", &service->address);
  in.Read("Meta", &service->meta);
  in.Read("CanaryMeta", &service->canary_meta);
  in.Read("TaggedAddresses", &service->tagged_addresses);
  in.Read("TaskName", &service->task);
  ReadOnUpdate(in, &service->on_update);
  if (in.Find("CheckRestart") != nullptr) {
    service->check_restart = ReadCheckRestart(in.Object("CheckRestart"), std::nullopt);
  }
  if (in.Find("Weights") != nullptr) {
    service->weights.emplace();
    const JobMembers weights = in.Object("Weights");
    weights.Read("Passing", &service->weights->passing);
    weights.Read("Warning", &service->weights->warning);
  }
  in.ReadList(
      "Checks", &service->checks,
      [service](const JobMembers& of, ServiceCheck* check) { ReadCheck(of, *service, check); },
      kMostChecksOfService);
}

json ServicesToJson(const std::vector<Service>& services) {
  if (services.empty()) return nullptr;
  json list = json::array();
  for (const Service& service : services) list.push_back(ToJson(service));
  return list;
}

}  // namespace drover
