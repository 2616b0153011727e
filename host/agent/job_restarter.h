// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/alloc/alloc_runner.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/gate.h"
#include "host/base/loop.h"
#include "host/scheduler/scheduler.h"

namespace drover {

struct JobRestarterOptions {
  Loop* loop = nullptr;
  StateStore* store = nullptr;
  Scheduler* scheduler = nullptr;
  Gate* gate = nullptr;  // all work with runners is in it; see NodeClient::DestroyAll
  // Returns the runner of an allocation; null if there is none, or none yet.
  std::function<AllocRunner*(const std::string& alloc_id)> find_runner;
};

// Carries out the restarts of jobs, batch by batch. The record of a restart says how far it is: a
// batch is noted in it before its first allocation is restarted, and again when the last one is. So
// the next agent goes on where this one has ended, and restarts a batch again that it finds begun:
// each allocation is restarted at least once. The pointers must outlive this object. Control thread
// only.
class JobRestarter {
 public:
  explicit JobRestarter(JobRestarterOptions options) : options_(std::move(options)) {}

  // Carries out the restart ID until it has ended or STOP ends. Does nothing if it is under way.
  void CarryOut(const Context& stop, const std::string& id);

 private:
  using Record = std::shared_ptr<const JobRestart>;

  // What was done for one allocation.
  struct Outcome {
    std::string alloc;
    Status status;
  };

  Co<void> Run(Context stop, std::string id);
  // Does the next step of RESTART. Returns whether there is more to do.
  Co<bool> Step(Context stop, Record restart);
  // Returns the restart if it is still to be carried out; else null.
  Record Find(const std::string& id) const;
  // Returns why no more of the allocations may be restarted, if that is so.
  std::optional<std::string> ReasonToStop(const JobRestart& restart) const;
  void End(JobRestart restart, const char* status, std::string description);
  Co<void> RestartOne(Context stop, Record restart, Outcome* outcome);
  Co<Status> InPlace(Context stop, Record restart, std::string alloc);
  Co<Status> Reschedule(Context stop, Record restart, std::string alloc);
  Co<Result<AllocRunner*>> FindRunner(Context stop, std::string alloc);

  const JobRestarterOptions options_;
  std::set<std::string> under_way_;  // ids of restarts
};

}  // namespace drover
