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

// The input of one case. The parent sends it to the child.
struct KitSpec {
  std::string file;
  std::string name;  // the name of the case
  std::string plugin_config;
  std::string task_config;
  std::string isolation;
  // SHA256 is the checksum of the plugin file that the parent has probed. INFO_JSON is what the
  // probe reported.
  std::string sha256;
  std::string info_json;
  // All files of the case are in this directory. The parent removes it.
  std::string directory;
  std::uint64_t seed = 1;
};

// The environment of one running case: a host with one plugin. Control thread.
class KitCase {
 public:
  KitCase(RealLoop* loop, WorkerPool* workers, ProcessService* processes, KitSpec spec);
  ~KitCase();

  // The three functions below set the verdict and its reason. The first verdict stays, except that
  // a failure replaces a warning.
  void Fail(std::string why);
  void Skip(std::string why);
  void Warn(std::string why);
  bool decided() const { return verdict_ == Verdict::kFail || verdict_ == Verdict::kSkip; }
  Verdict verdict() const { return verdict_; }
  const std::string& why() const { return why_; }

  // Loads the plugin into a new registry. Returns null after Fail. If RESTORE is true, calls
  // restore_complete without runs, which every host must do before it starts tasks.
  Co<LoadedDriver*> Load(bool restore = true);
  // Shuts down the instance DRIVER. Returns the status of its shutdown.
  Co<Status> Unload(LoadedDriver* driver);

  // The first function makes a task that runs for long. The second makes a task that ends at once
  // with exit code 43. Both return null after Skip.
  std::shared_ptr<const TaskConfig> Lasting();
  std::shared_ptr<const TaskConfig> Ending();
  // Makes a task that runs for long. If the task's schema has "start_block_for", the start of the
  // task also takes long. Returns null after Skip.
  std::shared_ptr<const TaskConfig> SlowlyStarting();
  // Makes a task that writes as fast as it can and does not end. Returns null after Skip.
  std::shared_ptr<const TaskConfig> Writing();
  // Makes a task that runs the shell script TEXT. Returns null after Skip.
  std::shared_ptr<const TaskConfig> Script(const std::string& text);
  bool RunsCommands() const { return HasProperty("command") && HasProperty("args"); }
  // Makes a task that ends at once with EXIT_CODE. Returns null after Skip.
  std::shared_ptr<const TaskConfig> EndingWith(int exit_code);
  // Returns TASK with its configuration checked and completed by the schema. The end of the case
  // destroys the run of TASK. Returns null after Fail, and if TASK is null.
  std::shared_ptr<const TaskConfig> Prepare(LoadedDriver* driver,
                                            std::shared_ptr<const TaskConfig> task);
  // Prepares and starts TASK. Returns false after Fail.
  Co<bool> Start(LoadedDriver* driver, std::shared_ptr<const TaskConfig> task);
  // Makes the end of the case destroy RUN.
  void Note(LoadedDriver* driver, RunId run) { runs_.emplace_back(driver, run); }
  // Returns how long a probe of the plugin file takes.
  Co<Result<Duration>> TimeProbe();
  // Returns the plugin's configuration before its defaults are filled in. The user of the kit may
  // supply this configuration. Otherwise the kit makes it.
  std::string PluginConfigJson(const PluginInfo& info) const;
  // Returns the plugin's configuration as the plugin receives it, checked and completed by the
  // schema.
  std::string NormalPluginConfig() const;
  // Returns the names of the files in the run directory of the process service.
  std::vector<std::string> RunEntries() const;
  // Returns at most MOST random bytes. The seed of the case determines their number and values.
  std::string RandomBytes(std::size_t most);
  std::uint64_t seed() const { return spec_.seed; }
  // Lets the driver destroy all runs, and then kills all processes that are left.
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
  std::string family{};  // the common name of cases that check the same rule in several ways
};
// Each function returns the cases of one file. AllKitCases returns the cases of all files.
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

// Runs one case in this process until it has a verdict.
ConformanceResult RunKitCase(const KitSpec& spec, const std::function<void(Verdict)>& decided);

// Returns "OK" or "CODE: MESSAGE".
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
