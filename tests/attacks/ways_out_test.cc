// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Ways out of the root. While the shim prepares a task, directories of the host are open, and a
// path of the task may go by /proc/self/fd.
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <tuple>

#include "tests/attacks/attack_fixture.h"

namespace drover {
namespace {

enum class Cgroups { kNone, kVersion2, kFreezer };

// Each of these alone stops a working directory. Only the first one stops paths that the kernel
// follows by itself, and paths that change after the check.
enum Defence : unsigned { kClosed = 1, kNoProcLinks = 2, kInRoot = 4 };
constexpr unsigned kAll = kClosed | kNoProcLinks | kInRoot;

constexpr int kNumbers = 64;

// The users of tasks of exec: root and nobody with their default capabilities, and nobody with
// cap_add "all".
enum class User { kRoot, kNobody, kNobodyWithAll };

class WayOutTest : public AttackTest,
                   public ::testing::WithParamInterface<std::tuple<Cgroups, User>> {
 protected:
  void SetUp() override {
    AttackTest::SetUp();
    if (IsSkipped()) return;
    if (WantsCgroups() && !has_cgroups()) {
      GTEST_SKIP() << "this machine has no "
                   << (WantsFreezer() ? "freezer of version 1" : "cgroups of version 2");
    }
    local_ = directory_ + "/task/local";
    shared_ = directory_ + "/alloc";
    for (const std::string& path : {local_, shared_}) ASSERT_EQ(chmod(path.c_str(), 0777), 0);
    std::filesystem::copy_file(std::string(DROVER_ATTACKS) + "/stand_outside",
                               directory_ + "/stand_outside");
    for (int i = 0; i < 20; ++i) host_ += "/..";
    host_ += directory_;
  }
  bool WantsCgroups() const override { return std::get<0>(GetParam()) != Cgroups::kNone; }
  bool WantsFreezer() const override { return std::get<0>(GetParam()) == Cgroups::kFreezer; }

  ProcessSpec Task(const std::string& attack, const Arguments& arguments) {
    ProcessSpec spec = Isolated(attack, arguments);
    if (const User user = std::get<1>(GetParam()); user != User::kRoot) {
      spec.user = ProcessUser{65534, 65534, {}};
      if (user == User::kNobody) spec.privileges->bounding = {};
      spec.privileges->ambient = spec.privileges->bounding;
    }
    if (has_cgroups()) spec.resources = {64 << 20, 0, 512, 50};
    return spec;
  }

  // Starts SPEC with only these defences.
  bool StartWith(unsigned defences, ProcessSpec spec) {
    change_start_ = [this, defences](StartMessage* message) {
      drover_start start;
      std::memcpy(&start, message->bytes.data(), sizeof start);
      // The shim receives the descriptors when it has 0 to 3.
      open_ = {4 + start.log_dir_fd};
      if (start.cgroup_fd >= 0) open_.insert(4 + start.cgroup_fd);
      ForEachStep(message, [&](const std::string&, drover_step* step) {
        const std::uint32_t flags = (defences & kNoProcLinks ? DROVER_PATH_NO_PROC_LINKS : 0) |
                                    (defences & kInRoot ? DROVER_PATH_IN_ROOT : 0);
        if (step->kind == DROVER_STEP_JOIN)
          open_.insert(4 + static_cast<int>(reinterpret_cast<drover_step_number*>(step)->number));
        if (step->kind == DROVER_STEP_CWD)
          reinterpret_cast<drover_step_cwd*>(step)->path_flags &= flags;
        if (step->kind == DROVER_STEP_EXEC)
          reinterpret_cast<drover_step_exec*>(step)->path_flags &= flags;
      });
    };
    bool started = false;
    const auto start = [&] { started = Start(std::move(spec)).ok(); };
    if (defences & kClosed) {
      start();
    } else {
      // The shim refuses a plan that does not close them. So the calls that close at once have no
      // effect, for the process and for each session. Those that close at an exec still work.
      Pretending({SYS_close_range}, {.argument = 2, .value = 0}, start);
    }
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
  // Starts a task with these defences, for sessions beside it.
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

  using Attempt = std::function<int(unsigned defences, const std::string& place)>;
  // Calls ATTEMPT with /proc/self/fd/N as PLACE, for every number N that a descriptor could have.
  // Each defence of HOLD alone must stop it.
  void TryEach(unsigned hold, const Attempt& attempt) {
    const auto place = [](int number) { return "/proc/self/fd/" + std::to_string(number); };
    EXPECT_NE(attempt(0, place(0)), kSucceeded);
    ASSERT_GE(open_.size(), std::get<0>(GetParam()) == Cgroups::kNone ? 1u : 2u);
    const std::set<int> open = open_;  // set by each attempt
    for (const int number : open)
      EXPECT_EQ(attempt(0, place(number)), kSucceeded) << number << ", the control";
    for (const unsigned alone : {kClosed, kNoProcLinks, kInRoot})
      for (const int number : open)
        if (hold & alone)
          EXPECT_NE(attempt(alone, place(number)), kSucceeded) << number << ", " << alone;
    for (int i = 0; i < kNumbers; ++i) EXPECT_NE(attempt(kAll, place(i)), kSucceeded) << i;
  }
  // The same for a PLACE that another task of the group swaps all the time between a directory and
  // a link to /proc/self/fd/N. The tests in which the link stays prove that it leads out. Here the
  // attacker needs luck to win the race, so the test only reports the number of tries.
  void TryEachSwapped(unsigned hold, const Attempt& attempt) {
    EXPECT_NE(attempt(0, "/proc/self/fd/0"), kSucceeded);
    ASSERT_FALSE(open_.empty());
    const std::set<int> open = open_;
    for (const int number : open) {
      ASSERT_EQ(mkdir((shared_ + "/way").c_str(), 0777), 0);
      const RunId neighbour =
          MustStart(Task("swap_names", {"/alloc/way", "/proc/self/fd/" + std::to_string(number)}));
      int tries = 0;
      for (bool won = false; !won && tries < kTries; ++tries)
        won = attempt(0, "/alloc/way") == kSucceeded;
      printf("descriptor %d, without a defence: %d tries of at most %d\n", number, tries, kTries);
      for (const unsigned defences :
           {unsigned{kClosed}, unsigned{kNoProcLinks}, unsigned{kInRoot}, kAll})
        for (int i = 0; i < 3 && (hold & defences); ++i)
          EXPECT_NE(attempt(defences, "/alloc/way"), kSucceeded) << number << ", " << defences;
      EXPECT_TRUE(service_->Kill(neighbour).ok());
      EXPECT_EQ(WaitFor(neighbour).signal, SIGKILL) << "the attacker has given up";
      for (const char* name : {"/way", "/way.link"}) std::filesystem::remove_all(shared_ + name);
    }
  }
  static constexpr int kTries = 20;

  // A task with sessions. It starts again when the defences change.
  class Sessions {
   public:
    explicit Sessions(WayOutTest* test, std::string work_dir = "/")
        : test_(test), work_dir_(std::move(work_dir)) {}
    ~Sessions() { End(); }
    int Run(unsigned defences, const Arguments& argv, const std::string& cwd = "") {
      if (started_ != defences) {
        End();
        if (!cwd.empty()) test_->Link("/local");
        run_ = test_->Sleeper(defences, work_dir_);
      }
      started_ = defences;
      if (!cwd.empty()) test_->Link(cwd);
      return test_->Session(run_, argv);
    }

   private:
    void End() {
      if (started_) test_->EndSleeper(run_);
      started_.reset();
    }
    WayOutTest* const test_;
    const std::string work_dir_;
    RunId run_;
    std::optional<unsigned> started_;
  };

  std::string local_;
  std::string shared_;  // shared by all tasks of the group
  std::string host_;    // leads from any directory of the host to the directory of the test
  std::set<int> open_;  // numbers of open host directories while the shim prepares a process
};

TEST_P(WayOutTest, WorkingDirectory) {
  TryEach(kAll, [&](unsigned defences, const std::string& place) {
    ProcessSpec spec = Task("stand_outside", {canary_});
    spec.cwd = place;
    return RunWith(defences, std::move(spec));
  });
}

TEST_P(WayOutTest, WorkingDirectoryByALink) {
  TryEach(kAll, [&](unsigned defences, const std::string& place) {
    Link(place);
    ProcessSpec spec = Task("stand_outside", {canary_});
    spec.cwd = "/local/way";
    return RunWith(defences, std::move(spec));
  });
}

TEST_P(WayOutTest, WorkingDirectoryThatChanges) {
  TryEachSwapped(kAll, [&](unsigned defences, const std::string& place) {
    ProcessSpec spec = Task("stand_outside", {canary_});
    spec.cwd = place;
    return RunWith(defences, std::move(spec));
  });
}

TEST_P(WayOutTest, Command) {
  TryEach(kClosed | kNoProcLinks, [&](unsigned defences, const std::string& place) {
    ProcessSpec spec = Task("", {});
    spec.argv = {place + host_ + "/stand_outside"};
    return RunWith(defences, std::move(spec));
  });
}

// Only closed descriptors stop this one: the path may lead elsewhere when the kernel follows it.
TEST_P(WayOutTest, CommandThatChanges) {
  TryEachSwapped(kClosed, [&](unsigned defences, const std::string& place) {
    ProcessSpec spec = Task("", {});
    spec.argv = {place + host_ + "/stand_outside"};
    return RunWith(defences, std::move(spec));
  });
}

TEST_P(WayOutTest, CommandInThePath) {
  TryEach(kClosed | kNoProcLinks, [&](unsigned defences, const std::string& place) {
    ProcessSpec spec = Task("", {});
    spec.argv = {"stand_outside"};
    spec.env = {{"PATH", "/bin:" + place + host_}};
    return RunWith(defences, std::move(spec));
  });
}

// The kernel follows the interpreter by itself. The program then finds its argument, the script, in
// the root.
TEST_P(WayOutTest, InterpreterOfTheCommand) {
  TryEach(kClosed, [&](unsigned defences, const std::string& place) {
    std::ofstream(local_ + "/script") << "#!" << place << host_ << "/stand_outside\n";
    EXPECT_EQ(chmod((local_ + "/script").c_str(), 0755), 0);
    ProcessSpec spec = Task("", {});
    spec.argv = {"/local/script"};
    return RunWith(defences, std::move(spec));
  });
}

TEST_P(WayOutTest, CommandOfASession) {
  Sessions sessions(this);
  TryEach(kClosed | kNoProcLinks, [&](unsigned defences, const std::string& place) {
    return sessions.Run(defences, {place + host_ + "/stand_outside"});
  });
}

TEST_P(WayOutTest, CommandOfASessionThatChanges) {
  Sessions sessions(this);
  TryEachSwapped(kClosed, [&](unsigned defences, const std::string& place) {
    return sessions.Run(defences, {place + host_ + "/stand_outside"});
  });
}

// The path was a directory when the task began.
TEST_P(WayOutTest, WorkingDirectoryOfASession) {
  Sessions sessions(this, "/local/way");
  TryEach(kAll, [&](unsigned defences, const std::string& place) {
    return sessions.Run(defences, {"/attacks/stand_outside", canary_}, place);
  });
}

TEST_P(WayOutTest, WorkingDirectoryOfASessionThatChanges) {
  Sessions sessions(this, "/local/way");
  TryEachSwapped(kAll, [&](unsigned defences, const std::string& place) {
    return sessions.Run(defences, {"/attacks/stand_outside", canary_}, place);
  });
}

std::string NameOf(const ::testing::TestParamInfo<std::tuple<Cgroups, User>>& test) {
  const auto& [cgroups, user] = test.param;
  const char* const names[] = {"NoCgroups", "Version2", "Freezer"};
  const char* const users[] = {"Root", "Nobody", "NobodyWithAll"};
  return std::string(names[static_cast<int>(cgroups)]) + users[static_cast<int>(user)];
}

INSTANTIATE_TEST_SUITE_P(
    , WayOutTest,
    ::testing::Combine(::testing::Values(Cgroups::kNone, Cgroups::kVersion2, Cgroups::kFreezer),
                       ::testing::Values(User::kRoot, User::kNobody, User::kNobodyWithAll)),
    NameOf);

}  // namespace
}  // namespace drover
