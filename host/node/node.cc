// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/node.h"

#include <spdlog/spdlog.h>

#include <optional>

#include "host/alloc/dir_tree.h"
#include "host/alloc/disk_alloc_dir.h"
#include "host/alloc/local_alloc_runner.h"
#include "host/base/ids.h"
#include "host/base/patience.h"
#include "host/node/artifact_options.h"
#include "host/node/device_hook.h"
#include "host/node/env_preparer.h"
#include "host/node/host_networks.h"
#include "host/node/kept_alloc_store.h"
#include "host/node/ledger_store.h"
#include "host/node/machine_network.h"
#include "host/node/node_consul.h"
#include "host/node/node_for_plugins.h"
#include "host/node/node_networks.h"
#include "host/node/node_services.h"
#include "host/node/node_templates.h"
#include "host/node/run_ledger.h"
#include "host/node/sticky_disk_hook.h"
#include "host/node/volume_hook.h"
#include "host/process/run_directory.h"
#include "host/task/hooks/dispatch_payload_hook.h"
#include "host/task/restore_barrier.h"
#include "host/taskenv/host_env.h"
#include "host/users/task_users.h"

namespace drover {
namespace {

constexpr int kWorkers = 2;   // threads that start allocations
constexpr int kRemovers = 2;  // threads for removals and moves, which may take long
constexpr int kLoaders = 2;   // threads that load plugins and configurations, which may be slow
// The time limit for the recovery of all earlier tasks of one driver. It is longer than the time in
// which a driver must answer for one task.
constexpr Duration kRestoreLimit = 40s;

TaskUsersOptions TaskUsersOf(const AgentConfig::Client& client, WorkerPool* workers) {
  const AgentConfig::Client::Users& users = client.users;
  TaskUsersOptions options;
  options.rules.denied = users.denied;
  options.rules.checked_drivers = {users.checked_drivers.begin(), users.checked_drivers.end()};
  options.rules.dynamic_first = static_cast<uid_t>(users.dynamic_min);
  options.rules.dynamic_last = static_cast<uid_t>(users.dynamic_max);
  options.dynamic_drivers = {users.dynamic_drivers.begin(), users.dynamic_drivers.end()};
  options.lock_path = client.run_dir;
  options.workers = workers;
  return options;
}

DiskLimitOptions DiskLimitsOf(const AgentConfig::Client& client) {
  using Limit = AgentConfig::Client::DiskLimit;
  DiskLimitOptions options;
  options.watch = client.disk_limit != Limit::kOff;
  options.quota = client.disk_limit == Limit::kQuota;
  options.of_quota.base = client.alloc_dir;
  options.of_quota.first = static_cast<std::uint32_t>(client.min_disk_project);
  options.of_quota.last = static_cast<std::uint32_t>(client.max_disk_project);
  return options;
}

}  // namespace

Node::Node(Loop* loop, NodeOptions options)
    : loop_(loop),
      options_(std::move(options)),
      machine_(ReadMachine()),
      id_(options_.kept == nullptr ? RandomUuid() : options_.kept->node_id()),
      name_(options_.config.name.empty() ? machine_.hostname : options_.config.name),
      workers_(kWorkers),
      removers_(kRemovers),
      loaders_(kLoaders),
      stats_demand_(loop),
      life_(loop),
      cleared_(loop),
      starting_(loop),
      removing_(loop) {}

Node::~Node() = default;

Result<std::unique_ptr<Node>> Node::Create(Loop* loop, NodeOptions options) {
  std::unique_ptr<Node> node(new Node(loop, std::move(options)));
  DROVER_TRY(node->Init());
  return node;
}

Status Node::Init() {
  const AgentConfig& config = options_.config;
  DROVER_CHECK(!config.client.alloc_dir.empty());
  DROVER_ASSIGN(const std::string address, PortAddress());
  InitPorts(address);

  ProcessServiceOptions process_options;
  process_options.run_dir = config.client.run_dir;
  process_options.open_files = options_.task_open_files;
  process_options.core_bytes = options_.task_core_bytes;
  DROVER_ASSIGN(processes_, NewProcessService(loop_, std::move(process_options)));

  info_.id = id_;
  info_.name = name_;
  info_.datacenter = config.datacenter;
  info_.region = config.region;
  info_.node_class = config.client.node_class;
  info_.pool = config.client.node_pool;
  info_.attributes = machine_.attributes;
  info_.meta = config.client.meta;

  PluginRegistryOptions plugin_options;
  plugin_options.plugins = config.plugins;
  plugin_options.directories = config.plugin_dirs;
  // The drivers of this installation are found without a directory for them.
  plugin_options.directories.push_back(ShippedPluginDirectory());
  plugin_options.log = options_.plugin_log;
  plugin_options.core_mhz = machine_.core_mhz;
  plugin_options.limits = options_.driver_limits;
  plugin_options.bind_runs = options_.foreground;
  plugin_options.node = NodeForPlugins(info_, options_.agent_version, options_.plugin_data_dir);
  plugins_ = std::make_unique<PluginRegistry>(loop_, &loaders_, processes_.get(),
                                              std::move(plugin_options));
  devices_ = std::make_shared<DeviceManager>(
      loop_, plugins_->devices(), [](const std::string& report) { spdlog::warn("{}", report); });
  DROVER_ASSIGN(plugin_hooks_,
                NodePluginHooks::Create(config.client.task_hooks, plugins_.get(), id_, name_));

  preparer_ = NewEnvPreparer(&info_, ReadHostEnv(), machine_.core_mhz);
  volumes_ = MakeVolumes();
  users_ = std::make_unique<TaskUsers>(TaskUsersOf(config.client, &workers_));
  artifacts_ = std::make_unique<LocalArtifactFetcher>(
      loop_, ArtifactOptionsOf(config.client.artifacts, options_.key_dir));
  const bool trial = options_.kept == nullptr;
  checks_ = std::make_unique<NodeChecks>(loop_, &info_, ServicePolicyOf(config, trial));
  if (options_.services && !config.consul.empty()) {
    DROVER_ASSIGN(consul_, NodeConsul::Create(loop_, &loaders_, config.consul, id_));
    checks_->UseConsul(consul_.get());
  }
  if (!options_.inspect_only) {
    DROVER_TRY(InitKeys());
    DROVER_TRY(InitTemplates());
  }
  DROVER_TRY(InitNetworks());
  LocalAllocEnv env = MakeAllocEnv();
  if (options_.services) {
    services_ = std::make_unique<NodeServices>(loop_, &info_, *options_.services, address);
    if (consul_) services_->UseConsul(consul_.get());
    services_->AddHooks(&env);
  }
  checks_->AddChecksHook(&env);
  if (!options_.inspect_only) DROVER_TRY(InitLedger(&env));
  runners_ = std::make_unique<LocalAllocRunnerFactory>(std::move(env));
  return {};
}

std::shared_ptr<HostVolumes> Node::MakeVolumes() const {
  const AgentConfig::Client& client = options_.config.client;
  HostVolumesOptions volumes;
  volumes.loop = loop_;
  for (const auto& [name, volume] : client.host_volumes) {
    volumes.configured[name] = {volume.path, volume.read_only};
  }
  volumes.writable = {client.alloc_dir};
  volumes.plugins.directory = client.host_volume_plugin_dir;
  volumes.plugins.volumes_dir = client.host_volumes_dir;
  volumes.plugins.node_id = id_;
  volumes.plugins.node_pool = client.node_pool;
  volumes.remove_tree = [give_up = give_up_removals_](int dir, const std::string& name,
                                                      const std::string& path) {
    return RemoveTreeAt(dir, name, path, give_up.get());
  };
  volumes.find = options_.find_volume;
  volumes.paths = options_.volume_paths;
  return std::make_shared<HostVolumes>(std::move(volumes));
}

Status Node::InitKeys() {
  NodeKeysOptions keys;
  keys.loop = loop_;
  keys.kept = options_.kept;
  keys.key_dir = options_.key_dir;
  keys.key_age = options_.config.identity.key_age;
  keys.issuer = options_.config.identity.oidc_issuer;
  keys.living = options_.living;
  DROVER_ASSIGN(keys_, NodeKeys::Create(std::move(keys)));
  return {};
}

Status Node::InitTemplates() {
  NodeTemplatesOptions templates;
  templates.loop = loop_;
  templates.preparer = preparer_.get();
  templates.pool = &workers_;
  templates.state = options_.template_values;
  templates.state.seal_key = keys_->seal_key();
  templates.consul = options_.config.consul;
  DROVER_ASSIGN(templates_, NodeTemplates::Create(std::move(templates)));
  return {};
}

LocalAllocEnv Node::MakeAllocEnv() {
  const AgentConfig& config = options_.config;
  LocalAllocEnv env;
  env.loop = loop_;
  DiskAllocDirOptions dir_options;
  dir_options.base = config.client.alloc_dir;
  dir_options.pool = &workers_;
  dir_options.removal_pool = &removers_;
  dir_options.give_up = give_up_removals_;
  env.make_task_hooks = [this](const Allocation& alloc, const Task& task) {
    TaskHooks hooks;
    hooks.before_dir = users_->HooksOf(task);
    keys_->AddHooks(task, &workers_, &hooks);
    templates_->AddHooks(alloc.id, task, &hooks);
    networks_->AddTaskHooks(alloc, &hooks);
    if (DispatchPayloadHook::IsNeeded(*alloc.job, task)) {
      hooks.before_stats.push_back(std::make_shared<DispatchPayloadHook>(&workers_));
    }
    if (!task.volume_mounts.empty()) {
      hooks.before_stats.push_back(std::make_shared<VolumeHook>(volumes_, preparer_.get()));
    }
    if (!task.devices.empty()) {
      hooks.before_stats.push_back(std::make_shared<DeviceHook>(devices_));
    }
    if (!task.artifacts.empty()) {
      hooks.before_stats.push_back(std::make_shared<ArtifactHook>(
          loop_, artifacts_.get(), preparer_.get(), task.artifacts.size()));
    }
    plugin_hooks_.AddHooks(&hooks);
    return hooks;
  };
  if (!options_.inspect_only) {
    disks_.emplace(DiskLimitsOf(config.client));
    dir_options.quota = disks_->quota();
    disks_->AddQuotaHook(&env, &workers_);
  }
  env.make_dir = [dir_options](const std::string& alloc_id) -> std::unique_ptr<AllocDir> {
    return std::make_unique<DiskAllocDir>(dir_options, alloc_id);
  };
  if (options_.wait_ended) {
    // Where directories have quotas, a move looks at each file, so it must not delay other starts.
    WorkerPool* const movers = disks_ && disks_->quota() ? &removers_ : &workers_;
    env.extra_hooks.push_back(
        [this, movers](const AllocHookEnv& hook_env) -> std::unique_ptr<AllocHook> {
          if (hook_env.alloc != nullptr && hook_env.alloc->previous.empty()) return nullptr;
          return std::make_unique<StickyDiskHook>(options_.config.client.alloc_dir, movers,
                                                  options_.wait_ended, hook_env.control);
        });
  }
  networks_->AddHook(&env);
  if (disks_) disks_->AddWatchHook(&env);
  checks_->AddHealthHook(&env);
  if (options_.add_task_hooks) {
    env.make_task_hooks = [this, others = std::move(env.make_task_hooks)](const Allocation& alloc,
                                                                          const Task& task) {
      TaskHooks hooks = others ? others(alloc, task) : TaskHooks();
      options_.add_task_hooks(alloc, task, &workers_, &hooks);
      return hooks;
    };
  }
  env.report = [](const std::string& alloc_id, const Error& error) {
    spdlog::warn("allocation {}: {}", alloc_id, error.message());
  };
  env.services.drivers = plugins_.get();
  env.services.preparer = preparer_.get();
  env.services.stats_demand = &stats_demand_;
  env.services.processes = processes_.get();
  env.services.report = [](const std::string& task, const Error& error) {
    spdlog::warn("task {}: {}", task, error.message());
  };
  env.services.max_kill_timeout = config.client.max_kill_timeout;
  env.services.stats_interval = config.telemetry.collection_interval;
  return env;
}

// Returns the address on which tasks have their ports. By default, the ports of a foreground run
// can be reached from this machine only.
Result<std::string> Node::PortAddress() const {
  const std::string& wanted = options_.config.client.network_interface;
  if (wanted.empty()) {
    return options_.foreground ? std::string("127.0.0.1") : BestAddress(machine_.interfaces);
  }
  Result<std::string> address = AddressOf(machine_.interfaces, wanted);
  if (!address.ok()) return address.error().WithContext("client/network_interface");
  return address;
}

Status Node::InitLedger(LocalAllocEnv* env) {
  restores_ = std::make_unique<RestoreBarrier>(loop_);
  env->services.restores = restores_.get();
  const AgentConfig& config = options_.config;
  KeptState* const kept = options_.kept;
  DROVER_ASSIGN(UniqueFd run_directory, OpenRunDirectory(config.client.run_dir));
  using Kind = RunLedger::Kind;
  const Kind kind =
      kept != nullptr ? Kind::kKept : (options_.alloc_dir_is_own ? Kind::kOwn : Kind::kGiven);
  // A node with a kept state has the same id as its earlier agents. Their ledgers must still be
  // read, so the new ledger gets another name.
  const std::string name = kept == nullptr ? id_ : RandomUuid();
  DROVER_ASSIGN(ledger_,
                RunLedger::Create(std::move(run_directory), name, config.client.alloc_dir, kind));
  late_ = std::make_unique<LateReleases>(loop_, processes_.get(), ledger_);
  env->services.release_later = [late = late_.get()](RunId run) { late->Add(run); };
  LeftoversOptions leftovers;
  leftovers.loop = loop_;
  leftovers.processes = processes_.get();
  leftovers.run_dir = config.client.run_dir;
  leftovers.removers = &removers_;
  leftovers.give_up = give_up_removals_;
  leftovers_ = std::make_unique<Leftovers>(std::move(leftovers));
  if (kept != nullptr) return InitKept(env);
  const bool keep = options_.keep_directories;
  env->open_store = [ledger = ledger_, keep](const std::string& id) {
    return std::make_unique<LedgerStore>(ledger, id, keep);
  };
  return {};
}

// Makes the members that only a node with a kept state needs.
Status Node::InitKept(LocalAllocEnv* env) {
  KeptState* const kept = options_.kept;
  for (const RunId& run : kept->runs()) DROVER_TRY(ledger_->AddRun(run));
  env->open_store = [ledger = ledger_, kept](const std::string& id) {
    const auto restored = kept->allocs().find(id);
    const KeptState::Tasks* const tasks =
        restored == kept->allocs().end() ? nullptr : &restored->second;
    return std::make_unique<KeptAllocStore>(kept->store(), ledger, id, tasks);
  };
  const AgentConfig::Client& client = options_.config.client;
  KeptLeftoversOptions leftovers;
  leftovers.loop = loop_;
  leftovers.processes = processes_.get();
  leftovers.kept = kept;
  leftovers.ledger = ledger_.get();
  leftovers.late = late_.get();
  leftovers.leftovers = leftovers_.get();
  DROVER_ASSIGN(leftovers.run_directory, OpenRunDirectory(client.run_dir));
  leftovers.alloc_dir = client.alloc_dir;
  leftovers.keep_unknown = client.keep_unknown_tasks;
  kept_leftovers_ = std::make_unique<KeptLeftovers>(std::move(leftovers));
  return {};
}

Status Node::InitNetworks() {
  NodeNetworksOptions of;
  of.info = &info_;
  of.workers = &workers_;
  of.loaders = &loaders_;
  of.client = options_.config.client;
  of.node_id = id_;
  of.kept = options_.kept != nullptr && !options_.inspect_only;
  of.notes_dir = options_.network_dir;
  DROVER_ASSIGN(networks_, NodeNetworks::Create(std::move(of)));
  const StringMap& offered = networks_->attributes();
  info_.attributes.insert(offered.begin(), offered.end());
  if (options_.kept == nullptr || options_.inspect_only) return {};
  const auto& allocs = options_.kept->allocs();
  networks_->FindUnknown([&allocs](const std::string& id) { return allocs.count(id) > 0; });
  return {};
}

void Node::InitPorts(const std::string& address) {
  const AgentConfig::Client& client = options_.config.client;
  PortPoolOptions ports;
  ports.address = address;
  ports.first = client.min_dynamic_port;
  ports.last = client.max_dynamic_port;
  ports.reserved = client.reserved.ports;
  ports.host_networks = FindHostNetworks(client.host_networks, machine_.interfaces);
  ports.reserved_of = ReservedOfAddresses(client.host_networks, ports.host_networks);
  for (const auto& [name, addresses] : ports.host_networks) {
    if (addresses.empty()) spdlog::warn("the host network {} has no address here", name);
  }
  ports_ = NewPortPool(std::move(ports));
}

void Node::SetServicePolicy(const ServicePolicy& policy) {
  services_->SetPolicy(policy);
  checks_->SetPolicy(policy);
}

Co<std::vector<PluginReport>> Node::Start(Context context, Duration patience) {
  if (keys_) co_await keys_->Load();
  if (options_.kept != nullptr) {
    ExpectRestored();
    kept_leftovers_->Find();
  }
  plugins_->BeginLoading(context);
  starting_.Spawn(Clear(this, context));
  for (Driver* driver : plugins_->drivers()) {
    if (restores_) restores_->Loading(driver->info().name);
    starting_.Spawn(FinishDriver(this, context, driver->info().name));
  }
  std::optional<Patience> limit;
  if (patience.count() > 0) limit.emplace(context, patience);
  const Context until = limit ? limit->context() : context;
  (void)co_await cleared_.Wait(until);
  for (Driver* driver : plugins_->drivers()) {
    (void)co_await plugins_->AwaitLoaded(until, driver->info().name);
  }
  co_return plugins_->reports();
}

Co<void> Node::Clear(Node* self, Context parent) {
  const Context life = self->life_;
  const JoinContext joined(parent, life);
  const Context context = joined.context();
  std::vector<LedgerLeftovers> dead;
  if (self->ledger_) dead = co_await self->leftovers_->EndDeadNodes(context, Duration(0));
  if (self->kept_leftovers_) co_await self->kept_leftovers_->EndRuns(context);
  self->cleared_.Set();
  // Starts of tasks do not wait for the removal of directories.
  self->removing_.Spawn(RemoveLeftovers(self, std::move(dead)));
}

Co<void> Node::RemoveLeftovers(Node* self, std::vector<LedgerLeftovers> dead) {
  if (self->leftovers_) co_await self->leftovers_->RemoveDeadNodes(std::move(dead));
  if (self->ledger_) {
    co_await self->networks_->DropLeftovers(self->options_.config.client.keep_unknown_tasks,
                                            self->give_up_removals_);
  }
  if (self->kept_leftovers_) co_await self->kept_leftovers_->RemoveDirectories();
}

void Node::ExpectRestored() {
  options_.kept->ForEachTask([this](const std::string& alloc_id, const std::string& task,
                                    const std::string& driver, const LocalState& local) {
    restores_->Expect(driver, alloc_id + "/" + task, local.run_id);
    users_->Restored(alloc_id, task, local);
  });
}

Co<void> Node::FinishDriver(Node* self, Context parent, std::string driver) {
  const Context life = self->life_;
  const JoinContext joined(parent, life);
  const Context context = joined.context();
  (void)co_await self->plugins_->AwaitLoaded(context, driver);
  // AwaitLoaded also returns if the agent ends before the driver is loaded. In that case, the
  // driver must not be reported as loaded. Otherwise, the remaining runners would regard the driver
  // as unusable and give up their tasks.
  if (context.cancelled()) co_return;
  if (self->restores_) self->restores_->Loaded(driver);
  co_await FinishRestore(self, context, driver);
}

Co<void> Node::FinishRestore(Node* self, Context context, std::string driver) {
  std::vector<RunId> runs;
  if (self->restores_) {
    const Status found = co_await self->restores_->WaitFound(context, driver, kRestoreLimit);
    if (context.cancelled()) co_return;
    if (!found.ok()) {
      spdlog::warn(
          "driver {}: not all of its tasks were found again within {}; it may start new ones now",
          driver, FormatDuration(kRestoreLimit));
    }
    runs = self->restores_->RunsOf(driver);
  }
  co_await self->plugins_->RestoreComplete(context, driver, runs);
  // Waits until the unknown runs (living runs that no record names) have ended or are kept. Only
  // then may the driver start new runs.
  (void)co_await self->cleared_.Wait(context);
  if (context.cancelled()) co_return;
  if (self->restores_) self->restores_->Open(driver);
}

StringMap Node::Attributes() const {
  StringMap all = machine_.attributes;
  all.insert(networks_->attributes().begin(), networks_->attributes().end());
  all.insert(volumes_->attributes().begin(), volumes_->attributes().end());
  for (Driver* driver : plugins_->drivers()) {
    const StringMap& own = driver->fingerprint().attributes;
    all.insert(own.begin(), own.end());
  }
  return all;
}

Result<std::vector<std::shared_ptr<const Allocation>>> Node::Place(std::shared_ptr<const Job> job) {
  DROVER_TRY(MeetsConstraints(*job));
  return PlaceJob(std::move(job), id_, name_, loop_->Wall(), ports_.get(), machine_.core_ids,
                  devices_->Groups());
}

Result<std::unique_ptr<AllocRunner>> Node::MakeRunner(std::shared_ptr<const Allocation> alloc) {
  AllocRunnerRequest request;
  request.alloc = std::move(alloc);
  if (options_.kept != nullptr) {
    const auto restored = options_.kept->allocs().find(request.alloc->id);
    if (restored != options_.kept->allocs().end()) request.restored = restored->second;
    const auto network = options_.kept->networks().find(request.alloc->id);
    if (network != options_.kept->networks().end()) {
      auto with = std::make_shared<Allocation>(*request.alloc);
      with->network = network->second;
      request.alloc = std::move(with);
    }
    const auto health = options_.kept->health().find(request.alloc->id);
    if (health != options_.kept->health().end()) request.health = health->second;
    RefuseSecondRuns(&request);
  }
  const std::string id = request.alloc->id;
  std::optional<AllocRunnerRequest> earlier;
  if (services_ && request.restored) earlier = request;
  auto made = runners_->Make(std::move(request));
  // Without a runner, nobody would ever remove its services.
  if (earlier && made.ok()) services_->Restored(*earlier);
  if (options_.kept != nullptr) options_.kept->DropAlloc(id);
  return made;
}

// Does nothing unless this node keeps unknown runs (living runs that no record names). Otherwise
// forbids the start of each task whose record of a run was lost, because the task may still be
// running in one of the unknown runs.
void Node::RefuseSecondRuns(AllocRunnerRequest* request) const {
  const std::vector<RunId>& unknown_runs = kept_leftovers_->unknown_runs();
  if (unknown_runs.empty()) return;
  const auto lost = options_.kept->lost_runs().find(request->alloc->id);
  if (lost == options_.kept->lost_runs().end()) return;
  std::string runs;
  for (const RunId& run : unknown_runs) runs += (runs.empty() ? "" : ", ") + run.ToString();
  if (!request->restored) request->restored.emplace();
  for (const std::string& task : lost->second) {
    (*request->restored)[task].no_start =
        "the record of its run was lost, and the task may go on in an unknown run, since "
        "unknown_tasks keeps such runs (run " +
        runs + "): end that run, then run the job again";
  }
}

void Node::Release(const Allocation& alloc) { ReleasePorts(alloc, ports_.get()); }

std::string Node::LogDir(const Allocation& alloc) const {
  return options_.config.client.alloc_dir + "/" + alloc.id + "/alloc/logs";
}

void Node::GiveUpRemovals() {
  *give_up_removals_ = true;
  networks_->Stop();
}

Co<bool> Node::RefreshNetworks() {
  const bool others = co_await networks_->Refresh(&info_.attributes);
  co_return co_await networks_->FindVersions(&info_.attributes) || others;
}

void Node::GiveUpRefresh() { networks_->StopAsking(); }

void Node::KillAll() { processes_->KillAll(); }

Co<void> Node::Shutdown() {
  life_.Cancel("the node is being shut down");
  plugins_->GiveUpLoading();
  volumes_->Stop();
  co_await starting_.Close();
  if (consul_) co_await consul_->Stop();
  if (templates_) co_await templates_->Stop();
  if (late_) co_await late_->Close();
  co_await plugins_->Shutdown();
  // The removal of directories must end now. If the agent keeps its state, the next agent continues
  // the removal. A foreground run may have no successor, so it finishes the removal first.
  if (options_.kept != nullptr) GiveUpRemovals();
  co_await removing_.Close();
  GiveUpRemovals();
}

}  // namespace drover
