// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/time.h"

// The services of a task group or of a task: under which names others find it, and by which checks
// they learn whether it works. The names are the same as in the job's JSON. Texts may hold
// variables in the form ${...}, which are replaced when the service is registered.
namespace drover {

// Who keeps the registrations of a service. See service_policy.h: an agent may keep those of the
// provider Consul itself.
enum class ServiceProvider { kConsul, kBuiltin };
std::string_view ServiceProviderName(ServiceProvider provider);  // "consul" or "nomad"

// Which address a service or a check has.
enum class AddressMode { kAuto, kHost, kDriver, kAlloc, kAllocIpv6 };
std::string_view AddressModeName(AddressMode mode);  // such as "alloc_ipv6"

// What of a check decides whether an allocation is healthy: that it passes, that it does not fail,
// or nothing.
enum class OnUpdate { kRequireHealthy, kIgnoreWarnings, kIgnore };
std::string_view OnUpdateName(OnUpdate on_update);  // such as "require_healthy"

enum class CheckType { kTcp, kHttp, kScript, kGrpc };
std::string_view CheckTypeName(CheckType type);  // such as "tcp"

// The status of a check before its first run.
enum class InitialStatus { kNone, kPassing, kWarning, kCritical };
std::string_view InitialStatusName(InitialStatus status);  // such as "passing"; empty for kNone

// When a failing check restarts its task or its allocation.
struct CheckRestart {
  int limit = 0;        // the number of failures in a row; 0: never
  Duration grace = 1s;  // how long failures do not count after a start
  bool ignore_warnings = false;

  bool operator==(const CheckRestart&) const = default;
};

struct ServiceCheck {
  std::string name;
  CheckType type = CheckType::kTcp;
  // Of a script: the program and its arguments, in the task that TaskOfCheck names.
  std::string command;
  std::vector<std::string> args;
  // Of HTTP: relative to the address of the check, and with or without a slash at the start. It may
  // have a query. Whoever asks adds the slash.
  std::string path;
  std::string protocol;    // of HTTP: "http" or "https"; empty: "http"
  std::string port_label;  // empty: that of the service
  // Absent: kAuto for a service with an address of its own, otherwise kHost. See AddressModeOf.
  std::optional<AddressMode> address_mode;
  Duration interval = 0s;  // from one run to the next, at least 1 s
  Duration timeout = 0s;   // of one run, at least 1 s
  InitialStatus initial_status = InitialStatus::kNone;
  std::string notes;
  std::string tls_server_name;
  bool tls_skip_verify = false;
  std::map<std::string, std::vector<std::string>> header;
  std::string method;  // of HTTP; empty: "GET"
  std::string body;
  std::string task;  // the task in which a script runs; empty: see TaskOfCheck
  std::string grpc_service;
  bool grpc_use_tls = false;
  // How many results in a row change the status. 0: one.
  int success_before_passing = 0;
  int failures_before_critical = 0;
  int failures_before_warning = 0;
  OnUpdate on_update = OnUpdate::kRequireHealthy;
  // Complete: the reader has filled it in from that of the service.
  std::optional<CheckRestart> check_restart;

  bool operator==(const ServiceCheck&) const = default;
};

// How often clients of Consul choose an instance of a service, by its status.
struct ServiceWeights {
  int passing = 1;
  int warning = 1;

  bool operator==(const ServiceWeights&) const = default;
};

struct Service {
  // Never empty after reading. Variables that the job itself decides are replaced already.
  std::string name;
  std::optional<ServiceProvider> provider;  // absent: the default of the agent
  std::string cluster = "default";          // of Consul
  std::vector<std::string> tags;
  std::vector<std::string> canary_tags;  // instead of tags, while the allocation is a canary
  bool enable_tag_override = false;      // whether others may change the tags in Consul
  // The label of a port, or the number of a port; empty: the service has no port.
  std::string port_label;
  AddressMode address_mode = AddressMode::kAuto;
  std::string address;  // of its own, instead of that of the node; only with kAuto
  std::map<std::string, std::string> meta;
  std::map<std::string, std::string> canary_meta;
  std::map<std::string, std::string> tagged_addresses;  // of Consul
  std::string task;  // of a service of the group: the task that serves it; usually empty
  OnUpdate on_update = OnUpdate::kRequireHealthy;  // the default for its checks
  std::vector<ServiceCheck> checks;
  std::optional<CheckRestart> check_restart;  // the default for its checks
  std::optional<ServiceWeights> weights;      // of Consul

  bool operator==(const Service&) const = default;
};

// Returns the name of a check of SERVICE that has none.
std::string DefaultCheckName(const Service& service);

// The part of a job to which a service belongs.
struct ServiceOwner {
  std::string job;  // the name of the job
  std::string group;
  std::string task;  // empty for a service of the group
};

// Returns the name of a service that has none.
std::string DefaultServiceName(const ServiceOwner& owner);
// Returns NAME with the values of ${JOB}, ${TASKGROUP}, ${TASK} and ${BASE}. For a service of the
// group, the name of the task is "group". All other variables stay. So does one whose value holds a
// "$", "{" or "}", or is longer than any valid name. So a second call changes nothing.
std::string ResolvedServiceName(const std::string& name, const ServiceOwner& owner);

// Returns whether a check of this type connects to a port.
inline bool NeedsPort(CheckType type) { return type != CheckType::kScript; }

// These functions return a value of CHECK, which is a check of SERVICE. If the check has none, they
// return the value of the service, or the default.
inline const std::string& PortLabelOf(const Service& service, const ServiceCheck& check) {
  return check.port_label.empty() ? service.port_label : check.port_label;
}
inline const std::string& TaskOfCheck(const Service& service, const ServiceCheck& check) {
  return check.task.empty() ? service.task : check.task;
}
AddressMode AddressModeOf(const Service& service, const ServiceCheck& check);

}  // namespace drover
