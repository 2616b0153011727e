// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The driver exec in a host with a real process service, in this process and in a process of its
// own. The tests check that its options reach the kernel.
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <sstream>

#include "host/process/isolation_for_test.h"
#include "host/process/small_file.h"
#include "host/process/tracked_runs_for_test.h"
#include "tests/conformance/process_fixture.h"

namespace drover {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ExecDriverTest : public ProcessFixture, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    if (const char* reason = ReasonNotToIsolate()) GTEST_SKIP() << reason;
    ProcessFixture::SetUp();
  }

  Driver* Exec(const std::string& config = "{}") {
    Add("exec", EXEC_SO);
    options_.plugins.back().isolation = GetParam();
    options_.plugins.back().config_json = config;
    const std::vector<PluginReport> reports = Load();
    EXPECT_EQ(reports[0].message, "");
    return registry_->Find("exec");
  }

  // Runs it to its end; the log has its output.
  Result<ExitResult> Run(Driver* driver, std::shared_ptr<TaskConfig> config) {
    const Result<StartedTask> started = Await(driver->Start(context_, config));
    if (!started.ok()) return started.error();
    Result<ExitResult> end = Await(driver->Wait(context_, config->run_id));
    const Status gone = Await(driver->Destroy(context_, config->run_id, true));
    EXPECT_TRUE(gone.ok()) << gone.error().message();
    return end;
  }
  std::string Output(Driver* driver, std::shared_ptr<TaskConfig> config) {
    std::filesystem::remove(config->log_dir + "/web.stdout.0");
    const Result<ExitResult> end = Run(driver, config);
    if (!end.ok()) return end.error().message();
    EXPECT_EQ(end->exit_code, 0);
    std::ostringstream text;
    text << std::ifstream(config->log_dir + "/web.stdout.0").rdbuf();
    return text.str();
  }
};

INSTANTIATE_TEST_SUITE_P(Places, ExecDriverTest, testing::Values("in-process", "process"),
                         PlaceName);

TEST_P(ExecDriverTest, ATaskIsNobodyInARootOfItsOwn) {
  Driver* driver = Exec(R"({"denied_envvars": ["AWS_*"]})");
  EXPECT_EQ(driver->info().fs_isolation, FsIsolation::kChroot);
  const std::string text =
      Output(driver, Script("id -un; pwd; echo $AWS_KEY; echo x > /local/a && echo x > /alloc/a && "
                            "echo x > /secrets/a && echo x > /tmp/a && echo written; ulimit -c; "
                            "ulimit -Hn; umask; ls " +
                            directory_.path() +
                            " 2>&1 | wc -l; ls -d "
                            "/proc/[0-9]* | head -1"));
  rlimit own{};
  getrlimit(RLIMIT_NOFILE, &own);
  const std::string files = std::to_string(std::min<rlim_t>(own.rlim_max, 65536));
  EXPECT_EQ(text, "nobody\n/\n\nwritten\n0\n" + files + "\n0022\n1\n/proc/2\n");
}

TEST_P(ExecDriverTest, CapabilitiesAndUserFollowTheJob) {
  Driver* driver = Exec(R"({"allow_root": true})");
  const std::string show = "grep -E 'CapEff|CapBnd' /proc/self/status | cut -f2";
  EXPECT_EQ(Output(driver, Script(show)), "0000000000000000\n00000000a80405fb\n");
  EXPECT_EQ(Output(driver, Script(show, R"(,"cap_add":["net_bind_service"],"cap_drop":["all"])")),
            "0000000000000400\n0000000000000400\n");
  auto root = Script(show);
  root->user = "root";
  EXPECT_EQ(Output(driver, root), "00000000a80405fb\n00000000a80405fb\n");
}

TEST_P(ExecDriverTest, TheOperatorWidensWhatJobsMayHaveAndJobsGiveUpSingleOnes) {
  Driver* driver =
      Exec(R"({"allow_root": true, "allow_caps": ["CAP_CHOWN", "net_raw", "sys_ptrace"]})");
  const std::string show = "grep -E 'CapEff|CapBnd' /proc/self/status | cut -f2";
  EXPECT_EQ(Output(driver, Script(show, R"(,"cap_add":["net_raw"])")),
            "0000000000002000\n0000000000002001\n");
  EXPECT_EQ(Output(driver, Script(show, R"(,"cap_add":["all"])")),
            "0000000000082001\n0000000000082001\n");
  auto root = Script(show, R"(,"cap_add":["sys_ptrace"],"cap_drop":["chown"])");
  root->user = "root";
  EXPECT_EQ(Output(driver, root), "0000000000080000\n0000000000080000\n");
  EXPECT_THAT(Output(driver, Script("true", R"(,"cap_add":["mknod"])")),
              HasSubstr("allow_caps: mknod"));
}

TEST_P(ExecDriverTest, OneCapabilityCanBeDropped) {
  Driver* driver = Exec(R"({"allow_root": true})");
  auto root =
      Script("grep -E 'CapEff|CapBnd' /proc/self/status | cut -f2", R"(,"cap_drop":["CAP_MKNOD"])");
  root->user = "root";
  EXPECT_EQ(Output(driver, root), "00000000a00405fb\n00000000a00405fb\n");
}

TEST_P(ExecDriverTest, WithoutPivotTasksRunAndCannotChangeTheirRoot) {
  Driver* driver = Exec(R"({"allow_root": true, "no_pivot_root": true})");
  auto root = Script(
      "grep CapBnd /proc/self/status | cut -f2; test -e " + directory_.path() +
      " && echo leak; mkdir /local/deep; /usr/sbin/chroot /local/deep 2>&1 | grep -c permit");
  root->user = "root";
  EXPECT_EQ(Output(driver, root), "00000000a80005fb\n1\n");
  EXPECT_THAT(Output(driver, Script("true", R"(,"cap_add":["sys_chroot"])")),
              HasSubstr("no task can have sys_chroot here, since the operator has set "
                        "no_pivot_root: name the others"));
  // All other capabilities, which do not need that one.
  EXPECT_EQ(
      Output(driver, Script("grep CapEff /proc/self/status | cut -f2", R"(,"cap_add":["all"])")),
      "00000000a80005fb\n");
}

TEST_P(ExecDriverTest, WithoutPivotAllCapabilitiesAreTooMany) {
  Driver* driver = Exec(R"({"no_pivot_root": true, "allow_caps": ["all"]})");
  EXPECT_THAT(Output(driver, Script("true", R"(,"cap_add":["all"])")),
              HasSubstr("no task can have sys_chroot here"));
}

TEST_P(ExecDriverTest, IpcObjectsAreSharedOnlyWhereTheOperatorAllowsIt) {
  const std::string show = "readlink /proc/self/ns/ipc";
  const std::string own = std::filesystem::read_symlink("/proc/self/ns/ipc").string() + "\n";
  Driver* driver = Exec(R"({"default_ipc_mode": "host"})");
  EXPECT_EQ(Output(driver, Script(show)), own);
  EXPECT_EQ(Output(driver, Script(show, R"(,"ipc_mode":"host")")), own);
  EXPECT_NE(Output(driver, Script(show, R"(,"ipc_mode":"private")")), own);
}

TEST_P(ExecDriverTest, IpcObjectsAreTheTasksOwnByDefault) {
  Driver* driver = Exec();
  const std::string seen = Output(driver, Script("readlink /proc/self/ns/ipc; ipcs -m | wc -l"));
  EXPECT_THAT(seen, ::testing::StartsWith("ipc:["));
  EXPECT_THAT(seen, Not(HasSubstr(std::filesystem::read_symlink("/proc/self/ns/ipc").string())));
  EXPECT_THAT(Output(driver, Script("true", R"(,"ipc_mode":"host")")),
              HasSubstr("ipc_mode \"host\" is not allowed"));
}

TEST_P(ExecDriverTest, WorkDirAndOomScoreReachTheTask) {
  Driver* driver = Exec();
  EXPECT_EQ(Output(driver, Script("pwd; cat /proc/self/oom_score_adj",
                                  R"(,"work_dir":"/usr/share","oom_score_adj":250)")),
            "/usr/share\n250\n");
  EXPECT_EQ(Output(driver, Script("pwd; cat /proc/self/oom_score_adj")), "/\n0\n");
}

TEST_P(ExecDriverTest, GroupsAreThoseOfTheUserAndDeniedOnesAreRefused) {
  auto as = [this](const char* user) {
    auto config = Script("id -u; id -G");
    config->user = user;
    return config;
  };
  Driver* driver = Exec(R"({"denied_host_gids": "2,1000-2000"})");
  EXPECT_EQ(Output(driver, as("daemon")), "1\n1\n");
  EXPECT_THAT(Output(driver, as("bin")), HasSubstr("running as gid 2 is disallowed"));
}

TEST_P(ExecDriverTest, RootIsRefusedByItsIds) {
  auto as = [this](const char* user) {
    auto config = Script("id -u");
    config->user = user;
    return config;
  };
  Driver* driver = Exec();
  for (const char* user : {"root", "0"})
    EXPECT_THAT(Output(driver, as(user)), HasSubstr("running as user \"" + std::string(user) +
                                                    "\" is disallowed: it has the uid 0"));
}

TEST_P(ExecDriverTest, RootIsAUserWhereTheOperatorAllowsIt) {
  Driver* driver = Exec(R"({"allow_root": true})");
  for (const char* user : {"root", "0", "00"}) {
    auto config = Script("id -u");
    config->user = user;
    EXPECT_THAT(Output(driver, config),
                user == std::string("00") ? HasSubstr("unknown user 00") : HasSubstr("0\n"));
  }
}

TEST_P(ExecDriverTest, AUserThatTheAgentGivesNeedsNoEntry) {
  Driver* driver = Exec(R"({"dynamic_users": "81300-81309"})");
  auto config = Script("echo $(id -u) $(id -g) $(id -G)");
  config->user = "81305";
  EXPECT_EQ(Output(driver, config), "81305 81305 81305\n");
  auto outside = Script("true");
  outside->user = "81310";
  EXPECT_THAT(Output(driver, outside), HasSubstr("unknown user 81310"));
}

TEST_P(ExecDriverTest, WhatIsNotAllowedIsRefusedAndNamed) {
  Driver* driver = Exec(R"({"denied_host_uids": "1-5"})");
  const std::pair<const char*, const char*> cases[] = {
      {R"(,"cap_add":["sys_admin"])", "allow_caps: sys_admin"},
      {R"(,"pid_mode":"host")", "pid_mode \"host\" is not allowed"},
      {R"(,"ipc_mode":"shared")", "ipc_mode must be \"private\" or \"host\", got \"shared\""},
      {R"(,"work_dir":"here")", "work_dir must be absolute but got relative path \"here\""},
      {R"(,"work_dir":"/nowhere")", "cannot change to directory /nowhere"},
      {R"(,"work_dir":"/proc/self/cwd")",
       "it leads out of the task's root, or by a link of /proc that could"},
      {R"(,"oom_score_adj":-1)", "oom_score_adj must not be negative"}};
  for (const auto& [options, message] : cases)
    EXPECT_THAT(Output(driver, Script("true", options)), HasSubstr(message));
  for (const char* user : {"0day", "08", "065534", "-1", "4294967295", "4294967296", "nobody:0"}) {
    auto config = Script("true");
    config->user = user;
    EXPECT_FALSE(Run(driver, config).ok()) << user;
  }
  auto denied = Script("true");
  denied->user = "bin";
  EXPECT_THAT(Output(driver, denied), HasSubstr("running as uid 2 is disallowed"));
}

TEST_P(ExecDriverTest, MountsAndDevicesOfTheConfigurationAreWhereItSays) {
  const std::string host = directory_.path() + "/volume";
  std::filesystem::create_directory(host);
  std::ofstream(host + "/file") << "content\n";
  Driver* driver = Exec(R"({"allow_root": true})");
  auto config = Script(
      "cat /srv/data/file /srv/one; for d in /srv/data /srv/rw; do "
      "grep ' '$d' ' /proc/self/mountinfo | cut -d' ' -f6 | cut -c1-9; "
      "(echo x > $d/new) 2>/dev/null && echo written; done; head -c 2 /dev/nothing | wc -c");
  config->user = "root";
  config->mounts = {{"/srv/data", host, true, ""},
                    {"/srv/rw", host, false, ""},
                    {"/srv/one", host + "/file", true, "private"}};
  config->devices = {{"/dev/nothing", "/dev/zero", "rw"}};
  EXPECT_EQ(Output(driver, config), "content\ncontent\nro,nosuid\nrw,nosuid\nwritten\n2\n");
  config->run_id = RunId::Random();
  config->devices = {{"/dev/nothing", "/dev/zero", "r"}};
  EXPECT_THAT(Output(driver, config), HasSubstr("/dev/zero cannot be given read-only"));
}

TEST_P(ExecDriverTest, MountsPropagateAsTheConfigurationSays) {
  const std::string volume = directory_.path() + "/volume";
  std::filesystem::create_directory(volume);
  ASSERT_EQ(mount("tmpfs", volume.c_str(), "tmpfs", 0, nullptr), 0);
  ASSERT_EQ(mount(nullptr, volume.c_str(), nullptr, MS_SHARED, nullptr), 0);
  const auto unmount = [](const std::string& path) {
    while (umount2(path.c_str(), MNT_DETACH) == 0) {
    }
  };
  for (const char* name : {"/theirs", "/ours"}) std::filesystem::create_directory(volume + name);
  Driver* driver = Exec(R"({"allow_root": true, "allow_caps": ["sys_admin"]})");
  const struct {
    const char* propagation;
    const char* seen;
    bool comes_back;
  } cases[] = {{"private", "", false},
               {"host-to-task", "theirs\n", false},
               {"bidirectional", "theirs\n", true}};
  for (const auto& [propagation, seen, comes_back] : cases) {
    SCOPED_TRACE(propagation);
    auto config = Script(
        "cd /srv; touch up; while [ ! -e go ]; do sleep 0.02; done; cat theirs/file 2>/dev/null; "
        "mount -t tmpfs none ours && touch ours/file",
        R"(,"cap_add":["sys_admin"])");
    config->user = "root";
    config->mounts = {{"/srv", volume, false, propagation}};
    const Result<StartedTask> started = Await(driver->Start(context_, config));
    ASSERT_TRUE(started.ok()) << started.error().message();
    EXPECT_TRUE(Until([&] { return std::filesystem::exists(volume + "/up"); }));
    EXPECT_EQ(mount("tmpfs", (volume + "/theirs").c_str(), "tmpfs", 0, nullptr), 0);
    std::ofstream(volume + "/theirs/file") << "theirs\n";
    std::ofstream(volume + "/go") << "";
    const Result<ExitResult> end = Await(driver->Wait(context_, config->run_id));
    EXPECT_TRUE(end.ok() && end->exit_code == 0);
    EXPECT_TRUE(Await(driver->Destroy(context_, config->run_id, true)).ok());
    const std::string log = config->log_dir + "/web.stdout.0";
    EXPECT_EQ(ReadSmallFile(AT_FDCWD, log.c_str()).value_or(""), seen);
    EXPECT_EQ(std::filesystem::exists(volume + "/ours/file"), comes_back);
    for (const char* name : {"/theirs", "/ours"}) unmount(volume + name);
    for (const std::string& path : {volume + "/up", volume + "/go", log})
      std::filesystem::remove(path);
  }
  unmount(volume);
}

TEST_P(ExecDriverTest, LimitsAreTheKernelsAndHoldTheTaskButNotItsShim) {
  Driver* driver = Exec(R"({"pids_limit": 77})");
  auto config = Script("exec sleep 1000");
  config->resources.memory_mb = 32;
  config->resources.memory_max_mb = 64;
  config->cpu_shares = 512;
  ASSERT_TRUE(Await(driver->Start(context_, config)).ok());
  const auto cgroup = [&](const char* controller) {
    const std::string v1 = "/sys/fs/cgroup/" + std::string(controller) + "/" + name_;
    return (std::filesystem::exists(v1) ? v1 : cgroups_[0]) + "/" + config->run_id.ToString() + "/";
  };
  const auto read = [&](const char* controller, const char* v1, const char* v2) {
    const std::string path = cgroup(controller);
    const bool is_v1 = path.find(std::string("/") + controller + "/") != std::string::npos;
    return ReadSmallFile(AT_FDCWD, (path + (is_v1 ? v1 : v2)).c_str()).value_or("there is none");
  };
  EXPECT_EQ(read("memory", "memory.limit_in_bytes", "memory.max"), "67108864\n");
  EXPECT_EQ(read("memory", "memory.soft_limit_in_bytes", "memory.low"), "33554432\n");
  EXPECT_EQ(read("pids", "pids.max", "pids.max"), "77\n");
  EXPECT_THAT(read("cpu", "cpu.shares", "cpu.weight"),
              ::testing::AnyOf("512\n", "20\n"));  // 20 of 100 corresponds to 512 of 1024
  for (const char* controller : {"memory", "cpu", "pids"}) {
    SCOPED_TRACE(cgroup(controller));
    const auto members = [&] {
      std::istringstream pids(read(controller, "cgroup.procs", "cgroup.procs"));
      std::set<std::string> names;
      for (std::string pid; pids >> pid;)
        names.insert(ReadSmallFile(AT_FDCWD, ("/proc/" + pid + "/comm").c_str()).value_or(pid));
      return names;
    };
    EXPECT_TRUE(Until([&] { return members().count("sleep\n") == 1; }));
    EXPECT_THAT(members(), ::testing::ElementsAre("sleep\n"));
  }
  EXPECT_TRUE(Await(driver->Destroy(context_, config->run_id, true)).ok());
}

TEST_P(ExecDriverTest, TenMegabytesAreEnoughToRunTrue) {
  Driver* driver = Exec();
  auto config = Script("");
  config->driver_config_json = R"({"command": "/bin/true"})";
  config->resources.memory_mb = 10;
  const Result<ExitResult> end = Run(driver, config);
  ASSERT_TRUE(end.ok()) << end.error().message();
  EXPECT_EQ(end->exit_code, 0);
  EXPECT_FALSE(end->oom_killed);
}

TEST_P(ExecDriverTest, MemoryIsLimitedAndItsEndIsReported) {
  Driver* driver = Exec();
  auto config = Script("x=x; while :; do x=$x$x; done");
  config->resources.memory_mb = 16;
  const Result<ExitResult> end = Run(driver, config);
  ASSERT_TRUE(end.ok()) << end.error().message();
  EXPECT_TRUE(end->oom_killed);
  EXPECT_EQ(end->exit_code, 137);
}

TEST_P(ExecDriverTest, ProcessesAreLimitedByTheOperator) {
  Driver* driver = Exec(R"({"pids_limit": 10})");
  const Result<ExitResult> end =
      Run(driver, Script("i=0; while [ $i -lt 30 ]; do sleep 100 & i=$((i+1)); done"));
  ASSERT_TRUE(end.ok()) << end.error().message();
  EXPECT_NE(end->exit_code, 0);
}

TEST_P(ExecDriverTest, ACommandIsLookedForInLocalFirst) {
  Driver* driver = Exec();
  const std::string file = directory_.path() + "/task/local/sh";
  std::ofstream(file) << "#!/bin/sh\necho mine\n";
  std::filesystem::permissions(file, std::filesystem::perms::all);
  EXPECT_EQ(Output(driver, Script("echo theirs")), "mine\n");
}

TEST_P(ExecDriverTest, TheOperatorsListOfPathsIsTheRoot) {
  Driver* driver = Exec(R"({"chroot_env": {"/usr": "/usr", "/lib64": "/lib64", "/lib": "/lib",
                              "/bin": "/bin", "/etc/passwd": "/etc/who"}})");
  EXPECT_EQ(Output(driver, Script("ls /etc; ls -d /sbin 2>&1 | grep -c cannot")), "who\n1\n");
}

// The agent dies when it has stored the end of a task, but has not released the run. The next agent
// then only calls destroy, without a call before it.
TEST_P(ExecDriverTest, TheRunOfAnEarlierAgentIsGoneAfterADestroyAlone) {
  auto config = Script("exit 3");
  {
    Driver* driver = Exec();
    ASSERT_TRUE(Await(driver->Start(context_, config)).ok());
    ASSERT_TRUE(Await(driver->Wait(context_, config->run_id)).ok());
    Await(registry_->Shutdown());
    registry_.reset();
    service_.reset();
  }
  const std::string record = directory_.path() + "/run/" + config->run_id.Short() + ".exit";
  ASSERT_TRUE(std::filesystem::exists(record));
  NewService();
  options_.plugins.clear();
  EXPECT_EQ(Await(Exec()->Destroy(context_, config->run_id, true)).code(), Code::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(record));
  EXPECT_THAT(TrackedRuns(cgroup_root_, directory_.path() + "/run"), ::testing::IsEmpty());
}

}  // namespace
}  // namespace drover
