// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <utility>

#include "config/host_path.h"
#include "config/rules.h"
#include "container/create_body.h"
#include "container/names.h"
#include "driver/docker_driver.h"
#include "driver/host_services.h"
#include "engine/json_read.h"

namespace drover_docker {
namespace {

using drover::Code;
using drover::Error;

constexpr std::chrono::seconds kReportInterval{10};
constexpr std::chrono::minutes kMoreTime{2};
constexpr int kNameRetryMs = 200;
constexpr std::chrono::nanoseconds kClockSlack = std::chrono::seconds(2);  // of the engine's clock
const char kPulling[] = "Pulling image";
const char kNoLogs[] = "none";  // the driver of logs that keeps nothing, so there is no output

std::string Bytes(std::uint64_t count) {
  if (count >= 10u << 20) return std::to_string(count >> 20) + " MiB";
  return std::to_string(count >> 10) + " KiB";
}

// Returns the sources of the job's mounts, which it checks. It is called again just before the
// start, since other tasks of the allocation may have changed the directories meanwhile.
std::vector<std::string> SourcesOf(const drover::TaskConfig& config, const Settings& settings,
                                   const TaskOptions& options) {
  const TaskPlaces places{config.task_dir, config.alloc_dir};
  std::vector<std::string> out;
  for (const MountOption& mount : options.mounts) {
    const bool bind = mount.kind == MountKind::kBind;
    out.push_back(bind ? BindSource(settings, places, mount) : std::string());
  }
  return out;
}

// Returns the container that HANDLE names; empty if it names none.
std::string ContainerIn(const std::optional<drover::TaskHandle>& handle) {
  if (!handle) return "";
  const auto state = nlohmann::json::parse(handle->state, nullptr, false);
  return TextAt(state, {"container"});
}

bool IsNameConflict(const EngineError& error) {
  return error.conflict() || error.reason().find("already in use") != std::string::npos;
}

}  // namespace

drover::Started DockerDriver::Start(const drover::TaskConfig& config,
                                    const drover::CallView& call) {
  const auto settings = this->settings();
  const TaskOptions options = TaskOptions::Read(config.driver_config);
  CheckRules(*settings, options, config.alloc_id);
  LearnNodeId(config);
  auto task = std::make_shared<DockerTask>();
  task->run = config.run_id;
  task->name = ContainerName(config);
  task->alloc_id = config.alloc_id;
  task->task_dir = config.task_dir;
  task->start_cancel = CancelOf(call);
  task->starting = true;
  if (!tasks_.Insert(config.run_id, task)) {
    throw Error(Code::kFailedPrecondition, "task with ID \"" + config.id + "\" already started");
  }
  WantAgain(config.run_id);
  try {
    const bool podman = IsPodman(task->start_cancel);
    const NetworkPlan plan = PlanNetwork(config, options, /*joins_by_path=*/podman);
    StartContainer(config, *settings, options, plan, task, call);
    ContainerInfo info;
    // Only an address that the engine has chosen costs another request.
    const bool has_address = !plan.joins && plan.mode != "none";
    if (has_address) info = engine_->InspectContainer(task->container, task->start_cancel);
    task->start_cancel.Check();
    drover::Started out;
    {
      std::lock_guard<std::mutex> lock(task->mutex);
      if (task->given_up) throw Error(Code::kCancelled, "the start was given up");
      task->starting = false;
      task->started_at = info.started_at != 0 ? info.started_at : drover::WallNow();
      drover::Json::Object state;
      state["container"] = drover::Json(task->container);
      out.handle = drover::TaskHandle{1, drover::Json(std::move(state)).Text(), ""};
      task->changed.notify_all();
    }
    std::string ipv6;
    for (const auto& network : At(info.raw, {"NetworkSettings", "Networks"})) {
      if (ipv6.empty()) ipv6 = TextAt(network, {"GlobalIPv6Address"});
    }
    out.network = NetworkOf(plan, options, info.ip, ipv6);
    Watch(task);
    return out;
  } catch (...) {
    GiveUpStart(task);
    throw;
  }
}

// Removes what a start that fails, or is given up, has made. What the engine does not remove now,
// the destroy that follows removes, or the search for leftovers.
void DockerDriver::GiveUpStart(const TaskPtr& task) {
  std::shared_ptr<LogCopy> logs;
  {
    std::lock_guard<std::mutex> lock(task->mutex);
    logs.swap(task->logs);
  }
  if (logs != nullptr) logs->Stop();
  try {
    std::string id;
    {
      std::lock_guard<std::mutex> lock(task->mutex);
      id = task->container;
    }
    RemoveRun(task->run, id, closing_);
  } catch (const Error& error) {
    host().Log(drover::LogLevel::kWarn, task->run,
               "the container of a start that failed stays for now: " + error.message());
  }
  images_->Release(task->run.Text(), !settings()->gc_image, settings()->gc_image_delay);
  tasks_.Erase(task->run, task);
  std::lock_guard<std::mutex> lock(task->mutex);
  task->starting = false;
  task->changed.notify_all();
}

ImageNews DockerDriver::NewsOf(const drover::RunId& run, const drover::CallView& call,
                               const CancelToken& cancel) {
  ImageNews news;
  news.event = [this, run](const std::string& text) { Emit(drover::Event{run, text, {}}); };
  news.run = [this, call, cancel](std::vector<std::string> argv, std::string input) {
    return RunProgram(host(), call, cancel, std::move(argv), std::move(input));
  };
  auto next = std::make_shared<std::chrono::steady_clock::time_point>(
      std::chrono::steady_clock::now() + kReportInterval);
  news.progress = [this, run, call, next](const PullProgress& progress) {
    PullState state;
    state.phase = kPulling;  // one for all layers: each phase is an event of its own
    state.done = progress.done;
    state.total = progress.total;
    state.text = (progress.phase.empty() ? "" : progress.phase + ", ") +
                 std::to_string(progress.complete) + " of " + std::to_string(progress.layers) +
                 " layers";
    const bool shown = ReportPull(host(), call, state);
    const auto now = std::chrono::steady_clock::now();
    if (now < *next) return;
    *next = now + kReportInterval;
    AskForTime(host(), call, kMoreTime);
    if (shown) return;
    Emit(drover::Event{run,
                       "Docker image pull progress: " + state.text + ", " + Bytes(state.done) +
                           " of " + Bytes(state.total),
                       {}});
  };
  return news;
}

void DockerDriver::StartContainer(const drover::TaskConfig& config, const Settings& settings,
                                  const TaskOptions& options, const NetworkPlan& plan,
                                  const TaskPtr& task, const drover::CallView& call) {
  const CancelToken& cancel = task->start_cancel;
  const std::string id = MakeContainer(config, settings, options, plan, task, call);
  {
    std::lock_guard<std::mutex> lock(task->mutex);
    task->container = id;
    task->stop_signal = config.kill_signal;
  }
  SourcesOf(config, settings, options);
  const Logging& logging = options.logging ? *options.logging : settings.logging;
  const bool collects =
      !config.logs_disabled && !settings.disable_log_collection && logging.driver != kNoLogs;
  std::shared_ptr<drover::OutputPipes> pipes;
  if (collects && host().task_output().available())
    pipes = host().task_output().Open(config.run_id);
  cancel.Check();
  engine_->StartContainer(id, cancel);
  if (pipes != nullptr) CollectLogs(task, options.tty, std::move(pipes));
}

std::string DockerDriver::MakeContainer(const drover::TaskConfig& config, const Settings& settings,
                                        const TaskOptions& options, const NetworkPlan& plan,
                                        const TaskPtr& task, const drover::CallView& call) {
  const CancelToken& cancel = task->start_cancel;
  const ImageNews news = NewsOf(config.run_id, call, cancel);
  Settings own = settings;
  if (!options.logging) ReplaceReferences(host(), config.run_id, &own.logging.options);
  const std::int64_t attempts =
      options.container_exists_attempts.value_or(settings.container_exists_attempts);
  for (int tries = 0;; ++tries) {
    const std::string image =
        images_->Take(config.run_id.Text(), settings, options, config.task_dir, news, cancel);
    std::string joined;
    if (plan.needs_pause) joined = pauses_->Join(config, options, cancel);
    const bool placed = settings.host_cgroups && makes_cgroups_;
    BodyInput input{own,
                    options,
                    config,
                    plan,
                    image,
                    joined,
                    SourcesOf(config, settings, options),
                    podman_,
                    placed ? CgroupOf(host(), config.run_id) : std::string()};
    try {
      return CreateUnique(*task, CreateBody(input), attempts, cancel);
    } catch (const EngineError& error) {
      // Somebody has removed the image between the two requests.
      const bool image_gone =
          error.not_found() && tries == 0 && !engine_->InspectImage(image, cancel);
      if (!image_gone) throw;
    }
  }
}

std::string DockerDriver::CreateUnique(const DockerTask& task, const nlohmann::json& body,
                                       std::int64_t attempts, const CancelToken& cancel) {
  const std::string& name = task.name;
  const std::int64_t begin = drover::WallNow();
  for (std::int64_t tries = 0;; ++tries) {
    try {
      const Engine::Created created = engine_->CreateContainer(name, body, cancel);
      for (const std::string& warning : created.warnings) {
        host().Log(drover::LogLevel::kWarn,
                   "the engine warns about " + Quoted(name) + ": " + Printable(warning, 300));
      }
      return created.id;
    } catch (const EngineError& error) {
      if (!IsNameConflict(error) || tries >= attempts) throw;
    } catch (const Error&) {
      AwaitBrokenOff(task.run, begin - kClockSlack.count());
      throw;
    }
    RemoveStale(task, cancel);
  }
}

// Removes the container with the name of TASK if it is one of this node that no task has any more.
// One of the same run is left from a create whose answer was lost.
void DockerDriver::RemoveStale(const DockerTask& task, const CancelToken& cancel) {
  const std::string& name = task.name;
  ContainerInfo found;
  try {
    found = engine_->InspectContainer(name, cancel);
  } catch (const EngineError& error) {
    if (error.not_found()) return;  // it has just gone
    throw;
  }
  const auto node = found.labels.find(kNodeLabel);
  const auto run = found.labels.find(kRunLabel);
  if (node == found.labels.end() || run == found.labels.end() || node->second != NodeId()) {
    throw Error(Code::kFailedPrecondition,
                "the name " + Quoted(name) +
                    " is that of a container which this node has not made: "
                    "remove or rename the container " +
                    found.id.substr(0, 12));
  }
  if (run->second == task.run.Text() || !IsKnown(run->second)) {
    engine_->RemoveContainer(found.id, /*force=*/true, /*volumes=*/true, cancel);
    return;
  }
  pollfd stop{cancel.fd(), POLLIN, 0};  // the earlier run of the task is being destroyed
  ::poll(&stop, 1, kNameRetryMs);
}

void DockerDriver::CollectLogs(const TaskPtr& task, bool tty,
                               std::shared_ptr<drover::OutputPipes> pipes) {
  LogCopy::What what;
  what.run = task->run;
  what.task_dir = task->task_dir;
  what.tty = tty;
  std::shared_ptr<LogCopy> logs;
  {
    std::lock_guard<std::mutex> lock(task->mutex);
    what.container = task->container;
    logs = std::make_shared<LogCopy>(host(), engine_.get(), what,
                                     [this, run = task->run](const std::string& why) {
                                       if (closing_.cancelled()) return;
                                       host().Log(drover::LogLevel::kWarn, run, why);
                                       Emit(drover::Event{run, why, {}});
                                     });
    task->logs = logs;
  }
  logs->Begin(std::move(pipes));
}

drover::Recovered DockerDriver::Recover(const drover::TaskConfig& config,
                                        const std::optional<drover::TaskHandle>& handle,
                                        const drover::CallView& call) {
  LearnNodeId(config);
  try {
    return Adopt(config, handle, CancelOf(call));
  } catch (const Error& error) {
    // An engine that is gone may come back with the task: the host then asks again.
    if (error.code() != Code::kUnavailable && error.code() != Code::kTimeout) throw;
    throw Error::Recoverable(Code::kUnavailable, error.message());
  }
}

drover::Recovered DockerDriver::Adopt(const drover::TaskConfig& config,
                                      const std::optional<drover::TaskHandle>& handle,
                                      const CancelToken& cancel) {
  if (auto known = tasks_.Find(config.run_id)) {
    std::lock_guard<std::mutex> lock(known->mutex);
    return drover::Recovered{known->exited, std::nullopt};
  }
  // The label is the truth; the handle shows that the start was complete, and which one it was if
  // a container of somebody else has the label, too.
  const std::string handled = ContainerIn(handle);
  std::string id;
  for (const ContainerInfo& one :
       engine_->ListContainers({std::string(kRunLabel) + "=" + config.run_id.Text()}, cancel)) {
    const bool ours = one.name == ContainerName(config) || IsNamedAsOurs(one.name, one.labels);
    if (one.id == handled || (ours && id.empty())) id = one.id;
    if (one.id == handled) break;
  }
  if (id.empty()) {
    throw Error(Code::kNotFound, handle ? "the engine has no container of the task any more"
                                        : "the task was never started");
  }
  const ContainerInfo info = engine_->InspectContainer(id, cancel);
  if (info.started_at == 0 && !info.running && !info.ended()) {
    // The start ended between its two halves. The host begins it again.
    RemoveRun(config.run_id, id, cancel);
    throw Error(Code::kNotFound, "the task was never started");
  }
  auto task = std::make_shared<DockerTask>();
  task->run = config.run_id;
  task->name = info.name;
  task->alloc_id = config.alloc_id;
  task->task_dir = config.task_dir;
  task->container = info.id;
  task->stop_signal = config.kill_signal;
  task->started_at = info.started_at;
  if (!tasks_.Insert(config.run_id, task)) {
    const TaskPtr other = tasks_.Need(config.run_id);
    std::lock_guard<std::mutex> lock(other->mutex);
    return drover::Recovered{other->exited, std::nullopt};
  }
  WantAgain(config.run_id);
  // The host finds the place that it has made for the start.
  if (!TextAt(info.raw, {"HostConfig", "CgroupParent"}).empty()) CgroupOf(host(), config.run_id);
  const auto image = info.labels.find(kImageLabel);
  const std::string name = image == info.labels.end() ? info.image_id : image->second;
  images_->Adopt(config.run_id.Text(), info.image_id, name, name);
  const std::string joined = ContainerOf(info.network_mode);
  if (!joined.empty() && !config.network_namespace.empty()) {
    pauses_->Adopt(config.run_id.Text(), config.alloc_id);
  }
  if (!config.logs_disabled && !settings()->disable_log_collection &&
      TextAt(info.raw, {"HostConfig", "LogConfig", "Type"}) != kNoLogs &&
      host().task_output().available()) {
    CollectLogs(task, info.tty, nullptr);
  }
  drover::Recovered out;
  drover::Json::Object state;
  state["container"] = drover::Json(info.id);
  out.handle = drover::TaskHandle{1, drover::Json(std::move(state)).Text(), ""};
  if (!info.running && info.ended()) {
    // The result comes by Wait when the last output is with the host: a host that has the result
    // destroys the task, and with it the output that is not copied.
    EndTask(task, info.Exit());
    std::lock_guard<std::mutex> lock(task->mutex);
    out.exited = task->exited;
    return out;
  }
  Watch(task);
  return out;
}

void DockerDriver::FetchImage(const drover::TaskConfig& config, const drover::CallView& call) {
  const auto settings = this->settings();
  const TaskOptions options = TaskOptions::Read(config.driver_config);
  CheckRules(*settings, options, config.alloc_id);
  if (!options.load.empty()) return;  // the file may be an artifact, which is not there yet
  const CancelToken cancel = CancelOf(call);
  ImageNews news = NewsOf(config.run_id, call, cancel);
  // The host knows no run before the start, and would drop its events. All tasks that wait for the
  // image hear the progress of the call.
  news.event = [this, call](const std::string& text) {
    host().Log(drover::LogLevel::kInfo, text);
    PullState state;
    state.phase = kPulling;
    state.text = text;
    ReportPull(host(), call, state);
  };
  images_->Prefetch(*settings, options, config.task_dir, news, cancel);
}

std::string DockerDriver::ImageKey(const drover::TaskConfig& config) const {
  const TaskOptions options = TaskOptions::Read(config.driver_config);
  // A file to load may be an artifact, which is not there before the start.
  return options.load.empty() ? Images::Key(options) : std::string();
}

}  // namespace drover_docker
