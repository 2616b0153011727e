// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/plugin/registry_fixture.h"
#include "host/process/cgroup_tracker.h"
#include "host/process/process_service.h"
#include "host/process/small_file.h"

namespace drover {

// A host for drivers with a real process service, in a directory and cgroups of its own.
class ProcessFixture : public RegistryFixture {
 protected:
  void SetUp() override {
    for (const char* path : {"alloc", "alloc/logs", "task/local", "task/secrets"}) {
      std::filesystem::create_directories(directory_.path() + "/" + path);
      std::filesystem::permissions(directory_.path() + "/" + path, std::filesystem::perms::all);
    }
    const std::string mounts = ReadSmallFile(AT_FDCWD, "/proc/self/mounts").value_or("");
    const std::optional<std::string> mount = CgroupTracker::FindMount(mounts);
    name_ = "drover-test-" + std::to_string(getpid());
    cgroup_root_ = mount ? *mount + "/" + name_ : "none";
    if (mount) cgroups_.push_back(cgroup_root_);
    NewService();
  }
  void NewService() {
    ProcessServiceOptions options;
    options.run_dir = directory_.path() + "/run";
    options.cgroup_root = cgroup_root_;
    Result<std::unique_ptr<ProcessService>> service = NewProcessService(&loop_, options);
    ASSERT_TRUE(service.ok()) << service.error().message();
    service_ = std::move(*service);
    processes_ = service_.get();
  }
  void TearDown() override {
    if (!service_) return;  // skipped
    if (registry_) Await(registry_->Shutdown());
    registry_.reset();
    service_.reset();
    for (const char* controller : {"memory", "cpu", "cpuacct", "pids", "freezer"})
      cgroups_.push_back("/sys/fs/cgroup/" + std::string(controller) + "/" + name_);
    for (const std::string& path : cgroups_)
      if (rmdir(path.c_str()) != 0 && errno != ENOENT) ADD_FAILURE() << path << " is left";
  }

  // A task that runs SCRIPT in a shell. MORE is the rest of its configuration, from a comma on.
  std::shared_ptr<TaskConfig> Script(const std::string& script, const std::string& more = "") {
    auto config = std::make_shared<TaskConfig>();
    config->run_id = RunId::Random();
    config->task_name = "web";
    config->id = "id/web/" + config->run_id.ToString();
    config->alloc_dir = directory_.path() + "/alloc";
    config->log_dir = directory_.path() + "/alloc/logs";
    config->task_dir = directory_.path() + "/task";
    config->local_dir = config->task_dir + "/local";
    config->secrets_dir = config->task_dir + "/secrets";
    config->env = {{"PATH", "/usr/bin:/bin"}, {"AWS_KEY", "secret"}};
    config->resources.memory_mb = 64;
    config->cpu_shares = 100;
    config->driver_config_json =
        R"({"command": "sh", "args": ["-c", ")" + script + "\"]" + more + "}";
    return config;
  }

  TestDirectory directory_;
  std::unique_ptr<ProcessService> service_;
  std::vector<std::string> cgroups_;
  std::string name_;
  std::string cgroup_root_;
};

}  // namespace drover
