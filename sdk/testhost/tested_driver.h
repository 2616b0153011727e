// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/base/worker_pool.h"
#include "host/plugin/plugin_registry.h"
#include "sdk/testhost/request.h"

namespace drover {

struct TestedDriverOptions {
  std::string file;           // the path of the plugin
  std::string config = "{}";  // the configuration of the plugin, as JSON
  std::string isolation = "in-process";
  // If false, the file is loaded without a probe. This is for a driver that needs something that
  // the probe's child process does not have, such as a sanitizer.
  bool probe = true;
  std::string directory;  // holds the tasks' files and the sockets of their shims
};

// One driver in a host without an agent, and the tasks that a test has started with the driver. The
// agent's own code checks, probes and loads the file of the driver, and validates configurations.
// Must be used on the control thread.
class TestedDriver {
 public:
  using Json = nlohmann::json;

  TestedDriver(RealLoop* loop, WorkerPool* workers, ProcessService* processes,
               TestedDriverOptions options);
  ~TestedDriver();

  Co<Status> Load();
  // Returns the result of Load: the name, version and offers of the driver, and the directory with
  // the files of its tasks.
  Json Describe() const;

  // Executes one call, such as "start". docs/testhost.md lists the calls.
  Co<Result<Json>> Call(Context context, std::string name, Request* request);

  // Sets the function that gets a line for each report of progress that a request asks for.
  void OnProgress(std::function<void(const Json& line)> print) { print_ = std::move(print); }

  // Destroys every task and shuts the driver down.
  Co<void> Close();

 private:
  struct Task {
    std::shared_ptr<const TaskConfig> config;
    TaskHandle handle;
    bool prints_progress = false;
    Json events = Json::array();
    Subscription hearing;
  };
  using Function = Co<Result<Json>> (TestedDriver::*)(Context, Request*);
  struct Entry {
    const char* name;
    Function function;
  };
  static const std::vector<Entry>& Calls();

  Co<Result<Json>> Fingerprint(Context, Request*);
  Co<Result<Json>> Check(Context, Request*);
  Co<Result<Json>> Start(Context, Request*);
  Co<Result<Json>> Wait(Context, Request*);
  Co<Result<Json>> Inspect(Context, Request*);
  Co<Result<Json>> Signal(Context, Request*);
  Co<Result<Json>> Stop(Context, Request*);
  Co<Result<Json>> Destroy(Context, Request*);
  Co<Result<Json>> Logs(Context, Request*);
  Co<Result<Json>> Stats(Context, Request*);
  Co<Result<Json>> Exec(Context, Request*);
  Co<Result<Json>> Events(Context, Request*);
  Co<Result<Json>> Reload(Context, Request*);
  Co<Result<Json>> Hook(Context, Request*);
  Co<Result<Json>> Capabilities(Context, Request*);
  Co<Result<Json>> Pause(Context, Request*);
  Co<Result<Json>> Prepare(Context, Request*);
  Co<Result<Json>> ListPrepared(Context, Request*);
  Co<Result<Json>> Unprepare(Context, Request*);

  void PrintProgress(const std::string& task, const TaskProgress& progress) const;
  // Returns the task that REQUEST names. Returns an error if there is no such task, or if another
  // member of REQUEST is wrong.
  Result<std::shared_ptr<Task>> Named(Request* request);
  void Hear(const std::shared_ptr<Task>& task);

  RealLoop* loop_;
  WorkerPool* workers_;
  ProcessService* processes_;
  const TestedDriverOptions options_;
  // One registry for each instance so far. Old registries are kept, since calls of their instances
  // may not have ended. The last registry has the current driver.
  std::vector<std::unique_ptr<PluginRegistry>> registries_;
  PluginReport report_;
  Driver* driver_ = nullptr;
  std::function<void(const Json& line)> print_;
  std::map<std::string, std::shared_ptr<Task>> tasks_;
  // The tasks for which hooks were called, and what the plugin keeps for them.
  struct Hooked {
    TaskConfig config;
    StringMap data;
  };
  std::map<std::string, Hooked> hooked_;
};

}  // namespace drover
