// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "controllers.h"

#include <unistd.h>

#include <fstream>
#include <set>
#include <sstream>

namespace exec_driver {
namespace {

// Returns the cgroup of version 2 whose controllers this agent may use. MOUNT is the mount point of
// the hierarchy. If the agent has a systemd unit of its own, the agent moves itself to the cgroup
// "agent" of the unit, and may use the cgroup of the unit. Otherwise the agent uses the whole
// hierarchy.
std::string TopCgroup(const std::string& mount) {
  const std::string start = "0::", own_name = "/agent";
  std::ifstream cgroups("/proc/self/cgroup");
  for (std::string line; std::getline(cgroups, line);) {
    if (line.compare(0, start.size(), start) != 0 || line.size() < own_name.size()) continue;
    const std::size_t unit = line.size() - own_name.size();
    if (line.compare(unit, own_name.size(), own_name) != 0) continue;
    return mount + line.substr(start.size(), unit - start.size());
  }
  return mount;
}

}  // namespace

std::string MissingLimits() {
  std::set<std::string> found, read_only;
  std::ifstream mounts("/proc/self/mounts");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string source, path, type, options;
    if (!(words >> source >> path >> type >> options)) continue;
    std::set<std::string>& names_here = ::access(path.c_str(), W_OK) == 0 ? found : read_only;
    std::string name;
    if (type == "cgroup") {
      std::istringstream names(options);
      while (std::getline(names, name, ',')) names_here.insert(name);
    } else if (type == "cgroup2") {
      std::ifstream names(TopCgroup(path) + "/cgroup.controllers");
      while (names >> name) names_here.insert(name);
    }
  }
  std::string missing, unwritable;
  for (const char* name : {"memory", "cpu", "pids", "cpuset"}) {
    if (found.count(name) != 0) continue;
    std::string& list = read_only.count(name) != 0 ? unwritable : missing;
    list += (list.empty() ? "" : ", ") + std::string(name);
  }
  if (!missing.empty())
    missing +=
        ": mount the cgroup controllers of these names, or hand them down to the agent's cgroup";
  if (!unwritable.empty())
    unwritable += ": mount the cgroup hierarchies of these controllers writable for the agent";
  return missing + (missing.empty() || unwritable.empty() ? "" : "; nor in their ") + unwritable;
}

}  // namespace exec_driver
