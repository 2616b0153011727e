// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/service.h"

#include <cstddef>
#include <utility>

namespace drover {
namespace {

// The name of a job, group or task that is longer is a fault.
constexpr std::size_t kMostPart = 128;
constexpr std::size_t kMostValue = 3 * kMostPart + 2;  // three parts and two "-"

// The task in the names of services of the group.
constexpr char kTaskOfGroup[] = "group";

}  // namespace

std::string_view ServiceProviderName(ServiceProvider provider) {
  return provider == ServiceProvider::kBuiltin ? "nomad" : "consul";
}

std::string_view AddressModeName(AddressMode mode) {
  switch (mode) {
    case AddressMode::kAuto:
      return "auto";
    case AddressMode::kHost:
      return "host";
    case AddressMode::kDriver:
      return "driver";
    case AddressMode::kAlloc:
      return "alloc";
    case AddressMode::kAllocIpv6:
      return "alloc_ipv6";
  }
  return "unknown";
}

std::string_view OnUpdateName(OnUpdate on_update) {
  switch (on_update) {
    case OnUpdate::kRequireHealthy:
      return "require_healthy";
    case OnUpdate::kIgnoreWarnings:
      return "ignore_warnings";
    case OnUpdate::kIgnore:
      return "ignore";
  }
  return "unknown";
}

std::string_view CheckTypeName(CheckType type) {
  switch (type) {
    case CheckType::kTcp:
      return "tcp";
    case CheckType::kHttp:
      return "http";
    case CheckType::kScript:
      return "script";
    case CheckType::kGrpc:
      return "grpc";
  }
  return "unknown";
}

std::string_view InitialStatusName(InitialStatus status) {
  switch (status) {
    case InitialStatus::kNone:
      return "";
    case InitialStatus::kPassing:
      return "passing";
    case InitialStatus::kWarning:
      return "warning";
    case InitialStatus::kCritical:
      return "critical";
  }
  return "unknown";
}

std::string DefaultServiceName(const ServiceOwner& owner) {
  std::string name = owner.job + "-" + owner.group;
  if (!owner.task.empty()) name += "-" + owner.task;
  return name;
}

std::string ResolvedServiceName(const std::string& name, const ServiceOwner& owner) {
  if (name.size() > kMostPart) return name;  // it is a fault, and need not become longer
  const std::string task = owner.task.empty() ? std::string(kTaskOfGroup) : owner.task;
  const std::pair<std::string_view, std::string> values[] = {
      {"${JOB}", owner.job},
      {"${TASKGROUP}", owner.group},
      {"${TASK}", task},
      {"${BASE}", owner.job + "-" + owner.group + "-" + task}};
  std::string out;
  std::size_t at = 0;
  while (at < name.size()) {
    bool replaced = false;
    for (const auto& [variable, value] : values) {
      if (name.compare(at, variable.size(), variable) != 0) continue;
      if (value.size() > kMostValue || value.find_first_of("${}") != std::string::npos) continue;
      out += value;
      at += variable.size();
      replaced = true;
      break;
    }
    if (!replaced) out += name[at++];
  }
  return out;
}

AddressMode AddressModeOf(const Service& service, const ServiceCheck& check) {
  if (check.address_mode) return *check.address_mode;
  return service.address.empty() ? AddressMode::kHost : AddressMode::kAuto;
}

std::string DefaultCheckName(const Service& service) {
  return "service: \"" + service.name + "\" check";
}

}  // namespace drover
