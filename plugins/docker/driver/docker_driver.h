// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "config/plugin_config.h"
#include "config/task_options.h"
#include "container/network_plan.h"
#include "driver/docker_task.h"
#include "driver/images.h"
#include "driver/pause_containers.h"
#include "drover/driver.hpp"
#include "drover/task_table.hpp"
#include "engine/engine.h"

namespace drover_docker {

// The driver `docker`: each task is a container of an engine with Docker's API. docs/docker.md
// describes it.
class DockerDriver : public drover::Driver {
 public:
  static drover::Info Describe();

  DockerDriver(drover::Host host, const drover::Json& config);
  ~DockerDriver() override;

  drover::Info Configured(drover::Info info) const override;
  void Configure(const drover::Json& config) override;
  drover::Fingerprint Probe() override;
  drover::Duration ProbeInterval() const override { return std::chrono::seconds(3); }
  drover::Duration ProbeLimit() const override { return std::chrono::seconds(8); }
  void RestoreComplete(const std::vector<drover::RunId>& runs) override;
  void Shutdown() override;

  drover::Started Start(const drover::TaskConfig& task, const drover::CallView& call) override;
  drover::Recovered Recover(const drover::TaskConfig& task,
                            const std::optional<drover::TaskHandle>& handle,
                            const drover::CallView& call) override;
  void Wait(drover::Call<drover::ExitResult> call) override;
  void StopAsync(drover::StopRequest request, drover::Call<drover::Empty> call) override;
  void Destroy(const drover::RunId& run, bool force, const drover::CallView& call) override;
  drover::TaskStatus Inspect(const drover::RunId& run) override;
  void Signal(const drover::RunId& run, const std::string& name,
              const drover::CallView& call) override;
  void TaskStats(const drover::RunId& run, const drover::StatsRequest& request,
                 drover::Stream<drover::Stats> stream) override;
  void Exec(drover::ExecRequest request, drover::Call<drover::ExitResult> call) override;
  void Resize(std::uint64_t session_id, int width, int height) override;

  // What the optional parts of docker.cc need.
  void Pause(const drover::RunId& run, bool paused, const drover::CallView& call);
  // Fetches the image of a task before the task starts.
  void FetchImage(const drover::TaskConfig& task, const drover::CallView& call);
  // Returns the key of what FetchImage fetches; empty if it fetches nothing.
  std::string ImageKey(const drover::TaskConfig& task) const;

 protected:
  Images& images() { return *images_; }

 private:
  using TaskPtr = std::shared_ptr<DockerTask>;

  std::shared_ptr<const Settings> settings() const;
  bool IsPodman(const CancelToken& cancel);
  std::string NodeId();
  void LearnNodeId(const drover::TaskConfig& task);

  // start.cc
  drover::Recovered Adopt(const drover::TaskConfig& config,
                          const std::optional<drover::TaskHandle>& handle,
                          const CancelToken& cancel);
  void StartContainer(const drover::TaskConfig& config, const Settings& settings,
                      const TaskOptions& options, const NetworkPlan& plan, const TaskPtr& task,
                      const drover::CallView& call);
  std::string MakeContainer(const drover::TaskConfig& config, const Settings& settings,
                            const TaskOptions& options, const NetworkPlan& plan,
                            const TaskPtr& task, const drover::CallView& call);
  std::string CreateUnique(const DockerTask& task, const nlohmann::json& body,
                           std::int64_t attempts, const CancelToken& cancel);
  void RemoveStale(const DockerTask& task, const CancelToken& cancel);
  ImageNews NewsOf(const drover::RunId& run, const drover::CallView& call,
                   const CancelToken& cancel);
  void GiveUpStart(const TaskPtr& task);
  void CollectLogs(const TaskPtr& task, bool tty, std::shared_ptr<drover::OutputPipes> pipes);

  // end.cc
  void Watch(const TaskPtr& task);
  void ContainerEnded(const TaskPtr& task, const drover::Outcome<ContainerInfo>& found);
  void SetExited(const TaskPtr& task, const drover::ExitResult& result);
  void StopContainer(const TaskPtr& task, const drover::StopRequest& request,
                     const drover::Call<drover::Empty>& call);
  void KillNow(const TaskPtr& task);
  bool RemoveRun(const drover::RunId& run, const std::string& known, const CancelToken& cancel);
  bool DestroyNow(const drover::RunId& run, const TaskPtr& task, const CancelToken& cancel);
  void RemoveGivenUp();
  void EndTask(const TaskPtr& task, const drover::ExitResult& result);

  // probe.cc
  StringMap Attributes(const EngineVersion& version, const Settings& settings);
  void HearEvent(const EngineEvent& event);

  // leftovers.cc
  void SweepLater();
  void Sweep(bool all_that_are_unknown);
  bool IsKnown(const std::string& run);
  void WantAgain(const drover::RunId& run);
  void AwaitBrokenOff(const drover::RunId& run, std::int64_t since);
  void RemoveBrokenOff(const std::string& run, const std::string& container);
  void ForgetBrokenOff(const std::string& run);

  void KillExec(const std::string& container, const std::string& exec_id);

  std::atomic<bool> podman_{false};
  std::atomic<bool> kind_known_{false};
  // The engine is dockerd on this machine, and makes cgroups itself, without systemd.
  std::atomic<bool> makes_cgroups_{false};
  CancelToken closing_;
  drover::TaskTable<DockerTask> tasks_;
  drover::abi::OpenTable<ExecSlot> sessions_;

  mutable std::mutex mutex_;  // guards the members below
  std::shared_ptr<const Settings> settings_;
  std::string node_id_;
  std::set<std::string> restored_;    // runs that the host knew at the start
  std::set<drover::RunId> given_up_;  // runs whose destruction has failed
  bool removing_given_up_ = false;
  // The events of runs whose create was given up without an answer.
  std::map<std::string, Engine::Subscription> broken_off_;
  std::vector<std::weak_ptr<StatsFollow>> stats_;
  bool was_healthy_ = false;
  bool sweeping_ = false;
  std::string attributes_of_;  // the version for which ATTRIBUTES_ was asked
  StringMap attributes_;

  // In the order of their use: a later one uses the earlier ones.
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<PauseContainers> pauses_;
  std::unique_ptr<Images> images_;
};

}  // namespace drover_docker
