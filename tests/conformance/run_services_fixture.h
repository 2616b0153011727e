// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "host/base/gate.h"
#include "host/plugin/supervised_driver.h"
#include "tests/conformance/process_fixture.h"

namespace drover {

// A host with a real process service and the driver uses_run_services, in this process or in one of
// its own. Its task asks the host for what the test says (tests/fault_drivers/test_run_services.c).
// At the end of a test nothing of the task may be left.
class RunServicesFixture : public ProcessFixture, public testing::WithParamInterface<const char*> {
 protected:
  RunServicesFixture() : asking_(&loop_) {
    isolation_ = GetParam();
    options_.limits.relaunch_first = 10ms;
    options_.limits.abandoned = 10ms;
  }
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "it needs root and cgroups";
    ProcessFixture::SetUp();
    if (cgroup_root_ == "none") GTEST_SKIP() << "this machine has no cgroups";
    LoadDriver();
    task_ = StartTask();
  }
  void TearDown() override {
    if (task_ && registry_) DestroyTask();
    if (task_ && service_) EXPECT_TRUE(Await(service_->Release(context_, task_->run_id)).ok());
    if (service_) ExpectNothingIsLeft();
    if (registry_) Await(registry_->Shutdown());
    Await(asking_.Close());
    registry_.reset();
    ProcessFixture::TearDown();
  }

  void LoadDriver() {
    options_.plugins.clear();
    driver_ = LoadOne("uses_run_services");
    Await(registry_->RestoreComplete(context_, "test", {}));
  }
  std::shared_ptr<const TaskConfig> StartTask(const std::string& network = "") {
    const std::shared_ptr<TaskConfig> task = Script("");
    task->driver_config_json = "{}";
    task->network_namespace_path = network;
    const Result<StartedTask> started = Await(driver_->Start(context_, task));
    EXPECT_TRUE(started.ok()) << started.error().message();
    if (started.ok()) handle_ = started->handle;
    return task;
  }
  void DestroyTask() {
    const Status gone = Await(driver_->Destroy(context_, task_->run_id, true));
    EXPECT_TRUE(gone.ok()) << gone.error().message();
    task_ = nullptr;
  }
  // Ends the agent, and starts another one, which knows no task. Its processes and places stay.
  void RestartAgent() {
    Await(registry_->Shutdown());
    registry_.reset();
    (void)Until([] { return false; }, 10ms);  // what was posted
    service_.reset();
    NewService();
    LoadDriver();
  }
  // Gives the driver another file while its tasks run.
  Status Reload(const std::string& file) {
    PluginConfig wanted = *registry_->FindConfig("test");
    wanted.file = TestPlugin(file);
    const Result<PluginReport> done = Await(registry_->Reload(context_, std::move(wanted)));
    return done.ok() ? Status() : Status(done.error());
  }

  // Lets the task ask the host for WHAT, and returns the answer.
  Status Ask(const std::string& what) {
    return Await(driver_->Signal(context_, task_->run_id, "do " + what));
  }
  // Does the same for a request that must succeed, and returns what the task has learned.
  std::string Answer(const std::string& what) {
    const Status asked = Ask(what);
    EXPECT_TRUE(asked.ok()) << what << ": " << asked.error().message();
    return asked.ok() ? Attribute("said") : "";
  }
  // Lets the task ask, and does not wait for the answer.
  using Pending = std::shared_ptr<std::optional<Status>>;
  Pending Begin(const std::string& what) {
    auto answer = std::make_shared<std::optional<Status>>();
    const auto ask = [](Driver* of, Context context, RunId run, std::string text,
                        Pending to) -> Co<void> {
      *to = co_await of->Signal(context, run, std::move(text));
    };
    asking_.Spawn(ask(driver_, context_, task_->run_id, "do " + what, answer));
    return answer;
  }
  bool HasEnded(const Pending& pending) {
    return Until([&pending] { return pending->has_value(); }, 20s);
  }
  // The number of requests that have not ended.
  int OpenRequests() { return std::atoi(Attribute("open").c_str()); }
  std::string Attribute(const std::string& name) {
    const Result<TaskStatus> status = Await(driver_->Inspect(context_, task_->run_id));
    EXPECT_TRUE(status.ok()) << status.error().message();
    return status.ok() ? status->attributes.at(name) : "";
  }

  // A process as "running PID CGROUP pidfd" describes it.
  struct NamedProcess {
    pid_t pid = 0;
    std::string cgroup;
    std::string pidfd;
  };
  static NamedProcess ReadProcess(const std::string& said) {
    NamedProcess process;
    std::string state;
    std::istringstream(said) >> state >> process.pid >> process.cgroup >> process.pidfd;
    EXPECT_EQ(state, "running") << said;
    return process;
  }
  // Starts a shell as the process NAME.
  NamedProcess StartAs(const std::string& name, const std::string& script) {
    return ReadProcess(Answer("start " + name + " " + script));
  }

  static bool Lives(pid_t pid) { return pid > 0 && kill(pid, 0) == 0; }
  bool IsGone(pid_t pid) {
    return Until([pid] { return kill(pid, 0) != 0 && errno == ESRCH; }, 20s);
  }
  pid_t PidIn(const std::string& path) {
    pid_t pid = 0;
    EXPECT_TRUE(Until([&] { return static_cast<bool>(std::ifstream(path) >> pid); }, 20s)) << path;
    return pid;
  }
  // The run directory is empty. TearDown of ProcessFixture looks for cgroups.
  void ExpectNothingIsLeft() {
    const std::string path = directory_.path() + "/run";
    EXPECT_TRUE(Until([&path] { return std::filesystem::is_empty(path); }, 5s));
    for (const auto& entry : std::filesystem::directory_iterator(path))
      ADD_FAILURE() << "left in the run directory: " << entry.path();
  }

  Driver* driver_ = nullptr;
  std::shared_ptr<const TaskConfig> task_;
  TaskHandle handle_;

 private:
  Gate asking_;
};

}  // namespace drover
