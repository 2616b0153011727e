// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Attempts to reach other processes, to leave the cgroups, and to enter the kernel.
#include <linux/capability.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/wait.h>

#include "tests/attacks/attack_fixture.h"

namespace drover {
namespace {

class ProcessAttackTest : public AttackTest {
 protected:
  // Runs a command beside the task. Returns its exit code; -1: it was not started.
  int Session(const RunId& run, const Arguments& argv) {
    ExecSpec exec;
    exec.argv = argv;
    for (UniqueFd* end : {&exec.standard_input, &exec.standard_output, &exec.standard_error})
      end->Reset(open("/dev/null", O_RDWR | O_CLOEXEC));
    const auto session = Await(service_->Exec(Forever(), run, std::move(exec)));
    if (!session.ok()) return -1;
    const Result<ExecExit> exit = Await((*session)->Wait(Forever()));
    return exit.ok() ? exit->exit_code : -1;
  }
  // Runs FUNCTION where the "not dumpable" of the shim and its children has no effect.
  void Dumpable(const std::function<void()>& function) {
    Pretending({SYS_prctl}, CallsWith{0, BPF_JEQ, PR_SET_DUMPABLE}, function);
  }
};

TEST_F(ProcessAttackTest, TellingItsSupervisorWhatToDo) {
  const auto socket = [this](const RunId& run) {
    return directory_ + "/run/" + run.Short() + ".sock";
  };
  const auto attempt = [&](ProcessSpec spec) {
    spec.argv.push_back(socket(spec.run));
    return Run(std::move(spec));
  };
  EXPECT_EQ(attempt(OnHost("talk_to_supervisor", {})), kSucceeded);
  // The user alone stops it: only the owner can enter the directory.
  ProcessSpec user = OnHost("talk_to_supervisor", {});
  user.user = ProcessUser{65534, 65534, {}};
  EXPECT_EQ(attempt(std::move(user)), kHeld);
  // The root alone stops it too.
  EXPECT_EQ(attempt(Isolated("talk_to_supervisor", {})), kHeld);
}

TEST_F(ProcessAttackTest, TakingOverTheSupervisor) {
  for (const char* how : {"trace", "memory", "files", "descriptor"}) {
    SCOPED_TRACE(how);
    EXPECT_EQ(Inside("take_over", {how, "parent"}), kHeld);
    // In the pid namespace the supervisor has no number. Where it has one, a capability is missing.
    const auto attempt = [&](const Arguments& more) {
      ProcessSpec spec = Isolated("take_over", {how, "parent"});
      spec.namespaces->pids = false;
      spec.privileges->bounding = With(more);
      return Run(std::move(spec));
    };
    EXPECT_EQ(attempt({}), kHeld);
    EXPECT_EQ(attempt({"sys_ptrace"}), kSucceeded);
  }
}

TEST_F(ProcessAttackTest, TakingOverTheInit) {
  // The init has no rights and no descriptors that an attacker could gain. The defence is that no
  // process can look into it.
  for (const char* how : {"trace", "memory", "files"}) {
    SCOPED_TRACE(how);
    EXPECT_EQ(Inside("take_over", {how, "1"}), kHeld);
    Dumpable([&] { EXPECT_EQ(Inside("take_over", {how, "1"}), kSucceeded); });
    const auto attempt = [&] {
      ProcessSpec spec = Isolated("", {});
      spec.argv = {"/bin/sleep", "1000"};
      const RunId run = MustStart(std::move(spec));
      const int code = Session(run, {"/attacks/take_over", how, "1"});
      EXPECT_TRUE(service_->Kill(run).ok());
      WaitFor(run);
      return code;
    };
    EXPECT_EQ(attempt(), kHeld) << "a session";
    Dumpable([&] { EXPECT_EQ(attempt(), kSucceeded) << "a session"; });
  }
}

// A session has the same rights as its task, so there is no border between them. But until the
// session executes its program, it has all rights of the supervisor.
TEST_F(ProcessAttackTest, CatchingASessionBeforeItsProgram) {
  const auto attempt = [&](int sessions) {
    for (const char* name : {"/task/local/ready", "/task/local/end"})
      std::filesystem::remove(directory_ + name);
    const RunId run = MustStart(Isolated("catch_session", {"/local/ready", "/local/end"}));
    EXPECT_TRUE(Until([&] { return std::filesystem::exists(directory_ + "/task/local/ready"); }));
    // When the task has ended early, its exit code is the reason.
    for (int i = 0; i < sessions && Session(run, {"/bin/true"}) == 0; ++i) {
    }
    std::ofstream(directory_ + "/task/local/end") << "now";
    return WaitFor(run).exit_code;
  };
  Dumpable([&] { EXPECT_EQ(attempt(2000), kSucceeded); });
  EXPECT_EQ(attempt(30), kHeld);
}

TEST_F(ProcessAttackTest, SignallingProcessesOfTheHost) {
  const std::string other = std::to_string(getpid());
  ProcessSpec control = Isolated("signal_process", {other});
  control.namespaces->pids = false;
  EXPECT_EQ(Run(std::move(control)), kSucceeded);
  EXPECT_EQ(Inside("signal_process", {other}), kHeld);
}

TEST_F(ProcessAttackTest, FindingSharedMemoryOfOthers) {
  const key_t key = 0x64720000 + getpid();
  const int memory = shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0600);
  ASSERT_GE(memory, 0);
  ProcessSpec control = Isolated("use_memory", {std::to_string(key)});
  control.namespaces->ipc = false;
  EXPECT_EQ(Run(std::move(control)), kSucceeded);
  EXPECT_EQ(Inside("use_memory", {std::to_string(key)}), kHeld);
  shmctl(memory, IPC_RMID, nullptr);
}

TEST_F(ProcessAttackTest, MovingOutOfItsCgroups) {
  if (!has_cgroups()) GTEST_SKIP() << "no cgroups are mounted here";
  // The task's root has no cgroup file system, so the root stops it.
  EXPECT_EQ(Outside("leave_cgroup", {}), kSucceeded);
  EXPECT_EQ(Inside("leave_cgroup", {}), kHeld);
}

TEST_F(ProcessAttackTest, WhatTheFilterOfSystemCallsRefuses) {
  for (const char* attack : {"new_user_namespace", "use_keys", "type_ahead"}) {
    SCOPED_TRACE(attack);
    ProcessSpec control = Isolated(attack, {});
    control.privileges->filter_calls = false;
    // Newer kernels ask for a capability, too, where dev.tty.legacy_tiocsti is 0.
    if (attack == std::string("type_ahead")) control.privileges->bounding = With({"sys_admin"});
    const int unfiltered = Run(std::move(control));
    EXPECT_EQ(Inside(attack, {}), kHeld);
    if (attack == std::string("use_keys") && unfiltered != kSucceeded) continue;  // without keys
    EXPECT_EQ(unfiltered, kSucceeded);
  }
}

TEST_F(ProcessAttackTest, FindingDescriptors) {
  // Anybody could leave such a descriptor open: one without close-on-exec.
  const UniqueFd inherited(open("/dev/null", O_RDONLY));
  EXPECT_EQ(Inside("inherited_files", {}), kHeld);
  Pretending({SYS_close_range}, CallsWith{0, BPF_JSET, ~0u},
             [&] { EXPECT_EQ(Inside("inherited_files", {}), kSucceeded); });
}

class OutlivingTest : public ProcessAttackTest, public ::testing::WithParamInterface<bool> {
 protected:
  bool WantsCgroups() const override { return GetParam(); }
};

// The pid namespace and the cgroup each stop it alone. Where both are missing, the shim walks its
// descendants. So the control has no supervisor.
TEST_P(OutlivingTest, OutlivingItsTask) {
  const std::string path = directory_ + "/task/local/lock";
  const auto locked = [&path] {
    const UniqueFd file(open(path.c_str(), O_RDWR | O_CLOEXEC));
    return file && flock(file.get(), LOCK_EX | LOCK_NB) != 0;
  };
  for (const bool pids : {true, false}) {
    ProcessSpec spec = Isolated("survivor", {"/local/lock"});
    spec.namespaces->pids = pids;
    const RunId run = MustStart(std::move(spec));
    ASSERT_TRUE(Until(locked));
    const Result<ProcessExit> exit = Await(service_->Stop(Forever(), run, SIGTERM, 100ms));
    ASSERT_TRUE(exit.ok());
    EXPECT_FALSE(locked());
  }

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

INSTANTIATE_TEST_SUITE_P(, OutlivingTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Cgroup" : "NoCgroup"; });

}  // namespace
}  // namespace drover
