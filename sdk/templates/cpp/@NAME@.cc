// SPDX-License-Identifier: Apache-2.0

// The task driver "@NAME@". A task writes a text, sleeps, and ends:
//
//   config { text = "hello"  seconds = 5 }
//
// The host runs the process. It gives the task logs, signals, statistics, exec and recovery.
#include <unistd.h>

#include <string>
#include <utility>

#include "drover/entry.hpp"
#include "drover/process_driver.hpp"

namespace {

// The configuration of a task. The host refuses one that does not fit, and fills in the defaults.
const char kTaskConfigSchema[] = R"({
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "text": {"type": "string", "default": "hello"},
    "seconds": {"type": "integer", "minimum": 0, "default": 1}
  }
})";

class TaskDriver : public drover::ProcessDriver {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.offers = kOffers;  // signals, exec and statistics, which the base class provides
    info.needs = kNeeds;    // the host's process service
    info.task_config_schema = kTaskConfigSchema;
    return info;
  }

  TaskDriver(drover::Host host, const drover::Json& /*config*/) : ProcessDriver(std::move(host)) {}

  // Reports whether this machine can run the driver's tasks. Called every 30 seconds.
  drover::Fingerprint Probe() override {
    drover::Fingerprint out;
    if (::access("/bin/sh", X_OK) != 0) {
      out.health = drover::Health::kUndetected;
      out.description = "there is no shell";
      return out;
    }
    out.attributes["driver.@NAME@"] = "true";
    return out;
  }

  // The process of a task. Throw drover::Error to refuse the task.
  drover::ProcessSpec Plan(const drover::TaskConfig& task) override {
    drover::ProcessSpec out;
    out.argv = {"/bin/sh",
                "-c",
                "echo \"$1\"; exec sleep \"$2\"",
                "@NAME@",
                task.driver_config.String("text", "hello"),
                std::to_string(task.driver_config.Int("seconds", 1))};
    out.env = task.env;
    out.work_dir = task.task_dir;
    out.user = task.user;
    return out;
  }
};

}  // namespace

DROVER_DRIVER(TaskDriver, "@NAME@", "0.1.0", "Apache-2.0")
