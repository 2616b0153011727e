// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "config/rules.h"

#include <algorithm>
#include <set>

namespace drover_docker {
namespace {

const char kContainerPrefix[] = "container:";

std::string Upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

void CheckCapabilities(const Settings& settings, const TaskOptions& options) {
  for (const std::string& name : options.cap_add) {
    if (name == "all") continue;  // stands for all that are allowed
    if (settings.AllowsCap(name)) continue;
    Denied("/cap_add: the capability " + Quoted(name) +
           " is not allowed on this node: the operator may add it to allow_caps");
  }
}

// MODE is the text of the option NAME, such as "host" of "pid_mode".
void CheckMode(const Settings& settings, const std::string& name, const std::string& mode,
               const std::string& host_mode, const std::set<std::string>& harmless,
               const std::string& alloc_id) {
  if (mode.empty() || harmless.count(mode) != 0) return;
  if (mode == "host") {
    if (settings.AllowsHostMode(host_mode)) return;
    Denied("/" + name + ": \"host\" is not allowed on this node: the operator may add " +
           Quoted(host_mode) + " to allow_host_modes");
  }
  const std::string container = ContainerOf(mode);
  if (container.empty()) Invalid("/" + name + ": " + Quoted(mode) + " is not known");
  if (!IsOfAllocation(container, alloc_id) && !settings.allow_privileged) {
    Denied("/" + name + ": " + Quoted(container) +
           " is no container of this allocation: write "
           "\"container:TASK-${NOMAD_ALLOC_ID}\"");
  }
}

void CheckDevices(const Settings& settings, const TaskOptions& options) {
  if (settings.allow_privileged) return;
  for (const DeviceOption& device : options.devices) {
    const std::vector<std::string> parts = Split(device.host_path, '/');
    if (std::find(parts.begin(), parts.end(), "..") != parts.end()) {
      Invalid("/devices: " + Quoted(device.host_path) + " has a \"..\"");
    }
    const bool allowed =
        std::any_of(settings.allow_devices.begin(), settings.allow_devices.end(),
                    [&](const std::string& pattern) { return Matches(pattern, device.host_path); });
    if (allowed) continue;
    Denied("/devices: " + Quoted(device.host_path) +
           " is not allowed on this node: the operator may add it to allow_devices");
  }
}

void CheckSecurity(const Settings& settings, const TaskOptions& options) {
  if (settings.allow_privileged) return;
  for (const std::string& option : options.security_opt) {
    if (option == "no-new-privileges" || option == "no-new-privileges:true" ||
        option == "no-new-privileges=true") {
      continue;
    }
    Denied("/security_opt: " + Quoted(option) +
           " is not allowed on this node: only \"no-new-privileges\" is, unless the operator sets "
           "allow_privileged");
  }
  for (const auto& [name, value] : options.storage_opt) {
    if (name == "size") continue;
    Denied("/storage_opt: " + Quoted(name) + " is not allowed on this node: only \"size\" is");
  }
  if (options.oom_score_adj < 0) {
    Denied(
        "/oom_score_adj: a value below 0 protects the task from the kernel, and is not allowed "
        "on this node unless the operator sets allow_privileged");
  }
}

void CheckSysctl(const Settings& settings, const TaskOptions& options) {
  static const char* const kOwn[] = {
      "net.*",       "kernel.msg*",     "kernel.sem",       "kernel.shm*",
      "fs.mqueue.*", "kernel.hostname", "kernel.domainname"};
  if (settings.allow_privileged) return;
  for (const auto& item : options.sysctl) {
    const std::string& name = item.first;
    Plain("/sysctl/" + name, item.second);
    const bool own = std::any_of(std::begin(kOwn), std::end(kOwn),
                                 [&](const char* one) { return Matches(one, name); });
    if (!own) Denied("/sysctl: " + Quoted(name) + " belongs to the machine, not to a container");
    if (HasPrefix(name, "net.") && options.network_mode == "host") {
      Denied("/sysctl: " + Quoted(name) + " would change the network of the host");
    }
  }
}

void CheckNetwork(const Settings& settings, const TaskOptions& options,
                  const std::string& alloc_id) {
  const std::string& mode = options.network_mode;
  if (mode.find(':') == std::string::npos) {
    if (mode.find_first_of("/,=") != std::string::npos) {
      Invalid("/network_mode: " + Quoted(mode) + " is no name of a network");
    }
    return;
  }
  CheckMode(settings, "network_mode", mode, "network", {}, alloc_id);
}

void CheckLabels(const TaskOptions& options) {
  for (const auto& [name, value] : options.labels) {
    Plain("/labels", name);
    if (name.empty()) Invalid("/labels: a label has no name");
    if (IsReservedLabel(name)) {
      Denied("/labels: " + Quoted(name) + " is a name that the driver itself uses");
    }
  }
}

// Options of logs can name files and sockets of the machine, which the engine opens as root: podman
// writes the output to any "path", and dockerd reads certificates and sends to sockets.
void CheckLogging(const Settings& settings, const TaskOptions& options) {
  if (!options.logging) return;
  for (const auto& [name, value] : options.logging->options) {
    const std::string where = "/logging/config/" + Quoted(name);
    const std::string lower = Lower(name);
    const bool plain =
        !name.empty() &&
        lower.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.") == std::string::npos;
    // Some engines take options as NAME=VALUE, in which a "=" would make another option.
    if (!plain) Invalid(where + ": it is no name of an option");
    if (lower == "driver") Invalid(where + ": write it as the driver of the block logging");
    Plain(where, value);
    if (settings.volumes_enabled) continue;
    const bool socket = HasPrefix(Lower(value), "unix");
    const bool file = lower.find("path") != std::string::npos ||
                      lower.find("cert") != std::string::npos || Matches("*-key", lower);
    if (!socket && !file) continue;
    Denied(where + ": it names a " + (socket ? "socket" : "file") +
           " of the host, and such an option is not allowed on this node: the operator may set "
           "volumes.enabled");
  }
}

void CheckMounts(const Settings& settings, const TaskOptions& options) {
  static const std::set<std::string> kOfTask{"/", "/alloc", "/local", "/secrets"};
  for (const MountOption& mount : options.mounts) {
    if (kOfTask.count(mount.target) != 0) {
      Invalid(mount.where + ": " + Quoted(mount.target) + " is a directory of each task");
    }
    if (settings.volumes_enabled) continue;
    const std::string hint = " is not allowed on this node: the operator may set volumes.enabled";
    if (HasPrefix(mount.propagation, "shared") || HasPrefix(mount.propagation, "rshared")) {
      Denied(mount.where + ": the propagation " + Quoted(mount.propagation) + hint);
    }
    if (mount.kind != MountKind::kVolume) continue;
    if (!mount.driver.empty() || !mount.driver_options.empty()) {
      Denied(mount.where + ": a driver of volumes, or an option for it," + hint);
    }
  }
  for (const MountOption& mount : options.mounts) {
    if (mount.kind != MountKind::kVolume) continue;
    const bool plain = mount.source.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
                       std::string::npos;
    if (!plain || HasPrefix(mount.source, ".") || HasPrefix(mount.source, "-")) {
      Invalid(mount.where + ": " + Quoted(mount.source) + " is no name of a volume");
    }
  }
}

}  // namespace

void CheckRules(const Settings& settings, const TaskOptions& options, const std::string& alloc_id) {
  if (options.privileged && !settings.allow_privileged) {
    Denied(
        "/privileged: privileged containers are not allowed on this node: the operator may set "
        "allow_privileged");
  }
  CheckCapabilities(settings, options);
  CheckDevices(settings, options);
  CheckSecurity(settings, options);
  CheckSysctl(settings, options);
  CheckMode(settings, "pid_mode", options.pid_mode, "pid", {"private"}, alloc_id);
  CheckMode(settings, "ipc_mode", options.ipc_mode, "ipc", {"none", "private", "shareable"},
            alloc_id);
  CheckMode(settings, "uts_mode", options.uts_mode, "uts", {"private"}, alloc_id);
  CheckMode(settings, "userns_mode", options.userns_mode, "userns", {}, alloc_id);
  CheckMode(settings, "cgroupns", options.cgroupns, "cgroup", {"private"}, alloc_id);
  CheckNetwork(settings, options, alloc_id);
  CheckLabels(options);
  CheckLogging(settings, options);
  CheckMounts(settings, options);
  if (!options.runtime.empty() && settings.allow_runtimes.count(options.runtime) == 0) {
    Denied("/runtime: " + Quoted(options.runtime) +
           " is not allowed on this node: the operator may add it to allow_runtimes");
  }
  ChoosePidsLimit(settings, options);
}

std::vector<std::string> ChooseCapabilities(const Settings& settings, const TaskOptions& options) {
  std::set<std::string> chosen;
  for (const std::string& name : DockerCapabilities()) {
    if (settings.AllowsCap(name)) chosen.insert(name);
  }
  for (const std::string& name : options.cap_drop) {
    if (name == "all") chosen.clear();
    chosen.erase(name);
  }
  for (const std::string& name : options.cap_add) {
    if (name != "all") {
      chosen.insert(name);
    } else if (settings.allow_caps.count("all") != 0) {
      chosen.insert("all");
    } else {
      chosen.insert(settings.allow_caps.begin(), settings.allow_caps.end());
    }
  }
  if (chosen.count("all") != 0) return {"ALL"};
  std::vector<std::string> out;
  for (const std::string& name : chosen) out.push_back(Upper(name));
  return out;
}

std::int64_t ChoosePidsLimit(const Settings& settings, const TaskOptions& options) {
  if (settings.pids_limit == 0) return options.pids_limit;
  if (options.pids_limit > settings.pids_limit) {
    Denied("/pids_limit: " + std::to_string(options.pids_limit) + " is more than the limit of " +
           std::to_string(settings.pids_limit) + " of this node");
  }
  return options.pids_limit == 0 ? settings.pids_limit : options.pids_limit;
}

bool IsOfAllocation(const std::string& name, const std::string& alloc_id) {
  const std::string tail = "-" + alloc_id;
  return alloc_id.size() >= 8 && name.size() > tail.size() &&
         name.compare(name.size() - tail.size(), tail.size(), tail) == 0;
}

std::string ContainerOf(const std::string& mode) {
  if (!HasPrefix(mode, kContainerPrefix)) return "";
  return mode.substr(sizeof kContainerPrefix - 1);
}

bool IsReservedLabel(const std::string& name) {
  const std::string lower = Lower(name);
  return HasPrefix(lower, "com.hashicorp.nomad.") || HasPrefix(lower, "drover.") ||
         HasPrefix(lower, "io.drover.");
}

}  // namespace drover_docker
