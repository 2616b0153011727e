// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// What a node says of a job before it runs it.
#include <optional>

#include "host/node/driver_fit.h"
#include "host/node/host_networks.h"
#include "host/node/node.h"
#include "host/node/node_networks.h"
#include "host/node/volume_hook.h"
#include "host/placement/constraint.h"
#include "host/placement/volume_use.h"

namespace drover {

// Returns the mistakes of jobs that want networks of GROUP which this machine does not have. AT is
// the JSON pointer of the group.
std::string Node::NetworkMistakes(const TaskGroup& group, const std::string& at) const {
  std::string mistakes;
  const auto add = [&mistakes](const std::string& mistake) {
    mistakes += (mistakes.empty() ? "" : "; ") + mistake;
  };
  for (const Network& network : group.networks) {
    const std::string place = at + "/Networks/0";
    const std::string why = networks_->WhyNot(network.mode);
    if (!why.empty()) {
      add(place + "/Mode: this machine has no network \"" + network.mode + "\": " + why);
    }
    for (const auto* list : {&network.reserved_ports, &network.dynamic_ports}) {
      for (const Port& port : *list) {
        if (port.host_network.empty() || ports_->AddressesOf(port.host_network) != nullptr)
          continue;
        add(place + ": the port \"" + port.label + "\" wants the host network \"" +
            port.host_network + "\": add it to client.host_network, or correct the name");
      }
    }
  }
  return mistakes;
}

Status Node::CheckJob(const Job& job, const std::string& place) {
  std::string mistakes;
  for (std::size_t g = 0; g < job.groups.size(); ++g) {
    const std::string group = place + "/TaskGroups/" + std::to_string(g);
    const std::string of_networks = NetworkMistakes(job.groups[g], group);
    if (!of_networks.empty()) mistakes += (mistakes.empty() ? "" : "; ") + of_networks;
    for (std::size_t t = 0; t < job.groups[g].tasks.size(); ++t) {
      const Task& task = job.groups[g].tasks[t];
      const std::string pointer = group + "/Tasks/" + std::to_string(t);
      std::string mistake;
      Driver* driver = plugins_->Find(task.driver);
      if (driver == nullptr) {
        mistake = pointer + "/Driver: no plugin of this node is a driver \"" + task.driver +
                  "\": configure one, or correct the name";
      } else if (plugins_->IsLoading(task.driver)) {
        return Error(Code::kUnavailable,
                     pointer + "/Driver: driver \"" + task.driver +
                         "\" is still being loaded: submit the job again in a moment",
                     true);
      } else if (driver->info().only_devices) {
        mistake = pointer + "/Driver: plugin \"" + task.driver +
                  "\" offers devices and runs no tasks: name a driver";
      } else if (driver->info().only_task_hooks) {
        mistake = pointer + "/Driver: plugin \"" + task.driver +
                  "\" runs no tasks, it only has hooks for them: name a driver";
      } else if (driver->fingerprint().health == Health::kUndetected) {
        mistake = pointer + "/Driver: driver \"" + task.driver +
                  "\" cannot be used: " + driver->fingerprint().description;
      } else if (const auto config =
                     driver->NormalizeConfigAt(pointer + "/Config", task.config_json, false);
                 !config.ok()) {
        mistake = config.error().message();
      } else if (const Status mounts = CheckMountsOf(driver->info());
                 !task.volume_mounts.empty() && !mounts.ok()) {
        mistake = pointer + "/VolumeMounts: " + mounts.error().message();
      } else {
        for (const std::string& one :
             DriverMistakes(driver->info(), job.groups[g], task, group, pointer)) {
          mistake += (mistake.empty() ? "" : "; ") + one;
        }
      }
      if (!mistake.empty()) mistakes += (mistakes.empty() ? "" : "; ") + mistake;
    }
  }
  if (const Status constraints = CheckConstraints(job, place); !constraints.ok()) {
    mistakes += (mistakes.empty() ? "" : "; ") + constraints.error().message();
  }
  if (mistakes.empty()) return {};
  return Error(Code::kInvalidArgument, mistakes);
}

std::vector<std::string> Node::JobWarnings(const Job& job, const std::string& place) const {
  std::vector<std::string> warnings;
  for (std::size_t g = 0; g < job.groups.size(); ++g) {
    const TaskGroup& group = job.groups[g];
    if (group.networks.empty()) continue;
    const Network& network = group.networks[0];
    const std::string at = place + "/TaskGroups/" + std::to_string(g) + "/Networks/0/";
    for (const Task& task : group.tasks) {
      Driver* const driver = plugins_->Find(task.driver);
      if (driver == nullptr || driver->info().fs_isolation != FsIsolation::kNone) continue;
      const std::string of_task = " of the task \"" + task.name + "\": its driver \"" +
                                  task.driver + "\" gives it no root of its own, so it sees ";
      if (!network.hostname.empty()) {
        warnings.push_back(at + "Hostname: is not the name" + of_task + "the name of the host");
      }
      if (!network.dns.empty()) {
        warnings.push_back(at + "DNS: is not the look-up of names" + of_task +
                           "the resolv.conf of the host");
      }
    }
  }
  return warnings;
}

Status Node::MeetsConstraints(const Job& job) const {
  NodeRecord self;
  self.id = info_.id;
  self.name = info_.name;
  self.datacenter = info_.datacenter;
  self.node_pool = info_.pool;
  self.attributes = Attributes();
  self.meta = info_.meta;
  self.node_class = info_.node_class;
  self.host_volumes = volumes_->configured();
  const Tables none;  // a foreground run has no volumes of clients
  VolumeUse volumes;
  GroupCounts here;
  for (const TaskGroup& group : job.groups) {
    for (; here[group.name] < group.count; ++here[group.name]) {
      if (volumes.Take(none, self, job, group, here[group.name]) != VolumeFit::kFits) {
        return Error(Code::kFailedPrecondition,
                     "task group " + group.name +
                         ": this machine has not the volumes that it wants: configure them as "
                         "host_volume in the block client");
      }
      const std::string unmet = UnmetConstraint(job, group, self, here);
      if (unmet.empty()) continue;
      return Error(
          Code::kFailedPrecondition,
          "task group " + group.name + ": this machine does not meet the constraint " + unmet);
    }
  }
  return {};
}

}  // namespace drover
