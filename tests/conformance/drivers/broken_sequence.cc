// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A driver that runs commands, with one fault that only a sequence of several verbs shows:
// FAULT_... below. Without a fault it keeps all rules.
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "drover/entry.hpp"
#include "drover/process_driver.hpp"

namespace {

using drover::Call;
using drover::Code;
using drover::Empty;
using drover::Error;
using drover::RunId;

class BrokenSequence : public drover::ProcessDriver {
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
  BrokenSequence(drover::Host host, const drover::Json&) : ProcessDriver(std::move(host)) {}

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

  void StartAsync(drover::TaskConfig task, Call<drover::Started> call) override {
#ifdef FAULT_NEVER_AGAIN
    // A run that was stopped cannot be started again, although it was destroyed.
    if (Count(&stops_, task.run_id, 0) > 0)
      throw Error(Code::kFailedPrecondition, "the task was stopped");
#endif
    Count(&starts_, task.run_id, 1);
    ProcessDriver::StartAsync(std::move(task), std::move(call));
  }

  void RecoverAsync(drover::TaskConfig task, std::optional<drover::TaskHandle> handle,
                    Call<drover::Recovered> call) override {
#ifdef FAULT_RECOVERS_ONCE
    // Counted by all instances of the library. The second new instance does not find the task.
    static std::mutex all;
    static std::map<RunId, int> recovers;
    {
      std::lock_guard<std::mutex> lock(all);
      if (handle && Count(&starts_, task.run_id, 0) == 0 && ++recovers[task.run_id] > 1)
        throw Error(Code::kNotFound, "it was recovered before");
    }
#endif
#ifdef FAULT_DEAF_AFTER_RECOVER
    if (Count(&starts_, task.run_id, 0) > 0) Count(&recovers_, task.run_id, 1);
#endif
    ProcessDriver::RecoverAsync(std::move(task), std::move(handle), std::move(call));
  }

  void Wait(Call<drover::ExitResult> call) override {
    Count(&waits_, call.run_id(), 1);
    ProcessDriver::Wait(std::move(call));
  }

  void StopAsync(drover::StopRequest request, Call<Empty> call) override {
#ifdef FAULT_FORGETS_REFUSED
    // A destroy that was refused has forgotten a part of the task.
    if (Count(&refused_, call.run_id(), 0) > 0) throw Error(Code::kNotFound, "no such task");
#endif
    Count(&stops_, call.run_id(), 1);
    ProcessDriver::StopAsync(std::move(request), std::move(call));
  }

  void SignalAsync(std::string name, Call<Empty> call) override {
#ifdef FAULT_DEAF_AFTER_RECOVER
    if (Count(&recovers_, call.run_id(), 0) > 0) throw Error(Code::kNotFound, "no such task");
#endif
    ProcessDriver::SignalAsync(std::move(name), std::move(call));
  }

  void DestroyAsync(bool force, Call<Empty> call) override {
#ifdef FAULT_FORGETS_REFUSED
    if (!force) Count(&refused_, call.run_id(), 1);
#endif
    ProcessDriver::DestroyAsync(force, std::move(call));
  }

  drover::TaskStatus Inspect(const RunId& run) override {
    drover::TaskStatus status = ProcessDriver::Inspect(run);
#ifdef FAULT_COUNTS_WAITS
    if (Count(&waits_, run, 0) > 2) throw Error(Code::kNotFound, "no such task");
#endif
#ifdef FAULT_ENDS_TWICE
    // The second stop of a task changes how it has ended.
    if (status.exit_result && Count(&stops_, run, 0) > 1) status.exit_result->exit_code += 1;
#endif
    return status;
  }

 private:
  // Adds MORE to the count of RUN and returns the count.
  int Count(std::map<RunId, int>* counts, const RunId& run, int more) {
    std::lock_guard<std::mutex> lock(mutex_);
    return (*counts)[run] += more;
  }

  std::mutex mutex_;  // of what follows
  std::map<RunId, int> starts_, recovers_, waits_, stops_, refused_;
};

}  // namespace

DROVER_DRIVER(BrokenSequence, "broken", "0.1.0", "Apache-2.0")
