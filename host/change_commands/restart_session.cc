// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/change_commands/restart_session.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <utility>

#include "host/base/printable.h"
#include "host/cli/answer_check.h"
#include "host/cli/exit_code.h"
#include "host/view/deployment_view.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

std::string CountOf(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

RestartSession::RestartSession(ApiClient* client, const RestartOptions& options, JobName job)
    : client_(client), options_(options), job_(std::move(job)) {}

Result<json> RestartSession::Allocs() {
  DROVER_ASSIGN(json stubs, client_->Get(ApiPath("/v1/job", job_.id, "/allocations"),
                                         {{"namespace", job_.job_namespace}, {"all", "true"}}));
  DROVER_TRY(CheckIsList(stubs));
  return stubs;
}

Result<bool> RestartSession::MayBegin(const json& job) {
  if (options_.yes || MapField(job, "Multiregion").empty()) return true;
  const std::string question =
      "Are you sure you want to restart multi-region job \"" + job_.id + "\" in a single region?";
  const PromptAnswer answer = prompt_.Ask(question, false);
  if (answer.kind == PromptAnswer::Kind::kEnded && !interactive_) {
    return Error(Code::kFailedPrecondition,
                 Printable(question) + " Nobody has answered: use --yes");
  }
  canceled_ = answer.kind != PromptAnswer::Kind::kYes;
  killed_ = answer.kind == PromptAnswer::Kind::kKilled;
  return !canceled_;
}

Status RestartSession::CheckDeployments() {
  DROVER_ASSIGN(const json list,
                client_->Get(ApiPath("/v1/job", job_.id, "/deployments"),
                             {{"namespace", job_.job_namespace}, {"all", "true"}}));
  for (const json& one : AsList(list)) {
    if (DeploymentEnded(one)) continue;
    return Error(Code::kFailedPrecondition, "Deployment \"" + RawField(one, "ID") + "\" is \"" +
                                                RawField(one, "Status") + "\"");
  }
  return {};
}

Result<int> RestartSession::Run() {
  client_->Watch(signals_.fd(), [this] { return Left(); });
  const Result<int> code = RestartAll();
  client_->Watch(-1, nullptr);
  // A restart that somebody has stopped is no error.
  return code.code() == Code::kCancelled ? Finish() : code;
}

Result<int> RestartSession::RestartAll() {
  const Query query = {{"namespace", job_.job_namespace}};
  DROVER_ASSIGN(const json job, client_->Get(ApiPath("/v1/job", job_.id), query));
  // An agent may leave the type out. A service is then the usual one.
  std::string type = RawField(job, "Type");
  if (type.empty()) type = "service";
  if (options_.reschedule && type == "sysbatch") {
    return Error(Code::kInvalidArgument,
                 "Jobs of type \"sysbatch\" are not allowed to be rescheduled.");
  }
  DROVER_ASSIGN(const bool may_begin, MayBegin(job));
  if (!may_begin) return Finish();
  DROVER_ASSIGN(const json versions, client_->Get(ApiPath("/v1/job", job_.id, "/versions"), query));
  DROVER_ASSIGN(json stubs, Allocs());
  std::vector<std::string> skipped;
  const std::vector<ChosenAlloc> chosen = ChooseAllocs(stubs, versions, options_, &skipped);
  if (options_.verbose) {
    for (const std::string& line : skipped) terminal_.Line(line);
  }
  if (chosen.empty()) {
    terminal_.Line("No allocations to restart");
    return kExitOk;
  }
  terminal_.Line("Restarting " + CountOf(chosen.size(), "allocation") + " of the job \"" +
                 Printable(job_.id) + "\"");
  AllocRestarts restarts(client_, &terminal_, &signals_, &options_,
                         {job_.id, job_.job_namespace, type}, [this] { return Left(); });
  const std::size_t size = options_.SizeOfBatch(chosen.size());
  Next next = Next::kBatch;
  for (std::size_t at = 0; at < chosen.size() && next == Next::kBatch;) {
    if (at > 0) {
      DROVER_ASSIGN(stubs, Allocs());
    }
    // Others take the places of those that have a replacement by now.
    const std::set<std::string> replaced = Replaced(stubs);
    std::vector<ChosenAlloc> batch;
    while (at < chosen.size() && batch.size() < size) {
      const ChosenAlloc& alloc = chosen[at++];
      if (!replaced.contains(alloc.id)) batch.push_back(alloc);
    }
    if (batch.empty()) break;
    DROVER_ASSIGN(next, DoBatch(&restarts, batch, at == chosen.size()));
  }
  return Finish();
}

Result<RestartSession::Next> RestartSession::DoBatch(AllocRestarts* restarts,
                                                     const std::vector<ChosenAlloc>& batch,
                                                     bool last) {
  if (const Status free = CheckDeployments(); !free.ok()) {
    if (free.code() == Code::kCancelled) return free.error();
    errors_.push_back(Printable(free.error().message()));
    return Next::kEnd;
  }
  DROVER_ASSIGN(const BatchOutcome outcome, restarts->Run(batch));
  errors_.insert(errors_.end(), outcome.errors.begin(), outcome.errors.end());
  if (outcome.left) return Next::kEnd;
  if (!outcome.errors.empty()) {
    const Next next = AfterErrors(outcome, last);
    const bool asked = options_.asks_on_error && options_.asks_between;
    if (next == Next::kEnd || last || asked) return next;
  }
  return last ? Next::kEnd : BetweenBatches(restarts);
}

RestartSession::Next RestartSession::AfterErrors(const BatchOutcome& outcome, bool last) {
  for (const std::string& error : outcome.errors) terminal_.Line(error);
  if (options_.ignores_errors && outcome.unrecoverable) {
    terminal_.Line("Stopping job restart due to unrecoverable error");
    return Next::kEnd;
  }
  if (!options_.ignores_errors && !options_.asks_on_error) {
    terminal_.Line("Stopping job restart due to error");
    return Next::kEnd;
  }
  if (options_.ignores_errors || last) return Next::kBatch;
  if (outcome.unrecoverable) terminal_.Line("The errors above are likely to happen again.");
  return Ask("Ignore the errors above and proceed with the next batch?", false,
             options_.asks_between);
}

RestartSession::Next RestartSession::Ask(const std::string& question, bool default_yes,
                                         bool takes_duration) {
  for (;;) {
    const PromptAnswer answer = prompt_.Ask(question, default_yes, takes_duration);
    if (answer.kind != PromptAnswer::Kind::kInterrupted) return Take(answer);
    if (Interrupted(SIGINT)) return Next::kEnd;
  }
}

RestartSession::Next RestartSession::Take(const PromptAnswer& answer) {
  switch (answer.kind) {
    case PromptAnswer::Kind::kYes:
      return Next::kBatch;
    case PromptAnswer::Kind::kDuration:
      options_.asks_between = false;
      options_.batch_wait = answer.duration;
      return Next::kBatch;
    case PromptAnswer::Kind::kKilled:
      killed_ = canceled_ = true;
      return Next::kEnd;
    case PromptAnswer::Kind::kNo:
    case PromptAnswer::Kind::kEnded:
    case PromptAnswer::Kind::kInterrupted:
      canceled_ = true;
      return Next::kEnd;
  }
  return Next::kEnd;
}

RestartSession::Next RestartSession::BetweenBatches(AllocRestarts* restarts) {
  if (options_.asks_between) {
    if (options_.yes) return Next::kBatch;
    const Next next = Ask("Proceed with the next batch?", true, true);
    if (next == Next::kEnd || options_.asks_between) return next;
  }
  if (options_.batch_wait == 0s) return Next::kBatch;
  terminal_.Line("Waiting " + FormatDuration(options_.batch_wait) + " before the next batch");
  return restarts->Wait(options_.batch_wait) ? Next::kBatch : Next::kEnd;
}

bool RestartSession::Left() {
  while (const int number = signals_.Next()) {
    if (number != SIGWINCH && Interrupted(number)) return true;
  }
  return false;
}

bool RestartSession::Interrupted(int signal) {
  if (signal != SIGINT || !interactive_ || options_.yes) {
    canceled_ = killed_ = true;
    return true;
  }
  terminal_.Line("");
  terminal_.Line("Restart interrupted, no more allocations will be restarted.");
  const PromptAnswer answer =
      prompt_.Ask("Are you sure you want to stop the restart process?", false);
  // Whoever presses Ctrl-C once more is sure.
  canceled_ = answer.kind != PromptAnswer::Kind::kNo;
  killed_ = answer.kind == PromptAnswer::Kind::kKilled;
  if (!canceled_) terminal_.Line("The restart goes on.");
  return canceled_;
}

int RestartSession::Finish() {
  if (errors_.empty()) {
    if (canceled_) {
      terminal_.Line("Job restart canceled");
      return killed_ ? kExitInterrupted : kExitOk;
    }
    terminal_.Line("Job restart finished");
    terminal_.Line("Job restarted successfully!");
    return kExitOk;
  }
  terminal_.Line(canceled_ ? "Job restart canceled" : "Job restart finished with errors");
  std::fflush(stdout);
  std::fprintf(stderr, "\n%s occurred while restarting job:\n",
               CountOf(errors_.size(), "error").c_str());
  for (const std::string& error : errors_) std::fprintf(stderr, "* %s\n", error.c_str());
  return killed_ ? kExitInterrupted : kExitFailed;
}

}  // namespace drover
