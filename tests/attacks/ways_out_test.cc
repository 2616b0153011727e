// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Ways out of the root by a directory of the host that is open while the task is prepared: a path
// of the task's that goes by /proc/self/fd.
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <tuple>

#include "tests/attacks/attack_fixture.h"
#include "tests/attacks/neighbour.h"

namespace drover {
namespace {

enum class Cgroups { kNone, kVersion2, kFreezer };

// Each of these alone holds a working directory; the first alone holds whatever the kernel follows
// by itself, and whatever changes after it was looked at.
enum Defence : unsigned { kClosed = 1, kNoProcLinks = 2, kInRoot = 4 };
constexpr unsigned kAll = kClosed | kNoProcLinks | kInRoot;

constexpr int kNumbers = 64;

class WayOutTest : public AttackTest,
                   public ::testing::WithParamInterface<std::tuple<Cgroups, uid_t>> {
 protected:
  void SetUp() override {
    AttackTest::SetUp();
    if (IsSkipped()) return;
    if (WantsCgroups() && !has_cgroups()) {
      no_such_cgroups_ = true;
      return;
    }
    local_ = directory_ + "/task/local";
    ASSERT_EQ(chmod(local_.c_str(), 0777), 0);
    std::filesystem::copy_file(std::string(DROVER_ATTACKS) + "/stand_outside",
                               directory_ + "/stand_outside");
    for (int i = 0; i < 20; ++i) host_ += "/..";
    host_ += directory_;
  }
  bool WantsCgroups() const override { return std::get<0>(GetParam()) != Cgroups::kNone; }
  bool WantsFreezer() const override { return std::get<0>(GetParam()) == Cgroups::kFreezer; }

  ProcessSpec Task(const std::string& attack, const Arguments& arguments) {
    ProcessSpec spec = Isolated(attack, arguments);
    if (const uid_t uid = std::get<1>(GetParam()); uid != 0) {
      spec.user = ProcessUser{uid, uid, {}};
      spec.privileges->bounding = {};
    }
    if (has_cgroups()) spec.resources = {64 << 20, 0, 512, 50};
    return spec;
  }

  // Starts SPEC with these defences alone.
  bool StartWith(unsigned defences, ProcessSpec spec) {
    change_start_ = [this, defences](StartMessage* message) {
      drover_start start;
      std::memcpy(&start, message->bytes.data(), sizeof start);
      // The shim receives them when it has 0 to 3.
      open_ = {4 + start.log_dir_fd};
      if (start.cgroup_fd >= 0) open_.insert(4 + start.cgroup_fd);
      ForEachStep(message, [&](const std::string&, drover_step* step) {
        const std::uint32_t flags = (defences & kNoProcLinks ? DROVER_PATH_NO_PROC_LINKS : 0) |
                                    (defences & kInRoot ? DROVER_PATH_IN_ROOT : 0);
        if (step->kind == DROVER_STEP_JOIN)
          open_.insert(4 + static_cast<int>(reinterpret_cast<drover_step_number*>(step)->number));
        if (step->kind == DROVER_STEP_CLOSE && !(defences & kClosed)) step->flags = 0;
        if (step->kind == DROVER_STEP_CWD)
          reinterpret_cast<drover_step_cwd*>(step)->path_flags &= flags;
        if (step->kind == DROVER_STEP_EXEC)
          reinterpret_cast<drover_step_exec*>(step)->path_flags &= flags;
      });
    };
    const bool started = Start(std::move(spec)).ok();
    change_start_ = nullptr;
    return started;
  }
  int RunWith(unsigned defences, ProcessSpec spec) {
    const RunId run = spec.run;
    return StartWith(defences, std::move(spec)) ? WaitFor(run).exit_code : kHeld;
  }
  int Session(const RunId& run, const Arguments& argv) {
    ExecSpec exec;
    exec.argv = argv;
    for (UniqueFd* end : {&exec.standard_input, &exec.standard_output, &exec.standard_error})
      end->Reset(open("/dev/null", O_RDWR | O_CLOEXEC));
    const auto session = Await(service_->Exec(Forever(), run, std::move(exec)));
    if (!session.ok()) return kHeld;
    const Result<ExecExit> exit = Await((*session)->Wait(Forever()));
    return exit.ok() ? exit->exit_code : kHeld;
  }
  // A task that has been started with these defences, to have sessions in.
  RunId Sleeper(unsigned defences, const std::string& work_dir) {
    ProcessSpec spec = Task("", {});
    spec.argv = {"/bin/sleep", "1000"};
    spec.cwd = work_dir;
    const RunId run = spec.run;
    EXPECT_TRUE(StartWith(defences, std::move(spec)));
    return run;
  }
  void EndSleeper(const RunId& run) {
    EXPECT_TRUE(service_->Kill(run).ok());
    WaitFor(run);
  }

  void Link(const std::string& target) {
    std::filesystem::remove_all(local_ + "/way");
    std::filesystem::create_symlink(target, local_ + "/way");
  }

  // ATTEMPT(DEFENCES, PLACE) is about /proc/self/fd/N as PLACE. HOLD: the defences of which each
  // must hold it alone. EACH: all numbers are tried, not only those of directories of the host.
  void TryEach(unsigned hold, bool each,
               const std::function<int(unsigned, const std::string&)>& attempt) {
    if (no_such_cgroups_) GTEST_SKIP() << "this machine has no such cgroups";
    const auto place = [](int number) { return "/proc/self/fd/" + std::to_string(number); };
    EXPECT_NE(attempt(0, place(0)), kSucceeded);
    ASSERT_GE(open_.size(), std::get<0>(GetParam()) == Cgroups::kNone ? 1u : 2u);
    const std::set<int> open = open_;  // each attempt sets it
    for (const int number : open)
      EXPECT_EQ(attempt(0, place(number)), kSucceeded) << number << ", the control";
    for (const unsigned alone : {kClosed, kNoProcLinks, kInRoot})
      for (const int number : open)
        if (hold & alone)
          EXPECT_NE(attempt(alone, place(number)), kSucceeded) << number << ", " << alone;
    for (int i = 0; i < kNumbers; ++i)
      if (each || open.contains(i)) EXPECT_NE(attempt(kAll, place(i)), kSucceeded) << i;
  }

  bool no_such_cgroups_ = false;
  std::string local_;
  std::string host_;    // from wherever a way leads to on the host, to the directory of the test
  std::set<int> open_;  // what leads to directories of the host while a process is prepared
};

TEST_P(WayOutTest, WorkingDirectory) {
  TryEach(kAll, GetParam() == std::tuple(Cgroups::kVersion2, uid_t{65534}),
          [&](unsigned defences, const std::string& place) {
            ProcessSpec spec = Task("stand_outside", {canary_});
            spec.cwd = place;
            return RunWith(defences, std::move(spec));
          });
}

TEST_P(WayOutTest, WorkingDirectoryByALink) {
  TryEach(kAll, false, [&](unsigned defences, const std::string& place) {
    Link(place);
    ProcessSpec spec = Task("stand_outside", {canary_});
    spec.cwd = "/local/way";
    return RunWith(defences, std::move(spec));
  });
}

TEST_P(WayOutTest, Command) {
  TryEach(kClosed | kNoProcLinks, false, [&](unsigned defences, const std::string& place) {
    ProcessSpec spec = Task("", {});
    spec.argv = {place + host_ + "/stand_outside"};
    return RunWith(defences, std::move(spec));
  });
}

TEST_P(WayOutTest, CommandInThePath) {
  TryEach(kClosed | kNoProcLinks, false, [&](unsigned defences, const std::string& place) {
    ProcessSpec spec = Task("", {});
    spec.argv = {"stand_outside"};
    spec.env = {{"PATH", "/bin:" + place + host_}};
    return RunWith(defences, std::move(spec));
  });
}

// The kernel follows this one by itself. The program then finds its argument, the script, in the
// root.
TEST_P(WayOutTest, InterpreterOfTheCommand) {
  TryEach(kClosed, false, [&](unsigned defences, const std::string& place) {
    std::ofstream(local_ + "/script") << "#!" << place << host_ << "/stand_outside\n";
    EXPECT_EQ(chmod((local_ + "/script").c_str(), 0755), 0);
    ProcessSpec spec = Task("", {});
    spec.argv = {"/local/script"};
    return RunWith(defences, std::move(spec));
  });
}

TEST_P(WayOutTest, CommandOfASession) {
  RunId run;
  unsigned started = ~0u;
  TryEach(kClosed | kNoProcLinks, true, [&](unsigned defences, const std::string& place) {
    if (started != ~0u && started != defences) EndSleeper(run);
    if (started != defences) run = Sleeper(defences, "/");
    started = defences;
    return Session(run, {place + host_ + "/stand_outside"});
  });
  if (started != ~0u) EndSleeper(run);
}

// The directory was one when the task began.
TEST_P(WayOutTest, WorkingDirectoryOfASession) {
  RunId run;
  unsigned started = ~0u;
  TryEach(kAll, true, [&](unsigned defences, const std::string& place) {
    if (started != ~0u && started != defences) EndSleeper(run);
    if (started != defences) {
      Link("/local");
      run = Sleeper(defences, "/local/way");
    }
    started = defences;
    Link(place);
    return Session(run, {"/attacks/stand_outside", canary_});
  });
  if (started != ~0u) EndSleeper(run);
}

// A neighbour puts the link there at any moment.
TEST_P(WayOutTest, WorkingDirectoryThatChanges) {
  if (no_such_cgroups_) GTEST_SKIP() << "this machine has no such cgroups";
  const auto attempt = [&](unsigned defences, const std::string& work_dir) {
    ProcessSpec spec = Task("stand_outside", {canary_});
    spec.cwd = work_dir;
    return RunWith(defences, std::move(spec));
  };
  EXPECT_NE(attempt(0, "/proc/self/fd/0"), kSucceeded);
  ASSERT_FALSE(open_.empty());
  const int number = *open_.begin();
  mkdir((local_ + "/way").c_str(), 0777);
  Neighbour neighbour;
  neighbour.Start("swap_names", {local_ + "/way", "/proc/self/fd/" + std::to_string(number)});
  const TimePoint end = BootClock::now() + 20s;
  bool won = false;
  while (!won && BootClock::now() < end) won = attempt(0, "/local/way") == kSucceeded;
  EXPECT_TRUE(won) << "the race did not take place";
  for (const unsigned defences :
       {unsigned{kClosed}, unsigned{kNoProcLinks}, unsigned{kInRoot}, kAll})
    for (int i = 0; i < 10; ++i) EXPECT_NE(attempt(defences, "/local/way"), kSucceeded) << defences;
}

std::string NameOf(const ::testing::TestParamInfo<std::tuple<Cgroups, uid_t>>& test) {
  const auto& [cgroups, uid] = test.param;
  const char* const names[] = {"NoCgroups", "Version2", "Freezer"};
  return std::string(names[static_cast<int>(cgroups)]) + (uid == 0 ? "Root" : "Nobody");
}

INSTANTIATE_TEST_SUITE_P(, WayOutTest,
                         ::testing::Combine(::testing::Values(Cgroups::kNone, Cgroups::kVersion2,
                                                              Cgroups::kFreezer),
                                            ::testing::Values(uid_t{0}, uid_t{65534})),
                         NameOf);

}  // namespace
}  // namespace drover
