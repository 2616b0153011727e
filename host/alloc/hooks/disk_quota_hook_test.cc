// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hooks/disk_quota_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "host/alloc/alloc_state.h"
#include "host/alloc/fake_project_quotas_for_test.h"
#include "host/base/directory_for_test.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class DiskQuotaHookTest : public ::testing::Test, public AllocControl {
 protected:
  DiskQuotaHookTest() { std::filesystem::create_directories(directory_.path() + "/id/alloc"); }

  void RequestEnd(std::string) override {}
  AllocSnapshot snapshot() const override { return state_; }

  Status Prerun() {
    auto job = std::make_shared<Job>();
    job->groups.resize(1);
    job->groups[0].name = "group";
    job->groups[0].ephemeral_disk_mb = 10;
    auto alloc = std::make_shared<Allocation>();
    alloc->id = "id";
    alloc->job = std::move(job);
    alloc->group_name = "group";
    AllocHookRequest request;
    request.alloc = std::move(alloc);
    std::optional<Status> result;
    auto whole = [](Co<Status> inner, std::optional<Status>* out) -> Co<void> {
      out->emplace(co_await std::move(inner));
    };
    DiskQuotaHook hook(quota_, &pool_, this);
    DROVER_CHECK(loop_.RunToEnd(whole(hook.Prerun(Context(&loop_), request), &result)));
    return *result;
  }
  void Start() {
    auto task = std::make_shared<TaskStateRecord>();
    task->started_at = 1;
    auto state = std::make_shared<AllocState>();
    state->tasks["task"] = std::move(task);
    state_ = std::move(state);
  }

  const DirectoryForTest directory_;
  FakeProjectQuotas quotas_;
  const std::shared_ptr<const DiskQuota> quota_ =
      std::make_shared<DiskQuota>(DiskQuotaOptions{directory_.path(), 100, 100, &quotas_});
  RealLoop loop_;
  WorkerPool pool_{1};
  AllocSnapshot state_;
};

TEST_F(DiskQuotaHookTest, TheDirectoryMayHaveItsSize) {
  EXPECT_TRUE(Prerun().ok());
  EXPECT_THAT(quotas_.limits, ElementsAre(Pair(100u, std::int64_t{10} << 20)));
}

TEST_F(DiskQuotaHookTest, WithoutAQuotaTheAllocationRunsAllTheSame) {
  quotas_.elsewhere[100].files = 1;
  EXPECT_TRUE(Prerun().ok());
  EXPECT_THAT(quotas_.limits, IsEmpty());
  EXPECT_EQ(quota_->Used("id"), std::nullopt) << "it is watched";
}

TEST_F(DiskQuotaHookTest, TasksOfAnEarlierAgentKeepWhatTheyHave) {
  Start();
  EXPECT_TRUE(Prerun().ok());
  EXPECT_THAT(quotas_.limits, IsEmpty());
  quotas_.PutPath(directory_.path() + "/id", {77, true});
  EXPECT_TRUE(Prerun().ok());
  EXPECT_THAT(quotas_.limits, ElementsAre(Pair(77u, std::int64_t{10} << 20)));
}

}  // namespace
}  // namespace drover
