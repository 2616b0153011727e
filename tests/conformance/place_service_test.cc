// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The places of runs (drover.task-place), as a driver in C uses them in the host and in a process
// of its own. The test is the engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <thread>

#include "tests/conformance/run_services_fixture.h"

namespace drover {
namespace {

// A process in cgroups of its own below a place. Its parent awaits it at once: a process whose end
// nobody awaits stays a member of its cgroups.
class PlacedProcess {
 public:
  explicit PlacedProcess(const std::vector<std::string>& directories) : pid_(fork()) {
    if (pid_ == 0) {
      execl("/bin/sleep", "sleep", "1000", nullptr);
      _exit(127);
    }
    for (const std::string& directory : directories) {
      const std::string own = directory + "/engine";
      EXPECT_TRUE(mkdir(own.c_str(), 0755) == 0 || errno == EEXIST) << own;
      const std::string pid = std::to_string(pid_);
      EXPECT_EQ(WriteSmallFile(AT_FDCWD, (own + "/cgroup.procs").c_str(), pid), 0) << own;
    }
    parent_ = std::thread([this] {
      int status = 0;
      while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
      }
      signal_ = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    });
  }
  ~PlacedProcess() {
    if (parent_.joinable()) Kill();
  }
  pid_t pid() const { return pid_; }
  bool lives() const { return kill(pid_, 0) == 0; }
  // Returns the signal by which it has ended.
  int AwaitEnd() {
    parent_.join();
    return signal_;
  }

 private:
  void Kill() {
    kill(pid_, SIGKILL);
    parent_.join();
  }

  const pid_t pid_;
  int signal_ = 0;
  std::thread parent_;
};

class PlaceServiceTest : public RunServicesFixture {
 protected:
  struct GivenPlace {
    std::string cgroup;
    std::vector<std::string> directories;
    std::string network;
  };
  // Lets the driver make the place of its task, or find it.
  GivenPlace MakePlace() {
    GivenPlace place;
    std::istringstream said(Answer("place"));
    std::string word;
    EXPECT_TRUE(static_cast<bool>(said >> word >> place.cgroup));
    while (said >> word) {
      if (word.starts_with("net:")) {
        place.network = word.substr(4);
      } else {
        place.directories.push_back(word);
      }
    }
    EXPECT_FALSE(place.directories.empty());
    return place;
  }
  static void ExpectGone(const GivenPlace& place) {
    for (const std::string& directory : place.directories)
      EXPECT_FALSE(std::filesystem::exists(directory)) << directory;
  }
};

INSTANTIATE_TEST_SUITE_P(Containers, PlaceServiceTest, testing::Values("in-process", "process"),
                         PlaceName);

TEST_P(PlaceServiceTest, APlaceIsMadeAndFoundAgain) {
  const GivenPlace place = MakePlace();
  EXPECT_EQ(place.cgroup, "/" + name_ + "/" + task_->run_id.ToString());
  EXPECT_EQ(place.network, "");
  for (const std::string& directory : place.directories) {
    EXPECT_TRUE(std::filesystem::is_directory(directory)) << directory;
    EXPECT_THAT(directory, testing::EndsWith(place.cgroup));
  }
  const GivenPlace again = MakePlace();
  EXPECT_EQ(again.cgroup, place.cgroup);
  EXPECT_EQ(again.directories, place.directories);
}

TEST_P(PlaceServiceTest, WhatIsWrongIsRefused) {
  EXPECT_EQ(Ask("stranger place").code(), Code::kNotFound);
  EXPECT_EQ(Ask("stranger unplace").code(), Code::kNotFound);
  StartAs("tpm", "exec sleep 1000");
  EXPECT_EQ(Ask("place").code(), Code::kFailedPrecondition) << "it has a named process";
  EXPECT_TRUE(Ask("release tpm").ok());
  StartAs("main", "exec sleep 1000");
  EXPECT_EQ(Ask("place").code(), Code::kFailedPrecondition) << "it has a process";
  EXPECT_TRUE(Ask("release main").ok());
  MakePlace();
  EXPECT_EQ(Ask("start main exec sleep 1000").code(), Code::kFailedPrecondition);
  EXPECT_EQ(Ask("start tpm exec sleep 1000").code(), Code::kFailedPrecondition);
  EXPECT_EQ(Answer("list"), "names");
}

TEST_P(PlaceServiceTest, TheNetworkOfTheTaskIsOpen) {
  DestroyTask();
  task_ = StartTask("/proc/self/ns/net");
  EXPECT_EQ(MakePlace().network, "/proc/self/ns/net");
  DestroyTask();
  task_ = StartTask("/nonexistent/netns");
  const Status none = Ask("place");
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message(), testing::HasSubstr("/nonexistent/netns"));
}

TEST_P(PlaceServiceTest, TheHostKillsByForce) {
  const GivenPlace place = MakePlace();
  PlacedProcess process(place.directories);
  const Status killed = Await(driver_->ForceKill(context_, task_->run_id));
  EXPECT_TRUE(killed.ok()) << killed.error().message();
  EXPECT_EQ(process.AwaitEnd(), SIGKILL);
  EXPECT_TRUE(std::filesystem::exists(place.directories[0])) << "until the task is destroyed";
}

TEST_P(PlaceServiceTest, APlaceCanBeRemovedBeforeTheDestroy) {
  EXPECT_TRUE(Ask("unplace").ok()) << "there is none";
  const GivenPlace place = MakePlace();
  PlacedProcess process(place.directories);
  EXPECT_TRUE(Ask("unplace").ok());
  EXPECT_EQ(process.AwaitEnd(), SIGKILL);
  ExpectGone(place);
  EXPECT_FALSE(service_->HasPlace(task_->run_id));
  EXPECT_TRUE(Ask("unplace").ok());
  EXPECT_EQ(MakePlace().directories, place.directories);
}

TEST_P(PlaceServiceTest, NothingOfATaskIsLeftAfterItsDestroy) {
  const GivenPlace place = MakePlace();
  PlacedProcess process(place.directories);
  const RunId run = task_->run_id;
  DestroyTask();
  EXPECT_EQ(process.AwaitEnd(), SIGKILL);
  ExpectGone(place);
  EXPECT_FALSE(service_->HasPlace(run));
  ExpectNothingIsLeft();
}

TEST_P(PlaceServiceTest, TheNextAgentFindsItWithWhatIsThere) {
  const GivenPlace place = MakePlace();
  PlacedProcess process(place.directories);
  RestartAgent();
  const Result<RecoveredTask> back = Await(driver_->Recover(context_, task_, handle_));
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(MakePlace().directories, place.directories);
  EXPECT_TRUE(process.lives());
  DestroyTask();
  EXPECT_EQ(process.AwaitEnd(), SIGKILL);
  ExpectGone(place);
}

// The agent has died in the start: the driver knows nothing of the run, and nobody destroys it.
TEST_P(PlaceServiceTest, WhatNobodyRecoversIsReleased) {
  const GivenPlace place = MakePlace();
  PlacedProcess process(place.directories);
  RestartAgent();
  const Result<RecoveredTask> none = Await(driver_->Recover(context_, task_, TaskHandle()));
  EXPECT_EQ(none.code(), Code::kNotFound);
  EXPECT_EQ(process.AwaitEnd(), SIGKILL);
  ExpectGone(place);
  ExpectNothingIsLeft();
  task_ = nullptr;
}

TEST_P(PlaceServiceTest, ARefusedReloadHarmsNoTask) {
  const GivenPlace place = MakePlace();
  PlacedProcess process(place.directories);
  const Status reloaded = Reload("recover_forgets");
  ASSERT_FALSE(reloaded.ok());
  EXPECT_THAT(reloaded.error().message(), testing::HasSubstr("cannot recover"));
  EXPECT_TRUE(process.lives());
  EXPECT_EQ(MakePlace().directories, place.directories);
}

TEST_P(PlaceServiceTest, AHostWithoutCgroupsRefusesIt) {
  DestroyTask();
  cgroup_root_ = "none";
  RestartAgent();
  task_ = StartTask();
  const Status asked = Ask("place");
  EXPECT_EQ(asked.code(), Code::kFailedPrecondition);
  EXPECT_THAT(asked.error().message(), testing::HasSubstr("no cgroups"));
  DestroyTask();
  ExpectNothingIsLeft();
}

}  // namespace
}  // namespace drover
