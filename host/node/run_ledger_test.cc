// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/run_ledger.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

class RunLedgerTest : public testing::Test {
 protected:
  UniqueFd Open() const {
    return UniqueFd(open(base_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  std::unique_ptr<RunLedger> Make(const std::string& node = "node") {
    return RunLedger::Create(Open(), node, "/srv/allocs", RunLedger::Kind::kOwn).value();
  }
  // Runs WORK in a process of its own, which is killed afterwards.
  template <typename Work>
  void InAProcessThatIsKilled(Work work) {
    const pid_t child = fork();
    if (child == 0) {
      work();
      raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
  std::vector<LedgerLeftovers> FindDead() { return RunLedger::FindDead(directory_.get()); }
  std::size_t Files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(base_.path()), fs::directory_iterator()));
  }

  const DirectoryForTest base_{testing::TempDir()};
  const UniqueFd directory_ = Open();
};

TEST_F(RunLedgerTest, RunsThatGoOnWithoutTheirNodeAreMarkedAsSuch) {
  InAProcessThatIsKilled([this] {
    const auto ledger =
        RunLedger::Create(Open(), "node", "/srv/allocs", RunLedger::Kind::kKept).value();
    DROVER_CHECK(ledger->AddRun(RunId::Random()).ok());
  });
  EXPECT_TRUE(RunLedger::FindKept(directory_.get(), "/srv/others").empty());
  const std::vector<LedgerLeftovers> dead = RunLedger::FindKept(directory_.get(), "/srv/allocs");
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_TRUE(dead[0].kept);
  EXPECT_FALSE(dead[0].base_is_own);
  EXPECT_EQ(dead[0].runs.size(), 1u);
}

TEST_F(RunLedgerTest, ALedgerIsFoundWholeHoweverLongItAndItsDirectoryAre) {
  const std::string alloc_base = "/" + std::string(4094, 'd');
  InAProcessThatIsKilled([&] {
    const auto ledger =
        RunLedger::Create(Open(), "node", alloc_base, RunLedger::Kind::kKept).value();
    for (int i = 0; i < 1000; ++i) DROVER_CHECK(ledger->AddRun(RunId::Random()).ok());
  });
  EXPECT_TRUE(FindDead().empty());
  const auto dead = RunLedger::FindKept(directory_.get(), alloc_base);
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].runs.size(), 1000u);
}

// Another node or a foreground run may look at the very moment when the next agent does.
TEST_F(RunLedgerTest, WhoseRunsGoOnIsNotLockedByOthers) {
  InAProcessThatIsKilled([this] {
    const auto ledger =
        RunLedger::Create(Open(), "node", "/srv/allocs", RunLedger::Kind::kKept).value();
    DROVER_CHECK(ledger->AddRun(RunId::Random()).ok());
  });
  std::atomic<bool> stop{false};
  std::vector<std::thread> others;
  for (int i = 0; i < 2; ++i) {
    others.emplace_back([&] {
      while (!stop) {
        EXPECT_TRUE(FindDead().empty());
        EXPECT_TRUE(RunLedger::FindKept(directory_.get(), "/srv/others").empty());
      }
    });
  }
  int found = 0;
  for (int i = 0; i < 1000; ++i) {
    found += static_cast<int>(RunLedger::FindKept(directory_.get(), "/srv/allocs").size());
  }
  stop = true;
  for (std::thread& other : others) other.join();
  EXPECT_EQ(found, 1000);
}

TEST_F(RunLedgerTest, TheLedgerOfALivingNodeIsNobodysBusiness) {
  const auto ledger = Make();
  ASSERT_TRUE(ledger->AddRun(RunId::Random()).ok());
  EXPECT_TRUE(FindDead().empty());
}

TEST_F(RunLedgerTest, WhatANodeHasLeftStandsInIt) {
  const RunId gone = RunId::Random();
  const RunId left = RunId::Random();
  InAProcessThatIsKilled([&] {
    auto* const ledger = Make().release();
    (void)ledger->AddRun(gone);
    (void)ledger->AddAlloc("5a1b8c2e-0000-4000-8000-000000000001");
    (void)ledger->AddRun(left);
    ledger->RemoveRun(gone);
  });
  const std::vector<LedgerLeftovers> dead = FindDead();
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].runs, std::vector<RunId>{left});
  EXPECT_EQ(dead[0].allocs, std::vector<std::string>{"5a1b8c2e-0000-4000-8000-000000000001"});
  EXPECT_EQ(dead[0].alloc_base, "/srv/allocs");
  EXPECT_TRUE(dead[0].base_is_own);
  EXPECT_TRUE(FindDead().empty()) << "who has found it holds it";
  RunLedger::Forget(directory_.get(), dead[0]);
  EXPECT_EQ(Files(), 0u);
}

TEST_F(RunLedgerTest, WhatWasNotForgottenIsFoundAgain) {
  InAProcessThatIsKilled([&] { (void)Make().release()->AddRun(RunId::Random()); });
  EXPECT_EQ(FindDead().size(), 1u);
  EXPECT_EQ(FindDead().size(), 1u);
}

// A child has the files of its parent until it executes its program.
TEST_F(RunLedgerTest, AChildThatBeginsMeanwhileKeepsNoLedgerLocked) {
  for (const char* const node : {"one", "two"}) {
    InAProcessThatIsKilled([&] { (void)Make(node).release()->AddRun(RunId::Random()); });
  }
  std::vector<LedgerLeftovers> dead = FindDead();
  ASSERT_EQ(dead.size(), 2u);
  const pid_t child = fork();
  if (child == 0) {
    while (true) pause();
  }
  dead.erase(dead.begin());
  EXPECT_EQ(FindDead().size(), 1u);
  dead.clear();
  EXPECT_EQ(FindDead().size(), 2u);
  kill(child, SIGKILL);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
}

TEST_F(RunLedgerTest, AnOrderlyEndLeavesNoFileUnlessSomethingIsLeft) {
  const RunId run = RunId::Random();
  {
    const auto ledger = Make();
    ASSERT_TRUE(ledger->AddRun(run).ok());
    ASSERT_TRUE(ledger->AddAlloc("a").ok());
    ledger->RemoveRun(run);
    ledger->RemoveAlloc("a");
    EXPECT_EQ(Files(), 1u);
  }
  EXPECT_EQ(Files(), 0u);
  {
    ASSERT_TRUE(Make()->AddRun(run).ok());
  }
  EXPECT_EQ(FindDead().size(), 1u);
}

TEST_F(RunLedgerTest, ManyRestartsDoNotMakeItLonger) {
  const auto ledger = Make();
  ASSERT_TRUE(ledger->AddAlloc("a").ok());
  const auto size = [&] { return fs::file_size(base_.path() + "/node.ledger"); };
  std::uintmax_t after_first = 0;
  for (int i = 0; i < 1000; ++i) {
    const RunId run = RunId::Random();
    ASSERT_TRUE(ledger->AddRun(run).ok());
    ASSERT_TRUE(ledger->AddRun(run).ok()) << "twice is once";
    ledger->RemoveRun(run);
    if (i == 0) after_first = size();
  }
  EXPECT_EQ(size(), after_first);
}

TEST_F(RunLedgerTest, FilesThatAreNoLedgersAndEntriesWithoutSenseAreLeftAlone) {
  std::ofstream(base_.path() + "/foreign.ledger") << "something else\n";
  std::ofstream(base_.path() + "/empty.ledger");
  std::ofstream(base_.path() + "/0123456789abcdef.exit") << "record";
  fs::create_symlink("/etc/passwd", base_.path() + "/link.ledger");
  std::ofstream(base_.path() + "/odd.ledger") << "drover ledger 1\n/srv/allocs\ngiven\n"
                                              << "run 12\nalloc ../../etc\nalloc ..\nwhat else\n\n";
  const std::vector<LedgerLeftovers> dead = FindDead();
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].file, "odd.ledger");
  EXPECT_FALSE(dead[0].base_is_own);
  EXPECT_TRUE(dead[0].runs.empty());
  EXPECT_TRUE(dead[0].allocs.empty());
}

TEST_F(RunLedgerTest, ALedgerThatWasNeverFinishedIsRemovedUnlessItsNodeLives) {
  const std::string unfinished = base_.path() + "/dead.ledger.tmp";
  std::ofstream(unfinished).flush();
  const std::string begun = base_.path() + "/living.ledger.tmp";
  std::ofstream(begun).flush();
  const UniqueFd living(open(begun.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(flock(living.get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_TRUE(FindDead().empty());
  EXPECT_FALSE(fs::exists(unfinished));
  EXPECT_TRUE(fs::exists(begun));
}

// One looks for dead nodes while the other makes its ledgers.
TEST_F(RunLedgerTest, NodesThatStartTogetherDoNotRemoveEachOthersLedgers) {
  std::atomic<bool> stop{false};
  std::thread looking([&] {
    while (!stop) EXPECT_TRUE(FindDead().empty());
  });
  for (int i = 0; i < 2000; ++i) {
    const auto ledger = RunLedger::Create(Open(), "node", "/srv/allocs", RunLedger::Kind::kOwn);
    ASSERT_TRUE(ledger.ok()) << i << ": " << ledger.error().message();
    ASSERT_TRUE(fs::exists(base_.path() + "/node.ledger")) << i;
  }
  stop = true;
  looking.join();
}

TEST_F(RunLedgerTest, ADirectoryWithALineBreakIsRefused) {
  EXPECT_EQ(RunLedger::Create(Open(), "node", "/srv/a\nb", RunLedger::Kind::kGiven).code(),
            Code::kInvalidArgument);
  EXPECT_EQ(Files(), 0u);
}

TEST_F(RunLedgerTest, AFullDiskIsAnErrorAndNoSlotIsLost) {
  const auto ledger = Make();
  struct rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  // Adds a run while no file of this process may get longer than SIZE.
  const auto add_below = [&](rlim_t size) {
    struct rlimit now = before;
    now.rlim_cur = size;
    DROVER_CHECK(setrlimit(RLIMIT_FSIZE, &now) == 0);
    const Status status = ledger->AddRun(RunId::Random());
    DROVER_CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    return status.ok() ? std::string("added") : status.error().message();
  };
  EXPECT_THAT(add_below(40), testing::EndsWith("No space left on device"));  // 8 bytes fit
  EXPECT_THAT(add_below(32), testing::EndsWith("File too large"));
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(ledger->AddRun(RunId::Random()).ok());
  EXPECT_EQ((fs::file_size(base_.path() + "/node.ledger") - 32) / 64, 1u);
}

}  // namespace
}  // namespace drover
