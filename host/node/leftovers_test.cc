// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/leftovers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "host/base/directory_for_test.h"
#include "host/base/loop.h"
#include "host/process/mock_processes_for_test.h"
#include "host/process/run_directory.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::NiceMock;
using ::testing::SizeIs;

class LeftoversTest : public ::testing::Test {
 protected:
  LeftoversTest() {
    ON_CALL(processes_, Release).WillByDefault([this](Context, RunId run) { return Release(run); });
    LeftoversOptions options;
    options.loop = &loop_;
    options.processes = &processes_;
    options.run_dir = directory_.path() + "/run";
    options.give_up = give_up_;
    leftovers_.emplace(std::move(options));
  }

  Co<Status> Release(RunId run) {
    released_.push_back(run);
    co_return release_status_;
  }
  // A node that has died with one run and the directory of one allocation.
  void LeaveNode(const std::string& name, RunLedger::Kind kind = RunLedger::Kind::kGiven) {
    const auto ledger = RunLedger::Create(OpenRunDirectory(directory_.path() + "/run").value(),
                                          name, directory_.path() + "/allocs", kind)
                            .value();
    EXPECT_TRUE(ledger->AddRun(run_).ok());
    EXPECT_TRUE(ledger->AddAlloc(name).ok());
    std::filesystem::create_directories(AllocDirOf(name));
  }
  std::string AllocDirOf(const std::string& name) const {
    return directory_.path() + "/allocs/" + name;
  }
  bool HasLedger(const std::string& name) const {
    return std::filesystem::exists(directory_.path() + "/run/" + name + ".ledger");
  }
  std::vector<LedgerLeftovers> EndDeadNodes() {
    std::vector<LedgerLeftovers> ended;
    const auto end = [](Leftovers* on, Context context,
                        std::vector<LedgerLeftovers>* out) -> Co<void> {
      *out = co_await on->EndDeadNodes(context, Duration(0));
    };
    EXPECT_TRUE(loop_.RunToEnd(end(&*leftovers_, context_, &ended)));
    return ended;
  }
  void Remove(std::vector<LedgerLeftovers> dead) {
    EXPECT_TRUE(loop_.RunToEnd(leftovers_->RemoveDeadNodes(std::move(dead))));
  }

  const DirectoryForTest directory_;
  const RunId run_ = RunId::Random();
  SimLoop loop_;
  const Context context_{&loop_};
  NiceMock<MockProcesses> processes_;
  const std::shared_ptr<std::atomic<bool>> give_up_ = std::make_shared<std::atomic<bool>>(false);
  std::optional<Leftovers> leftovers_;
  Status release_status_;
  std::vector<RunId> released_;
};

TEST_F(LeftoversTest, ADeadNodeLeavesNothing) {
  LeaveNode("node");
  auto dead = EndDeadNodes();
  EXPECT_THAT(released_, ElementsAre(run_));
  ASSERT_THAT(dead, SizeIs(1));
  EXPECT_TRUE(std::filesystem::exists(AllocDirOf("node"))) << "starts do not wait for the disk";
  Remove(std::move(dead));
  EXPECT_FALSE(std::filesystem::exists(AllocDirOf("node")));
  EXPECT_FALSE(HasLedger("node"));
}

TEST_F(LeftoversTest, ARunThatMayGoOnKeepsItsFiles) {
  LeaveNode("node");
  release_status_ = Error(Code::kUnavailable, "it does not die");
  EXPECT_THAT(EndDeadNodes(), IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(AllocDirOf("node")));
  EXPECT_TRUE(HasLedger("node")) << "the next node tries again";
}

TEST_F(LeftoversTest, RunsThatGoOnWithoutTheirNodeAreLeftAlone) {
  LeaveNode("node", RunLedger::Kind::kKept);
  EXPECT_THAT(EndDeadNodes(), IsEmpty());
  EXPECT_THAT(released_, IsEmpty());
  EXPECT_TRUE(HasLedger("node"));
}

TEST_F(LeftoversTest, TheirLedgerIsFreeWhileOtherNodesEnd) {
  LeaveNode("kept", RunLedger::Kind::kKept);
  LeaveNode("given");
  std::size_t free = 0;
  ON_CALL(processes_, Release).WillByDefault([&](Context, RunId run) {
    const UniqueFd run_directory = OpenRunDirectory(directory_.path() + "/run").value();
    free = RunLedger::FindKept(run_directory.get(), directory_.path() + "/allocs").size();
    EXPECT_THAT(RunLedger::FindDead(run_directory.get()), IsEmpty()) << "the other one is locked";
    return Release(run);
  });
  EXPECT_THAT(EndDeadNodes(), SizeIs(1));
  EXPECT_EQ(free, 1u);
}

TEST_F(LeftoversTest, ALivingNodeIsLeftAlone) {
  const auto ledger =
      RunLedger::Create(OpenRunDirectory(directory_.path() + "/run").value(), "node",
                        directory_.path() + "/allocs", RunLedger::Kind::kGiven)
          .value();
  ASSERT_TRUE(ledger->AddRun(run_).ok());
  EXPECT_THAT(EndDeadNodes(), IsEmpty());
  EXPECT_THAT(released_, IsEmpty());
}

TEST_F(LeftoversTest, NoRemovalBeginsAfterItWasGivenUp) {
  LeaveNode("node");
  auto dead = EndDeadNodes();
  *give_up_ = true;
  Remove(std::move(dead));
  EXPECT_TRUE(std::filesystem::exists(AllocDirOf("node")));
  EXPECT_TRUE(HasLedger("node"));
}

}  // namespace
}  // namespace drover
