// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/node.h"

#include <spdlog/spdlog.h>

#include "host/agent/env_preparer.h"
#include "host/agent/ledger_store.h"
#include "host/agent/leftovers.h"
#include "host/agent/network_hook.h"
#include "host/agent/run_ledger.h"
#include "host/alloc/disk_alloc_dir.h"
#include "host/alloc/local_alloc_runner.h"
#include "host/base/ids.h"
#include "host/process/run_directory.h"
#include "host/taskenv/host_env.h"

namespace drover {
namespace {

constexpr int kWorkers = 2;

}  // namespace

Node::Node(Loop* loop, NodeOptions options)
    : loop_(loop),
      options_(std::move(options)),
      machine_(ReadMachine()),
      id_(RandomUuid()),
      name_(options_.config.name.empty() ? machine_.hostname : options_.config.name),
      workers_(kWorkers),
      stats_demand_(loop),
      ports_(NewPortPool()) {}

Node::~Node() = default;

Result<std::unique_ptr<Node>> Node::Create(Loop* loop, NodeOptions options) {
  std::unique_ptr<Node> node(new Node(loop, std::move(options)));
  DROVER_TRY(node->Init());
  return node;
}

Status Node::Init() {
  const AgentConfig& config = options_.config;
  DROVER_CHECK(!config.alloc_dir.empty());

  ProcessServiceOptions process_options;
  process_options.run_dir = config.run_dir;
  process_options.open_files = options_.task_open_files;
  DROVER_ASSIGN(processes_, NewProcessService(loop_, std::move(process_options)));

  PluginRegistryOptions plugin_options;
  plugin_options.plugins = config.plugins;
  plugin_options.directories = config.plugin_dirs;
  plugin_options.log = options_.plugin_log;
  plugin_options.core_mhz = machine_.core_mhz;
  plugin_options.limits = options_.driver_limits;
  plugin_options.bind_runs = options_.foreground;
  plugins_ = std::make_unique<PluginRegistry>(loop_, &workers_, processes_.get(),
                                              std::move(plugin_options));

  NodeInfo env_node;
  env_node.id = id_;
  env_node.name = name_;
  env_node.datacenter = config.datacenter;
  env_node.region = config.region;
  env_node.attributes = machine_.attributes;
  env_node.meta = config.meta;
  preparer_ = NewEnvPreparer(std::move(env_node), ReadHostEnv(), machine_.core_mhz);

  LocalAllocEnv env;
  env.loop = loop_;
  DiskAllocDirOptions dir_options;
  dir_options.base = config.alloc_dir;
  dir_options.pool = &workers_;
  env.make_dir = [dir_options](const std::string& alloc_id) -> std::unique_ptr<AllocDir> {
    return std::make_unique<DiskAllocDir>(dir_options, alloc_id);
  };
  env.extra_hooks.push_back([pool = &workers_](const AllocHookEnv& hook_env) {
    return std::make_unique<NetworkHook>(hook_env, pool);
  });
  env.report = [](const std::string& alloc_id, const Error& error) {
    spdlog::warn("allocation {}: {}", alloc_id, error.message());
  };
  env.task.drivers = plugins_.get();
  env.task.preparer = preparer_.get();
  env.task.stats_demand = &stats_demand_;
  env.task.on_dropped_output = [processes = processes_.get()](
                                   RunId run, std::function<void(const DroppedOutput&)> hear) {
    return processes->OnDroppedOutput(run, std::move(hear));
  };
  env.task.report = [](const std::string& task, const Error& error) {
    spdlog::warn("task {}: {}", task, error.message());
  };
  env.task.max_kill_timeout = config.max_kill_timeout;
  env.task.stats_interval = config.stats_interval;
  if (!options_.looks_only) {
    DROVER_ASSIGN(UniqueFd run_directory, OpenRunDirectory(config.run_dir));
    DROVER_ASSIGN(ledger_, RunLedger::Create(std::move(run_directory), id_, config.alloc_dir,
                                             options_.alloc_dir_is_own));
    const bool keep = options_.keep_directories;
    env.open_store = [ledger = ledger_, keep](const std::string& id) {
      return std::make_unique<LedgerStore>(ledger, id, keep);
    };
  }
  runners_ = std::make_unique<LocalAllocRunnerFactory>(std::move(env));
  return {};
}

Co<std::vector<PluginReport>> Node::Start(Context context) {
  if (ledger_) {
    co_await ClearDeadNodes(context, loop_, processes_.get(), &workers_, options_.config.run_dir,
                            Duration(0));
  }
  std::vector<PluginReport> reports = co_await plugins_->LoadAll(context);
  // A node takes nothing over: whatever ran before it has been ended above.
  co_await plugins_->RestoreComplete(context, std::vector<RunId>());
  co_return reports;
}

Status Node::CheckJob(const Job& job, const std::string& place) {
  std::string mistakes;
  for (std::size_t g = 0; g < job.groups.size(); ++g) {
    for (std::size_t t = 0; t < job.groups[g].tasks.size(); ++t) {
      const Task& task = job.groups[g].tasks[t];
      const std::string pointer =
          place + "/TaskGroups/" + std::to_string(g) + "/Tasks/" + std::to_string(t);
      std::string mistake;
      Driver* driver = plugins_->Find(task.driver);
      if (driver == nullptr) {
        mistake = pointer + "/Driver: no plugin of this node is a driver \"" + task.driver +
                  "\": configure one, or correct the name";
      } else if (driver->fingerprint().health == Health::kUndetected) {
        mistake = pointer + "/Driver: driver \"" + task.driver +
                  "\" cannot be used: " + driver->fingerprint().description;
      } else if (const auto config =
                     driver->NormalizeConfigAt(pointer + "/Config", task.config_json, false);
                 !config.ok()) {
        mistake = config.error().message();
      }
      if (!mistake.empty()) mistakes += (mistakes.empty() ? "" : "; ") + mistake;
    }
  }
  if (mistakes.empty()) return {};
  return Error(Code::kInvalidArgument, mistakes);
}

Result<std::vector<std::shared_ptr<const Allocation>>> Node::Place(std::shared_ptr<const Job> job) {
  return PlaceJob(std::move(job), id_, name_, loop_->Wall(), ports_.get(), machine_.core_ids);
}

Result<std::unique_ptr<AllocRunner>> Node::MakeRunner(std::shared_ptr<const Allocation> alloc) {
  AllocRunnerRequest request;
  request.alloc = std::move(alloc);
  return runners_->Make(std::move(request));
}

void Node::Release(const Allocation& alloc) { ReleasePorts(alloc, ports_.get()); }

std::string Node::LogDir(const Allocation& alloc) const {
  return options_.config.alloc_dir + "/" + alloc.id + "/alloc/logs";
}

void Node::KillAll() { processes_->KillAll(); }

Co<void> Node::Shutdown() { co_await plugins_->Shutdown(); }

}  // namespace drover
