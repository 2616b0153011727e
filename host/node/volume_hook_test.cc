// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/volume_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "host/base/await_for_test.h"
#include "host/base/directory_for_test.h"
#include "host/node/env_preparer.h"

namespace drover {
namespace {

using ::testing::HasSubstr;

class VolumeHookTest : public ::testing::Test {
 protected:
  VolumeHookTest() : base_(std::filesystem::canonical(directory_.path()).string()) {
    for (const char* name : {"/data", "/certs", "/own"}) {
      std::filesystem::create_directories(base_ + name);
    }
    options_.loop = &loop_;
    options_.configured = {{"data", {base_ + "/data", false}},
                           {"certs", {base_ + "/certs", true}},
                           {"own[3]", {base_ + "/own", false}}};
    group_.name = "group";
    group_.volumes["data"] = {"host", "data"};
    group_.volumes["certs"] = {"host", "certs"};
    group_.volumes["read"] = {"host", "data", true};
    group_.volumes["own"].source = "own";
    group_.volumes["own"].per_alloc = true;
    group_.volumes["none"] = {"host", "none"};
  }

  // Calls the hook of a task with MOUNTS.
  Result<PrestartResponse> Mount(std::vector<VolumeMount> mounts,
                                 FsIsolation isolation = FsIsolation::kChroot) {
    Task task;
    task.name = "web";
    task.meta["place"] = "there";
    task.volume_mounts = std::move(mounts);
    TaskGroup group = group_;
    group.tasks = {task};
    auto job = std::make_shared<Job>();
    job->groups = {group};
    auto alloc = std::make_shared<Allocation>();
    alloc->job = std::move(job);
    alloc->group_name = "group";
    alloc->index = 3;
    PrestartRequest request;
    request.alloc = std::move(alloc);
    request.task = std::make_shared<const Task>(task);
    request.driver.name = "a-driver";
    request.driver.fs_isolation = isolation;
    VolumeHook hook(std::make_shared<HostVolumes>(options_), preparer_.get());
    return AwaitForTest(&loop_, hook.Prestart(Context(&loop_), request));
  }
  std::string FaultOf(std::vector<VolumeMount> mounts) {
    const auto answer = Mount(std::move(mounts));
    return answer.ok() ? "" : answer.error().message();
  }

  const DirectoryForTest directory_;
  const std::string base_;
  RealLoop loop_;
  NodeInfo node_;
  const std::unique_ptr<TaskPreparer> preparer_ = NewEnvPreparer(&node_, {}, 1000);
  HostVolumesOptions options_;
  TaskGroup group_;
};

TEST_F(VolumeHookTest, AMountIsReadOnlyIfAnybodySaysSo) {
  const auto answer = Mount({{"data", "/a"},
                             {"data", "/b", true},
                             {"read", "/c"},
                             {"certs", "/d", false, "host-to-task"},
                             {"own", "/e"}});
  ASSERT_TRUE(answer.ok()) << answer.error().message();
  EXPECT_EQ(answer->mounts,
            (std::vector<TaskMount>{{"/a", base_ + "/data", false, "private", true},
                                    {"/b", base_ + "/data", true, "private", true},
                                    {"/c", base_ + "/data", true, "private", true},
                                    {"/d", base_ + "/certs", true, "host-to-task", true},
                                    {"/e", base_ + "/own", false, "private", true}}));
  EXPECT_FALSE(answer->done) << "each start looks at the sources again";
}

TEST_F(VolumeHookTest, ADestinationMayHaveReferences) {
  const auto answer = Mount({{"data", "/srv/${NOMAD_META_place}"}});
  ASSERT_TRUE(answer.ok()) << answer.error().message();
  EXPECT_EQ(answer->mounts[0].task_path, "/srv/there");
}

TEST_F(VolumeHookTest, ADestinationThatReferencesMakeWrongIsAnError) {
  node_.meta["up"] = "..";
  node_.meta["here"] = ".";
  EXPECT_THAT(FaultOf({{"data", "/${meta.here}/"}}), HasSubstr("is the root of the task"));
  EXPECT_THAT(FaultOf({{"data", "/srv/${meta.up}/etc"}}), HasSubstr("no absolute path without"));
  EXPECT_THAT(FaultOf({{"data", "${meta.up}"}}), HasSubstr("\"..\" is no absolute path"));
  EXPECT_THAT(FaultOf({{"data", "${NOMAD_META_place}"}}), HasSubstr("\"there\" is no absolute"));
}

TEST_F(VolumeHookTest, WhatIsMissingIsAnError) {
  EXPECT_THAT(FaultOf({{"none", "/a"}}), HasSubstr("this node has no volume \"none\""));
  EXPECT_THAT(FaultOf({{"unknown", "/a"}}), HasSubstr("the group has no volume \"unknown\""));
  std::filesystem::remove(base_ + "/data");
  const auto answer = Mount({{"data", "/a"}});
  ASSERT_FALSE(answer.ok());
  EXPECT_TRUE(answer.error().recoverable());
}

TEST_F(VolumeHookTest, ADriverThatSharesTheFilesOfTheMachineRefuses) {
  const auto answer = Mount({{"data", "/a"}}, FsIsolation::kNone);
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message(), HasSubstr("driver \"a-driver\" cannot mount volumes"));
  EXPECT_FALSE(answer.error().recoverable());
  EXPECT_TRUE(Mount({{"data", "/a"}}, FsIsolation::kImage).ok());
}

}  // namespace
}  // namespace drover
