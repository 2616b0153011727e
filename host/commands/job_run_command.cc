// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "host/base/printable.h"
#include "host/base/unique_fd.h"
#include "host/cli/eval_follower.h"
#include "host/cli/job_follower.h"
#include "host/cli/submitted_job.h"
#include "host/client/api_streams.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"
#include "host/view/run_view.h"

namespace drover {
namespace {

using nlohmann::json;

// Returns a file descriptor that becomes readable when SIGINT or SIGTERM arrives. After this call,
// these signals do not end the program.
Result<UniqueFd> CatchSignals() {
  sigset_t caught;
  sigemptyset(&caught);
  for (const int signal : {SIGINT, SIGTERM}) {
    sigaddset(&caught, signal);
    std::signal(signal, SIG_DFL);  // a signalfd does not receive ignored signals
  }
  pthread_sigmask(SIG_BLOCK, &caught, nullptr);
  UniqueFd signals(signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals) return ErrnoError(errno, "signalfd");
  return signals;
}

struct JobRunCommand {
  std::string file;
  HclOptions hcl;
  std::optional<std::uint64_t> check_index;
  std::optional<int> eval_priority;
  bool preserve_counts = false;
  bool preserve_resources = false;
  WaitOptions wait;
  bool follow = false;
  bool output = false;

  void Declare(CLI::App* command) {
    command->add_option("FILE", file, "The job file, in HCL or JSON; -: stdin")->required();
    hcl.Declare(command);
    command->add_option("--check-index", check_index,
                        "Only if the job has this index still; 0: only if there is none");
    AddEvalPriority(command, &eval_priority);
    command->add_flag("--preserve-counts", preserve_counts,
                      "Groups that the agent knows keep their counts");
    command->add_flag("--preserve-resources", preserve_resources,
                      "Tasks that the agent knows keep their resources");
    command->add_flag("--output", output, "Prints the job as JSON, and does not send it");
    wait.Declare(command);
    command
        ->add_flag("-f,--follow", follow,
                   "Shows it live until all of it has ended; Ctrl-C stops the job, a second one "
                   "kills its tasks")
        ->excludes("--detach");
    AddNote(command,
            "With --follow: 0 every allocation is complete, 1 an error, or one has failed, "
            "130 interrupted.");
    AddNote(command, kWaitCodes);
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const SubmittedJob read, ReadSubmittedJob(file, hcl));
    if (output) return out->Print({{"Job", read.job}});
    json body = {{"Job", read.job}, {"Submission", read.submission}};
    if (check_index) {
      body["EnforceIndex"] = true;
      body["JobModifyIndex"] = *check_index;
    }
    if (eval_priority) body["EvalPriority"] = *eval_priority;
    if (preserve_counts) body["PreserveCounts"] = true;
    if (preserve_resources) body["PreserveResources"] = true;
    const Result<json> answer = client->Put("/v1/jobs", body, NamespaceQuery(*client));
    if (!answer.ok()) {
      return read.places.WithPlaces(answer.error()).WithContext("the job was not taken");
    }
    if (!out->raw()) PrintWarnings(out, *answer);
    const bool registered = answer->is_object() && answer->contains("JobModifyIndex");
    if (!out->raw() && registered && RawField(*answer, "EvalID").empty()) {
      // Such a job has no allocations. It only starts other jobs.
      out->Line("the job \"" + Printable(read.id) +
                "\" is registered, and starts others when it is time or somebody asks for it");
    }
    return follow ? FollowLive(client, out->json_lines(), read, *answer)
                  : FollowAnswer(client, out, wait, *answer);
  }

  // Shows the job until it has ended. During this call, an interrupt stops the job. ANSWER is the
  // agent's answer to the submission.
  static Result<int> FollowLive(ApiClient* client, bool json_lines, const SubmittedJob& read,
                                const json& answer) {
    DROVER_ASSIGN(const UniqueFd signals, CatchSignals());
    DROVER_ASSIGN(ApiStreams streams, client->OpenStreams());
    JobFollower::Target target;
    target.job = read.id;
    target.job_namespace = RawField(read.job, "Namespace");
    if (target.job_namespace.empty()) {
      const Query given = NamespaceQuery(*client);
      target.job_namespace = given.empty() ? "default" : given[0].second;
    }
    target.eval = RawField(answer, "EvalID");
    target.index = static_cast<std::uint64_t>(NumberField(answer, "EvalCreateIndex"));
    const std::unique_ptr<RunView> view = json_lines ? NewJsonRunView() : NewTextRunView();
    if (target.eval.empty()) {
      // A job without an evaluation has no allocations. It only creates other jobs, for example
      // because it is periodic.
      view->Note("nothing is placed for this job now, so there is nothing to follow");
      return kExitOk;
    }
    return JobFollower(&streams, view.get(), std::move(target)).Follow(signals.get());
  }
};

}  // namespace

void AddJobRun(const ClientGroup& job) {
  job.Add<JobRunCommand>(
      "run", "Submits a job, and waits until its allocations run and its deployment has ended");
}

}  // namespace drover
