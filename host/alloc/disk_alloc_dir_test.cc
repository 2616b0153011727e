// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/disk_alloc_dir.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>
#include <tuple>

#include "host/alloc/dir_tree.h"
#include "host/alloc/fake_project_quotas_for_test.h"
#include "host/base/loop.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

constexpr char kAlloc[] = "5a1b8c2e-0000-4000-8000-000000000001";

std::string DataPath(const AllocDir& dir) { return dir.path() + "/alloc/data"; }

// Every test has a directory of its own, in a mount namespace of this process: mounts that a
// failing test leaves end with the process. /tmp is mounted anew, since only root may be able to
// use the machine's own.
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
    (void)Wait(Make().Destroy());
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
  static TaskDirRequest For(std::string task, std::string user = "",
                            FsIsolation isolation = FsIsolation::kNone) {
    return {std::move(task), isolation, std::move(user)};
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
  // The type and options of the file system mounted at PATH, from /proc/self/mountinfo.
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
  for (const mode_t mask : {0077, 0}) {
    const mode_t before = umask(mask);
    DiskAllocDir dir = Make();
    ExpectOk(dir.Build());
    ExpectOk(dir.BuildTask(For("web")));
    umask(before);
    const TaskDirPaths paths = dir.TaskPaths("web");
    EXPECT_EQ(ModeOf(dir.path()), 0700u);
    EXPECT_EQ(ModeOf(dir.shared_path()), 01777u);
    EXPECT_EQ(ModeOf(dir.log_path()), 0755u);
    EXPECT_EQ(ModeOf(DataPath(dir)), 0777u);
    EXPECT_EQ(ModeOf(dir.shared_path() + "/tmp"), 0777u);
    EXPECT_EQ(ModeOf(paths.dir), 0700u);
    EXPECT_EQ(ModeOf(paths.local), 0755u);
    EXPECT_EQ(ModeOf(paths.tmp), 01777u);
    EXPECT_EQ(ModeOf(paths.secrets), 0700u);
    EXPECT_EQ(ModeOf(paths.private_dir), 0700u);
    ExpectOk(dir.Destroy());
  }
}

TEST_F(DiskAllocDirTest, WithRootATaskOwnsItsDirectoriesAndTheAgentTheRest) {
  NEEDS_ROOT();
  DiskAllocDir dir = Make(true);
  ExpectOk(dir.Build());
  const auto owner = [](const std::string& path) {
    struct stat info{};
    EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
    return info.st_uid;
  };
  struct Case {
    const char* user;
    FsIsolation isolation;
    uid_t task;
    uid_t inner;
  };
  const Case cases[] = {{"", FsIsolation::kNone, 0, 0},
                        {"4242", FsIsolation::kNone, 4242, 4242},
                        {"nobody", FsIsolation::kChroot, 65534, 65534},
                        {"", FsIsolation::kChroot, 0, 0},            // the process's user gets it
                        {"4242", FsIsolation::kImage, 0, 0},         // a user of the image
                        {"nobody-here", FsIsolation::kNone, 0, 0}};  // the driver refuses it
  for (const Case& one : cases) {
    ExpectOk(dir.BuildTask(For("web", one.user, one.isolation)));
    const TaskDirPaths paths = dir.TaskPaths("web");
    EXPECT_EQ(owner(paths.dir), one.task) << one.user;
    for (const std::string& path : {paths.local, paths.tmp, paths.secrets}) {
      EXPECT_EQ(owner(path), one.inner) << one.user << " " << path;
    }
    EXPECT_EQ(owner(paths.private_dir), 0u);
    ExpectOk(dir.Destroy());
    ExpectOk(dir.Build());
  }
  for (const std::string& path : {dir.path(), dir.shared_path(), dir.log_path()}) {
    EXPECT_EQ(owner(path), 0u) << path;
  }
  EXPECT_EQ(owner(DataPath(dir)), 65534u);
}

// Runs WORK in a child as user and group UID; true when it returned true.
bool AsUser(uid_t uid, const std::function<bool()>& work) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (setgroups(0, nullptr) != 0 || setgid(uid) != 0 || setuid(uid) != 0) _exit(2);
    _exit(work() ? 0 : 1);
  }
  int status = 0;
  return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool MayEnter(uid_t uid, const std::string& path) {
  return AsUser(uid, [&path] { return chdir(path.c_str()) == 0; });
}

bool MayMakeFile(uid_t uid, const std::string& directory) {
  return AsUser(uid, [&directory] {
    const std::string file = directory + "/of-" + std::to_string(getuid());
    return UniqueFd(open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)).get() >= 0;
  });
}

// Two tasks of users 4242 and 4243 in one group reach what they need, and no other user does.
void ExpectClosed(const DiskAllocDir& dir) {
  for (const auto& [task, uid, other] :
       {std::tuple("a", 4242u, 4243u), std::tuple("b", 4243u, 4242u)}) {
    const TaskDirPaths paths = dir.TaskPaths(task);
    for (const std::string& own : {paths.dir, paths.local, paths.tmp, paths.secrets}) {
      EXPECT_TRUE(MayMakeFile(uid, own)) << uid << " " << own;
    }
    EXPECT_TRUE(MayMakeFile(uid, DataPath(dir))) << uid;
    EXPECT_TRUE(MayEnter(uid, dir.log_path())) << uid;
    EXPECT_FALSE(MayEnter(uid, paths.private_dir)) << uid;
    EXPECT_FALSE(MayMakeFile(uid, dir.path())) << uid;
    EXPECT_FALSE(MayEnter(other, paths.dir)) << other;
    EXPECT_FALSE(MayMakeFile(other, paths.secrets)) << other;
  }
  for (const uid_t stranger : {12345u, 65534u}) {
    for (const std::string& path : {dir.path(), dir.shared_path(), DataPath(dir), dir.log_path(),
                                    dir.TaskPaths("a").dir, dir.TaskPaths("root").dir}) {
      EXPECT_FALSE(MayEnter(stranger, path)) << stranger << " " << path;
      EXPECT_FALSE(MayMakeFile(stranger, path)) << stranger << " " << path;
    }
  }
}

TEST_F(DiskAllocDirTest, OnlyTheUsersOfItsTasksPassThroughAnAllocation) {
  NEEDS_ROOT();
  DiskAllocDir dir = Make(true);
  ExpectOk(dir.Build());
  for (int i = 0; i < 2; ++i) {
    ExpectOk(dir.BuildTask(For("a", "4242")));
    ExpectOk(dir.BuildTask(For("b", "4243")));
    ExpectOk(dir.BuildTask(For("root")));
    ExpectOk(dir.Build());
    ExpectClosed(dir);
  }
}

TEST_F(DiskAllocDirTest, AListThatIsInheritedLetsNobodyIn) {
  NEEDS_ROOT();
  // As written by `setfacl -d -m u:12345:rwx`.
  const unsigned char list[] = {2,   0,   0,   0,    1,   0,    7,    0,   255, 255, 255,
                                255, 2,   0,   7,    0,   0x39, 0x30, 0,   0,   4,   0,
                                5,   0,   255, 255,  255, 255,  0x10, 0,   7,   0,   255,
                                255, 255, 255, 0x20, 0,   5,    0,    255, 255, 255, 255};
  ASSERT_EQ(setxattr(base_.c_str(), "system.posix_acl_default", list, sizeof list, 0), 0)
      << strerror(errno);
  DiskAllocDir dir = Make(true);
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask(For("a", "4242")));
  ExpectOk(dir.BuildTask(For("b", "4243")));
  ExpectOk(dir.BuildTask(For("root")));
  ExpectClosed(dir);
}

TEST_F(DiskAllocDirTest, WithoutAccessControlListsTheGroupOfOneUserIsLetIn) {
  NEEDS_ROOT();
  ASSERT_EQ(mount("ramfs", base_.c_str(), "ramfs", 0, "mode=0711"), 0);
  DiskAllocDir dir = Make();
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask(For("a", "4242")));
  ExpectOk(dir.BuildTask(For("again", "4242")));
  EXPECT_TRUE(MayMakeFile(4242, dir.TaskPaths("a").local));
  EXPECT_TRUE(MayMakeFile(4242, DataPath(dir)));
  EXPECT_FALSE(MayEnter(12345, dir.path()));
  const Status second = Wait(dir.BuildTask(For("b", "4243")));
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message().find("has no access control lists"), std::string::npos)
      << second.error().message();
  EXPECT_FALSE(MayEnter(4243, dir.path()));
}

// Directories as earlier versions made them, with running tasks in them.
TEST_F(DiskAllocDirTest, DirectoriesOfAnEarlierVersionAreClosedAsFarAsTheirTasksAllow) {
  NEEDS_ROOT();
  DiskAllocDir dir = Make();
  ExpectOk(dir.Build());
  const TaskDirPaths paths = dir.TaskPaths("web");
  for (const std::string& path : {paths.dir, paths.local, paths.tmp, paths.secrets}) {
    fs::create_directory(path);
    chmod(path.c_str(), path == paths.tmp ? 01777 : 0777);
    ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  }
  chmod(dir.path().c_str(), 0755);
  ExpectOk(dir.Build());
  // An isolated task of the user nobody continues.
  ExpectOk(dir.BuildTask(For("web", "", FsIsolation::kChroot)));
  EXPECT_TRUE(MayMakeFile(65534, paths.secrets));
  EXPECT_FALSE(MayEnter(12345, paths.dir));
  // A task with a user continues too, and directories that were open to all now belong to the user.
  ExpectOk(dir.BuildTask(For("web", "4242")));
  for (const std::string& own : {paths.dir, paths.local, paths.tmp, paths.secrets}) {
    EXPECT_TRUE(MayMakeFile(4242, own)) << own;
  }
  EXPECT_TRUE(MayMakeFile(4242, DataPath(dir)));
  EXPECT_FALSE(MayEnter(12345, paths.dir));
  ExpectOk(dir.BuildTask(For("web")));
  EXPECT_FALSE(MayEnter(65534, paths.dir));
}

TEST_F(DiskAllocDirTest, BuildingAgainKeepsWhatIsThereAndPutsModesRight) {
  DiskAllocDir dir = Make();
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask(For("web")));
  const std::string file = dir.TaskPaths("web").local + "/kept";
  Write(file);
  chmod(file.c_str(), 0600);
  chmod(DataPath(dir).c_str(), 0700);
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask(For("web")));
  EXPECT_EQ(ModeOf(DataPath(dir)), 0777u);
  EXPECT_EQ(ModeOf(file), 0600u);
}

TEST_F(DiskAllocDirTest, SecretsAreSmallPrivateMountsAndMountedOnce) {
  NEEDS_ROOT();
  DiskAllocDir dir = Make(true);
  ExpectOk(dir.Build());
  for (int i = 0; i < 3; ++i) ExpectOk(dir.BuildTask(For("web")));
  const TaskDirPaths paths = dir.TaskPaths("web");
  struct statvfs info{};
  ASSERT_EQ(statvfs(paths.secrets.c_str(), &info), 0);
  EXPECT_EQ(info.f_flag & (ST_NOEXEC | ST_NOSUID | ST_NODEV), ST_NOEXEC | ST_NOSUID | ST_NODEV);
  EXPECT_EQ(info.f_blocks * info.f_frsize, 1u << 20);
  EXPECT_EQ(ModeOf(paths.secrets), 0700u);
  EXPECT_EQ(OptionsOf(paths.secrets).find("noswap") != std::string::npos, KernelKnowsNoswap());
  EXPECT_EQ(umount2(paths.secrets.c_str(), 0), 0);
  EXPECT_NE(umount2(paths.secrets.c_str(), 0), 0) << "it was mounted twice";
  // The agent mounts nothing here yet. A later mount is unmounted with the others.
  EXPECT_NE(umount2(paths.private_dir.c_str(), 0), 0);
  ASSERT_EQ(mount("tmpfs", paths.private_dir.c_str(), "tmpfs", 0, nullptr), 0);
  ExpectOk(dir.Destroy());
}

TEST_F(DiskAllocDirTest, SecretsAreDroppedAndAllElseStays) {
  NEEDS_ROOT();
  DiskAllocDir dir = Make(true);
  ExpectOk(dir.DropSecrets());
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask(For("a")));
  ExpectOk(dir.BuildTask(For("b")));
  const auto secrets = [&dir](const char* task) { return dir.TaskPaths(task).secrets; };
  Write(secrets("a") + "/token");
  Write(secrets("b") + "/token");
  Write(dir.TaskPaths("a").local + "/file");
  // A session, or a client that reads slowly, keeps what it has, and keeps nothing mounted.
  const UniqueFd held(open((secrets("a") + "/token").c_str(), O_RDONLY | O_CLOEXEC));
  for (int i = 0; i < 2; ++i) ExpectOk(dir.DropSecrets());
  EXPECT_EQ(lseek(held.get(), 0, SEEK_END), 4);
  EXPECT_TRUE(fs::is_empty(secrets("a")));
  EXPECT_TRUE(fs::is_empty(secrets("b")));
  EXPECT_EQ(umount2(secrets("a").c_str(), 0), -1) << "it was still mounted";
  EXPECT_TRUE(fs::exists(dir.TaskPaths("a").local + "/file"));
}

TEST_F(DiskAllocDirTest, SecretsThatCannotBeReachedAreNotReportedAsDropped) {
  NEEDS_ROOT();
  DiskAllocDir dir = Make(true);
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask(For("a")));
  const std::string secrets = dir.TaskPaths("a").secrets;
  Write(secrets + "/token");
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
  // The descriptors run out at another place in each round.
  int failed = 0;
  for (rlim_t most = 3; fs::exists(secrets + "/token"); ++most) {
    const rlimit few{most, usual.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    const Status dropped = Wait(dir.DropSecrets());
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &usual), 0);
    if (!dropped.ok()) ++failed;
    ASSERT_EQ(dropped.ok(), !fs::exists(secrets + "/token")) << most << " descriptors";
  }
  EXPECT_GE(failed, 3);
}

TEST_F(DiskAllocDirTest, ATaskHasBothLogFilesBeforeItSaysAnything) {
  DiskAllocDir dir = Make();
  ExpectOk(dir.Build());
  TaskDirRequest web = For("web");
  web.makes_logs = true;
  const mode_t before = umask(077);
  ExpectOk(dir.BuildTask(web));
  umask(before);
  ExpectOk(dir.BuildTask(For("mute")));
  TaskDirRequest of_long_name = For(std::string(250, 'x'));
  of_long_name.makes_logs = true;
  ExpectOk(dir.BuildTask(of_long_name));
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(dir.log_path())) {
    names.insert(entry.path().filename());
    EXPECT_EQ(ModeOf(entry.path()), 0644u);
    EXPECT_EQ(fs::file_size(entry.path()), 0u);
  }
  EXPECT_EQ(names, (std::set<std::string>{"web.stderr.0", "web.stdout.0"}));
  Write(dir.log_path() + "/web.stdout.0");
  ExpectOk(dir.BuildTask(web));
  EXPECT_EQ(fs::file_size(dir.log_path() + "/web.stdout.0"), 4u) << "its output is kept";
}

TEST_F(DiskAllocDirTest, CheckBuiltReportsAMissingDirectory) {
  DiskAllocDir dir = Make();
  EXPECT_EQ(Wait(dir.CheckBuilt()).code(), Code::kNotFound);
  ExpectOk(dir.Build());
  ExpectOk(dir.CheckBuilt());
}

TEST_F(DiskAllocDirTest, DestroyRemovesAllAndMayBeRepeated) {
  DiskAllocDir dir = Make(geteuid() == 0);
  ExpectOk(dir.Destroy());
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask(For("web")));
  ExpectOk(dir.BuildTask(For("db")));
  Write(dir.TaskPaths("web").secrets + "/token");
  Write(DataPath(dir) + "/data");
  fs::create_directories(dir.TaskPaths("db").local + "/a/b/c");
  ExpectOk(dir.Destroy());
  EXPECT_TRUE(fs::is_empty(base_));
  ExpectOk(dir.Destroy());
}

TEST_F(DiskAllocDirTest, DestroyFreesTheQuota) {
  FakeProjectQuotas quotas;
  const auto quota = std::make_shared<DiskQuota>(DiskQuotaOptions{base_, 100, 100, &quotas});
  DiskAllocDirOptions options;
  options.base = base_;
  options.private_tmpfs = false;
  options.quota = quota;
  DiskAllocDir dir(std::move(options), kAlloc);
  ExpectOk(dir.Build());
  ASSERT_TRUE(quota->Hold(kAlloc, 1 << 20, false).ok());
  EXPECT_EQ(quotas.limits.at(100), 1 << 20);
  ExpectOk(dir.Destroy());
  EXPECT_EQ(quotas.limits.at(100), 0);
}

TEST_F(DiskAllocDirTest, NamesThatLeadElsewhereAreRefused) {
  DiskAllocDir dir = Make();
  ExpectOk(dir.Build());
  for (const std::string& name :
       {std::string(""), std::string("."), std::string(".."), std::string("a/b"),
        std::string("alloc"), std::string("a\0b", 3), std::string(300, 'x')}) {
    EXPECT_EQ(Wait(dir.BuildTask(For(name))).code(), Code::kInvalidArgument) << name;
  }
}

TEST_F(DiskAllocDirTest, ALinkInPlaceOfADirectoryIsRefusedAndNotFollowed) {
  DiskAllocDir dir = Make();
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask(For("web")));
  const std::string outside = base_ + "/outside";
  fs::create_directory(outside);
  chmod(outside.c_str(), 0700);
  fs::remove_all(dir.TaskPaths("web").secrets);
  fs::create_directory_symlink(outside, dir.TaskPaths("web").secrets);
  const Status status = Wait(dir.BuildTask(For("web")));
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message().find("web/secrets is not a directory"), std::string::npos)
      << status.error().message();
  EXPECT_EQ(ModeOf(outside), 0700u);
}

TEST_F(DiskAllocDirTest, DestroyRemovesLinksAndNotWhatTheyName) {
  DiskAllocDir dir = Make();
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask(For("web")));
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
  // A task that may write to its directory may also replace a subdirectory by a link.
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
  ExpectOk(dir.BuildTask(For("web")));
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
  ExpectOk(dir.BuildTask(For("web")));
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
  ExpectOk(dir.BuildTask(For("web")));
  ExpectOk(dir.Destroy());
}

TEST_F(DiskAllocDirTest, ADeepTreeCostsNeitherStackNorDescriptors) {
  DiskAllocDir dir = Make();
  ExpectOk(dir.Build());
  constexpr int kDepth = 500;
  const std::string data = DataPath(dir);
  UniqueFd at(open(data.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < kDepth; ++i) {
    ASSERT_EQ(mkdirat(at.get(), "d", 0777), 0);
    const UniqueFd file(openat(at.get(), "f", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    at.Reset(openat(at.get(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(at);
  }
  at.Reset();
  // A task may have used the names that the removal uses.
  fs::create_directory(dir.path() + "/.drover-remove-1");
  ExpectOk(dir.Destroy());
  EXPECT_FALSE(fs::exists(dir.path()));
}

bool AsNobody(const std::function<bool()>& work) { return AsUser(65534, work); }

TEST_F(DiskAllocDirTest, OtherUsersCanNeitherChangeNorReplaceTheLogs) {
  NEEDS_ROOT();
  DiskAllocDir dir = Make();
  ExpectOk(dir.Build());
  ExpectOk(dir.BuildTask(For("web", "nobody")));
  const std::string shared = dir.shared_path();
  Write(dir.log_path() + "/web.stdout.0");
  // Whether the user nobody can change NAME, a directory below alloc with the file FILE, in any
  // way.
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
  })) << "a directory of the user nobody can be renamed";
}

TEST_F(DiskAllocDirTest, WithoutRootLockedDirectoriesAreRemovedAllTheSame) {
  NEEDS_ROOT();
  EXPECT_TRUE(AsNobody([this] {
    DiskAllocDir dir = Make(false);
    if (!Wait(dir.Build()).ok() || !Wait(dir.BuildTask(For("web"))).ok()) return false;
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
  fs::create_directory(DataPath(dir) + "/roots");
  chmod((DataPath(dir) + "/roots").c_str(), 0755);
  Write(DataPath(dir) + "/roots/file");
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
    TaskDirRequest web = For("web");
    *out = *out && (co_await on->BuildTask(std::move(web))).ok();
    *out = *out && (co_await on->Destroy()).ok();
  };
  ASSERT_TRUE(loop.RunToEnd(use(&dir, &all)));
  EXPECT_TRUE(all);
  EXPECT_TRUE(fs::is_empty(base_));
}

// Holds the one thread of a pool until End.
class Busy {
 public:
  Busy(Loop* loop, WorkerPool* pool) { loop->Spawn(Hold(pool, free_.get_future().share())); }
  void End() { free_.set_value(); }

 private:
  static Co<void> Hold(WorkerPool* pool, std::shared_future<void> free) {
    std::function<void()> wait = [free] { free.wait(); };
    co_await pool->Do(std::move(wait));
  }
  std::promise<void> free_;
};

TEST_F(DiskAllocDirTest, WhatEndsAnAllocationHoldsUpNoStart) {
  RealLoop loop;
  WorkerPool pool(1);
  WorkerPool removals(1);
  DiskAllocDirOptions options;
  options.base = base_;
  options.private_tmpfs = true;
  options.pool = &pool;
  options.removal_pool = &removals;
  DiskAllocDir dir(options, kAlloc);
  Busy busy(&loop, &removals);
  bool removed = false;
  auto destroy = [](DiskAllocDir* on, bool* out) -> Co<void> {
    *out = (co_await on->Destroy()).ok();
  };
  bool built = false;
  auto build = [](DiskAllocDir* on, bool* out) -> Co<void> { *out = (co_await on->Build()).ok(); };
  ASSERT_TRUE(loop.RunToEnd(build(&dir, &built)));
  bool dropped = false;
  auto drop = [](DiskAllocDir* on, bool* out) -> Co<void> {
    *out = (co_await on->DropSecrets()).ok();
  };
  loop.Spawn(drop(&dir, &dropped));
  loop.Spawn(destroy(&dir, &removed));
  DiskAllocDir other(options, "5a1b8c2e-0000-4000-8000-000000000002");
  ASSERT_TRUE(loop.RunToEnd(build(&other, &built)));
  EXPECT_TRUE(built);
  EXPECT_FALSE(dropped);
  EXPECT_FALSE(removed);
  busy.End();
  auto wait = [](WorkerPool* on) -> Co<void> {
    std::function<void()> nothing = [] {};
    co_await on->Do(std::move(nothing));
  };
  ASSERT_TRUE(loop.RunToEnd(wait(&removals)));
  EXPECT_TRUE(dropped);
  EXPECT_TRUE(removed);
}

TEST_F(DiskAllocDirTest, ARemovalIsGivenUpWhenNobodyWaitsForIt) {
  auto give_up = std::make_shared<std::atomic<bool>>(true);
  DiskAllocDirOptions options;
  options.base = base_;
  options.private_tmpfs = false;
  options.give_up = give_up;
  DiskAllocDir dir(options, kAlloc);
  ExpectOk(dir.Build());
  EXPECT_EQ(Wait(dir.Destroy()).code(), Code::kCancelled);
  EXPECT_TRUE(fs::exists(DataPath(dir)));
  *give_up = false;
  ExpectOk(dir.Destroy());
  EXPECT_FALSE(fs::exists(dir.path()));
}

}  // namespace
}  // namespace drover
