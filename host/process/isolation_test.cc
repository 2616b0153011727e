// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/isolation.h"

#include <gmock/gmock.h>
#include <linux/mount.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/utsname.h>

#include <algorithm>
#include <atomic>

#include "host/process/isolation_for_test.h"
#include "host/process/lone_shim_for_test.h"
#include "host/process/network_namespace.h"
#include "host/process/process_test_fixture.h"
#include "host/process/task_root.h"

namespace drover {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class IsolationTest : public ProcessFixture {
 protected:
  void SetUp() override {
    if (const char* reason = ReasonNotToIsolate()) GTEST_SKIP() << reason;
    // Hides mounts that others make meanwhile. Our mounts are shared, like those of a machine.
    ASSERT_EQ(unshare(CLONE_NEWNS), 0);
    ASSERT_EQ(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    ASSERT_EQ(mount(nullptr, "/", nullptr, MS_REC | MS_SHARED, nullptr), 0);
    ProcessFixture::SetUp();
    for (const char* path : {"alloc", "alloc/data", "task", "task/local", "task/secrets"}) {
      mkdir((directory_ + "/" + path).c_str(), 0777);
      if (chmod((directory_ + "/" + path).c_str(), 0777) != 0) FAIL() << path;
    }
    options_.alloc_dir = directory_ + "/alloc";
    options_.log_dir = directory_ + "/logs";
    options_.task_dir = directory_ + "/task";
  }
  void TearDown() override {
    if (loop_) ProcessFixture::TearDown();
  }

  void Unmount() override {
    for (const char* place : {"/volume/below/it", "/volume/below"})
      umount2((directory_ + place).c_str(), MNT_DETACH);
  }

  // A directory with a mount below it, and one below that.
  void MakeVolumes() {
    for (const char* place : {"/volume", "/volume/below", "/volume/below/it"}) {
      const std::string path = directory_ + place;
      ASSERT_EQ(mkdir(path.c_str(), 0755), 0);
      if (place != std::string("/volume"))
        ASSERT_EQ(mount("none", path.c_str(), "tmpfs", 0, "mode=755,size=64k"), 0);
    }
  }

  ProcessSpec Isolated(const std::string& script) {
    ProcessSpec spec = Shell(script);
    spec.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
    spec.namespaces.emplace();
    Result<RootSpec> root = OpenTaskRoot(options_);
    EXPECT_TRUE(root.ok()) << root.error().message();
    if (root.ok()) spec.namespaces->root = std::move(*root);
    spec.privileges.emplace();
    spec.user = ProcessUser{65534, 65534, {}};
    return spec;
  }
  std::string Output(ProcessSpec spec) {
    const ProcessExit exit = WaitFor(MustStart(std::move(spec)));
    EXPECT_EQ(exit.exit_code, 0) << Read("logs/web.stderr.0");
    return Read("logs/web.stdout.0");
  }
  std::string Output(const std::string& script) { return Output(Isolated(script)); }
  std::string InSession(RunId run, const std::string& script) {
    ExecSpec exec;
    exec.argv = {"/bin/sh", "-c", script};
    exec.standard_input.Reset(open("/dev/null", O_RDONLY | O_CLOEXEC));
    exec.standard_error.Reset(open("/dev/null", O_WRONLY | O_CLOEXEC));
    exec.standard_output.Reset(
        open((directory_ + "/session").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    auto session = Await(service_->Exec(Forever(), run, std::move(exec)));
    if (!session.ok()) return session.error().message();
    const Result<ExecExit> exit = Await((*session)->Wait(Forever()));
    EXPECT_TRUE(exit.ok() && exit->exit_code == 0) << (exit.ok() ? exit->error : "");
    return Read("session");
  }

  TaskRootOptions options_;
};

TEST_F(IsolationTest, TheTaskEndsAsItDoesOutside) {
  EXPECT_EQ(WaitFor(MustStart(Isolated("exit 43"))).exit_code, 43);
  EXPECT_EQ(WaitFor(MustStart(Isolated("kill -TERM $$"))).signal, SIGTERM);
  const RunId run = MustStart(Isolated("exec sleep 1000"));
  const Status sent = Await(service_->Signal(Forever(), run, SIGUSR1));
  ASSERT_TRUE(sent.ok()) << sent.error().message();
  EXPECT_EQ(WaitFor(run).signal, SIGUSR1);
}

// The shim sees the end of its agent while it makes the namespaces. There is no process yet that
// could get a signal.
TEST_F(IsolationTest, ABoundRunEndsWhoseAgentEndsBeforeItsStart) {
  ProcessSpec spec = Isolated("trap '' TERM; while :; do sleep 0.05; done");
  spec.bound = BoundSpec{SIGTERM, 0s};
  const auto shim = StartLoneShim(loop_.get(), directory_ + "/run", spec, {});
  started_.push_back(spec.run);
  ASSERT_TRUE(shim.ok()) << shim.error().message();
  pollfd ended{shim->get(), POLLIN, 0};
  EXPECT_EQ(poll(&ended, 1, 10'000), 1);
  EXPECT_TRUE(std::filesystem::is_empty(directory_ + "/run"));
}

TEST_F(IsolationTest, OnlyItsOwnProcessesAreVisible) {
  // 1 is the init, 2 the shell.
  const std::string seen = Output(
      "echo $$ $PPID; cat /proc/$$/comm; for p in /proc/[0-9]*; do echo ${p##*/}; done | sort -n | "
      "head -1; kill -0 1 2>&1 || echo refused");
  EXPECT_THAT(seen, ::testing::StartsWith("2 0\nsh\n2\n")) << "the init is hidden from nobody";
  EXPECT_THAT(seen, HasSubstr("refused"));
}

TEST_F(IsolationTest, TheInitHasNoDescriptorsAndNoRights) {
  ProcessSpec spec = Isolated(
      "grep -E '^(Name|CapPrm|CapBnd|NoNew)' /proc/1/status | tr -d '\\t'; ls /proc/1/fd | wc -l; "
      "cat /proc/1/environ | wc -c; readlink /proc/1/exe; "
      "(echo x > /proc/1/exe) 2>/dev/null || echo cannot be written");
  spec.user.reset();
  spec.privileges->bounding = *CapabilitySet::Parse({"sys_ptrace", "dac_override"});
  EXPECT_EQ(Output(std::move(spec)),
            "Name:drover-init\nCapPrm:0000000000000000\nCapBnd:0000000000000000\n"
            "NoNewPrivs:1\n0\n0\n/memfd:drover-shim (deleted)\ncannot be written\n");
}

TEST_F(IsolationTest, TheInitCannotBeLookedInto) {
  // Root may inspect dumpable processes of root that have no more rights than itself. Processes
  // that it may not inspect are hidden from it.
  ProcessSpec spec = Isolated(
      "sleep 1000 & for p in $! 1; do test -e /proc/$p/exe && echo sees $p || echo hidden $p; "
      "done; "
      "test $! = 3 || echo another $!; kill -9 $!");
  spec.user.reset();
  spec.privileges->bounding = *CapabilitySet::Parse({"kill"});
  EXPECT_EQ(Output(std::move(spec)), "sees 3\nhidden 1\n");
}

TEST_F(IsolationTest, TheInitIsNotCountedAsTheTasks) {
  const RunId run = MustStart(Isolated("echo drover-init > /proc/$$/comm; sleep 1000 & wait"));
  std::vector<pid_t> pids;
  const auto count = [&] {
    pids.clear();
    const Result<ProcessUsage> usage =
        Await(service_->Usage(Forever(), run, UsageDetail::kProcesses));
    if (usage.ok())
      for (const auto& process : usage->processes) pids.push_back(process.pid);
    return pids.size();
  };
  EXPECT_TRUE(Until([&] { return count() == 2; })) << count();
  for (const pid_t pid : pids)
    EXPECT_THAT(
        ReadSmallFile(AT_FDCWD, ("/proc/" + std::to_string(pid) + "/status").c_str()).value_or(""),
        Not(HasSubstr("NSpid:\t" + std::to_string(pid) + "\t1\n")));
  ASSERT_TRUE(service_->Kill(run).ok());
  WaitFor(run);
}

TEST_F(IsolationTest, TheInitIsInNoCgroupOfTheTaskAndEndsWithItsSupervisor) {
  // The limit allows one process, the task's: no other process counts.
  ProcessSpec spec = Isolated("");
  spec.argv = {"/bin/sleep", "1000"};
  spec.resources.max_processes = 1;
  spec.resources.memory = 32 << 20;
  const RunId run = spec.run;
  const Result<ProcessInfo> info = Start(std::move(spec));
  ASSERT_TRUE(info.ok()) << info.error().message();
  const std::string shim = std::to_string(info->shim_pid);
  const std::string children = "/proc/" + shim + "/task/" + shim + "/children";
  std::istringstream pids(ReadSmallFile(AT_FDCWD, children.c_str()).value_or(""));
  pid_t init = 0;
  for (pid_t pid; pids >> pid;)
    if (pid != info->pid) init = pid;
  const auto told = [&](const char* file) {
    const std::string path = "/proc/" + std::to_string(init) + "/" + file;
    return ReadSmallFile(AT_FDCWD, path.c_str()).value_or("");
  };
  EXPECT_EQ(told("comm"), "drover-init\n");
  EXPECT_THAT(told("cgroup"), Not(HasSubstr(run.ToString())));
  const UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, init, 0)));
  kill(info->shim_pid, SIGKILL);
  EXPECT_EQ(WaitFor(run).error, "supervisor lost");
  EXPECT_TRUE(Until([&] { return !Alive(init); }));
}

TEST_F(IsolationTest, TheHostIsNotInReach) {
  const std::string seen = Output("ls / | tr '\\n' ' '; echo; test -e " + directory_ +
                                  " && echo leak; ls /home /root /var 2>&1 "
                                  "| grep -c 'No such'; pwd; ls /proc/self/fd | tr '\\n' ' '");
  EXPECT_THAT(seen, HasSubstr("alloc bin dev empty etc lib"));
  EXPECT_THAT(seen, HasSubstr(" local proc "));
  EXPECT_THAT(seen, Not(HasSubstr("leak")));
  EXPECT_THAT(seen, HasSubstr("3\n/\n0 1 2 3 ")) << "3 is the directory that ls reads";
}

TEST_F(IsolationTest, EveryReadOnlyClaimHolds) {
  MakeVolumes();
  options_.volumes = {{directory_ + "/volume", "/srv/kept/", true, ""},
                      {directory_ + "/volume", "/srv//open", false, ""}};
  ProcessSpec spec = Isolated(
      "for f in bus fs irq sys sysrq-trigger kcore keys key-users kmsg latency_stats timer_list "
      "timer_stats sched_debug kpagecount kpageflags kpagecgroup vmallocinfo kallsyms acpi scsi "
      "asound; do test -e /proc/$f && echo is /proc/$f; done; for f in /sys/firmware "
      "/sys/devices/virtual/powercap; do test -e $f && echo is $f; done; cat /proc/self/mountinfo");
  spec.user.reset();
  const std::string mounts = Output(std::move(spec));
  std::map<std::string, std::string> options;
  std::vector<std::string> protected_places;
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("is ")) {
      protected_places.push_back(line.substr(3));
      continue;
    }
    std::istringstream words(line);
    std::string id, parent, device, root, place, flags;
    words >> id >> parent >> device >> root >> place >> flags;
    options[place] = flags + ",";
    EXPECT_THAT(flags, HasSubstr("nosuid")) << line;
  }
  EXPECT_THAT(protected_places, ::testing::IsSupersetOf({"/proc/fs", "/proc/sys", "/proc/keys"}));
  for (const std::string& place : protected_places)
    EXPECT_THAT(options[place], ::testing::StartsWith("ro,")) << place;
  for (const char* place : {"/", "/bin", "/etc", "/lib", "/usr", "/sys", "/alloc/logs", "/dev",
                            "/srv/kept", "/srv/kept/below", "/srv/kept/below/it"})
    EXPECT_THAT(options[place], ::testing::StartsWith("ro,")) << place;
  for (const char* place : {"/alloc", "/local", "/tmp", "/secrets", "/dev/shm", "/dev/pts", "/proc",
                            "/srv/open", "/srv/open/below", "/srv/open/below/it"})
    EXPECT_THAT(options[place], ::testing::StartsWith("rw,")) << place;
  EXPECT_THAT(options["/secrets"], HasSubstr("nodev,noexec"));
  EXPECT_EQ(mounts.find(directory_ + "/run"), std::string::npos);
  EXPECT_EQ(mounts.find(" - cgroup"), std::string::npos);
}

TEST_F(IsolationTest, AnOptionThatIsNotThereEndsTheStart) {
  if (WithoutMountCalls()) GTEST_SKIP() << "it needs mounts of no namespace";
  MakeVolumes();
  const std::string name = "a place \\ of its own";
  // An option of a mount that the shim makes itself. A thread keeps its filter for ever, and
  // processes that it starts inherit it.
  std::string told = "it has started";
  std::thread([&] {
    ProcessSpec spec = Isolated("true");
    ASSERT_EQ(FailCalls({SYS_mount_setattr}, 0, CallsWith{4, BPF_JSET, ~0u}), 0);
    const Result<ProcessInfo> info = Start(std::move(spec));
    if (!info.ok()) told = info.error().message();
  }).join();
  EXPECT_THAT(told, HasSubstr("cannot verify the mounts: after the step \"make / read-only\""));
  // An option of a mount that the agent opened: the tree lacks the option that it claims.
  options_.volumes = {{directory_ + "/volume", "/srv/" + name, false, ""}};
  ProcessSpec spec = Isolated("true");
  spec.namespaces->root.mounts.back().attributes |= MOUNT_ATTR_RDONLY;
  EXPECT_THAT(Start(std::move(spec)).error().message(),
              HasSubstr("after the step \"mount /srv/" + name + "\""));
  // An option of a mount below it, while the place itself has it.
  spec = Isolated("true");
  MountTree& tree = spec.namespaces->root.mounts.back();
  mount_attr read_only{};
  read_only.attr_set = MOUNT_ATTR_RDONLY;
  ASSERT_EQ(
      syscall(SYS_mount_setattr, tree.tree.get(), "", AT_EMPTY_PATH, &read_only, sizeof read_only),
      0);
  tree.attributes |= MOUNT_ATTR_RDONLY;
  EXPECT_THAT(Start(std::move(spec)).error().message(),
              HasSubstr("after the step \"mount /srv/" + name + "\""));
}

TEST_F(IsolationTest, AnOptionThatCannotBeAddedIsToldWithItsStep) {
  if (!WithoutMountCalls()) GTEST_SKIP() << "here all options are set at once";
  std::string told = "it has started";
  std::thread([&] {
    ProcessSpec spec = Isolated("true");
    ASSERT_EQ(FailCalls({SYS_mount}, EACCES, CallsWith{3, BPF_JSET, MS_REMOUNT}), 0);
    const Result<ProcessInfo> info = Start(std::move(spec));
    if (!info.ok()) told = info.error().message();
  }).join();
  EXPECT_EQ(told,
            "cannot verify the mounts: after the step \"make / read-only\" an option of a "
            "mount cannot be set: Permission denied");
}

TEST_F(IsolationTest, WhatTheHostMountsDuringAStartHasTheOptionsOfItsVolume) {
  if (WithoutMountCalls()) GTEST_SKIP() << "volumes cannot follow the host here";
  MakeVolumes();
  const std::string below = directory_ + "/volume/below";
  ASSERT_EQ(mount(nullptr, below.c_str(), nullptr, MS_SHARED, nullptr), 0);
  options_.volumes = {{below, "/srv/followed", true, "host-to-task"}};
  // Mounts in quick succession, so that some come between the steps of a start and their check.
  std::vector<std::string> places;
  for (const char* name : {"/1", "/2", "/3", "/4"}) {
    places.push_back(below + name);
    ASSERT_EQ(mkdir(places.back().c_str(), 0755), 0);
  }
  std::atomic<bool> over = false;
  std::thread storm([&] {
    while (!over) {
      for (const std::string& place : places)
        EXPECT_EQ(mount("none", place.c_str(), "tmpfs", 0, "size=4k"), 0);
      for (const std::string& place : places) EXPECT_EQ(umount2(place.c_str(), MNT_DETACH), 0);
    }
  });
  for (int i = 0; i < 40; ++i) {
    const Result<ProcessInfo> info = Start(Isolated("true"));
    EXPECT_TRUE(info.ok()) << info.error().message();
  }
  over = true;
  storm.join();
}

TEST_F(IsolationTest, WhatIsMountedUponAnotherIsWhatCounts) {
  MakeVolumes();
  mkdir((directory_ + "/other").c_str(), 0755);
  // /srv/one: a read-only mount covers a writable one that has two more below it. /srv/two: the
  // other way round. /srv/three: a writable mount comes before the read-only one that has a mount
  // in its place. /srv/four: after it.
  const std::string volume = directory_ + "/volume", other = directory_ + "/other";
  options_.volumes = {
      {volume, "/srv/one", false, ""},        {other, "/srv/one", true, ""},
      {volume, "/srv/two", true, ""},         {other, "/srv/two", false, ""},
      {other, "/srv/three/below", false, ""}, {volume, "/srv//three", true, ""},
      {volume, "/srv/four", true, ""},        {other, "/srv/four/below", false, ""}};
  options_.devices = {{"/dev/zero", "/dev/shm/zero"}};
  ProcessSpec spec = Isolated(
      "ls /srv/one /srv/two; for d in one two three/below three/below/it four four/below; do "
      "(echo > /srv/$d/x) 2>/dev/null && echo $d; done");
  spec.user.reset();
  spec.privileges->bounding = *CapabilitySet::Parse({"dac_override"});
  EXPECT_EQ(Output(std::move(spec)), "/srv/one:\n\n/srv/two:\ntwo\nfour/below\n");
}

TEST_F(IsolationTest, NoPlaceOfAMountIsMadeInWhatIsReadOnly) {
  MakeVolumes();
  options_.volumes = {{directory_ + "/volume", "/srv/kept", true, ""},
                      {directory_ + "/volume/below", "/srv/kept/new/place", false, ""}};
  const Result<ProcessInfo> info = Start(Isolated("true"));
  ASSERT_FALSE(info.ok());
  EXPECT_THAT(info.error().message(), HasSubstr("mount /srv/kept/new/place"));
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/volume/new"));
}

TEST_F(IsolationTest, TheRootOfTheHostIsBoundWholeOrNotAtAll) {
  options_.volumes = {{"/", "/srv/host", true, ""}};
  if (WithoutMountCalls()) {
    EXPECT_THAT(OpenTaskRoot(options_).error().message(), HasSubstr("the whole root of the host"));
    return;
  }
  EXPECT_EQ(Output("test -e /srv/host" + directory_ + " && echo there"), "there\n");
}

TEST_F(IsolationTest, WhatIsReadOnlyCannotBeWrittenAlsoByRoot) {
  ProcessSpec spec = Isolated(
      "for f in /etc/x /usr/x /x /alloc/logs/x /sys/kernel/x /proc/sys/kernel/hostname /dev/x "
      "/proc/sysrq-trigger; do (echo x > $f) 2>/dev/null && echo wrote $f; done; "
      "for f in /alloc/data/x /local/x /secrets/x /tmp/x /dev/shm/x /dev/null; do "
      "echo x > $f || echo cannot $f; done; mv /alloc/logs /alloc/other 2>/dev/null && echo moved; "
      "mount -o remount,rw / 2>/dev/null && echo remounted; true");
  spec.user.reset();
  spec.privileges->bounding =
      *CapabilitySet::Parse({"chown", "dac_override", "fowner", "mknod", "sys_chroot"});
  EXPECT_EQ(Output(std::move(spec)), "");
  EXPECT_EQ(Read("task/local/x"), "x\n");
  EXPECT_EQ(Read("alloc/data/x"), "x\n");
}

TEST_F(IsolationTest, DevicesAreThoseThatDoNoHarm) {
  EXPECT_EQ(Output("cd /dev; ls | tr '\\n' ' '; head -c 3 /dev/zero | wc -c; "
                   "head -c 3 /dev/urandom | wc -c; echo out > /dev/stdout"),
            "fd full null ptmx pts random shm stderr stdin stdout tty urandom zero 3\n3\nout\n");
}

TEST_F(IsolationTest, WhatATaskLeavesBehindEndsWithIt) {
  // The descendants have a session of their own and lose their parent: the init adopts them.
  const RunId run = MustStart(Isolated(
      "setsid sh -c 'sleep 1000 & sleep 1000' & until test -e /tmp/go; do :; done; exit 5"));
  std::vector<UniqueFd> survivors;
  ASSERT_TRUE(Until([&] {
    survivors.clear();
    const Result<ProcessUsage> usage =
        Await(service_->Usage(Forever(), run, UsageDetail::kProcesses));
    if (!usage.ok() || usage->processes.size() != 4) return false;
    for (const auto& process : usage->processes)
      survivors.emplace_back(static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0)));
    return std::ranges::count(survivors, true, &UniqueFd::valid) == 4;
  }));
  std::ofstream(directory_ + "/task/tmp/go") << "now";
  EXPECT_EQ(WaitFor(run).exit_code, 5);
  // They are gone when the end is reported, not only when somebody cleans up.
  for (const UniqueFd& pidfd : survivors)
    EXPECT_EQ(syscall(SYS_pidfd_send_signal, pidfd.get(), 0, nullptr, 0), -1);
}

TEST_F(IsolationTest, SessionsEnterTheNamespaces) {
  const RunId run = MustStart(Isolated("touch /tmp/mine; exec sleep 1000"));
  ASSERT_TRUE(Until([&] { return std::filesystem::exists(directory_ + "/task/tmp/mine"); }));
  EXPECT_EQ(InSession(run,
                      "ls /tmp; id -u; for n in mnt pid ipc uts; do readlink /proc/self/ns/$n; "
                      "done | sort > /local/session; cat /proc/2/comm"),
            "mine\n65534\nsleep\n");
  EXPECT_EQ(InSession(run,
                      "for n in mnt pid ipc uts; do readlink /proc/2/ns/$n; done | sort | "
                      "cmp - /local/session && echo same"),
            "same\n");
  ASSERT_TRUE(service_->Kill(run).ok());
  EXPECT_EQ(WaitFor(run).signal, SIGKILL);
}

TEST_F(IsolationTest, ATaskInANetworkNamespaceSeesNoOther) {
  Result<UniqueFd> network = MakeNetworkNamespace();
  ASSERT_TRUE(network.ok()) << network.error().message();
  ProcessSpec spec = Isolated(
      "ls /sys/class/net; tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; "
      "touch /tmp/told; exec sleep 1000");
  spec.network = std::move(*network);
  const RunId run = MustStart(std::move(spec));
  ASSERT_TRUE(Until([&] { return std::filesystem::exists(directory_ + "/task/tmp/told"); }));
  EXPECT_TRUE(Until([&] { return Read("logs/web.stdout.0") == "lo\nlo\n"; }))
      << Read("logs/web.stdout.0");
  EXPECT_EQ(InSession(run,
                      "ls /sys/class/net; "
                      "readlink /proc/self/ns/net > /tmp/mine; readlink /proc/2/ns/net | "
                      "cmp - /tmp/mine && echo same"),
            "lo\nsame\n");
  ASSERT_TRUE(service_->Kill(run).ok());
  WaitFor(run);
}

TEST_F(IsolationTest, ATaskHasTheNameOfItsNetwork) {
  utsname host{};
  ASSERT_EQ(uname(&host), 0);
  ProcessSpec spec = Isolated("uname -n; cat /proc/sys/kernel/hostname; exec sleep 1000");
  spec.namespaces->hostname = "web-1.example";
  const RunId run = MustStart(std::move(spec));
  EXPECT_TRUE(Until([&] { return Read("logs/web.stdout.0") == "web-1.example\nweb-1.example\n"; }))
      << Read("logs/web.stdout.0");
  EXPECT_EQ(InSession(run, "uname -n"), "web-1.example\n");
  ASSERT_TRUE(service_->Kill(run).ok());
  WaitFor(run);
  utsname after{};
  ASSERT_EQ(uname(&after), 0);
  EXPECT_STREQ(after.nodename, host.nodename);
}

TEST_F(IsolationTest, ASessionThatIsClosedIsKilledWithItsGroup) {
  const RunId run = MustStart(Isolated("exec sleep 1000"));
  ExecSpec exec;
  exec.argv = {"/bin/sh", "-c", "sleep 1000 & echo ready > /local/ready; wait"};
  for (UniqueFd* end : {&exec.standard_input, &exec.standard_output, &exec.standard_error})
    end->Reset(open("/dev/null", O_RDWR | O_CLOEXEC));
  auto session = Await(service_->Exec(Forever(), run, std::move(exec)));
  ASSERT_TRUE(session.ok()) << session.error().message();
  ASSERT_TRUE(Until([&] { return Read("task/local/ready") == "ready\n"; }));
  session->reset();
  EXPECT_TRUE(Until(
      [&] { return InSession(run, "grep -c sleep /proc/[0-9]*/comm | grep -c ':1'") == "1\n"; }));
  ASSERT_TRUE(service_->Kill(run).ok());
  WaitFor(run);
}

TEST_F(IsolationTest, TheRunIsFoundAgainByAnotherAgent) {
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

TEST_F(IsolationTest, TheDeathOfTheShimEndsTheNamespace) {
  ProcessSpec spec = Isolated("echo $$ > /local/pid; sleep 1000 & exec sleep 1000");
  const RunId run = spec.run;
  const Result<ProcessInfo> info = Start(std::move(spec));
  ASSERT_TRUE(info.ok()) << info.error().message();
  ASSERT_TRUE(Until([&] { return !Read("task/local/pid").empty(); }));
  kill(info->shim_pid, SIGKILL);
  EXPECT_EQ(WaitFor(run).error, "supervisor lost");
  EXPECT_FALSE(Alive(info->pid));
}

TEST_F(IsolationTest, WithoutPivotTheRootIsTheSame) {
  options_.pivot = false;
  EXPECT_EQ(Output("test -e " + directory_ + " && echo leak; ls /local; echo done"), "done\n");
  ProcessSpec spec = Isolated("true");
  spec.privileges->bounding = *CapabilitySet::Parse({"sys_chroot"});
  const Result<ProcessInfo> info = Start(std::move(spec));
  ASSERT_FALSE(info.ok());
  EXPECT_THAT(info.error().message(), HasSubstr("sys_chroot"));
}

TEST_F(IsolationTest, VolumesAndDevicesAreMounted) {
  mkdir((directory_ + "/volume").c_str(), 0755);
  std::ofstream(directory_ + "/volume/file") << "content\n";
  options_.volumes = {{directory_ + "/volume", "/srv/data", true, ""},
                      {directory_ + "/volume/file", "/srv/one", false, "private"}};
  options_.devices = {{"/dev/zero", "/dev/nothing", false}};
  ProcessSpec spec = Isolated(
      "cat /srv/data/file /srv/one; (echo x > /srv/data/new) 2>/dev/null && echo wrote; "
      "head -c 2 /dev/nothing | wc -c");
  spec.user.reset();
  spec.privileges->bounding = *CapabilitySet::Parse({"dac_override"});
  EXPECT_EQ(Output(std::move(spec)), "content\ncontent\n2\n");
}

TEST_F(IsolationTest, ALinkIsNoSourceOfAVolumeThatHasNone) {
  MakeVolumes();
  std::filesystem::create_directory_symlink(directory_ + "/volume", directory_ + "/link");
  options_.volumes = {{directory_ + "/link/below", "/srv", true, "", false}};
  EXPECT_TRUE(OpenTaskRoot(options_).ok());
  options_.volumes = {{directory_ + "/link/below", "/srv", true, "", true}};
  const auto refused = OpenTaskRoot(options_);
  EXPECT_EQ(refused.code(), Code::kPermissionDenied);
  EXPECT_THAT(refused.error().message(), HasSubstr("leads through a symbolic link"));
  options_.volumes = {{directory_ + "/volume/below", "/srv", true, "", true}};
  EXPECT_TRUE(OpenTaskRoot(options_).ok());
}

TEST_F(IsolationTest, WhatTheHostMountsLaterIsSeenIfAskedFor) {
  MakeVolumes();
  const std::string below = directory_ + "/volume/below";
  ASSERT_EQ(mount(nullptr, below.c_str(), nullptr, MS_SHARED, nullptr), 0);
  ASSERT_EQ(umount2((below + "/it").c_str(), MNT_DETACH), 0);
  options_.volumes = {{below, "/srv/kept", false, ""},
                      {below, "/srv/followed", false, "host-to-task"}};
  if (WithoutMountCalls()) {
    EXPECT_THAT(OpenTaskRoot(options_).error().message(),
                HasSubstr(below + ": the propagation host-to-task needs the system calls"));
    return;
  }
  const RunId run = MustStart(Isolated(
      "until test -e /srv/followed/it/file; do sleep 0.02; done; test -e /srv/kept/it/file"));
  ASSERT_EQ(mount("none", (below + "/it").c_str(), "tmpfs", 0, "mode=755"), 0);
  std::ofstream(below + "/it/file") << "content";
  EXPECT_EQ(WaitFor(run).exit_code, 1);
}

TEST_F(IsolationTest, ALinkThatATaskLeftLeadsNowhere) {
  mkdir((directory_ + "/volume").c_str(), 0755);
  ASSERT_EQ(symlink("/etc", (directory_ + "/task/local/way").c_str()), 0);
  options_.volumes = {{directory_ + "/volume", "/local/way/in", false, ""}};
  const Result<ProcessInfo> info = Start(Isolated("true"));
  ASSERT_FALSE(info.ok());
  EXPECT_THAT(info.error().message(), HasSubstr("cannot mount /local/way/in"));
  EXPECT_FALSE(std::filesystem::exists("/etc/in"));
  options_.volumes.clear();
  ASSERT_EQ(rename((directory_ + "/task/local").c_str(), (directory_ + "/task/old").c_str()), 0);
  ASSERT_EQ(symlink("/etc", (directory_ + "/task/local").c_str()), 0);
  EXPECT_FALSE(OpenTaskRoot(options_).ok());
}

TEST_F(IsolationTest, WhatIsMissingIsNamed) {
  options_.volumes = {{directory_ + "/nowhere", "/srv", false, ""}};
  const Result<RootSpec> root = OpenTaskRoot(options_);
  ASSERT_FALSE(root.ok());
  EXPECT_EQ(root.error().message(), directory_ + "/nowhere: No such file or directory");
  options_.volumes = {{directory_, "/srv", false, "sideways"}};
  EXPECT_THAT(OpenTaskRoot(options_).error().message(),
              HasSubstr("\"sideways\" is no propagation"));
  options_.volumes = {{directory_, "/proc/self", false, ""}};
  EXPECT_THAT(Start(Isolated("true")).error().message(), HasSubstr("mounted at /proc/self"));
  options_.volumes = {{directory_, "//proc/self", false, ""}};
  EXPECT_THAT(Start(Isolated("true")).error().message(), HasSubstr("mounted at //proc/self"));
  for (const char* nowhere : {"/srv/../proc", "/", "//", "srv"}) {
    options_.volumes = {{directory_, nowhere, false, ""}};
    EXPECT_THAT(Start(Isolated("true")).error().message(), HasSubstr("cannot be the place"));
  }
  options_.volumes.clear();
  options_.devices = {{"/etc/passwd", "/dev/passwd", false}};
  EXPECT_EQ(OpenTaskRoot(options_).error().message(), "/etc/passwd is no device");
}

TEST_F(IsolationTest, NothingIsMountedOnTheHost) {
  const std::string before = ReadSmallFile(AT_FDCWD, "/proc/self/mountinfo").value_or("");
  const RunId run = MustStart(Isolated("exec sleep 1000"));
  EXPECT_EQ(ReadSmallFile(AT_FDCWD, "/proc/self/mountinfo").value_or(""), before);
  ASSERT_TRUE(service_->Kill(run).ok());
  WaitFor(run);
}

}  // namespace
}  // namespace drover
