// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/change_commands/alloc_restarts.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/base/printable.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"

namespace drover {
namespace {

using nlohmann::json;
using RestartClock = std::chrono::steady_clock;

// How long a request for the replacements waits for a change, before signals are looked at.
constexpr Duration kReplacementLook = 1s;

// Returns the bodies of the requests that restart ALLOC in its place.
std::vector<json> BodiesFor(const ChosenAlloc& alloc, const RestartOptions& options) {
  if (options.all_tasks) return {{{"AllTasks", true}}};
  if (alloc.tasks.empty()) return {json::object()};
  std::vector<json> bodies;
  for (const std::string& task : alloc.tasks) bodies.push_back({{"TaskName", task}});
  return bodies;
}

// A signal has ended the batch.
Error Stopped() { return Error(Code::kCancelled, "the restart was stopped"); }

}  // namespace

std::string AllocRestarts::Shown(const std::string& id) const {
  return "\"" + ShownId(Printable(id), options_->verbose) + "\"";
}

void AllocRestarts::Fail(const ChosenAlloc& alloc, const Error& error,
                         BatchOutcome* outcome) const {
  outcome->errors.push_back("Error restarting allocation " + Shown(alloc.id) + ": " +
                            Printable(error.message()));
  outcome->unrecoverable = outcome->unrecoverable || error.code() == Code::kPermissionDenied ||
                           error.code() == Code::kResourceExhausted;
}

bool AllocRestarts::Wait(Duration duration) {
  const auto end = RestartClock::now() + duration;
  for (;;) {
    if (left_()) return false;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - RestartClock::now());
    if (left.count() <= 0) return true;
    pollfd one{signals_->fd(), POLLIN, 0};
    const auto most = std::min<std::chrono::milliseconds>(left, std::chrono::hours(1));
    if (poll(&one, 1, static_cast<int>(most.count())) < 0 && errno != EINTR) return true;
  }
}

Result<BatchOutcome> AllocRestarts::Run(const std::vector<ChosenAlloc>& batch) {
  BatchOutcome outcome;
  const Status ended =
      options_->reschedule ? Reschedule(batch, &outcome) : InPlace(batch, &outcome);
  outcome.left = ended.code() == Code::kCancelled;
  if (!outcome.left) DROVER_TRY(ended);
  return outcome;
}

Status AllocRestarts::InPlace(const std::vector<ChosenAlloc>& batch, BatchOutcome* outcome) {
  // Made for each batch, since an agent closes connections that nobody uses for long.
  DROVER_ASSIGN(ApiStreams streams, client_->OpenStreams());
  std::map<std::string, std::size_t> open;  // requests without an answer, by the allocation
  for (const ChosenAlloc& alloc : batch) {
    terminal_->Line("Restarting allocation " + Shown(alloc.id) + " of group \"" +
                    Printable(alloc.group) + "\"");
    for (const json& body : BodiesFor(alloc, *options_)) {
      const std::string text = body.dump();
      const std::string task = RawField(body, "TaskName");
      ++open[alloc.id];
      streams.Ask(
          "PUT", ApiPath("/v1/client/allocation", alloc.id, "/restart"), {}, nullptr,
          [this, &open, &alloc, outcome, task](const Status& status) {
            if (--open[alloc.id] == 0) open.erase(alloc.id);
            if (status.ok()) return;
            const Error& error = status.error();
            Fail(
                alloc,
                task.empty() ? error : error.WithContext("Failed to restart task \"" + task + "\""),
                outcome);
          },
          &text);
    }
  }
  auto next_word = RestartClock::now() + still_waiting_;
  while (!open.empty()) {
    const Duration most = next_word - RestartClock::now();
    DROVER_TRY(streams.Wait(signals_->fd(), std::max(most, Duration(0))));
    if (left_()) return Stopped();
    if (open.empty() || RestartClock::now() < next_word) continue;
    // A restart takes as long as its tasks take to end. So only an agent that answers nothing else
    // either is not waited for any more.
    DROVER_TRY(CheckAgent());
    for (const auto& [id, requests] : open) {
      terminal_->Line("Still waiting for the restart of allocation " + Shown(id));
    }
    next_word = RestartClock::now() + still_waiting_;
  }
  return {};
}

Status AllocRestarts::CheckAgent() {
  const Result<json> leader = client_->Get("/v1/status/leader");
  const Code code = leader.ok() ? Code::kOk : leader.code();
  const bool silent =
      code == Code::kUnavailable || code == Code::kTimeout || code == Code::kCancelled;
  return silent ? Status(leader.error()) : Status();
}

Result<std::uint64_t> AllocRestarts::Stop(const ChosenAlloc& alloc) {
  Query query;
  if (options_->no_shutdown_delay) query.emplace_back("no_shutdown_delay", "true");
  // A stopped allocation of a batch job has a replacement only if that is asked for.
  if (job_.type == "batch") query.emplace_back("reschedule", "true");
  DROVER_ASSIGN(const json stopped,
                client_->Put(ApiPath("/v1/allocation", alloc.id, "/stop"), json(nullptr), query));
  if (job_.type == "system") {
    const json body = {{"JobID", job_.id}, {"EvalOptions", {{"ForceReschedule", true}}}};
    const Query of_job = {{"namespace", job_.job_namespace}};
    DROVER_TRY(client_->Put(ApiPath("/v1/job", job_.id, "/evaluate"), body, of_job));
  }
  return static_cast<std::uint64_t>(NumberField(stopped, "Index"));
}

Status AllocRestarts::LookAtReplacements(std::map<std::string, std::uint64_t> stopped,
                                         std::vector<ChosenAlloc>* waiting, std::uint64_t* index,
                                         BatchOutcome* outcome) {
  const Query query = {{"namespace", job_.job_namespace}};
  Query all = query;
  all.emplace_back("all", "true");
  DROVER_ASSIGN(const json evals, client_->Get(ApiPath("/v1/job", job_.id, "/evaluations"), query));
  DROVER_ASSIGN(const json stubs, client_->Get(ApiPath("/v1/job", job_.id, "/allocations"), all,
                                               index, kReplacementLook));
  std::erase_if(*waiting, [&](const ChosenAlloc& alloc) {
    const ReplacementState state = StateOfReplacement(alloc, stubs, evals, stopped.at(alloc.id));
    if (state.kind == ReplacementState::Kind::kRuns) {
      terminal_->Line("Allocation " + Shown(alloc.id) + " is replaced by " + Shown(state.text));
    } else if (state.kind == ReplacementState::Kind::kFailed) {
      Fail(alloc,
           Error(state.no_room ? Code::kResourceExhausted : Code::kFailedPrecondition, state.text),
           outcome);
    }
    return state.kind != ReplacementState::Kind::kWaits;
  });
  return {};
}

Status AllocRestarts::Reschedule(const std::vector<ChosenAlloc>& batch, BatchOutcome* outcome) {
  std::map<std::string, std::uint64_t> stopped;
  std::vector<ChosenAlloc> waiting;
  for (const ChosenAlloc& alloc : batch) {
    // A batch may be large, and what is not stopped yet may stay.
    if (left_()) return Stopped();
    terminal_->Line("Rescheduling allocation " + Shown(alloc.id) + " of group \"" +
                    Printable(alloc.group) + "\"");
    const Result<std::uint64_t> index = Stop(alloc);
    if (index.code() == Code::kCancelled) return index.error();
    if (!index.ok()) {
      Fail(alloc, index.error(), outcome);
      continue;
    }
    stopped[alloc.id] = *index;
    waiting.push_back(alloc);
  }
  std::uint64_t index = 0;
  auto next_word = RestartClock::now() + still_waiting_;
  while (!waiting.empty()) {
    if (left_()) return Stopped();
    DROVER_TRY(LookAtReplacements(stopped, &waiting, &index, outcome));
    if (RestartClock::now() < next_word) continue;
    next_word = RestartClock::now() + still_waiting_;
    for (const ChosenAlloc& alloc : waiting) {
      terminal_->Line("Still waiting for the replacement of allocation " + Shown(alloc.id));
    }
  }
  return {};
}

}  // namespace drover
