// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A neighbour changes names below the allocation directory while tasks start. It runs as another
// user beside the test; each race is won in a control run without the defence.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/wait.h>

#include <algorithm>

#include "host/process/process_test_fixture.h"
#include "host/process/start_message.h"
#include "host/process/task_root.h"
#include "tests/attacks/neighbour.h"

extern "C" {
#include "shim/plan.h"
void mount_calls_init(bool exist);
int following_mounts_run(const struct plan* plan, const struct drover_step* step);
}

namespace drover {
namespace {

using ::testing::HasSubstr;

constexpr Duration kUntilWon = 20s;  // a win takes milliseconds on an idle machine

class RaceTest : public ProcessFixture {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "isolation needs root";
    ProcessFixture::SetUp();
    for (const char* path : {"outside", "alloc", "alloc/logs", "task", "task/local",
                             "task/local/way", "task/secrets", "task/tmp"}) {
      mkdir((directory_ + "/" + path).c_str(), 0777);
      ASSERT_EQ(chmod((directory_ + "/" + path).c_str(), 0777), 0);
    }
    outside_ = directory_ + "/outside";
    std::ofstream(outside_ + "/canary") << "a secret of the host\n";
    ASSERT_EQ(chmod((outside_ + "/canary").c_str(), 0600), 0);
    options_.alloc_dir = directory_ + "/alloc";
    options_.log_dir = directory_ + "/alloc/logs";
    options_.task_dir = directory_ + "/task";
  }
  void TearDown() override {
    EndAttack();
    if (loop_) ProcessFixture::TearDown();
  }

  void Attack(const std::string& attack, const std::string& path, const std::string& target) {
    attacker_.Start(attack, {path, target});
  }
  void EndAttack() { attacker_.End(); }

  // Repeats ATTEMPT until it returns true, at most for kUntilWon.
  static bool Won(const std::function<bool()>& attempt) {
    const TimePoint end = BootClock::now() + kUntilWon;
    while (BootClock::now() < end)
      if (attempt()) return true;
    return false;
  }

  static ::testing::Matcher<std::string> NamesTheMountOf(const std::string& place) {
    // The agent opens a directory, and the shim finds it by its name. By then the name may lead to
    // anything.
    if (WithoutMountCalls()) return HasSubstr("cannot ");
    return ::testing::AnyOf(HasSubstr("cannot mount " + place + ": "),
                            HasSubstr("after the step \"mount " + place + "\""));
  }

  ProcessSpec Isolated(RootSpec root, const std::string& script) {
    ProcessSpec spec = Shell(script);
    spec.namespaces.emplace();
    spec.namespaces->root = std::move(root);
    spec.privileges.emplace();
    spec.privileges->bounding = *CapabilitySet::Parse({"dac_override"});
    return spec;
  }

  std::string outside_;
  TaskRootOptions options_;
  Neighbour attacker_;
};

TEST_F(RaceTest, DirectoriesThatAreMounted) {
  struct Place {
    const char* host;
    const char* task;
  };
  for (const Place& place : {Place{"task/local", "/local"}, Place{"task/secrets", "/secrets"},
                             Place{"task/tmp", "/tmp"}, Place{"alloc/logs", "/alloc/logs"}}) {
    SCOPED_TRACE(place.host);
    const std::string path = directory_ + "/" + place.host;
    Attack("swap_names", path, outside_);
    const auto leads_outside = [](const MountTree& mount) {
      return faccessat(mount.tree.get(), "canary", F_OK, 0) == 0;
    };
    // The control uses the path.
    EXPECT_TRUE(Won([&] {
      const Result<MountTree> tree = OpenMountTree(AT_FDCWD, path, place.task, {});
      return tree.ok() && leads_outside(*tree);
    }));
    int opened = 0, refused = 0;
    const TimePoint end = BootClock::now() + kUntilWon;
    for (int i = 0; i < 300 || ((opened == 0 || refused == 0) && BootClock::now() < end); ++i) {
      const Result<RootSpec> root = OpenTaskRoot(options_);
      ++(root.ok() ? opened : refused);
      if (root.ok()) EXPECT_TRUE(std::ranges::none_of(root->mounts, leads_outside));
    }
    EXPECT_GT(refused, 0) << "the race did not take place";
    EXPECT_GT(opened, 0);
    // The same with real tasks.
    for (int i = 0; i < 10; ++i) {
      Result<RootSpec> root = OpenTaskRoot(options_);
      if (!root.ok()) continue;
      const std::string canary = std::string(place.task) + "/canary";
      ProcessSpec spec = Isolated(std::move(*root), "! test -e " + canary);
      const RunId run = spec.run;
      const Result<ProcessInfo> info = Start(std::move(spec));
      if (info.ok()) {
        EXPECT_EQ(WaitFor(run).exit_code, 0);
      } else {  // alloc/logs is a link, or the mount went with the directory's old name
        EXPECT_THAT(info.error().message(), NamesTheMountOf("/alloc/logs"));
      }
    }
    EndAttack();
    // The directory may have the other name now.
    if (std::filesystem::is_symlink(path)) {
      std::filesystem::remove(path);
      std::filesystem::rename(path + ".link", path);
    } else {
      std::filesystem::remove(path + ".link");
    }
  }
}

TEST_F(RaceTest, PlacesOfMountsInTheTasksDirectory) {
  mkdir((directory_ + "/volume").c_str(), 0755);
  options_.volumes = {{directory_ + "/volume", "/local/way/in", false, ""}};
  Attack("swap_names", directory_ + "/task/local/way", outside_);
  const std::string made = outside_ + "/in";

  // The control does the same steps by mounts that follow links.
  EXPECT_TRUE(Won([&] {
    std::filesystem::remove_all(directory_ + "/task/local/way/in");
    Result<RootSpec> root = OpenTaskRoot(options_);
    EXPECT_TRUE(root.ok());
    const ProcessSpec spec = Isolated(std::move(*root), "true");
    StartEnvironment environment;
    environment.run_directory = 0;
    const Result<StartMessage> message = CompileStart(spec, environment);
    EXPECT_TRUE(message.ok());
    plan plan{};
    std::memcpy(&plan.start, message->bytes.data(), sizeof plan.start);
    std::ranges::copy(message->fds, plan.fds);
    plan.fd_count = static_cast<std::uint32_t>(message->fds.size());
    const pid_t child = fork();
    if (child == 0) {
      if (unshare(CLONE_NEWNS) != 0) _exit(2);
      mount_calls_init(plan.start.flags & DROVER_START_MOUNT_CALLS);
      const char* at = message->bytes.data() + sizeof(drover_start);
      const char* const end = message->bytes.data() + message->bytes.size();
      for (; at < end; at += reinterpret_cast<const drover_step*>(at)->size) {
        const auto* step = reinterpret_cast<const drover_step*>(at);
        if (!(step->flags & DROVER_STEP_FOR_NAMESPACES) || step->kind == DROVER_STEP_NAMESPACES)
          continue;
        if (following_mounts_run(&plan, step) != 0) _exit(1);
      }
      _exit(0);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_NE(WEXITSTATUS(status), 2);
    return std::filesystem::exists(made);
  }));
  std::filesystem::remove(made);

  int started = 0, refused = 0;
  for (int i = 0; i < 60; ++i) {
    std::filesystem::remove_all(directory_ + "/task/local/way/in");
    std::filesystem::remove_all(directory_ + "/task/local/way.link/in");
    Result<RootSpec> root = OpenTaskRoot(options_);
    ASSERT_TRUE(root.ok()) << root.error().message();
    ProcessSpec spec = Isolated(std::move(*root), "exit 0");
    const RunId run = spec.run;
    const Result<ProcessInfo> info = Start(std::move(spec));
    ++(info.ok() ? started : refused);
    if (info.ok()) {
      WaitFor(run);
    } else {
      EXPECT_THAT(info.error().message(), NamesTheMountOf("/local/way/in"));
    }
    ASSERT_FALSE(std::filesystem::exists(made)) << "try " << i;
  }
  EXPECT_GT(refused, 0) << "the race did not take place";
  EXPECT_GT(started, 0);
}

TEST_F(RaceTest, TheModeOfTheTemporaryDirectory) {
  const std::string canary = outside_ + "/canary", tmp = directory_ + "/task/tmp";
  ASSERT_EQ(rmdir(tmp.c_str()), 0);
  Attack("put_link", tmp, canary);
  const auto mode = [&canary] {
    struct stat info{};
    return stat(canary.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
  };
  const UniqueFd task(open((directory_ + "/task").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // The control sets the mode by the name after the neighbour has won the race.
  ASSERT_TRUE(Won([&] {
    mkdirat(task.get(), "tmp", 01777);
    return std::filesystem::is_symlink(tmp);
  }));
  EXPECT_EQ(fchmodat(task.get(), "tmp", 01777, 0), 0);
  EXPECT_EQ(mode(), 01777u);

  ASSERT_EQ(chmod(canary.c_str(), 0600), 0);
  options_.alloc_dir = options_.log_dir = "";
  options_.host_paths = {{directory_ + "/nowhere", "/nowhere"}};
  int refused = 0;
  EXPECT_TRUE(Won([&] {
    unlinkat(task.get(), "tmp", 0);
    if (!OpenTaskRoot(options_).ok()) ++refused;
    EXPECT_EQ(mode(), 0600u);
    return refused == 100 || HasFailure();
  }));
}

}  // namespace
}  // namespace drover
