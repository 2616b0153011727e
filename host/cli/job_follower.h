// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>

#include "host/cli/decode_alloc.h"
#include "host/cli/run_view.h"
#include "host/client/api_streams.h"

namespace drover {

// Shows a job that an agent has been given, live, until all of it has ended: what `drover run` does
// of its own allocations, through the API. One thread.
class JobFollower {
 public:
  struct Target {
    std::string job;
    std::string job_namespace;
    std::string eval;
    std::uint64_t index = 0;  // of the write that made the evaluation
  };

  // The pointers outlive this.
  JobFollower(ApiStreams* streams, RunView* view, Target target);
  ~JobFollower();

  // The exit code: 0 every allocation is complete, 1 one is not, 130 there was a signal, whatever
  // came of the job; an error when it cannot be followed. SIGNALS is a signalfd: the first signal
  // stops the job, a second one kills its tasks, a third one leaves them.
  Result<int> Follow(int signals);

 private:
  struct Log;
  struct Followed;

  // Reads what the events may not tell: what ran already and was only updated, and what happened
  // before the oldest event that the agent still has.
  void AskState();
  void AskJob();
  // Hands what PATH answers to TAKE; MISSING, which may be empty, is for what is not there.
  void Read(const std::string& path, const Query& query,
            std::function<void(const nlohmann::json& answer)> take, std::function<void()> missing);
  void TakeList(const nlohmann::json& stubs);
  void TakeEvents(const nlohmann::json& batch);
  void TakeJob(bool ended, std::uint64_t index);
  void TakeEval(const nlohmann::json& eval);
  void TakeAlloc(const nlohmann::json& alloc);
  // What it did is not of this run.
  bool EndedBefore(const Allocation& alloc) const;
  void ShowTasks(Followed* followed, std::map<std::string, TaskStateRecord> now);
  void FollowLogs(Followed* followed, const std::string& task);
  // As many of those that wait as there may be at a time.
  void StartLogs();
  void StartLog(Followed* followed, Log* log);
  // Asks where the log of a task that has ended ends.
  void AskEnd(Followed* followed, Log* log);
  void FinishAtEnd(Followed* followed, Log* log);
  void TakeFrame(Followed* followed, Log* log, const nlohmann::json& frame);
  void FinishLog(Followed* followed, Log* log);
  void AskUsage();
  void TakeUsage(const std::string& alloc, const nlohmann::json& usage);
  void ShowUsage();
  void Interrupt();
  void Kill();
  void Tell(const char* method, const std::string& path, const Query& query,
            const std::string* body);
  bool Ended() const;

  ApiStreams* const streams_;
  RunView* const view_;
  const Target target_;
  JsonCutter cutter_;                                          // of the events
  std::map<std::string, std::unique_ptr<Followed>> followed_;  // by allocation
  std::map<std::string, std::map<std::string, RunView::TaskLine>> usage_;
  std::size_t asked_usage_ = 0;   // answers that are to come
  std::size_t logs_ = 0;          // that are followed, or were until just now
  std::size_t ended_logs_ = 0;    // of these
  bool told_of_waiting_ = false;  // that there are too many to be followed at a time
  std::deque<std::pair<Followed*, Log*>> waiting_;  // logs that are followed when others end
  bool asked_state_ = false;                        // the events have begun
  std::size_t reads_ = 0;                           // answers of Read that are to come
  std::uint64_t job_index_ = 0;                     // of the newest that is known of the job
  bool eval_ended_ = false;
  bool eval_failed_ = false;
  bool job_ended_ = false;
  int interrupts_ = 0;
  std::optional<Status> broken_;  // there is no more to come; why, the first that was told
};

}  // namespace drover
