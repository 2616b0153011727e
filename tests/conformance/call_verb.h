// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/container/frame_kinds.h"
#include "host/driver/driver.h"

namespace drover {

// The functions of a driver that a host calls in another process, by the names that reports use.
// The names come from the lists from which the host's calls are made. info is not among them: it
// is plain data, which the probe and the loader read.
inline std::vector<std::string> CalledFunctions() {
#define DROVER_CALLED_NAME(kind, name, table) name,
#define DROVER_VERB_NAME(verb, tag) #verb,
  return {DROVER_CALLED_FUNCTIONS(DROVER_CALLED_NAME) DROVER_ASYNC_VERBS(DROVER_VERB_NAME)};
#undef DROVER_VERB_NAME
#undef DROVER_CALLED_NAME
}

// Calls the function VERB (of CalledFunctions) for TASK and returns its result. Gives up a call
// that lasts as long as its task (wait, stats, a command) after LIMIT; only then calls the
// functions that follow it. Configures the driver with PLUGIN_CONFIG. Calls READY just before the
// function itself. A_DRIVER: LoadedDriver or SupervisedDriver.
template <typename ADriver>
Co<Status> CallVerb(ADriver* driver, std::string verb, Context context,
                    std::shared_ptr<const TaskConfig> task, Duration limit,
                    std::function<void()> ready = {}, std::string plugin_config = "{}") {
  const RunId run = task->run_id;
  const Context limited = context.WithTimeout(limit);
  if (ready && verb != "exec.resize") ready();
  if (verb == "configure") {
    co_return co_await driver->Configure(context, std::move(plugin_config));
  }
  if (verb == "restore_complete") {
    std::vector<RunId> runs;
    co_return co_await driver->RestoreComplete(context, std::move(runs));
  }
  if (verb == "start" || verb == "the end of a service") {
    DROVER_CO_TRY(co_await driver->Start(context, task));
  } else if (verb == "a timer's function") {  // set by the start; nobody waits for it
    DROVER_CO_TRY(co_await driver->Start(context, task));
    DROVER_CO_TRY(co_await driver->Wait(limited, run));
  } else if (verb == "recover") {
    TaskHandle handle;
    DROVER_CO_TRY(co_await driver->Recover(context, task, std::move(handle)));
  } else if (verb == "wait" || verb == "call_cancelled") {
    DROVER_CO_TRY(co_await driver->Wait(limited, run));
  } else if (verb == "stop") {
    co_return co_await driver->Stop(context, run, 0s, std::string());
  } else if (verb == "signal") {
    co_return co_await driver->Signal(context, run, std::string("SIGHUP"));
  } else if (verb == "destroy") {
    co_return co_await driver->Destroy(context, run, true);
  } else if (verb == "inspect") {
    DROVER_CO_TRY(co_await driver->Inspect(context, run));
  } else if (verb == "stats" || verb == "stream_cancel" || verb == "stream_join") {
    std::function<void(TaskUsage)> sink = [](const TaskUsage&) {};
    const StatsRequest request;
    co_return co_await driver->Stats(limited, run, request, std::move(sink));
  } else if (verb == "exec" || verb == "exec.resize") {
    ExecRequest request;
    request.command = {"/bin/sleep", "1000"};
    for (UniqueFd* fd : {&request.input, &request.output, &request.error}) {
      fd->Reset(open("/dev/null", O_RDWR | O_CLOEXEC));
    }
    DROVER_CO_ASSIGN(const auto session, co_await driver->Exec(context, run, std::move(request)));
    if (verb == "exec.resize") {
      if (ready) ready();
      const TerminalSize size{80, 24};
      DROVER_CO_TRY(session->Resize(size));
    }
    DROVER_CO_TRY(co_await session->Wait(limited));
  } else {
    co_return Error(Code::kInvalidArgument, "no driver has the verb " + verb);
  }
  co_return Status();
}

}  // namespace drover
