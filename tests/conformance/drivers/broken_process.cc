// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A driver that runs commands, with one fault that only drivers of processes can have: FAULT_...
// below.
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "drover/entry.hpp"
#include "drover/process_driver.hpp"

namespace {

class Broken : public drover::ProcessDriver {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.offers = kOffers;
    info.needs = kNeeds;
#ifdef FAULT_EXEC_BESIDE_ANOTHER
    info.fs_isolation = DROVER_FS_CHROOT;
#endif
    info.task_config_schema = R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["command"],
      "properties": {
        "command": {"type": "string"},
        "args": {"type": "array", "items": {"type": "string"}, "default": []},
        "start_block_for": {"type": "string"}
      }
    })";
    return info;
  }
  Broken(drover::Host host, const drover::Json&) : ProcessDriver(std::move(host)) {}

  void Configure(const drover::Json&) override {}

  drover::ProcessSpec Plan(const drover::TaskConfig& task) override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      runs_.push_back(task.run_id);
    }
    // Slow, like a driver that pulls an image.
    if (task.driver_config.String("start_block_for") == "2s") ::sleep(2);
    drover::ProcessSpec out;
    out.argv = {task.driver_config.String("command")};
    for (const std::string& argument : task.driver_config.Strings("args"))
      out.argv.push_back(argument);
    out.env = task.env;
    out.work_dir = task.task_dir;
#ifdef FAULT_EXEC_BESIDE_ANOTHER
    out.isolation.emplace();
#endif
    return out;
  }

  void TaskStats(const drover::RunId& run, const drover::StatsRequest& request,
                 drover::Stream<drover::Stats> stream) override {
    drover::StatsRequest asked = request;
#ifdef FAULT_NAMES_NO_PROCESSES
    asked.processes = false;
#endif
    ProcessDriver::TaskStats(run, asked, std::move(stream));
  }

  void Exec(drover::ExecRequest request, drover::Call<drover::ExitResult> call) override {
    if (request.tty) ++terminals_;
    ++sessions_;
#ifdef FAULT_ONE_TERMINAL
    if (request.tty && terminals_ > 1)
      throw drover::Error(drover::Code::kResourceExhausted, "the terminal is taken");
#endif
#ifdef FAULT_EXEC_BESIDE_ANOTHER
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (request.run_id == runs_.back()) request.run_id = runs_.front();
    }
#endif
    ProcessDriver::Exec(std::move(request), std::move(call));
  }

  void StopAsync(drover::StopRequest request, drover::Call<drover::Empty> call) override {
#ifdef FAULT_STOP_AWAITS_READERS
    if (sessions_ > 0) {  // for ever: no process reads the pipe
      std::lock_guard<std::mutex> lock(mutex_);
      return waiting_.push_back(std::move(call));
    }
#endif
#ifdef FAULT_STOPS_ITS_OWN_WAY
    request.signal = "SIGINT";
#endif
    ProcessDriver::StopAsync(std::move(request), std::move(call));
  }

#ifdef FAULT_SIGNALS_BEHIND_STARTS
  void SignalAsync(std::string name, drover::Call<drover::Empty> call) override {
    const auto send = [this, name](const drover::CallView& view) {
      host().process().Signal(view.run_id(), SignalToSend(view.run_id(), name));
      return drover::Empty{};
    };
    InBackground(std::move(call), send, drover::Lane::kStart);
  }
#endif
#ifdef FAULT_LOSES_SIGNALS
  void SignalAsync(std::string name, drover::Call<drover::Empty> call) override {
    if (name == "SIGUSR1") return call.Complete(drover::Empty{});
    ProcessDriver::SignalAsync(std::move(name), std::move(call));
  }
#endif

 private:
  std::atomic<int> terminals_{0};
  std::atomic<int> sessions_{0};
  std::mutex mutex_;  // of what follows
  std::vector<drover::RunId> runs_;
  std::vector<drover::Call<drover::Empty>> waiting_;
};

}  // namespace

DROVER_DRIVER(Broken, "broken", "0.1.0", "Apache-2.0")
