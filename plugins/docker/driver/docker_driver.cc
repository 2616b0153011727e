// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "driver/docker_driver.h"

#include <utility>

#include "config/schema.h"
#include "driver/host_services.h"

namespace drover_docker {
namespace {

std::unique_ptr<Engine> MakeEngine(const Settings& settings) {
  TlsFiles tls;
  tls.ca = settings.tls_ca;
  tls.cert = settings.tls_cert;
  tls.key = settings.tls_key;
  return std::make_unique<Engine>(EngineAddress::Parse(settings.endpoint, std::move(tls)));
}

}  // namespace

drover::Info DockerDriver::Describe() {
  drover::Info info;
  info.offers = DROVER_CAP_SIGNALS | DROVER_CAP_EXEC | DROVER_CAP_STATS;
  info.fs_isolation = DROVER_FS_IMAGE;
  info.config_schema = kConfigSchema;
  info.task_config_schema = kTaskConfigSchema;
  info.start_threads = 32;  // a start waits for its image; the images themselves are limited
  return info;
}

DockerDriver::DockerDriver(drover::Host host, const drover::Json& config)
    : Driver(std::move(host)),
      settings_(std::make_shared<const Settings>(Settings::Read(config))),
      node_id_(NodeIdOf(this->host())),
      engine_(MakeEngine(*settings_)),
      pauses_(std::make_unique<PauseContainers>(this->host(), engine_.get())),
      images_(std::make_unique<Images>(this->host(), engine_.get())) {
  engine_->watch().OnEvent([this](const EngineEvent& event) { HearEvent(event); });
  engine_->watch().OnConnection([this](bool, const std::string&) {
    if (!closing_.cancelled()) ProbeSoon();
  });
}

DockerDriver::~DockerDriver() {
  // What uses the engine ends first. The engine joins its threads, which call this object.
  tasks_.ForAll([](DockerTask& task) {
    std::shared_ptr<LogCopy> logs;
    {
      std::lock_guard<std::mutex> lock(task.mutex);
      logs.swap(task.logs);
    }
    if (logs != nullptr) logs->Stop();
  });
  broken_off_.clear();
  images_.reset();
  pauses_.reset();
  engine_.reset();
}

drover::Info DockerDriver::Configured(drover::Info info) const {
  if (settings()->disable_log_collection) info.offers |= DROVER_CAP_DISABLES_LOG_COLLECTION;
  return info;
}

void DockerDriver::Configure(const drover::Json& config) {
  auto fresh = std::make_shared<const Settings>(Settings::Read(config));
  std::lock_guard<std::mutex> lock(mutex_);
  const Settings& old = *settings_;
  if (fresh->endpoint != old.endpoint || fresh->tls_ca != old.tls_ca ||
      fresh->tls_cert != old.tls_cert || fresh->tls_key != old.tls_key) {
    throw drover::Error(drover::Code::kFailedPrecondition,
                        "/endpoint and /tls cannot change while the plugin is loaded: restart the "
                        "agent");
  }
  if (fresh->disable_log_collection != old.disable_log_collection) {
    throw drover::Error(drover::Code::kFailedPrecondition,
                        "/disable_log_collection cannot change while the plugin is loaded: restart "
                        "the agent");
  }
  settings_ = std::move(fresh);
}

void DockerDriver::Shutdown() {
  closing_.Cancel();
  std::vector<std::weak_ptr<StatsFollow>> stats;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stats.swap(stats_);
    broken_off_.clear();
  }
  for (const auto& weak : stats) {
    if (auto follow = weak.lock()) follow->Stop();
  }
  tasks_.ForAll([](DockerTask& task) {
    task.start_cancel.Cancel();
    std::shared_ptr<LogCopy> logs;
    {
      std::lock_guard<std::mutex> lock(task.mutex);
      logs.swap(task.logs);
    }
    if (logs != nullptr) logs->Stop();
  });
  engine_->Close();
}

std::shared_ptr<const Settings> DockerDriver::settings() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return settings_;
}

bool DockerDriver::IsPodman(const CancelToken& cancel) {
  if (!kind_known_) {
    podman_ = engine_->Version(cancel).name == "podman";
    kind_known_ = true;
  }
  return podman_;
}

std::string DockerDriver::NodeId() {
  std::lock_guard<std::mutex> lock(mutex_);
  return node_id_;
}

void DockerDriver::LearnNodeId(const drover::TaskConfig& task) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (node_id_.empty()) node_id_ = task.node_id;
}

void DockerDriver::Wait(drover::Call<drover::ExitResult> call) {
  auto task = tasks_.Need(call.run_id());
  std::unique_lock<std::mutex> lock(task->mutex);
  if (!task->exited) {
    drover::AddWaiter(&task->waiters, std::move(call));
    return;
  }
  const drover::ExitResult result = *task->exited;
  lock.unlock();
  call.Complete(result);
}

drover::TaskStatus DockerDriver::Inspect(const drover::RunId& run) {
  auto task = tasks_.Need(run);
  std::lock_guard<std::mutex> lock(task->mutex);
  drover::TaskStatus out;
  out.state = task->exited            ? drover::TaskState::kExited
              : task->started_at != 0 ? drover::TaskState::kRunning
                                      : drover::TaskState::kUnknown;
  out.started_at = task->started_at;
  out.completed_at = task->completed_at;
  out.exit_result = task->exited;
  if (!task->container.empty()) out.attributes["container_id"] = task->container;
  out.attributes["container_name"] = task->name;
  return out;
}

}  // namespace drover_docker
