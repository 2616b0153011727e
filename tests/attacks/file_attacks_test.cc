// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Attempts to reach files of others, or to write files that a task must not write.
#include <sys/stat.h>
#include <sys/syscall.h>

#include "tests/attacks/attack_fixture.h"

namespace drover {
namespace {

using ::testing::HasSubstr;

class FileAttackTest : public AttackTest {};

TEST_F(FileAttackTest, FilesOfTheHostByEveryName) {
  // The root needs the mount namespace that holds it, so both are one defence.
  EXPECT_EQ(Outside("reach_file", {canary_, directory_}), kSucceeded);
  EXPECT_EQ(Inside("reach_file", {canary_, "/local"}), kHeld);
  // A working directory that points outside leads to the root.
  ProcessSpec spec = Isolated("reach_file", {canary_, "/local"});
  spec.cwd = "/../../../local/../../..";
  EXPECT_EQ(Run(std::move(spec)), kHeld);
  ProcessSpec beyond = Isolated("reach_file", {canary_, "/local"});
  beyond.cwd = directory_;
  const Result<ProcessInfo> info = Start(std::move(beyond));
  ASSERT_FALSE(info.ok());
  EXPECT_THAT(info.error().message(), HasSubstr("cannot change to directory"));
}

TEST_F(FileAttackTest, AWorkingDirectoryThatIsALink) {
  ProcessSpec control = OnHost("reach_file", {"canary", directory_});
  control.cwd = directory_ + "/task/local/way";
  ASSERT_EQ(symlink(directory_.c_str(), control.cwd.c_str()), 0);
  EXPECT_EQ(Run(std::move(control)), kSucceeded);
  ProcessSpec spec = Isolated("reach_file", {"canary", "/local"});
  spec.cwd = "/local/way";
  const Result<ProcessInfo> info = Start(std::move(spec));
  ASSERT_FALSE(info.ok());
  EXPECT_THAT(info.error().message(), HasSubstr("cannot change to directory"));
  // A path that goes up from the root stays in the root.
  ASSERT_EQ(
      symlink(("/../../.." + directory_ + "/..").c_str(), (directory_ + "/task/local/up").c_str()),
      0);
  ASSERT_EQ(symlink("/../../..", (directory_ + "/task/local/top").c_str()), 0);
  ProcessSpec top = Isolated("reach_file", {canary_.substr(1), "/local"});
  top.cwd = "/local/top";
  EXPECT_EQ(Run(std::move(top)), kHeld);
  ProcessSpec up = Isolated("reach_file", {"canary", "/local"});
  up.cwd = "/local/up";
  EXPECT_FALSE(Start(std::move(up)).ok());
}

TEST_F(FileAttackTest, WritingAProgramOfTheHost) {
  const std::string program = directory_ + "/host/victim";
  const auto attempt = [&](bool read_only) {
    std::filesystem::create_directories(directory_ + "/host");
    std::filesystem::copy_file(std::string(DROVER_ATTACKS) + "/rewrite_program", program,
                               std::filesystem::copy_options::overwrite_existing);
    ProcessSpec spec = Isolated("rewrite_program", {"begin", "/attacks/rewrite_program"});
    MountOptions options;
    options.read_only = read_only;
    Mount("/host", "/host", options, &spec);
    spec.executable = "/host/victim";
    return Run(std::move(spec));
  };
  EXPECT_EQ(attempt(false), kSucceeded);
  EXPECT_TRUE(Read("host/victim").starts_with("owned"));
  EXPECT_EQ(attempt(true), kHeld);
  EXPECT_TRUE(Read("host/victim")
                  .starts_with("\x7f"
                               "ELF"));
}

TEST_F(FileAttackTest, LeavingTheRootByChroot) {
  // The control runs in a chroot; other tasks have a pivoted root.
  EXPECT_EQ(Outside("chroot_escape", {canary_, "/", directory_ + "/cage"}), kSucceeded);
  EXPECT_EQ(Inside("chroot_escape", {canary_, "/local"}), kHeld);
}

TEST_F(FileAttackTest, UncoveringWhatTheRootLiesUpon) {
  if (WithoutMountCalls()) GTEST_SKIP() << "here the mounts of the host are below it until PIVOT";
  // The change of the root and the clean namespace each stop it alone.
  const auto attempt = [&](const std::set<std::string>& without) {
    ProcessSpec spec = Isolated("uncover_root", {canary_});
    spec.privileges->bounding = With({"sys_admin"});
    spec.privileges->filter_calls = false;
    return Without(without, std::move(spec));
  };
  const std::string change = "change the root";
  EXPECT_EQ(attempt({kVerifyStep, change, kCleanMountsStep}), kSucceeded);
  EXPECT_EQ(attempt({kVerifyStep, change}), kHeld);
  EXPECT_EQ(attempt({kCleanMountsStep}), kHeld);
  EXPECT_EQ(attempt({}), kHeld);
}

TEST_F(FileAttackTest, MakingTheRootWritable) {
  // The missing capability and the filter each stop it alone.
  const auto attempt = [&](bool capable, bool filtered) {
    ProcessSpec spec = Isolated("remount", {});
    if (capable) spec.privileges->bounding = With({"sys_admin"});
    spec.privileges->filter_calls = filtered;
    return Run(std::move(spec));
  };
  EXPECT_EQ(attempt(true, false), kSucceeded);
  EXPECT_EQ(attempt(false, false), kHeld);
  EXPECT_EQ(attempt(false, true), kHeld);
  // The capabilities of a task decide its filter; here they come after the filter was made.
  change_start_ = [](StartMessage* message) {
    ForEachStep(message, [](const std::string&, drover_step* step) {
      if (step->kind != DROVER_STEP_BOUNDING && step->kind != DROVER_STEP_CAPABILITIES) return;
      auto* const sets = reinterpret_cast<drover_step_capabilities*>(step);
      sets->bounding = sets->permitted = With({"sys_admin"}).bits();
    });
  };
  EXPECT_EQ(attempt(false, true), kHeld);
  EXPECT_EQ(attempt(false, false), kSucceeded) << "the capability is not there";
}

TEST_F(FileAttackTest, WritingWhatIsReadOnly) {
  const std::pair<const char*, const char*> places[] = {
      {"/new", "make / read-only"},
      {"/dev/new", "make /dev read-only"},
      {"/proc/sys/kernel/hostname", "protect /proc/sys"},
      {"/proc/irq/default_smp_affinity", "protect /proc/irq"}};
  for (const auto& [path, step] : places) {
    EXPECT_EQ(WithoutMountStep(step, Isolated("write_file", {path})), kSucceeded) << path;
    EXPECT_EQ(Inside("write_file", {path}), kHeld) << path;
  }
  // No step of its own makes this one read-only.
  const std::string kernel = "/sys/kernel/mm/transparent_hugepage/enabled";
  if (std::filesystem::exists(kernel)) {
    change_start_ = [](StartMessage* message) {
      ForEachStep(message, [](const std::string& name, drover_step* step) {
        if (name == kVerifyStep) step->flags = 0;
        if (name != "mount sysfs at /sys") return;
        reinterpret_cast<drover_step_filesystem*>(step)->attributes &=
            ~std::uint32_t{MOUNT_ATTR_RDONLY};
      });
    };
    EXPECT_EQ(Inside("write_file", {kernel}), kSucceeded);
    change_start_ = nullptr;
    EXPECT_EQ(Inside("write_file", {kernel}), kHeld);
  }
  ProcessSpec control = Isolated("write_file", {"/alloc/logs/new"});
  Mount("/alloc/logs", "/alloc/logs", {}, &control);
  EXPECT_EQ(Run(std::move(control)), kSucceeded);
  EXPECT_EQ(Inside("write_file", {"/alloc/logs/new"}), kHeld);
}

TEST_F(FileAttackTest, NamingAFileOfTheHost) {
  std::ofstream(directory_ + "/alloc/other") << "somebody's";
  // Each bind mount is a separate mount, also where both are on the same file system. A link within
  // one mount succeeds.
  EXPECT_EQ(Inside("hard_link", {"/alloc/other", "/alloc/mine"}), kSucceeded);
  EXPECT_EQ(Inside("hard_link", {"/alloc/other", "/local/mine"}), kHeld);
  EXPECT_EQ(Inside("hard_link", {"/etc/passwd", "/local/mine"}), kHeld);
  EXPECT_EQ(Outside("hard_link", {canary_, directory_ + "/mine"}), kSucceeded);
  EXPECT_EQ(Inside("hard_link", {canary_, "/local/mine"}), kHeld);
}

// A neighbour replaces a directory that is the source of a mount. races_test.cc does that while
// tasks start.
TEST_F(FileAttackTest, ABindSourceThatLeadsOutside) {
  const std::string local = directory_ + "/task/local", own = directory_ + "/task/own";
  ASSERT_EQ(rename(local.c_str(), own.c_str()), 0);
  ASSERT_EQ(symlink(directory_.c_str(), local.c_str()), 0);
  TaskRootOptions options;
  options.task_dir = directory_ + "/task";
  const Result<RootSpec> root = OpenTaskRoot(options);
  ASSERT_FALSE(root.ok());
  EXPECT_EQ(root.error().message(), "local: Too many levels of symbolic links");
  // The control opens the source by its path.
  Result<MountTree> tree = OpenMountTree(AT_FDCWD, local, "/srv", {});
  ASSERT_TRUE(tree.ok()) << tree.error().message();
  ASSERT_EQ(unlink(local.c_str()), 0);
  ASSERT_EQ(rename(own.c_str(), local.c_str()), 0);
  ProcessSpec spec = Isolated("reach_file", {"/srv/canary", "/local"});
  spec.namespaces->root.mounts.push_back(std::move(*tree));
  EXPECT_EQ(Run(std::move(spec)), kSucceeded);
}

class MountedAttackTest : public FileAttackTest {
 protected:
  // On file systems of their own: the machine may have mounted the test's directory without devices
  // or set-user-id bits.
  void SetUp() override {
    AttackTest::SetUp();
    if (!loop_) return;
    for (const char* path : {"/alloc", "/task"})
      ASSERT_EQ(mount("none", (directory_ + path).c_str(), "tmpfs", 0, "mode=777"), 0);
    for (const char* path : {"/alloc/logs", "/task/local", "/task/secrets"})
      ASSERT_EQ(mkdir((directory_ + path).c_str(), 0777), 0);
  }
};

TEST_F(MountedAttackTest, UsingADeviceOfItsOwnMaking) {
  ProcessSpec control = Isolated("make_device", {"/local/node"});
  MountOptions options;
  options.devices = true;
  Mount("/task/local", "/local", options, &control);
  EXPECT_EQ(Run(std::move(control)), kSucceeded);
  ASSERT_EQ(unlink((directory_ + "/task/local/node").c_str()), 0);
  for (const char* path : {"/local/node", "/alloc/node", "/tmp/node", "/dev/shm/node"})
    EXPECT_EQ(Inside("make_device", {path}), kHeld) << path;
}

TEST_F(MountedAttackTest, BecomingRootByASetUserIdBit) {
  const std::string program = directory_ + "/task/local/become_root";
  std::filesystem::copy_file(std::string(DROVER_ATTACKS) + "/become_root", program);
  ASSERT_EQ(chmod(program.c_str(), 04755), 0);
  const auto attempt = [&](bool no_suid, bool no_new_privileges) {
    ProcessSpec spec = Isolated("become_root", {});
    spec.executable = "/local/become_root";
    spec.user = ProcessUser{65534, 65534, {}};
    spec.privileges->filter_calls = false;  // the filter needs no_new_privileges
    spec.no_new_privileges = no_new_privileges;
    if (no_suid) return Run(std::move(spec));
    Mount("/task/local", "/local", {}, &spec);
    MountTree& tree = spec.namespaces->root.mounts.back();
    mount_attr attributes{};
    attributes.attr_clr = MOUNT_ATTR_NOSUID;
    tree.attributes &= ~std::uint32_t{MOUNT_ATTR_NOSUID};
    EXPECT_EQ(syscall(SYS_mount_setattr, tree.tree.get(), "", AT_EMPTY_PATH, &attributes,
                      sizeof attributes),
              0);
    return Run(std::move(spec));
  };
  EXPECT_EQ(attempt(false, false), kSucceeded);
  EXPECT_EQ(attempt(true, false), kHeld);
  EXPECT_EQ(attempt(false, true), kHeld);
  EXPECT_EQ(attempt(true, true), kHeld);
}

}  // namespace
}  // namespace drover
