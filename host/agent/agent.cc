// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/agent.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "host/acl/secret_hash.h"
#include "host/agent/activity_log.h"
#include "host/agent/advertised_address.h"
#include "host/agent/agent_metrics.h"
#include "host/agent/alloc_metrics.h"
#include "host/agent/garbage_loop.h"
#include "host/agent/heap.h"
#include "host/agent/scheduling_options.h"
#include "host/alloc/local_alloc_runner.h"
#include "host/api/router.h"
#include "host/base/owned_path.h"
#include "host/base/patience.h"
#include "host/checks/check_metrics.h"
#include "host/http/tls_stream.h"
#include "host/node/node_services.h"
#include "host/periodic/schedule.h"

namespace drover {
namespace {

constexpr std::size_t kLeastToken = 16;
constexpr int kFileWorkers = 2;
constexpr Duration kStartPatience = 500ms;
constexpr Duration kDriverPatience = 5s;

// Returns the token of the API, or an empty string if no token file is configured.
Result<std::string> ReadToken(const std::string& path) {
  if (path.empty()) return std::string();
  const OwnedKind kind{"token files", "the token"};
  const Result<UniqueFd> opened = OpenOwned(path, O_RDONLY | O_NOCTTY, kind);
  if (!opened.ok()) return opened.error().WithContext("token_file");
  const int file = opened->get();
  struct stat info{};
  if (fstat(file, &info) != 0) return ErrnoError(errno, "token_file " + path);
  if (!S_ISREG(info.st_mode)) {
    return Error(Code::kInvalidArgument, "token_file " + path + ": is no regular file");
  }
  if ((info.st_mode & 077) != 0 || info.st_uid != geteuid()) {
    return Error(
        Code::kPermissionDenied,
        "token_file " + path + ": others can read it: give it to the agent's user, with mode 0600");
  }
  char text[1024];
  const ssize_t size = read(file, text, sizeof text);
  if (size < 0) return ErrnoError(errno, "token_file " + path);
  if (size == sizeof text) {
    return Error(Code::kInvalidArgument, "token_file " + path + ": a token must be shorter than " +
                                             std::to_string(sizeof text) + " characters");
  }
  std::string_view token(text, static_cast<std::size_t>(size));
  while (!token.empty() && std::isspace(static_cast<unsigned char>(token.back()))) {
    token.remove_suffix(1);
  }
  if (token.size() < kLeastToken) {
    return Error(Code::kInvalidArgument, "token_file " + path + ": a token must have at least " +
                                             std::to_string(kLeastToken) + " characters");
  }
  const bool starts_with_space = std::isspace(static_cast<unsigned char>(token.front())) != 0;
  const bool has_control =
      std::any_of(token.begin(), token.end(), [](unsigned char c) { return std::iscntrl(c) != 0; });
  // A header cannot carry such a token, so no client would have access.
  if (starts_with_space || has_control) {
    return Error(Code::kInvalidArgument,
                 "token_file " + path +
                     ": a token is one line, without a space at its start and without control "
                     "characters");
  }
  return std::string(token);
}

// Returns the hash of the agent's own token, or an empty text if no token file is configured.
Result<std::string> ReadTokenHash(const std::string& path) {
  DROVER_ASSIGN(const std::string token, ReadToken(path));
  return token.empty() ? std::string() : SecretHash(token);
}

HttpTls TlsOf(const AgentConfig& config) {
  return {config.http.cert_file, config.http.key_file, config.http.ca_file,
          config.http.verify_client};
}

// A configuration and the contents of the files that it names.
struct ReadAgain {
  AgentConfig config;
  std::string token_hash;
  std::shared_ptr<TlsContext> tls;  // null if TLS is off
};

Result<ReadAgain> ReadEverything(const std::function<Result<AgentConfig>()>& read) {
  ReadAgain again;
  DROVER_ASSIGN(again.config, read());
  DROVER_ASSIGN(again.token_hash, ReadTokenHash(again.config.token_file));
  const HttpTls tls = TlsOf(again.config);
  if (tls.enabled()) {
    DROVER_ASSIGN(again.tls, TlsContext::Load(tls));
  }
  return again;
}

// Reports to the operator that variables are lost for as long as the seal key is another one.
void ReportUnreadable(const StateStore& store, const SealKey& key) {
  const std::optional<VariableKey> variable = FindUnreadable(store, key);
  if (!variable) return;
  spdlog::error(
      "the seal key cannot open the variable \"{}\" of the namespace \"{}\", and perhaps others: "
      "if the key has been lost or replaced, stop the agent and put the right one back, or put "
      "those variables anew",
      variable->second, variable->first);
}

std::string Listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all.empty() ? "nothing" : all;
}

}  // namespace

Agent::Agent(Loop* loop, AgentOptions options)
    : loop_(loop),
      options_(std::move(options)),
      burst_(loop, [this] { return GiveMemoryBack(); }),
      calls_(loop),
      file_workers_(kFileWorkers),
      file_watcher_(loop) {}

Agent::~Agent() = default;

Result<std::unique_ptr<Agent>> Agent::Create(Loop* loop, AgentOptions options) {
  std::unique_ptr<Agent> agent(new Agent(loop, std::move(options)));
  agent->log_monitor_ = std::make_unique<LogMonitor>(spdlog::default_logger());
  NodeOptions node;
  node.config = agent->options_.config;
  if (!agent->options_.state_dir.empty()) {
    DROVER_ASSIGN(agent->kept_, KeptState::Open(agent->options_.state_dir));
  }
  node.kept = agent->kept_.get();
  // Without a stored state, no later agent can restore the tasks. So the tasks end with this
  // agent.
  node.foreground = agent->kept_ == nullptr;
  node.services = ServicePolicyOf(agent->options_.config, agent->options_.state_dir.empty());
  node.task_open_files = agent->options_.task_open_files;
  node.task_core_bytes = agent->options_.task_core_bytes;
  node.key_dir = agent->options_.key_dir;
  node.living = [store = &agent->store_] { return FindLiving(*store); };
  node.template_values.store = &agent->store_;
  node.template_values.acl_of = [acl = &agent->acl_](const TaskPrincipal& task) {
    return acl->resolver()->AclOfTask(task);
  };
  node.template_values.on_policies = [acl = &agent->acl_](std::function<void()> changed) {
    return acl->state()->OnPolicies(std::move(changed));
  };
  node.network_dir = agent->options_.network_dir;
  node.plugin_data_dir = agent->options_.plugin_data_dir;
  node.agent_version = agent->options_.version;
  node.add_task_hooks = [self = agent.get()](const Allocation&, const Task&, WorkerPool* pool,
                                             TaskHooks* hooks) {
    if (self->task_api_) hooks->after_stats.push_back(self->task_api_->MakeHook(pool));
  };
  node.find_volume = [store = &agent->store_](const std::string& name_space,
                                              const std::string& name) {
    return FindVolumeOf(*store, name_space, name);
  };
  node.volume_paths = [store = &agent->store_] { return VolumePathsOf(*store); };
  node.wait_ended = [store = &agent->store_](Context context, std::string alloc_id) {
    return WaitAllocEnded(store, context, std::move(alloc_id));
  };
  DROVER_ASSIGN(agent->node_, Node::Create(loop, std::move(node)));
  StateStore::Journal journal = [](const std::vector<StateEvent>&, const Tables&) {};
  if (agent->kept_) journal = agent->BeginFromKept();
  agent->store_.SetJournal(
      [keep = std::move(journal)](const std::vector<StateEvent>& changes, const Tables& tables) {
        keep(changes, tables);
        LogEvaluations(changes);
      });
  agent->meta_ = NodeMeta(agent->options_.config.client.meta,
                          agent->kept_ ? agent->kept_->dynamic_meta() : NodeMeta::Changes());
  agent->node_->SetMeta(agent->meta_.merged());
  agent->disk_ = ReadDisk(agent->options_.config.client.alloc_dir);
  agent->AddMetrics();
  agent->host_stats_ = std::make_unique<HostStatsReader>(agent->options_.config.client.alloc_dir,
                                                         agent->node_->machine().core_mhz);
  return agent;
}

StateStore::Journal Agent::BeginFromKept() {
  Tables tables = kept_->TakeTables();
  for (const auto& [id, record] : tables.allocs) {
    if (record->over()) continue;
    for (const AllocatedPort& port : record->alloc->ports)
      node_->ports()->Keep(port.host_ip, port.value);
  }
  store_.Begin(std::move(tables));
  store_.Read(ReadZones);
  acl_.Begin(kept_->TakeAcl(), kept_->store());
  api_.make_durable = [store = kept_->store()](Context context) { return store->Synced(context); };
  return StateJournal(kept_->store(), kept_->TakeSources());
}

void Agent::AddMetrics() {
  metrics_.Count(kPreemptions, 0);
  metrics_.AddSource(AppendProcessMetrics);
  metrics_.AddSource([this](std::vector<Metric>* out) {
    AppendHostMetrics(host_stats_->Look(), out);
    AppendStateMetrics(store_, node_->id(), out);
    AppendCheckMetrics(node_->checks().results(), out);
    const HttpServer* const server = serving_;
    const double connections = server == nullptr ? 0 : server->connections();
    out->push_back({"drover.http.connections", connections, Metric::Kind::kGauge, {}});
  });
}

bool Agent::tls() const { return TlsOf(options_.config).enabled(); }

NodeRecord Agent::Describe() {
  const Machine& machine = node_->machine();
  NodeRecord record;
  record.id = node_->id();
  record.name = node_->name();
  record.datacenter = options_.config.datacenter;
  record.node_pool = node_->pool();
  record.region = options_.config.region;
  record.http_address = advertised_;
  record.tls = tls();
  record.version = options_.version;
  record.attributes = node_->Attributes();
  record.meta = meta_.merged();
  record.interfaces = machine.interfaces;
  record.cores = machine.cores;
  record.core_ids = machine.core_ids;
  // A core whose frequency is unknown counts as a core of 1 GHz.
  const double core_mhz = machine.core_mhz > 0 ? machine.core_mhz : 1000;
  const AgentConfig::Client& client = options_.config.client;
  record.cpu_mhz = client.cpu_total_mhz > 0 ? client.cpu_total_mhz
                                            : static_cast<std::int64_t>(core_mhz * machine.cores);
  record.memory_mb = client.memory_total_mb > 0
                         ? client.memory_total_mb
                         : static_cast<std::int64_t>(machine.memory_bytes >> 20);
  record.disk_mb = static_cast<std::int64_t>(disk_.available >> 20);
  record.node_class = client.node_class;
  record.reserved_cpu_mhz = client.reserved.cpu_mhz;
  record.reserved_memory_mb = client.reserved.memory_mb;
  record.reserved_disk_mb = client.reserved.disk_mb;
  record.min_dynamic_port = client.min_dynamic_port;
  record.max_dynamic_port = client.max_dynamic_port;
  record.reserved_ports = client.reserved.ports_text;
  record.host_volumes = node_->volumes()->configured();
  record.devices = node_->devices()->Groups();
  // HostStats reports this device under the same name.
  record.attributes["unique.storage.volume"] = disk_.device;
  record.attributes["unique.storage.bytestotal"] = std::to_string(disk_.size);
  record.attributes["unique.storage.bytesfree"] = std::to_string(disk_.available);
  DescribeDrivers(&record);
  return record;
}

void Agent::ServeVolumes() {
  volumes_ = std::make_unique<AgentVolumes>(AgentVolumesOptions{
      loop_, &store_, scheduler_.get(), node_->volumes(), node_->id(), api_.make_durable});
  api_.put_volume = [volumes = volumes_.get()](Context context, VolumeRecord draft,
                                               VolumeRequestKind kind) {
    return volumes->Put(context, std::move(draft), kind);
  };
  api_.delete_volume = [volumes = volumes_.get()](Context context, std::string id) {
    return volumes->Delete(context, std::move(id));
  };
}

// Makes the volumes of clients again, and then adds the plugins to the node's attributes.
Co<void> Agent::RestoreVolumes(Agent* self) {
  co_await self->volumes_->Restore();
  HostVolumes* const volumes = self->node_->volumes();
  const StringMap before = volumes->attributes();
  co_await volumes->FindPlugins();
  for (const std::string& why : volumes->unusable()) spdlog::warn("{}", why);
  if (volumes->attributes() != before) self->client_->NodeChanged(self->Describe());
}

// Adds the versions of the plugins that make networks to the node's attributes.
Co<void> Agent::FindNetworkPlugins(Agent* self) {
  if (co_await self->node_->RefreshNetworks()) self->client_->NodeChanged(self->Describe());
}

Status Agent::ChangeMeta(const NodeMeta::Changes& changes) {
  DROVER_TRY(meta_.Apply(changes));
  if (kept_) kept_->SaveDynamicMeta(meta_.dynamic());
  node_->SetMeta(meta_.merged());
  client_->NodeChanged(Describe());
  return {};
}

void Agent::DescribeDrivers(NodeRecord* record) {
  for (Driver* driver : node_->plugins()->drivers()) {
    const Fingerprint& fingerprint = driver->fingerprint();
    if (driver->info().only_devices || driver->info().only_task_hooks) {
      drivers_.erase(driver->info().name);  // it stood there until the plugin was loaded
      continue;
    }
    DriverRecord of;
    of.detected = fingerprint.health != Health::kUndetected;
    of.healthy = fingerprint.health == Health::kHealthy;
    of.description = fingerprint.description;
    of.attributes = fingerprint.attributes;
    DriverRecord& last = drivers_[driver->info().name];
    of.update_time = last.update_time;
    // Sets update_time only if the driver's record has changed, not at each check of the driver.
    if (last.update_time == 0 || of != last) of.update_time = loop_->Wall();
    last = of;
  }
  record->drivers = drivers_;
}

void Agent::ApplySettings(const AgentConfig& config) {
  acl_.Configure(config.acl, token_hash_);
  ApiSettings settings;
  settings.acl_enabled = config.acl.enabled;
  settings.needs_token = config.acl.enabled || !token_hash_.empty();
  settings.acl_limits.shortest_ttl = config.acl.shortest_ttl;
  settings.acl_limits.longest_ttl = config.acl.longest_ttl;
  settings.prometheus = config.telemetry.prometheus_metrics;
  settings.services = ServicePolicyOf(config, options_.state_dir.empty());
  node_->SetServicePolicy(settings.services);
  if (config.telemetry.publish_allocation_metrics) {
    measuring_ = node_->stats_demand()->Acquire();
    settings.alloc_metrics = [this](Context context) {
      return RunningAllocMetrics(context, client_.get());
    };
  } else {
    measuring_ = StatsDemand::Token();
  }
  api_.settings.Set(std::move(settings));
}

// Starts the API server. Everything that a request may need is set up before the server accepts
// the first request.
Status Agent::Serve() {
  const AgentConfig& config = options_.config;
  DROVER_ASSIGN(token_hash_, ReadTokenHash(config.token_file));
  ApplySettings(config);
  api_.version = options_.version;
  api_.name = node_->name();
  api_.region = config.region;
  api_.datacenter = config.datacenter;
  api_.node_id = node_->id();
  api_.store = &store_;
  acl_.SetKeys([keyring = node_->keys()->keyring()] { return keyring->public_keys(); });
  api_.resolver = acl_.resolver();
  api_.acl = acl_.state();
  if (!config.data_dir.empty()) {
    api_.bootstrap_reset_file = config.data_dir + "/acl-bootstrap-reset";
  }
  api_.log_monitor = log_monitor_.get();
  api_.host_stats = host_stats_.get();
  api_.metrics = &metrics_;
  api_.alloc_dir = config.client.alloc_dir;
  api_.file_workers = &file_workers_;
  api_.file_watcher = &file_watcher_;
  api_.started = loop_->Now();
  api_.control = loop_;
  api_.calls = &calls_;
  api_.scheduler = scheduler_.get();
  api_.plugins = node_->plugins();
  api_.measure_devices = [devices = node_->devices()](Context context) {
    return devices->Measure(context);
  };
  api_.measure_some_devices = [devices = node_->devices()](Context context,
                                                           std::vector<AllocatedDevice> wanted) {
    return devices->MeasureOnly(context, std::move(wanted));
  };
  api_.seal_key = node_->keys()->seal_key();
  ReportUnreadable(store_, *api_.seal_key);
  api_.keyring = node_->keys()->keyring();
  api_.oidc_issuer = config.identity.oidc_issuer;
  api_.await_drivers = [this](Context context, std::shared_ptr<const Job> job) {
    return AwaitDrivers(this, context, job);
  };
  api_.node_meta = [this] { return meta_; };
  api_.change_node_meta = [this](const NodeMeta::Changes& changes) { return ChangeMeta(changes); };
  api_.checks = [this](const std::string& id) { return node_->checks().Encode(id); };
  api_.find_runner = [this](const std::string& id) { return client_->Find(id); };
  nlohmann::json described = {{"Name", node_->name()},
                              {"Region", config.region},
                              {"Datacenter", config.datacenter},
                              {"BindAddr", config.http.address},
                              {"Version", {{"Version", options_.version}}},
                              {"UI", {{"Enabled", false}}}};
  api_.config = std::make_shared<const nlohmann::json>(std::move(described));

  client_ = std::make_unique<NodeClient>(
      loop_, scheduler_.get(), Describe(),
      [this](std::shared_ptr<const Allocation> alloc) { return node_->MakeRunner(alloc); });
  if (kept_) {
    std::set<std::string> restored;
    for (const auto& [id, tasks] : kept_->allocs()) restored.insert(id);
    client_->SetRestored(std::move(restored));
  }
  client_->SetObserver([this](const AllocSnapshot& before, const AllocState& now) {
    task_counters_.Changed(before, now);
    LogTaskEvents(before, now);
    if (now.terminal() && (before == nullptr || !before->terminal())) burst_.Note();
  });
  client_->SetRestoreDone([this](int count) {
    burst_.Note(count);
    node_->services()->RestoreDone();
  });
  HttpServerOptions http;
  http.address = config.http.address;
  http.port = config.http.port;
  http.tls = TlsOf(config);
  http.hosts = config.http.hosts;
  http.origins = config.http.origins;
  http.wants_body = MakeBodyCheck(&api_);
  http.max_connections = config.limits.http_max_conns;
  http.max_connections_per_client = config.limits.http_max_conns_per_client;
  http.header_time = config.limits.https_handshake_timeout;
  Result<std::unique_ptr<HttpServer>> server = HttpServer::Start(http, MakeApiHandler(&api_));
  if (!server.ok()) return server.error();
  server_ = std::move(*server);
  serving_ = server_.get();
  address_ = BoundAddress(config.http, server_->port());
  advertised_ = AdvertisedAddress(config.http, server_->port());
  task_api_ = std::make_unique<TaskApi>(&api_);
  client_->NodeChanged(Describe());  // the node's record now has the API's address
  return {};
}

Co<Status> Agent::Reload(std::function<Result<AgentConfig>()> read) {
  std::function<Result<ReadAgain>()> work = [read = std::move(read)] {
    return ReadEverything(read);
  };
  Result<ReadAgain> again = co_await node_->loaders()->Run(std::move(work));
  if (!again.ok()) co_return again.error();
  if (serving_ == nullptr) co_return Error(Code::kFailedPrecondition, "the API is not running");
  AgentConfig& running = options_.config;
  const AgentConfig& wanted = again->config;
  const std::vector<std::string> restart = KeysThatNeedRestart(running, wanted);
  std::vector<std::string> changed;
  if (wanted.token_file.empty()) {
    again->token_hash = token_hash_;  // only a restart removes it
  } else {
    running.token_file = wanted.token_file;
  }
  if (again->token_hash != token_hash_) changed.emplace_back("the token");
  token_hash_ = std::move(again->token_hash);
  AgentConfig::Access access = wanted.acl;
  access.enabled = access.enabled || running.acl.enabled;  // only a restart disables it
  if (running.acl != access) changed.emplace_back("acl");
  running.acl = access;
  const bool lets_more_in = running.http.verify_client && !wanted.http.verify_client;
  if (again->tls != nullptr && TlsOf(running).enabled() && !lets_more_in) {
    server_->UseTls(again->tls);
    running.http.verify_client = wanted.http.verify_client;
    changed.emplace_back("the certificates of TLS");
  }
  const auto telemetry = [](const AgentConfig& config) {
    return std::pair(config.telemetry.publish_allocation_metrics,
                     config.telemetry.prometheus_metrics);
  };
  if (telemetry(running) != telemetry(wanted)) changed.emplace_back("telemetry");
  running.telemetry.publish_allocation_metrics = wanted.telemetry.publish_allocation_metrics;
  running.telemetry.prometheus_metrics = wanted.telemetry.prometheus_metrics;
  if (running.services != wanted.services) changed.emplace_back("services");
  running.services = wanted.services;
  ApplySettings(running);
  if (running.client.gc != wanted.client.gc) changed.emplace_back("the gc of client");
  running.client.gc = wanted.client.gc;  // the next garbage collection uses the new rules
  if (running.server != wanted.server) changed.emplace_back("server");
  running.server = wanted.server;
  if (running.log_level != wanted.log_level) changed.emplace_back("log_level");
  running.log_level = wanted.log_level;
  log_monitor_->SetLevel(spdlog::level::from_str(running.log_level));
  co_await RefreshPlugins(PluginsToReload(running, wanted), &changed);
  if (co_await node_->RefreshNetworks()) {
    changed.emplace_back("the CNI configurations");
    client_->NodeChanged(Describe());
  }
  const std::string line = "configuration reloaded; applied: " + Listed(changed);
  if (restart.empty()) {
    spdlog::info("{}", line);
  } else {
    spdlog::warn("{}; only a restart applies: {}", line, Listed(restart));
  }
  co_return Status();
}

// Reloads each plugin in WANTED that does not run, or whose file or configuration has changed.
// Adds the reloaded plugins to CHANGED. The plugin registry logs each failure.
Co<void> Agent::RefreshPlugins(std::vector<PluginConfig> wanted,
                               std::vector<std::string>* changed) {
  const auto refresh = [](PluginRegistry* plugins, PluginConfig config,
                          std::vector<std::string>* to) -> Co<void> {
    const std::string name = config.name;
    const Context context = plugins->context();
    const Result<bool> done = co_await plugins->Refresh(context, std::move(config));
    if (done.ok() && *done) to->push_back("plugin " + name);
  };
  std::vector<Co<void>> all;
  for (PluginConfig& config : wanted) {
    if (!config.enabled || node_->plugins()->FindConfig(config.name) == nullptr) continue;
    all.push_back(refresh(node_->plugins(), std::move(config), changed));
  }
  co_await InParallel(loop_, std::move(all));
}

// Waits until the drivers of JOB are loaded, since only a loaded driver can check a configuration.
// If a driver takes too long to load, CheckJob reports that.
Co<void> Agent::AwaitDrivers(Agent* self, Context context, std::shared_ptr<const Job> job) {
  const Patience patience(context, kDriverPatience);
  for (const TaskGroup& group : job->groups) {
    for (const Task& task : group.tasks) {
      (void)co_await self->node_->plugins()->AwaitLoaded(patience.context(), task.driver);
    }
  }
}

Co<double> Agent::DiskUsed() {
  std::function<double()> look = [path = options_.config.client.alloc_dir] {
    return ReadDisk(path).used_percent;
  };
  return file_workers_.Run(std::move(look));
}

// Returns free memory to the system. That takes milliseconds, so another thread does it.
Co<void> Agent::GiveMemoryBack() { return file_workers_.Do(GiveFreeMemoryBack); }

Co<void> Agent::StopServing() {
  serving_ = nullptr;
  // HttpServer::Stop waits for the request handlers, and a request handler may wait for this
  // thread. So another thread calls HttpServer::Stop.
  std::function<Status()> stop = [this] {
    server_->Stop();
    task_api_->Stop();
    return Status();
  };
  (void)co_await stopper_.Run(std::move(stop));
  server_.reset();
}

Co<void> Agent::LeaveTasks(Status* status) {
  if (kept_) {
    co_await client_->ShutdownAll(&calls_);
  } else {
    *status = co_await client_->DestroyAll(&calls_);
  }
}

Co<Status> Agent::Run(Context stop, std::function<void()> ready) {
  // Usually all drivers are loaded within kStartPatience, so clients find them ready. A driver that
  // hangs must not delay the API for longer.
  (void)co_await node_->Start(stop, kStartPatience);
  SchedulerOptions scheduling = SchedulingOptions(node_.get(), kept_.get(), options_.config.server);
  scheduling.count_displaced = [this](std::size_t count) {
    metrics_.Count(kPreemptions, static_cast<double>(count));
  };
  scheduling.carry_out_restart = [this, stop](const std::string& id) {
    restarter_->CarryOut(stop, id);
  };
  scheduler_ = std::make_unique<Scheduler>(loop_, &store_, node_->ports(), scheduling);
  restarter_ = std::make_unique<JobRestarter>(
      JobRestarterOptions{loop_, &store_, scheduler_.get(), &calls_,
                          [this](const std::string& id) { return client_->Find(id); }});
  ServeVolumes();
  const Status serving = Serve();
  if (serving.ok()) {
    for (Driver* driver : node_->plugins()->drivers()) {
      fingerprints_.push_back(driver->OnFingerprint([this] { client_->NodeChanged(Describe()); }));
    }
    fingerprints_.push_back(
        node_->devices()->OnChange([this] { client_->NodeChanged(Describe()); }));
    Gate background(loop_);
    background.Spawn(CollectGarbageForever(stop, &options_.config, scheduler_.get(), &store_,
                                           [this] { return DiskUsed(); }));
    background.Spawn(scheduler_->Run(stop));
    background.Spawn(AgentAcl::RemoveExpired(&acl_, stop));
    background.Spawn(burst_.Run(stop));
    background.Spawn(RestoreVolumes(this));
    background.Spawn(FindNetworkPlugins(this));
    background.Spawn(node_->keys()->keyring()->Run(stop));
    background.Spawn(node_->services()->Run(stop, scheduler_.get()));
    ready();
    co_await client_->Run(stop);
    node_->plugins()->GiveUpLoading();
    node_->volumes()->Stop();
    node_->GiveUpRefresh();
    co_await background.Close();
    fingerprints_.clear();
    // StopServing and LeaveTasks run at the same time. StopServing waits for the requests in
    // progress, and such a request may wait for a task to end.
    Status destroyed;
    std::vector<Co<void>> ends;
    ends.push_back(StopServing());
    ends.push_back(LeaveTasks(&destroyed));
    co_await InParallel(loop_, std::move(ends));
    if (!destroyed.ok()) spdlog::warn("not all is removed: {}", destroyed.error().message());
  }
  co_await node_->Shutdown();
  co_return serving;
}

}  // namespace drover
