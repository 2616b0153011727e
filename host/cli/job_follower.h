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

// Shows a job of an agent live, until the job and all its allocations have ended. The output is
// like that of `drover run`. Must be used by one thread only.
class JobFollower {
 public:
  struct Target {
    std::string job;
    std::string job_namespace;
    std::string eval;
    std::uint64_t index = 0;  // index of the write to the agent's store that created the evaluation
  };

  // The pointers must outlive this object.
  JobFollower(ApiStreams* streams, RunView* view, Target target);
  ~JobFollower();

  // Returns the exit code: 0 if every allocation is complete, 1 if an allocation is not, and 130
  // after a signal. Returns an error if the job cannot be followed. SIGNALS is a signalfd. The
  // first signal stops the job, the second kills its tasks, and the third ends this function but
  // not the job.
  Result<int> Follow(int signals);

 private:
  struct Log;
  struct Followed;

  // Requests the states that the events may not contain. The events lack allocations that were
  // already running and were only updated. They also lack changes before the oldest event that the
  // agent still has.
  void AskState();
  void AskJob();
  // Sends a GET for PATH and calls TAKE with the answer. If the record does not exist, calls
  // MISSING unless it is empty.
  void Read(const std::string& path, const Query& query,
            std::function<void(const nlohmann::json& answer)> take, std::function<void()> missing);
  void TakeList(const nlohmann::json& stubs);
  void TakeEvents(const nlohmann::json& batch);
  void TakeJob(bool ended, std::uint64_t index);
  void TakeEval(const nlohmann::json& eval);
  void TakeAlloc(const nlohmann::json& alloc);
  // Returns true if ALLOC had ended before the write to the agent's store that created the
  // evaluation.
  bool EndedBefore(const Allocation& alloc) const;
  void ShowTasks(Followed* followed, std::map<std::string, TaskStateRecord> now);
  void FollowLogs(Followed* followed, const std::string& task);
  // Begins to follow the logs in waiting_, up to the maximum number of logs at a time.
  void StartLogs();
  void StartLog(Followed* followed, Log* log);
  // Requests the position of the end of LOG, whose task has ended.
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
  JsonCutter cutter_;  // cuts the stream of events into messages
  // The key is the id of the allocation.
  std::map<std::string, std::unique_ptr<Followed>> followed_;
  std::map<std::string, std::map<std::string, RunView::TaskLine>> usage_;
  std::size_t asked_usage_ = 0;  // number of requests for usage that the agent has not answered
  // Number of logs that are followed, plus the number of logs whose connections were closed a
  // short time ago.
  std::size_t logs_ = 0;
  std::size_t ended_logs_ = 0;  // number of logs in logs_ whose connections are closed
  bool noted_waiting_ = false;  // true if the view has reported that some logs must wait
  std::deque<std::pair<Followed*, Log*>> waiting_;  // logs to follow when other logs have ended
  bool asked_state_ = false;     // true after the first message of the event stream
  std::size_t reads_ = 0;        // number of calls of Read that the agent has not answered
  std::uint64_t job_index_ = 0;  // index of the newest known state of the job
  bool eval_ended_ = false;
  bool eval_failed_ = false;
  bool job_ended_ = false;
  int interrupts_ = 0;
  std::optional<Status> broken_;  // why the stream of events has ended or failed
};

}  // namespace drover
