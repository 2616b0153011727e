// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A task driver in a hundred lines: each task greets somebody, some times, and ends. The host runs
// the process, and gives it logs, signals, statistics, exec, recovery and the cleanup.
//
//   config { name = "world"  times = 3  pause = 1 }
#include <unistd.h>

#include <mutex>
#include <string>
#include <utility>

#include "drover/entry.hpp"
#include "drover/process_driver.hpp"

namespace {

// The operator's configuration: plugin "hello" { config { greeting = "Hello" } }.
const char kConfigSchema[] = R"({
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "greeting": {"type": "string", "default": "Hello"}
  }
})";

// The configuration of a task. The host refuses one that does not fit, and fills in the defaults.
const char kTaskConfigSchema[] = R"({
  "type": "object",
  "additionalProperties": false,
  "required": ["name"],
  "properties": {
    "name": {"type": "string"},
    "times": {"type": "integer", "default": 1},
    "pause": {"type": "integer", "default": 0}
  }
})";

// The script of the process. It gets its texts through the environment, so nothing needs quoting.
const char kScript[] =
    "i=0; while [ $i -lt $TIMES ]; do echo \"$GREETING, $NAME\"; i=$((i+1)); sleep $PAUSE; done";

class HelloDriver : public drover::ProcessDriver {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.offers = kOffers;
    info.needs = kNeeds;
    info.config_schema = kConfigSchema;
    info.task_config_schema = kTaskConfigSchema;
    return info;
  }

  HelloDriver(drover::Host host, const drover::Json& config) : ProcessDriver(std::move(host)) {
    Configure(config);
  }

  // Called when the operator changes the configuration; running tasks keep the old one.
  void Configure(const drover::Json& config) override {
    std::lock_guard<std::mutex> lock(mutex_);
    greeting_ = config.String("greeting", "Hello");
  }

  // Reports whether this machine can run the driver. Called every 30 seconds.
  drover::Fingerprint Probe() override {
    drover::Fingerprint out;
    if (::access("/bin/sh", X_OK) != 0) {
      out.health = drover::Health::kUndetected;
      out.description = "there is no shell";
      return out;
    }
    out.attributes["driver.hello"] = "true";
    return out;
  }

  // The only part that is specific to this driver: the process of a task.
  drover::ProcessSpec Plan(const drover::TaskConfig& task) override {
    std::int64_t times = task.driver_config.Int("times", 1);
    if (times < 1 || times > 1000) {
      throw drover::Error(drover::Code::kInvalidArgument, "/times: choose 1 to 1000");
    }
    drover::ProcessSpec out;
    out.argv = {"/bin/sh", "-c", kScript};
    out.env = task.env;
    out.env["NAME"] = task.driver_config.String("name");
    out.env["TIMES"] = std::to_string(times);
    out.env["PAUSE"] = std::to_string(task.driver_config.Int("pause", 0));
    out.work_dir = task.task_dir;
    out.user = task.user;
    std::lock_guard<std::mutex> lock(mutex_);
    out.env["GREETING"] = greeting_;
    return out;
  }

 private:
  std::mutex mutex_;
  std::string greeting_;
};

}  // namespace

DROVER_DRIVER(HelloDriver, "hello", "0.1.0", "Apache-2.0")
