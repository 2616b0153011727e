// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "host/base/worker_pool.h"
#include "host/conformance/conformance.h"
#include "host/plugin/loaded_driver.h"
#include "host/plugin/plugin_registry.h"

namespace drover {

// The input of one case, which goes from the parent to the child.
struct KitSpec {
  std::string file;
  std::string name;  // of the case
  std::string plugin_config;
  std::string task_config;
  std::string isolation;
  std::string sha256;  // of the file that the parent has probed, and its information
  std::string info_json;
  std::string directory;  // for everything that the case makes; the parent removes it
  std::uint64_t seed = 1;
};

// The world of one running case: a host with one plugin. Control thread.
class KitCase {
 public:
  KitCase(RealLoop* loop, WorkerPool* workers, ProcessService* processes, KitSpec spec);
  ~KitCase();

  // The first verdict counts, but that a failure is more than a warning.
  void Fail(std::string why);
  void Skip(std::string why);
  void Warn(std::string why);
  bool decided() const { return verdict_ == Verdict::kFail || verdict_ == Verdict::kSkip; }
  Verdict verdict() const { return verdict_; }
  const std::string& why() const { return why_; }

  // Loads the plugin into a registry of its own; null after Fail. RESTORE: reports to it that no
  // run will be recovered, as all that starts tasks must.
  Co<LoadedDriver*> Load(bool restore = true);
  // Shuts the registry of that driver down; what its shutdown said.
  Co<Status> Unload(LoadedDriver* driver);

  // A task that lasts, and one that ends at once with code 43; null after Skip.
  std::shared_ptr<const TaskConfig> Lasting();
  std::shared_ptr<const TaskConfig> Ending();
  // A task that lasts and whose start takes long, where its tasks have "start_block_for"; else one
  // that lasts. Null after Skip.
  std::shared_ptr<const TaskConfig> SlowlyStarting();
  // A task that writes as fast as it can and never ends; null after Skip.
  std::shared_ptr<const TaskConfig> Writing();
  // A task that runs a shell script; null after Skip.
  std::shared_ptr<const TaskConfig> Script(const std::string& text);
  bool RunsCommands() const { return HasProperty("command") && HasProperty("args"); }
  // A task that ends at once with that code; null after Skip.
  std::shared_ptr<const TaskConfig> EndingWith(int exit_code);
  // TASK with its configuration in the driver's form, and a run that the end destroys;
  // null after Fail, and where TASK is.
  std::shared_ptr<const TaskConfig> Prepare(LoadedDriver* driver,
                                            std::shared_ptr<const TaskConfig> task);
  // Prepares and starts it; false after Fail.
  Co<bool> Start(LoadedDriver* driver, std::shared_ptr<const TaskConfig> task);
  // The end destroys this run.
  void Note(LoadedDriver* driver, RunId run) { runs_.emplace_back(driver, run); }
  // How long a probe of the file takes.
  Co<Result<Duration>> TimeProbe();
  // The plugin's configuration with which it is loaded.
  std::string PluginConfigJson(const PluginInfo& info) const;
  // The same, in the form in which the plugin gets it.
  std::string NormalPluginConfig() const;
  // The entries of the run directory of the process service.
  std::vector<std::string> RunEntries() const;
  // Bytes that the seed determines, at most MOST.
  std::string RandomBytes(std::size_t most);
  std::uint64_t seed() const { return spec_.seed; }
  // Gives every run up, as far as the driver lets it.
  Co<void> Clean();

  Context Within(Duration duration) const { return context_.WithTimeout(duration); }
  const Context& context() const { return context_; }
  RealLoop* loop() const { return loop_; }
  const PluginInfo& info() const { return *info_; }
  static DriverLimits Limits();

 private:
  std::shared_ptr<const TaskConfig> Task(const std::string& json);
  bool HasProperty(const char* name) const;

  RealLoop* loop_;
  WorkerPool* workers_;
  ProcessService* processes_;
  KitSpec spec_;
  Context context_;
  std::vector<std::unique_ptr<PluginRegistry>> registries_;
  std::vector<std::pair<LoadedDriver*, RunId>> runs_;
  std::optional<PluginInfo> info_;
  Verdict verdict_ = Verdict::kPass;
  std::string why_;
  int next_task_ = 0;
  std::mt19937_64 random_;
};

using KitFunction = std::function<Co<void>(KitCase* kit, LoadedDriver* driver)>;
struct KitEntry {
  std::string name;
  std::string what;
  KitFunction run;
  std::string family{};  // of cases that ask the same in several ways
};
// The cases of each file.
const std::vector<KitEntry>& LoadCases();
const std::vector<KitEntry>& LifeCases();
const std::vector<KitEntry>& LeftoverCases();
const std::vector<KitEntry>& TaskCases();
const std::vector<KitEntry>& StreamCases();
const std::vector<KitEntry>& ExecCases();
const std::vector<KitEntry>& VerbCases();
const std::vector<KitEntry>& EndCases();
const std::vector<KitEntry>& OddCases();
const std::vector<KitEntry>& AllKitCases();

// Runs one case to its verdict, in this process.
ConformanceResult RunKitCase(const KitSpec& spec, const std::function<void(Verdict)>& decided);

// "OK" or "code: message".
std::string Describe(const Status& status);
template <typename T>
std::string Describe(const Result<T>& result) {
  return Describe(result.ok() ? Status() : Status(result.error()));
}

#define KIT_EXPECT(condition, why) \
  do {                             \
    if (!(condition)) {            \
      kit->Fail(why);              \
      co_return;                   \
    }                              \
  } while (false)

}  // namespace drover
