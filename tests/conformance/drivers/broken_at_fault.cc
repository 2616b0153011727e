// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A driver that runs commands, and keeps all rules until the host has a fault. Then it breaks one:
// FAULT_... below.
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "drover/entry.hpp"
#include "drover/process_driver.hpp"

namespace {

using drover::Call;
using drover::Code;
using drover::Empty;
using drover::Error;
using drover::Outcome;

class BrokenAtFault : public drover::ProcessDriver {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.offers = kOffers;
    info.needs = kNeeds;
    info.task_config_schema = R"({
      "type": "object",
      "additionalProperties": false,
      "required": ["command"],
      "properties": {
        "command": {"type": "string"},
        "args": {"type": "array", "items": {"type": "string"}, "default": []}
      }
    })";
    return info;
  }
  BrokenAtFault(drover::Host host, const drover::Json&) : ProcessDriver(std::move(host)) {}

  void Configure(const drover::Json&) override {}

  drover::ProcessSpec Plan(const drover::TaskConfig& task) override {
    drover::ProcessSpec out;
    out.argv = {task.driver_config.String("command")};
    for (const std::string& argument : task.driver_config.Strings("args"))
      out.argv.push_back(argument);
    out.env = task.env;
    out.work_dir = task.task_dir;
    return out;
  }

#ifdef FAULT_SAYS_STARTED
  void StartAsync(drover::TaskConfig task, Call<drover::Started> call) override {
    host().process().Start(task.run_id, Plan(task), [call](Outcome<int>) {
      call.Complete(drover::Started{drover::TaskHandle{1, "{}", ""}, std::nullopt});
    });
  }
#endif
#ifdef FAULT_IGNORES_OUTPUT
  void StartAsync(drover::TaskConfig task, Call<drover::Started> call) override {
    using Pipes = std::shared_ptr<drover::OutputPipes>;
    host().task_output().Open(task.run_id, [call](Outcome<Pipes>) {
      call.Complete(drover::Started{drover::TaskHandle{1, "{}", ""}, std::nullopt});
    });
  }
#endif
#ifdef FAULT_SHUTDOWN_AWAITS_STARTS
  void StartAsync(drover::TaskConfig task, Call<drover::Started> call) override {
    ++starts_;
    host().process().Start(task.run_id, Plan(task), [this, call](Outcome<int> outcome) {
      if (!outcome.ok()) return call.Fail(outcome.error());  // and the start is still counted
      --starts_;
      call.Complete(drover::Started{drover::TaskHandle{1, "{}", ""}, std::nullopt});
    });
  }
  void Shutdown() override {
    while (starts_ > 0) ::usleep(1000);
  }
#endif
#ifdef FAULT_ONE_AFTER_ANOTHER
  // Signals wait for starts.
  void StartAsync(drover::TaskConfig task, Call<drover::Started> call) override {
    auto shared = std::make_shared<drover::TaskConfig>(std::move(task));
    const auto start = [this, shared](const drover::CallView&) {
      std::lock_guard<std::mutex> lock(mutex_);
      host().process().Start(shared->run_id, Plan(*shared));
      return drover::Started{drover::TaskHandle{1, "{}", ""}, std::nullopt};
    };
    InBackground(std::move(call), start);
  }
  drover::TaskStatus Inspect(const drover::RunId& run) override {
    std::lock_guard<std::mutex> lock(mutex_);
    return ProcessDriver::Inspect(run);
  }
#endif

#ifdef FAULT_SAYS_SIGNALLED
  void SignalAsync(std::string name, Call<Empty> call) override {
    host().process().Signal(call.run_id(), SignalToSend(call.run_id(), name),
                            [call](Outcome<Empty>) { call.Complete(Empty{}); });
  }
#endif

#ifdef FAULT_DESTROY_ATTACHES
  // Looks at the process before it destroys the run, and gives up if it cannot.
  void DestroyAsync(bool force, Call<Empty> call) override {
    const auto destroy = [this, force, call](Outcome<drover::ProcessState>) {
      ProcessDriver::DestroyAsync(force, call);
    };
    host().process().Attach(call.run_id(), destroy);
  }
#endif

#ifdef FAULT_COUNTS_ON_TIMERS
  void StopAsync(drover::StopRequest request, Call<Empty> call) override {
    auto came = std::make_shared<std::atomic<bool>>(false);
    host().After(std::chrono::milliseconds(20), [came] { *came = true; });
    auto shared = std::make_shared<drover::StopRequest>(std::move(request));
    host().Post([this, came, shared, call] {
      ::usleep(500'000);
      if (!*came) return call.Fail(Error(Code::kInternal, "my timer is lost"));
      try {
        ProcessDriver::StopAsync(*shared, call);
      } catch (const Error& error) {
        call.Fail(error);
      }
    });
  }
#endif

#ifdef FAULT_RECOVERS_NOTHING
  void RecoverAsync(drover::TaskConfig, std::optional<drover::TaskHandle>,
                    Call<drover::Recovered>) override {
    throw Error(Code::kUnimplemented, "this driver recovers no tasks");
  }
#endif

 private:
  [[maybe_unused]] std::atomic<int> starts_{0};
  std::mutex mutex_;
};

}  // namespace

DROVER_DRIVER(BrokenAtFault, "broken", "0.1.0", "Apache-2.0")
