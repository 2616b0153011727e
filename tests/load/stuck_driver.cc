// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The driver "stuck" runs real processes, and never answers a stop. Its start can work on its
// thread until the process has stood still.
#include <time.h>
#include <unistd.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "drover/entry.hpp"
#include "drover/process_driver.hpp"

namespace {

const char kTaskConfigSchema[] = R"({
  "type": "object",
  "additionalProperties": false,
  "required": ["command"],
  "properties": {
    "command": {"type": "string"},
    "args": {"type": "array", "items": {"type": "string"}},
    "hold": {"type": "boolean", "default": false},
    "await_standstill": {"type": "boolean", "default": false}
  }
})";

std::int64_t Nanoseconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

// Works until two looks at the clock are a second apart, and then for a while: work from before a
// standstill does not end with it.
void WorkThroughStandstill() {
  constexpr std::int64_t kStill = 1000000000, kAfter = 50000000;
  std::int64_t last = Nanoseconds(CLOCK_BOOTTIME);
  for (std::int64_t now = last; now - last < kStill; now = Nanoseconds(CLOCK_BOOTTIME)) {
    last = now;
    usleep(1000);
  }
  const std::int64_t end = Nanoseconds(CLOCK_THREAD_CPUTIME_ID) + kAfter;
  while (Nanoseconds(CLOCK_THREAD_CPUTIME_ID) < end) {
  }
}

class StuckDriver : public drover::ProcessDriver {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.offers = kOffers;
    info.needs = kNeeds;
    info.task_config_schema = kTaskConfigSchema;
    return info;
  }

  StuckDriver(drover::Host host, const drover::Json&) : ProcessDriver(std::move(host)) {}

  drover::ProcessSpec Plan(const drover::TaskConfig& task) override {
    if (task.driver_config.Bool("hold")) {
      std::lock_guard<std::mutex> lock(mutex_);
      hold_ = true;
    }
    drover::ProcessSpec out;
    out.argv = task.driver_config.Strings("args");
    out.argv.insert(out.argv.begin(), task.driver_config.String("command"));
    out.env = task.env;
    out.work_dir = task.task_dir;
    return out;
  }

  void StartAsync(drover::TaskConfig task, drover::Call<drover::Started> call) override {
    if (task.driver_config.Bool("await_standstill")) WorkThroughStandstill();
    ProcessDriver::StartAsync(std::move(task), std::move(call));
  }

  // Holds the thread for ever, or only the call.
  void StopAsync(drover::StopRequest, drover::Call<drover::Empty> call) override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!hold_) return stops_.push_back(std::move(call));
    lock.unlock();
    for (;;) ::pause();
  }

 private:
  std::mutex mutex_;
  bool hold_ = false;
  std::vector<drover::Call<drover::Empty>> stops_;
};

}  // namespace

DROVER_DRIVER(StuckDriver, "stuck", "0.1.0", "Apache-2.0")
