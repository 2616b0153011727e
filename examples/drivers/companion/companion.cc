// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A task driver that starts a second process beside the process of each task, such as a machine and
// its trusted platform module. The companion starts first, shares the limits of the task, and has
// log files of its own. The host ends it with the task.
//
//   config {
//     command   = ["/bin/sh", "-c", "echo task; sleep 60"]
//     companion = ["/bin/sh", "-c", "echo companion; sleep 60"]
//   }
#include <string>
#include <utility>
#include <vector>

#include "drover/entry.hpp"
#include "drover/named_process.hpp"
#include "drover/process_driver.hpp"

namespace {

const char kTaskConfigSchema[] = R"({
  "type": "object",
  "additionalProperties": false,
  "required": ["command"],
  "properties": {
    "command": {"type": "array", "items": {"type": "string"}},
    "companion": {"type": "array", "items": {"type": "string"}}
  }
})";

const char kCompanion[] = "companion";

class CompanionDriver : public drover::ProcessDriver {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.offers = kOffers;
    info.needs = kNeeds;
    info.task_config_schema = kTaskConfigSchema;
    return info;
  }

  CompanionDriver(drover::Host host, const drover::Json&) : ProcessDriver(std::move(host)) {}

  drover::Fingerprint Probe() override {
    drover::Fingerprint out;
    if (!drover::NamedProcesses::Available(host())) {
      out.health = drover::Health::kUndetected;
      out.description = "this host starts no named processes (drover.process/2)";
      return out;
    }
    out.attributes["driver.companion"] = "true";
    return out;
  }

  // Runs on a thread that may block, just before the process of the task starts. If the task cannot
  // be started, its destroy ends the companion. After a restart of the agent there is nothing to
  // do: the host still ends the companion with the task.
  drover::ProcessSpec Plan(const drover::TaskConfig& task) override {
    drover::ProcessSpec main = Process(task, "command");
    if (main.argv.empty()) {
      throw drover::Error(drover::Code::kInvalidArgument, "/command: name a program");
    }
    drover::NamedProcessSpec companion;
    companion.name = kCompanion;
    companion.process = Process(task, "companion");
    if (companion.process.argv.empty()) return main;
    drover::NamedProcesses(host()).Start(task.run_id, std::move(companion));
    return main;
  }

 private:
  static drover::ProcessSpec Process(const drover::TaskConfig& task, const char* key) {
    drover::ProcessSpec out;
    out.argv = task.driver_config.Strings(key);
    out.env = task.env;
    out.work_dir = task.task_dir;
    out.user = task.user;
    return out;
  }
};

}  // namespace

DROVER_DRIVER_MINOR(CompanionDriver, "companion", "0.1.0", "Apache-2.0", 1)
