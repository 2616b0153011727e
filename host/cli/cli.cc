// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/cli.h"

#include <CLI/CLI.hpp>
#include <cctype>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "host/base/printable.h"
#include "host/cli/client_cli.h"
#include "host/cli/client_commands.h"
#include "host/cli/commands.h"
#include "host/cli/completion.h"

namespace drover {
namespace {

// Whether an option of `alloc exec` stands alone; the others are followed by a value.
bool StandsAlone(const std::string& option) {
  for (const char* flag :
       {"-i", "-t", "--no-interactive", "--no-tty", "--tls-skip-verify", "--job", "-h", "--help"}) {
    if (option == flag) return true;
  }
  return option.find('=') != std::string::npos;
}

// Nomad's spelling of long options has one dash: "-json" means "--json". Everything behind "--"
// stays as it is, and so does the command that follows the id of `alloc exec`.
std::vector<std::string> WithTwoDashes(int argc, char** argv) {
  std::vector<std::string> arguments;
  bool options = true;
  bool exec = false;    // the id is to come
  bool valued = false;  // the argument is the value of an option
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--") options = false;
    const bool is_id = exec && options && !valued && argument[0] != '-';
    if (options && argument.size() > 2 && argument[0] == '-' && argument[1] != '-' &&
        std::isalpha(static_cast<unsigned char>(argument[1])) != 0) {
      argument.insert(0, 1, '-');
    }
    valued = options && argument[0] == '-' && !StandsAlone(argument);
    exec = exec || (argument == "exec" && !arguments.empty() && arguments.back() == "alloc");
    arguments.push_back(std::move(argument));
    if (!is_id) continue;
    if (i + 1 < argc && std::string(argv[i + 1]) != "--") arguments.emplace_back("--");
    options = false;
  }
  return arguments;
}

std::vector<CLI::Option*> AddPluginSources(CLI::App* command, std::string* config,
                                           std::vector<std::string>* dirs) {
  return {
      command->add_option("--config,-c", *config, "The agent's configuration file (JSON)"),
      command->add_option("--plugin-dir", *dirs, "A directory of driver plugins; may be repeated"),
  };
}

}  // namespace

int RunCli(int argc, char** argv) {
  CLI::App app("Drover runs groups of tasks through driver plugins.", "drover");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  int code = kExitOk;

  AgentCommandOptions agent;
  CLI::App* agent_app = app.add_subcommand(
      "agent", "Runs a node that is driven through its HTTP API, until it is interrupted");
  agent_app->add_flag(
      "--dev", agent.dev,
      "Needs no configuration: every driver beside this program is enabled, and "
      "the data directory is a new one that is removed at the end, and the tasks end "
      "with the agent");
  AddPluginSources(agent_app, &agent.config_file, &agent.plugin_dirs);
  agent_app->add_option("--data-dir", agent.data_dir, "Where the agent keeps what is its own");
  agent_app->add_option("--bind", agent.bind, "The address of the API (127.0.0.1)");
  agent_app->add_option("--port", agent.port, "The port of the API (4646); 0: any that is free")
      ->check(CLI::Range(0, 65535));
  agent_app->add_option("--log-level", agent.log_level, "trace, debug, info, warn or error")
      ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error"}));
  agent_app->add_option("--log-format", agent.log_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  agent_app->footer(
      "The tasks go on when the agent ends, and the next agent with the same data directory takes "
      "them over. With --dev they end with it: on SIGINT or SIGTERM in order, on a second one at "
      "once. Exit code: 0 it has ended in order, 1 it could not serve, 2 the command line or the "
      "configuration is wrong.");
  agent_app->callback([&] { code = AgentCommand(agent); });

  RunOptions run;
  CLI::App* run_app = app.add_subcommand(
      "run", "Runs a job in the foreground: Ctrl-C stops it in order, a second Ctrl-C kills it");
  run_app->add_option("JOB", run.job_file, "The job file, in the JSON of Nomad's API")->required();
  AddPluginSources(run_app, &run.config_file, &run.plugin_dirs);
  run_app->add_option("--alloc-dir", run.alloc_dir,
                      "Where the allocations get their directories (default: a new directory "
                      "below $TMPDIR)");
  run_app->add_flag("--json", run.json, "Prints one JSON object per line");
  run_app->add_flag("--no-logs", run.no_logs, "Does not print what the tasks write");
  run_app->add_flag("--no-stats", run.no_stats, "Does not measure the tasks");
  run_app->add_flag("--keep", run.keep, "Leaves the allocation directories behind");
  run_app->footer(
      "Exit code: 0 all allocations are complete, 1 one has failed, 2 the command line, the "
      "configuration or the job is wrong, 130 interrupted.");
  run_app->callback([&] { code = RunCommand(run); });

  ValidateOptions validate;
  CLI::App* validate_app = app.add_subcommand(
      "validate", "Checks job files; with --config or --plugin-dir also against the drivers");
  validate_app->add_option("JOB", validate.job_files, "The job files")->required();
  AddPluginSources(validate_app, &validate.config_file, &validate.plugin_dirs);
  validate_app->add_flag("--json", validate.json, "Prints the result as JSON");
  validate_app->footer(
      "Exit code: 0 all jobs are valid, 1 one is not, 2 the command line or the configuration is "
      "wrong or a file cannot be read.");
  validate_app->callback([&] { code = ValidateCommand(validate); });

  const std::shared_ptr<void> client_options = AddClientCommands(&app, &code);

  CLI::App* plugin_app = app.add_subcommand("plugin", "Looks at driver plugins");
  plugin_app->require_subcommand(1);
  PluginOptions plugin;
  ClientCommandOptions agent_plugins;
  CLI::App* list_app = plugin_app->add_subcommand(
      "list",
      "Prints the health of an agent's drivers; with --config or --plugin-dir, of those that are "
      "loaded by it without an agent");
  const auto sources = AddPluginSources(list_app, &plugin.config_file, &plugin.plugin_dirs);
  for (CLI::Option* option : AddConnectionOptions(list_app, &agent_plugins.client)) {
    for (CLI::Option* source : sources) option->excludes(source);
  }
  list_app->add_flag("--json", plugin.json, "Prints JSON");
  list_app->footer(
      "JSON has Name, Health, Description and Attributes of each driver; with --config or "
      "--plugin-dir also File, SHA256, Version, Loaded, Isolation, LastEnd and Output, which an "
      "agent does not tell.");
  list_app->callback([&] {
    const bool loads = !plugin.config_file.empty() || !plugin.plugin_dirs.empty();
    agent_plugins.json = plugin.json;
    code = loads ? PluginListCommand(plugin) : AgentPluginsCommand(agent_plugins);
  });

  AgentPluginOptions of_agent;
  CLI::App* status_app = plugin_app->add_subcommand(
      "status", "Prints what an agent knows of one of its plugins, and how its process ended last");
  CLI::App* reload_app = plugin_app->add_subcommand(
      "reload",
      "Puts the plugin's file as it is now in the place of the one that runs, while its tasks go "
      "on");
  for (CLI::App* command : {status_app, reload_app}) {
    command->add_option("NAME", of_agent.id, "The plugin, by the name that jobs use")->required();
    command->add_flag("--json", of_agent.json, "Prints JSON");
    AddConnectionOptions(command, &of_agent.client);
  }
  status_app->add_flag("--output", of_agent.output,
                       "Prints only what its last process wrote, at most 64 KiB");
  reload_app->footer(
      "The new file is checked, probed and loaded, and its instance recovers every task. If "
      "anything of that fails, the old one stays in charge. Exit code: 0 the new one is in charge, "
      "1 the old one is.");
  status_app->callback([&] { code = PluginStatusCommand(of_agent); });
  reload_app->callback([&] { code = PluginReloadCommand(of_agent); });

  CLI::App* inspect_app =
      plugin_app->add_subcommand("inspect", "Prints a plugin's manifest, capabilities and schemas");
  inspect_app->add_option("FILE", plugin.file, "The shared library")->required();
  inspect_app->add_flag("--json", plugin.json, "Prints JSON");
  inspect_app->callback([&] { code = PluginInspectCommand(plugin); });

  CLI::App* plugin_validate_app = plugin_app->add_subcommand(
      "validate", "Checks that this host would load a plugin, and its configuration");
  plugin_validate_app->add_option("FILE", plugin.file, "The shared library")->required();
  plugin_validate_app->add_option("--plugin-config", plugin.plugin_config,
                                  "The plugin's configuration (JSON)");
  plugin_validate_app->add_flag("--json", plugin.json, "Prints JSON");
  plugin_validate_app->callback([&] { code = PluginValidateCommand(plugin); });

  CLI::App* test_app = plugin_app->add_subcommand(
      "test", "Runs the conformance cases against a plugin, each in a process of its own");
  test_app->add_option("FILE", plugin.file, "The shared library");
  test_app->add_option("--case", plugin.cases, "Only this case; may be repeated");
  test_app->add_flag("--list", plugin.list_cases, "Prints the names of the cases");
  test_app->add_flag("--in-process", plugin.in_process,
                     "Runs the case in this process, for a debugger");
  test_app
      ->add_option("--isolation", plugin.isolation,
                   "Where the driver's code runs in each case: in-process, or process, as a "
                   "host runs drivers that are not its own")
      ->check(CLI::IsMember({"in-process", "process"}));
  test_app->add_option("--plugin-config", plugin.plugin_config,
                       "The plugin's configuration (JSON)");
  test_app->add_option("--task-config", plugin.task_config,
                       "The configuration of a task that runs for a minute (JSON)");
  test_app->add_option("--seed", plugin.seed,
                       "A number for what cases make up at random, to repeat a run");
  test_app->add_option("--max-skips", plugin.max_skips,
                       "Fails when more cases than this were skipped");
  test_app->add_flag("--json", plugin.json, "Prints JSON");
  test_app->callback([&] { code = PluginTestCommand(plugin); });

  bool version_json = false;
  CLI::App* version_app = app.add_subcommand("version", "Prints the version");
  version_app->add_flag("--json", version_json, "Prints JSON");
  version_app->callback([&] { code = VersionCommand(version_json); });
  std::string shell;
  CLI::App* completion_app = app.add_subcommand(
      "completion", "Prints the script by which a shell completes commands, options and ids");
  completion_app->add_option("SHELL", shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion_app->footer("In bash: source <(drover completion bash)");
  completion_app->callback([&] { code = CompletionScriptCommand(shell); });
  app.set_version_flag("--version", std::string("drover ") + DROVER_VERSION);

  if (argc > 1 && std::string(argv[1]) == kCompleteArgument) {
    return CompleteCommand(app, std::vector<std::string>(argv + 2, argv + argc));
  }
  std::vector<std::string> arguments = WithTwoDashes(argc, argv);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& e) {
    // The parser only says that a command is missing.
    for (const std::string& unknown : app.remaining(true)) {
      if (app.get_subcommands().empty()) {
        std::fprintf(stderr, "drover: unknown command \"%s\"\n", Printable(unknown).c_str());
      }
    }
    return app.exit(e) == 0 ? kExitOk : kExitUsage;
  }
  return code;
}

}  // namespace drover
