// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <spdlog/spdlog.h>

#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "host/agent/agent.h"
#include "host/agent/data_dir.h"
#include "host/agent/logging.h"
#include "host/agent/open_files.h"
#include "host/agent/reload_on_hangup.h"
#include "host/agent/service_manager.h"
#include "host/cli/cli.h"
#include "host/cli/commands.h"
#include "host/cli/node_setup.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

// Drivers are installed, and built, beside the program.
std::string PluginDirBesideProgram() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return (program.parent_path().parent_path() / "lib/drover/plugins").string();
}

Result<AgentConfig> ReadConfig(const AgentCommandOptions& options) {
  if (options.config_file.empty() && !options.dev) {
    return Error(Code::kInvalidArgument,
                 "name a configuration with --config FILE, or try --dev, which needs none");
  }
  std::vector<std::string> directories = options.plugin_dirs;
  if (options.dev && options.config_file.empty() && directories.empty()) {
    directories.push_back(PluginDirBesideProgram());
  }
  DROVER_ASSIGN(AgentConfig config, CommandConfig(options.config_file, directories));
  if (!options.data_dir.empty()) config.data_dir = options.data_dir;
  if (config.data_dir.empty() && !options.dev) {
    return Error(Code::kInvalidArgument,
                 "/data_dir: where the agent keeps what is its own is not said: add it to the "
                 "configuration, or use --data-dir");
  }
  if (!options.bind.empty()) config.http.address = options.bind;
  if (options.port >= 0) config.http.port = options.port;
  if (options.dev && options.config_file.empty()) {
    config.log_level = "info";
    config.telemetry = {.publish_allocation_metrics = true, .prometheus_metrics = true};
  }
  if (!options.log_level.empty()) config.log_level = options.log_level;
  if (!options.log_format.empty()) config.log_format = options.log_format;
  return config;
}

// Raises the limit of this process; returns the one that tasks should have, 0: the agent's.
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

}  // namespace

int AgentCommand(const AgentCommandOptions& options) {
  // What is large, such as the body of a request, goes back to the system when it is done with.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  Result<AgentConfig> config = ReadConfig(options);
  if (!config.ok()) {
    PrintError("agent", config.error());
    return kExitUsage;
  }
  const Result<DataDir> data_dir = DataDir::Make(config->data_dir);
  if (!data_dir.ok()) {
    PrintError("agent", data_dir.error());
    return data_dir.code() == Code::kFailedPrecondition ? kExitFailed : kExitUsage;
  }
  const std::string given_alloc_dir = config->client.alloc_dir;
  std::string alloc_dir = data_dir->alloc_dir();
  if (!given_alloc_dir.empty()) {
    const Result<std::string> own = CheckAllocDir(given_alloc_dir);
    if (!own.ok()) {
      PrintError("agent", own.error().WithContext("/client/alloc_dir"));
      return kExitUsage;
    }
    alloc_dir = *own;
  }
  config->client.alloc_dir = alloc_dir;
  SetUpLogging(config->log_level, config->log_format);
  const std::uint64_t task_open_files = RaiseLimits();
  const LogThread log_thread;

  RealLoop loop;
  AgentOptions agent_options;
  agent_options.config = std::move(*config);
  agent_options.version = DROVER_VERSION;
  if (!options.dev) agent_options.state_dir = data_dir->state_dir();
  agent_options.task_open_files = task_open_files;
  const Result<std::unique_ptr<Agent>> agent = Agent::Create(&loop, std::move(agent_options));
  if (!agent.ok()) {
    PrintError("agent", agent.error());
    data_dir->RemoveIfMade();
    return agent.code() == Code::kUnimplemented ? kExitNewer : kExitFailed;
  }

  std::signal(SIGPIPE, SIG_IGN);
  const Context stop(&loop);
  boost::asio::signal_set signals(loop.io(), SIGINT, SIGTERM);
  std::optional<ReloadOnHangup> reload;
  if (options.config_file.empty()) {
    signals.add(SIGHUP);  // there is no file to read again
  } else {
    reload.emplace(&loop, agent->get(), [&options, given_alloc_dir, alloc_dir] {
      Result<AgentConfig> again = ReadConfig(options);
      if (again.ok() && again->client.alloc_dir == given_alloc_dir)
        again->client.alloc_dir = alloc_dir;
      return again;
    });
  }
  std::function<void()> wait = [&] {
    signals.async_wait([&](const boost::system::error_code& error, int) {
      if (error) return;
      if (stop.cancelled()) {
        (*agent)->KillAll();
      } else {
        NotifyOrWarn("STOPPING=1");
      }
      Context(stop).Cancel("the agent was told to stop");
      wait();
    });
  };
  wait();
  Status status;
  // An agent has no limit.
  loop.RunToEnd(RunAgent(agent->get(), stop, reload ? &*reload : nullptr, &status),
                std::chrono::hours(24 * 365 * 100));
  data_dir->RemoveIfMade();
  if (status.ok()) return kExitOk;
  PrintError("agent", status.error());
  return kExitFailed;
}

}  // namespace drover
