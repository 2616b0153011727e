// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The example driver runs its task without isolation. With three more lines it has the isolation of
// the driver exec.
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/plugin/registry_fixture.h"
#include "host/process/isolation_for_test.h"
#include "host/process/process_service.h"
#include "host/process/small_file.h"

namespace drover {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class IsolatedExampleTest : public RegistryFixture,
                            public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    if (const char* reason = ReasonNotToIsolate()) GTEST_SKIP() << reason;
    for (const char* path : {"alloc", "alloc/logs", "task", "task/local", "task/secrets"}) {
      std::filesystem::create_directories(directory_.path() + "/" + path);
      std::filesystem::permissions(directory_.path() + "/" + path, std::filesystem::perms::all);
    }
    ProcessServiceOptions options;
    options.run_dir = directory_.path() + "/run";
    options.cgroup_root = "none";
    Result<std::unique_ptr<ProcessService>> service = NewProcessService(&loop_, options);
    ASSERT_TRUE(service.ok()) << service.error().message();
    service_ = std::move(*service);
    processes_ = service_.get();
  }
  void TearDown() override {
    if (registry_) Await(registry_->Shutdown());
    registry_.reset();
    service_.reset();
  }

  // Returns the kernel's view of a task of the driver in FILE: its namespaces, rights, root and
  // directory.
  std::string Look(const std::string& file) {
    Add("hello", file);
    options_.plugins.back().isolation = GetParam();
    EXPECT_EQ(Load()[0].message, "");
    Driver* const driver = registry_->Find("hello");
    auto config = std::make_shared<TaskConfig>();
    config->run_id = RunId::Random();
    config->task_name = "web";
    config->id = "id/web/" + config->run_id.ToString();
    config->alloc_dir = directory_.path() + "/alloc";
    config->log_dir = directory_.path() + "/alloc/logs";
    config->task_dir = directory_.path() + "/task";
    config->env = {{"PATH", "/usr/bin:/bin"}};
    config->driver_config_json = R"({"name": "you", "times": 1, "pause": 1000})";
    const Result<StartedTask> started = Await(driver->Start(context_, config));
    EXPECT_TRUE(started.ok()) << started.error().message();
    if (!started.ok()) return "";
    const std::string log = config->log_dir + "/web.stdout.0";
    EXPECT_TRUE(Until([&log] { return ReadSmallFile(AT_FDCWD, log.c_str()).value_or("") != ""; }));
    EXPECT_EQ(ReadSmallFile(AT_FDCWD, log.c_str()), "Hello, you\n");
    const pid_t pid = FindTask(config->run_id);
    EXPECT_GT(pid, 0);
    const std::string proc = "/proc/" + std::to_string(pid);
    std::string seen = ReadSmallFile(AT_FDCWD, (proc + "/status").c_str()).value_or("");
    for (const char* name : {"mnt", "pid", "ipc", "uts"}) {
      std::error_code error;
      const auto own = std::filesystem::read_symlink(std::string("/proc/self/ns/") + name, error);
      const auto task = std::filesystem::read_symlink(proc + "/ns/" + name, error);
      seen += std::string(own == task ? "shares " : "has its own ") + name + "\n";
    }
    const bool reaches = access((proc + "/root" + directory_.path()).c_str(), F_OK) == 0;
    seen += reaches ? "reaches the host\n" : "does not reach the host\n";
    EXPECT_TRUE(Await(driver->Destroy(context_, config->run_id, true)).ok());
    return seen;
  }

  // Returns the process that the shim of the run has started by the driver's plan.
  static pid_t FindTask(const RunId& run) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const pid_t pid = static_cast<pid_t>(std::atol(entry.path().filename().c_str()));
      if (pid <= 0) continue;
      std::ifstream file(entry.path() / "status");
      std::string name, word;
      pid_t parent = 0;
      for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        words >> word;
        if (word == "Name:") words >> name;
        if (word == "PPid:") words >> parent;
      }
      const std::string shim = "/proc/" + std::to_string(parent) + "/cmdline";
      if (name == "sh" && ReadSmallFile(AT_FDCWD, shim.c_str()).value_or("").find(run.ToString()) !=
                              std::string::npos)
        return pid;
    }
    return 0;
  }

  TestDirectory directory_;
  std::unique_ptr<ProcessService> service_;
};

INSTANTIATE_TEST_SUITE_P(Places, IsolatedExampleTest, testing::Values("in-process", "process"),
                         PlaceName);

TEST_P(IsolatedExampleTest, ThreeLinesIsolateItsTask) {
  EXPECT_THAT(
      Look(ISOLATED_HELLO_SO),
      AllOf(HasSubstr("Uid:\t65534\t65534"), HasSubstr("CapEff:\t0000000000000000"),
            HasSubstr("NoNewPrivs:\t1"), HasSubstr("Seccomp:\t2"),
            HasSubstr("has its own mnt\nhas its own pid\nhas its own ipc\nhas its own uts\n"),
            HasSubstr("does not reach the host")));
}

TEST_P(IsolatedExampleTest, WithoutThemItIsNot) {
  EXPECT_THAT(Look(HELLO_SO),
              AllOf(HasSubstr("Uid:\t0\t0"), Not(HasSubstr("CapEff:\t0000000000000000")),
                    HasSubstr("shares mnt\nshares pid\nshares ipc\nshares uts\n"),
                    HasSubstr("reaches the host"), Not(HasSubstr("does not reach"))));
}

}  // namespace
}  // namespace drover
