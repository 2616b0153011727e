// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "host/base/worker_pool.h"
#include "host/conformance/conformance.h"
#include "host/conformance/kit_fault.h"
#include "host/conformance/kit_file.h"
#include "host/plugin/loaded_driver.h"
#include "host/plugin/plugin_registry.h"

namespace drover {

class FaultyProcesses;

// The input of one case. The parent process sends it to the child process that runs the case.
struct KitSpec {
  std::string file;
  std::string name;  // the name of the case
  std::string plugin_config;
  std::string task_config;
  std::string kit_json;  // the content of the kit file, or empty
  std::string isolation;
  std::string fault;  // the fault of the host that the case needs (kit_fault.h), or empty
  int steps = 0;      // of a random sequence (fuzz/fuzz_sequence.h)
  // SHA256 is the checksum of the plugin file that the parent has probed. INFO_JSON is what the
  // probe reported.
  std::string sha256;
  std::string info_json;
  // The directory with all files of the case. The parent removes the directory.
  std::string directory;
  std::uint64_t seed = 1;
  // A descriptor to which a random sequence writes a line for each step, or -1. Not sent: it is one
  // of the process that runs the case.
  int progress = -1;
  Duration limit{0};  // of the case; 0 means that of the run. Not sent
};

// The environment of one running case: a host with one plugin. Control thread only.
class KitCase {
 public:
  KitCase(RealLoop* loop, WorkerPool* workers, ProcessService* processes, KitSpec spec);
  ~KitCase();

  // The three functions below set the verdict and its reason. Only the first verdict counts, except
  // that a failure replaces a warning.
  void Fail(std::string why);
  void Skip(std::string why);
  void Warn(std::string why);
  bool decided() const { return verdict_ == Verdict::kFail || verdict_ == Verdict::kSkip; }
  Verdict verdict() const { return verdict_; }
  const std::string& why() const { return why_; }

  // Loads the plugin into a new registry. If RESTORE is true, also calls restore_complete without
  // runs, which every host must do before it starts tasks. On failure, calls Fail and returns null.
  Co<LoadedDriver*> Load(bool restore = true);
  // Shuts down the instance DRIVER. Returns the status of its shutdown.
  Co<Status> Unload(LoadedDriver* driver);

  // Lasting makes a task that runs for a minute. Ending makes a task that ends soon. Failing makes
  // one that ends soon with an exit code that is not 0, if the driver has such tasks, and stores
  // the code in CODE. If the kit cannot make the task, each calls Skip and returns null.
  std::shared_ptr<const TaskConfig> Lasting();
  std::shared_ptr<const TaskConfig> Ending();
  std::shared_ptr<const TaskConfig> Failing(int* code);
  // Returns whether the kit can make a task that ends soon.
  bool HasEnding() const;
  // Makes a task that runs for a minute and has /bin/sh, for commands beside it. If the kit cannot
  // make the task, calls Skip and returns null.
  std::shared_ptr<const TaskConfig> ExecTask();
  // Makes the task that a test of VERB needs: ExecTask for "exec", and else Lasting.
  std::shared_ptr<const TaskConfig> LastingFor(std::string_view verb);
  // Returns whether the kit can make a task beside which it can run commands.
  bool CanRunBeside() const { return RunsCommands() || !kit_.exec.empty(); }
  // Makes a task that runs for a minute. If the schema of the task has "start_block_for", the start
  // of the task takes 2 s. If the kit cannot make the task, calls Skip and returns null.
  std::shared_ptr<const TaskConfig> SlowlyStarting();
  // Makes a task that writes as fast as it can and does not end soon. If the kit cannot make the
  // task, calls Skip and returns null.
  std::shared_ptr<const TaskConfig> Writing();
  // Makes a task that runs the shell script TEXT. If tasks run no commands, calls Skip and returns
  // null.
  std::shared_ptr<const TaskConfig> Script(const std::string& text);
  bool RunsCommands() const { return HasProperty("command") && HasProperty("args"); }
  // Makes a task that ends soon with EXIT_CODE. If the kit cannot make the task, calls Skip and
  // returns null.
  std::shared_ptr<const TaskConfig> EndingWith(int exit_code);
  // Checks the configuration of TASK, and adds the defaults of the schema. The run of TASK is
  // destroyed when the case ends. If the configuration is invalid, calls Fail and returns null.
  // Also returns null if TASK is null.
  std::shared_ptr<const TaskConfig> Prepare(LoadedDriver* driver,
                                            std::shared_ptr<const TaskConfig> task);
  // Prepares and starts TASK. On failure, calls Fail and returns false.
  Co<bool> Start(LoadedDriver* driver, std::shared_ptr<const TaskConfig> task);
  // Adds RUN to the runs that are destroyed when the case ends.
  void Note(LoadedDriver* driver, RunId run) { runs_.emplace_back(driver, run); }
  // Probes the plugin file, and returns how long this takes.
  Co<Result<Duration>> TimeProbe();
  // Returns the plugin's configuration without the defaults of its schema. It comes from the user
  // of the kit, or else the kit makes it.
  std::string PluginConfigJson(const PluginInfo& info) const;
  // Returns the plugin's configuration as the plugin receives it, with the defaults of its schema.
  std::string NormalPluginConfig() const;
  // Returns the names of the files in the run directory of the process service.
  std::vector<std::string> RunEntries() const;
  // Returns at most MOST random bytes. The seed of the case determines their number and values.
  std::string RandomBytes(std::size_t most);
  std::uint64_t seed() const { return spec_.seed; }
  const KitSpec& spec() const { return spec_; }
  // The fault that the case needs, and the process service that commits it. The service is null if
  // the case needs no fault.
  const KitFault& fault() const { return fault_; }
  FaultyProcesses* faulty() const { return faulty_; }
  void UseFaulty(FaultyProcesses* faulty) { faulty_ = faulty; }
  // Returns the driver of the last Load as runners call it, which replaces an instance that has
  // died. Null if the driver does not run in a process of its own.
  SupervisedDriver* Supervised();
  // Lets the driver destroy all runs, and then kills all processes that are left.
  Co<void> Clean();

  Context Within(Duration duration) const { return context_.WithTimeout(duration); }
  const Context& context() const { return context_; }
  RealLoop* loop() const { return loop_; }
  const PluginInfo& info() const { return *info_; }
  DriverLimits Limits() const;

 private:
  std::shared_ptr<const TaskConfig> Task(const std::string& json);
  bool HasProperty(const char* name) const;

  RealLoop* loop_;
  WorkerPool* workers_;
  ProcessService* processes_;
  KitSpec spec_;
  KitFile kit_;
  KitFault fault_;
  FaultyProcesses* faulty_ = nullptr;
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
  // The kind of fault of the host that the case needs, or empty. The kit runs a case that has one
  // only if the user asks for it.
  std::string fault{};
};
// Each of these functions returns the cases in one file. AllKitCases returns the cases in all
// files.
const std::vector<KitEntry>& LoadCases();
const std::vector<KitEntry>& LifeCases();
const std::vector<KitEntry>& LeftoverCases();
const std::vector<KitEntry>& TaskCases();
const std::vector<KitEntry>& StreamCases();
const std::vector<KitEntry>& ExecCases();
const std::vector<KitEntry>& VerbCases();
const std::vector<KitEntry>& EndCases();
const std::vector<KitEntry>& OddCases();
const std::vector<KitEntry>& DeviceCases();
const std::vector<KitEntry>& HookCases();
const std::vector<KitEntry>& PartCases();
const std::vector<KitEntry>& PrepareCases();
const std::vector<KitEntry>& AllKitCases();
// The cases that need a fault of the host. They are no part of AllKitCases.
const std::vector<KitEntry>& FaultCases();

// Returns whether the case NAME says anything about a plugin with INFO. A plugin that only offers
// devices, or that only has task hooks, has no cases of tasks.
bool IsCaseFor(const std::string& name, const PluginInfo& info);

// Returns the case NAME, which may be one that needs a fault, or the random sequence. Null if there
// is none.
const KitEntry* FindKitEntry(const std::string& name);

// Runs one case in this process. Calls DECIDED when the case has a verdict.
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
