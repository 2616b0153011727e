// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/plugin_registry.h"

#include <algorithm>
#include <system_error>
#include <thread>

#include "host/base/gate.h"
#include "host/base/patience.h"
#include "host/plugin/broken_driver.h"
#include "host/plugin/contained_driver.h"
#include "host/plugin/echo_container.h"
#include "host/plugin/loaded_driver.h"
#include "host/plugin/loader.h"
#include "host/plugin/plugin_file.h"
#include "host/plugin/probe.h"

namespace drover {
namespace {

constexpr Duration kLoadLimit = 10s;

struct Checked {
  std::shared_ptr<PluginFile> file;  // shared: it goes to another thread
  PluginInfo info;
};

Result<Checked> CheckAndProbe(const std::string& path, const std::string& pin, PluginProber* prober,
                              PluginReport* report) {
  DROVER_ASSIGN(PluginFile file, OpenPluginFile(path, pin));
  report->sha256 = file.sha256;
  DROVER_ASSIGN(PluginInfo info, prober->Probe(file));
  return Checked{std::make_shared<PluginFile>(std::move(file)), std::move(info)};
}

using Loaded = Result<std::pair<const drover_driver*, PluginInfo>>;

Loaded Load(PluginFile file) {
  const std::string path = file.path;
  const Manifest manifest = file.manifest;
  DROVER_ASSIGN(const drover_driver* driver, LoadPluginCode(std::move(file)));
  DROVER_ASSIGN(PluginInfo info, AskInfo(path, manifest, driver));
  return std::pair(driver, std::move(info));
}

// Loads on a thread of its own: constructors that did not hang in the probe can hang here, and then
// keep this thread and nothing else.
Co<Loaded> LoadOnThread(Loop* loop, std::shared_ptr<PluginFile> file) {
  struct Answer {
    explicit Answer(Loop* on) : port(on), done(on) {}
    LoopPort port;
    Event done;
    std::optional<Loaded> loaded;
  };
  auto answer = std::make_shared<Answer>(loop);
  const std::string path = file->path;
  try {
    std::thread([answer, file] {
      auto loaded = std::make_shared<Loaded>(Load(std::move(*file)));
      answer->port.Post([answer, loaded] {
        answer->loaded.emplace(std::move(*loaded));
        answer->done.Set();
      });
    }).detach();
  } catch (const std::system_error& e) {
    co_return Error(Code::kResourceExhausted, std::string("no thread to load it: ") + e.what());
  }
  const Context context(loop);
  const Patience patience(context, kLoadLimit);
  (void)co_await answer->done.Wait(patience.context());
  answer->port.Close();
  if (answer->loaded) co_return std::move(*answer->loaded);
  co_return Error(Code::kTimeout, path +
                                      " hangs when it is loaded, though it did not in the "
                                      "probe; restart the agent to try again");
}

}  // namespace

struct PluginRegistry::Slot {
  Slot(const PluginConfig& from, ProcessService* processes) : broken(from.name, processes) {
    report.name = from.name;
    report.file = from.file;
    report.enabled = from.enabled;
  }
  PluginReport report;
  BrokenDriver broken;
  std::unique_ptr<LoadedDriver> loaded;        // in this process, or
  std::unique_ptr<ContainedDriver> contained;  // in one of its own
  bool usable = false;

  Driver* driver() {
    if (!usable) return &broken;
    return contained ? static_cast<Driver*>(contained.get()) : loaded.get();
  }
};

PluginRegistry::PluginRegistry(Loop* loop, WorkerPool* workers, ProcessService* processes,
                               PluginRegistryOptions options)
    : loop_(loop), workers_(workers), processes_(processes), options_(std::move(options)) {
  if (!options_.log) options_.log = DefaultPluginLog();
  if (!options_.checker) options_.checker = NewSchemaChecker;
  for (const PluginConfig& config : options_.plugins) {
    slots_.push_back(std::make_unique<Slot>(config, processes_));
  }
}

PluginRegistry::~PluginRegistry() {
  const bool any = std::any_of(slots_.begin(), slots_.end(),
                               [](const auto& slot) { return slot->loaded || slot->contained; });
  DROVER_CHECK(shut_down_ || !any);  // Shutdown joins what is still running
}

Co<std::vector<PluginReport>> PluginRegistry::LoadAll(Context context) {
  std::vector<Co<void>> all;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!options_.plugins[i].enabled) continue;
    all.push_back(LoadOne(context, &options_.plugins[i], slots_[i].get()));
  }
  co_await InParallel(loop_, std::move(all));
  std::vector<PluginReport> reports;
  for (const auto& slot : slots_) reports.push_back(slot->report);
  co_return reports;
}

// The steps up to a living driver; the error of the first that fails.
Co<Status> PluginRegistry::Bring(Context context, const PluginConfig* config, Slot* slot) {
  if (!IsDriverName(config->name)) {
    co_return Error(Code::kInvalidArgument,
                    "\"" + config->name +
                        "\" is no name for a driver: use lower case letters, digits, '_' and '-'");
  }
  for (const auto& other : slots_) {
    if (other.get() == slot) break;
    if (other->report.enabled && other->report.name == config->name) {
      co_return Error(Code::kInvalidArgument,
                      "driver \"" + config->name + "\" is configured twice: remove one block");
    }
  }
  DROVER_CO_TRY(ParseIsolation(config->isolation, Isolation::kInProcess));
  std::function<Result<Checked>()> check = [this, config, slot]() -> Result<Checked> {
    std::string path = config->file;
    if (path.empty()) {
      DROVER_ASSIGN(path, FindPluginFile(options_.directories, config->name));
    }
    slot->report.file = path;
    PluginProber* prober = options_.prober == nullptr ? &SharedProber() : options_.prober;
    return CheckAndProbe(path, config->sha256, prober, &slot->report);
  };
  DROVER_CO_ASSIGN(Checked checked, co_await workers_->Run(std::move(check)));
  slot->report.info = checked.info;
  const std::string& path = slot->report.file;
  if (checked.info.name != config->name) {
    co_return Error(Code::kInvalidArgument, path + " is driver \"" + checked.info.name +
                                                "\", not \"" + config->name +
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
  Result<std::string> normal =
      (*config_checker)->Normalize("", config->config_json, /*final=*/true);
  if (!normal.ok()) {
    co_return normal.error().WithContext("configuration of plugin " + config->name);
  }
  DROVER_CO_TRY(context.status());
  const bool shipped = path.starts_with(ShippedPluginDirectory() + "/");
  const Isolation otherwise = shipped ? Isolation::kInProcess : Isolation::kProcess;
  DROVER_CO_ASSIGN(const Isolation isolation, ParseIsolation(config->isolation, otherwise));
  slot->report.isolation = isolation;
  LoadedDriver::Parts parts;
  parts.loop = loop_;
  parts.processes = processes_;
  parts.info = checked.info;
  parts.task_checker = std::move(*task_checker);
  parts.log = options_.log;
  parts.limits = options_.limits;
  parts.core_mhz = options_.core_mhz;
  parts.bind_runs = options_.bind_runs;
  const Patience patience(context, options_.first_fingerprint);
  if (isolation == Isolation::kProcess) {
    ContainedDriver::Parts contained{std::move(parts), workers_, checked.file, std::move(*normal)};
    slot->contained = std::make_unique<ContainedDriver>(std::move(contained));
    const Status created = co_await slot->contained->Create(context);
    // One that died is on its way back.
    slot->usable = created.ok() || created.code() == Code::kUnavailable;
    if (!created.ok()) co_return created.error().WithContext(path + " cannot be started");
    co_await slot->contained->AwaitFirstFingerprint(patience.context());
    co_return Status();
  }
  DROVER_CO_ASSIGN(auto loaded, co_await LoadOnThread(loop_, checked.file));
  if (loaded.second != checked.info) {
    co_return Error(Code::kInternal, path + " says other things about itself than in the probe");
  }
  parts.container = NewContainer(isolation, loaded.first);
  slot->loaded = std::make_unique<LoadedDriver>(std::move(parts));
  const Status created = co_await slot->loaded->Create(context, std::move(*normal));
  if (!created.ok()) co_return created.error().WithContext(path + " cannot be started");
  slot->usable = true;
  (void)co_await slot->loaded->first_fingerprint()->Wait(patience.context());
  co_return Status();
}

Co<void> PluginRegistry::LoadOne(Context context, const PluginConfig* config, Slot* slot) {
  const Status status = co_await Bring(std::move(context), config, slot);
  slot->report.loaded = status.ok();
  if (status.ok()) {
    options_.log(PluginLogLevel::kInfo, config->name, nullptr,
                 "loaded version " + slot->report.info->version + " from " + slot->report.file);
    co_return;
  }
  slot->report.message = status.error().message();
  slot->broken.SetReason(slot->report.message);
  options_.log(PluginLogLevel::kError, config->name, nullptr, slot->report.message);
}

Co<void> PluginRegistry::RestoreComplete(Context context, std::string driver,
                                         std::vector<RunId> runs) {
  for (const auto& slot : slots_) {
    if (!slot->usable || slot->report.name != driver) continue;
    Status status;
    if (slot->contained) {
      status = co_await slot->contained->RestoreComplete(context, runs);
    } else {
      status = co_await slot->loaded->RestoreComplete(context, runs);
    }
    if (!status.ok() && status.code() != Code::kUnimplemented) {
      options_.log(PluginLogLevel::kWarn, driver, nullptr,
                   "restore_complete: " + status.error().message());
    }
  }
}

Co<void> PluginRegistry::ShutdownOne(Slot* slot) {
  if (slot->contained) {
    co_await slot->contained->Shutdown();
  } else {
    co_await slot->loaded->Shutdown();
  }
  slot->usable = false;
  slot->broken.SetReason("the driver has been shut down");
}

Co<void> PluginRegistry::Shutdown() {
  std::vector<Co<void>> all;
  for (const auto& slot : slots_) {
    if ((slot->loaded || slot->contained) && !shut_down_) all.push_back(ShutdownOne(slot.get()));
  }
  shut_down_ = true;
  co_await InParallel(loop_, std::move(all));
}

Driver* PluginRegistry::Find(const std::string& name) {
  for (const auto& slot : slots_) {
    if (slot->report.enabled && slot->report.name == name) return slot->driver();
  }
  return nullptr;
}

LoadedDriver* PluginRegistry::FindLoaded(const std::string& name) {
  for (const auto& slot : slots_) {
    if (slot->report.name != name || !slot->usable) continue;
    return slot->contained ? slot->contained->current() : slot->loaded.get();
  }
  return nullptr;
}

std::optional<ContainerStatus> PluginRegistry::Inspect(const std::string& name) {
  for (const auto& slot : slots_) {
    if (slot->report.name == name && slot->contained) return slot->contained->status();
  }
  return std::nullopt;
}

std::vector<Driver*> PluginRegistry::drivers() {
  std::vector<Driver*> all;
  for (const auto& slot : slots_) {
    if (slot->report.enabled) all.push_back(slot->driver());
  }
  return all;
}

}  // namespace drover
