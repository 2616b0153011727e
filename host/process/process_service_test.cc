// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/process_service.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>

#include "host/process/process_test_fixture.h"
#include "host/process/shim_connection.h"
#include "host/process/supervised_run.h"

namespace drover {
namespace {

enum class Tracking { kCgroup, kFreezer, kWalk };
std::string NameOf(Tracking tracking) {
  return tracking == Tracking::kCgroup    ? "Cgroup"
         : tracking == Tracking::kFreezer ? "Freezer"
                                          : "Walk";
}
void PrintTo(Tracking tracking, std::ostream* out) { *out << NameOf(tracking); }

// Behaviour that must be the same with a cgroup of either version and, as far as the kernel allows
// it, without one.
class ProcessServiceTest : public ProcessFixture, public ::testing::WithParamInterface<Tracking> {
 protected:
  void SetUp() override {
    ProcessFixture::SetUp();
    if (WantsCgroups() && !has_cgroups()) {
      GTEST_SKIP() << "it needs root and a mount of "
                   << (WantsFreezer() ? "the version 1 freezer" : "the version 2 hierarchy");
    }
  }
  bool WantsCgroups() const override { return GetParam() != Tracking::kWalk; }
  bool WantsFreezer() const override { return GetParam() == Tracking::kFreezer; }
};
INSTANTIATE_TEST_SUITE_P(Kinds, ProcessServiceTest,
                         ::testing::Values(Tracking::kCgroup, Tracking::kFreezer, Tracking::kWalk),
                         [](const auto& param) { return NameOf(param.param); });

TEST_P(ProcessServiceTest, RunsACommandAndTellsHowItEnded) {
  ProcessSpec spec = Shell("echo out; echo err >&2; exit 43");
  const RunId run = spec.run;
  const Result<ProcessInfo> info = Start(std::move(spec));
  ASSERT_TRUE(info.ok()) << info.error().message();
  EXPECT_GT(info->pid, 0);
  EXPECT_NE(info->pid, info->shim_pid);
  const ProcessExit exit = WaitFor(run);
  EXPECT_EQ(exit.exit_code, 43);
  EXPECT_EQ(exit.signal, 0);
  EXPECT_FALSE(exit.oom_killed);
  EXPECT_EQ(exit.error, "");
  EXPECT_GE(exit.finished_at, exit.started_at);
  EXPECT_EQ(exit.started_at, info->started_at);
  EXPECT_GT(exit.max_rss, 0u);
  EXPECT_EQ(Read("logs/web.stdout.0"), "out\n");
  EXPECT_EQ(Read("logs/web.stderr.0"), "err\n");
  // Any number of callers may wait again.
  EXPECT_EQ(WaitFor(run).exit_code, 43);
}

TEST_P(ProcessServiceTest, TellsTheSignalThatEndedIt) {
  const ProcessExit exit = RunShell("kill -TERM $$");
  EXPECT_EQ(exit.exit_code, 143);
  EXPECT_EQ(exit.signal, SIGTERM);
}

TEST_P(ProcessServiceTest, TheTaskSeesOnlyWhatItIsGiven) {
  signal(SIGPIPE, SIG_IGN);
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  ProcessSpec spec = Shell(
      "for f in /proc/self/fd/*; do echo ${f##*/}; done | sort -n | tr '\\n' ' ';"
      "readlink /proc/self/fd/0; pwd; umask; grep -E 'Sig(Blk|Ign)|NoNewPrivs' "
      "/proc/self/status;"
      "cat /proc/self/oom_score_adj; env | sort | cut -d= -f1 | tr '\\n' ' '; ulimit -n; ulimit "
      "-Hn");
  spec.cwd = directory_;
  spec.umask = 027;
  spec.no_new_privileges = true;
  spec.oom_score_adj = 7;
  spec.limits = {{RLIMIT_NOFILE, 77, 99}};
  EXPECT_EQ(WaitFor(MustStart(std::move(spec))).exit_code, 0);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  // 3 is the directory that the shell's pattern reads.
  EXPECT_EQ(Read("logs/web.stdout.0"),
            "0 1 2 3 /dev/null\n" + directory_ +
                "\n0027\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"
                "NoNewPrivs:\t1\n7\nDIR PATH PWD 77\n99\n");
}

TEST_P(ProcessServiceTest, APausedRunHearsTheSignalOfItsStop) {
  const RunId run =
      MustStart(Shell("trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done"));
  EXPECT_TRUE(Until([&] { return Read("logs/web.stdout.0") == "ready\n"; }));
  const Status paused = service_->SetPaused(run, true);
  if (GetParam() == Tracking::kWalk) {
    EXPECT_EQ(paused.code(), Code::kUnimplemented);
    EXPECT_FALSE(service_->IsPaused(run));
  } else {
    EXPECT_TRUE(paused.ok()) << paused.error().message();
    EXPECT_TRUE(service_->IsPaused(run));
    EXPECT_TRUE(service_->SetPaused(run, true).ok());
  }
  const auto exit = Await(service_->Stop(Forever(), run, SIGTERM, 60s));
  ASSERT_TRUE(exit.ok()) << exit.error().message();
  EXPECT_EQ(exit->exit_code, 7);
  EXPECT_EQ(service_->SetPaused(run, true).code(), Code::kFailedPrecondition);
}

TEST_P(ProcessServiceTest, APausedRunIsKilled) {
  if (GetParam() == Tracking::kWalk) GTEST_SKIP() << "runs without cgroups cannot be paused";
  const RunId run = MustStart(Shell("sleep 1000"));
  ASSERT_TRUE(service_->SetPaused(run, true).ok());
  ASSERT_TRUE(service_->Kill(run).ok());
  EXPECT_EQ(WaitFor(run).signal, SIGKILL);
}

TEST_P(ProcessServiceTest, TheLimitOfOpenFilesIsNotThatOfTheAgent) {
  rlimit own{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &own), 0);
  ASSERT_GT(own.rlim_cur, 55u);
  open_files_ = 55;
  Restart();
  EXPECT_EQ(RunShell("ulimit -Sn; ulimit -Hn").exit_code, 0);
  const std::string hard =
      own.rlim_max == RLIM_INFINITY ? "unlimited" : std::to_string(own.rlim_max);
  EXPECT_EQ(Read("logs/web.stdout.0"), "55\n" + hard + "\n");
  rlimit after{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(after.rlim_cur, own.rlim_cur) << "the agent's own has changed";
}

TEST_P(ProcessServiceTest, TheLimitOfCoreFilesIsNotThatOfTheAgent) {
  rlimit own{};
  ASSERT_EQ(getrlimit(RLIMIT_CORE, &own), 0);
  if (own.rlim_max < 4096) GTEST_SKIP() << "this machine allows no core files";
  core_bytes_ = 4096;
  Restart();
  const std::string read =
      "while read -r line; do case $line in 'Max core file size'*) set -- $line; echo $5;; esac; "
      "done < /proc/self/limits";
  EXPECT_EQ(RunShell(read).exit_code, 0);
  EXPECT_EQ(Read("logs/web.stdout.0"), "4096\n");
  rlimit after{};
  ASSERT_EQ(getrlimit(RLIMIT_CORE, &after), 0);
  EXPECT_EQ(after.rlim_cur, own.rlim_cur) << "the agent's own has changed";
}

TEST_P(ProcessServiceTest, RunsAsAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "changing the user needs root";
  ProcessSpec spec = Shell("id -u; id -g; id -G");
  spec.user = ProcessUser{65534, 65533, {65533, 4242}};
  EXPECT_EQ(WaitFor(MustStart(std::move(spec))).exit_code, 0);
  EXPECT_EQ(Read("logs/web.stdout.0"), "65534\n65533\n65533 4242\n");
}

TEST_P(ProcessServiceTest, AnotherUserCanOpenItsOutputAgain) {
  if (geteuid() != 0) GTEST_SKIP() << "changing the user needs root";
  ProcessSpec spec = Shell("echo out > /dev/stdout; echo err > /dev/stderr");
  spec.user = ProcessUser{65534, 65533, {}};
  EXPECT_EQ(WaitFor(MustStart(std::move(spec))).exit_code, 0);
  EXPECT_EQ(Read("logs/web.stdout.0"), "out\n");
  EXPECT_EQ(Read("logs/web.stderr.0"), "err\n");
}

TEST_P(ProcessServiceTest, LooksForANameInThePathOfTheTask) {
  ProcessSpec spec = Shell("");
  spec.argv = {"echo", "found"};
  EXPECT_EQ(WaitFor(MustStart(std::move(spec))).exit_code, 0);
  EXPECT_EQ(Read("logs/web.stdout.0"), "found\n");
}

TEST_P(ProcessServiceTest, CarriesALargeEnvironment) {
  ProcessSpec spec = Shell("echo ${#BIG_0} ${#BIG_7}");
  for (int i = 0; i < 8; ++i)
    spec.env.emplace_back("BIG_" + std::to_string(i), std::string(100000, 'x'));
  EXPECT_EQ(WaitFor(MustStart(std::move(spec))).exit_code, 0);
  EXPECT_EQ(Read("logs/web.stdout.0"), "100000 100000\n");
}

TEST_P(ProcessServiceTest, DisabledLogsLeaveNoFiles) {
  ProcessSpec spec = Shell("echo out; readlink /proc/$$/fd/1 | cat > $DIR/stdout");
  spec.logs = LogSpec();
  spec.logs.disabled = true;
  EXPECT_EQ(WaitFor(MustStart(std::move(spec))).exit_code, 0);
  EXPECT_EQ(Read("stdout"), "/dev/null\n");
  EXPECT_TRUE(std::filesystem::is_empty(directory_ + "/logs"));
}

TEST_P(ProcessServiceTest, EachStepThatFailsIsNamedAndLeavesNothing) {
  ProcessSpec missing = Shell("");
  missing.argv = {"/no/such/program"};
  Result<ProcessInfo> result = Start(std::move(missing));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message(), "cannot execute /no/such/program: No such file or directory");
  EXPECT_EQ(result.code(), Code::kNotFound);

  ProcessSpec unknown = Shell("");
  unknown.argv = {"no-such-program"};
  result = Start(std::move(unknown));
  EXPECT_EQ(result.error().message(), "cannot execute no-such-program: No such file or directory");

  ProcessSpec text = Shell("");
  text.argv = {directory_ + "/text"};
  std::ofstream(text.argv[0]) << "not a program";
  result = Start(std::move(text));
  EXPECT_EQ(result.code(), Code::kPermissionDenied);

  ProcessSpec cwd = Shell("true");
  cwd.cwd = "/no/such/directory";
  result = Start(std::move(cwd));
  EXPECT_EQ(result.error().message(),
            "cannot change to directory /no/such/directory: No such file or directory");

  ProcessSpec limit = Shell("true");
  limit.limits = {{RLIMIT_NOFILE, RLIM_INFINITY, RLIM_INFINITY}};
  result = Start(std::move(limit));
  EXPECT_EQ(result.error().message().substr(0, 29), "cannot set resource limit 7: ");

  EXPECT_TRUE(std::filesystem::is_empty(directory_ + "/run"));
  EXPECT_TRUE(TrackedRuns().empty());
}

TEST_P(ProcessServiceTest, AStartThatLacksDescriptorsMayBeTriedAgain) {
  // A sanitizer needs descriptors, too, when it meets a type for the first time. One start covers
  // them all.
  const RunId first = MustStart(Shell("exit 4"));
  EXPECT_EQ(WaitFor(first).exit_code, 4);
  EXPECT_TRUE(Await(service_->Release(Forever(), first)).ok());
  struct rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  struct rlimit none = before;
  none.rlim_cur = 3;
  ProcessSpec spec = Shell("exit 5");
  const RunId run = spec.run;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const Result<ProcessInfo> result = Start(std::move(spec));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.code(), Code::kResourceExhausted) << result.error().message();
  EXPECT_TRUE(result.error().recoverable());
  EXPECT_TRUE(TrackedRuns().empty());
  ProcessSpec again = Shell("exit 5");
  again.run = run;
  EXPECT_EQ(WaitFor(MustStart(std::move(again))).exit_code, 5);
}

TEST_P(ProcessServiceTest, ARunIdStartsOnce) {
  ProcessSpec first = Shell("sleep 1000");
  ProcessSpec second = Shell("sleep 1000");
  second.run = first.run;
  MustStart(std::move(first));
  const Result<ProcessInfo> again = Start(std::move(second));
  EXPECT_EQ(again.code(), Code::kFailedPrecondition);
}

// A shell runs the trap of the smaller number first. If the child had got the HUP, too, it would
// write "child" before it obeys its parent.
TEST_P(ProcessServiceTest, StopSendsTheSignalToTheProcessAlone) {
  const RunId run = MustStart(
      Shell("trap 'echo leader >> $DIR/got; kill -TERM $child; wait $child; exit 9' HUP; "
            "(trap 'echo child >> $DIR/got' HUP; trap 'echo asked >> $DIR/got; exit' TERM; "
            "echo > $DIR/child; while :; do sleep 0.01; done) & child=$!; "
            "until test -e $DIR/child; do sleep 0.01; done; echo > $DIR/ready; wait"));
  ASSERT_TRUE(Until([&] { return !Read("ready").empty(); }));
  const auto exit = Await(service_->Stop(Forever(), run, SIGHUP, 20s));
  ASSERT_TRUE(exit.ok());
  EXPECT_EQ(exit->exit_code, 9);
  EXPECT_EQ(Read("got"), "leader\nasked\n");
}

TEST_P(ProcessServiceTest, WhatIsLeftAfterAStopIsKilledThen) {
  const RunId run = MustStart(
      Shell("trap 'exit 4' TERM; setsid sh -c 'trap \"\" TERM HUP INT; echo $$ > $DIR/daemon; "
            "while :; do sleep 0.05; done' > /dev/null 2>&1 & wait"));
  const pid_t daemon = PidIn("daemon");
  const auto exit = Await(service_->Stop(Forever(), run, SIGTERM, 1000s));
  ASSERT_TRUE(exit.ok());
  EXPECT_EQ(exit->exit_code, 4);
  EXPECT_TRUE(Until([&] { return !Alive(daemon); }));
}

TEST_P(ProcessServiceTest, StopKillsAfterTheTimeout) {
  const RunId run =
      MustStart(Shell("trap '' TERM; echo > $DIR/ready; while :; do sleep 0.05; done"));
  ASSERT_TRUE(Until([&] { return !Read("ready").empty(); }));
  const TimePoint start = BootClock::now();
  const auto exit = Await(service_->Stop(Forever(), run, SIGTERM, 300ms));
  const Duration took = BootClock::now() - start;
  ASSERT_TRUE(exit.ok());
  EXPECT_EQ(exit->signal, SIGKILL);
  EXPECT_EQ(exit->exit_code, 137);
  EXPECT_GE(took, 300ms);
  EXPECT_LE(took, 2s);
}

TEST_P(ProcessServiceTest, KillReachesDaemons) {
  // The daemon is forked twice, has a session of its own and no parent.
  const RunId run = MustStart(
      Shell("setsid sh -c 'setsid sh -c \"trap : TERM HUP INT; echo \\$\\$ > $DIR/daemon; while :; "
            "do sleep 0.05; done\" > /dev/null 2>&1 &' & sleep 1000"));
  const pid_t daemon = PidIn("daemon");
  ASSERT_TRUE(Alive(daemon));
  ASSERT_TRUE(service_->Kill(run).ok());
  EXPECT_EQ(WaitFor(run).signal, SIGKILL);
  EXPECT_TRUE(Until([&] { return !Alive(daemon); }));
}

// Each generation lives only for a moment: a kill of the listed processes comes too late.
TEST_P(ProcessServiceTest, KillEndsWhatForksFasterThanItIsListed) {
  if (!has_cgroups()) GTEST_SKIP() << "a walk does not confine what multiplies faster";
  const auto written = [this] { return std::filesystem::file_size(directory_ + "/born"); };
  for (const bool stop : {true, false}) {
    std::ofstream(directory_ + "/born").flush();
    const RunId run =
        MustStart(Shell("for i in 1 2 3 4; do setsid " DROVER_FORK_CHAIN " $DIR/born 20 & done; "
                        "trap '' TERM; while :; do sleep 0.1; done"));
    ASSERT_TRUE(Until([&] { return written() > 1000; }));
    if (stop) {
      Result<ProcessExit> exit = Await(service_->Stop(Forever(), run, SIGTERM, 50ms));
      ASSERT_TRUE(exit.ok()) << exit.error().message();
    } else {
      ASSERT_TRUE(service_->Kill(run).ok());
    }
    EXPECT_EQ(WaitFor(run).signal, SIGKILL);
    const std::uintmax_t at_the_end = written();
    Pause(100ms);  // a surviving chain would go on meanwhile
    EXPECT_EQ(written(), at_the_end);
  }
}

TEST_P(ProcessServiceTest, WhatTheTaskLeavesBehindEndsWithIt) {
  const RunId run =
      MustStart(Shell("(trap '' HUP; echo $$ > /dev/null; sh -c 'echo $$ > $DIR/child; exec sleep "
                      "1000') & while ! [ -s $DIR/child ]; do sleep 0.01; done; exit 5"));
  // The child keeps the pipes open, which must not delay the exit.
  const TimePoint start = BootClock::now();
  EXPECT_EQ(WaitFor(run).exit_code, 5);
  EXPECT_LE(BootClock::now() - start, 5s);
  EXPECT_FALSE(Alive(PidIn("child")));
}

TEST_P(ProcessServiceTest, SignalsReachTheProcess) {
  const RunId run = MustStart(
      Shell("trap 'echo usr1; exit 3' USR1; echo > $DIR/ready; while :; do sleep 0.01; done"));
  ASSERT_TRUE(Until([&] { return !Read("ready").empty(); }));
  EXPECT_EQ(Await(service_->Signal(Forever(), run, 0)).code(), Code::kInvalidArgument);
  EXPECT_TRUE(Await(service_->Signal(Forever(), run, SIGUSR1)).ok());
  EXPECT_EQ(WaitFor(run).exit_code, 3);
  EXPECT_EQ(Await(service_->Signal(Forever(), run, SIGUSR1)).code(), Code::kFailedPrecondition);
  EXPECT_EQ(Read("logs/web.stdout.0"), "usr1\n");
}

TEST_P(ProcessServiceTest, AnotherAgentTakesTheRunOver) {
  ProcessSpec spec = Shell("echo $$ > $DIR/pid; read x < $DIR/fifo; echo later; exit 6");
  ASSERT_EQ(mkfifo((directory_ + "/fifo").c_str(), 0600), 0);
  const RunId run = spec.run;
  const Result<ProcessInfo> info = Start(std::move(spec));
  ASSERT_TRUE(info.ok());
  Restart();
  const auto attached = Await(service_->Attach(Forever(), run));
  ASSERT_TRUE(attached.ok()) << attached.error().message();
  const auto* found = std::get_if<ProcessInfo>(&*attached);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pid, info->pid);
  EXPECT_EQ(found->shim_pid, info->shim_pid);
  EXPECT_EQ(found->started_at, info->started_at);
  EXPECT_EQ(PidIn("pid"), info->pid);
  std::ofstream(directory_ + "/fifo") << "go\n";
  EXPECT_EQ(WaitFor(run).exit_code, 6);
  EXPECT_EQ(Read("logs/web.stdout.0"), "later\n");
}

TEST_P(ProcessServiceTest, ARunThatEndedWithoutAgentIsFound) {
  ProcessSpec spec =
      Shell("echo $$ > $DIR/pid; while ! [ -e $DIR/go ]; do sleep 0.01; done; exit 7");
  const RunId run = MustStart(std::move(spec));
  service_.reset();
  Settle();
  std::ofstream(directory_ + "/go") << "x";
  const std::string record = directory_ + "/run/" + run.Short() + ".exit";
  ASSERT_TRUE(Until([&] { return access(record.c_str(), F_OK) == 0; }));
  Restart();
  const auto attached = Await(service_->Attach(Forever(), run));
  ASSERT_TRUE(attached.ok());
  const auto* exit = std::get_if<ProcessExit>(&*attached);
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->exit_code, 7);
  EXPECT_EQ(WaitFor(run).exit_code, 7);
}

// An agent that cannot look must not report that there is nothing.
TEST_P(ProcessServiceTest, AnAgentWithoutDescriptorsLosesNoRun) {
#if __has_feature(undefined_behavior_sanitizer)
  GTEST_SKIP() << "the sanitizer looks at objects through a pipe, for which there is no descriptor";
#endif
  const RunId alive = MustStart(Shell("echo $$ > $DIR/pid; exec sleep 1000"));
  const pid_t pid = PidIn("pid");
  const RunId ended = MustStart(Shell("exit 7"));
  EXPECT_EQ(WaitFor(ended).exit_code, 7);
  Restart();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const UniqueFd next(open("/dev/null", O_RDONLY | O_CLOEXEC));
  // Each round leaves one more descriptor, so that each step in turn is the first to fail.
  for (int left = 0; left < 6; ++left) {
    rlimit few = before;
    few.rlim_cur = static_cast<rlim_t>(next.get() + 1 + left);
    for (const RunId& run : {alive, ended}) {
      SCOPED_TRACE(std::to_string(left) + (run == alive ? " alive" : " ended"));
      ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
      const auto attached = Await(service_->Attach(Forever(), run));
      ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
      if (attached.ok()) {
        EXPECT_EQ(std::holds_alternative<ProcessInfo>(*attached), run == alive);
        continue;
      }
      EXPECT_EQ(attached.code(), Code::kUnavailable) << attached.error().message();
      EXPECT_TRUE(attached.error().recoverable());
      EXPECT_THAT(attached.error().message(), testing::HasSubstr("Too many open files"));
    }
    if (left < 5) Restart();
  }
  EXPECT_TRUE(Alive(pid));
  EXPECT_EQ(WaitFor(ended).exit_code, 7);
}

// The last agent may have been killed just after it had started the shim.
TEST_P(ProcessServiceTest, AShimThatIsAboutToTellOfItselfIsWaitedFor) {
  const RunId run = MustStart(Shell("exit 7"));
  EXPECT_EQ(WaitFor(run).exit_code, 7);
  Restart();
  const std::string record = directory_ + "/run/" + run.Short() + ".exit";
  const std::string later = directory_ + "/later";
  ASSERT_EQ(rename(record.c_str(), later.c_str()), 0);
  loop_->After(20ms, [&] { EXPECT_EQ(rename(later.c_str(), record.c_str()), 0); });
  const auto attached = Await(service_->Attach(Forever(), run));
  ASSERT_TRUE(attached.ok()) << attached.error().message();
  EXPECT_EQ(std::get<ProcessExit>(*attached).exit_code, 7);
}

TEST_P(ProcessServiceTest, ARunThatNeverStartedIsNotFound) {
  const auto attached = Await(service_->Attach(Forever(), RunId::Random()));
  EXPECT_EQ(attached.code(), Code::kNotFound);
  EXPECT_EQ(Await(service_->Wait(Forever(), RunId::Random())).code(), Code::kNotFound);
  EXPECT_TRUE(Await(service_->Release(Forever(), RunId::Random())).ok());
}

TEST_P(ProcessServiceTest, ReleaseEndsARunOfAnEarlierAgent) {
  const RunId run = MustStart(Shell("echo $$ > $DIR/pid; exec sleep 1000"));
  const pid_t pid = PidIn("pid");
  Restart();
  EXPECT_TRUE(Await(service_->Release(Forever(), run)).ok());
  EXPECT_FALSE(Alive(pid));
}

TEST_P(ProcessServiceTest, AStartWhoseContextEndsLeavesNothing) {
  Context context(loop_.get());
  context.Cancel();
  ProcessSpec spec = Shell("echo $$ > $DIR/pid; exec sleep 1000");
  const RunId run = spec.run;
  const auto info = Await(service_->Start(context, std::move(spec)));
  EXPECT_EQ(info.code(), Code::kCancelled);
  EXPECT_EQ(Await(service_->Attach(Forever(), run)).code(), Code::kNotFound);
  EXPECT_TRUE(TrackedRuns().empty());
}

TEST_P(ProcessServiceTest, UsageCountsAllProcesses) {
  const RunId run = MustStart(Shell("sleep 1000 & sleep 1000 & echo > $DIR/ready; wait"));
  ASSERT_TRUE(Until([&] {
    const auto usage = Await(service_->Usage(Forever(), run, UsageDetail::kProcesses));
    return usage.ok() && usage->processes.size() == 3;
  }));
  const auto usage = Await(service_->Usage(Forever(), run, UsageDetail::kProcesses));
  ASSERT_TRUE(usage.ok());
  EXPECT_GT(usage->rss, 100000u);
}

TEST_P(ProcessServiceTest, UsageCountsProcessorTime) {
  const RunId run = MustStart(Shell("while :; do :; done"));
  EXPECT_TRUE(Until([&] {
    const auto usage = Await(service_->Usage(Forever(), run, UsageDetail::kProcesses));
    return usage.ok() && usage->user_time + usage->system_time > 50ms;
  }));
}

// A walk does not find ended processes, so the cgroup's files must be read, by the next agent, too.
TEST_P(ProcessServiceTest, UsageCountsProcessorTimeOfWhatHasEnded) {
  if (GetParam() == Tracking::kWalk) GTEST_SKIP() << "without cgroups it is not counted";
  const RunId run = MustStart(Shell(
      "(i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; times > $DIR/spent); exec sleep 1000"));
  // An emulated machine is slow.
  ASSERT_TRUE(Until([&] { return Read("spent").find('\n') != std::string::npos; }, 40s));
  double seconds = 0;
  ASSERT_EQ(std::sscanf(Read("spent").c_str(), "0m%lfs", &seconds), 1);
  ASSERT_GT(seconds, 0.02);
  for (int agent = 0; agent < 2; ++agent) {
    const auto usage = Await(service_->Usage(Forever(), run, UsageDetail::kTotals));
    ASSERT_TRUE(usage.ok()) << usage.error().message();
    EXPECT_GE(usage->user_time + usage->system_time, std::chrono::duration<double>(seconds / 2));
    EXPECT_TRUE(usage->processes.empty());
    Restart();
    ASSERT_TRUE(Await(service_->Attach(Forever(), run)).ok());
  }
}

TEST_P(ProcessServiceTest, ARunWithoutProcessWritesWhatItReads) {
  int out[2], err[2];
  ASSERT_EQ(pipe2(out, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(err, O_CLOEXEC), 0);
  OutputSpec spec;
  spec.run = RunId::Random();
  const RunId run = spec.run;
  spec.stdout_pipe = UniqueFd(out[0]);
  spec.stderr_pipe = UniqueFd(err[0]);
  spec.logs.directory = LogDirectory();
  spec.logs.task = "vm";
  const auto info = Await(service_->StartOutput(Forever(), std::move(spec)));
  ASSERT_TRUE(info.ok()) << info.error().message();
  started_.push_back(run);
  EXPECT_EQ(info->pid, 0);
  ASSERT_EQ(write(out[1], "one\n", 4), 4);
  ASSERT_TRUE(Until([&] { return Read("logs/vm.stdout.0") == "one\n"; }));
  Restart();
  ASSERT_TRUE(Await(service_->Attach(Forever(), run)).ok());
  ASSERT_EQ(write(err[1], "two\n", 4), 4);
  close(out[1]);
  close(err[1]);
  EXPECT_EQ(WaitFor(run).exit_code, 0);
  EXPECT_EQ(Read("logs/vm.stderr.0"), "two\n");
}

TEST_P(ProcessServiceTest, ARunWithoutProcessCanBeStopped) {
  int out[2], err[2];
  ASSERT_EQ(pipe2(out, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(err, O_CLOEXEC), 0);
  OutputSpec spec;
  spec.run = RunId::Random();
  const RunId run = spec.run;
  spec.stdout_pipe = UniqueFd(out[0]);
  spec.stderr_pipe = UniqueFd(err[0]);
  spec.logs.directory = LogDirectory();
  spec.logs.task = "vm";
  ASSERT_TRUE(Await(service_->StartOutput(Forever(), std::move(spec))).ok());
  started_.push_back(run);
  ASSERT_EQ(write(out[1], "last words\n", 11), 11);
  EXPECT_TRUE(Await(service_->Stop(Forever(), run, SIGTERM, 0s)).ok());
  EXPECT_EQ(Read("logs/vm.stdout.0"), "last words\n");
  close(out[1]);
  close(err[1]);
}

TEST_P(ProcessServiceTest, TwoDescriptorsForARunningTask) {
  const long before = OpenFds();
  for (int i = 0; i < 5; ++i) MustStart(Shell("exec sleep 1000"));
  EXPECT_LE(OpenFds() - before, 10);
}

TEST_P(ProcessServiceTest, DescribesHowItTracks) {
  const std::string text = service_->TrackingDescription();
  EXPECT_NE(text.find(WantsCgroups() ? cgroup_root_ : "not confined"), std::string::npos) << text;
}

TEST_P(ProcessServiceTest, RunAfterRunLeavesNothing) {
  const long connections = ShimConnection::live(), runs = SupervisedRun::live();
  long fds = 0;
  for (int i = 0; i < 60; ++i) {
    ProcessSpec spec = Shell(i % 3 == 0 ? "echo out; sleep 1000 &" : "exit 1");
    if (i % 5 == 0) spec.argv = {"/no/such/program"};
    const RunId run = spec.run;
    const Result<ProcessInfo> info = Await(service_->Start(Forever(), std::move(spec)));
    EXPECT_EQ(info.ok(), i % 5 != 0);
    if (info.ok()) {
      WaitFor(run);
      EXPECT_FALSE(Alive(info->pid));
    }
    EXPECT_TRUE(Await(service_->Release(Forever(), run)).ok());
    Settle();
    if (i == 10) fds = OpenFds();
  }
  EXPECT_EQ(OpenFds(), fds);
  EXPECT_EQ(ShimConnection::live(), connections);
  EXPECT_EQ(SupervisedRun::live(), runs);
  EXPECT_TRUE(TrackedRuns().empty());
  EXPECT_TRUE(std::filesystem::is_empty(directory_ + "/run"));
}

// The first process of a container is the parent of all orphans, shims too.
TEST_P(ProcessServiceTest, AnAgentThatAdoptsOrphansCollectsItsShims) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  ProcessSpec spec = Shell("exit 2");
  const RunId run = spec.run;
  const Result<ProcessInfo> info = Start(std::move(spec));
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(WaitFor(run).exit_code, 2);
  EXPECT_TRUE(Until([&] { return kill(info->shim_pid, 0) != 0 && errno == ESRCH; }));
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

TEST_P(ProcessServiceTest, ShimsStartInTheCgroupThatIsSet) {
  if (GetParam() != Tracking::kCgroup) GTEST_SKIP() << "shims start in cgroups of version 2";
  const std::string shims = cgroup_root_ + "-shims";
  ASSERT_EQ(mkdir(shims.c_str(), 0755), 0);
  ProcessServiceOptions options;
  options.run_dir = directory_ + "/run";
  options.cgroup_root = cgroup_root_;
  options.shim_cgroup = shims;
  service_ = std::move(*NewProcessService(loop_.get(), options));
  ProcessSpec spec = Shell("exec sleep 1000");
  const RunId run = spec.run;
  const Result<ProcessInfo> info = Start(std::move(spec));
  ASSERT_TRUE(info.ok()) << info.error().message();
  const std::string path = "/proc/" + std::to_string(info->shim_pid) + "/cgroup";
  const std::string cgroup = ReadSmallFile(AT_FDCWD, path.c_str()).value_or("");
  EXPECT_NE(cgroup.find("-shims\n"), std::string::npos) << cgroup;
  EXPECT_TRUE(Await(service_->Release(Forever(), run)).ok());
  EXPECT_TRUE(Until([&] { return rmdir(shims.c_str()) == 0; }));
}

TEST_P(ProcessServiceTest, ManyAtOnce) {
  std::vector<RunId> runs;
  for (int i = 0; i < 30; ++i) runs.push_back(MustStart(Shell("exit " + std::to_string(i))));
  for (int i = 0; i < 30; ++i) EXPECT_EQ(WaitFor(runs[i]).exit_code, i);
}

}  // namespace
}  // namespace drover
