// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/disk_alloc_dir.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "host/alloc/dir_tree.h"
#include "host/base/loop.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

constexpr char kAlloc[] = "5a1b8c2e-0000-4000-8000-000000000001";

// Every test has a directory of its own, in a mount namespace of this process: whatever a failing
// test leaves mounted ends with it. So has /tmp, since a machine may keep its own to root.
class DiskAllocDirTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (geteuid() != 0) return;
    ASSERT_EQ(unshare(CLONE_NEWNS), 0);
    ASSERT_EQ(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    ASSERT_EQ(mount("tmpfs", "/tmp", "tmpfs", 0, "mode=1777"), 0);
  }

  DiskAllocDirTest() {
    char name[] = "/tmp/drover-alloc-dir-XXXXXX";
    base_ = mkdtemp(name);
    chmod(base_.c_str(), 0777);
  }
  ~DiskAllocDirTest() override {
    while (umount2(base_.c_str(), MNT_DETACH) == 0) {
    }
    fs::remove_all(base_);
  }

  DiskAllocDir Make(bool tmpfs = false) const {
    DiskAllocDirOptions options;
    options.base = base_;
    options.private_tmpfs = tmpfs;
    return DiskAllocDir(options, kAlloc);
  }
  static Status Wait(Co<Status> call) {
    SimLoop loop;
    Status status = Error(Code::kInternal, "did not end");
    auto store = [](Co<Status> inner, Status* out) -> Co<void> {
      *out = co_await std::move(inner);
    };
    EXPECT_TRUE(loop.RunToEnd(store(std::move(call), &status)));
    return status;
  }
  static void ExpectOk(Co<Status> call) {
    const Status status = Wait(std::move(call));
    EXPECT_TRUE(status.ok()) << status.error().message();
  }
  static mode_t ModeOf(const std::string& path) {
    struct stat info{};
    EXPECT_EQ(lstat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777;
  }
  // What /proc/self/mountinfo says of the file system that is mounted at PATH.
  static std::string OptionsOf(const std::string& path) {
    std::ifstream mounts("/proc/self/mountinfo");
    for (std::string line; std::getline(mounts, line);) {
      if (line.find(" " + path + " ") != std::string::npos) return line.substr(line.find(" - "));
    }
    ADD_FAILURE() << path << " is no mount";
    return "";
  }
  bool KernelKnowsNoswap() const {
    const std::string place = base_ + "/noswap";
    fs::create_directory(place);
    const bool knows = mount("tmpfs", place.c_str(), "tmpfs", 0, "noswap") == 0;
    if (knows) EXPECT_EQ(umount2(place.c_str(), 0), 0);
    return knows;
  }
  static void Write(const std::string& path) { std::ofstream(path) << "text"; }

  std::string base_;
};

#define NEEDS_ROOT() \
  if (geteuid() != 0) GTEST_SKIP() << "mounts and other users need root"

TEST_F(DiskAllocDirTest, ModesDoNotDependOnTheUmask) {
  const mode_t before = umask(077);
  DiskAllocDir dir = Make();
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask("web"));
  umask(before);
  for (const std::string& path : {dir.data_path(), dir.shared_path() + "/tmp",
                                  dir.TaskPaths("web").dir, dir.TaskPaths("web").local}) {
    EXPECT_EQ(ModeOf(path), 0777u) << path;
  }
  EXPECT_EQ(ModeOf(dir.shared_path()), 01777u);
  EXPECT_EQ(ModeOf(dir.log_path()), 0755u);
  EXPECT_EQ(ModeOf(dir.TaskPaths("web").secrets), geteuid() == 0 ? 0777u : 0700u);
  EXPECT_EQ(ModeOf(dir.TaskPaths("web").private_dir), 0700u);
  EXPECT_EQ(ModeOf(dir.path()), 0755u);
  EXPECT_EQ(ModeOf(dir.TaskPaths("web").tmp), 01777u);
}

TEST_F(DiskAllocDirTest, WithRootTheDirectoriesBelongToNobodyAndTheLogsToRoot) {
  NEEDS_ROOT();
  DiskAllocDir dir = Make();
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask("web"));
  struct stat info{};
  ASSERT_EQ(stat(dir.data_path().c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 65534u);
  ASSERT_EQ(stat(dir.TaskPaths("web").local.c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 65534u);
  for (const std::string& path : {dir.path(), dir.shared_path(), dir.log_path()}) {
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, 0u) << path;
  }
}

TEST_F(DiskAllocDirTest, BuildingAgainKeepsWhatIsThereAndPutsModesRight) {
  DiskAllocDir dir = Make();
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask("web"));
  const std::string file = dir.TaskPaths("web").local + "/kept";
  Write(file);
  chmod(file.c_str(), 0600);
  chmod(dir.data_path().c_str(), 0700);
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask("web"));
  EXPECT_EQ(ModeOf(dir.data_path()), 0777u);
  EXPECT_EQ(ModeOf(file), 0600u);
}

TEST_F(DiskAllocDirTest, SecretsAreSmallPrivateMountsAndMountedOnce) {
  NEEDS_ROOT();
  DiskAllocDir dir = Make(true);
  ExpectOk(dir.Build());
  for (int i = 0; i < 3; ++i) ExpectOk(dir.BuildTask("web"));
  const TaskDirPaths paths = dir.TaskPaths("web");
  struct statvfs info{};
  ASSERT_EQ(statvfs(paths.secrets.c_str(), &info), 0);
  EXPECT_EQ(info.f_flag & (ST_NOEXEC | ST_NOSUID | ST_NODEV), ST_NOEXEC | ST_NOSUID | ST_NODEV);
  EXPECT_EQ(info.f_blocks * info.f_frsize, 1u << 20);
  EXPECT_EQ(ModeOf(paths.secrets), 0777u);
  EXPECT_EQ(OptionsOf(paths.secrets).find("noswap") != std::string::npos, KernelKnowsNoswap());
  EXPECT_EQ(umount2(paths.secrets.c_str(), 0), 0);
  EXPECT_NE(umount2(paths.secrets.c_str(), 0), 0) << "it was mounted twice";
  // Nobody mounts here yet; what will be is unmounted with the rest.
  EXPECT_NE(umount2(paths.private_dir.c_str(), 0), 0);
  ASSERT_EQ(mount("tmpfs", paths.private_dir.c_str(), "tmpfs", 0, nullptr), 0);
  ExpectOk(dir.Destroy());
}

TEST_F(DiskAllocDirTest, CheckBuiltTellsAMissingDirectory) {
  DiskAllocDir dir = Make();
  EXPECT_EQ(Wait(dir.CheckBuilt()).code(), Code::kNotFound);
  ExpectOk(dir.Build());
  ExpectOk(dir.CheckBuilt());
}

TEST_F(DiskAllocDirTest, DestroyRemovesAllAndMayBeRepeated) {
  DiskAllocDir dir = Make(geteuid() == 0);
  ExpectOk(dir.Destroy());
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask("web"));
  ExpectOk(dir.BuildTask("db"));
  Write(dir.TaskPaths("web").secrets + "/token");
  Write(dir.data_path() + "/data");
  fs::create_directories(dir.TaskPaths("db").local + "/a/b/c");
  ExpectOk(dir.Destroy());
  EXPECT_TRUE(fs::is_empty(base_));
  ExpectOk(dir.Destroy());
}

TEST_F(DiskAllocDirTest, NamesThatLeadElsewhereAreRefused) {
  DiskAllocDir dir = Make();
  ExpectOk(dir.Build());
  for (const std::string& name :
       {std::string(""), std::string("."), std::string(".."), std::string("a/b"),
        std::string("alloc"), std::string("a\0b", 3), std::string(300, 'x')}) {
    EXPECT_EQ(Wait(dir.BuildTask(name)).code(), Code::kInvalidArgument) << name;
  }
}

TEST_F(DiskAllocDirTest, ALinkInPlaceOfADirectoryIsRefusedAndNotFollowed) {
  DiskAllocDir dir = Make();
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask("web"));
  const std::string outside = base_ + "/outside";
  fs::create_directory(outside);
  chmod(outside.c_str(), 0700);
  fs::remove_all(dir.TaskPaths("web").secrets);
  fs::create_directory_symlink(outside, dir.TaskPaths("web").secrets);
  const Status status = Wait(dir.BuildTask("web"));
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message().find("web/secrets is not a directory"), std::string::npos)
      << status.error().message();
  EXPECT_EQ(ModeOf(outside), 0700u);
}

TEST_F(DiskAllocDirTest, DestroyRemovesLinksAndNotWhatTheyName) {
  DiskAllocDir dir = Make();
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask("web"));
  const std::string outside = base_ + "/outside";
  fs::create_directories(outside + "/tree");
  Write(outside + "/tree/file");
  Write(outside + "/hard");
  chmod((outside + "/hard").c_str(), 0400);
  const std::string local = dir.TaskPaths("web").local;
  fs::create_directory_symlink(outside, local + "/link");
  fs::create_directory_symlink("../../../outside/tree", local + "/relative");
  fs::create_hard_link(outside + "/hard", local + "/hard");
  ASSERT_EQ(mkfifo((local + "/fifo").c_str(), 0600), 0);
  // A task that may write to its directory may put a link in place of it, too.
  fs::remove_all(dir.TaskPaths("web").tmp);
  fs::create_directory_symlink(outside, dir.TaskPaths("web").tmp);
  ExpectOk(dir.Destroy());
  EXPECT_FALSE(fs::exists(dir.path()));
  EXPECT_TRUE(fs::exists(outside + "/tree/file"));
  EXPECT_EQ(ModeOf(outside + "/hard"), 0400u);
}

TEST_F(DiskAllocDirTest, AMountInUseKeepsTheDirectoryAndSaysSo) {
  NEEDS_ROOT();
  DiskAllocDir dir = Make(true);
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask("web"));
  Write(dir.TaskPaths("web").local + "/file");
  const std::string file = dir.TaskPaths("web").secrets + "/held";
  UniqueFd held(open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  ASSERT_TRUE(held);
  const Status status = Wait(dir.Destroy());
  ASSERT_FALSE(status.ok());
  EXPECT_TRUE(status.error().recoverable());
  EXPECT_NE(status.error().message().find("web/secrets: a process still uses it"),
            std::string::npos)
      << status.error().message();
  EXPECT_TRUE(fs::exists(dir.TaskPaths("web").local + "/file")) << "nothing may be removed yet";
  held.Reset();
  ExpectOk(dir.Destroy());
  EXPECT_FALSE(fs::exists(dir.path()));
}

TEST_F(DiskAllocDirTest, DestroyDoesNotCrossIntoMountsOfOthers) {
  NEEDS_ROOT();
  DiskAllocDir dir = Make(true);
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask("web"));
  const std::string outside = base_ + "/outside";
  fs::create_directory(outside);
  Write(outside + "/file");
  const std::string deep = dir.TaskPaths("web").local + "/a/b";
  fs::create_directories(deep);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(mount(outside.c_str(), deep.c_str(), nullptr, MS_BIND, nullptr), 0);
  }
  const std::string on_file = dir.TaskPaths("web").local + "/bound";
  Write(on_file);
  ASSERT_EQ(mount((outside + "/file").c_str(), on_file.c_str(), nullptr, MS_BIND, nullptr), 0);
  {
    const UniqueFd held(open((deep + "/file").c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_FALSE(Wait(dir.Destroy()).ok());
  }
  EXPECT_TRUE(fs::exists(outside + "/file"));
  ExpectOk(dir.Destroy());
  EXPECT_FALSE(fs::exists(dir.path()));
  EXPECT_TRUE(fs::exists(outside + "/file"));
}

TEST_F(DiskAllocDirTest, AFullDiskIsAnErrorThatNamesThePathAndCanBeRepeated) {
  NEEDS_ROOT();
  ASSERT_EQ(mount("tmpfs", base_.c_str(), "tmpfs", 0, "nr_inodes=4"), 0);
  DiskAllocDir dir = Make();
  const Status status = Wait(dir.Build());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_NE(status.error().message().find("mkdir " + dir.path() + "/alloc/"), std::string::npos)
      << status.error().message();
  ASSERT_EQ(mount("tmpfs", base_.c_str(), "tmpfs", MS_REMOUNT, "nr_inodes=100"), 0);
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask("web"));
  ExpectOk(dir.Destroy());
}

TEST_F(DiskAllocDirTest, ADeepTreeCostsNeitherStackNorDescriptors) {
  DiskAllocDir dir = Make();
  ExpectOk(dir.Build());
  constexpr int kDepth = 500;
  const std::string data = dir.data_path();
  UniqueFd at(open(data.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < kDepth; ++i) {
    ASSERT_EQ(mkdirat(at.get(), "d", 0777), 0);
    const UniqueFd file(openat(at.get(), "f", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    at.Reset(openat(at.get(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(at);
  }
  at.Reset();
  // Somebody may have taken the names that the removal uses.
  fs::create_directory(dir.path() + "/.drover-remove-1");
  ExpectOk(dir.Destroy());
  EXPECT_FALSE(fs::exists(dir.path()));
}

// Runs WORK as nobody in a child; true when it returned true.
bool AsNobody(const std::function<bool()>& work) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(2);
    _exit(work() ? 0 : 1);
  }
  int status = 0;
  return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(DiskAllocDirTest, OtherUsersCanNeitherChangeNorReplaceTheLogs) {
  NEEDS_ROOT();
  DiskAllocDir dir = Make();
  ExpectOk(dir.Build());
  const std::string shared = dir.shared_path();
  Write(dir.log_path() + "/web.stdout.0");
  // Whether nobody can do any of it to NAME, a directory below alloc with the file FILE.
  const auto can = [&shared](const std::string& name, const std::string& file) {
    const std::string path = shared + "/" + name;
    return AsNobody([&] {
      return mkdir((path + "/mine").c_str(), 0777) == 0 ||
             unlink((path + "/" + file).c_str()) == 0 || chmod(path.c_str(), 0777) == 0 ||
             rename(path.c_str(), (shared + "/old").c_str()) == 0;
    });
  };
  EXPECT_FALSE(can("logs", "web.stdout.0"));
  EXPECT_TRUE(fs::exists(dir.log_path() + "/web.stdout.0"));
  EXPECT_TRUE(AsNobody([&] {
    return rename((shared + "/tmp").c_str(), (shared + "/x").c_str()) == 0;
  })) << "what is nobody's own can be renamed beside them";
}

TEST_F(DiskAllocDirTest, WithoutRootLockedDirectoriesAreRemovedAllTheSame) {
  NEEDS_ROOT();
  EXPECT_TRUE(AsNobody([this] {
    DiskAllocDir dir = Make(false);
    if (!Wait(dir.Build()).ok() || !Wait(dir.BuildTask("web")).ok()) return false;
    const std::string local = dir.TaskPaths("web").local;
    fs::create_directories(local + "/closed/inside");
    Write(local + "/closed/inside/file");
    chmod((local + "/closed/inside").c_str(), 0500);
    chmod((local + "/closed").c_str(), 0);
    chmod(dir.TaskPaths("web").dir.c_str(), 0);
    return Wait(dir.Destroy()).ok() && !fs::exists(dir.path());
  }));
}

TEST_F(DiskAllocDirTest, WhatMayNotBeRemovedIsNamed) {
  NEEDS_ROOT();
  DiskAllocDir dir = Make(false);
  EXPECT_TRUE(AsNobody([this] { return Wait(Make(false).Build()).ok(); }));
  fs::create_directory(dir.data_path() + "/roots");
  chmod((dir.data_path() + "/roots").c_str(), 0755);
  Write(dir.data_path() + "/roots/file");
  EXPECT_TRUE(AsNobody([this] {
    const Status status = Wait(Make(false).Destroy());
    return status.code() == Code::kPermissionDenied &&
           status.error().message().find("data/roots/file") != std::string::npos;
  }));
  ExpectOk(dir.Destroy());
}

TEST_F(DiskAllocDirTest, WorksOnThePoolWithoutHoldingTheControlThread) {
  RealLoop loop;
  WorkerPool pool(1);
  DiskAllocDirOptions options;
  options.base = base_;
  options.private_tmpfs = false;
  options.pool = &pool;
  DiskAllocDir dir(options, kAlloc);
  bool all = false;
  auto use = [](DiskAllocDir* on, bool* out) -> Co<void> {
    *out = (co_await on->Build()).ok();
    *out = *out && (co_await on->BuildTask("web")).ok();
    *out = *out && (co_await on->Destroy()).ok();
  };
  ASSERT_TRUE(loop.RunToEnd(use(&dir, &all)));
  EXPECT_TRUE(all);
  EXPECT_TRUE(fs::is_empty(base_));
}

}  // namespace
}  // namespace drover
