// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/service_policy.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

using SeeService = std::function<void(const std::string& pointer, Service* service)>;

void ForEachIn(std::vector<Service>* services, const std::string& owner, const SeeService& see) {
  const std::string list = JsonPointer(owner, "Services");
  for (std::size_t i = 0; i < services->size(); ++i) see(JsonPointer(list, i), &(*services)[i]);
}

// Calls SEE with each service of JOB and its JSON pointer.
void ForEachService(Job* job, const std::string& pointer, const SeeService& see) {
  const std::string groups = JsonPointer(pointer, "TaskGroups");
  for (std::size_t g = 0; g < job->groups.size(); ++g) {
    TaskGroup& group = job->groups[g];
    const std::string of_group = JsonPointer(groups, g);
    ForEachIn(&group.services, of_group, see);
    const std::string tasks = JsonPointer(of_group, "Tasks");
    for (std::size_t t = 0; t < group.tasks.size(); ++t) {
      ForEachIn(&group.tasks[t].services, JsonPointer(tasks, t), see);
    }
  }
}

// The services of a job whose provider is Consul.
struct OfConsul {
  std::string first;  // the JSON pointer of the first one
  std::size_t count = 0;

  // Returns what to say of the others.
  std::string Others() const {
    if (count == 1) return "";
    return "; the job has " + std::to_string(count) + " such services";
  }
};

// Adds a fault if Consul keeps SERVICE and the agent does not know its cluster.
void CheckCluster(const ServicePolicy& policy, const Service& service, const std::string& at,
                  JobFaults* faults) {
  if (policy.consul_is_builtin || !policy.consul_configured) return;
  if (policy.clusters.empty() || policy.clusters.count(service.cluster) > 0) return;
  std::string known;
  for (const std::string& name : policy.clusters) known += (known.empty() ? "" : ", ") + name;
  faults->Add(JsonPointer(at, "Cluster"),
              "is " + Quoted(service.cluster) +
                  ", and the agent has no such cluster of Consul; it has: " + known);
}

// Warns of each check of SERVICE that Consul runs, and that should restart tasks.
void WarnOfRestarts(const Service& service, const std::string& at, JobFaults* warnings) {
  const std::string checks = JsonPointer(at, "Checks");
  for (std::size_t i = 0; i < service.checks.size(); ++i) {
    const ServiceCheck& check = service.checks[i];
    if (check.type == CheckType::kScript) continue;
    if (!check.check_restart || check.check_restart->limit <= 0) continue;
    warnings->Add(JsonPointer(JsonPointer(checks, i), "CheckRestart"),
                  "is not carried out for a check that Consul runs, so no task restarts when it "
                  "fails: use a script, or a service of the provider \"nomad\"");
  }
}

}  // namespace

ServiceProvider RegistryOf(const ServicePolicy& policy, const Service& service) {
  const ServiceProvider provider = service.provider.value_or(policy.default_provider);
  const bool moved = provider == ServiceProvider::kConsul && policy.consul_is_builtin;
  return moved ? ServiceProvider::kBuiltin : provider;
}

void ApplyServicePolicy(const ServicePolicy& policy, const std::string& pointer, Job* job,
                        JobFaults* faults, JobFaults* warnings) {
  OfConsul found;
  bool named = false;  // whether the first one names its provider
  bool here = false;   // whether this agent registers them
  ForEachService(job, pointer, [&](const std::string& at, Service* service) {
    const bool names_one = service->provider.has_value();
    if (!names_one) service->provider = policy.default_provider;
    if (*service->provider != ServiceProvider::kConsul) return;
    CheckCluster(policy, *service, at, faults);
    const bool is_here = RegistryOf(policy, *service) == ServiceProvider::kBuiltin;
    if (!is_here && policy.consul_configured) WarnOfRestarts(*service, at, warnings);
    if (found.count++ > 0) return;
    found.first = JsonPointer(at, "Provider");
    named = names_one;
    here = is_here;
  });
  if (found.count == 0) return;
  const std::string provider = named ? "is \"consul\"" : "is missing, which means \"consul\"";
  if (here) {
    warnings->Add(found.first, provider +
                                   ", but this agent registers the service itself, since services "
                                   "{ consul = \"builtin\" } holds" +
                                   found.Others());
  } else if (!policy.consul_configured) {
    faults->Add(found.first,
                provider +
                    ", and this agent has no Consul: configure consul { address = \"...\" }, or "
                    "register such services with this agent by services { default_provider = "
                    "\"builtin\", consul = \"builtin\" }" +
                    found.Others());
  }
}

}  // namespace drover
