// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "drover/drover.h"
#include "host/base/result.h"
#include "host/child/helper.h"
#include "host/driver/driver.h"
#include "host/plugin/plugin_host.h"
#include "host/process/process_spec.h"

namespace drover {

// Calls the driver's done function for one operation of a service on the plugin's pool, exactly
// once. The function gets the result that is passed to Finish. If the plugin has lost all its
// threads, the function is not called.
class ServiceDone {
 public:
  ServiceDone(std::shared_ptr<PluginHost> host, const char* what, drover_done function,
              void* context)
      : host_(std::move(host)), what_(what), function_(function), context_(context) {}

  void Finish(Status status);
  void Finish(Result<ProcessInfo> info);
  void Finish(Result<ProcessExit> end);
  void Finish(Result<ExecExit> end);
  void FinishAttach(Result<ProcessService::Attached> attached);
  void Finish(Result<TaskUsage> usage);
  void Finish(Result<HelperEnd> end);  // of a command
  // Calls CALL(function, context) instead. CALL must call the function once, with a success.
  void Deliver(std::function<void(drover_done function, void* context)> call);
  // Calls MAKE on a thread of the pool, and passes the texts to the driver.
  using MakeTexts = std::function<Result<std::vector<std::string>>()>;
  void FinishTexts(MakeTexts make);
  // Opens the network namespace at NETWORK, unless it is empty, on a thread of the pool. Passes the
  // place to the driver.
  void FinishPlace(Result<RunPlace> place, std::string network);
  // Passes the ownership of both file descriptors to the driver.
  void FinishPipes(UniqueFd output, UniqueFd error);

  void* context() const { return context_; }

 private:
  // Runs CALL on the pool. STATUS is the status of the operation, for the trace.
  void Post(std::function<void()> call, std::int32_t status = DROVER_OK);
  bool Failed(const Status& status);

  std::shared_ptr<PluginHost> host_;
  const char* what_;
  drover_done function_;
  void* context_;
};

// Makes a sample from USAGE. Its processor shares cover the time since the last sample of RUN. The
// first sample of a run has no shares. RUN may be null; then the sample has no shares either.
TaskUsage ToTaskUsage(const ProcessUsage& usage, PluginHost::Run* run, TimePoint now, WallTime wall,
                      double core_mhz);

}  // namespace drover
