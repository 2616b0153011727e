// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/sticky_disk_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "host/alloc/alloc_state.h"
#include "host/base/await_for_test.h"
#include "host/base/directory_for_test.h"

namespace drover {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StickyDiskHookTest : public ::testing::Test {
 protected:
  StickyDiskHookTest() {
    Write("old/alloc/data/shared");
    Write("old/alloc/tmp/temporary");
    Write("old/web/local/own");
    Write("old/web/secrets/secret");
    Write("old/gone/local/own");
    fs::create_directories(Path("new/alloc/data"));
  }

  std::string Path(const std::string& name) const { return directory_.path() + "/" + name; }
  bool Exists(const std::string& name) const { return fs::exists(Path(name)); }
  void Write(const std::string& name) {
    fs::create_directories(fs::path(Path(name)).parent_path());
    std::ofstream(Path(name)) << name;
  }
  Status Move() { return MoveDisk(directory_.path(), "old", "new", {"web", "added"}); }

  AllocHookRequest Request(bool sticky, const std::string& previous = "old") {
    auto job = std::make_shared<Job>();
    job->groups.resize(1);
    job->groups[0].name = "group";
    job->groups[0].disk_sticky = sticky;
    job->groups[0].tasks.resize(1);
    job->groups[0].tasks[0].name = "web";
    auto alloc = std::make_shared<Allocation>();
    alloc->id = "new";
    alloc->previous = previous;
    alloc->job = std::move(job);
    alloc->group_name = "group";
    AllocHookRequest request;
    request.alloc = std::move(alloc);
    return request;
  }
  Status Run(Co<Status> stage) { return AwaitForTest(&loop_, std::move(stage)); }
  using Ids = std::vector<std::string>;
  static Co<Result<Ids>> Answer(Result<Ids> ids) { co_return ids; }

  const DirectoryForTest directory_;
  RealLoop loop_;
  WorkerPool pool_{1};
  std::vector<std::string> waited_;
  Status ended_;
  Ids earlier_;  // that have ended, too
  StickyDiskHook hook_{directory_.path(), &pool_, [this](Context, std::string id) {
                         waited_.push_back(id);
                         if (!ended_.ok()) return Answer(ended_.error());
                         Ids all = {std::move(id)};
                         all.insert(all.end(), earlier_.begin(), earlier_.end());
                         return Answer(std::move(all));
                       }};
};

TEST_F(StickyDiskHookTest, OnlyDataAndLocalDirectoriesMove) {
  ASSERT_TRUE(Move().ok());
  EXPECT_TRUE(Exists("new/alloc/data/shared"));
  EXPECT_TRUE(Exists("new/web/local/own"));
  EXPECT_FALSE(Exists("old/alloc/data"));
  EXPECT_TRUE(Exists("old/alloc/tmp/temporary"));
  EXPECT_TRUE(Exists("old/web/secrets/secret"));
  EXPECT_TRUE(Exists("old/gone/local/own")) << "the new job has no such task";
  EXPECT_FALSE(Exists("new/added"));
  EXPECT_TRUE(Move().ok()) << "an agent that died in it does it again";
  EXPECT_TRUE(Exists("new/alloc/data/shared"));
}

TEST_F(StickyDiskHookTest, WhatTheNewOneHasStays) {
  Write("new/alloc/data/newer");
  EXPECT_FALSE(Move().ok());
  EXPECT_TRUE(Exists("new/alloc/data/newer"));
  EXPECT_TRUE(Exists("old/alloc/data/shared"));
  EXPECT_TRUE(Exists("new/web/local/own")) << "the other directories move";
}

TEST_F(StickyDiskHookTest, AnAllocationThatWasRemovedHasNothing) {
  fs::remove_all(Path("old"));
  EXPECT_TRUE(Move().ok());
}

TEST_F(StickyDiskHookTest, ALinkOfATaskDoesNotMove) {
  fs::remove_all(Path("old/web/local"));
  fs::create_directory_symlink("/etc", Path("old/web/local"));
  fs::remove_all(Path("old/alloc/data"));
  fs::create_directory_symlink("/etc", Path("old/alloc/data"));
  EXPECT_FALSE(Move().ok());
  EXPECT_FALSE(fs::is_symlink(Path("new/web/local")));
  EXPECT_FALSE(fs::is_symlink(Path("new/alloc/data")));
  fs::remove_all(Path("old/alloc"));
  fs::create_directory_symlink("/etc", Path("old/alloc"));
  EXPECT_FALSE(Move().ok()) << "nothing in /etc is looked at";
}

TEST_F(StickyDiskHookTest, ADiskThatIsNotStickyOnlyWaits) {
  EXPECT_TRUE(Run(hook_.Prerun(Context(&loop_), Request(false))).ok());
  EXPECT_THAT(waited_, ElementsAre("old"));
  EXPECT_TRUE(Exists("old/alloc/data/shared"));
  EXPECT_TRUE(Run(hook_.Prerun(Context(&loop_), Request(true))).ok());
  EXPECT_TRUE(Exists("new/alloc/data/shared"));
}

TEST_F(StickyDiskHookTest, ADiskThatTheOneBeforeHasNotMovedComesToo) {
  fs::create_directories(Path("middle/alloc/data"));
  earlier_ = {"old"};
  EXPECT_TRUE(Run(hook_.Prerun(Context(&loop_), Request(true, "middle"))).ok());
  EXPECT_TRUE(Exists("new/alloc/data/shared"));
  EXPECT_TRUE(Exists("new/web/local/own"));
}

TEST_F(StickyDiskHookTest, ADiskThatTheOneBeforeHasMovedInPartComesWhole) {
  ASSERT_TRUE(MoveDisk(directory_.path(), "old", "new", {}).ok());
  fs::rename(Path("new"), Path("middle"));
  fs::create_directories(Path("new/alloc/data"));
  earlier_ = {"old"};
  EXPECT_TRUE(Run(hook_.Prerun(Context(&loop_), Request(true, "middle"))).ok());
  EXPECT_TRUE(Exists("new/alloc/data/shared"));
  EXPECT_TRUE(Exists("new/web/local/own"));
}

TEST_F(StickyDiskHookTest, AFirstAllocationWaitsForNothing) {
  EXPECT_TRUE(Run(hook_.Prerun(Context(&loop_), Request(true, ""))).ok());
  EXPECT_THAT(waited_, IsEmpty());
}

// An allocation with a task that an earlier agent has started, or not.
class ControlOfOne : public AllocControl {
 public:
  explicit ControlOfOne(WallTime started_at) {
    auto task = std::make_shared<TaskStateRecord>();
    task->started_at = started_at;
    auto state = std::make_shared<AllocState>();
    state->tasks["web"] = std::move(task);
    state_ = std::move(state);
  }
  void RequestEnd(std::string) override {}
  AllocSnapshot snapshot() const override { return state_; }

 private:
  AllocSnapshot state_;
};

TEST_F(StickyDiskHookTest, FilesThatATaskUsesAlreadyStayWithoutAWait) {
  const auto hook = [this](const AllocControl* control) {
    return StickyDiskHook(
        directory_.path(), &pool_,
        [this](Context, std::string id) {
          waited_.push_back(id);
          return Answer(Ids{std::move(id)});
        },
        control);
  };
  const ControlOfOne started(7), waiting(0);
  StickyDiskHook of_started = hook(&started), of_waiting = hook(&waiting);
  EXPECT_TRUE(Run(of_started.Prerun(Context(&loop_), Request(true))).ok());
  EXPECT_THAT(waited_, IsEmpty());
  EXPECT_TRUE(Exists("old/web/local/own"));
  EXPECT_TRUE(Run(of_waiting.Prerun(Context(&loop_), Request(true))).ok());
  EXPECT_TRUE(Exists("new/web/local/own"));
}

TEST_F(StickyDiskHookTest, AnEndOfTheWaitIsAnErrorAndAFailureToMoveIsNone) {
  ended_ = Error(Code::kCancelled, "killed");
  EXPECT_EQ(Run(hook_.Prerun(Context(&loop_), Request(true))).code(), Code::kCancelled);
  EXPECT_TRUE(Exists("old/alloc/data/shared"));
  ended_ = Status();
  Write("new/alloc/data/newer");
  EXPECT_TRUE(Run(hook_.Prerun(Context(&loop_), Request(true))).ok());
}

}  // namespace
}  // namespace drover
