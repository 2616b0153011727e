// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <spdlog/spdlog.h>

#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/agent/agent.h"
#include "host/agent/core_files.h"
#include "host/agent/logging.h"
#include "host/agent/open_files.h"
#include "host/agent/reload_on_hangup.h"
#include "host/agent/service_manager.h"
#include "host/cli/plugin_sources.h"
#include "host/local_commands/local_commands.h"
#include "host/node/data_dir.h"
#include "host/plugin/plugin_config.h"

namespace drover {
namespace {

// Raises this process's limit of open files. Returns the limit that the agent must set for tasks,
// or 0 if tasks inherit the agent's limit.
std::uint64_t RaiseLimits() {
  const Result<OpenFileLimit> files = RaiseOpenFileLimit();
  if (!files.ok()) {
    spdlog::warn("{}", files.error().message());
    return 0;
  }
  if (files->now > files->before) {
    spdlog::info("the agent's limit of open files is raised from {} to {}", files->before,
                 files->now);
  }
  return files->before;
}

// Lets this process leave no core file. Returns the limit that the agent must set for tasks, or
// nothing if tasks inherit the agent's limit.
std::optional<std::uint64_t> NoCoreFiles() {
  const Result<std::uint64_t> before = ForbidCoreFiles();
  if (before.ok()) return *before;
  spdlog::warn("{}", before.error().message());
  return std::nullopt;
}

Co<void> RunAgent(Agent* agent, Context stop, ReloadOnHangup* reload, Status* status) {
  const auto ready = [agent, reload] {
    std::printf("drover agent: serving %s://%s\n", agent->tls() ? "https" : "http",
                agent->address().c_str());
    std::fflush(stdout);
    NotifyOrWarn("READY=1");
    if (reload != nullptr) reload->Listen();
  };
  *status = co_await agent->Run(stop, ready);
  if (reload != nullptr) co_await reload->End();
}

struct AgentCommand {
  bool dev = false;
  PluginSources sources;
  // The members below override the configuration. An empty member, or -1, overrides nothing.
  std::string data_dir;
  std::string bind;
  int port = -1;
  std::string log_level;
  std::string log_format;

  void Declare(CLI::App* command) {
    command->add_flag(
        "--dev", dev,
        "Needs no configuration: every driver beside this program is enabled, and "
        "the data directory is a new one that is removed at the end, and the tasks end "
        "with the agent");
    sources.Declare(command);
    command->add_option("--data-dir", data_dir, "Where the agent keeps what is its own");
    command->add_option("--bind", bind, "The address of the API (127.0.0.1)");
    command->add_option("--port", port, "The port of the API (4646); 0: any that is free")
        ->check(CLI::Range(0, 65535));
    command->add_option("--log-level", log_level, "trace, debug, info, warn or error")
        ->transform(CLI::IsMember({"trace", "debug", "info", "warn", "error"}, CLI::ignore_case));
    command->add_option("--log-format", log_format, "text or json")
        ->check(CLI::IsMember({"text", "json"}));
    command->footer(
        "The tasks go on when the agent ends, and the next agent with the same data directory "
        "takes them over. With --dev they end with it: on SIGINT or SIGTERM in order, on a second "
        "one at once. Exit code: 0 it has ended in order, 1 it could not serve, 2 the command line "
        "or the configuration is wrong.");
  }

  int Run() const {
    // With this threshold, malloc returns large blocks, such as the body of a request, to the
    // system when they are freed.
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    std::vector<std::string> warnings;
    Result<AgentConfig> config =
        ReadConfig([&warnings](const std::string& warning) { warnings.push_back(warning); });
    if (!config.ok()) return Fail("agent", config.error(), kExitUsage);
    SetUpLogging(config->log_level, config->log_format);
    if (!config->log_file.path.empty()) {
      const Status file = AddLogFile(config->log_file, config->log_format);
      if (!file.ok()) return Fail("agent", file.error(), kExitUsage);
    }
    for (const std::string& warning : warnings) LogWarning(warning);
    const Result<DataDir> own = DataDir::Make(config->data_dir);
    if (!own.ok()) {
      const bool taken = own.code() == Code::kFailedPrecondition;
      return Fail("agent", own.error(), taken ? kExitFailed : kExitUsage);
    }
    const std::string given_alloc_dir = config->client.alloc_dir;
    const Result<std::string> alloc_dir =
        given_alloc_dir.empty() ? own->alloc_dir() : CheckAllocDir(given_alloc_dir);
    if (!alloc_dir.ok()) {
      return Fail("agent", alloc_dir.error().WithContext("/client/alloc_dir"), kExitUsage);
    }
    config->client.alloc_dir = *alloc_dir;
    const std::string volumes = own->volumes_dir(), plugins = own->volume_plugin_dir();
    PlaceVolumes(volumes, plugins, &config->client);
    const auto read_again = [this, given_alloc_dir, alloc_dir, volumes, plugins] {
      Result<AgentConfig> again = ReadConfig(LogWarning);
      if (again.ok()) PlaceVolumes(volumes, plugins, &again->client);
      const bool same = again.ok() && again->client.alloc_dir == given_alloc_dir;
      if (same) again->client.alloc_dir = *alloc_dir;
      return again;
    };
    const int code = Serve(std::move(*config), *own, read_again);
    own->RemoveIfMade();
    return code;
  }

  // Sets the directories of volumes that CLIENT does not name.
  static void PlaceVolumes(const std::string& volumes, const std::string& plugins,
                           AgentConfig::Client* client) {
    if (client->host_volumes_dir.empty()) client->host_volumes_dir = volumes;
    if (client->host_volume_plugin_dir.empty()) client->host_volume_plugin_dir = plugins;
  }

  static void LogWarning(const std::string& warning) { spdlog::warn("configuration {}", warning); }

  Result<AgentConfig> ReadConfig(const PluginSources::Warn& warn) const {
    const bool bare_dev = dev && sources.config_paths.empty();
    if (!dev && sources.config_paths.empty()) {
      return Error(Code::kInvalidArgument,
                   "name a configuration with --config PATH, or try --dev, which needs none");
    }
    PluginSources all = sources;
    if (bare_dev && all.directories.empty()) all.directories.push_back(ShippedPluginDirectory());
    DROVER_ASSIGN(AgentConfig config, all.Read(warn));
    if (!data_dir.empty()) config.data_dir = data_dir;
    if (config.data_dir.empty() && !dev) {
      return Error(Code::kInvalidArgument,
                   "/data_dir: where the agent keeps what is its own is not said: add it to the "
                   "configuration, or use --data-dir");
    }
    if (!bind.empty()) config.http.address = bind;
    if (port >= 0) config.http.port = port;
    if (bare_dev) {
      config.log_level = "info";
      config.telemetry = {.publish_allocation_metrics = true, .prometheus_metrics = true};
    }
    if (!log_level.empty()) config.log_level = log_level;
    if (!log_format.empty()) config.log_format = log_format;
    return config;
  }

  // Runs the agent until a signal ends it.
  int Serve(AgentConfig config, const DataDir& own,
            const std::function<Result<AgentConfig>()>& read_again) const {
    AgentOptions options;
    options.task_open_files = RaiseLimits();
    options.task_core_bytes = NoCoreFiles();
    const LogThread log_thread;
    RealLoop loop;
    options.config = std::move(config);
    options.version = DROVER_VERSION;
    options.plugin_data_dir = own.plugin_data_dir();
    if (!dev) {
      options.state_dir = own.state_dir();
      options.key_dir = own.key_dir();
      options.network_dir = own.network_dir();
    }
    const Result<std::unique_ptr<Agent>> agent = Agent::Create(&loop, std::move(options));
    if (!agent.ok()) {
      const bool newer = agent.code() == Code::kUnimplemented;
      return Fail("agent", agent.error(), newer ? kExitNewer : kExitFailed);
    }
    std::signal(SIGPIPE, SIG_IGN);
    const Context stop(&loop);
    boost::asio::signal_set signals(loop.io(), SIGINT, SIGTERM);
    std::optional<ReloadOnHangup> reload;
    if (sources.config_paths.empty()) {
      signals.add(SIGHUP);  // without a configuration file to read again, SIGHUP stops the agent
    } else {
      reload.emplace(&loop,
                     [agent = agent->get(), read_again] { return agent->Reload(read_again); });
    }
    std::function<void()> wait = [&] {
      signals.async_wait([&](const boost::system::error_code& error, int) {
        if (error) return;
        if (stop.cancelled()) {
          (*agent)->KillAll();
        } else {
          NotifyOrWarn("STOPPING=1");
        }
        Context(stop).Cancel("the agent must stop");
        wait();
      });
    };
    wait();
    Status status;
    // RunToEnd needs a time limit, but the agent must run without a limit. So the limit is 100
    // years.
    loop.RunToEnd(RunAgent(agent->get(), stop, reload ? &*reload : nullptr, &status),
                  std::chrono::hours(24 * 365 * 100));
    return status.ok() ? kExitOk : Fail("agent", status.error(), kExitFailed);
  }
};

}  // namespace

void AddAgent(const CommandGroup& drover) {
  drover.Add<AgentCommand>(
      "agent", "Runs a node that is driven through its HTTP API, until it is interrupted");
}

}  // namespace drover
