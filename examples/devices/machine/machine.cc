// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A plugin that offers devices of this machine to tasks: virtualization by /dev/kvm, network
// tunnels by /dev/net/tun, and loop devices.
//
//   resources {
//     device "kvm" {}
//     device "linux/loop" { count = 2 }
//   }
#include <sys/stat.h>

#include <cstdint>
#include <fstream>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "drover/device.hpp"

namespace {

// The operator's configuration: plugin "machine" { config { kvm = 8 } }. Any number of tasks can
// use /dev/kvm and /dev/net/tun at the same time. So each number is how many tasks may do so, and
// 0 offers none.
const char kConfigSchema[] = R"({
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "kvm": {"type": "integer", "minimum": 0, "maximum": 1000, "default": 4},
    "tun": {"type": "integer", "minimum": 0, "maximum": 1000, "default": 4},
    "loop": {"type": "integer", "minimum": 0, "maximum": 1000, "default": 8}
  }
})";

const char kVendor[] = "linux";

bool IsDevice(const std::string& path) {
  struct stat found;
  return ::stat(path.c_str(), &found) == 0 && (S_ISCHR(found.st_mode) || S_ISBLK(found.st_mode));
}

// Returns the first line of a file of /sys; empty if there is none.
std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

class MachineDevices : public drover::DeviceDriver {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.offers = kOffers;
    info.config_schema = kConfigSchema;
    return info;
  }

  MachineDevices(drover::Host host, const drover::Json& config) : DeviceDriver(std::move(host)) {
    Configure(config);
  }

  // Called when the operator changes the configuration. Tasks that run keep their devices.
  void Configure(const drover::Json& config) override {
    std::lock_guard<std::mutex> lock(mutex_);
    kvm_ = config.Int("kvm", 4);
    tun_ = config.Int("tun", 4);
    loop_ = config.Int("loop", 8);
  }

  // Looks at the machine. Called every 30 seconds.
  std::vector<drover::DeviceGroup> Find() override {
    std::int64_t kvm = 0, tun = 0, loop = 0;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      kvm = kvm_, tun = tun_, loop = loop_;
    }
    std::vector<drover::DeviceGroup> all;
    AddShared("kvm", "/dev/kvm", kvm, &all);
    AddShared("tun", "/dev/net/tun", tun, &all);
    AddLoops(loop, &all);
    return all;
  }

  drover::Reservation Reserve(const drover::ReserveRequest& request,
                              const drover::CallView&) override {
    drover::Reservation out;
    if (request.type == "kvm") {
      Add("/dev/kvm", &out);
    } else if (request.type == "tun") {
      Add("/dev/net/tun", &out);
    } else {
      std::string list;
      for (const std::string& id : request.ids) {
        Add("/dev/" + id, &out);
        list += (list.empty() ? "" : ",") + ("/dev/" + id);
      }
      out.env["LOOP_DEVICES"] = list;
    }
    return out;
  }

  std::vector<drover::DeviceGroupStats> Measure() override {
    std::vector<drover::DeviceGroupStats> all;
    for (const drover::DeviceGroup& group : Find()) {
      if (group.type != "loop") continue;
      drover::DeviceGroupStats stats{group.vendor, group.type, group.name};
      for (const drover::DeviceInstance& loop : group.instances) {
        drover::DeviceInstanceStats one;
        one.id = loop.id;
        one.summary = SizeOf(loop.id);
        one.values = {SizeOf(loop.id)};
        stats.instances.push_back(std::move(one));
      }
      all.push_back(std::move(stats));
    }
    return all;
  }

 private:
  // Adds COUNT instances of a device that several tasks can use.
  static void AddShared(const char* type, const std::string& path, std::int64_t count,
                        std::vector<drover::DeviceGroup>* all) {
    if (count == 0 || !IsDevice(path)) return;
    drover::DeviceGroup group{kVendor, type, type};
    group.attributes = {{"path", path}, {"shared", true}};
    for (std::int64_t i = 0; i < count; ++i) {
      group.instances.push_back({type + std::to_string(i)});
    }
    all->push_back(std::move(group));
  }

  // Adds the loop devices. Only one task can use each. One that has a file already is not given
  // away: somebody outside of Drover may use it.
  static void AddLoops(std::int64_t count, std::vector<drover::DeviceGroup>* all) {
    drover::DeviceGroup group{kVendor, "loop", "loop"};
    group.attributes = {{"shared", false}};
    for (std::int64_t i = 0; i < count; ++i) {
      const std::string id = "loop" + std::to_string(i);
      if (!IsDevice("/dev/" + id)) continue;
      drover::DeviceInstance loop{id};
      const std::string file = FirstLine("/sys/block/" + id + "/loop/backing_file");
      if (!file.empty()) {
        loop.health = drover::Health::kUnhealthy;
        loop.health_description = "it has the file " + file;
      }
      group.instances.push_back(std::move(loop));
    }
    if (!group.instances.empty()) all->push_back(std::move(group));
  }

  // Gives the task the device node PATH, under the same path.
  static void Add(const std::string& path, drover::Reservation* out) {
    if (!IsDevice(path)) {
      throw drover::Error::Recoverable(drover::Code::kUnavailable, path + " is gone");
    }
    out->devices.push_back({path, path, "rwm"});
  }

  static drover::DeviceValue SizeOf(const std::string& id) {
    const std::string sectors = FirstLine("/sys/block/" + id + "/size");
    std::int64_t bytes = 0;
    for (const char c : sectors) {
      if (c >= '0' && c <= '9' && bytes < INT64_MAX / 10240) bytes = bytes * 10 + (c - '0');
    }
    return {"size", bytes * 512, "B", "the size of its file; 0 if it has none"};
  }

  std::mutex mutex_;
  std::int64_t kvm_ = 0, tun_ = 0, loop_ = 0;
};

}  // namespace

DROVER_DRIVER(MachineDevices, "machine", "0.1.0", "Apache-2.0")
