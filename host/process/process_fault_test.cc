// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Runs whose shims, agents or disks fail.
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <cstring>

#include "host/process/boot_id.h"
#include "host/process/lone_shim_for_test.h"
#include "host/process/process_test_fixture.h"
#include "shim/attach_protocol.h"

namespace drover {
namespace {

class ProcessFaultTest : public ProcessFixture {
 protected:
  void TearDown() override {
    ProcessFixture::TearDown();
    for (const pid_t pid : children_) waitpid(pid, nullptr, 0);
  }

  // Starts a run with a daemon, which is forked twice in a session of its own. Sets daemon_.
  RunId StartWithDaemon(ProcessInfo* info) {
    ProcessSpec spec = Shell(
        "setsid sh -c 'setsid sh -c \"trap : TERM HUP INT; echo \\$\\$ > $DIR/daemon; while :; do "
        "sleep 0.05; done\" &' & sleep 1000");
    const RunId run = spec.run;
    Result<ProcessInfo> started = Start(std::move(spec));
    EXPECT_TRUE(started.ok());
    *info = *started;
    daemon_ = PidIn("daemon");
    return run;
  }

  // Starts a process in the cgroup of RUN, TASK_, and another one, SHIM_, that listens as the run's
  // shim and answers the first message with ANSWER.
  template <typename Answer>
  void Pretend(const RunId& run, Answer answer, std::uint16_t type) {
    const std::string cgroup = cgroup_root_ + "/" + run.ToString();
    ASSERT_EQ(mkdir(cgroup.c_str(), 0755), 0);
    task_ = fork();
    if (task_ == 0) {
      std::ofstream(cgroup + "/cgroup.procs") << "0";
      pause();
      _exit(0);
    }
    children_.push_back(task_);
    ASSERT_TRUE(Until([&] {
      std::ifstream procs(cgroup + "/cgroup.procs");
      std::string first;
      return static_cast<bool>(std::getline(procs, first));
    }));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = directory_ + "/run/" + run.Short();
    (name + ".new").copy(address.sun_path, sizeof address.sun_path - 1);
    shim_ = fork();
    if (shim_ == 0) {
      const int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
      if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) _exit(1);
      if (listen(listener, 1) != 0) _exit(1);
      if (rename(address.sun_path, (name + ".sock").c_str()) != 0) _exit(1);
      const int client = accept(listener, nullptr, nullptr);
      drover_attach_header request{};
      if (recv(client, &request, sizeof request, 0) < 0) _exit(1);
      answer.header.size = sizeof answer;
      answer.header.type = type;
      answer.header.request = request.request;
      if (send(client, &answer, sizeof answer, 0) < 0) _exit(1);
      for (;;) pause();
    }
    children_.push_back(shim_);
    ASSERT_TRUE(Until([&] { return access((name + ".sock").c_str(), F_OK) == 0; }));
  }
  // The answer to a hello from a shim of RUN whose task has not begun yet.
  static drover_attach_hello_reply HelloOf(const RunId& run) {
    drover_attach_hello_reply hello{};
    hello.version = DROVER_ATTACH_VERSION;
    std::memcpy(hello.run_id, run.bytes.data(), run.bytes.size());
    const BootId boot = ThisBoot();
    std::memcpy(hello.boot_id, boot.data(), boot.size());
    return hello;
  }

  pid_t task_ = 0;
  pid_t shim_ = 0;
  pid_t daemon_ = 0;
  std::vector<pid_t> children_;
};

TEST_F(ProcessFaultTest, TheDeathOfAShimEndsItsTask) {
  ProcessInfo info;
  const RunId run = StartWithDaemon(&info);
  ASSERT_EQ(kill(info.shim_pid, SIGKILL), 0);
  const ProcessExit exit = WaitFor(run);
  EXPECT_EQ(exit.error, "supervisor lost");
  EXPECT_EQ(exit.exit_code, -1);
  EXPECT_TRUE(Until([&] { return !Alive(info.pid); }));
  if (has_cgroups()) {
    EXPECT_FALSE(Alive(daemon_));
  } else {
    // Without cgroups these are not confined, as TrackingDescription says.
    kill(daemon_, SIGKILL);
    kill(-info.pid, SIGKILL);
  }
}

TEST_F(ProcessFaultTest, ALostShimIsFoundByTheNextAgent) {
  if (!has_cgroups()) GTEST_SKIP() << "it needs root and a cgroup hierarchy";
  ProcessInfo info;
  const RunId run = StartWithDaemon(&info);
  service_.reset();
  Settle();
  ASSERT_EQ(kill(info.shim_pid, SIGKILL), 0);
  ASSERT_TRUE(Until([&] { return !Alive(info.shim_pid); }));
  ASSERT_TRUE(Alive(daemon_));
  Restart();
  EXPECT_EQ(TrackedRuns(), std::vector<RunId>{run});
  const auto attached = Await(service_->Attach(Forever(), run));
  ASSERT_TRUE(attached.ok()) << attached.error().message();
  const auto* exit = std::get_if<ProcessExit>(&*attached);
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->error, "supervisor lost");
  EXPECT_FALSE(Alive(daemon_));
}

TEST_F(ProcessFaultTest, ACgroupWithoutShimIsNeverAdopted) {
  if (!has_cgroups()) GTEST_SKIP() << "it needs root and a cgroup hierarchy";
  const RunId run = RunId::Random();
  const std::string cgroup = cgroup_root_ + "/" + run.ToString();
  ASSERT_EQ(mkdir(cgroup.c_str(), 0755), 0);
  const pid_t child = fork();
  if (child == 0) {
    std::ofstream(cgroup + "/cgroup.procs") << "0";
    pause();
    _exit(0);
  }
  children_.push_back(child);
  ASSERT_TRUE(Until([&] {
    std::ifstream procs(cgroup + "/cgroup.procs");
    std::string first;
    return static_cast<bool>(std::getline(procs, first));
  }));
  const auto attached = Await(service_->Attach(Forever(), run));
  ASSERT_TRUE(attached.ok());
  EXPECT_TRUE(std::holds_alternative<ProcessExit>(*attached));
  started_.push_back(run);
  EXPECT_FALSE(Alive(child));
}

// The shim is of a release that shares no version of the protocol with this one.
TEST_F(ProcessFaultTest, AShimOfAnotherProtocolEndsWithItsTask) {
  if (!has_cgroups()) GTEST_SKIP() << "it needs root and a cgroup hierarchy";
  const RunId run = RunId::Random();
  drover_attach_result refusal{};
  refusal.error = EPROTO;
  Pretend(run, refusal, DROVER_ATTACH_RESULT);
  const auto attached = Await(service_->Attach(Forever(), run));
  started_.push_back(run);
  ASSERT_TRUE(attached.ok()) << attached.error().message();
  const auto* exit = std::get_if<ProcessExit>(&*attached);
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->error, "supervisor lost: it does not speak version 1 of the attach protocol");
  EXPECT_FALSE(Alive(task_));
  EXPECT_TRUE(Until([&] { return !Alive(shim_); }));
}

TEST_F(ProcessFaultTest, AShimOfAnotherBootEndsWithItsTask) {
  if (!has_cgroups()) GTEST_SKIP() << "it needs root and a cgroup hierarchy";
  const RunId run = RunId::Random();
  drover_attach_hello_reply hello = HelloOf(run);
  hello.boot_id[3] ^= 1;
  Pretend(run, hello, DROVER_ATTACH_HELLO_REPLY);
  const auto attached = Await(service_->Attach(Forever(), run));
  started_.push_back(run);
  ASSERT_TRUE(attached.ok()) << attached.error().message();
  const auto* exit = std::get_if<ProcessExit>(&*attached);
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->error, "supervisor lost: it reports another boot of the machine");
  EXPECT_FALSE(Alive(task_));
  EXPECT_TRUE(Until([&] { return !Alive(shim_); }));
}

// After a shim has ended, its pid may belong to a stranger, which must get no signal. So the agent
// keeps no pidfd of it.
TEST_F(ProcessFaultTest, APidfdIsKeptOnlyOfWhoWasThereWhenTheTaskBegan) {
  if (!has_cgroups()) GTEST_SKIP() << "it needs root and a cgroup hierarchy";
  for (const bool stranger : {false, true}) {
    const RunId run = RunId::Random();
    drover_attach_hello_reply hello = HelloOf(run);
    hello.started_boot = stranger ? 1 : BootClock::now().time_since_epoch().count() + 1'000'000'000;
    Pretend(run, hello, DROVER_ATTACH_HELLO_REPLY);
    const long before = OpenFds();
    const auto attached = Await(service_->Attach(Forever(), run));
    started_.push_back(run);
    ASSERT_TRUE(attached.ok()) << attached.error().message();
    EXPECT_TRUE(std::holds_alternative<ProcessInfo>(*attached));
    EXPECT_EQ(OpenFds(), before + (stranger ? 1 : 2)) << "the connection, and the pidfd";
    // The agent still notices the end of the shim.
    EXPECT_TRUE(Alive(task_));
    ASSERT_EQ(kill(shim_, SIGKILL), 0);
    EXPECT_EQ(WaitFor(run).error, "supervisor lost");
    EXPECT_FALSE(Alive(task_));
  }
}

// For example, an agent was started by hand and is now a systemd service.
TEST_F(ProcessFaultTest, ARunOfAnAgentWithOtherCgroupsEndsWithItsShim) {
  if (!has_cgroups()) GTEST_SKIP() << "it needs root and a cgroup hierarchy";
  ProcessInfo info;
  const RunId run = StartWithDaemon(&info);
  const std::string before = cgroup_root_, unit = before + "-unit";
  ASSERT_EQ(mkdir(unit.c_str(), 0755), 0);
  cgroup_root_ = unit + before.substr(before.rfind('/'));
  Restart();
  EXPECT_EQ(TrackedRuns(), std::vector<RunId>{run});
  ASSERT_TRUE(Await(service_->Attach(Forever(), run)).ok());
  ASSERT_EQ(kill(info.shim_pid, SIGKILL), 0);
  EXPECT_EQ(WaitFor(run).error, "supervisor lost");
  EXPECT_FALSE(Alive(daemon_));
  EXPECT_TRUE(Await(service_->Release(Forever(), run)).ok());
  EXPECT_FALSE(std::filesystem::exists(before + "/" + run.ToString()));
  EXPECT_EQ(rmdir(cgroup_root_.c_str()), 0);
  EXPECT_EQ(rmdir(unit.c_str()), 0);
  cgroup_root_ = before;
}

// A run directory with little room.
class FullRunDirectoryTest : public ProcessFaultTest {
 protected:
  void SetUp() override {
    ProcessFaultTest::SetUp();
    if (geteuid() != 0) GTEST_SKIP() << "it needs root to mount";
    service_.reset();
    Settle();
    ASSERT_EQ(mount("tmpfs", run_dir().c_str(), "tmpfs", 0, "size=64k,mode=0700"), 0);
    Restart();
  }
  void TearDown() override {
    if (geteuid() == 0) Empty();
    ProcessFaultTest::TearDown();
  }
  void Unmount() override {
    if (geteuid() == 0) EXPECT_EQ(umount2(run_dir().c_str(), MNT_DETACH), 0);
  }
  std::string run_dir() const { return directory_ + "/run"; }
  void Fill() const { std::ofstream(run_dir() + "/filling") << std::string(1 << 20, 'x'); }
  void Empty() const { std::filesystem::remove(run_dir() + "/filling"); }
};

TEST_F(FullRunDirectoryTest, ItHasRoomForTheEndOfWhatRuns) {
  const RunId run =
      MustStart(Shell("echo $$ > $DIR/pid; while ! [ -e $DIR/go ]; do sleep 0.01; done; exit 7"));
  const pid_t pid = PidIn("pid");
  service_.reset();
  Settle();
  Fill();
  std::ofstream(directory_ + "/go") << "x";
  const std::string socket = run_dir() + "/" + run.Short() + ".sock";
  ASSERT_TRUE(Until([&] { return !Alive(pid) && access(socket.c_str(), F_OK) != 0; }));
  Restart();
  const auto attached = Await(service_->Attach(Forever(), run));
  ASSERT_TRUE(attached.ok()) << attached.error().message();
  EXPECT_EQ(std::get<ProcessExit>(*attached).exit_code, 7);
}

TEST_F(FullRunDirectoryTest, NothingIsStartedWhoseEndHasNoRoom) {
  Fill();
  const auto started = Start(Shell("echo > $DIR/began"));
  EXPECT_EQ(started.code(), Code::kResourceExhausted);
  EXPECT_THAT(started.error().message(), testing::HasSubstr("the run directory has no room"));
  EXPECT_EQ(Read("began"), "");
}

TEST_F(ProcessFaultTest, AnEmptyCgroupWasNeverStarted) {
  if (!has_cgroups()) GTEST_SKIP() << "it needs root and a cgroup hierarchy";
  const RunId run = RunId::Random();
  ASSERT_EQ(mkdir((cgroup_root_ + "/" + run.ToString()).c_str(), 0755), 0);
  EXPECT_EQ(Await(service_->Attach(Forever(), run)).code(), Code::kNotFound);
  EXPECT_TRUE(TrackedRuns().empty());
}

TEST_F(ProcessFaultTest, CgroupsThatTheTaskHasMadeAreRemoved) {
  if (!has_cgroups()) GTEST_SKIP() << "it needs root and a cgroup hierarchy";
  ProcessSpec spec = Shell("");
  const std::string cgroup = cgroup_root_ + "/" + spec.run.ToString();
  spec.argv[2] = "mkdir -p " + cgroup + "/a/b && sh -c 'echo $$ > " + cgroup +
                 "/a/b/cgroup.procs; echo $$ > $DIR/inner; exec sleep 1000' & sleep 1000";
  const RunId run = MustStart(std::move(spec));
  const pid_t inner = PidIn("inner");
  EXPECT_TRUE(Await(service_->Release(Forever(), run)).ok());
  EXPECT_FALSE(Alive(inner));
}

TEST_F(ProcessFaultTest, AShimThatHangsIsReplacedByItsEnd) {
  if (!has_cgroups()) GTEST_SKIP() << "without a cgroup only the shim can kill what is left";
  ProcessInfo info;
  const RunId run = StartWithDaemon(&info);
  ASSERT_EQ(kill(info.shim_pid, SIGSTOP), 0);
  // A shim that does not report is woken, and then reports the true end.
  const auto exit = Await(service_->Stop(Forever(), run, SIGTERM, 100ms));
  ASSERT_TRUE(exit.ok());
  EXPECT_EQ(exit->signal, SIGKILL);
  EXPECT_FALSE(Alive(daemon_));
}

TEST_F(ProcessFaultTest, AShimThatStoodStillMissesNoEnd) {
  ProcessSpec spec = Shell("while ! [ -e $DIR/go ]; do sleep 0.01; done; echo last words; exit 7");
  const RunId run = spec.run;
  const Result<ProcessInfo> started = Start(std::move(spec));
  ASSERT_TRUE(started.ok()) << started.error().message();
  ASSERT_EQ(kill(started->shim_pid, SIGSTOP), 0);
  std::ofstream(directory_ + "/go") << "x";
  // It has ended, and nobody has reaped it yet.
  EXPECT_TRUE(Until([&] {
    std::ifstream file("/proc/" + std::to_string(started->pid) + "/stat");
    std::string stat;
    std::getline(file, stat);
    return stat.find(") Z ") != std::string::npos;
  }));
  EXPECT_TRUE(Alive(started->shim_pid));
  ASSERT_EQ(kill(started->shim_pid, SIGCONT), 0);
  const ProcessExit exit = WaitFor(run);
  EXPECT_EQ(exit.exit_code, 7);
  EXPECT_EQ(exit.error, "");
}

// An agent that is stopped while it attaches has not shown that the shims do not answer.
TEST_F(ProcessFaultTest, AnAttachThatIsGivenUpHarmsNothing) {
  ProcessSpec spec = Shell("exec sleep 1000");
  const RunId run = spec.run;
  const Result<ProcessInfo> started = Start(std::move(spec));
  ASSERT_TRUE(started.ok()) << started.error().message();
  service_.reset();
  Settle();
  ASSERT_EQ(kill(started->shim_pid, SIGSTOP), 0);
  Restart();
  for (const Code code : {Code::kCancelled, Code::kUnavailable}) {
    Context context(loop_.get());
    std::optional<Result<ProcessService::Attached>> attached;
    const auto attach = [](ProcessService* service, Context until, RunId of,
                           auto* out) -> Co<void> {
      out->emplace(co_await service->Attach(until, of));
    };
    loop_->Spawn(attach(service_.get(), context, run, &attached));
    Settle();
    ASSERT_FALSE(attached);
    context.CancelWith(Error(code, "the host ends"));
    EXPECT_TRUE(Until([&] { return attached.has_value(); }));
    EXPECT_EQ(attached->code(), code);
  }
  ASSERT_EQ(kill(started->shim_pid, SIGCONT), 0);
  EXPECT_TRUE(Alive(started->pid));
  const auto found = Await(service_->Attach(Forever(), run));
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_TRUE(std::holds_alternative<ProcessInfo>(*found));
  ASSERT_TRUE(service_->Kill(run).ok());
  EXPECT_EQ(WaitFor(run).signal, SIGKILL);
}

TEST_F(ProcessFaultTest, AHangingShimIsLostForTheNextAgent) {
  if (!has_cgroups()) GTEST_SKIP() << "it needs root and a cgroup hierarchy";
  ProcessInfo info;
  const RunId run = StartWithDaemon(&info);
  service_.reset();
  Settle();
  ASSERT_EQ(kill(info.shim_pid, SIGSTOP), 0);
  Restart();
  const auto attached = Await(service_->Attach(Forever(), run));
  ASSERT_TRUE(attached.ok()) << attached.error().message();
  EXPECT_TRUE(std::holds_alternative<ProcessExit>(*attached));
  EXPECT_FALSE(Alive(daemon_));
  EXPECT_TRUE(Until([&] { return !Alive(info.shim_pid); }));
}

TEST_F(ProcessFaultTest, ADamagedExitRecordIsAnEndWithAnError) {
  ProcessSpec spec = Shell("while ! [ -e $DIR/go ]; do sleep 0.01; done; exit 7");
  const RunId run = MustStart(std::move(spec));
  service_.reset();
  Settle();
  std::ofstream(directory_ + "/go") << "x";
  const std::string record = directory_ + "/run/" + run.Short() + ".exit";
  const std::string socket = directory_ + "/run/" + run.Short() + ".sock";
  ASSERT_TRUE(Until(
      [&] { return access(record.c_str(), F_OK) == 0 && access(socket.c_str(), F_OK) != 0; }));
  const std::string whole = Read("run/" + run.Short() + ".exit");
  std::vector<std::string> damages{"", "x", whole.substr(0, whole.size() / 2), whole + "x"};
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    damages.push_back(std::move(flipped));
  }
  for (const std::string& damage : damages) {
    {
      std::ofstream(record, std::ios::trunc) << damage;
    }
    Restart();
    const auto attached = Await(service_->Attach(Forever(), run));
    ASSERT_TRUE(attached.ok());
    const auto* exit = std::get_if<ProcessExit>(&*attached);
    ASSERT_TRUE(exit);
    EXPECT_NE(exit->error.find("the exit record is damaged"), std::string::npos) << exit->error;
    EXPECT_EQ(exit->exit_code, -1);
  }
}

// The run directory is no tmpfs, or the machine was restored together with it.
TEST_F(ProcessFaultTest, AnExitRecordOfAnotherBootIsNoEndOfARunOfThisOne) {
  const RunId run = MustStart(Shell("exit 7"));
  EXPECT_EQ(WaitFor(run).exit_code, 7);
  const std::string name = "run/" + run.Short() + ".exit";
  drover_exit_record record{};
  ASSERT_EQ(Read(name).copy(reinterpret_cast<char*>(&record), sizeof record), sizeof record);
  const auto write = [&] {
    record.checksum = drover_fnv1a(&record, sizeof record - sizeof record.checksum);
    std::ofstream(directory_ + "/" + name, std::ios::trunc)
        .write(reinterpret_cast<const char*>(&record), sizeof record);
  };
  write();
  Restart();
  const auto same = Await(service_->Attach(Forever(), run));
  ASSERT_TRUE(same.ok()) << same.error().message();
  EXPECT_EQ(std::get<ProcessExit>(*same).exit_code, 7);
  record.boot_id[0] ^= 1;
  write();
  Restart();
  const auto attached = Await(service_->Attach(Forever(), run));
  ASSERT_EQ(attached.code(), Code::kNotFound) << "as of a run that never was";
  EXPECT_NE(attached.error().message().find("before this boot of the machine"), std::string::npos)
      << attached.error().message();
  EXPECT_NE(access((directory_ + "/" + name).c_str(), F_OK), 0) << "it is of no use to anybody";
}

// The agent of a foreground run: a child process with a service of its own that is killed.
class BoundRunTest : public ProcessFaultTest {
 protected:
  pid_t StartInAnotherAgent(ProcessSpec spec) {
    const std::string run_dir = directory_ + "/run", cgroup_root = cgroup_root_;
    const pid_t agent = fork();
    if (agent != 0) return agent;
    // The child must not touch the parent's loop.
    RealLoop loop;
    ProcessServiceOptions options;
    options.run_dir = run_dir;
    options.cgroup_root = cgroup_root.empty() ? "none" : cgroup_root;
    auto service = NewProcessService(&loop, options);
    if (!service.ok()) _exit(1);
    auto start = [](ProcessService* in, Loop* on, ProcessSpec what) -> Co<void> {
      const Context context(on);
      const auto info = co_await in->Start(context, std::move(what));
      if (!info.ok()) _exit(2);
    };
    loop.RunToEnd(start(service->get(), &loop, std::move(spec)));
    for (;;) pause();
  }
};

TEST_F(BoundRunTest, StopsWhenItsAgentDies) {
  ProcessSpec spec = Shell(
      "trap 'echo stopped > $DIR/stopped; exit 3' USR1; echo $$ > $DIR/pid; while :; do sleep "
      "0.01; done");
  const RunId run = spec.run;
  spec.bound = BoundSpec{SIGUSR1, 10s};
  const pid_t agent = StartInAnotherAgent(std::move(spec));
  started_.push_back(run);
  const pid_t pid = PidIn("pid");
  kill(agent, SIGKILL);
  waitpid(agent, nullptr, 0);
  EXPECT_TRUE(Until([&] { return !Alive(pid); }));
  EXPECT_EQ(Read("stopped"), "stopped\n");
  // Nobody will ever ask for the run, so its shim removes everything: the cgroup goes last.
  EXPECT_TRUE(Until([&] {
    const std::vector<RunId> tracked = TrackedRuns();
    return std::find(tracked.begin(), tracked.end(), run) == tracked.end();
  }));
  EXPECT_EQ(Await(service_->Attach(Forever(), run)).code(), Code::kNotFound);
}

TEST_F(BoundRunTest, IsKilledWhenItDoesNotStop) {
  ProcessSpec spec = Shell("trap '' TERM; echo $$ > $DIR/pid; while :; do sleep 0.05; done");
  const RunId run = spec.run;
  spec.bound = BoundSpec{SIGTERM, 200ms};
  const pid_t agent = StartInAnotherAgent(std::move(spec));
  started_.push_back(run);
  const pid_t pid = PidIn("pid");
  kill(agent, SIGKILL);
  waitpid(agent, nullptr, 0);
  EXPECT_TRUE(Until([&] { return !Alive(pid); }, 3s));
}

TEST_F(BoundRunTest, AnUnboundRunLivesOn) {
  ProcessSpec spec = Shell("echo $$ > $DIR/pid; exec sleep 1000");
  const RunId run = spec.run;
  const pid_t agent = StartInAnotherAgent(std::move(spec));
  started_.push_back(run);
  const pid_t pid = PidIn("pid");
  kill(agent, SIGKILL);
  waitpid(agent, nullptr, 0);
  Pause(100ms);
  EXPECT_TRUE(Alive(pid));
  const auto attached = Await(service_->Attach(Forever(), run));
  ASSERT_TRUE(attached.ok());
  EXPECT_TRUE(std::holds_alternative<ProcessInfo>(*attached));
}

// The program is found only behind many other directories. So the shim sees the end of its agent's
// connection before it can answer the start message.
TEST_F(ProcessFaultTest, ARunLivesOnWhoseAgentLeavesBeforeTheAnswerToItsStart) {
  std::string path;
  for (int i = 0; i < 10'000; ++i) path += "/-:";
  for (const bool detach : {true, false}) {
    for (const char* file : {"pid", "go"}) std::filesystem::remove(directory_ + "/" + file);
    ProcessSpec spec = Shell(
        "PATH=/usr/bin:/bin; echo $$ > $DIR/pid; while ! [ -e $DIR/go ]; do sleep 0.01; done; "
        "exit 7");
    const RunId run = spec.run;
    spec.executable = "sh";
    spec.env = {{"PATH", path + "/usr/bin:/bin"}, {"DIR", directory_}};
    std::vector<ShimConnection::Bytes> requests;
    if (detach) {
      spec.bound = BoundSpec{SIGKILL, 0s};
      requests.push_back(ShimConnection::Message(drover_attach_header{}, DROVER_ATTACH_DETACH));
    }
    const auto shim = StartLoneShim(loop_.get(), directory_ + "/run", spec, requests);
    ASSERT_TRUE(shim.ok()) << shim.error().message();
    started_.push_back(run);
    const pid_t pid = PidIn("pid");
    const auto attached = Await(service_->Attach(Forever(), run));
    ASSERT_TRUE(attached.ok()) << attached.error().message();
    const auto* info = std::get_if<ProcessInfo>(&*attached);
    ASSERT_TRUE(info) << "detached: " << detach;
    EXPECT_EQ(info->pid, pid);
    std::ofstream(directory_ + "/go") << "x";
    EXPECT_EQ(WaitFor(run).exit_code, 7);
    EXPECT_EQ(access((directory_ + "/run/" + run.Short() + ".exit").c_str(), F_OK), 0);
  }
}

TEST_F(ProcessFaultTest, ARunDirectoryOfOthersIsRefused) {
  ProcessServiceOptions options;
  options.run_dir = directory_ + "/open";
  ASSERT_EQ(mkdir(options.run_dir.c_str(), 0755), 0);
  options.cgroup_root = "none";
  const auto service = NewProcessService(loop_.get(), options);
  ASSERT_FALSE(service.ok());
  EXPECT_EQ(service.code(), Code::kPermissionDenied);
}

TEST_F(ProcessFaultTest, ACgroupRootThatIsNoneIsRefused) {
  ProcessServiceOptions options;
  options.run_dir = directory_ + "/run";
  options.cgroup_root = directory_ + "/no-cgroup";
  const auto service = NewProcessService(loop_.get(), options);
  EXPECT_FALSE(service.ok());
}

}  // namespace
}  // namespace drover
