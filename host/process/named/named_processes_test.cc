// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/named/named_processes.h"

#include <sys/resource.h>

#include "host/process/process_test_fixture.h"

namespace drover {
namespace {

class NamedProcessesTest : public ProcessFixture {
 protected:
  // Starts SPEC as the process NAME of RUN_.
  Result<ProcessInfo> StartAs(const std::string& name, ProcessSpec spec) {
    started_.push_back(run_);
    return Await(StartNamed(service_.get(), Forever(), run_, name, std::move(spec)));
  }
  pid_t MustStartAs(const std::string& name, ProcessSpec spec) {
    const Result<ProcessInfo> info = StartAs(name, std::move(spec));
    EXPECT_TRUE(info.ok()) << info.error().message();
    return info.ok() ? info->pid : 0;
  }
  RunId Find(const std::string& name) {
    const Result<RunId> found = FindNamed(*service_, run_, name);
    EXPECT_TRUE(found.ok()) << found.error().message();
    return found.ok() ? *found : RunId();
  }
  std::string CgroupOf(pid_t pid) {
    return ReadSmallFile(AT_FDCWD, ("/proc/" + std::to_string(pid) + "/cgroup").c_str())
        .value_or("");
  }

  const RunId run_ = RunId::Random();
};

TEST_F(NamedProcessesTest, HaveLogsAndEndsOfTheirOwn) {
  MustStartAs("tpm", Shell("echo I am the tpm; exit 3"));
  MustStartAs("main", Shell("echo I am main; exec sleep 1000"));
  EXPECT_EQ(WaitFor(Find("tpm")).exit_code, 3);
  EXPECT_TRUE(Until([&] { return Read("logs/web.stdout.0") == "I am main\n"; }));
  EXPECT_EQ(Read("logs/web.tpm.stdout.0"), "I am the tpm\n");
  EXPECT_EQ(Find("main"), run_);
  EXPECT_EQ(FindNamed(*service_, run_, "none").code(), Code::kNotFound);
  const Result<ProcessInfo> again = StartAs("tpm", Shell("true"));
  EXPECT_EQ(again.code(), Code::kFailedPrecondition);
}

TEST_F(NamedProcessesTest, LiveInTheCgroupOfTheRun) {
  if (!has_cgroups()) GTEST_SKIP() << "needs cgroups and root";
  const pid_t tpm = MustStartAs("tpm", Shell("exec sleep 1000"));
  const pid_t main = MustStartAs("main", Shell("exec sleep 1000"));
  EXPECT_NE(CgroupOf(tpm).find(run_.ToString() + "/" + Find("tpm").ToString()), std::string::npos);
  EXPECT_NE(CgroupOf(main).find(run_.ToString() + "\n"), std::string::npos);
  EXPECT_EQ(service_->CgroupPath(run_), cgroup_root_ + "/" + run_.ToString());
  EXPECT_EQ(service_->CgroupPath(Find("tpm")),
            cgroup_root_ + "/" + run_.ToString() + "/" + Find("tpm").ToString());
}

TEST_F(NamedProcessesTest, EndWithMain) {
  const pid_t tpm = MustStartAs("tpm", Shell("trap '' INT TERM; while :; do sleep 1000; done"));
  MustStartAs("main", Shell("read x < $DIR/none || exit 7"));
  EXPECT_EQ(WaitFor(run_).exit_code, 7);
  EXPECT_EQ(WaitFor(Find("tpm")).signal, SIGKILL);
  EXPECT_FALSE(Alive(tpm));
}

TEST_F(NamedProcessesTest, MayEndAndStartAgainBesideMain) {
  const pid_t main = MustStartAs("main", Shell("exec sleep 1000"));
  for (int i = 0; i < 3; ++i) {
    const pid_t tpm = MustStartAs("tpm", Shell("exec sleep 1000"));
    const Status released = Await(ReleaseNamed(service_.get(), Forever(), run_, "tpm"));
    EXPECT_TRUE(released.ok()) << released.error().message();
    EXPECT_FALSE(Alive(tpm));
    EXPECT_TRUE(Alive(main));
  }
  EXPECT_TRUE(Await(ReleaseNamed(service_.get(), Forever(), run_, "tpm")).ok());
}

TEST_F(NamedProcessesTest, LeaveNoCgroupInTheWayOfMain) {
  for (const char* program : {"/bin/sleep", "/no/such/program"}) {
    ProcessSpec spec = Shell("");
    spec.argv = {program, "1000"};
    (void)StartAs("tpm", std::move(spec));
    EXPECT_TRUE(Await(ReleaseNamed(service_.get(), Forever(), run_, "tpm")).ok());
    EXPECT_EQ(TrackedRuns().size(), 0u);
  }
  MustStartAs("main", Shell("exec sleep 1000"));
}

TEST_F(NamedProcessesTest, DoNotStartAfterTheRelease) {
  started_.push_back(run_);
  const Result<RunId> process = service_->AddNamed(run_, "tpm");
  ASSERT_TRUE(process.ok()) << process.error().message();
  EXPECT_TRUE(Await(service_->Release(Forever(), run_)).ok());
  ProcessSpec spec = Shell("exec sleep 1000");
  spec.run = *process;
  spec.group = run_;
  EXPECT_EQ(Start(std::move(spec)).code(), Code::kFailedPrecondition);
}

TEST_F(NamedProcessesTest, SurviveTheAgentAndEndWithTheRelease) {
  const pid_t tpm = MustStartAs("tpm", Shell("exec sleep 1000"));
  const pid_t main = MustStartAs("main", Shell("exec sleep 1000"));
  Restart();
  EXPECT_TRUE(Alive(tpm));
  const auto attached = Await(service_->Attach(Forever(), Find("tpm")));
  ASSERT_TRUE(attached.ok()) << attached.error().message();
  ASSERT_TRUE(std::holds_alternative<ProcessInfo>(*attached));
  EXPECT_EQ(std::get<ProcessInfo>(*attached).pid, tpm);
  Restart();
  // This agent has attached none of them. The release finds both.
  const Status released = Await(service_->Release(Forever(), run_));
  EXPECT_TRUE(released.ok()) << released.error().message();
  EXPECT_FALSE(Alive(tpm));
  EXPECT_FALSE(Alive(main));
  EXPECT_EQ(FindNamed(*service_, run_, "tpm").code(), Code::kNotFound);
}

TEST_F(NamedProcessesTest, AFailedStartLeavesNoName) {
  MustStartAs("main", Shell("exec sleep 1000"));
  ProcessSpec spec = Shell("true");
  spec.argv = {"/no/such/program"};
  EXPECT_FALSE(StartAs("tpm", std::move(spec)).ok());
  EXPECT_EQ(FindNamed(*service_, run_, "tpm").code(), Code::kNotFound);
  MustStartAs("tpm", Shell("exec sleep 1000"));
}

TEST_F(NamedProcessesTest, GetTheirDescriptors) {
  int in[2], more[2];
  ASSERT_EQ(pipe2(in, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(more, O_CLOEXEC), 0);
  UniqueFd input(in[1]), answer(more[0]);
  ProcessSpec spec = Shell("read word; echo got $word >&3; ls /proc/self/fd | wc -l");
  spec.descriptors.standard[0] = UniqueFd(in[0]);
  spec.descriptors.more.emplace_back(more[1]);
  MustStartAs("main", std::move(spec));
  ASSERT_EQ(write(input.get(), "hello\n", 6), 6);
  EXPECT_EQ(WaitFor(run_).exit_code, 0);
  std::string text(64, '\0');
  const ssize_t size = read(answer.get(), text.data(), text.size());
  ASSERT_GT(size, 0);
  EXPECT_EQ(text.substr(0, static_cast<std::size_t>(size)), "got hello\n");
  // Neither the shim nor this process holds the other end any more.
  EXPECT_EQ(read(answer.get(), text.data(), text.size()), 0);
  // 0 to 3, and the directory that ls itself has open.
  EXPECT_EQ(std::atoi(Read("logs/web.stdout.0").c_str()), 5);
}

TEST_F(NamedProcessesTest, HaveLimits) {
  ProcessSpec spec = Shell("ulimit -n; ulimit -c");
  spec.limits = {{RLIMIT_NOFILE, 77, 77}, {RLIMIT_CORE, 0, 0}};
  MustStartAs("main", std::move(spec));
  EXPECT_EQ(WaitFor(run_).exit_code, 0);
  EXPECT_EQ(Read("logs/web.stdout.0"), "77\n0\n");
}

TEST_F(NamedProcessesTest, RefuseOddDescriptors) {
  ProcessSpec spec = Shell("true");
  spec.descriptors.terminal = true;
  EXPECT_EQ(StartAs("main", std::move(spec)).code(), Code::kInvalidArgument);
  ProcessSpec many = Shell("true");
  for (int i = 0; i < 17; ++i)
    many.descriptors.more.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(StartAs("tpm", std::move(many)).code(), Code::kInvalidArgument);
}

TEST_F(NamedProcessesTest, APidfdIsOfTheProcess) {
  const pid_t pid = MustStartAs("main", Shell("exec sleep 1000"));
  const Result<UniqueFd> pidfd = service_->OpenPidfd(run_);
  ASSERT_TRUE(pidfd.ok()) << pidfd.error().message();
  const std::string info =
      ReadSmallFile(AT_FDCWD, ("/proc/self/fdinfo/" + std::to_string(pidfd->get())).c_str())
          .value_or("");
  EXPECT_NE(info.find("Pid:\t" + std::to_string(pid) + "\n"), std::string::npos) << info;
  EXPECT_TRUE(service_->Kill(run_).ok());
  WaitFor(run_);
  EXPECT_EQ(service_->OpenPidfd(run_).code(), Code::kFailedPrecondition);
}

}  // namespace
}  // namespace drover
