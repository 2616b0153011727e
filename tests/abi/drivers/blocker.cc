// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A driver that has only blocking methods, as the shortest driver does: a start, a stop or a probe
// waits until somebody opens a FIFO for writing. It has no method to recover tasks.
#include <fcntl.h>

#include <map>
#include <mutex>

#include "drover/entry.hpp"

namespace {

void WaitFor(const std::string& fifo) {
  if (!fifo.empty()) drover::Fd(::open(fifo.c_str(), O_RDONLY | O_CLOEXEC));
}

class Blocker : public drover::Driver {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.offers = DROVER_CAP_SIGNALS;
    info.start_threads = 3;
    return info;
  }
  Blocker(drover::Host host, const drover::Json& config)
      : Driver(std::move(host)), probe_waits_for_(config.String("probe_waits_for", "")) {}

  drover::Fingerprint Probe() override {
    WaitFor(probe_waits_for_);
    return {};
  }
  drover::Started Start(const drover::TaskConfig& task, const drover::CallView&) override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ++begun_;
    }
    WaitFor(task.driver_config.String("start_waits_for", ""));
    std::lock_guard<std::mutex> lock(mutex_);
    tasks_[task.run_id];
    return {};
  }
  // The name of the signal is the path of its FIFO.
  void Stop(const drover::RunId& run, const drover::StopRequest& request,
            const drover::CallView&) override {
    WaitFor(request.signal);
    std::lock_guard<std::mutex> lock(mutex_);
    tasks_.erase(run);
  }
  void Destroy(const drover::RunId& run, bool, const drover::CallView&) override {
    std::lock_guard<std::mutex> lock(mutex_);
    tasks_.erase(run);
  }
  void Signal(const drover::RunId&, const std::string&, const drover::CallView&) override {}
  void Wait(drover::Call<drover::ExitResult> call) override {
    std::lock_guard<std::mutex> lock(mutex_);
    tasks_[call.run_id()].push_back(std::move(call));
  }
  drover::TaskStatus Inspect(const drover::RunId&) override {
    std::lock_guard<std::mutex> lock(mutex_);
    drover::TaskStatus out;
    out.state = drover::TaskState::kRunning;
    out.attributes["begun"] = std::to_string(begun_);
    return out;
  }

 private:
  const std::string probe_waits_for_;
  std::mutex mutex_;
  int begun_ = 0;
  std::map<drover::RunId, std::vector<drover::Call<drover::ExitResult>>> tasks_;
};

}  // namespace

DROVER_DRIVER(Blocker, "blocker", "0.1.0", "Apache-2.0")
