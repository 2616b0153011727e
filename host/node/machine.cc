// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/machine.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "host/node/machine_network.h"

namespace drover {
namespace {

// Returns the frequency of a core in MHz, or 0 if it is unknown. That is the core's highest
// frequency if the kernel reports it, else the current frequency.
double ReadCoreMhz() {
  std::ifstream max("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  if (double kilohertz = 0; max >> kilohertz) return kilohertz / 1000;
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.rfind("cpu MHz", 0) != 0) continue;
    std::istringstream value(line.substr(line.find(':') + 1));
    if (double mhz = 0; value >> mhz) return mhz;
  }
  return 0;
}

std::string ReadCoreModel() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "";  // not every architecture reports the model
}

// Returns the names of the signals that a job may name, sorted and separated by commas.
std::string SignalNames() {
  std::set<std::string> names;
  for (int signal = 1; signal < NSIG; ++signal) {
    const char* const name = sigabbrev_np(signal);
    if (name != nullptr) names.insert(std::string("SIG") + name);
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

std::vector<int> ReadCoreIds() {
  std::vector<int> ids;
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return ids;
  for (int id = 0; id < CPU_SETSIZE; ++id) {
    if (CPU_ISSET(id, &usable)) ids.push_back(id);
  }
  return ids;
}

// Reads the mount point and the version of the cgroups. If both versions are mounted, the result
// is v1, since the controllers then belong to v1.
void ReadCgroups(StringMap* attributes) {
  std::ifstream mounts("/proc/self/mounts");
  std::string device, path, type, rest;
  for (; mounts >> device >> path >> type && std::getline(mounts, rest);) {
    if (type != "cgroup" && type != "cgroup2") continue;
    if (attributes->count("unique.cgroup.version") != 0 && type == "cgroup2") continue;
    (*attributes)["unique.cgroup.version"] = type == "cgroup" ? "v1" : "v2";
    (*attributes)["unique.cgroup.mountpoint"] =
        type == "cgroup" ? path.substr(0, path.rfind('/')) : path;
  }
}

// Returns the value of KEY in /etc/os-release without its quotes.
std::string ReadOsRelease(const std::string& key) {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key + "=", 0) != 0) continue;
    std::string value = line.substr(key.size() + 1);
    if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
    return value;
  }
  return "";
}

}  // namespace

Machine ReadMachine() {
  Machine machine;
  utsname name{};
  uname(&name);
  machine.hostname = name.nodename;
  machine.cores = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  machine.core_ids = ReadCoreIds();
  machine.core_mhz = ReadCoreMhz();
  machine.memory_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  StringMap& attributes = machine.attributes;
  attributes["unique.hostname"] = machine.hostname;
  attributes["kernel.name"] = "linux";
  attributes["kernel.version"] = name.release;
  attributes["kernel.arch"] = name.machine;
  attributes["cpu.arch"] = std::string(name.machine) == "x86_64" ? "amd64" : name.machine;
  attributes["cpu.numcores"] = std::to_string(machine.cores);
  attributes["cpu.frequency"] = std::to_string(static_cast<long>(machine.core_mhz));
  attributes["cpu.totalcompute"] =
      std::to_string(static_cast<long>(machine.core_mhz * machine.cores));
  if (const std::string model = ReadCoreModel(); !model.empty()) {
    attributes["cpu.modelname"] = model;
  }
  attributes["nomad.version"] = kNomadVersion;
  attributes["os.signals"] = SignalNames();
  attributes["memory.totalbytes"] = std::to_string(machine.memory_bytes);
  attributes["os.name"] = ReadOsRelease("ID");
  attributes["os.version"] = ReadOsRelease("VERSION_ID");
  machine.interfaces = ReadInterfaces();
  attributes["unique.network.ip-address"] = BestAddress(machine.interfaces);
  ReadCgroups(&attributes);
  return machine;
}

}  // namespace drover
