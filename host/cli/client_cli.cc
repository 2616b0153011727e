// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/client_cli.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "host/cli/client_commands.h"

namespace drover {

std::vector<CLI::Option*> AddConnectionOptions(CLI::App* command, ClientOptions* client) {
  return {
      command->add_option("--address", client->address,
                          "The agent: http://HOST:PORT, https://HOST:PORT or unix:///PATH "
                          "($DROVER_ADDR, $NOMAD_ADDR, http://127.0.0.1:4646)"),
      command->add_option("--token", client->token,
                          "The token to show ($DROVER_TOKEN, $NOMAD_TOKEN)"),
      command->add_option("--ca-cert", client->ca_cert,
                          "Certificates that vouch for the agent ($NOMAD_CACERT)"),
      command->add_option("--ca-path", client->ca_path, "A directory of those ($NOMAD_CAPATH)"),
      command->add_option("--client-cert", client->client_cert,
                          "The certificate to show ($NOMAD_CLIENT_CERT)"),
      command->add_option("--client-key", client->client_key,
                          "The key of that ($NOMAD_CLIENT_KEY)"),
      command->add_flag("--tls-skip-verify", client->tls_skip_verify,
                        "Takes any certificate of the agent ($NOMAD_SKIP_VERIFY)"),
  };
}

namespace {

void AddClientOptions(CLI::App* command, ClientOptions* client) {
  AddConnectionOptions(command, client);
  command->add_option("--namespace", client->job_namespace,
                      "The namespace ($DROVER_NAMESPACE, $NOMAD_NAMESPACE; all of them)");
}

struct AllOptions {
  JobOptions job;
  AllocOptions alloc;
  NodeCommandOptions node;
  EvalOptions eval;
  ClientCommandOptions system;
  MonitorOptions monitor;
  EventsOptions events;
};

// Below the help of a group and of its commands.
std::string GroupNote(const std::string& group) {
  return "The options of drover " + group +
         ", --address and the like, may also stand behind its "
         "commands: see drover " +
         group + " --help.";
}

// A command that has others below it, with the options that all of them take.
CLI::App* AddGroup(CLI::App* app, const char* name, const char* what,
                   ClientCommandOptions* options) {
  CLI::App* group = app->add_subcommand(name, what);
  group->require_subcommand(1);
  AddClientOptions(group, &options->client);
  group->footer(GroupNote(name));
  return group;
}

// Commands of a group that belong together.
CLI::App* AddSubgroup(CLI::App* group, const char* name, const char* what) {
  CLI::App* subgroup = group->add_subcommand(name, what);
  subgroup->require_subcommand(1);
  subgroup->fallthrough();  // to the options of the group
  return subgroup;
}

// A command that prints what it is asked for as it is.
CLI::App* AddPlainCommand(CLI::App* group, const char* name, const char* what) {
  CLI::App* command = group->add_subcommand(name, what);
  command->fallthrough();  // to the options of the group
  return command;
}

CLI::App* AddCommand(CLI::App* group, const char* name, const char* what,
                     ClientCommandOptions* options) {
  CLI::App* command = AddPlainCommand(group, name, what);
  CLI::Option* json = command->add_flag("--json", options->json, "Prints JSON");
  command
      ->add_option("-t,--template", options->form,
                   "Prints what --json prints by this template, as Go has them: '{{.ID}}'")
      ->excludes(json);
  return command;
}

void AddId(CLI::App* command, const char* name, ClientCommandOptions* options,
           bool required = true) {
  command->add_option(name, options->id, "Its id, or the beginning of it")->required(required);
}

void AddVerbose(CLI::App* command, ClientCommandOptions* options) {
  command->add_flag("--verbose", options->verbose, "Prints ids in full");
}

constexpr char kFollows[] =
    "Exit code: 0 every allocation is placed and has started, 1 an error, or an allocation has "
    "failed, 2 something could not be placed; it is when there is room for it.\n\n";

constexpr char kFollowsOn[] =
    "With --follow: 0 every allocation is complete, 1 an error, or one has failed, 130 "
    "interrupted.\n\n";

void AddFollowing(CLI::App* command, ClientCommandOptions* options) {
  command->add_flag("--detach", options->detach, "Does not wait for what comes of it");
  AddVerbose(command, options);
}

void AddJobCommands(CLI::App* app, JobOptions* options, int* code) {
  CLI::App* job = AddGroup(app, "job", "Runs jobs by an agent, and looks at them", options);

  CLI::App* run = AddCommand(
      job, "run", "Submits a job, and waits until its allocations have started", options);
  run->add_option("FILE", options->file, "The job file, in the JSON of Nomad's API; -: stdin")
      ->required();
  run->add_option("--check-index", options->check_index,
                  "Only if the job has this index still; 0: only if there is none");
  AddFollowing(run, options);
  run->add_flag("-f,--follow", options->follow,
                "Shows it live until all of it has ended; Ctrl-C stops the job, a second one kills "
                "its tasks")
      ->excludes("--detach");
  run->footer(kFollows + std::string(kFollowsOn) + GroupNote("job"));
  run->callback([=] { *code = JobRunCommand(*options); });

  CLI::App* plan = AddCommand(job, "plan", "Tells what running a job would change", options);
  plan->add_option("FILE", options->file, "The job file, in the JSON of Nomad's API; -: stdin")
      ->required();
  plan->footer("Exit code: 0 no allocation would come or go, 1 some would, 255 an error.\n\n" +
               GroupNote("job"));
  plan->callback([=] { *code = JobPlanCommand(*options); });

  CLI::App* status = AddCommand(job, "status", "Lists the jobs, or shows one", options);
  AddId(status, "ID", options, false);
  AddVerbose(status, options);
  status->callback([=] { *code = JobStatusCommand(*options); });

  CLI::App* stop = AddCommand(job, "stop", "Stops a job", options);
  AddId(stop, "ID", options);
  stop->add_flag("--purge", options->purge, "Forgets the job, too");
  stop->add_flag("--no-shutdown-delay", options->no_shutdown_delay,
                 "Stops the tasks without their shutdown delay");
  stop->add_flag("--yes", options->yes, "Does not ask when only the beginning of the id is given");
  AddFollowing(stop, options);
  stop->callback([=] { *code = JobStopCommand(*options); });

  CLI::App* inspect = AddCommand(job, "inspect", "Prints a job as JSON", options);
  AddId(inspect, "ID", options);
  inspect->add_option("--version", options->version, "That version of it, and not the last one");
  inspect->callback([=] { *code = JobInspectCommand(*options); });

  CLI::App* history = AddCommand(job, "history", "Lists the versions of a job", options);
  AddId(history, "ID", options);
  history->callback([=] { *code = JobHistoryCommand(*options); });

  CLI::App* allocs = AddCommand(job, "allocs", "Lists the allocations of a job", options);
  AddId(allocs, "ID", options);
  allocs->add_flag("--all", options->all, "Those of an earlier job of this id, too");
  AddVerbose(allocs, options);
  allocs->callback([=] { *code = JobAllocsCommand(*options); });

  CLI::App* action =
      AddPlainCommand(job, "action", "Runs an action that a job has, beside one of its tasks");
  action->add_option("ACTION", options->id, "Its name")->required();
  CLI::Option_group* where = action->add_option_group("At least one of");
  where->add_option("--job", options->job,
                    "Of this job: beside the newest allocation, if possible one that runs");
  where->add_option("--alloc", options->alloc, "Beside this allocation, of its job");
  where->require_option(1, 2);
  action->add_option("--group", options->group, "Of this task group, if several have it");
  action->add_option("--task", options->task, "Of this task, if several have it");
  action->add_flag("-i", options->input, "Gives it standard input; else that is empty");
  action->add_flag("-t", options->tty, "Gives it a terminal, and standard input");
  action->footer("The exit code is that of the action, or 1 when there is none.\n\n" +
                 GroupNote("job"));
  action->callback([=] { *code = JobActionCommand(*options); });
}

void AddJobTagCommands(CLI::App* job, JobOptions* options, int* code) {
  CLI::App* tag =
      AddSubgroup(job, "tag", "Names versions of a job; such a version is not forgotten");
  const auto add_name = [options](CLI::App* command) {
    command->add_option("--name", options->tag, "The name")->required();
  };

  CLI::App* apply = AddCommand(tag, "apply", "Gives a version of a job a name", options);
  AddId(apply, "ID", options);
  add_name(apply);
  apply->add_option("--version", options->version, "That version, and not the last one");
  apply->add_option("--description", options->description, "Is kept with the name");
  apply->callback([=] { *code = JobTagApplyCommand(*options); });

  CLI::App* unset = AddCommand(tag, "unset", "Takes a name from the version that has it", options);
  AddId(unset, "ID", options);
  add_name(unset);
  unset->callback([=] { *code = JobTagUnsetCommand(*options); });
}

void AddAllocFileCommands(CLI::App* alloc, AllocOptions* options, int* code) {
  const auto add_id = [options](CLI::App* command) {
    AddId(command, "ID", options);
    command->add_flag("--job", options->of_job,
                      "The ID is that of a job: the newest of its allocations, if possible one "
                      "that runs");
    command->add_option("--group", options->group, "With --job: of this task group");
  };

  CLI::App* logs = AddPlainCommand(alloc, "logs", "Prints what a task has written");
  add_id(logs);
  logs->add_option("TASK,--task", options->task, "The task, if there are several");
  logs->add_flag("--stdout", options->standard_output,
                 "Its standard output, as is done without -f unless --stderr is given");
  logs->add_flag("--stderr", options->standard_error,
                 "Its standard error; with -f both, unless one is named");
  logs->add_flag("-f,--follow", options->follow, "Goes on with what it writes");
  logs->add_flag("--tail", options->tail, "Begins with the last 10 lines");
  logs->add_option("-n", options->lines, "Begins with so many of the last lines")
      ->check(CLI::PositiveNumber);
  logs->add_option("-c", options->bytes, "Begins with so many of the last bytes")
      ->check(CLI::NonNegativeNumber);
  logs->footer(
      "Of both, the standard error is printed to the standard error, and -n and -c mean so many of "
      "each.\n\n" +
      GroupNote("alloc"));
  logs->callback([=] { *code = AllocLogsCommand(*options); });

  CLI::App* fs =
      AddCommand(alloc, "fs", "Lists a directory of an allocation, or prints a file", options);
  add_id(fs);
  fs->add_option("PATH", options->path, "Below the directory of the allocation")
      ->capture_default_str();
  fs->add_flag("--stat", options->stat, "Shows what it is, and not what is in it");
  fs->callback([=] { *code = AllocFsCommand(*options); });

  CLI::App* exec = AddPlainCommand(alloc, "exec", "Runs a command beside a task");
  add_id(exec);
  exec->add_option("COMMAND", options->command, "The program and its arguments")->required();
  exec->add_option("--task", options->task, "The task, if there are several");
  exec->add_flag("-i,!--no-interactive", options->interactive,
                 "Gives it standard input, as is done anyway");
  CLI::Option* tty = exec->add_flag("-t", options->tty,
                                    "Gives it a terminal, as is done when "
                                    "this program has one");
  exec->add_flag("--no-tty", options->no_tty, "Gives it none")->excludes(tty);
  exec->footer(
      "Options stand before the ID: what follows it is the command. The exit code is that "
      "of the command, or 1 when there is none.\n\n" +
      GroupNote("alloc"));
  exec->callback([=] { *code = AllocExecCommand(*options); });
}

void AddAllocCommands(CLI::App* app, AllocOptions* options, int* code) {
  CLI::App* alloc = AddGroup(app, "alloc", "Looks at allocations, and steers them", options);
  const auto add_task = [options](CLI::App* command) {
    command->add_option("TASK,--task", options->task, "Only this task");
  };

  CLI::App* status = AddCommand(alloc, "status", "Shows an allocation and its tasks", options);
  AddId(status, "ID", options);
  AddVerbose(status, options);
  status->callback([=] { *code = AllocStatusCommand(*options); });

  CLI::App* restart = AddCommand(alloc, "restart", "Restarts the tasks that run", options);
  AddId(restart, "ID", options);
  add_task(restart);
  restart->add_flag("--all-tasks", options->all_tasks, "Those that have ended, too");
  restart->callback([=] { *code = AllocRestartCommand(*options); });

  CLI::App* stop =
      AddCommand(alloc, "stop", "Stops an allocation; another one replaces it", options);
  AddId(stop, "ID", options);
  stop->add_flag("--no-shutdown-delay", options->no_shutdown_delay,
                 "Stops the tasks without their shutdown delay");
  AddFollowing(stop, options);
  stop->footer(kFollows + GroupNote("alloc"));
  stop->callback([=] { *code = AllocStopCommand(*options); });

  CLI::App* signal = AddCommand(alloc, "signal", "Sends a signal to the tasks", options);
  AddId(signal, "ID", options);
  add_task(signal);
  signal->add_option("-s,--signal", options->signal, "Its name")->capture_default_str();
  signal->callback([=] { *code = AllocSignalCommand(*options); });

  CLI::App* checks = AddCommand(alloc, "checks", "Shows the health checks", options);
  AddId(checks, "ID", options);
  checks->callback([=] { *code = AllocChecksCommand(*options); });
  AddAllocFileCommands(alloc, options, code);
}

void AddNodeCommands(CLI::App* app, NodeCommandOptions* options, int* code) {
  CLI::App* node = AddGroup(app, "node", "Looks at nodes, and steers them", options);

  const auto add_id = [options](CLI::App* command) {
    CLI::Option* id = command->add_option("ID", options->id, "Its id, or the beginning of it");
    command->add_flag("--self", options->self, "The node of the agent that is asked")->excludes(id);
  };
  const auto needs_id = [options] {
    if (options->id.empty() && !options->self) throw CLI::RequiredError("ID or --self");
  };

  CLI::App* status = AddCommand(node, "status", "Lists the nodes, or shows one", options);
  add_id(status);
  AddVerbose(status, options);
  status->callback([=] { *code = NodeStatusCommand(*options); });

  CLI::App* drain = AddCommand(node, "drain", "Empties a node, or ends that", options);
  add_id(drain);
  CLI::Option_group* way = drain->add_option_group("One of");
  way->add_flag(
      "--enable", options->enable,
      "Services are stopped at once, what ends by itself at the deadline; all of it comes "
      "back when the node is eligible again");
  way->add_flag("--disable", options->disable, "What was not stopped yet goes on");
  way->add_flag("--monitor", options->monitor, "Only shows the drain that there is, to its end");
  way->require_option(1);
  CLI::Option* deadline =
      drain->add_option("--deadline", options->deadline, "How long what ends by itself may take")
          ->capture_default_str();
  CLI::Option* force = drain->add_flag("--force", options->force, "Stops everything at once");
  drain->add_flag("--no-deadline", options->no_deadline, "What ends by itself may go on for ever")
      ->excludes(deadline)
      ->excludes(force);
  force->excludes(deadline);
  drain->add_flag("--ignore-system", options->ignore_system, "Leaves system jobs alone");
  drain->add_flag("--keep-ineligible", options->keep_ineligible,
                  "With --disable: the node still gets no new allocations");
  drain->add_option("-m,--message", options->message, "Is kept with the drain");
  drain->add_option("--meta", options->meta, "KEY=VALUE, is kept with the drain; may be repeated");
  drain->add_flag("--yes", options->yes, "Does not ask");
  drain->add_flag("--detach", options->detach, "Does not wait until the node is empty");
  AddVerbose(drain, options);
  drain->callback([=] {
    needs_id();
    *code = NodeDrainCommand(*options);
  });

  CLI::App* eligibility =
      AddCommand(node, "eligibility", "Tells whether a node gets new allocations", options);
  add_id(eligibility);
  CLI::Option_group* which = eligibility->add_option_group("One of");
  which->add_flag("--enable", options->enable, "It does");
  which->add_flag("--disable", options->disable, "It does not; what runs goes on");
  which->require_option(1);
  eligibility->callback([=] {
    needs_id();
    *code = NodeEligibilityCommand(*options);
  });
}

void AddNodeMetaCommands(CLI::App* node, NodeCommandOptions* options, int* code) {
  CLI::App* meta = AddSubgroup(node, "meta", "Shows the metadata of a node, and changes them");
  const auto add_id = [options](CLI::App* command) {
    command->add_option("--node-id", options->id,
                        "The node, by its id or the beginning of it; else that of the agent");
  };

  CLI::App* read = AddCommand(meta, "read", "Shows them", options);
  add_id(read);
  read->callback([=] { *code = NodeMetaReadCommand(*options); });

  CLI::App* apply = AddCommand(
      meta, "apply", "Sets some over those of the configuration, and keeps that", options);
  add_id(apply);
  apply->add_option("KEY=VALUE", options->meta, "What ${meta.KEY} is from now on");
  apply->add_option("--unset", options->unset, "A key that is not there any more; may be repeated")
      ->delimiter(',')
      ->allow_extra_args(false);
  apply->callback([=] { *code = NodeMetaApplyCommand(*options); });
}

void AddEvalCommands(CLI::App* app, EvalOptions* options, int* code) {
  CLI::App* eval = AddGroup(app, "eval", "Looks at the decisions of the scheduler", options);

  CLI::App* status = AddCommand(eval, "status", "Shows an evaluation", options);
  AddId(status, "ID", options);
  AddVerbose(status, options);
  status->callback([=] { *code = EvalStatusCommand(*options); });

  CLI::App* list = AddCommand(eval, "list", "Lists evaluations", options);
  list->add_option("--job", options->job, "Only those of this job");
  list->add_option("--status", options->status, "Only those with this status");
  AddVerbose(list, options);
  list->callback([=] { *code = EvalListCommand(*options); });

  CLI::App* remove = AddCommand(
      eval, "delete", "Deletes evaluations that have ended and that nothing needs", options);
  CLI::Option_group* which = remove->add_option_group("One of");
  which->add_option("ID", options->ids, "Their ids, or the beginnings of them");
  which->add_option("--filter", options->filter,
                    "Those that this chooses: 'Status == \"complete\"'");
  which->require_option(1);
  remove->add_flag("--yes", options->yes, "With --filter: does not ask");
  remove->callback([=] { *code = EvalDeleteCommand(*options); });
}

// What follows an agent until it is interrupted.
void AddFollowCommands(CLI::App* app, MonitorOptions* monitor, EventsOptions* events, int* code) {
  CLI::App* log = app->add_subcommand("monitor", "Shows the log of an agent as it is written");
  log->add_option("--log-level", monitor->level,
                  "The least severe level: trace, debug, info, warn or error, whatever the agent's "
                  "own (info)");
  log->add_flag("--json", monitor->json, "Prints an object per line");
  AddClientOptions(log, &monitor->client);
  log->callback([=] { *code = MonitorCommand(*monitor); });

  CLI::App* changes =
      app->add_subcommand("events", "Shows what changes: jobs, evaluations, allocations, nodes");
  changes->add_option(
      "--topic", events->topics,
      "TOPIC or TOPIC:KEY, may be repeated: Job, Evaluation, Allocation, Node or *; "
      "the key is an id in full, or that of the job");
  changes->add_option("--index", events->index,
                      "From this index on, and not all that the agent still has");
  changes->add_flag("--json", events->json, "Prints what the agent tells, an object per line");
  AddVerbose(changes, events);
  AddClientOptions(changes, &events->client);
  changes->callback([=] { *code = EventsCommand(*events); });
}

}  // namespace

std::shared_ptr<void> AddClientCommands(CLI::App* app, int* code) {
  const auto options = std::make_shared<AllOptions>();
  AddJobCommands(app, &options->job, code);
  AddJobTagCommands(app->get_subcommand("job"), &options->job, code);
  AddAllocCommands(app, &options->alloc, code);
  AddNodeCommands(app, &options->node, code);
  AddNodeMetaCommands(app->get_subcommand("node"), &options->node, code);
  AddEvalCommands(app, &options->eval, code);
  ClientCommandOptions* const system = &options->system;
  CLI::App* group = AddGroup(app, "system", "Looks after an agent", system);
  CLI::App* gc =
      AddPlainCommand(group, "gc", "Forgets what has ended: allocations, evaluations, jobs");
  gc->callback([=] { *code = SystemGcCommand(*system); });
  AddFollowCommands(app, &options->monitor, &options->events, code);
  return options;
}

}  // namespace drover
