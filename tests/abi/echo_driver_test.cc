// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A driver that returns each field that it gets, in the host itself: directly, and through the
// encoding of a container.
#include "host/abi/distinct_task.h"
#include "host/plugin/registry_fixture.h"

namespace drover {
namespace {

class EchoDriverTest : public RegistryFixture, public testing::WithParamInterface<const char*> {
 protected:
  Driver* LoadEcho() {
    Add("echo", ECHO_DRIVER_SO);
    options_.plugins.back().isolation = GetParam();
    EXPECT_EQ(Load()[0].message, "");
    return registry_->Find("echo");
  }
};

INSTANTIATE_TEST_SUITE_P(Containers, EchoDriverTest, testing::Values("in-process", "process"),
                         PlaceName);

StringMap Expected(const TaskConfig& task) {
  return {{"run_id", task.run_id.ToString()},
          {"id", task.id},
          {"alloc_id", task.alloc_id},
          {"alloc_name", task.alloc_name},
          {"job_id", task.job_id},
          {"job_name", task.job_name},
          {"parent_job_id", task.parent_job_id},
          {"job_namespace", task.job_namespace},
          {"group_name", task.group_name},
          {"task_name", task.task_name},
          {"node_id", task.node_id},
          {"node_name", task.node_name},
          {"env", "A=1;B=2;"},
          {"device_env", "C=3;"},
          {"user", task.user},
          {"alloc_dir", task.alloc_dir},
          {"task_dir", task.task_dir},
          {"local_dir", task.local_dir},
          {"secrets_dir", task.secrets_dir},
          {"log_dir", task.log_dir},
          {"driver_config", task.driver_config_json},
          {"logs_disabled", "1"},
          {"log_max_files", "21"},
          {"log_max_file_size", "22"},
          {"cpu_mhz", "23"},
          {"memory_mb", "24"},
          {"memory_max_mb", "25"},
          {"memory_limit", "26"},
          {"cpu_shares", "27"},
          {"ports", "http,28,29,10.0.0.1;db,30,31,10.0.0.2;"},
          {"mounts", "/in,/out,1,rslave;"},
          {"devices", "/dev/in,/dev/out,rw;"},
          {"kill_signal", task.kill_signal},
          {"kill_timeout", "32"},
          {"network_mode", task.network_mode},
          {"network_namespace", task.network_namespace_path},
          {"cpu_cores", task.cpu_cores},
          {"cpu_period", std::to_string(kCpuPeriod.count())},
          {"cpu_quota", "33"},
          {"hostname", task.hostname},
          {"labels", "label=34;"},
          {"dns", "192.0.2.35;example.36;ndots:37;rotate;"}};
}

TEST_P(EchoDriverTest, EveryFieldOfATaskReachesItsDriver) {
  Driver* driver = LoadEcho();
  auto task = std::make_shared<TaskConfig>(*DistinctTask());
  task->driver_config_json = R"({"k":[1,"\u00e4"]})";
  const Result<StartedTask> started = Await(driver->Start(context_, task));
  ASSERT_TRUE(started.ok()) << started.error().message();
  EXPECT_EQ(started->handle.state, std::string("a\0b\xff", 4));
  EXPECT_EQ(started->handle.format_version, 7u);
  const Result<TaskStatus> status = Await(driver->Inspect(context_, task->run_id));
  ASSERT_TRUE(status.ok()) << status.error().message();
  EXPECT_EQ(status->attributes, Expected(*task));
  EXPECT_EQ(status->state, TaskState::kRunning);
  EXPECT_EQ(status->started_at, 11);
  EXPECT_EQ(status->completed_at, 12);
}

TEST_P(EchoDriverTest, RecoverIsGivenTheSameAndTheHandle) {
  Driver* driver = LoadEcho();
  auto task = std::make_shared<TaskConfig>(*DistinctTask());
  task->driver_config_json = "{}";
  TaskHandle handle;
  handle.driver = "echo";
  handle.driver_version = "0.0.9";
  handle.format_version = 3;
  handle.state = std::string("h\0h", 3);
  const Result<RecoveredTask> recovered = Await(driver->Recover(context_, task, handle));
  ASSERT_TRUE(recovered.ok()) << recovered.error().message();
  EXPECT_EQ(recovered->exited, (ExitResult{9, 0, true, "why"}));
  const Result<TaskStatus> status = Await(driver->Inspect(context_, task->run_id));
  ASSERT_TRUE(status.ok()) << status.error().message();
  StringMap expected = Expected(*task);
  // A NUL cuts nothing off. In an attribute, which people read, it becomes another character.
  expected["handle"] = status->attributes.at("handle");
  EXPECT_EQ(status->attributes, expected);
  EXPECT_EQ(expected["handle"].substr(0, 3), "3,h");
  EXPECT_TRUE(expected["handle"].ends_with("h,0.0.9")) << expected["handle"];
}

TEST_P(EchoDriverTest, AnInstanceCanBeOtherThanItsLibrary) {
  Add("mock_driver", MOCK_DRIVER_SO);
  options_.plugins.back().isolation = GetParam();
  options_.plugins.back().config_json = R"({"fs_isolation":"image"})";
  const std::vector<PluginReport> reports = Load();
  EXPECT_EQ(reports[0].message, "");
  EXPECT_EQ(reports[0].info->fs_isolation, FsIsolation::kNone);
  const DriverInfo& info = registry_->Find("mock_driver")->info();
  EXPECT_EQ(info.fs_isolation, FsIsolation::kImage);
  EXPECT_EQ(info.name, "mock_driver");
  EXPECT_TRUE(info.has_stats);
}

// The check reads the manifest, so none of the driver's code runs.
TEST_P(EchoDriverTest, ADriverOfALaterMinorIsRefusedWithOneSentence) {
  Add("later", LATER_SO);
  options_.plugins.back().isolation = GetParam();
  const std::string message = Load()[0].message;
  const std::string sentence = "later.so needs a host of ABI 1.99 or newer, this host has 1." +
                               std::to_string(DROVER_ABI_MINOR) +
                               ": install a newer Drover, or an older plugin";
  EXPECT_TRUE(message.ends_with(sentence)) << message;
}

TEST_P(EchoDriverTest, ResultsComeBackWhole) {
  Driver* driver = LoadEcho();
  const Result<ExitResult> end = Await(driver->Wait(context_, RunId::Random()));
  ASSERT_TRUE(end.ok()) << end.error().message();
  EXPECT_EQ(*end, (ExitResult{1, 2, true, "text"}));
  const RunId run = RunId::Random();
  EXPECT_TRUE(Await(driver->Stop(context_, run, 9ns, "SIGQUIT")).ok());
  EXPECT_EQ(Await(driver->Inspect(context_, run))->attributes.at("stop"), "9,SIGQUIT");
}

}  // namespace
}  // namespace drover
