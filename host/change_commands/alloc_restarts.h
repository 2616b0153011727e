// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/base/time.h"
#include "host/change_commands/restart_choice.h"
#include "host/cli/exec_terminal.h"
#include "host/client/api_client.h"
#include "host/client/api_streams.h"
#include "host/view/terminal.h"

namespace drover {

// What has become of a batch.
struct BatchOutcome {
  bool left = false;           // somebody has stopped it in the middle
  bool unrecoverable = false;  // whether the errors are likely to happen again
  std::vector<std::string> errors;
};

// Restarts the allocations of one job, batch by batch.
class AllocRestarts {
 public:
  struct Job {
    std::string id;
    std::string job_namespace;
    std::string type;
  };
  // Looks at the signals that have come. Returns whether the batch stops.
  using Left = std::function<bool()>;

  // The pointers must outlive this object. CLIENT must watch the signals by means of LEFT. After
  // each STILL_WAITING, the allocations that are waited for are printed.
  AllocRestarts(ApiClient* client, Terminal* terminal, SignalQueue* signals,
                const RestartOptions* options, Job job, Left left, Duration still_waiting = 60s)
      : client_(client),
        terminal_(terminal),
        signals_(signals),
        options_(options),
        job_(std::move(job)),
        left_(std::move(left)),
        still_waiting_(still_waiting) {}

  // Restarts BATCH, all of it at the same time. Returns when all of it is restarted.
  Result<BatchOutcome> Run(const std::vector<ChosenAlloc>& batch);
  // Waits for DURATION. Returns false if somebody has stopped it meanwhile.
  bool Wait(Duration duration);

 private:
  Status InPlace(const std::vector<ChosenAlloc>& batch, BatchOutcome* outcome);
  Status Reschedule(const std::vector<ChosenAlloc>& batch, BatchOutcome* outcome);
  // Asks the agent to stop ALLOC, and returns the index of the stop.
  Result<std::uint64_t> Stop(const ChosenAlloc& alloc);
  // Notes the allocations whose replacements run or will never run.
  Status LookAtReplacements(std::map<std::string, std::uint64_t> stopped,
                            std::vector<ChosenAlloc>* waiting, std::uint64_t* index,
                            BatchOutcome* outcome);
  // Returns an error if the agent answers nothing at all.
  Status CheckAgent();
  void Fail(const ChosenAlloc& alloc, const Error& error, BatchOutcome* outcome) const;
  std::string Shown(const std::string& id) const;

  ApiClient* const client_;
  Terminal* const terminal_;
  SignalQueue* const signals_;
  const RestartOptions* const options_;
  const Job job_;
  const Left left_;
  const Duration still_waiting_;
};

}  // namespace drover
