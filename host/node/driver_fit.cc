// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/driver_fit.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

// The process service gives a task with a root of its own its name, and a task that sees the files
// of the machine has the name of the machine, of which JobWarnings warns.
bool LacksHostname(const DriverInfo& driver) {
  if (driver.capabilities && driver.capabilities->hostname) return !*driver.capabilities->hostname;
  return driver.fs_isolation == FsIsolation::kImage && !driver.takes_hostname;
}

bool Lists(const DriverCapabilities::Names& names, std::string_view name) {
  return !names || std::ranges::find(*names, name) != names->end();
}

bool HasMode(const DriverCapabilities& of, const std::string& mode) {
  return Lists(of.network_modes, mode) ||
         (mode.starts_with("cni/") && Lists(of.network_modes, "cni"));
}

std::string AllOf(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all.empty() ? "none" : all;
}

// Collects the mistakes of one task.
class Faults {
 public:
  Faults(const DriverInfo& driver, const Task& task)
      : whose_("driver " + Quoted(driver.name) + " of the task " + Quoted(task.name)) {}

  void Add(const std::string& place, const std::string& cannot) {
    mistakes_.push_back(place + ": " + whose_ + " " + cannot);
  }
  // The driver offers only NAMES.
  void AddOnly(const std::string& place, const std::string& what, const std::string& wanted,
               const std::vector<std::string>& names) {
    Add(place, "has no " + what + " " + Quoted(wanted) + ", only: " + AllOf(names));
  }
  std::vector<std::string> Take() { return std::move(mistakes_); }

 private:
  const std::string whose_;
  std::vector<std::string> mistakes_;
};

void CheckNetwork(const DriverCapabilities& of, const Network& network, const std::string& at,
                  Faults* faults) {
  if (!HasMode(of, network.mode)) {
    faults->AddOnly(at + "/Mode", "network mode", network.mode, *of.network_modes);
  } else if (of.must_create_network == true && network.mode != "host") {
    faults->Add(at + "/Mode",
                "must make the network of its tasks itself, which this version asks of no driver: "
                "use the mode \"host\"");
  }
  if (!network.dns.empty() && of.dns == false) {
    faults->Add(at + "/DNS", "gives its tasks no name servers: remove it, or use another driver");
  }
}

void CheckSignals(const DriverCapabilities& of, const Task& task, const std::string& at,
                  Faults* faults) {
  if (!task.kill_signal.empty() && !Lists(of.signals, task.kill_signal)) {
    faults->AddOnly(at + "/KillSignal", "signal", task.kill_signal, *of.signals);
  }
  for (std::size_t i = 0; i < task.templates.size(); ++i) {
    const std::string& signal = task.templates[i].change_signal;
    if (signal.empty() || Lists(of.signals, signal)) continue;
    faults->AddOnly(at + "/Templates/" + std::to_string(i) + "/ChangeSignal", "signal", signal,
                    *of.signals);
  }
}

void CheckVolumes(const DriverCapabilities& of, const Task& task, const std::string& at,
                  Faults* faults) {
  if (task.volume_mounts.empty()) return;
  if (!Lists(of.mount_kinds, "bind")) {
    return faults->AddOnly(at + "/VolumeMounts", "kind of mounts", "bind", *of.mount_kinds);
  }
  for (std::size_t i = 0; i < task.volume_mounts.size(); ++i) {
    const std::string& way = task.volume_mounts[i].propagation_mode;
    if (way.empty() || Lists(of.propagations, way)) continue;
    faults->AddOnly(at + "/VolumeMounts/" + std::to_string(i) + "/PropagationMode", "propagation",
                    way, *of.propagations);
  }
}

}  // namespace

std::vector<std::string> DriverMistakes(const DriverInfo& driver, const TaskGroup& group,
                                        const Task& task, const std::string& at_group,
                                        const std::string& at_task) {
  Faults faults(driver, task);
  const std::string at_network = at_group + "/Networks/0";
  if (!group.networks.empty() && !group.networks[0].hostname.empty() && LacksHostname(driver)) {
    faults.Add(at_network + "/Hostname",
               "gives its tasks no hostname: remove it, or use another driver");
  }
  if (!driver.capabilities) return faults.Take();
  const DriverCapabilities& of = *driver.capabilities;
  if (!group.networks.empty()) CheckNetwork(of, group.networks[0], at_network, &faults);
  if (!task.user.empty() && of.users == false) {
    faults.Add(at_task + "/User", "runs no task as a user that its job names: remove it");
  }
  CheckSignals(of, task, at_task, &faults);
  CheckVolumes(of, task, at_task, &faults);
  return faults.Take();
}

}  // namespace drover
