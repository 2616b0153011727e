// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/late_releases.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "host/base/directory_for_test.h"
#include "host/base/loop.h"
#include "host/process/mock_processes_for_test.h"

namespace drover {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using ::testing::NiceMock;
using ::testing::Not;

class LateReleasesTest : public ::testing::Test {
 protected:
  LateReleasesTest() {
    UniqueFd opened(open(directory_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ledger_ = RunLedger::Create(std::move(opened), "node", "/srv", RunLedger::Kind::kKept).value();
    ON_CALL(processes_, Release(_, run_)).WillByDefault([this](Context, RunId) {
      return Release();
    });
    late_.emplace(&loop_, &processes_, ledger_);
  }
  ~LateReleasesTest() override {
    EXPECT_TRUE(loop_.RunToEnd(late_->Close()));
    late_.reset();
    ledger_.reset();
  }

  Co<Status> Release() {
    ++tries_;
    if (tries_ <= failures_) co_return Error(Code::kUnavailable, "it does not die");
    co_return Status();
  }
  std::string Ledger() const {
    std::ifstream file(directory_.path() + "/node.ledger");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const DirectoryForTest directory_;
  const RunId run_ = RunId::Random();
  SimLoop loop_;
  std::shared_ptr<RunLedger> ledger_;
  NiceMock<MockProcesses> processes_;
  std::optional<LateReleases> late_;
  int tries_ = 0;
  int failures_ = 3;
};

TEST_F(LateReleasesTest, ARunIsReleasedWhenThatWorks) {
  late_->Add(run_);
  loop_.Advance(1s + 2s);
  EXPECT_EQ(tries_, 3);
  EXPECT_THAT(Ledger(), HasSubstr(run_.ToString()));
  loop_.Advance(4s);
  EXPECT_EQ(tries_, 4);
  EXPECT_THAT(Ledger(), Not(HasSubstr(run_.ToString())));
  loop_.Advance(1h);
  EXPECT_EQ(tries_, 4);
}

TEST_F(LateReleasesTest, WhatIsLeftAtTheEndIsForTheNextAgent) {
  ASSERT_TRUE(ledger_->AddRun(run_).ok());
  late_->Add(run_);
  ledger_->RemoveRun(run_);  // as its allocation does
  loop_.RunReady();
  EXPECT_TRUE(loop_.RunToEnd(late_->Close()));
  EXPECT_EQ(tries_, 1);
  EXPECT_THAT(Ledger(), HasSubstr(run_.ToString()));
}

}  // namespace
}  // namespace drover
