// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/plugin/driver.h"

namespace drover {

// Calls the VERB of that name about TASK and tells how it went. What lasts as long as its task does
// (wait, stats, a command) is given up after LIMIT. A_DRIVER: LoadedDriver or ContainedDriver.
template <typename ADriver>
Co<Status> CallVerb(ADriver* driver, std::string verb, Context context,
                    std::shared_ptr<const TaskConfig> task, Duration limit) {
  const RunId run = task->run_id;
  const Context limited = context.WithTimeout(limit);
  if (verb == "configure") {
    co_return co_await driver->Configure(context, std::string("{}"));
  }
  if (verb == "restore_complete") {
    std::vector<RunId> runs;
    co_return co_await driver->RestoreComplete(context, std::move(runs));
  }
  if (verb == "start") {
    DROVER_CO_TRY(co_await driver->Start(context, task));
  } else if (verb == "recover") {
    TaskHandle handle;
    DROVER_CO_TRY(co_await driver->Recover(context, task, std::move(handle)));
  } else if (verb == "wait") {
    DROVER_CO_TRY(co_await driver->Wait(limited, run));
  } else if (verb == "stop") {
    co_return co_await driver->Stop(context, run, 0s, std::string());
  } else if (verb == "signal") {
    co_return co_await driver->Signal(context, run, std::string("SIGHUP"));
  } else if (verb == "destroy") {
    co_return co_await driver->Destroy(context, run, true);
  } else if (verb == "inspect") {
    DROVER_CO_TRY(co_await driver->Inspect(context, run));
  } else if (verb == "stats") {
    std::function<void(TaskUsage)> sink = [](const TaskUsage&) {};
    const StatsRequest request;
    co_return co_await driver->Stats(limited, run, request, std::move(sink));
  } else if (verb == "exec") {
    ExecRequest request;
    request.command = {"x"};
    DROVER_CO_ASSIGN(const auto session, co_await driver->Exec(context, run, std::move(request)));
    DROVER_CO_TRY(co_await session->Wait(limited));
  } else {
    co_return Error(Code::kInvalidArgument, "no driver has the verb " + verb);
  }
  co_return Status();
}

}  // namespace drover
