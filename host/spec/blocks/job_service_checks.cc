// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/job_service_checks.h"

#include <cstddef>
#include <set>
#include <string>

#include "host/spec/blocks/service_place.h"
#include "host/spec/job_limits.h"

namespace drover {
namespace {

using At = JobPlace;
using job_checks::BytesOf;
using job_checks::CheckBytes;
using job_checks::CheckCheckRestart;
using job_checks::CheckMap;
using job_checks::CheckMost;
using job_checks::CheckText;
using job_checks::HasControl;
using job_checks::HasVariable;
using job_checks::IsPlain;
using job_checks::IsPort;
using job_checks::WithoutVariables;

constexpr std::size_t kMostDnsLabel = 63;
constexpr std::size_t kMostAddress = 255;
constexpr int kMostWeight = 65535;

void AddLabels(const std::vector<Network>& networks, std::set<std::string>* labels) {
  for (const Network& network : networks) {
    for (const Port& port : network.reserved_ports) labels->insert(port.label);
    for (const Port& port : network.dynamic_ports) labels->insert(port.label);
  }
}

// Returns the size of all texts of SERVICE, without those of its checks.
std::size_t BytesOfService(const Service& service) {
  return service.name.size() + service.cluster.size() + BytesOf(service.tags) +
         BytesOf(service.canary_tags) + service.port_label.size() + service.address.size() +
         BytesOf(service.meta) + BytesOf(service.canary_meta) + BytesOf(service.tagged_addresses) +
         service.task.size();
}

// Checks the name of a service, which becomes a part of names in DNS.
void CheckServiceName(const std::string& name, const At& at) {
  if (!CheckText(name, at)) return;
  const std::string plain = WithoutVariables(name);
  if (plain.size() > kMostDnsLabel) {
    at.Fault(Quoted(name) + " is longer than " + std::to_string(kMostDnsLabel) +
             " bytes: write a shorter name");
  } else if (!IsPlain(plain, "-") || plain.front() == '-' || plain.back() == '-') {
    at.Fault(Quoted(name) +
             " may hold only letters, digits and \"-\", and no \"-\" at its ends: write another "
             "name");
  }
}

void CheckAddress(const ServicePlace& place, const At& at) {
  const Service& service = *place.service;
  if (service.address.size() > kMostAddress || HasControl(service.address)) {
    (at / "Address").Fault(Quoted(service.address) + " is not an address");
  } else if (!service.address.empty() && service.address_mode != AddressMode::kAuto) {
    (at / "AddressMode")
        .Fault("must be auto for a service with an Address, but is " +
               std::string(AddressModeName(service.address_mode)));
  }
  const std::string& label = service.port_label;
  if (label.empty() || HasVariable(label) || IsPort(label) || place.HasLabel(label)) return;
  (at / "PortLabel")
      .Fault(Quoted(label) + " is not a port of the group; write it into the group's network");
}

void CheckTags(const std::vector<std::string>& tags, const At& at) {
  if (tags.size() > kMostTags) at.Fault("must be at most " + std::to_string(kMostTags) + " tags");
}

void CheckWeights(const ServiceWeights& weights, const At& at) {
  if (weights.passing < 1) {
    (at / "Passing").Fault("must be at least 1, but is " + std::to_string(weights.passing));
  }
  if (weights.warning < 0) {
    (at / "Warning").Fault("must not be negative, but is " + std::to_string(weights.warning));
  }
  CheckMost(weights.passing, kMostWeight, at / "Passing");
  CheckMost(weights.warning, kMostWeight, at / "Warning");
}

void CheckTaskOfService(const ServicePlace& place, const At& at) {
  const std::string& task = place.service->task;
  if (task.empty()) return;
  if (place.task != nullptr && task != place.task->name) {
    at.Fault("the service is one of the task " + Quoted(place.task->name) + "; remove it");
  } else if (place.known->tasks.count(task) == 0) {
    at.Fault(Quoted(task) + " is not a task of the group");
  }
}

void CheckService(const ServicePlace& place, const At& at) {
  const Service& service = *place.service;
  CheckServiceName(service.name, at / "Name");
  CheckText(service.cluster, at / "Cluster");
  CheckTags(service.tags, at / "Tags");
  CheckTags(service.canary_tags, at / "CanaryTags");
  CheckMap(service.meta, false, at / "Meta");
  CheckMap(service.canary_meta, false, at / "CanaryMeta");
  CheckMap(service.tagged_addresses, false, at / "TaggedAddresses");
  CheckAddress(place, at);
  CheckTaskOfService(place, at / "TaskName");
  if (service.weights) CheckWeights(*service.weights, at / "Weights");
  CheckBytes(BytesOfService(service), kMostServiceBytes, at);
  if (service.checks.empty() && service.check_restart) {
    CheckCheckRestart(*service.check_restart, place.builtin, at / "CheckRestart");
  }
  CheckHealthChecks(place, at);
}

// Checks the services of the group, or those of TASK if it is not null. AT is the place of their
// list.
void CheckServicesOf(const std::vector<Service>& services, const Task* task, KnownToServices* known,
                     const At& at) {
  if (services.empty()) return;
  known->services += services.size();
  if (known->services > kMostServices) {
    at.Fault("a group and its tasks must have at most " + std::to_string(kMostServices) +
             " services");
    return;
  }
  ServicePlace place;
  place.task = task;
  place.known = known;
  if (task != nullptr) AddLabels(task->networks, &place.own_labels);
  // As in RegistrationIdPrefix. Names may hold "-", so services of two tasks may have the same id.
  const std::string prefix = task != nullptr ? task->name : "group-" + known->group;
  for (std::size_t i = 0; i < services.size(); ++i) {
    const Service& service = services[i];
    known->checks += service.checks.size();
    if (known->checks > kMostChecks) {
      (at / i / "Checks")
          .Fault("a group and its tasks must have at most " + std::to_string(kMostChecks) +
                 " checks");
      return;
    }
    place.service = &service;
    place.builtin = service.provider == ServiceProvider::kBuiltin;
    CheckService(place, at / i);
    const std::string id = prefix + "-" + service.name + "-" + service.port_label;
    const auto [first, fresh] = known->ids.emplace(id, (at / i).pointer());
    if (fresh) continue;
    (at / i / "Name")
        .Fault("its registration would have the same id as that of " + first->second +
               "; change the name or the port");
  }
}

}  // namespace

void CheckServices(const TaskGroup& group, const JobPlace& at) {
  KnownToServices known;
  known.group = group.name;
  AddLabels(group.networks, &known.labels);
  for (const Task& task : group.tasks) known.tasks.insert(task.name);
  for (std::size_t i = 0; i < group.tasks.size(); ++i) {
    const Task& task = group.tasks[i];
    CheckServicesOf(task.services, &task, &known, at / "Tasks" / i / "Services");
  }
  // A service of the group may have a port that belongs to one of its tasks alone.
  for (const Task& task : group.tasks) AddLabels(task.networks, &known.labels);
  CheckServicesOf(group.services, nullptr, &known, at / "Services");
}

}  // namespace drover
