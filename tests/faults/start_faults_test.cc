// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Each system call of an isolated start fails once. Then the task has all of its isolation, or
// nothing of it is left and the error names the step.
#include <gmock/gmock.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <array>
#include <map>
#include <set>

#include "host/process/isolation_for_test.h"
#include "host/process/network_namespace.h"
#include "host/process/process_test_fixture.h"
#include "host/process/start_message.h"
#include "host/process/task_root.h"
#include "shim/start_plan.h"
#include "tests/faults/syscall_faults.h"

namespace drover {
namespace {

class StartFaultTest : public ProcessFixture {
 protected:
  void SetUp() override {
    if (const char* reason = ReasonNotToIsolate()) GTEST_SKIP() << reason;
    // Hides mounts that others make meanwhile. Shared, like a machine's mounts.
    ASSERT_EQ(unshare(CLONE_NEWNS), 0);
    ASSERT_EQ(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    ASSERT_EQ(mount(nullptr, "/", nullptr, MS_REC | MS_SHARED, nullptr), 0);
    faults_ = &SyscallFaults::Install();
    ProcessFixture::SetUp();
    for (const char* path : {"alloc", "task", "task/local", "task/secrets"}) {
      mkdir((directory_ + "/" + path).c_str(), 0777);
      ASSERT_EQ(chmod((directory_ + "/" + path).c_str(), 0777), 0);
    }
    const std::string mounts = ReadSmallFile(AT_FDCWD, "/proc/self/mounts").value_or("");
    resources_ = ResourceCgroups::Open(mounts, cgroup_root_);
    Result<UniqueFd> network = MakeNetworkNamespace();
    ASSERT_TRUE(network.ok()) << network.error().message();
    network_ = std::move(*network);
    baseline_mounts_ = MountInfo();
    baseline_fds_ = OpenFds();
  }
  void TearDown() override {
    network_.Reset();
    if (loop_) ProcessFixture::TearDown();
  }

  // A plan with steps of every kind. The task prints the kernel's view of itself.
  Result<ProcessSpec> Isolated(ProcessSpec spec) {
    spec.executable = "/bin/cat";
    spec.argv = {"cat",
                 "/proc/self/mountinfo",
                 "/proc/self/status",
                 "/proc/self/limits",
                 "/proc/self/cgroup",
                 "/proc/self/net/route",
                 "/proc/self/oom_score_adj"};
    TaskRootOptions options;
    options.alloc_dir = directory_ + "/alloc";
    options.log_dir = directory_ + "/logs";
    options.task_dir = directory_ + "/task";
    spec.namespaces.emplace();
    spec.namespaces->hostname = "web";
    spec.descriptors.more.emplace_back(memfd_create("given", MFD_CLOEXEC));
    DROVER_ASSIGN(spec.namespaces->root, OpenTaskRoot(options));
    spec.privileges.emplace();
    spec.privileges->bounding = *CapabilitySet::Parse({"net_bind_service", "chown"});
    spec.privileges->ambient = *CapabilitySet::Parse({"net_bind_service"});
    spec.user = ProcessUser{65534, 65534, {12, 34}};
    spec.limits = {{RLIMIT_NOFILE, 77, 88}};
    spec.oom_score_adj = 123;
    spec.umask = 027;
    spec.cwd = "/local";
    spec.resources = {64 << 20, 0, 512, 50, 1.5, "0"};
    DROVER_ASSIGN(spec.network,
                  OpenNetworkNamespace("/proc/self/fd/" + std::to_string(network_.get())));
    return spec;
  }

  // The steps of the plan, by their names in errors, with their kinds.
  std::map<std::string, int> Steps() {
    const Result<ProcessSpec> isolated = Isolated(Shell(""));
    DROVER_CHECK(isolated.ok());
    const ProcessSpec& spec = *isolated;
    StartEnvironment environment;
    environment.run_directory = 0;
    environment.cgroup = has_cgroups() ? 0 : -1;
    environment.clean_namespace = 0;
    Result<ResourceCgroups::Run> joined = resources_->Create(spec.run, spec.resources, -1);
    EXPECT_TRUE(joined.ok());
    for (const UniqueFd& cgroup : joined->cgroups)
      environment.resource_cgroups.push_back(cgroup.get());
    const Result<StartMessage> message = CompileStart(spec, environment);
    EXPECT_TRUE(resources_->Remove(spec.run));
    EXPECT_TRUE(message.ok() && !message->large_plan);
    std::map<std::string, int> steps;
    std::size_t at = sizeof(drover_start);
    for (const std::string& name : message->step_names) {
      drover_step step{};
      std::memcpy(&step, message->bytes.data() + at, sizeof step);
      at += step.size;
      steps[name] = step.kind;
    }
    EXPECT_EQ(at, message->bytes.size());
    return steps;
  }

  struct Outcome {
    SyscallFaults::Fault fault;
    std::string error;  // empty: the task has started
    std::string view;   // the task's output, if it has started
    std::size_t processes = 0;
  };

  Outcome StartWithFault(std::size_t process, int at, int error) {
    std::filesystem::remove(directory_ + "/logs/web.stdout.0");
    ProcessSpec plain = Shell("");
    const RunId run = plain.run;
    Context limit = Forever().WithTimeout(20s);
    Outcome outcome;
    std::vector<pid_t> pids;
    faults_->Arm(process, at, error);
    Result<ProcessSpec> spec = Isolated(std::move(plain));
    const Result<ProcessInfo> info = spec.ok()
                                         ? Await(service_->Start(limit, std::move(*spec)), 60s)
                                         : Result<ProcessInfo>(spec.error());
    outcome.fault = faults_->Disarm(&pids);
    outcome.processes = pids.size();
    if (info.ok()) {
      EXPECT_EQ(WaitFor(run).exit_code, 0);
      EXPECT_TRUE(Await(service_->Release(Forever(), run)).ok());
      outcome.view = ViewOf(run);
    } else {
      outcome.error = info.error().message();
    }
    limit.Cancel();
    ExpectNothingLeft(run, pids);
    return outcome;
  }

  void ExpectNothingLeft(const RunId& run, const std::vector<pid_t>& pids) {
    Settle();
    for (const pid_t pid : pids) EXPECT_TRUE(Until([pid] { return !Alive(pid); })) << pid;
    EXPECT_TRUE(std::filesystem::is_empty(directory_ + "/run")) << "a socket or record is left";
    EXPECT_THAT(TrackedRuns(), ::testing::IsEmpty());
    const std::string name = std::filesystem::path(cgroup_root_).filename().string();
    for (const char* controller : {"memory", "cpu", "pids", "cpuset"})
      EXPECT_FALSE(std::filesystem::exists("/sys/fs/cgroup/" + std::string(controller) + "/" +
                                           name + "/" + run.ToString()));
    EXPECT_EQ(MountInfo(), baseline_mounts_);
    // The service keeps one descriptor, that of the clean namespace.
    EXPECT_THAT(OpenFds() - baseline_fds_, ::testing::AnyOf(0, 1));
  }

  static std::string MountInfo() {
    return ReadSmallFile(AT_FDCWD, "/proc/self/mountinfo").value_or("");
  }

  // The task's view, without values that differ between any two runs.
  std::string ViewOf(const RunId& run) const {
    std::istringstream lines(Read("logs/web.stdout.0"));
    std::string view;
    for (std::string line; std::getline(lines, line);) {
      if (const std::size_t type = line.find(" - "); type != std::string::npos) {
        std::istringstream words(line);
        std::string id, parent, device, root, target, options;
        words >> id >> parent >> device >> root >> target >> options;
        line = root + " " + target + " " + options + line.substr(type);
      } else if (const std::size_t id = line.find(run.ToString()); id != std::string::npos) {
        line.replace(id, run.ToString().size(), "RUN");
      } else if (line.find(':') != std::string::npos && !OfInterest(line)) {
        continue;
      }
      view += line + "\n";
    }
    return view;
  }
  static bool OfInterest(const std::string& line) {
    for (const char* start : {"Umask", "PPid", "Uid", "Gid", "Groups", "NStgid", "NSsid", "Cap",
                              "NoNewPrivs", "Seccomp:", "SigBlk"})
      if (line.starts_with(start)) return true;
    return line.find(":/") != std::string::npos;  // a cgroup
  }

  // ROUNDS 1: each call fails with one of the errors in turn; 4: with each of them.
  void FailEachCall(int rounds);

  SyscallFaults* faults_ = nullptr;
  std::unique_ptr<ResourceCgroups> resources_;
  UniqueFd network_;
  std::string baseline_mounts_;
  int baseline_fds_ = 0;
};

void StartFaultTest::FailEachCall(int rounds) {
  const std::map<std::string, int> steps = Steps();
  std::set<int> kinds;
  for (const auto& [name, kind] : steps) kinds.insert(kind);
  for (int kind = DROVER_STEP_NONE + 1; kind < DROVER_STEP_KINDS; ++kind) {
    // Version 2 limits the tracking cgroup, so there is no other cgroup to join.
    if (kind == DROVER_STEP_JOIN && resources_->missing().empty() && !kinds.contains(kind))
      continue;
    EXPECT_TRUE(kinds.contains(kind)) << "no step of kind " << kind << " is in this plan";
  }

  const Outcome whole = StartWithFault(0, 0, 0);
  ASSERT_EQ(whole.error, "");
  ASSERT_THAT(whole.view, ::testing::HasSubstr("NoNewPrivs:\t1"));

  std::set<std::string> not_named;
  for (const auto& [name, kind] : steps)
    if (kind != DROVER_STEP_UMASK) not_named.insert(name);  // no call of this step can fail
  const std::string kEnded = "the shim ended before it started the task";
  constexpr int kErrors[] = {ENOMEM, EMFILE, ENOSPC, EPERM};
  int started = 0, undone = 0, unnamed = 0;
  std::size_t process = 0;
  for (int turn = 0; process < whole.processes; ++turn) {
    const int at = turn / rounds + 1, error = kErrors[(at + turn % rounds) % 4];
    const Outcome outcome = StartWithFault(process, at, error);
    if (outcome.fault.call < 0) {
      ++process;
      turn = -1;
      continue;
    }
    SCOPED_TRACE("process " + std::to_string(process) + ", fault " + std::to_string(at) +
                 ": call " + std::to_string(outcome.fault.call) + ", " + std::strerror(error));
    if (outcome.error.empty()) {
      ++started;
      EXPECT_EQ(outcome.view, whole.view) << "it has started with less isolation";
      continue;
    }
    ++undone;
    // If a process cannot send its report, the other one sees only the end of the pipe or socket.
    if (outcome.fault.call != SYS_write && outcome.error != kEnded)
      EXPECT_THAT(outcome.error, ::testing::HasSubstr(std::strerror(error)));
    bool named = false;
    for (const auto& [name, kind] : steps) {
      if (outcome.error.find("cannot " + name + ": ") == std::string::npos) continue;
      named = true;
      not_named.erase(name);
      if (kind == DROVER_STEP_CLEAN_MOUNTS) Restart();  // this service does not try it again
    }
    if (!named) {
      ++unnamed;
      EXPECT_THAT(outcome.error,
                  ::testing::AnyOf(::testing::HasSubstr("cannot start the shim"),
                                   ::testing::HasSubstr("the shim cannot prepare the task"),
                                   ::testing::HasSubstr("the run directory has no room"),
                                   ::testing::HasSubstr(kEnded)));
    }
  }
  printf("%d started, %d undone, of those %d outside the steps\n", started, undone, unnamed);
  EXPECT_THAT(not_named, ::testing::IsEmpty()) << "steps in which no fault has ended a start";
}

TEST_F(StartFaultTest, EachCallOfTheAgentFailsWithEachError) {
  const Outcome whole = StartWithFault(0, 0, 0);
  ASSERT_EQ(whole.error, "");
  std::map<long, int> undone;
  for (int turn = 0;; ++turn) {
    const int at = turn / 4 + 1, error = std::array{ENOMEM, EMFILE, ENOSPC, EPERM}[turn % 4];
    const Outcome outcome = StartWithFault(SyscallFaults::kAgent, at, error);
    if (outcome.fault.call < 0) break;
    SCOPED_TRACE("fault " + std::to_string(at) + ": call " + std::to_string(outcome.fault.call) +
                 ", " + std::strerror(error));
    if (outcome.error.empty()) {
      EXPECT_EQ(outcome.view, whole.view) << "it has started with less isolation";
      continue;
    }
    ++undone[outcome.fault.call];
    EXPECT_THAT(outcome.error, ::testing::HasSubstr(std::strerror(error)));
  }
  // Mounts, cgroups and their limits, the shim.
  for (const long call : {SYS_open_tree, SYS_mount_setattr, SYS_openat, SYS_mkdirat, SYS_write,
                          SYS_socketpair, SYS_sendmsg, SYS_clone})
    EXPECT_GT(undone[call], 0) << "call " << call << " has ended no start";
}

TEST_F(StartFaultTest, EachCallFailsOnce) { FailEachCall(1); }

TEST_F(StartFaultTest, EachCallFailsWithEachError) { FailEachCall(4); }

}  // namespace
}  // namespace drover
