// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/clean_namespace.h"

#include <dirent.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/mount.h>

#include <algorithm>
#include <cstring>

#include "host/process/isolation_for_test.h"
#include "host/process/process_test_fixture.h"
#include "host/process/start_message.h"
#include "host/process/task_root.h"

namespace drover {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class CleanNamespaceTest : public ProcessFixture {
 protected:
  void SetUp() override {
    if (const char* reason = ReasonNotToIsolate()) GTEST_SKIP() << reason;
    if (WithoutMountCalls()) GTEST_SKIP() << "it needs the newer calls for mounts";
    // This hides the mounts that others make meanwhile. Shared, as a machine's mounts are.
    ASSERT_EQ(unshare(CLONE_NEWNS), 0);
    ASSERT_EQ(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    ASSERT_EQ(mount(nullptr, "/", nullptr, MS_REC | MS_SHARED, nullptr), 0);
    ProcessFixture::SetUp();
    change_start_ = [this](StartMessage* message) { steps_ = message->step_names; };
  }
  void TearDown() override {
    if (loop_) ProcessFixture::TearDown();
  }
  void Unmount() override {
    for (const std::string& place : further_) umount2(place.c_str(), MNT_DETACH);
    umount2((directory_ + "/disk").c_str(), MNT_DETACH);
  }

  // A thread that makes it, or looks at it, is in it afterwards.
  static void OnThread(const std::function<void()>& function) { std::thread(function).join(); }

  static UniqueFd Make() {
    Result<UniqueFd> made = UniqueFd();
    OnThread([&made] { made = MakeCleanNamespace(); });
    EXPECT_TRUE(made.ok()) << made.error().message();
    return made.ok() ? std::move(*made) : UniqueFd();
  }
  // A namespace with all mounts of the host, which nobody unmounts there.
  static UniqueFd Copy() {
    UniqueFd made;
    OnThread([&made] {
      if (unshare(CLONE_NEWNS) == 0 &&
          mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0)
        made.Reset(open("/proc/thread-self/ns/mnt", O_RDONLY | O_CLOEXEC));
    });
    return made;
  }

  ProcessSpec Isolated(const std::string& script, const TaskRootOptions& options = {}) {
    ProcessSpec spec = Shell(script);
    spec.namespaces.emplace();
    Result<RootSpec> root = OpenTaskRoot(options);
    EXPECT_TRUE(root.ok()) << root.error().message();
    if (root.ok()) spec.namespaces->root = std::move(*root);
    spec.privileges.emplace();
    return spec;
  }

  static TaskRootOptions WithoutPivot() {
    TaskRootOptions options;
    options.pivot = false;
    return options;
  }

  // The mount of a file system of its own, and what hears of the end of that file system.
  UniqueFd MountAndWatch() {
    const std::string place = directory_ + "/disk";
    mkdir(place.c_str(), 0755);
    EXPECT_EQ(mount("none", place.c_str(), "tmpfs", 0, "size=4k"), 0);
    UniqueFd watch(inotify_init1(IN_CLOEXEC));
    EXPECT_GE(inotify_add_watch(watch.get(), place.c_str(), IN_UNMOUNT), 0);
    return watch;
  }
  static bool Freed(const UniqueFd& watch, int patience_ms) {
    pollfd event{watch.get(), POLLIN, 0};
    return poll(&event, 1, patience_ms) == 1;
  }

  void AddFurtherMounts(int count) {
    for (int i = 0; i < count; ++i) {
      further_.push_back(directory_ + "/further" + std::to_string(i));
      ASSERT_EQ(mkdir(further_.back().c_str(), 0755), 0);
      ASSERT_EQ(mount("none", further_.back().c_str(), "tmpfs", 0, "size=4k"), 0);
    }
  }

  static void ForEachStep(StartMessage* message,
                          const std::function<void(const std::string&, drover_step*)>& function) {
    std::size_t at = sizeof(drover_start);
    for (const std::string& name : message->step_names) {
      auto* const step = reinterpret_cast<drover_step*>(message->bytes.data() + at);
      at += step->size;
      function(name, step);
    }
  }

  // How many mounts the holder has of a run that has not changed its root.
  long MountsOfHolder(bool clean) {
    change_start_ = [clean](StartMessage* message) {
      ForEachStep(message, [clean](const std::string& name, drover_step* step) {
        if (name == kVerifyStep || step->kind == DROVER_STEP_PIVOT ||
            (!clean && name == kCleanMountsStep))
          step->flags = 0;  // nobody's
      });
    };
    ProcessSpec spec = Isolated("exec sleep 1000");
    const RunId run = spec.run;
    const Result<ProcessInfo> info = Start(std::move(spec));
    EXPECT_TRUE(info.ok()) << info.error().message();
    if (!info.ok()) return -1;
    const std::string shim = std::to_string(info->shim_pid);
    std::istringstream children(
        ReadSmallFile(AT_FDCWD, ("/proc/" + shim + "/task/" + shim + "/children").c_str())
            .value_or(""));
    long lines = -1;
    for (pid_t pid; children >> pid;) {
      if (pid == info->pid) continue;
      std::ifstream mounts("/proc/" + std::to_string(pid) + "/mountinfo");
      lines = 0;
      for (std::string line; std::getline(mounts, line);) ++lines;
    }
    EXPECT_TRUE(service_->Kill(run).ok());
    WaitFor(run);
    return lines;
  }

  std::vector<std::string> steps_;  // of the last start
  std::vector<std::string> further_;
};

TEST_F(CleanNamespaceTest, HasNothingButAnEmptyRoot) {
  const UniqueFd made = Make();
  OnThread([&] {
    const UniqueFd self(open("/proc/thread-self", O_PATH | O_DIRECTORY | O_CLOEXEC));
    ASSERT_EQ(unshare(CLONE_FS), 0);
    ASSERT_EQ(setns(made.get(), CLONE_NEWNS), 0) << std::strerror(errno);
    const std::string mounts = ReadSmallFile(self.get(), "mountinfo").value_or("");
    EXPECT_EQ(std::ranges::count(mounts, '\n'), 1) << mounts;
    EXPECT_THAT(mounts, HasSubstr(" / / ro,nosuid,nodev,noexec"));
    EXPECT_THAT(mounts, HasSubstr("- tmpfs "));
    EXPECT_THAT(mounts, Not(HasSubstr("shared:")));
    DIR* const root = opendir("/");
    ASSERT_NE(root, nullptr);
    while (const dirent* entry = readdir(root)) EXPECT_EQ(entry->d_name[0], '.') << entry->d_name;
    closedir(root);
    EXPECT_EQ(mkdir("/new", 0755), -1);
    EXPECT_EQ(errno, EROFS);
  });
}

TEST_F(CleanNamespaceTest, ACallThatFailsLeavesNothing) {
  const std::string mounts = ReadSmallFile(AT_FDCWD, "/proc/self/mountinfo").value_or("");
  const int open_before = OpenFds();
  const auto fail = [&](long call, int error, std::optional<CallsWith> only = std::nullopt) {
    SCOPED_TRACE(std::to_string(call) + ": " + std::strerror(error));
    OnThread([&] {
      ASSERT_EQ(FailCalls({call}, error, only), 0);
      const Result<UniqueFd> made = MakeCleanNamespace();
      ASSERT_FALSE(made.ok());
      EXPECT_EQ(made.error().recoverable(), error == ENOMEM) << made.error().message();
    });
    EXPECT_EQ(OpenFds(), open_before);
  };
  for (const int error : {EACCES, ENOMEM}) {
    for (const long call :
         {SYS_unshare, SYS_mount, SYS_openat, SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_move_mount,
          SYS_fchdir, SYS_pivot_root, SYS_umount2, SYS_setns, SYS_statx})
      fail(call, error);
    // This one opens the list of the mounts that are left.
    fail(SYS_openat, error, CallsWith{2, BPF_JSET, O_NONBLOCK});
  }
  EXPECT_EQ(ReadSmallFile(AT_FDCWD, "/proc/self/mountinfo").value_or(""), mounts);
}

TEST_F(CleanNamespaceTest, WhatTheHostUnmountsIsFree) {
  for (const bool clean : {false, true}) {
    const UniqueFd watch = MountAndWatch();
    UniqueFd made = clean ? Make() : Copy();
    ASSERT_TRUE(made);
    ASSERT_EQ(umount2((directory_ + "/disk").c_str(), 0), 0) << std::strerror(errno);
    if (!clean) {  // the copy keeps it
      EXPECT_FALSE(Freed(watch, 0));
      made.Reset();
    }
    EXPECT_TRUE(Freed(watch, 10'000)) << (clean ? "clean" : "copy");
  }
}

TEST_F(CleanNamespaceTest, WhatTheHostUnmountsIsFreeWhileTasksRun) {
  const UniqueFd watch = MountAndWatch();
  const RunId run = MustStart(Isolated("exec sleep 1000"));
  EXPECT_THAT(steps_, Contains(std::string(kCleanMountsStep)));
  ASSERT_EQ(umount2((directory_ + "/disk").c_str(), 0), 0) << std::strerror(errno);
  EXPECT_TRUE(Freed(watch, 10'000));
  ASSERT_TRUE(service_->Kill(run).ok());
  WaitFor(run);
}

TEST_F(CleanNamespaceTest, RunsSeeWhatTheHostMountedSince) {
  EXPECT_EQ(WaitFor(MustStart(Isolated("exit 7"))).exit_code, 7);
  const UniqueFd watch = MountAndWatch();
  std::ofstream(directory_ + "/disk/file") << "content";
  TaskRootOptions options;
  options.host_paths = DefaultRootPaths();
  options.host_paths.emplace_back(directory_, "/opt/whole");
  options.volumes = {{directory_ + "/disk", "/srv/disk", false, ""},
                     {directory_, "/srv/whole", false, "host-to-task"}};
  EXPECT_EQ(WaitFor(MustStart(Isolated("test -e /srv/disk/file && test -e /srv/whole/disk/file && "
                                       "test -e /opt/whole/disk/file && exit 7",
                                       options)))
                .exit_code,
            7);
  EXPECT_THAT(steps_, Contains(std::string(kCleanMountsStep)));
}

TEST_F(CleanNamespaceTest, TheHostSeesWhatARunMountsInABidirectionalVolume) {
  const UniqueFd watch = MountAndWatch();
  const std::string place = directory_ + "/disk/place";
  mkdir(place.c_str(), 0755);
  TaskRootOptions options;
  options.volumes = {{directory_ + "/disk", "/srv", false, "bidirectional"}};
  ProcessSpec spec =
      Isolated("mount -t tmpfs none /srv/place && echo x > /srv/place/file && exit 7", options);
  spec.privileges->bounding = *CapabilitySet::Parse({"sys_admin"});
  spec.privileges->filter_calls = false;
  EXPECT_EQ(WaitFor(MustStart(std::move(spec))).exit_code, 7) << Read("logs/web.stderr.0");
  EXPECT_THAT(steps_, Contains(std::string(kCleanMountsStep)));
  EXPECT_TRUE(std::filesystem::exists(place + "/file"));
  EXPECT_EQ(umount2(place.c_str(), 0), 0) << std::strerror(errno);
}

TEST_F(CleanNamespaceTest, ARunCopiesNoMountOfTheHost) {
  const long clean = MountsOfHolder(true), copied = MountsOfHolder(false);
  AddFurtherMounts(40);
  EXPECT_EQ(MountsOfHolder(true), clean);
  EXPECT_EQ(MountsOfHolder(false), copied + 40) << "the control";
}

TEST_F(CleanNamespaceTest, WhereItCannotBeMadeRunsBeginWithTheMountsOfTheAgent) {
  OnThread([this] {
    ASSERT_EQ(FailCalls({SYS_pivot_root}, EPERM), 0);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(WaitFor(MustStart(Isolated("exit 7", WithoutPivot()))).exit_code, 7);
      EXPECT_THAT(steps_, Not(Contains(std::string(kCleanMountsStep))));
    }
  });
  // A call that was refused once is not tried again.
  EXPECT_EQ(WaitFor(MustStart(Isolated("exit 7"))).exit_code, 7);
  EXPECT_THAT(steps_, Not(Contains(std::string(kCleanMountsStep))));
}

TEST_F(CleanNamespaceTest, WhatTheMachineLackedIsTriedAgain) {
  OnThread([this] {
    ASSERT_EQ(FailCalls({SYS_pivot_root}, ENOMEM), 0);
    EXPECT_EQ(WaitFor(MustStart(Isolated("exit 7", WithoutPivot()))).exit_code, 7);
    EXPECT_THAT(steps_, Not(Contains(std::string(kCleanMountsStep))));
  });
  EXPECT_EQ(WaitFor(MustStart(Isolated("exit 7"))).exit_code, 7);
  EXPECT_THAT(steps_, Contains(std::string(kCleanMountsStep)));
}

TEST_F(CleanNamespaceTest, WhereNoRunCanEnterItTheNextDoesNotTry) {
  const UniqueFd other(open("/dev/null", O_RDONLY | O_CLOEXEC));
  change_start_ = [&](StartMessage* message) {
    steps_ = message->step_names;
    ForEachStep(message, [&](const std::string& name, drover_step* step) {
      if (name != kCleanMountsStep) return;
      const auto* const number = reinterpret_cast<drover_step_number*>(step);
      message->fds[static_cast<std::size_t>(number->number)] = other.get();
    });
  };
  const Result<ProcessInfo> info = Start(Isolated("true"));
  ASSERT_FALSE(info.ok());
  EXPECT_EQ(info.error().message(),
            "cannot begin without the mounts of the host: Invalid argument");
  EXPECT_EQ(WaitFor(MustStart(Isolated("exit 7"))).exit_code, 7);
  EXPECT_THAT(steps_, Not(Contains(std::string(kCleanMountsStep))));
}

TEST_F(CleanNamespaceTest, AStartThatIsGivenUpMeanwhileLeavesNothing) {
  ProcessSpec spec = Isolated("exit 7");
  Context context = Forever().WithTimeout(1h);
  context.Cancel();
  const Result<ProcessInfo> info = Await(service_->Start(context, std::move(spec)));
  EXPECT_EQ(info.code(), Code::kCancelled);
  EXPECT_EQ(TrackedRuns().size(), 0u);
  EXPECT_EQ(WaitFor(MustStart(Isolated("exit 7"))).exit_code, 7);
}

TEST_F(CleanNamespaceTest, AnotherAgentNeedsNone) {
  const RunId run =
      MustStart(Isolated("trap 'exit 7' TERM; echo up; while :; do sleep 0.05; done"));
  ASSERT_TRUE(Until([&] { return Read("logs/web.stdout.0") == "up\n"; }));
  Restart();
  const auto attached = Await(service_->Attach(Forever(), run));
  ASSERT_TRUE(attached.ok()) << attached.error().message();
  const Result<ProcessExit> exit = Await(service_->Stop(Forever(), run, SIGTERM, 10s));
  ASSERT_TRUE(exit.ok());
  EXPECT_EQ(exit->exit_code, 7);
}

}  // namespace
}  // namespace drover
