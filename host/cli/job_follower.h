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

#include "host/client/api_streams.h"
#include "host/view/decode_alloc.h"
#include "host/view/json_cutter.h"
#include "host/view/run_view.h"

namespace drover {

// Shows a job of an agent live, until all of it has ended, as `drover run` shows its own
// allocations. One thread.
class JobFollower {
 public:
  struct Target {
    std::string job;
    std::string job_namespace;
    std::string eval;
    std::uint64_t index = 0;  // that of the write that made the evaluation
  };

  // The pointers outlive this.
  JobFollower(ApiStreams* streams, RunView* view, Target target);
  ~JobFollower();

  // Returns the exit code: 0 every allocation is complete, 1 one is not, 130 there was a signal.
  // Returns an error when the job cannot be followed. SIGNALS is a signalfd: the first signal stops
  // the job, a second one kills its tasks, a third one leaves them.
  Result<int> Follow(int signals);

 private:
  struct Log;
  struct Followed;

  // Reads the state that events may not show: allocations that ran already and were only updated,
  // and changes before the oldest event that the agent still has.
  void AskState();
  void AskJob();
  // Hands the answer of PATH to TAKE. Calls MISSING, unless it is empty, when there is no record.
  void Read(const std::string& path, const Query& query,
            std::function<void(const nlohmann::json& answer)> take, std::function<void()> missing);
  void TakeList(const nlohmann::json& stubs);
  void TakeEvents(const nlohmann::json& batch);
  void TakeJob(bool ended, std::uint64_t index);
  void TakeEval(const nlohmann::json& eval);
  void TakeAlloc(const nlohmann::json& alloc);
  // Whether ALLOC had ended before this run.
  bool EndedBefore(const Allocation& alloc) const;
  void ShowTasks(Followed* followed, std::map<std::string, TaskStateRecord> now);
  void FollowLogs(Followed* followed, const std::string& task);
  // Starts as many of the waiting logs as there may be at a time.
  void StartLogs();
  void StartLog(Followed* followed, Log* log);
  // Asks for the end of the log of a task that has ended.
  void AskEnd(Followed* followed, Log* log);
  void FinishAtEnd(Followed* followed, Log* log);
  void TakeFrame(Followed* followed, Log* log, const nlohmann::json& frame);
  void FinishLog(Followed* followed, Log* log);
  void AskUsage();
  void TakeUsage(const std::string& alloc, const nlohmann::json& usage);
  void ShowUsage();
  void Interrupt();
  void Kill();
  void Send(const char* method, const std::string& path, const Query& query,
            const std::string* body);
  bool Ended() const;

  ApiStreams* const streams_;
  RunView* const view_;
  const Target target_;
  JsonCutter cutter_;                                          // of the events
  std::map<std::string, std::unique_ptr<Followed>> followed_;  // by allocation
  std::map<std::string, std::map<std::string, RunView::TaskLine>> usage_;
  std::size_t asked_usage_ = 0;  // answers about usage that have not come
  std::size_t logs_ = 0;         // logs that are followed, or were until just now
  std::size_t ended_logs_ = 0;   // of these
  bool noted_waiting_ = false;   // the view shows that logs wait
  std::deque<std::pair<Followed*, Log*>> waiting_;  // logs that are followed when others end
  bool asked_state_ = false;                        // the events have begun
  std::size_t reads_ = 0;                           // answers for Read that have not come
  std::uint64_t job_index_ = 0;                     // that of the newest state of the job
  bool eval_ended_ = false;
  bool eval_failed_ = false;
  bool job_ended_ = false;
  int interrupts_ = 0;
  std::optional<Status> broken_;  // the first reason why no more events come
};

}  // namespace drover
