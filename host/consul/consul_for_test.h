// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/consul/consul_api.h"

namespace drover {

// For tests: a Consul in memory, on the loop of the test.
class ConsulForTest : public ConsulApi {
 public:
  bool away = false;
  bool forgetful = false;         // registers nothing, but says that it has
  Duration delay{0};              // of each answer
  std::set<std::string> refused;  // ids of services that are never registered or removed
  ConsulServices services;
  ConsulCheckStateMap checks;
  std::vector<std::string> outputs;  // of UpdateCheck
  std::vector<std::string> calls;    // such as "register ID"

  int Count(const std::string& begin) const {
    return static_cast<int>(
        std::count_if(calls.begin(), calls.end(),
                      [&begin](const std::string& call) { return call.starts_with(begin); }));
  }
  void Wipe() {
    services.clear();
    checks.clear();
  }

  Co<Status> Register(Context context, std::shared_ptr<const ConsulService> service) override {
    DROVER_CO_TRY(co_await Begin(context, "register " + service->id));
    if (refused.count(service->id) > 0) co_return Error(Code::kPermissionDenied, "no such right");
    if (forgetful) co_return Status();
    ConsulService stored = *service;
    stored.checks.clear();
    services[service->id] = std::move(stored);
    const ConsulCheckStateMap before = std::exchange(checks, {});
    for (const auto& [id, state] : before) {
      if (state.service_id != service->id) checks.emplace(id, state);
    }
    for (const ConsulCheck& check : service->checks) {
      const auto old = before.find(check.id);
      checks[check.id] = old != before.end()
                             ? old->second
                             : ConsulCheckState{service->id, ConsulStatus::kCritical};
    }
    co_return Status();
  }
  Co<Status> Deregister(Context context, std::string id) override {
    DROVER_CO_TRY(co_await Begin(context, "deregister " + id));
    if (refused.count(id) > 0) co_return Error(Code::kPermissionDenied, "no such right");
    if (services.erase(id) == 0) co_return Error(Code::kNotFound, "no such service");
    std::erase_if(checks, [&id](const auto& check) { return check.second.service_id == id; });
    co_return Status();
  }
  Co<Result<ConsulServices>> ListServices(Context context) override {
    DROVER_CO_TRY(co_await Begin(context, "services"));
    co_return services;
  }
  Co<Result<ConsulCheckStateMap>> ListChecks(Context context) override {
    DROVER_CO_TRY(co_await Begin(context, "checks"));
    co_return checks;
  }
  Co<Result<bool>> HasService(Context context, std::string id) override {
    DROVER_CO_TRY(co_await Begin(context, "has " + id));
    co_return services.count(id) > 0;
  }
  Co<Status> UpdateCheck(Context context, std::string check_id, ConsulStatus status,
                         std::string output) override {
    DROVER_CO_TRY(co_await Begin(context, "update " + check_id));
    if (checks.count(check_id) == 0) co_return Error(Code::kNotFound, "no such check");
    checks[check_id].status = status;
    outputs.push_back(std::move(output));
    co_return Status();
  }

 private:
  Co<Status> Begin(Context context, std::string call) {
    calls.push_back(std::move(call));
    if (delay > Duration(0)) DROVER_CO_TRY(co_await Sleep(context, delay));
    if (away) co_return Error(Code::kUnavailable, "it is away", true);
    co_return context.status();
  }
};

// Returns a service of a task, with one check if CHECK is not empty.
inline ConsulService ServiceForConsul(const std::string& alloc_id, const std::string& owner,
                                      const std::string& name, const std::string& check = "") {
  ConsulService service;
  service.id =
      ConsulIdPrefixOf(alloc_id) + (owner.empty() ? "group-web" : owner) + "-" + name + "-";
  service.name = name;
  service.meta = {{kConsulMetaNode, "node-1"}, {kConsulMetaOwner, owner}};
  service.address = "192.0.2.1";
  service.port = 80;
  if (!check.empty()) {
    ConsulCheck of_service;
    of_service.id = kConsulCheckPrefix + check;
    of_service.name = check;
    of_service.script = true;
    of_service.definition = {{"Name", check}, {"TTL", "1m0s"}};
    service.checks.push_back(std::move(of_service));
  }
  return service;
}

}  // namespace drover
