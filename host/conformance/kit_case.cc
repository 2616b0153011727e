// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/kit_case.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/abi/abi_names.h"
#include "host/abi/abi_text.h"
#include "host/conformance/faulty_processes.h"
#include "host/conformance/fuzz/fuzz_sequence.h"
#include "host/conformance/kit_task.h"
#include "host/library/plugin_file.h"
#include "host/library/probe.h"
#include "host/schema/config_checker.h"

namespace drover {
namespace {

bool SchemaHas(const std::string& schema, const char* name) {
  const auto json = nlohmann::json::parse(schema, nullptr, false);
  return json.is_object() && json.contains("properties") && json["properties"].is_object() &&
         json["properties"].contains(name);
}

std::string RunDirectory(const KitSpec& spec) { return spec.directory + "/run"; }

}  // namespace

std::string Describe(const Status& status) {
  if (status.ok()) return "OK";
  return std::string(CodeName(status.code())) + ": " + status.error().message();
}

DriverLimits KitCase::Limits() const {
  DriverLimits limits;
  limits.hold = 1s;
  limits.create = 5s;
  limits.start = 5s;
  limits.recover = 5s;
  limits.stop_extra = 2s;
  limits.destroy = 5s;
  limits.inspect = 3s;
  limits.signal = 3s;
  limits.shutdown = 3s;
  limits.stream_join = 2s;
  limits.abandoned = 1s;
  if (kit_.start_limit) limits.start = std::max(limits.start, *kit_.start_limit);
  if (fault_.kind == "slow-start") limits.start += fault_.delay;
  if (fault_.kind == "timer-slow") {
    limits.timer_lag = fault_.delay;
    for (Duration* limit : {&limits.start, &limits.stop_extra, &limits.destroy, &limits.signal}) {
      *limit += 2 * fault_.delay;
    }
  }
  return limits;
}

KitCase::KitCase(RealLoop* loop, WorkerPool* workers, ProcessService* processes, KitSpec spec)
    : loop_(loop),
      workers_(workers),
      processes_(processes),
      spec_(std::move(spec)),
      context_(loop),
      random_(spec_.seed) {
  // Both texts have been checked before the case began.
  if (const Result<KitFile> kit = ParseKitFile(spec_.kit_json); kit.ok()) kit_ = *kit;
  if (const Result<KitFault> fault = ParseKitFault(spec_.fault); fault.ok()) fault_ = *fault;
}

KitCase::~KitCase() = default;

void KitCase::Fail(std::string why) {
  if (decided()) return;
  verdict_ = Verdict::kFail;
  why_ = std::move(why);
}

void KitCase::Skip(std::string why) {
  if (verdict_ != Verdict::kPass) return;
  verdict_ = Verdict::kSkip;
  why_ = std::move(why);
}

void KitCase::Warn(std::string why) {
  if (verdict_ != Verdict::kPass) return;
  verdict_ = Verdict::kWarn;
  why_ = std::move(why);
}

std::string KitCase::PluginConfigJson(const PluginInfo& info) const {
  if (!spec_.plugin_config.empty()) return spec_.plugin_config;
  if (!kit_.plugin_config.empty()) return kit_.plugin_config;
  return SchemaHas(info.config_schema, "enabled") ? R"({"enabled":true})" : "{}";
}

std::string KitCase::NormalPluginConfig() const {
  const std::string config = PluginConfigJson(*info_);
  const auto schema = NewSchemaChecker(info_->config_schema);
  if (!schema.ok()) return config;
  const Result<std::string> normal = (*schema)->Normalize("", config, true);
  return normal.ok() ? *normal : config;
}

Co<Result<Duration>> KitCase::TimeProbe() {
  std::function<Result<Duration>()> probe = [file = spec_.file]() -> Result<Duration> {
    DROVER_ASSIGN(const PluginFile opened, OpenPluginFile(file, ""));
    PluginProber prober;  // a new prober has no cached result
    const TimePoint began = BootClock::now();
    DROVER_TRY(prober.Probe(opened));
    return BootClock::now() - began;
  };
  co_return co_await workers_->Run(std::move(probe));
}

std::vector<std::string> KitCase::RunEntries() const {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(RunDirectory(spec_), ignored))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string KitCase::RandomBytes(std::size_t most) {
  std::string bytes(random_() % (most + 1), '\0');
  for (char& byte : bytes) byte = static_cast<char>(random_());
  return bytes;
}

Co<LoadedDriver*> KitCase::Load(bool restore) {
  std::function<Result<PluginInfo>()> probe = [this]() -> Result<PluginInfo> {
    DROVER_ASSIGN(const PluginFile file, OpenPluginFile(spec_.file, ""));
    // If the file is unchanged, the result of the parent's probe is used.
    const Result<PluginInfo> told = PluginInfoFromJson(spec_.info_json);
    if (told.ok() && file.sha256 == spec_.sha256) SharedProber().Remember(file.sha256, *told);
    return SharedProber().Probe(file);
  };
  const Result<PluginInfo> probed = co_await workers_->Run(std::move(probe));
  if (!probed.ok()) {
    Fail(probed.error().message());
    co_return nullptr;
  }
  PluginRegistryOptions options;
  PluginConfig config;
  config.name = probed->name;
  config.file = spec_.file;
  config.isolation = spec_.isolation;
  config.config_json = PluginConfigJson(*probed);
  options.plugins = {config};
  options.limits = Limits();
  options.first_fingerprint = 0s;
  options.bind_runs = true;  // the host ends all runs when the case ends
  options.node = MakeKitNode(spec_.directory);
  options.log = [](PluginLogLevel level, const std::string& plugin, const RunId*,
                   const std::string& line) {
    if (level >= PluginLogLevel::kInfo) {
      std::fprintf(stderr, "%s: %s\n", plugin.c_str(), line.c_str());
    }
  };
  auto registry = std::make_unique<PluginRegistry>(loop_, workers_, processes_, options);
  const std::vector<PluginReport> reports = co_await registry->LoadAll(context_);
  registries_.push_back(std::move(registry));
  if (!reports[0].loaded) {
    Fail(reports[0].message);
    co_return nullptr;
  }
  info_ = reports[0].info;
  LoadedDriver* driver = registries_.back()->FindLoaded(probed->name);
  if (driver == nullptr) {
    Fail("its process has ended");
    co_return nullptr;
  }
  if (!restore) co_return driver;
  const std::vector<RunId> none;
  const Status told = co_await driver->RestoreComplete(context_, none);
  if (!told.ok() && told.code() != Code::kUnimplemented) {
    Fail("restore_complete: " + Describe(told));
    co_return nullptr;
  }
  co_return driver;
}

Co<Status> KitCase::Unload(LoadedDriver* driver) {
  std::erase_if(runs_, [&](const auto& run) { return run.first == driver; });
  co_await driver->Shutdown();
  co_return driver->shutdown_status();
}

bool KitCase::HasProperty(const char* name) const {
  return SchemaHas(info_->task_config_schema, name);
}

std::shared_ptr<const TaskConfig> KitCase::Task(const std::string& json) {
  auto config = std::make_shared<TaskConfig>(
      MakeKitTask(spec_.directory, "kit" + std::to_string(next_task_++)));
  config->driver_config_json = json;
  config->user = kit_.user;
  return config;
}

std::shared_ptr<const TaskConfig> KitCase::Script(const std::string& text) {
  if (!RunsCommands()) {
    Skip("it runs no commands: its tasks have no \"command\" and \"args\"");
    return nullptr;
  }
  const nlohmann::json json = {{"command", "/bin/sh"}, {"args", {"-c", text}}};
  return Task(json.dump());
}

std::shared_ptr<const TaskConfig> KitCase::Lasting() {
  if (!spec_.task_config.empty()) return Task(spec_.task_config);
  if (!kit_.lasting.empty()) return Task(kit_.lasting);
  if (RunsCommands()) return Script("exec sleep 60");
  if (HasProperty("run_for_ms")) return Task(R"({"run_for_ms":60000})");
  if (HasProperty("run_for")) {
    nlohmann::json json = {{"run_for", "60s"}};
    if (HasProperty("stats_each_interval")) json["stats_each_interval"] = true;
    return Task(json.dump());
  }
  Skip(
      "it needs a task that runs for a minute: give it as \"lasting\" in a kit file, or by "
      "--task-config");
  return nullptr;
}

std::shared_ptr<const TaskConfig> KitCase::ExecTask() {
  return kit_.exec.empty() ? Script("exec sleep 60") : Task(kit_.exec);
}

std::shared_ptr<const TaskConfig> KitCase::LastingFor(std::string_view verb) {
  return verb == "exec" && !kit_.exec.empty() ? ExecTask() : Lasting();
}

SupervisedDriver* KitCase::Supervised() {
  if (registries_.empty() || !info_) return nullptr;
  return registries_.back()->FindContained(info_->name);
}

std::shared_ptr<const TaskConfig> KitCase::SlowlyStarting() {
  auto task = Lasting();
  if (!task || !HasProperty("start_block_for")) return task;
  nlohmann::json json = nlohmann::json::parse(task->driver_config_json, nullptr, false);
  // If the user's task is not a JSON object, a later start of the task reports this error.
  if (!json.is_object()) return task;
  json["start_block_for"] = "2s";
  return Task(json.dump());
}

std::shared_ptr<const TaskConfig> KitCase::Ending() {
  if (!kit_.ending.empty()) return Task(kit_.ending);
  int code = 0;
  return Failing(&code);
}

bool KitCase::HasEnding() const {
  return !kit_.ending.empty() || !kit_.failing.empty() || RunsCommands() ||
         HasProperty("run_for") || HasProperty("run_for_ms");
}

std::shared_ptr<const TaskConfig> KitCase::Failing(int* code) {
  *code = kit_.failing_code.value_or(43);
  const bool only_ending = kit_.failing.empty() && !kit_.ending.empty();
  if (only_ending) *code = kit_.ending_code;
  return EndingWith(*code);
}

std::shared_ptr<const TaskConfig> KitCase::EndingWith(int exit_code) {
  if (!kit_.ending.empty() && kit_.ending_code == exit_code) return Task(kit_.ending);
  if (!kit_.failing.empty() && kit_.failing_code.value_or(exit_code) == exit_code) {
    return Task(FailingConfig(kit_, exit_code));
  }
  const std::string code = std::to_string(exit_code);
  if (RunsCommands()) return Script("sleep 0.2; exit " + code);
  if (HasProperty("run_for_ms")) return Task(R"({"run_for_ms":200,"exit_code":)" + code + "}");
  if (HasProperty("run_for")) return Task(R"({"run_for":"200ms","exit_code":)" + code + "}");
  Skip("it needs a task that ends with exit code " + code +
       ": give it as \"failing\" or \"ending\" in a kit file");
  return nullptr;
}

std::shared_ptr<const TaskConfig> KitCase::Writing() {
  if (!kit_.writing.empty()) return Task(kit_.writing);
  const std::string line(200, 'w');
  if (HasProperty("stdout_string") && HasProperty("stdout_repeat") && HasProperty("run_for")) {
    const nlohmann::json json = {
        {"run_for", "60s"}, {"stdout_string", line}, {"stdout_repeat", 1'000'000}};
    return Task(json.dump());
  }
  return Script("while :; do echo " + line + "; done");
}

std::shared_ptr<const TaskConfig> KitCase::Prepare(LoadedDriver* driver,
                                                   std::shared_ptr<const TaskConfig> task) {
  if (!task) return nullptr;
  Result<std::string> normal = driver->NormalizeConfig(task->driver_config_json, true);
  if (!normal.ok()) {
    Fail("the task's configuration is refused: " + normal.error().message());
    return nullptr;
  }
  Note(driver, task->run_id);
  auto config = std::make_shared<TaskConfig>(*task);
  config->driver_config_json = std::move(*normal);
  return config;
}

Co<bool> KitCase::Start(LoadedDriver* driver, std::shared_ptr<const TaskConfig> task) {
  const std::shared_ptr<const TaskConfig> final = Prepare(driver, task);
  if (!final) co_return false;
  const Result<StartedTask> started = co_await driver->Start(context_, final);
  if (!started.ok()) Fail("start: " + Describe(started));
  co_return started.ok();
}

Co<void> KitCase::Clean() {
  const Context patient = Within(3s);
  for (const auto& [driver, run] : runs_) (void)co_await driver->Destroy(patient, run, true);
  processes_->KillAll();
}

const std::vector<KitEntry>& AllKitCases() {
  static const std::vector<KitEntry> all = [] {
    std::vector<KitEntry> made;
    for (const auto* cases : {&LoadCases(), &LifeCases(), &TaskCases(), &EndCases(), &VerbCases(),
                              &OddCases(), &StreamCases(), &ExecCases(), &LeftoverCases(),
                              &DeviceCases(), &HookCases(), &PartCases(), &PrepareCases()}) {
      made.insert(made.end(), cases->begin(), cases->end());
    }
    return made;
  }();
  return all;
}

bool IsCaseFor(const std::string& name, const PluginInfo& info) {
  const auto has = [&name](const std::vector<KitEntry>& cases) {
    return std::ranges::any_of(cases, [&](const KitEntry& entry) { return entry.name == name; });
  };
  if (has(FaultCases()))
    return (info.offers & (DROVER_CAP_ONLY_DEVICES | DROVER_CAP_ONLY_TASK_HOOKS)) == 0;
  constexpr std::uint64_t kNoTasks = DROVER_CAP_ONLY_DEVICES | DROVER_CAP_ONLY_TASK_HOOKS;
  if (has(DeviceCases())) return (info.offers & DROVER_CAP_ONLY_DEVICES) != 0;
  if (has(HookCases())) return (info.offers & (DROVER_CAP_ONLY_TASK_HOOKS | kHookOffers)) != 0;
  if ((info.offers & kNoTasks) == 0) return true;
  return has(LoadCases()) || name == "fingerprint" || name == "configure";
}

namespace {

Co<void> Drive(KitCase* kit, KitEntry entry, std::function<void(Verdict)> decided) {
  LoadedDriver* driver = co_await kit->Load();
  const bool no_tasks =
      driver != nullptr && (driver->info().only_devices || driver->info().only_task_hooks);
  if (no_tasks && !IsCaseFor(entry.name, kit->info())) {
    kit->Skip("it runs no tasks");
  } else if (driver != nullptr) {
    co_await entry.run(kit, driver);
  }
  decided(kit->verdict());
  co_await kit->Clean();
}

}  // namespace

const KitEntry* FindKitEntry(const std::string& name) {
  if (name == FuzzEntry().name) return &FuzzEntry();
  for (const auto* cases : {&AllKitCases(), &FaultCases()}) {
    for (const KitEntry& entry : *cases) {
      if (entry.name == name) return &entry;
    }
  }
  return nullptr;
}

ConformanceResult RunKitCase(const KitSpec& spec, const std::function<void(Verdict)>& decided) {
  ConformanceResult result;
  result.name = spec.name;
  if (const KitEntry* found = FindKitEntry(spec.name)) {
    const KitEntry& entry = *found;
    // The objects below are never destroyed, because threads of the driver may still use them. The
    // process ends soon.
    auto* loop = new RealLoop;
    auto* workers = new WorkerPool(2);
    ProcessServiceOptions options;
    options.run_dir = RunDirectory(spec);
    options.cgroup_root = "none";
    auto processes = NewProcessService(loop, options);
    if (!processes.ok()) {
      result.detail = "the process service: " + processes.error().message();
      return result;
    }
    ProcessService* service = processes->release();
    FaultyProcesses* faulty = nullptr;
    if (!spec.fault.empty()) service = faulty = new FaultyProcesses(service);
    auto* kit = new KitCase(loop, workers, service, spec);
    kit->UseFaulty(faulty);
    const auto tell = [&](Verdict verdict) {
      result.verdict = verdict;
      result.detail = SafeText(kit->why(), 4000);
      decided(verdict);
    };
    const std::function<void(Verdict)> heard = tell;
    (void)loop->RunToEnd(Drive(kit, entry, heard), std::chrono::hours(24));
    return result;
  }
  result.detail = "there is no case of that name";
  return result;
}

}  // namespace drover
