// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/kept_leftovers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <fstream>
#include <optional>

#include "host/base/directory_for_test.h"
#include "host/base/loop.h"
#include "host/process/mock_processes_for_test.h"
#include "host/process/run_directory.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::NiceMock;
using ::testing::Not;

class KeptLeftoversTest : public ::testing::Test {
 protected:
  KeptLeftoversTest() {
    run_dir_ = directory_.path() + "/run";
    ON_CALL(processes_, Release).WillByDefault([this](Context, RunId run) { return Release(run); });
    kept_ = KeptState::Open(directory_.path() + "/state").value();
    ledger_ = MakeLedger("own", directory_.path() + "/allocs");
    late_.emplace(&loop_, &processes_, ledger_);
    LeftoversOptions options;
    options.loop = &loop_;
    options.processes = &processes_;
    options.run_dir = run_dir_;
    leftovers_.emplace(std::move(options));
    LeaveAgent("old", directory_.path() + "/allocs", run_);
  }
  ~KeptLeftoversTest() override {
    EXPECT_TRUE(loop_.RunToEnd(late_->Close()));
    late_.reset();
    ledger_.reset();
    kept_.reset();
  }

  Co<Status> Release(RunId run) {
    released_.push_back(run);
    if (static_cast<int>(released_.size()) <= failures_)
      co_return Error(Code::kUnavailable, "it does not die");
    co_return Status();
  }
  std::unique_ptr<RunLedger> MakeLedger(const std::string& name, const std::string& alloc_dir) {
    return RunLedger::Create(OpenRunDirectory(run_dir_).value(), name, alloc_dir,
                             RunLedger::Kind::kKept)
        .value();
  }
  // An agent with a kept state has died. Its ledger names RUN, but no record does.
  void LeaveAgent(const std::string& name, const std::string& alloc_dir, const RunId& run) {
    EXPECT_TRUE(MakeLedger(name, alloc_dir)->AddRun(run).ok());
  }
  // A socket on which somebody listens, as a living shim does.
  UniqueFd ListenAsShimOf(const RunId& run) {
    UniqueFd listener(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = run_dir_ + "/" + run.Short() + ".sock";
    DROVER_CHECK(path.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, path.data(), path.size());
    EXPECT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener.get(), 8), 0);
    return listener;
  }
  KeptLeftovers Make(bool keep_unknown) {
    KeptLeftoversOptions options;
    options.loop = &loop_;
    options.processes = &processes_;
    options.kept = kept_.get();
    options.ledger = ledger_.get();
    options.late = &*late_;
    options.leftovers = &*leftovers_;
    options.run_directory = OpenRunDirectory(run_dir_).value();
    options.alloc_dir = directory_.path() + "/allocs";
    options.keep_unknown = keep_unknown;
    return KeptLeftovers(std::move(options));
  }
  void EndRuns(KeptLeftovers* kept_leftovers) {
    EXPECT_TRUE(loop_.RunToEnd(kept_leftovers->EndRuns(Context(&loop_))));
  }
  std::string Ledger(const std::string& name) const {
    std::ifstream file(run_dir_ + "/" + name + ".ledger");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const DirectoryForTest directory_;
  std::string run_dir_;
  const RunId run_ = RunId::Random();
  SimLoop loop_;
  NiceMock<MockProcesses> processes_;
  std::unique_ptr<KeptState> kept_;
  std::shared_ptr<RunLedger> ledger_;
  std::optional<LateReleases> late_;
  std::optional<Leftovers> leftovers_;
  int failures_ = 0;
  std::vector<RunId> released_;
};

TEST_F(KeptLeftoversTest, ARunThatNoRecordNamesIsReleased) {
  const UniqueFd shim = ListenAsShimOf(run_);
  KeptLeftovers kept_leftovers = Make(false);
  kept_leftovers.Find();
  EXPECT_THAT(kept_leftovers.unknown_runs(), IsEmpty());
  EndRuns(&kept_leftovers);
  EXPECT_THAT(released_, ElementsAre(run_));
  EXPECT_EQ(Ledger("old"), "");
  EXPECT_THAT(Ledger("own"), Not(HasSubstr(run_.ToString())));
}

TEST_F(KeptLeftoversTest, ALivingRunCanBeKept) {
  const UniqueFd shim = ListenAsShimOf(run_);
  KeptLeftovers kept_leftovers = Make(true);
  kept_leftovers.Find();
  EXPECT_THAT(kept_leftovers.unknown_runs(), ElementsAre(run_));
  EndRuns(&kept_leftovers);
  EXPECT_THAT(released_, IsEmpty());
  EXPECT_EQ(Ledger("old"), "");
  EXPECT_THAT(Ledger("own"), HasSubstr(run_.ToString()));
}

TEST_F(KeptLeftoversTest, ARunWithoutItsShimIsNotKept) {
  KeptLeftovers kept_leftovers = Make(true);
  kept_leftovers.Find();
  EXPECT_THAT(kept_leftovers.unknown_runs(), IsEmpty());
  EndRuns(&kept_leftovers);
  EXPECT_THAT(released_, ElementsAre(run_));
}

TEST_F(KeptLeftoversTest, ARunThatCannotBeReleasedIsTriedAgain) {
  failures_ = 2;
  KeptLeftovers kept_leftovers = Make(false);
  EndRuns(&kept_leftovers);
  EXPECT_THAT(Ledger("own"), HasSubstr(run_.ToString()));
  loop_.Advance(1min);
  EXPECT_THAT(released_, ElementsAre(run_, run_, run_));
  EXPECT_THAT(Ledger("own"), Not(HasSubstr(run_.ToString())));
}

TEST_F(KeptLeftoversTest, AnAgentWithAnotherAllocationDirectoryIsLeftAlone) {
  const RunId other = RunId::Random();
  LeaveAgent("other", "/elsewhere", other);
  KeptLeftovers kept_leftovers = Make(false);
  EndRuns(&kept_leftovers);
  EXPECT_THAT(released_, ElementsAre(run_));
  EXPECT_THAT(Ledger("other"), HasSubstr(other.ToString()));
}

}  // namespace
}  // namespace drover
