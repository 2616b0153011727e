// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/change_commands/alloc_restarts.h"
#include "host/cli/id_lookup.h"
#include "host/cli/prompt.h"

namespace drover {

// A "job restart" that somebody watches: it prints what happens, and asks what to do.
class RestartSession {
 public:
  // The pointers must outlive this object.
  RestartSession(ApiClient* client, const RestartOptions& options, JobName job);

  // Restarts the allocations of the job. Returns the exit code.
  Result<int> Run();

 private:
  // How it goes on after a batch.
  enum class Next { kBatch, kEnd };

  Result<int> RestartAll();
  // Asks whether a job of several regions shall be restarted in this one. Returns an error if
  // nobody answers.
  Result<bool> MayBegin(const nlohmann::json& job);
  Result<nlohmann::json> Allocs();
  // Returns an error if a deployment of the job is under way.
  Status CheckDeployments();
  Result<Next> DoBatch(AllocRestarts* restarts, const std::vector<ChosenAlloc>& batch, bool last);
  Next AfterErrors(const BatchOutcome& outcome, bool last);
  // Asks or waits, as the options say, before the next batch.
  Next BetweenBatches(AllocRestarts* restarts);
  // Asks whether the next batch shall begin, and takes the answer.
  Next Ask(const std::string& question, bool default_yes, bool takes_duration);
  Next Take(const PromptAnswer& answer);
  // Looks at the signals that have come. Returns whether the restart stops.
  bool Left();
  // Decides what a signal means. Returns whether the restart stops.
  bool Interrupted(int signal);
  int Finish();

  ApiClient* const client_;
  RestartOptions options_;  // an answer may change the wait between batches
  const JobName job_;
  Terminal terminal_;
  SignalQueue signals_;
  Prompt prompt_{&signals_};
  const bool interactive_ = Prompt::IsInteractive();
  std::vector<std::string> errors_;
  bool canceled_ = false;
  bool killed_ = false;  // by a signal, and nobody was asked
};

}  // namespace drover
