// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "controllers.h"

#include <fstream>
#include <set>
#include <sstream>

namespace exec_driver {

std::string MissingControllers() {
  std::set<std::string> found;
  std::ifstream mounts("/proc/self/mounts");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string source, path, type, options;
    if (!(words >> source >> path >> type >> options)) continue;
    std::string name;
    if (type == "cgroup") {
      std::istringstream names(options);
      while (std::getline(names, name, ',')) found.insert(name);
    } else if (type == "cgroup2") {
      std::ifstream names(path + "/cgroup.controllers");
      while (names >> name) found.insert(name);
    }
  }
  std::string missing;
  for (const char* name : {"memory", "cpu", "pids"}) {
    if (found.count(name) == 0) missing += (missing.empty() ? "" : ", ") + std::string(name);
  }
  return missing;
}

}  // namespace exec_driver
