// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/env_preparer.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

PrepareRequest Request() {
  auto job = std::make_shared<Job>();
  job->id = "web";
  job->name = "web";
  TaskGroup group;
  group.name = "front";
  Network network;
  network.mode = "host";
  group.networks.push_back(network);
  Task task;
  task.name = "server";
  task.driver = "raw_exec";
  task.user = "${meta.user}";
  task.config_json = R"({"args": ["${NOMAD_PORT_http}", "${NOMAD_ALLOC_DIR}"]})";
  task.env["FROM_HOOK"] = "task";
  task.resources.memory_mb = 10;
  task.resources.memory_max_mb = 20;
  group.tasks.push_back(task);
  job->groups.push_back(group);
  auto alloc = std::make_shared<Allocation>();
  alloc->id = "a1";
  alloc->name = "web.front[0]";
  alloc->job = job;
  alloc->group_name = "front";
  AllocatedPort port;
  port.label = "http";
  port.value = 4242;
  port.host_ip = "127.0.0.1";
  alloc->ports.push_back(port);
  PrepareRequest request;
  request.task = std::make_shared<Task>(job->groups[0].tasks[0]);
  request.alloc = alloc;
  request.location.alloc_dir = "/allocs/a1/alloc";
  request.location.log_dir = "/allocs/a1/alloc/logs";
  request.location.network_namespace = "/run/netns/a";
  request.hook_env["FROM_HOOK"] = "hook";
  return request;
}

std::unique_ptr<TaskPreparer> Preparer() {
  static const auto& node = *[] {
    auto* const of = new NodeInfo;
    of->id = "n1";
    of->meta["user"] = "nobody";
    return of;
  }();
  return NewEnvPreparer(&node, StringMap{{"PATH", "/bin"}}, 2000);
}

TEST(EnvPreparerTest, FillsTheConfigurationOfADriver) {
  const auto preparer = Preparer();
  const PrepareRequest request = Request();
  const Result<TaskConfig> config = preparer->Prepare(request);
  ASSERT_TRUE(config.ok()) << config.error().message();
  EXPECT_EQ(config->driver_config_json, R"({"args":["4242","/allocs/a1/alloc"]})");
  EXPECT_EQ(config->user, "nobody");
  EXPECT_EQ(config->env.at("FROM_HOOK"), "hook");
  EXPECT_EQ(config->env.at("PATH"), "/bin");
  EXPECT_EQ(config->env.at("NOMAD_JOB_NAME"), "web");
  EXPECT_EQ(config->job_name, "web");
  EXPECT_EQ(config->memory_limit_bytes, 20 << 20);
  EXPECT_EQ(config->ports.at(0).value, 4242);
  EXPECT_EQ(config->network_mode, "host");
  EXPECT_EQ(config->network_namespace_path, "/run/netns/a");
  EXPECT_EQ(config->cpu_cores, "");
  EXPECT_EQ(config->cpu_shares, 100);
  EXPECT_EQ(config->cpu_quota, 5ms) << "of each 100 ms, on a core of 2000 MHz";
  EXPECT_EQ(config->log_dir, "/allocs/a1/alloc/logs");
  EXPECT_FALSE(config->log_config.disabled);
}

TEST(EnvPreparerTest, TheNameOfTheNetworkIsThatOfTheAllocation) {
  const auto preparer = Preparer();
  PrepareRequest request = Request();
  EXPECT_EQ(preparer->Prepare(request)->hostname, "");
  auto job = std::make_shared<Job>(*request.alloc->job);
  job->groups[0].networks[0].mode = "bridge";
  job->groups[0].networks[0].hostname = "${NOMAD_GROUP_NAME}-${NOMAD_ALLOC_INDEX}";
  job->groups[0].networks[0].dns = {{"192.0.2.1"}, {"${NOMAD_GROUP_NAME}.example"}, {"rotate"}};
  auto alloc = std::make_shared<Allocation>(*request.alloc);
  alloc->job = std::move(job);
  request.alloc = std::move(alloc);
  EXPECT_EQ(preparer->Prepare(request)->hostname, "front-0");
  const DnsConfig dns{{"192.0.2.1"}, {"front.example"}, {"rotate"}};
  EXPECT_EQ(preparer->Prepare(request)->dns, dns);
}

TEST(EnvPreparerTest, ATaskWithoutDnsOfItsJobHasThatOfItsNetwork) {
  const auto preparer = Preparer();
  PrepareRequest request = Request();
  EXPECT_TRUE(preparer->Prepare(request)->dns.empty());
  auto alloc = std::make_shared<Allocation>(*request.alloc);
  alloc->network = AllocationNetwork{"eth0", "10.0.0.2", "", {{"192.0.2.7"}, {}, {}}};
  request.alloc = std::move(alloc);
  EXPECT_EQ(preparer->Prepare(request)->dns, (DnsConfig{{"192.0.2.7"}, {}, {}}));
}

TEST(EnvPreparerTest, TextsGetTheValuesThatTheTaskSees) {
  const auto preparer = Preparer();
  PrepareRequest request = Request();
  request.location.local_dir = "/allocs/a1/server/local";
  const std::vector<std::string> texts = {"${NOMAD_TASK_DIR}/check", "${NOMAD_ALLOC_DIR}",
                                          "${FROM_HOOK} ${meta.user}", "${UNKNOWN} $HOME"};
  const auto on_host = preparer->Interpolate(request, texts);
  ASSERT_TRUE(on_host.ok()) << on_host.error().message();
  EXPECT_EQ(*on_host, (std::vector<std::string>{"/allocs/a1/server/local/check", "/allocs/a1/alloc",
                                                "hook nobody", "${UNKNOWN} $HOME"}));
  request.driver.fs_isolation = FsIsolation::kChroot;
  const auto in_root = preparer->Interpolate(request, texts);
  ASSERT_TRUE(in_root.ok()) << in_root.error().message();
  EXPECT_EQ(*in_root, (std::vector<std::string>{"/local/check", "/alloc", "hook nobody",
                                                "${UNKNOWN} $HOME"}));
}

TEST(EnvPreparerTest, TextsThatBecomeTooLargeAreAnError) {
  PrepareRequest request = Request();
  request.hook_env["LONG"] = std::string(1 << 20, 'x');
  const auto texts = Preparer()->Interpolate(request, std::vector<std::string>(5, "${LONG}"));
  ASSERT_FALSE(texts.ok());
  EXPECT_EQ(texts.error().message(),
            "the texts become larger than 4194304 bytes when their ${...} are replaced");
}

TEST(EnvPreparerTest, MemoryThatNoMachineHasIsNoSmallLimit) {
  PrepareRequest request = Request();
  auto task = std::make_shared<Task>(*request.task);
  task->resources.memory_mb = std::int64_t{1} << 44;  // bytes that are 0 in 64 bits
  request.task = task;
  const Result<TaskConfig> config = Preparer()->Prepare(request);
  ASSERT_TRUE(config.ok()) << config.error().message();
  EXPECT_EQ(config->memory_limit_bytes, std::int64_t{1} << 50);
}

TEST(EnvPreparerTest, ReservedCoresStandForTheirShares) {
  PrepareRequest request = Request();
  auto task = std::make_shared<Task>(*request.task);
  task->name = "web";
  task->resources.cpu_mhz = 0;
  task->resources.cores = 3;
  request.task = task;
  auto alloc = std::make_shared<Allocation>(*request.alloc);
  alloc->cores = {{"web", {2, 3, 7}}, {"other", {1}}};
  request.alloc = alloc;
  const Result<TaskConfig> config = Preparer()->Prepare(request);
  ASSERT_TRUE(config.ok()) << config.error().message();
  EXPECT_EQ(config->cpu_cores, "2-3,7");
  EXPECT_EQ(config->env.at("NOMAD_CPU_CORES"), "2-3,7");
  EXPECT_EQ(config->cpu_shares, 3072);
  EXPECT_EQ(config->cpu_quota, 0ns) << "the cores are the limit";
}

TEST(EnvPreparerTest, TheNextTaskSeesWhatTheNodeHasBecome) {
  NodeInfo node;
  const auto preparer = NewEnvPreparer(&node, {}, 2000);
  PrepareRequest request = Request();
  auto task = std::make_shared<Task>(*request.task);
  task->env["RACK"] = "${meta.rack}";
  request.task = task;
  for (const char* rack : {"7", "8"}) {
    node.meta["rack"] = rack;
    EXPECT_EQ(preparer->Prepare(request)->env.at("RACK"), rack);
  }
}

TEST(EnvPreparerTest, TheDriverReceivesWhatHooksHaveGiven) {
  PrepareRequest request = Request();
  request.mounts = {{"/data", "/srv/volume", true, "host-to-task"}};
  request.devices = {{"/dev/card", "/dev/dri/card0", "rw"}};
  request.hook_env["CARD"] = request.device_env["CARD"] = "card0";
  const Result<TaskConfig> config = Preparer()->Prepare(request);
  ASSERT_TRUE(config.ok()) << config.error().message();
  EXPECT_EQ(config->mounts, request.mounts);
  EXPECT_EQ(config->devices, request.devices);
  EXPECT_EQ(config->device_env, request.device_env);
  EXPECT_EQ(config->env.at("CARD"), "card0");
}

TEST(EnvPreparerTest, TheUserThatAHookChoseIsThatOfTheTask) {
  PrepareRequest request = Request();
  request.user = "${FROM_HOOK}";  // checked as it is, so nothing is replaced in it
  const Result<TaskConfig> config = Preparer()->Prepare(request);
  ASSERT_TRUE(config.ok()) << config.error().message();
  EXPECT_EQ(config->user, "${FROM_HOOK}");
}

TEST(EnvPreparerTest, ADriverMayDoWithoutLogs) {
  PrepareRequest request = Request();
  request.driver.disables_log_collection = true;
  EXPECT_TRUE(Preparer()->Prepare(request)->log_config.disabled);
}

TEST(EnvPreparerTest, UnknownVariableInTheDriversPartIsAnError) {
  PrepareRequest request = Request();
  Task task = *request.task;
  task.config_json = R"({"command": "${attr.nonsense}"})";
  request.task = std::make_shared<Task>(task);
  const Result<TaskConfig> config = Preparer()->Prepare(request);
  ASSERT_FALSE(config.ok());
  EXPECT_NE(config.error().message().find("attr.nonsense"), std::string::npos)
      << config.error().message();
}

}  // namespace
}  // namespace drover
