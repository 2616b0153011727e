// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/gate.h"
#include "host/checks/check_plan.h"
#include "host/checks/check_result.h"
#include "host/driver/driver.h"

namespace drover {

// Runs a script in a task, with the task's values in its command and arguments. The exit code 0 is
// success, 1 a warning, all others a failure. The output is what the script writes to its standard
// output and error, as far as it is kept. The script is killed when CONTEXT ends or after the
// timeout of the check.
using ExecInTask = std::function<Co<Result<std::unique_ptr<TaskExecSession>>>(
    Context context, std::string task, ExecRequest request)>;
Co<CheckAnswer> AskScript(Context context, ExecInTask exec, std::shared_ptr<const CheckPlan> plan);

// The scripts of checks that run now. Control thread only.
class ScriptChecks {
 public:
  explicit ScriptChecks(Loop* control) : control_(control) {}

  // OBSERVE sees each answer, but for those of scripts that the end of their allocation has ended.
  // Must be called before the first Run.
  using Observe = std::function<void(const CheckPlan& plan, const CheckAnswer& answer)>;
  void SetObserver(Observe observe) { observe_ = std::move(observe); }

  // From now on, scripts of the allocation run by EXEC.
  void Open(const std::string& alloc_id, ExecInTask exec);
  // Ends the scripts of the allocation. Returns when none of them uses its EXEC any more.
  Co<void> Close(std::string alloc_id);

  // Runs the script of PLAN, and calls DONE with its answer, if the allocation is open. Otherwise
  // drops DONE.
  void Run(std::shared_ptr<const CheckPlan> plan, std::function<void(CheckAnswer)> done);

 private:
  struct Opened {
    Opened(Loop* loop, ExecInTask function)
        : exec(std::move(function)), context(loop), runs(loop) {}
    const ExecInTask exec;
    Context context;
    Gate runs;
  };
  static Co<void> RunOne(std::shared_ptr<Opened> opened, std::shared_ptr<const CheckPlan> plan,
                         std::function<void(CheckAnswer)> done, Observe observe);

  Loop* const control_;
  Observe observe_;                                        // may be empty
  std::map<std::string, std::shared_ptr<Opened>> opened_;  // by allocation
};

}  // namespace drover
