// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "sdk/testhost/tested_driver.h"

#include <cstdio>

#include "drover/drover.h"
#include "host/base/gate.h"
#include "host/conformance/exec_streams.h"
#include "host/conformance/kit_task.h"
#include "host/library/loader.h"
#include "host/library/plugin_file.h"
#include "host/library/probe.h"
#include "host/logs/log_reader.h"
#include "sdk/testhost/answers.h"

namespace drover {

TestedDriver::TestedDriver(RealLoop* loop, WorkerPool* workers, ProcessService* processes,
                           TestedDriverOptions options)
    : loop_(loop), workers_(workers), processes_(processes), options_(std::move(options)) {}

TestedDriver::~TestedDriver() = default;

Co<Status> TestedDriver::Load() {
  std::function<Result<std::string>()> read_name = [this]() -> Result<std::string> {
    DROVER_ASSIGN(PluginFile file, OpenPluginFile(options_.file, ""));
    const Manifest manifest = file.manifest;
    if (options_.probe) return manifest.name;
    const std::string sha256 = file.sha256;
    DROVER_ASSIGN(const drover_driver* driver, LoadPluginCode(std::move(file)));
    DROVER_ASSIGN(PluginInfo info, AskInfo(options_.file, manifest, driver));
    SharedProber().Remember(sha256, std::move(info));
    return manifest.name;
  };
  const Result<std::string> name = co_await workers_->Run(std::move(read_name));
  if (!name.ok()) co_return name.error();
  PluginConfig config;
  config.name = *name;
  config.file = options_.file;
  config.config_json = options_.config;
  config.isolation = options_.isolation;
  PluginRegistryOptions options;
  options.plugins = {config};
  options.bind_runs = true;  // no process of a task outlives this program
  options.node = MakeKitNode(options_.directory);
  options.log = [](PluginLogLevel, const std::string& plugin, const RunId*,
                   const std::string& line) {
    std::fprintf(stderr, "%s: %s\n", plugin.c_str(), line.c_str());
  };
  auto registry = std::make_unique<PluginRegistry>(loop_, workers_, processes_, options);
  const Context context(loop_);
  const std::vector<PluginReport> reports = co_await registry->LoadAll(context);
  driver_ = registry->Find(*name);
  report_ = reports[0];
  registries_.push_back(std::move(registry));
  if (!report_.loaded) co_return Error(Code::kUnavailable, report_.message);
  co_return Status();
}

TestedDriver::Json TestedDriver::Describe() const {
  Json offers = Json::array();
  if (driver_->info().can_signal) offers.push_back("signals");
  if (driver_->info().can_exec) offers.push_back("exec");
  if (driver_->info().has_stats) offers.push_back("stats");
  if (driver_->info().hook_stages != 0) offers.push_back("hooks");
  if (driver_->info().has_capabilities) offers.push_back("capabilities");
  if (driver_->info().can_pause) offers.push_back("pause");
  if (driver_->info().has_news) offers.push_back("news");
  return {{"name", report_.info->name},
          {"version", report_.info->version},
          {"offers", offers},
          {"directory", options_.directory}};
}

const std::vector<TestedDriver::Entry>& TestedDriver::Calls() {
  static const std::vector<Entry> calls = {{"fingerprint", &TestedDriver::Fingerprint},
                                           {"check", &TestedDriver::Check},
                                           {"start", &TestedDriver::Start},
                                           {"wait", &TestedDriver::Wait},
                                           {"inspect", &TestedDriver::Inspect},
                                           {"signal", &TestedDriver::Signal},
                                           {"stop", &TestedDriver::Stop},
                                           {"destroy", &TestedDriver::Destroy},
                                           {"logs", &TestedDriver::Logs},
                                           {"stats", &TestedDriver::Stats},
                                           {"exec", &TestedDriver::Exec},
                                           {"events", &TestedDriver::Events},
                                           {"reload", &TestedDriver::Reload},
                                           {"hook", &TestedDriver::Hook},
                                           {"capabilities", &TestedDriver::Capabilities},
                                           {"pause", &TestedDriver::Pause},
                                           {"prepare", &TestedDriver::Prepare},
                                           {"prepared", &TestedDriver::ListPrepared},
                                           {"unprepare", &TestedDriver::Unprepare}};
  return calls;
}

Co<Result<TestedDriver::Json>> TestedDriver::Call(Context context, std::string name,
                                                  Request* request) {
  std::string names;
  for (const Entry& call : Calls()) {
    if (name == call.name) co_return co_await (this->*call.function)(context, request);
    names += (names.empty() ? "" : ", ") + std::string(call.name);
  }
  co_return Error(Code::kInvalidArgument, "/call: \"" + name + "\" is none of " + names);
}

Result<std::shared_ptr<TestedDriver::Task>> TestedDriver::Named(Request* request) {
  const std::string name = request->Text("task");
  DROVER_TRY(request->status());
  const auto found = tasks_.find(name);
  if (found == tasks_.end()) {
    return Error(Code::kNotFound, "/task: no task \"" + name + "\" has been started");
  }
  return found->second;
}

void TestedDriver::Hear(const std::shared_ptr<Task>& task) {
  const std::weak_ptr<Task> weak = task;
  task->hearing = driver_->OnEvents(task->config->run_id, [this, weak](const DriverEvent& event) {
    const auto alive = weak.lock();
    if (!alive) return;
    if (event.progress) {
      alive->events.push_back({{"progress", ProgressJson(*event.progress)}});
      if (alive->prints_progress) PrintProgress(alive->config->task_name, *event.progress);
    } else {
      alive->events.push_back({{"message", event.message}, {"annotations", event.annotations}});
    }
  });
}

Co<Result<TestedDriver::Json>> TestedDriver::Fingerprint(Context, Request* request) {
  DROVER_CO_TRY(request->status());
  co_return FingerprintJson(driver_->fingerprint());
}

// Checks a task configuration but starts no task. Returns the configuration with all defaults.
Co<Result<TestedDriver::Json>> TestedDriver::Check(Context, Request* request) {
  const std::string config = request->Value("config").dump();
  DROVER_CO_TRY(request->status());
  DROVER_CO_ASSIGN(const std::string normal, driver_->NormalizeConfig(config, true));
  co_return Json::parse(normal);
}

Co<Result<TestedDriver::Json>> TestedDriver::Start(Context context, Request* request) {
  const std::string name = request->Text("task");
  const Json given = request->Value("config");
  const auto env = request->Pairs("env");
  const std::string user = request->Text("user", "");
  const std::string kill_signal = request->Text("kill_signal", "");
  const bool prints_progress = request->Flag("progress", false);
  DROVER_CO_TRY(request->status());
  if (name.empty() || name.find('/') != std::string::npos || name[0] == '.') {
    co_return Error(Code::kInvalidArgument, "/task: must be a name without \"/\"");
  }
  if (tasks_.contains(name)) {
    co_return Error(Code::kFailedPrecondition,
                    "/task: \"" + name + "\" exists already: destroy it first");
  }
  const std::string config = given.is_null() ? "{}" : given.dump();
  DROVER_CO_ASSIGN(std::string normal, driver_->NormalizeConfigAt("/config", config, true));
  const auto task = std::make_shared<Task>();
  auto described = std::make_shared<TaskConfig>(MakeKitTask(options_.directory, name));
  described->driver_config_json = std::move(normal);
  described->user = user;
  described->kill_signal = kill_signal;
  for (const auto& [key, value] : env) described->env[key] = value;
  task->config = described;
  task->prints_progress = prints_progress;
  tasks_[name] = task;
  Hear(task);
  const Result<StartedTask> started = co_await driver_->Start(context, task->config);
  if (!started.ok()) {
    // Destroy the run, as the agent does. The driver must then remove what is left of a failed
    // start.
    const Context patient = Context(loop_).WithTimeout(30s);
    (void)co_await driver_->Destroy(patient, described->run_id, true);
    tasks_.erase(name);
    co_return started.error();
  }
  task->handle = started->handle;
  Json answer = {{"run_id", described->run_id.ToString()},
                 {"alloc_dir", described->alloc_dir},
                 {"task_dir", described->task_dir},
                 {"handle_version", started->handle.format_version}};
  if (started->network) {
    answer["network"] = {{"ip", started->network->ip},
                         {"ports", started->network->port_map},
                         {"auto_advertise", started->network->auto_advertise}};
  }
  co_return answer;
}

Co<Result<TestedDriver::Json>> TestedDriver::Wait(Context context, Request* request) {
  DROVER_CO_ASSIGN(const auto task, Named(request));
  DROVER_CO_ASSIGN(const ExitResult end, co_await driver_->Wait(context, task->config->run_id));
  co_return ExitJson(end);
}

Co<Result<TestedDriver::Json>> TestedDriver::Inspect(Context context, Request* request) {
  DROVER_CO_ASSIGN(const auto task, Named(request));
  DROVER_CO_ASSIGN(const TaskStatus status,
                   co_await driver_->Inspect(context, task->config->run_id));
  co_return StatusJson(status);
}

Co<Result<TestedDriver::Json>> TestedDriver::Signal(Context context, Request* request) {
  const std::string signal = request->Text("signal");
  DROVER_CO_ASSIGN(const auto task, Named(request));
  DROVER_CO_TRY(co_await driver_->Signal(context, task->config->run_id, signal));
  co_return Json::object();
}

Co<Result<TestedDriver::Json>> TestedDriver::Stop(Context context, Request* request) {
  const std::string signal = request->Text("signal", "");
  const auto timeout = std::chrono::milliseconds(request->Number("kill_timeout_ms", 1000));
  DROVER_CO_ASSIGN(const auto task, Named(request));
  DROVER_CO_TRY(co_await driver_->Stop(context, task->config->run_id, timeout, signal));
  co_return Json::object();
}

Co<Result<TestedDriver::Json>> TestedDriver::Destroy(Context context, Request* request) {
  const bool force = request->Flag("force", false);
  const std::string name = request->Text("task");
  DROVER_CO_ASSIGN(const auto task, Named(request));
  DROVER_CO_TRY(co_await driver_->Destroy(context, task->config->run_id, force));
  tasks_.erase(name);
  co_return Json::object();
}

// Returns the output of the task so far. After a Wait, the output is complete.
Co<Result<TestedDriver::Json>> TestedDriver::Logs(Context, Request* request) {
  const std::string stream = request->Text("stream", "stdout");
  DROVER_CO_ASSIGN(const auto task, Named(request));
  if (stream != "stdout" && stream != "stderr") {
    co_return Error(Code::kInvalidArgument, "/stream: must be stdout or stderr");
  }
  const TaskConfig* config = task->config.get();
  std::function<std::string()> read = [config, stream] {
    LogReader reader(config->log_dir, config->task_name, stream, LogStart());
    std::string text;
    for (bool more = true; more;) {
      const LogReader::Step step = reader.Read(1 << 16);
      if (step.chunk) text += step.chunk->data;
      more = step.more;
    }
    return text;
  };
  const std::string text = co_await workers_->Run(std::move(read));
  co_return Json({{"text", text}});
}

Co<Result<TestedDriver::Json>> TestedDriver::Stats(Context context, Request* request) {
  const std::int64_t count = request->Number("samples", 1);
  StatsRequest wanted{std::chrono::milliseconds(request->Number("interval_ms", 1000))};
  if (request->Flag("processes", false)) wanted.detail = UsageDetail::kProcesses;
  DROVER_CO_ASSIGN(const auto task, Named(request));
  Json samples = Json::array();
  Context enough = context.Child();
  std::function<void(TaskUsage)> sink = [&samples, &enough, count](const TaskUsage& usage) {
    if (samples.size() < static_cast<std::size_t>(count)) samples.push_back(UsageJson(usage));
    if (samples.size() >= static_cast<std::size_t>(count)) enough.Cancel("enough samples");
  };
  const Status ended = co_await driver_->Stats(enough, task->config->run_id, wanted, sink);
  if (samples.size() < static_cast<std::size_t>(count)) {
    if (!ended.ok()) co_return ended.error();
    co_return Error(Code::kUnavailable, "the driver ended the stream after " +
                                            std::to_string(samples.size()) + " samples");
  }
  co_return Json({{"samples", samples}});
}

namespace {

Co<void> WaitForSession(TaskExecSession* session, Context context,
                        std::optional<Result<ExitResult>>* end) {
  *end = co_await session->Wait(context);
}

// Writes the session's input and reads its output, until the session has ended.
Co<void> Pump(Loop* loop, ExecStreams* streams, std::string input,
              const std::optional<Result<ExitResult>>* end) {
  const Context forever(loop);
  bool feeding = true;
  while (true) {
    const bool ended = end->has_value();
    if (feeding && (!streams->Write(&input) || input.empty())) {
      streams->CloseInput();
      feeding = false;
    }
    streams->Drain();
    if (ended) co_return;
    (void)co_await Sleep(forever, 5ms);
  }
}

}  // namespace

Co<Result<TestedDriver::Json>> TestedDriver::Exec(Context context, Request* request) {
  const std::vector<std::string> command = request->Texts("command");
  const std::string input = request->Text("stdin", "");
  const bool tty = request->Flag("tty", false);
  DROVER_CO_ASSIGN(const auto task, Named(request));
  ExecStreams streams;
  ExecRequest exec = streams.Open(command, tty);
  DROVER_CO_ASSIGN(const auto session,
                   co_await driver_->Exec(context, task->config->run_id, std::move(exec)));
  std::optional<Result<ExitResult>> end;
  std::vector<Co<void>> both;
  both.push_back(WaitForSession(session.get(), context, &end));
  both.push_back(Pump(loop_, &streams, input, &end));
  co_await InParallel(loop_, std::move(both));
  if (!end->ok()) co_return end->error();
  Json answer = ExitJson(**end);
  answer["stdout"] = streams.out();
  answer["stderr"] = streams.err();
  co_return answer;
}

Co<Result<TestedDriver::Json>> TestedDriver::Events(Context, Request* request) {
  DROVER_CO_ASSIGN(const auto task, Named(request));
  co_return Json({{"events", task->events}});
}

// Has the same effect on a driver as a restart of the agent. It shuts the instance down, and a new
// instance recovers the tasks. If "handles" is false, the new instance gets no handles, as if the
// agent had crashed before it stored them.
Co<Result<TestedDriver::Json>> TestedDriver::Reload(Context context, Request* request) {
  const bool handles = request->Flag("handles", true);
  DROVER_CO_TRY(request->status());
  co_await registries_.back()->Shutdown();
  DROVER_CO_TRY(co_await Load());
  Json answer = Json::object();
  std::vector<RunId> known;
  for (const auto& [name, task] : tasks_) {
    const TaskHandle handle = handles ? task->handle : TaskHandle();
    const Result<RecoveredTask> back = co_await driver_->Recover(context, task->config, handle);
    if (!back.ok()) {
      answer[name] = {{"error", ErrorJson(back.error())}};
      continue;
    }
    known.push_back(task->config->run_id);
    task->handle = back->handle;
    Hear(task);
    answer[name] = {{"state", back->exited ? "exited" : "running"}};
    if (back->exited) answer[name]["exit"] = ExitJson(*back->exited);
  }
  co_await registries_.back()->RestoreComplete(context, driver_->info().name, known);
  co_return Json({{"tasks", answer}});
}

Co<void> TestedDriver::Close() {
  const Context patient = Context(loop_).WithTimeout(10s);
  for (const auto& [name, task] : tasks_) {
    (void)co_await driver_->Destroy(patient, task->config->run_id, true);
  }
  tasks_.clear();
  processes_->KillAll();
  if (!registries_.empty()) co_await registries_.back()->Shutdown();
}

}  // namespace drover
