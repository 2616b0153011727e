// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// What changes jobs: run, plan and stop.
#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/base/unique_fd.h"
#include "host/cli/api_streams.h"
#include "host/cli/cli.h"
#include "host/cli/client_command.h"
#include "host/cli/eval_follower.h"
#include "host/cli/id_lookup.h"
#include "host/cli/job_diff_lines.h"
#include "host/cli/job_follower.h"
#include "host/cli/json_fields.h"
#include "host/cli/node_setup.h"
#include "host/cli/run_view.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;
using Colour = Terminal::Colour;

struct ReadJob {
  json job;
  std::string id;
};

// The job in a file, as it stands there: the agent checks it.
Result<ReadJob> ReadRawJob(const std::string& path) {
  DROVER_ASSIGN(const std::string text, ReadJobText(path));
  Result<json> file = ParseStrictJson(text);
  if (!file.ok()) return file.error().WithContext("job file " + path);
  ReadJob read;
  read.job = file->is_object() && file->contains("Job") ? (*file)["Job"] : std::move(*file);
  read.id = RawField(read.job, "ID");
  if (read.id.empty()) {
    return Error(Code::kInvalidArgument,
                 "job file " + path + ": there is no job with an ID in it: see docs/job-fields.md");
  }
  return read;
}

// The namespace of the options stands for one that the job does not name.
Query NamespaceQuery(const ApiClient& client) {
  const std::string& name = client.options().job_namespace;
  if (name.empty() || name == "*") return {};
  return {{"namespace", name}};
}

void PrintWarnings(Terminal* terminal, const json& answer) {
  const std::string warnings = RawField(answer, "Warnings");
  if (warnings.empty()) return;
  terminal->Line(terminal->Paint(Colour::kYellow, "warning: ") + PrintableLines(warnings));
}

// Where signals can be read that would end the program otherwise.
Result<UniqueFd> CatchSignals() {
  sigset_t caught;
  sigemptyset(&caught);
  for (const int signal : {SIGINT, SIGTERM}) {
    sigaddset(&caught, signal);
    std::signal(signal, SIG_DFL);  // what is ignored cannot be read
  }
  pthread_sigmask(SIG_BLOCK, &caught, nullptr);
  UniqueFd signals(signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals) return ErrnoError(errno, "signalfd");
  return signals;
}

// From here on an interrupt is for the job. ANSWER is what the agent has said to it.
Result<int> FollowLive(ApiClient* client, const JobOptions& options, const ReadJob& read,
                       const json& answer) {
  DROVER_ASSIGN(const UniqueFd signals, CatchSignals());
  DROVER_ASSIGN(ApiStreams streams, client->OpenStreams());
  JobFollower::Target target;
  target.job = read.id;
  target.job_namespace = RawField(read.job, "Namespace");
  for (const auto& [name, value] : NamespaceQuery(*client)) {
    if (target.job_namespace.empty()) target.job_namespace = value;
  }
  if (target.job_namespace.empty()) target.job_namespace = "default";
  target.eval = RawField(answer, "EvalID");
  target.index = static_cast<std::uint64_t>(NumberField(answer, "EvalCreateIndex"));
  const std::unique_ptr<RunView> view = options.json ? NewJsonRunView() : NewTextRunView();
  if (target.eval.empty()) {
    // What only makes jobs, such as a periodic one.
    view->Note("nothing is placed for this job now, so there is nothing to follow");
    return kExitOk;
  }
  return JobFollower(&streams, view.get(), std::move(target)).Follow(signals.get());
}

Result<int> Run(ApiClient* client, Terminal* terminal, const JobOptions& options) {
  DROVER_ASSIGN(const ReadJob read, ReadRawJob(options.file));
  json body = {{"Job", read.job}};
  if (options.check_index) {
    body["EnforceIndex"] = true;
    body["JobModifyIndex"] = *options.check_index;
  }
  Result<json> answer = client->Put("/v1/jobs", body, NamespaceQuery(*client));
  if (!answer.ok()) return answer.error().WithContext("the job was not taken");
  if (!options.raw()) PrintWarnings(terminal, *answer);
  if (options.follow) return FollowLive(client, options, read, *answer);
  return FollowAnswer(client, terminal, options, *answer);
}

// How many allocations of a task group a plan creates, stops and so on.
struct Change {
  const char* field;
  const char* what;
  Colour colour;
  bool is_change;
};
constexpr Change kChanges[] = {{"Place", "create", Colour::kGreen, true},
                               {"DestructiveUpdate", "replace", Colour::kYellow, true},
                               {"Canary", "canary", Colour::kYellow, true},
                               {"Migrate", "migrate", Colour::kYellow, true},
                               {"Stop", "stop", Colour::kRed, true},
                               {"InPlaceUpdate", "update in place", Colour::kBlue, false},
                               {"Ignore", "unchanged", Colour::kGrey, false}};

// Prints a plan, unless TERMINAL is null; whether allocations come or go by it.
bool ShowPlan(Terminal* terminal, const json& plan) {
  bool changes = false;
  const auto say = [terminal](const std::string& line) {
    if (terminal != nullptr) terminal->Line(line);
  };
  const json& groups = MapField(MapField(plan, "Annotations"), "DesiredTGUpdates");
  for (const auto& [group, counts] : groups.items()) {
    std::string line;
    for (const Change& change : kChanges) {
      const std::int64_t count = NumberField(counts, change.field);
      if (count == 0) continue;
      changes = changes || change.is_change;
      const std::string text = std::to_string(count) + " " + change.what;
      line += (line.empty() ? "" : ", ") +
              (terminal != nullptr ? terminal->Paint(change.colour, text) : text);
    }
    say("task group \"" + Printable(group) + "\": " + (line.empty() ? "nothing" : line));
  }
  const json& failures = MapField(plan, "FailedTGAllocs");
  for (const auto& [group, failure] : failures.items()) {
    for (const std::string& line : PlacementFailureLines(group, failure)) say(line);
  }
  return changes;
}

Result<int> Plan(ApiClient* client, Terminal* terminal, const JobOptions& options) {
  DROVER_ASSIGN(const ReadJob read, ReadRawJob(options.file));
  const json body = {{"Job", read.job}, {"Diff", true}};
  Result<json> plan =
      client->Put(ApiPath("/v1/job", read.id, "/plan"), body, NamespaceQuery(*client));
  if (!plan.ok()) return plan.error().WithContext("the job cannot be planned");
  if (options.raw()) {
    DROVER_TRY(PrintAnswer(options, *plan));
  } else {
    for (const DiffLine& line : JobDiffLines(MapField(*plan, "Diff"))) {
      terminal->Line(terminal->Paint(line.colour, line.text));
    }
    PrintWarnings(terminal, *plan);
  }
  const bool changes = ShowPlan(options.raw() ? nullptr : terminal, *plan);
  if (!options.raw()) {
    const std::string index = std::to_string(NumberField(*plan, "JobModifyIndex"));
    terminal->Line(
        "To run it only if nobody changes the job before: drover job run --check-index " + index +
        " " + Printable(options.file));
  }
  return changes ? 1 : 0;
}

Result<int> Stop(ApiClient* client, Terminal* terminal, const JobOptions& options) {
  DROVER_ASSIGN(const JobName job, FindJob(client, options.id));
  if (!job.exact && !options.yes) {
    DROVER_ASSIGN(const bool stop, Confirmed("Stop the job \"" + job.id + "\"?"));
    if (!stop) return kExitOk;
  }
  Query query = {{"namespace", job.job_namespace}};
  if (options.purge) query.emplace_back("purge", "true");
  if (options.no_shutdown_delay) query.emplace_back("no_shutdown_delay", "true");
  DROVER_ASSIGN(const json answer, client->Delete(ApiPath("/v1/job", job.id), query));
  return FollowAnswer(client, terminal, options, answer);
}

}  // namespace

int JobRunCommand(const JobOptions& options) {
  return RunClientCommand("job run", options,
                          [&](auto* client, auto* out) { return Run(client, out, options); });
}

int JobPlanCommand(const JobOptions& options) {
  // 1 tells that there are changes.
  bool failed = true;
  const int code = RunClientCommand("job plan", options, [&](auto* client, auto* out) {
    Result<int> done = Plan(client, out, options);
    failed = !done.ok();
    return done;
  });
  return failed ? kExitPlanError : code;
}

int JobStopCommand(const JobOptions& options) {
  return RunClientCommand("job stop", options,
                          [&](auto* client, auto* out) { return Stop(client, out, options); });
}

}  // namespace drover
