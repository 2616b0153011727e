// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/change_commands/change_commands.h"
#include "host/change_commands/restart_session.h"
#include "host/cli/answer_check.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

struct JobRestartCommand {
  std::string id;
  RestartOptions options;
  bool cancel = false;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    CLI::Option* const all = command->add_flag(
        "--all-tasks", options.all_tasks,
        "Restarts also tasks that have ended, in the order of a first start; not poststop tasks");
    command
        ->add_option("--group", options.groups,
                     "Only allocations of this group; may be given several times")
        ->allow_extra_args(false);
    command->add_option("--task", options.tasks, "Only this task; may be given several times")
        ->allow_extra_args(false)
        ->excludes(all);
    command
        ->add_option("--batch-size", options.batch_size_text,
                     "How many allocations are restarted at a time: a number, or a share of them "
                     "such as 20%")
        ->capture_default_str();
    command
        ->add_option("--batch-wait", options.batch_wait_text,
                     "The pause between two batches, such as 30s; ask: a question")
        ->capture_default_str();
    command->add_option("--on-error", options.on_error_text,
                        "What to do when an allocation was not restarted: ask or fail (ask; with "
                        "--detach fail)");
    command->add_flag("--reschedule", options.reschedule,
                      "Stops the allocations, and waits until their replacements run");
    command->add_flag("--no-shutdown-delay", options.no_shutdown_delay,
                      "With --reschedule: stops the tasks without their shutdown delay");
    command->add_flag("--yes", options.yes,
                      "Asks nothing, and goes on after errors unless they would happen again");
    CLI::Option* const detach =
        command->add_flag("--detach", options.detach,
                          "Lets the agent do it, which goes on when this program has ended");
    command
        ->add_flag("--cancel", cancel,
                   "Ends a restart that was begun with --detach, after what is under way")
        ->excludes(detach);
    AddVerbose(command, &options.verbose);
    AddNote(command,
            "Exit code: 0 all are restarted, or it was canceled, 1 an error, 130 ended by a "
            "signal. Health is not waited for.");
  }

  Status Check() const {
    RestartOptions copy = options;
    return cancel ? Status() : copy.Read(Prompt::IsInteractive());
  }

  Result<int> Run(ApiClient* client) const {
    DROVER_ASSIGN(const JobName job, FindJob(client, id));
    Terminal terminal;
    if (cancel) return Cancel(client, job, &terminal);
    RestartOptions meant = options;
    DROVER_TRY(meant.Read(Prompt::IsInteractive()));
    if (meant.detach) return Detach(client, job, meant, &terminal);
    return RestartSession(client, meant, job).Run();
  }

  static Result<int> Detach(ApiClient* client, const JobName& job, const RestartOptions& meant,
                            Terminal* terminal) {
    DROVER_ASSIGN(const json answer, client->Put(ApiPath("/v1/job", job.id, "/restart"),
                                                 meant.Body(), {{"namespace", job.job_namespace}}));
    DROVER_TRY(CheckIsObject(answer));
    const std::string restart = TextField(answer, "RestartID");
    terminal->Line(restart.empty() ? "No allocations to restart"
                                   : "restart " + restart +
                                         " has begun: drover job status shows how far it is");
    return kExitOk;
  }

  static Result<int> Cancel(ApiClient* client, const JobName& job, Terminal* terminal) {
    const std::string path = ApiPath("/v1/job", job.id, "/restart");
    const Query query = {{"namespace", job.job_namespace}};
    DROVER_ASSIGN(const json list, client->Get(path, query));
    for (const json& one : AsList(list)) {
      if (RawField(one, "Status") != "running") continue;
      Query which = query;
      which.emplace_back("id", RawField(one, "ID"));
      DROVER_TRY(client->Put(path + "/cancel", nullptr, which));
      terminal->Line("restart " + TextField(one, "ID") + " is canceled");
      return kExitOk;
    }
    return Error(Code::kNotFound, "no restart of the job \"" + job.id + "\" is under way");
  }
};

}  // namespace

void AddJobRestart(const ClientGroup& job) {
  job.AddPlain<JobRestartCommand>("restart", "Restarts the allocations of a job, batch by batch");
}

}  // namespace drover
