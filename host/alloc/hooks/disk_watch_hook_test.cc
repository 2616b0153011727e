// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hooks/disk_watch_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/await_for_test.h"
#include "host/base/directory_for_test.h"
#include "host/task/task_event.h"

namespace drover {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class DiskWatchHookTest : public ::testing::Test, public AllocControl {
 protected:
  DiskWatchHookTest() {
    std::filesystem::create_directories(directory_.path() + "/id/alloc/data");
    hook_.emplace(AllocHookEnv{&loop_, nullptr, this, nullptr}, directory_.path(), &pool_);
  }

  void RequestEnd(std::string) override {}
  void EmitToTasks(TaskEvent event) override { events_.push_back(std::move(event)); }
  void RequestTaskKill(TaskEvent event) override { kills_.push_back(std::move(event)); }

  void Write(int megabytes) {
    std::ofstream(directory_.path() + "/id/alloc/data/file")
        << std::string(static_cast<std::size_t>(megabytes) << 20, 'x');
  }
  static AllocHookRequest Request() {
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
    return request;
  }
  void Run(Co<Status> stage) { (void)AwaitForTest(&loop_, std::move(stage)); }
  // Runs until an event or a kill is there.
  void Await() {
    auto wait = [](DiskWatchHookTest* self) -> Co<void> {
      const Context context(&self->loop_);
      while (self->events_.empty() && self->kills_.empty()) (void)co_await Sleep(context, 1ms);
    };
    DROVER_CHECK(loop_.RunToEnd(wait(this)));
  }

  const DirectoryForTest directory_{"/dev/shm"};
  RealLoop loop_;
  WorkerPool pool_{1};
  std::vector<TaskEvent> events_, kills_;
  std::optional<DiskWatchHook> hook_;
};

TEST_F(DiskWatchHookTest, NineTenthsAreAWarning) {
  Write(9);
  std::ofstream(directory_.path() + "/id/alloc/more") << std::string(500'000, 'x');
  Run(hook_->Prerun(Context(&loop_), Request()));
  Await();
  ASSERT_THAT(events_, SizeIs(1));
  EXPECT_EQ(events_[0].type, event_type::kDiskNearlyFull);
  EXPECT_THAT(DisplayMessage(events_[0]), HasSubstr("uses 9 MB of its ephemeral disk of 10 MB"));
  EXPECT_TRUE(kills_.empty());
  Run(hook_->Postrun(Context(&loop_), Request()));
}

TEST_F(DiskWatchHookTest, MoreThanAllEndsTheAllocation) {
  Write(11);
  Run(hook_->Prerun(Context(&loop_), Request()));
  Await();
  ASSERT_THAT(kills_, SizeIs(1));
  EXPECT_TRUE(kills_[0].fails_task());
  EXPECT_EQ(DisplayMessage(kills_[0]), "The allocation uses more than its ephemeral disk of 10 MB");
  Run(hook_->Shutdown(Context(&loop_), Request()));
}

TEST_F(DiskWatchHookTest, ItEndsAtOnceAndMayEndWithoutABegin) {
  Run(hook_->Postrun(Context(&loop_), Request()));
  hook_.emplace(AllocHookEnv{&loop_, nullptr, this, nullptr}, directory_.path(), &pool_);
  Run(hook_->Prerun(Context(&loop_), Request()));
  const TimePoint begin = loop_.Now();
  Run(hook_->Shutdown(Context(&loop_), Request()));
  EXPECT_LT(loop_.Now() - begin, Duration(1s)) << "it does not wait for the next count";
}

}  // namespace
}  // namespace drover
