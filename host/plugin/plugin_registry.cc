// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/plugin_registry.h"

#include <algorithm>
#include <optional>

#include "host/abi/abi_text.h"
#include "host/base/gate.h"
#include "host/base/own_thread.h"
#include "host/base/patience.h"
#include "host/container/container.h"
#include "host/library/loader.h"
#include "host/library/plugin_file.h"
#include "host/library/probe.h"
#include "host/plugin/loaded_driver.h"
#include "host/plugin/supervised_driver.h"

namespace drover {
namespace {

constexpr const char* kBeingLoaded = "it is still being loaded";

using Loaded = Result<std::pair<const drover_driver*, PluginInfo>>;

Loaded Load(PluginFile file) {
  const std::string path = file.path;
  const Manifest manifest = file.manifest;
  DROVER_ASSIGN(const drover_driver* driver, LoadPluginCode(std::move(file)));
  DROVER_ASSIGN(PluginInfo info, AskInfo(path, manifest, driver));
  return std::pair(driver, std::move(info));
}

DriverLimits WithLimits(DriverLimits limits, const PluginConfig& config) {
  for (const NamedLimit& known : kPluginLimits) {
    if (const auto found = config.limits.find(known.name); found != config.limits.end()) {
      limits.*known.limit = found->second;
    }
  }
  if (config.threads > 0) limits.threads = config.threads;
  return limits;
}

// Loads the file on a thread of its own, because the library's constructors can hang here even if
// they did not hang in the probe. Such constructors block this thread and the threads of all later
// loads for ever.
Co<Loaded> LoadOnThread(Context context, std::shared_ptr<PluginFile> file, Duration limit) {
  auto loaded = std::make_shared<std::optional<Loaded>>();
  const std::string path = file->path;
  std::function<void()> load = [loaded, file] { loaded->emplace(Load(std::move(*file))); };
  const Patience patience(context, limit);
  const Status done = co_await RunOnOwnThread(patience.context(), std::move(load));
  if (done.ok()) co_return std::move(**loaded);
  if (done.code() == Code::kResourceExhausted) co_return done.error().WithContext(path);
  DROVER_CO_TRY(context.status());
  const std::string first = PluginBeingLoaded();
  const std::string remedy = "; give that one \"isolation\": \"process\" and restart the agent";
  if (!first.empty() && first != path) {
    co_return Error(Code::kTimeout, path + " cannot be loaded, since " + first +
                                        " hangs in that and keeps the others out" + remedy);
  }
  co_return Error(Code::kTimeout,
                  path + " hangs when it is loaded, though it did not in the probe" + remedy);
}

}  // namespace

struct PluginRegistry::Checked {
  std::shared_ptr<PluginFile> file;  // shared, since another thread uses it too
  PluginInfo info;
  std::shared_ptr<const ConfigChecker> task_checker;
  std::string config;  // the plugin's configuration, normalized by its schema
  Isolation isolation = Isolation::kInProcess;
  DriverLimits limits;
};

struct PluginRegistry::Slot {
  Slot(const PluginConfig& from, SupervisedDriver::Parts parts)
      : config(from), driver(from.name, parts), known(parts.loop) {
    report.name = from.name;
    report.file = from.file;
    report.enabled = from.enabled;
  }
  PluginConfig config;
  PluginReport report;
  SupervisedDriver driver;
  Event known;  // set while the plugin is not being loaded
  bool reloading = false;
};

PluginRegistry::PluginRegistry(Loop* loop, WorkerPool* workers, ProcessService* processes,
                               PluginRegistryOptions options)
    : loop_(loop),
      workers_(workers),
      processes_(processes),
      options_(std::move(options)),
      no_reload_(loop),
      loads_(loop),
      life_(loop) {
  if (!options_.log) options_.log = DefaultPluginLog();
  // Errors of a driver may have line breaks, with which it could forge lines of the log.
  options_.log = [log = std::move(options_.log)](PluginLogLevel level, const std::string& plugin,
                                                 const RunId* run, const std::string& message) {
    log(level, plugin, run, OneLine(message));
  };
  if (!options_.checker) options_.checker = NewSchemaChecker;
  for (const PluginConfig& config : options_.plugins) {
    SupervisedDriver::Parts parts{loop_, processes_, options_.log, options_.limits};
    slots_.push_back(std::make_unique<Slot>(config, std::move(parts)));
    slots_.back()->known.Set();
  }
  no_reload_.Set();
}

PluginRegistry::~PluginRegistry() {
  const bool any = std::any_of(slots_.begin(), slots_.end(),
                               [](const auto& slot) { return slot->driver.has_instance(); });
  DROVER_CHECK(shut_down_ || !any);  // Shutdown must be called if any instance exists
}

void PluginRegistry::BeginLoading(Context context) {
  for (const auto& slot : slots_) {
    if (!slot->report.enabled) continue;
    slot->known.Reset();
    slot->report.message = kBeingLoaded;
    slot->driver.Expect(kBeingLoaded);
  }
  for (const auto& slot : slots_) {
    if (slot->report.enabled) loads_.Spawn(LoadOne(context, slot.get()));
  }
}

Co<Status> PluginRegistry::AwaitLoaded(Context context, std::string driver) {
  Slot* const slot = FindSlot(driver);
  if (slot == nullptr) co_return Status();
  co_return co_await slot->known.Wait(context);
}

bool PluginRegistry::IsLoading(const std::string& driver) const {
  const Slot* const slot = FindSlot(driver);
  return slot != nullptr && !slot->known.is_set();
}

Co<std::vector<PluginReport>> PluginRegistry::LoadAll(Context context) {
  BeginLoading(context);
  for (const auto& slot : slots_) (void)co_await slot->known.Wait(context);
  co_return reports();
}

// Runs all checks that a file must pass before it may be loaded. Returns the error of the first
// check that fails.
Co<Result<PluginRegistry::Checked>> PluginRegistry::Check(Context context, PluginConfig config,
                                                          PluginReport* report) {
  DROVER_CO_TRY(ParseIsolation(config.isolation, Isolation::kInProcess));
  const auto check = [this, config, report]() -> Result<Checked> {
    report->file = config.file;
    if (config.file.empty()) {
      DROVER_ASSIGN(report->file, FindPluginFile(options_.directories, config.name));
    }
    PluginProber* prober = options_.prober == nullptr ? &SharedProber() : options_.prober;
    DROVER_ASSIGN(PluginFile file, OpenPluginFile(report->file, config.sha256));
    report->sha256 = file.sha256;
    Checked checked;
    DROVER_ASSIGN(checked.info, prober->Probe(file, config.probe));
    checked.file = std::make_shared<PluginFile>(std::move(file));
    return checked;
  };
  // Each probe has a thread of its own, so a file that hangs in its probe delays no other plugin.
  std::optional<Result<Checked>> found;
  std::function<void()> store = [check, &found] { found.emplace(check()); };
  const Context to_its_end(loop_);
  DROVER_CO_TRY(co_await RunOnOwnThread(to_its_end, std::move(store)));
  DROVER_CO_ASSIGN(Checked checked, std::move(*found));
  report->info = checked.info;
  const std::string& path = report->file;
  if (checked.info.name != config.name) {
    co_return Error(Code::kInvalidArgument, path + " is driver \"" + checked.info.name +
                                                "\", not \"" + config.name +
                                                "\": give the block the driver's name");
  }
  const std::uint64_t processes = DROVER_NEEDS_PROCESS_SERVICE | DROVER_NEEDS_TASK_OUTPUT;
  if ((checked.info.needs & processes) != 0 && processes_ == nullptr) {
    co_return Error(Code::kUnavailable, path + " needs processes, which this host cannot start");
  }
  auto config_checker = options_.checker(checked.info.config_schema);
  if (!config_checker.ok()) {
    co_return config_checker.error().WithContext(path + ": the schema of its configuration");
  }
  auto task_checker = options_.checker(checked.info.task_config_schema);
  if (!task_checker.ok()) {
    co_return task_checker.error().WithContext(path + ": the schema of its tasks");
  }
  checked.task_checker = std::move(*task_checker);
  Result<std::string> normal = (*config_checker)->Normalize("", config.config_json, /*final=*/true);
  if (!normal.ok()) {
    co_return normal.error().WithContext("configuration of plugin " + config.name);
  }
  checked.config = std::move(*normal);
  DROVER_CO_TRY(context.status());
  // A driver of this installation is as trusted as the agent, but one whose tasks are elsewhere
  // talks to a server, and brings the libraries for that.
  const bool shipped = path.starts_with(ShippedPluginDirectory() + "/");
  const bool elsewhere = checked.info.fs_isolation == FsIsolation::kImage;
  const Isolation otherwise = shipped && !elsewhere ? Isolation::kInProcess : Isolation::kProcess;
  DROVER_CO_ASSIGN(checked.isolation, ParseIsolation(config.isolation, otherwise));
  report->isolation = checked.isolation;
  checked.limits = WithLimits(options_.limits, config);
  co_return checked;
}

// Makes the code of a plugin from a checked file. Loads the file here unless the code runs in a
// process of its own.
Co<Result<PluginCode>> PluginRegistry::MakeCode(Context context, Checked checked) {
  PluginCode code;
  code.driver.loop = loop_;
  code.driver.processes = processes_;
  code.driver.info = checked.info;
  code.driver.task_checker = checked.task_checker;
  code.driver.log = options_.log;
  code.driver.limits = checked.limits;
  code.driver.core_mhz = options_.core_mhz;
  code.driver.bind_runs = options_.bind_runs;
  code.driver.node = options_.node;
  code.path = checked.file->path;
  code.config_json = checked.config;
  code.file = checked.file;
  code.workers = workers_;
  if (checked.isolation == Isolation::kProcess) co_return code;
  DROVER_CO_ASSIGN(const auto loaded,
                   co_await LoadOnThread(context, checked.file, checked.limits.load));
  if (loaded.second != checked.info) {
    co_return Error(Code::kInternal,
                    code.path + " says other things about itself than in the probe");
  }
  code.file = nullptr;
  code.table = loaded.first;
  co_return code;
}

Co<Status> PluginRegistry::Bring(Context context, Slot* slot) {
  const std::string& name = slot->config.name;
  if (!IsDriverName(name)) {
    co_return Error(
        Code::kInvalidArgument,
        "\"" + name + "\" is no name for a driver: use lower case letters, digits, '_' and '-'");
  }
  if (FindSlot(name) != slot) {
    co_return Error(Code::kInvalidArgument,
                    "driver \"" + name + "\" is configured twice: remove one block");
  }
  PluginReport* const report = &slot->report;
  DROVER_CO_ASSIGN(Checked checked, co_await Check(context, slot->config, report));
  DROVER_CO_ASSIGN(PluginCode code, co_await MakeCode(context, std::move(checked)));
  DROVER_CO_TRY(co_await slot->driver.Load(context, std::move(code)));
  const Patience patience(context, options_.first_fingerprint);
  co_await slot->driver.AwaitFirstFingerprint(patience.context());
  co_return Status();
}

Co<void> PluginRegistry::LoadOne(Context context, Slot* slot) {
  Status status;
  {
    const Context life = life_;
    const JoinContext joined(context, life);
    status = co_await Bring(joined.context(), slot);
  }
  slot->report.loaded = status.ok();
  slot->report.message = status.ok() ? "" : status.error().message();
  if (!status.ok()) slot->driver.SetReason(slot->report.message);
  slot->known.Set();
  if (status.ok()) {
    options_.log(PluginLogLevel::kInfo, slot->config.name, nullptr,
                 "loaded version " + slot->report.info->version + " from " + slot->report.file);
    co_return;
  }
  options_.log(PluginLogLevel::kError, slot->config.name, nullptr, slot->report.message);
}

Co<void> PluginRegistry::RestoreComplete(Context context, std::string driver,
                                         std::vector<RunId> runs) {
  Slot* const slot = FindSlot(driver);
  if (slot == nullptr) co_return;
  const Status status = co_await slot->driver.RestoreComplete(context, std::move(runs));
  if (!status.ok() && status.code() != Code::kUnimplemented) {
    options_.log(PluginLogLevel::kWarn, driver, nullptr,
                 "restore_complete: " + status.error().message());
  }
}

Co<void> PluginRegistry::Shutdown() {
  if (shut_down_) co_return;
  shut_down_ = true;
  GiveUpLoading();
  co_await loads_.Close();
  co_await no_reload_.Wait();
  std::vector<Co<void>> all;
  for (const auto& slot : slots_) all.push_back(slot->driver.Shutdown());
  co_await InParallel(loop_, std::move(all));
}

PluginRegistry::Slot* PluginRegistry::FindSlot(const std::string& name) const {
  for (const auto& slot : slots_) {
    if (slot->report.enabled && slot->report.name == name) return slot.get();
  }
  return nullptr;
}

Driver* PluginRegistry::Find(const std::string& name) {
  Slot* const slot = FindSlot(name);
  return slot == nullptr ? nullptr : &slot->driver;
}

HookPlugin* PluginRegistry::FindHooks(const std::string& name) {
  Slot* const slot = FindSlot(name);
  return slot == nullptr ? nullptr : &slot->driver;
}

LoadedDriver* PluginRegistry::FindLoaded(const std::string& name) {
  Slot* const slot = FindSlot(name);
  return slot == nullptr ? nullptr : slot->driver.current();
}

SupervisedDriver* PluginRegistry::FindContained(const std::string& name) {
  Slot* const slot = FindSlot(name);
  return slot == nullptr || !slot->driver.contained() ? nullptr : &slot->driver;
}

std::optional<ContainerStatus> PluginRegistry::Inspect(const std::string& name) {
  if (const SupervisedDriver* driver = FindContained(name)) return driver->status();
  return std::nullopt;
}

std::vector<PluginReport> PluginRegistry::reports() const {
  std::vector<PluginReport> all;
  for (const auto& slot : slots_) all.push_back(slot->report);
  return all;
}

std::optional<PluginReport> PluginRegistry::Report(const std::string& name) const {
  const Slot* const slot = FindSlot(name);
  if (slot == nullptr) return std::nullopt;
  return slot->report;
}

const PluginConfig* PluginRegistry::FindConfig(const std::string& name) const {
  const Slot* const slot = FindSlot(name);
  return slot == nullptr ? nullptr : &slot->config;
}

std::vector<Driver*> PluginRegistry::drivers() {
  std::vector<Driver*> all;
  for (const auto& slot : slots_) {
    if (slot->report.enabled) all.push_back(&slot->driver);
  }
  return all;
}

std::vector<DeviceSource*> PluginRegistry::devices() {
  std::vector<DeviceSource*> all;
  for (const auto& slot : slots_) {
    if (slot->report.enabled) all.push_back(slot->driver.devices());
  }
  return all;
}

void PluginRegistry::CollectPrepared() {
  for (const auto& slot : slots_) slot->driver.CollectPrepared();
}

// -------------------------------------------------------------------------------------- reload

Co<Result<PluginReport>> PluginRegistry::Reload(Context context, PluginConfig wanted) {
  Slot* const slot = FindSlot(wanted.name);
  bool changed = false;
  DROVER_CO_TRY(co_await ReloadOne(context, slot, std::move(wanted), /*always=*/true, &changed));
  co_return slot->report;
}

Co<Result<bool>> PluginRegistry::Refresh(Context context, PluginConfig wanted) {
  Slot* const slot = FindSlot(wanted.name);
  bool changed = false;
  DROVER_CO_TRY(co_await ReloadOne(context, slot, std::move(wanted), /*always=*/false, &changed));
  co_return changed;
}

Co<Status> PluginRegistry::ReloadOne(Context context, Slot* slot, PluginConfig wanted, bool always,
                                     bool* changed) {
  if (slot == nullptr) co_return Error(Code::kNotFound, "no plugin of that name is configured");
  DROVER_CO_TRY(co_await slot->known.Wait(context));
  if (life_.cancelled()) co_return Error(Code::kUnavailable, life_.status().error().message());
  const std::string name = slot->config.name;
  if (slot->reloading) {
    co_return Error(Code::kFailedPrecondition, "plugin " + name + " is being reloaded already");
  }
  slot->reloading = true;
  if (++reloading_ == 1) no_reload_.Reset();
  const Context life = life_;
  const JoinContext joined(context, life);
  Status done = co_await Exchange(joined.context(), slot, std::move(wanted), always, changed);
  slot->reloading = false;
  if (--reloading_ == 0) no_reload_.Set();
  if (done.ok()) co_return done;
  const bool runs = slot->driver.has_instance();
  const std::string stays = runs ? "version " + slot->report.info->version + " stays in charge"
                                 : std::string("there was none before");
  const Error refused = Error(done.code(), "plugin " + name + " was not reloaded, " + stays + ": " +
                                               done.error().message());
  options_.log(PluginLogLevel::kError, name, nullptr, refused.message());
  co_return refused;
}

Co<Status> PluginRegistry::Exchange(Context context, Slot* slot, PluginConfig wanted, bool always,
                                    bool* changed) {
  PluginReport report;
  report.name = slot->config.name;
  DROVER_CO_ASSIGN(Checked checked, co_await Check(context, wanted, &report));
  const bool same_code = slot->driver.has_instance() && report.sha256 == slot->report.sha256 &&
                         report.isolation == slot->report.isolation &&
                         wanted.limits == slot->config.limits &&
                         wanted.threads == slot->config.threads;
  const bool same_config = wanted.config_json == slot->config.config_json;
  *changed = always || !same_code || !same_config;
  if (!always && same_code) {
    if (!same_config) DROVER_CO_TRY(co_await slot->driver.Configure(context, checked.config));
  } else {
    DROVER_CO_ASSIGN(PluginCode code, co_await MakeCode(context, std::move(checked)));
    DROVER_CO_TRY(co_await slot->driver.Reload(context, std::move(code)));
  }
  const std::string before = slot->report.info ? slot->report.info->version : "none";
  report.loaded = true;
  slot->report = std::move(report);
  slot->config = std::move(wanted);
  if (*changed) {
    options_.log(PluginLogLevel::kInfo, slot->config.name, nullptr,
                 "reloaded: version " + slot->report.info->version + " from " + slot->report.file +
                     ", sha256 " + slot->report.sha256 + ", in the place of version " + before);
  }
  co_return Status();
}

}  // namespace drover
