// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The size rules of the interface, in both directions, and the way of every field through it.
#include <gtest/gtest.h>
#include <string.h>
#include <time.h>

#include "fake_host.h"

namespace drover_test {
namespace {

drover_str Str(const char* text) { return drover_str{text, strlen(text)}; }

// A struct of a later version, with members behind the known ones.
template <typename T>
struct Larger {
  T known;
  std::uint64_t later[4] = {~0ull, ~0ull, ~0ull, ~0ull};
};

// Every field with a value of its own.
struct FullTask {
  drover_task_config raw = {};
  drover_pair env[2] = {{Str("A"), Str("1")}, {Str("B"), Str("2")}};
  drover_pair device_env[1] = {{Str("D"), Str("3")}};
  Larger<drover_port> ports[2] = {};
  Larger<drover_mount> mounts[1] = {};
  Larger<drover_device> devices[1] = {};
  drover_pair labels[1] = {{Str("L"), Str("4")}};
  drover_str servers[2] = {Str("192.0.2.1"), Str("192.0.2.2")};
  drover_str searches[1] = {Str("example")};
  drover_str options[1] = {Str("rotate")};

  FullTask() {
    raw.struct_size = sizeof raw;
    raw.logs_disabled = 1;
    for (int i = 0; i < 16; ++i) raw.run_id.bytes[i] = static_cast<std::uint8_t>(i * 17);
    raw.id = Str("id");
    raw.alloc_id = Str("alloc_id");
    raw.alloc_name = Str("alloc_name");
    raw.job_id = Str("job_id");
    raw.job_name = Str("job_name");
    raw.parent_job_id = Str("parent_job_id");
    raw.job_namespace = Str("job_namespace");
    raw.group_name = Str("group_name");
    raw.task_name = Str("task_name");
    raw.node_id = Str("node_id");
    raw.node_name = Str("node_name");
    raw.env = {env, 2, sizeof(drover_pair)};
    raw.device_env = {device_env, 1, sizeof(drover_pair)};
    raw.user = Str("user");
    raw.alloc_dir = Str("alloc_dir");
    raw.task_dir = Str("task_dir");
    raw.local_dir = Str("local_dir");
    raw.secrets_dir = Str("secrets_dir");
    raw.log_dir = Str("log_dir");
    raw.driver_config = Str("{\"k\":1}");
    raw.log_max_files = 101;
    raw.log_max_file_size = 102;
    raw.cpu_mhz = 103;
    raw.cpu_shares = 104;
    raw.memory_mb = 105;
    raw.memory_max_mb = 106;
    raw.memory_limit = 107;
    for (int i = 0; i < 2; ++i) {
      ports[i].known = {sizeof ports[i], 8000 + i, 80 + i, 0, Str(i == 0 ? "web" : "db"),
                        Str("10.0.0.1")};
    }
    mounts[0].known = {sizeof mounts[0], 1, Str("/in"), Str("/out"), Str("private")};
    devices[0].known = {sizeof devices[0], 0, Str("/dev/in"), Str("/dev/out"), Str("rw")};
    raw.ports = {ports, 2, sizeof ports[0]};
    raw.mounts = {mounts, 1, sizeof mounts[0]};
    raw.devices = {devices, 1, sizeof devices[0]};
    raw.kill_signal = Str("SIGQUIT");
    raw.kill_timeout = 108;
    raw.network_mode = Str("host");
    raw.network_namespace = Str("/run/netns/x");
    raw.cpu_cores = Str("0,5-7");
    raw.cpu_period = 109;
    raw.cpu_quota = 110;
    raw.hostname = Str("web-1");
    raw.labels = {labels, 1, sizeof labels[0]};
    raw.dns_servers = {servers, 2, sizeof servers[0]};
    raw.dns_searches = {searches, 1, sizeof searches[0]};
    raw.dns_options = {options, 1, sizeof options[0]};
  }
};

Map Expected() {
  return {{"run_id", "00112233445566778899aabbccddeeff"},
          {"id", "id"},
          {"alloc_id", "alloc_id"},
          {"alloc_name", "alloc_name"},
          {"job_id", "job_id"},
          {"job_name", "job_name"},
          {"parent_job_id", "parent_job_id"},
          {"job_namespace", "job_namespace"},
          {"group_name", "group_name"},
          {"task_name", "task_name"},
          {"node_id", "node_id"},
          {"node_name", "node_name"},
          {"env", "A=1;B=2;"},
          {"device_env", "D=3;"},
          {"user", "user"},
          {"alloc_dir", "alloc_dir"},
          {"task_dir", "task_dir"},
          {"local_dir", "local_dir"},
          {"secrets_dir", "secrets_dir"},
          {"log_dir", "log_dir"},
          {"driver_config", "{\"k\":1}"},
          {"logs_disabled", "1"},
          {"log_max_files", "101"},
          {"log_max_file_size", "102"},
          {"cpu_mhz", "103"},
          {"cpu_shares", "104"},
          {"memory_mb", "105"},
          {"memory_max_mb", "106"},
          {"memory_limit", "107"},
          {"ports", "web,8000,80,10.0.0.1;db,8001,81,10.0.0.1;"},
          {"mounts", "/in,/out,1,private;"},
          {"devices", "/dev/in,/dev/out,rw;"},
          {"kill_signal", "SIGQUIT"},
          {"kill_timeout", "108"},
          {"network_mode", "host"},
          {"network_namespace", "/run/netns/x"},
          {"cpu_cores", "0,5-7"},
          {"cpu_period", "109"},
          {"cpu_quota", "110"},
          {"hostname", "web-1"},
          {"labels", "L=4;"},
          {"dns", "192.0.2.1;192.0.2.2;example;rotate;"}};
}

class SizesTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(host_.Load(ECHO_DRIVER_SO), nullptr) << host_.log();
    ASSERT_TRUE(host_.Create("{}").ok());
  }
  // Calls start directly, since the test sets the sizes.
  int Start(const drover_task_config* config, std::uint32_t args_size = sizeof(drover_start_args),
            drover_error* error = nullptr) {
    Larger<drover_start_args> args = {};
    args.known.struct_size = args_size;
    args.known.config = config;
    return host_.driver()->start(host_.instance(), host_.NewCall(config->run_id), &args.known,
                                 error);
  }
  Map Attributes() { return host_.Finish(host_.Inspect(RunOf(1))).attributes; }

  FakeHost host_;
};

TEST_F(SizesTest, EveryFieldArrives) {
  FullTask task;
  ASSERT_EQ(Start(&task.raw), DROVER_OK);
  Result started = host_.Finish(host_.last_call());
  EXPECT_EQ(started.handle, std::string("a\0b\xff", 4)) << "handles are bytes";
  EXPECT_EQ(started.handle_version, 7u);
  EXPECT_EQ(Attributes(), Expected());
}

TEST_F(SizesTest, LargerStructsOfALaterHostAreTakenAsFarAsTheyAreKnown) {
  FullTask task;
  Larger<drover_task_config> later;
  later.known = task.raw;
  later.known.struct_size = sizeof later;
  ASSERT_EQ(Start(&later.known, sizeof(Larger<drover_start_args>)), DROVER_OK);
  host_.Finish(host_.last_call());
  EXPECT_EQ(Attributes(), Expected());
}

TEST_F(SizesTest, SmallerStructsOfAnEarlierHostLeaveTheRestZero) {
  FullTask task;
  // The driver must not read the bytes behind the size, although they are set here.
  task.raw.struct_size = offsetof(drover_task_config, kill_signal);
  ASSERT_EQ(Start(&task.raw), DROVER_OK);
  host_.Finish(host_.last_call());
  Map expected = Expected();
  for (const char* text :
       {"kill_signal", "network_mode", "network_namespace", "cpu_cores", "hostname", "labels"})
    expected[text] = "";
  expected.erase("dns");
  for (const char* time : {"kill_timeout", "cpu_period", "cpu_quota"}) expected[time] = "0";
  EXPECT_EQ(Attributes(), expected);
}

TEST_F(SizesTest, ArgumentsOfOtherVersionsAreTakenAsFarAsTheyGo) {
  Larger<drover_stop_args> args = {};
  args.known.timeout = 7;
  args.known.signal = Str("SIGQUIT");
  const auto stop = [&](std::size_t size) {
    args.known.struct_size = static_cast<std::uint32_t>(size);
    const drover_call* call = host_.NewCall(RunOf(1), "stop");
    EXPECT_EQ(host_.driver()->stop(host_.instance(), call, &args.known, nullptr), DROVER_OK);
    EXPECT_TRUE(host_.Finish(host_.last_call()).ok());
    return Attributes()["stop"];
  };
  EXPECT_EQ(stop(sizeof args), "7,SIGQUIT");
  EXPECT_EQ(stop(sizeof(drover_stop_args)), "7,SIGQUIT");
  EXPECT_EQ(stop(offsetof(drover_stop_args, signal)), "7,");
  EXPECT_EQ(stop(offsetof(drover_stop_args, timeout)), "0,");
}

TEST_F(SizesTest, StructsWithoutASizeAreRefused) {
  FullTask task;
  task.raw.struct_size = 0;
  drover_error error = {};
  error.struct_size = sizeof error;
  EXPECT_EQ(Start(&task.raw, sizeof(drover_start_args), &error), DROVER_E_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(error.message, error.message_size),
            "the task configuration has no struct_size");
}

TEST_F(SizesTest, ListsThatCannotBeWalkedAreRefused) {
  FullTask task;
  task.raw.env.element_size = 8;
  EXPECT_EQ(Start(&task.raw), DROVER_E_INVALID_ARGUMENT);
  FullTask second;
  second.raw.ports.data = nullptr;
  EXPECT_EQ(Start(&second.raw), DROVER_E_INVALID_ARGUMENT);
}

TEST_F(SizesTest, AnErrorOfAnEarlierHostIsFilledAsFarAsItGoes) {
  FullTask task;
  task.raw.env.element_size = 8;
  drover_error error;
  memset(&error, 0x55, sizeof error);
  error.struct_size = offsetof(drover_error, flags);
  EXPECT_EQ(Start(&task.raw, sizeof(drover_start_args), &error), DROVER_E_INVALID_ARGUMENT);
  EXPECT_EQ(error.code, DROVER_E_INVALID_ARGUMENT);
  EXPECT_EQ(error.flags, 0x55555555u);
  EXPECT_EQ(error.message[0], 0x55);
}

TEST_F(SizesTest, ResultsArrive) {
  Result waited = host_.Finish(host_.Wait(RunOf(1)));
  EXPECT_EQ(waited.exit->exit_code, 1);
  EXPECT_EQ(waited.exit->signal, 2);
  EXPECT_TRUE(waited.exit->oom_killed);
  EXPECT_EQ(waited.exit->error, "text");
  Task task;
  task.run = RunOf(1);
  std::string handle("h\0h", 3);
  Result recovered = host_.Finish(host_.Recover(task, &handle));
  EXPECT_EQ(recovered.state, DROVER_TASK_EXITED);
  EXPECT_EQ(recovered.exit->error, "why");
  Result status = host_.Finish(host_.Inspect(RunOf(1)));
  EXPECT_EQ(status.attributes["handle"], "1," + handle + ",");
  EXPECT_EQ(status.started_at, 11);
  EXPECT_EQ(status.completed_at, 12);
  EXPECT_EQ(status.state, DROVER_TASK_RUNNING);
}

TEST(HostTest, AHostThatIsTooSmallIsRefused) {
  FakeHost host;
  const drover_driver* driver = host.Load(ECHO_DRIVER_SO);
  host.raw()->struct_size = offsetof(drover_host, stream_end);
  Result result = host.Create(driver, "{}");
  EXPECT_EQ(result.error->code, DROVER_E_INVALID_ARGUMENT);
}

TEST(HostTest, AHostWithoutServicesIsEnoughForADriverThatNeedsNone) {
  FakeHost host;
  host.WithoutServices();
  host.Load(ECHO_DRIVER_SO);
  ASSERT_TRUE(host.Create("{}").ok());
  EXPECT_TRUE(host.Shutdown().ok());
}

TEST(HostTest, EqualInlineVariablesOfTwoDriversStayApart) {
  FakeHost first, second;
  Task task;
  task.run = RunOf(1);
  ASSERT_NE(first.Load(SINGLETON_ONE_SO), nullptr);
  ASSERT_NE(second.Load(SINGLETON_TWO_SO), nullptr);
  ASSERT_TRUE(first.Create("{}").ok() && second.Create("{}").ok());
  EXPECT_EQ(first.Finish(first.Start(task)).handle, "2");
  EXPECT_EQ(first.Finish(first.Start(task)).handle, "4");
  EXPECT_EQ(second.Finish(second.Start(task)).handle, "2");
}

TEST(HostTest, TwoInstancesOfOneFile) {
  FakeHost first, second;
  first.Load(ECHO_DRIVER_SO);
  second.Load(ECHO_DRIVER_SO);
  ASSERT_TRUE(first.Create("{}").ok() && second.Create("{}").ok());
  EXPECT_NE(first.instance(), second.instance());
  EXPECT_TRUE(first.Shutdown().ok());
  EXPECT_TRUE(second.Finish(second.Inspect(RunOf(1))).ok()) << "the other one lives on";
}

}  // namespace
}  // namespace drover_test
