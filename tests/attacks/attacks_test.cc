// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "host/process/isolation_for_test.h"
#include "host/process/process_test_fixture.h"
#include "host/process/task_root.h"

namespace drover {
namespace {

using Arguments = std::vector<std::string>;

// A task of root with the capabilities that exec gives to root by default: what holds for it holds
// for others. Exit code 0: the attack has succeeded, 1: it was held, anything else proves nothing.
class AttackTest : public ProcessFixture {
 protected:
  void SetUp() override {
    if (const char* reason = ReasonNotToIsolate()) GTEST_SKIP() << reason;
    ProcessFixture::SetUp();
    for (const char* path : {"alloc", "task", "task/local", "task/secrets", "cage"})
      mkdir((directory_ + "/" + path).c_str(), 0777);
    canary_ = directory_ + "/canary";
    std::ofstream(canary_) << "a secret of the host\n";
  }
  void TearDown() override {
    if (loop_) ProcessFixture::TearDown();
  }

  void Unmount() override {
    for (const char* path : {"/alloc", "/task"}) umount2((directory_ + path).c_str(), MNT_DETACH);
  }

  // Run as it is, by a task that nothing isolates.
  int Control(const std::string& attack, const Arguments& arguments) {
    ProcessSpec spec = Shell("");
    spec.argv = {std::string(DROVER_ATTACKS) + "/" + attack};
    spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
    return WaitFor(MustStart(std::move(spec))).exit_code;
  }

  ProcessSpec Isolated(const std::string& attack, const Arguments& arguments) {
    ProcessSpec spec = Shell("");
    spec.argv = {"/attacks/" + attack};
    spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
    TaskRootOptions options;
    options.alloc_dir = directory_ + "/alloc";
    options.task_dir = directory_ + "/task";
    options.volumes = {{DROVER_ATTACKS, "/attacks", true, ""}};
    Result<RootSpec> root = OpenTaskRoot(options);
    EXPECT_TRUE(root.ok()) << root.error().message();
    spec.namespaces.emplace();
    if (root.ok()) spec.namespaces->root = std::move(*root);
    spec.privileges.emplace();
    spec.privileges->bounding = *CapabilitySet::Parse(
        {"audit_write", "chown", "dac_override", "fowner", "fsetid", "kill", "mknod",
         "net_bind_service", "setfcap", "setgid", "setpcap", "setuid", "sys_chroot"});
    return spec;
  }
  int Inside(ProcessSpec spec) { return WaitFor(MustStart(std::move(spec))).exit_code; }
  int Inside(const std::string& attack, const Arguments& arguments) {
    return Inside(Isolated(attack, arguments));
  }

  static constexpr int kSucceeded = 0;
  static constexpr int kHeld = 1;
  std::string canary_;
};

TEST_F(AttackTest, FilesOfTheHostByEveryName) {
  EXPECT_EQ(Control("reach_file", {canary_, directory_}), kSucceeded);
  EXPECT_EQ(Inside("reach_file", {canary_, "/local"}), kHeld);
  // A working directory that points outside leads to the root.
  ProcessSpec spec = Isolated("reach_file", {canary_, "/local"});
  spec.cwd = "/../../../local/../../..";
  EXPECT_EQ(Inside(std::move(spec)), kHeld);
  ProcessSpec beyond = Isolated("reach_file", {canary_, "/local"});
  beyond.cwd = directory_;
  const Result<ProcessInfo> info = Start(std::move(beyond));
  ASSERT_FALSE(info.ok());
  EXPECT_THAT(info.error().message(), ::testing::HasSubstr("cannot change to directory"));
}

TEST_F(AttackTest, AWorkingDirectoryThatIsALink) {
  ProcessSpec control = Shell("");
  control.argv = {std::string(DROVER_ATTACKS) + "/reach_file", "canary", directory_};
  control.cwd = directory_ + "/task/local/way";
  ASSERT_EQ(symlink(directory_.c_str(), control.cwd.c_str()), 0);
  EXPECT_EQ(Inside(std::move(control)), kSucceeded);
  ProcessSpec spec = Isolated("reach_file", {"canary", "/local"});
  spec.cwd = "/local/way";
  const Result<ProcessInfo> info = Start(std::move(spec));
  ASSERT_FALSE(info.ok());
  EXPECT_THAT(info.error().message(), ::testing::HasSubstr("cannot change to directory"));
  // What goes up from the root stays in it.
  ASSERT_EQ(
      symlink(("/../../.." + directory_ + "/..").c_str(), (directory_ + "/task/local/up").c_str()),
      0);
  ASSERT_EQ(symlink("/../../..", (directory_ + "/task/local/top").c_str()), 0);
  ProcessSpec top = Isolated("reach_file", {canary_.substr(1), "/local"});
  top.cwd = "/local/top";
  EXPECT_EQ(Inside(std::move(top)), kHeld);
  ProcessSpec up = Isolated("reach_file", {"canary", "/local"});
  up.cwd = "/local/up";
  EXPECT_FALSE(Start(std::move(up)).ok());
}

TEST_F(AttackTest, WritingAProgramOfTheHost) {
  const std::string program = directory_ + "/host/victim";
  const auto attempt = [&](bool read_only) {
    std::filesystem::create_directories(directory_ + "/host");
    std::filesystem::copy_file(std::string(DROVER_ATTACKS) + "/rewrite_program", program,
                               std::filesystem::copy_options::overwrite_existing);
    ProcessSpec spec = Isolated("rewrite_program", {"begin", "/attacks/rewrite_program"});
    MountOptions options;
    options.read_only = read_only;
    Result<MountTree> tree = OpenMountTree(AT_FDCWD, directory_ + "/host", "/host", options);
    EXPECT_TRUE(tree.ok());
    spec.namespaces->root.mounts.push_back(std::move(*tree));
    spec.executable = "/host/victim";
    return Inside(std::move(spec));
  };
  EXPECT_EQ(attempt(false), kSucceeded);
  EXPECT_TRUE(Read("host/victim").starts_with("owned"));
  EXPECT_EQ(attempt(true), kHeld);
  EXPECT_TRUE(Read("host/victim")
                  .starts_with("\x7f"
                               "ELF"));
}

TEST_F(AttackTest, TellingItsSupervisorWhatToDo) {
  const auto socket = [this](const RunId& run) {
    return directory_ + "/run/" + run.Short() + ".sock";
  };
  ProcessSpec control = Shell("");
  control.argv = {std::string(DROVER_ATTACKS) + "/talk_to_supervisor", socket(control.run)};
  EXPECT_EQ(Inside(std::move(control)), kSucceeded);
  // The user alone holds it: the directory is its owner's.
  ProcessSpec user = Shell("");
  user.argv = {std::string(DROVER_ATTACKS) + "/talk_to_supervisor", socket(user.run)};
  user.user = ProcessUser{65534, 65534, {}};
  EXPECT_EQ(Inside(std::move(user)), kHeld);
  // And so does the root.
  ProcessSpec root = Isolated("talk_to_supervisor", {});
  root.argv.push_back(socket(root.run));
  EXPECT_EQ(Inside(std::move(root)), kHeld);
}

TEST_F(AttackTest, CatchingASessionBeforeItsProgram) {
  EXPECT_EQ(Control("catch_session", {directory_ + "/ready", directory_ + "/end"}), kSucceeded);
  const RunId run = MustStart(Isolated("catch_session", {"/local/ready", "/local/end"}));
  ASSERT_TRUE(Until([&] { return std::filesystem::exists(directory_ + "/task/local/ready"); }));
  for (int i = 0; i < 30; ++i) {
    ExecSpec exec;
    exec.argv = {"/bin/true"};
    for (UniqueFd* end : {&exec.standard_input, &exec.standard_output, &exec.standard_error})
      end->Reset(open("/dev/null", O_RDWR | O_CLOEXEC));
    const auto session = Await(service_->Exec(Forever(), run, std::move(exec)));
    if (!session.ok()) break;  // the task has ended, which its exit code tells
    const Result<ExecExit> exit = Await((*session)->Wait(Forever()));
    EXPECT_TRUE(exit.ok());
  }
  std::ofstream(directory_ + "/task/local/end") << "now";
  EXPECT_EQ(WaitFor(run).exit_code, kHeld);
}

TEST_F(AttackTest, LeavingTheRootByChroot) {
  EXPECT_EQ(Control("chroot_escape", {canary_, "/", directory_ + "/cage"}), kSucceeded);
  EXPECT_EQ(Inside("chroot_escape", {canary_, "/local"}), kHeld);
}

TEST_F(AttackTest, MakingTheRootWritable) {
  ProcessSpec control = Isolated("remount", {});
  control.privileges->bounding = *CapabilitySet::Parse({"all"});
  EXPECT_EQ(Inside(std::move(control)), kSucceeded);
  EXPECT_EQ(Inside("remount", {}), kHeld);
  // The missing capability and the filter each hold it alone.
  ProcessSpec unfiltered = Isolated("remount", {});
  unfiltered.privileges->filter_calls = false;
  EXPECT_EQ(Inside(std::move(unfiltered)), kHeld);
}

TEST_F(AttackTest, TakingOverTheSupervisor) {
  EXPECT_EQ(Control("trace_parent", {}), kSucceeded);
  EXPECT_EQ(Inside("trace_parent", {}), kHeld);
  EXPECT_EQ(Control("read_supervisor", {}), kSucceeded);
  EXPECT_EQ(Inside("read_supervisor", {}), kHeld);
  ProcessSpec seen = Isolated("trace_parent", {});
  seen.namespaces->pids = false;
  EXPECT_EQ(Inside(std::move(seen)), kHeld);
}

TEST_F(AttackTest, NamingAFileOfTheHost) {
  EXPECT_EQ(Control("hard_link", {canary_, directory_ + "/mine"}), kSucceeded);
  EXPECT_EQ(Inside("hard_link", {"/etc/passwd", "/local/mine"}), kHeld);
  // Also where both lie on the same file system: each bind mount is a mount of its own.
  ASSERT_EQ(rename(canary_.c_str(), (directory_ + "/alloc/other").c_str()), 0);
  EXPECT_EQ(Inside("hard_link", {"/alloc/other", "/local/mine"}), kHeld);
}

TEST_F(AttackTest, UsingADeviceOfItsOwnMaking) {
  // On systems of their own: the machine may have mounted the test's directory without devices.
  for (const char* path : {"/alloc", "/task"})
    ASSERT_EQ(mount("none", (directory_ + path).c_str(), "tmpfs", 0, "mode=777"), 0);
  for (const char* path : {"/task/local", "/task/secrets"})
    ASSERT_EQ(mkdir((directory_ + path).c_str(), 0777), 0);
  EXPECT_EQ(Control("make_device", {directory_ + "/alloc/control"}), kSucceeded);
  for (const char* path : {"/local/node", "/alloc/node", "/tmp/node", "/dev/shm/node"})
    EXPECT_EQ(Inside("make_device", {path}), kHeld) << path;
}

TEST_F(AttackTest, MovingOutOfItsCgroups) {
  if (!has_cgroups()) GTEST_SKIP() << "no cgroups are mounted here";
  EXPECT_EQ(Control("leave_cgroup", {}), kSucceeded);
  EXPECT_EQ(Inside("leave_cgroup", {}), kHeld);
}

TEST_F(AttackTest, BecomingRootOfANamespace) {
  EXPECT_EQ(Control("new_user_namespace", {}), kSucceeded);
  EXPECT_EQ(Inside("new_user_namespace", {}), kHeld);
}

TEST_F(AttackTest, StoringKeys) {
  ProcessSpec control = Isolated("use_keys", {});
  control.privileges->filter_calls = false;
  const int unfiltered = Inside(std::move(control));
  EXPECT_EQ(Inside("use_keys", {}), kHeld);
  if (unfiltered != kSucceeded) GTEST_SKIP() << "this kernel has no keys, so nothing is proven";
}

TEST_F(AttackTest, TypingIntoATerminal) {
  // As root of the agent it is allowed whatever dev.tty.legacy_tiocsti says.
  EXPECT_EQ(Control("type_ahead", {}), kSucceeded);
  EXPECT_EQ(Inside("type_ahead", {}), kHeld);
}

TEST_F(AttackTest, FindingDescriptors) {
  EXPECT_EQ(Inside("inherited_files", {}), kHeld);
  const std::string program = std::string(DROVER_ATTACKS) + "/inherited_files";
  const UniqueFd inherited(open("/dev/null", O_RDONLY));  // without close-on-exec
  char* const argv[] = {const_cast<char*>(program.c_str()), nullptr};
  char* const envp[] = {nullptr};
  pid_t pid = 0;
  ASSERT_EQ(posix_spawn(&pid, program.c_str(), nullptr, nullptr, argv, envp), 0);
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), kSucceeded);
}

TEST_F(AttackTest, OutlivingItsTask) {
  const RunId run = MustStart(Isolated("survivor", {"/local/lock"}));
  const std::string path = directory_ + "/task/local/lock";
  const auto locked = [&path] {
    const UniqueFd file(open(path.c_str(), O_RDWR | O_CLOEXEC));
    return file && flock(file.get(), LOCK_EX | LOCK_NB) != 0;
  };
  ASSERT_TRUE(Until(locked));
  const Result<ProcessExit> exit = Await(service_->Stop(Forever(), run, SIGTERM, 100ms));
  ASSERT_TRUE(exit.ok());
  EXPECT_FALSE(locked());

  // The control: without a tracker nobody finds it.
  const std::string program = std::string(DROVER_ATTACKS) + "/survivor";
  const std::string other = directory_ + "/lock";
  char* const argv[] = {const_cast<char*>(program.c_str()), const_cast<char*>(other.c_str()),
                        nullptr};
  char* const envp[] = {nullptr};
  pid_t pid = 0;
  ASSERT_EQ(posix_spawn(&pid, program.c_str(), nullptr, nullptr, argv, envp), 0);
  const auto holder = [&other]() -> pid_t {
    const UniqueFd file(open(other.c_str(), O_RDWR | O_CLOEXEC));
    struct stat info{};
    if (!file || fstat(file.get(), &info) != 0) return 0;
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
      std::istringstream words(line);
      std::string number, kind, advisory, access, owner, place;
      words >> number >> kind >> advisory >> access >> owner >> place;
      if (place.ends_with(":" + std::to_string(info.st_ino))) return std::atoi(owner.c_str());
    }
    return 0;
  };
  ASSERT_TRUE(Until([&] { return holder() > 0; }));
  kill(pid, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  Pause(50ms);
  const pid_t daemon = holder();
  EXPECT_GT(daemon, 0) << "the control has ended with its parent";
  if (daemon > 0) kill(daemon, SIGKILL);
}

}  // namespace
}  // namespace drover
