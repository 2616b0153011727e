// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/job_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace drover {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kSmall[] = R"({"ID": "web", "TaskGroups": [
    {"Name": "g", "Tasks": [{"Name": "t", "Driver": "raw_exec"}]}]})";

// All fields that are carried out, each with a value of its own.
constexpr char kFull[] = R"({"Job": {
  "ID": "full/job", "Name": "Full", "ParentID": "parent", "Region": "eu", "Namespace": "team-a",
  "Type": "batch", "Priority": 70, "Datacenters": ["dc1", "dc*"],
  "NodePool": "gpu", "Meta": {"j": "1"},
  "TaskGroups": [{
    "Name": "g", "Count": 3, "ShutdownDelay": 1000000000, "MaxRunDuration": "1h",
    "RestartPolicy": {"Attempts": 4, "Interval": "10m", "Delay": 2000000000, "Mode": "delay"},
    "EphemeralDisk": {"SizeMB": 400, "Sticky": true, "Migrate": true},
    "Networks": [{"Mode": "host", "MBits": 10, "ReservedPorts": [{"Label": "http", "Value": 8080}],
                  "DynamicPorts": [{"Label": "admin", "To": 9000, "HostNetwork": "default"},
                                   {"Label": "same", "To": -1}]}],
    "Meta": {"g": "2"},
    "Services": [{"Name": "${BASE}-api", "Provider": "nomad", "PortLabel": "http", "Tags": ["a"],
      "Meta": {"s": "4"}, "CheckRestart": {"Limit": 3, "Grace": "10s"},
      "Checks": [{"Type": "http", "Path": "/up", "Interval": "10s", "Timeout": "2s",
                  "Header": {"Accept": ["a"]}},
                 {"Type": "tcp", "PortLabel": "admin", "Interval": "1m", "Timeout": "1s",
                  "CheckRestart": {"Limit": 7}}]}],
    "Tasks": [
      {"Name": "main", "Driver": "exec", "User": "nobody",
       "Config": {"command": "/bin/sleep", "args": ["1", 2.5, true, null]},
       "Env": {"A": "x"}, "Meta": {"t": "3"}, "Leader": true,
       "Actions": [{"Name": "top-1", "Command": "/bin/ps", "Args": ["-e", "\n"]},
                   {"Name": "b", "Command": "true", "Args": null}],
       "RestartPolicy": {"Attempts": 1},
       "Resources": {"CPU": 250, "MemoryMB": 64, "MemoryMaxMB": 128, "DiskMB": 0, "Cores": 0},
       "LogConfig": {"MaxFiles": 3, "MaxFileSizeMB": 5, "Disabled": false, "Enabled": null},
       "Services": [{"Address": "10.0.0.1", "Checks": [{"Type": "script", "Command": "/bin/true",
                     "Interval": "5s", "Timeout": "5s", "OnUpdate": "ignore"}]}],
       "KillTimeout": "20s", "KillSignal": "SIGQUIT", "ShutdownDelay": "1.5s"},
      {"Name": "init", "Driver": "exec", "Lifecycle": {"Hook": "prestart", "Sidecar": true},
       "LogConfig": {"Enabled": false}}]}]}})";

Job MustParse(const std::string& text) {
  const auto job = ParseJob(text);
  EXPECT_TRUE(job.ok()) << (job.ok() ? "" : job.error().message());
  return job.ok() ? *job : Job{};
}

std::string Fault(const std::string& text) {
  const auto job = ParseJob(text);
  return job.ok() ? "" : job.error().message();
}

TEST(JobJsonTest, DefaultsAreFilledIn) {
  const Job job = MustParse(kSmall);
  Job expected;
  expected.id = expected.name = "web";
  expected.groups.resize(1);
  expected.groups[0].name = "g";
  expected.groups[0].tasks.resize(1);
  expected.groups[0].tasks[0].name = "t";
  expected.groups[0].tasks[0].driver = "raw_exec";
  EXPECT_EQ(job, expected);
  EXPECT_EQ(job.region, "global");
  EXPECT_EQ(job.job_namespace, "default");
  EXPECT_EQ(job.priority, 50);
  EXPECT_EQ(job.groups[0].count, 1);
  EXPECT_EQ(job.groups[0].restart_policy, DefaultRestartPolicy(JobType::kService));
  EXPECT_EQ(job.groups[0].ephemeral_disk_mb, 300);
  const Task& task = job.groups[0].tasks[0];
  EXPECT_EQ(task.resources.cpu_mhz, 100);
  EXPECT_EQ(task.resources.memory_mb, 300);
  EXPECT_EQ(task.log_config.max_files, 10);
  EXPECT_EQ(task.log_config.max_file_size_bytes, 10 << 20);
  EXPECT_EQ(task.kill_timeout, 5s);
}

TEST(JobJsonTest, ReadsEveryFieldThatIsCarriedOut) {
  const Job job = MustParse(kFull);
  EXPECT_EQ(job.id, "full/job");
  EXPECT_EQ(job.name, "Full");
  EXPECT_EQ(job.parent_id, "parent");
  EXPECT_EQ(job.region, "eu");
  EXPECT_EQ(job.job_namespace, "team-a");
  EXPECT_EQ(job.type, JobType::kBatch);
  EXPECT_EQ(job.priority, 70);
  EXPECT_EQ(job.datacenters, (std::vector<std::string>{"dc1", "dc*"}));
  EXPECT_EQ(job.node_pool, "gpu");
  EXPECT_EQ(job.meta, (StringMap{{"j", "1"}}));
  ASSERT_EQ(job.groups.size(), 1u);
  const TaskGroup& group = job.groups[0];
  EXPECT_EQ(group.count, 3);
  EXPECT_EQ(group.shutdown_delay, 1s);
  EXPECT_EQ(group.max_run_duration, std::optional<Duration>(1h));
  EXPECT_EQ(group.restart_policy, (RestartPolicy{4, 10min, 2s, RestartPolicy::Mode::kDelay}));
  EXPECT_EQ(group.ephemeral_disk_mb, 400);
  EXPECT_TRUE(group.disk_sticky);
  EXPECT_TRUE(group.disk_migrate);
  EXPECT_EQ(group.meta, (StringMap{{"g", "2"}}));
  ASSERT_EQ(group.networks.size(), 1u);
  EXPECT_EQ(group.networks[0].reserved_ports, (std::vector<Port>{{"http", 8080, 0, ""}}));
  EXPECT_EQ(group.networks[0].dynamic_ports,
            (std::vector<Port>{{"admin", 0, 9000, ""}, {"same", 0, -1, ""}}));
  ASSERT_EQ(group.services.size(), 1u);
  EXPECT_EQ(group.services[0].name, "Full-g-group-api");
  EXPECT_EQ(group.services[0].checks.size(), 2u);
  ASSERT_EQ(group.tasks.size(), 2u);
  const Task& task = group.tasks[0];
  ASSERT_EQ(task.services.size(), 1u);
  EXPECT_EQ(task.services[0].name, "Full-g-main");
  EXPECT_EQ(task.driver, "exec");
  EXPECT_EQ(task.user, "nobody");
  EXPECT_EQ(json::parse(task.config_json),
            json::parse(R"({"command": "/bin/sleep", "args": ["1", 2.5, true, null]})"));
  EXPECT_EQ(task.env, (StringMap{{"A", "x"}}));
  EXPECT_EQ(task.meta, (StringMap{{"t", "3"}}));
  EXPECT_TRUE(task.leader);
  EXPECT_EQ(task.actions,
            (std::vector<TaskAction>{{"top-1", "/bin/ps", {"-e", "\n"}}, {"b", "true", {}}}));
  EXPECT_EQ(task.restart_policy,  // the group supplies missing fields
            (RestartPolicy{1, 10min, 2s, RestartPolicy::Mode::kDelay}));
  EXPECT_EQ(task.resources, (Resources{250, 64, 128}));
  EXPECT_EQ(task.log_config, (LogConfig{3, 5 << 20, false}));
  EXPECT_EQ(task.kill_timeout, 20s);
  EXPECT_EQ(task.kill_signal, "SIGQUIT");
  EXPECT_EQ(task.shutdown_delay, 1500ms);
  EXPECT_EQ(group.tasks[1].lifecycle, (Lifecycle{Lifecycle::Hook::kPrestart, true}));
  EXPECT_TRUE(group.tasks[1].log_config.disabled);
  EXPECT_FALSE(group.tasks[1].restart_policy);
}

TEST(JobJsonTest, WhatIsWrittenIsReadBack) {
  for (const char* text : {kSmall, kFull}) {
    const Job job = MustParse(text);
    EXPECT_EQ(MustParse(JobToJson(job)), job);
  }
}

TEST(JobJsonTest, PortsInTheOlderPlaceBelongToTheTaskAndGiveAWarning) {
  json job = json::parse(kSmall);
  job["TaskGroups"][0]["Tasks"][0]["Resources"] = json::parse(R"({"Networks": [{"MBits": 10,
    "ReservedPorts": [{"Label": "http", "Value": 8080}], "DynamicPorts": [{"Label": "admin"}]}]})");
  std::vector<JobFault> faults, warnings;
  const auto read = ParseJob(job.dump(), &faults, nullptr, &warnings);
  ASSERT_TRUE(read.ok());
  const Task& task = read->groups[0].tasks[0];
  ASSERT_EQ(task.networks.size(), 1u);
  EXPECT_EQ(task.networks[0].mode, "host");
  EXPECT_EQ(task.networks[0].reserved_ports, (std::vector<Port>{{"http", 8080, 0, ""}}));
  EXPECT_EQ(task.networks[0].dynamic_ports, (std::vector<Port>{{"admin", 0, 0, ""}}));
  EXPECT_TRUE(read->groups[0].networks.empty());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].pointer, "/TaskGroups/0/Tasks/0/Resources/Networks");
  EXPECT_EQ(warnings[0].message,
            "is an older place for ports, which only this task has; write them into the network of "
            "the group");
  EXPECT_EQ(MustParse(JobToJson(*read)), *read);
}

TEST(JobJsonTest, PortsStandInOnePlaceOnly) {
  json job = json::parse(kSmall);
  json& group = job["TaskGroups"][0];
  group["Networks"] = json::array({json::object()});
  const json port =
      json::parse(R"({"Networks": [{"ReservedPorts": [{"Label": "p", "Value": 7}]}]})");
  group["Tasks"][0]["Resources"] = port;
  EXPECT_EQ(Fault(job.dump()),
            "/TaskGroups/0/Tasks/0/Resources/Networks: the group has a network; write the ports "
            "there");
  group["Networks"] = nullptr;
  group["Tasks"].push_back(group["Tasks"][0]);
  group["Tasks"][1]["Name"] = "u";
  EXPECT_EQ(Fault(job.dump()),
            "/TaskGroups/0/Tasks/1/Resources/Networks/0/ReservedPorts/0/Value: the port 7 is "
            "reserved twice");
}

TEST(JobJsonTest, ANetworkOfItsOwnHasANameLookUpsAndArguments) {
  json job = json::parse(kSmall);
  job["TaskGroups"][0]["Networks"] = json::parse(R"([{
    "Mode": "cni/mesh", "Hostname": "web-${NOMAD_ALLOC_INDEX}",
    "DNS": {"Servers": ["9.9.9.9", "${meta.dns}", "2620:fe::fe"], "Searches": ["svc.example"],
            "Options": ["ndots:2"]},
    "CNI": {"Args": {"POLICY": "a,b"}},
    "DynamicPorts": [{"Label": "http", "To": 80, "HostNetwork": "public"},
                     {"Label": "admin", "HostNetwork": "default"}]}])");
  const Job read = MustParse(job.dump());
  ASSERT_EQ(read.groups[0].networks.size(), 1u);
  const Network& network = read.groups[0].networks[0];
  EXPECT_EQ(network.mode, "cni/mesh");
  EXPECT_EQ(network.hostname, "web-${NOMAD_ALLOC_INDEX}");
  EXPECT_EQ(network.dns,
            (DnsConfig{{"9.9.9.9", "${meta.dns}", "2620:fe::fe"}, {"svc.example"}, {"ndots:2"}}));
  EXPECT_EQ(network.cni_args, (StringMap{{"POLICY", "a,b"}}));
  ASSERT_EQ(network.dynamic_ports.size(), 2u);
  EXPECT_EQ(network.dynamic_ports[0].host_network, "public");
  EXPECT_EQ(network.dynamic_ports[1].host_network, "");
  EXPECT_EQ(MustParse(JobToJson(read)), read);
}

// The kernel passes no longer ones to a program.
TEST(JobJsonTest, ArgumentsForPluginsAreBoundedInAll) {
  json job = json::parse(kSmall);
  json& network = job["TaskGroups"][0]["Networks"][0];
  network["Mode"] = "bridge";
  for (int i = 0; i < 14; ++i)
    network["CNI"]["Args"]["A" + std::to_string(i)] = std::string(4096, 'x');
  EXPECT_EQ(Fault(job.dump()), "");
  network["CNI"]["Args"]["B"] = std::string(4096, 'x');
  EXPECT_EQ(Fault(job.dump()), "/TaskGroups/0/Networks/0/CNI/Args: must hold at most 61440 bytes");
}

TEST(JobJsonTest, CoresStandInPlaceOfMegahertz) {
  json job = json::parse(kSmall);
  job["TaskGroups"][0]["Tasks"][0]["Resources"] = {{"Cores", 2}};
  const Job read = MustParse(job.dump());
  EXPECT_EQ(read.groups[0].tasks[0].resources.cores, 2);
  EXPECT_EQ(read.groups[0].tasks[0].resources.cpu_mhz, 0);
  EXPECT_EQ(MustParse(JobToJson(read)), read);
}

TEST(JobJsonTest, BatchDefaultsAndNullIsTheSameAsAbsent) {
  json job = json::parse(kSmall);
  job["Type"] = "sysbatch";
  job["Name"] = nullptr;
  job["Datacenters"] = json::array();
  job["TaskGroups"][0]["RestartPolicy"] = {{"Attempts", nullptr}, {"Delay", "1s"}};
  job["TaskGroups"][0]["Tasks"][0]["Lifecycle"] = nullptr;
  job["TaskGroups"][0]["Tasks"][0]["Config"] = nullptr;
  const Job read = MustParse(job.dump());
  EXPECT_EQ(read.groups[0].restart_policy, (RestartPolicy{3, 24h, 1s, RestartPolicy::Mode::kFail}));
  EXPECT_EQ(read.name, "web");
  EXPECT_EQ(read.datacenters, (std::vector<std::string>{"*"}));
  EXPECT_EQ(read.groups[0].tasks[0].config_json, "{}");
}

// A job as a server returns it, with the defaults of fields that this version does not carry out.
TEST(JobJsonTest, AcceptsAJobThatAServerCanonicalized) {
  json job = json::parse(kSmall);
  job.merge_patch(json::parse(R"({"AllAtOnce": false, "NodePool": "default", "Payload": null,
    "Update": {"Stagger": 30000000000, "MaxParallel": 1, "HealthCheck": "checks",
               "MinHealthyTime": 10000000000, "HealthyDeadline": 300000000000,
               "ProgressDeadline": 600000000000, "Canary": 0, "AutoRevert": false,
               "AutoPromote": false},
    "Status": "running", "Version": 4, "SubmitTime": 1700000000000000000, "CreateIndex": 7,
    "Stop": false, "Dispatched": false, "UI": {"Description": "x"}, "VaultNamespace": ""})"));
  json& group = job["TaskGroups"][0];
  group["ReschedulePolicy"] = json::parse(R"({"Attempts": 0, "Delay": 30000000000,
    "DelayFunction": "exponential", "Interval": 0, "MaxDelay": 3600000000000, "Unlimited": true})");
  group["Migrate"] = json::parse(R"({"MaxParallel": 1, "HealthCheck": "checks",
    "MinHealthyTime": 10000000000, "HealthyDeadline": 300000000000})");
  group["Consul"] = json::parse(R"({"Namespace": "", "Cluster": "default", "Partition": ""})");
  group["Spreads"] = json::parse(R"([{"Attribute": "${node.datacenter}", "Weight": 50}])");
  group["Tasks"][0]["Identity"] = json::parse(R"({"Audience": ["nomadproject.io"], "Env": false,
    "ChangeMode": "", "ChangeSignal": "", "File": false, "Name": "default", "ServiceName": ""})");
  EXPECT_EQ(MustParse(job.dump()), MustParse(kSmall));
}

TEST(JobJsonTest, ConstraintsAreThoseOfJobGroupAndTask) {
  json job = json::parse(kSmall);
  job["Constraints"] = {{{"LTarget", "${attr.a}"}, {"RTarget", "b"}}};
  json& group = job["TaskGroups"][0];
  group["Constraints"] = {{{"LTarget", "${attr.a}"}, {"Operand", "is_set"}}};
  group["Tasks"][0]["Constraints"] = {
      {{"LTarget", "${attr.a}"}, {"RTarget", "1"}, {"Operand", ">="}}};
  const Job read = MustParse(job.dump());
  EXPECT_EQ(read.constraints, (std::vector<Constraint>{{"${attr.a}", "=", "b"}}));
  EXPECT_EQ(read.groups[0].constraints, (std::vector<Constraint>{{"${attr.a}", "is_set", ""}}));
  EXPECT_EQ(read.groups[0].tasks[0].constraints,
            (std::vector<Constraint>{{"${attr.a}", ">=", "1"}}));
  EXPECT_EQ(MustParse(JobToJson(read)), read);
}

TEST(JobJsonTest, AJobSaysForItsGroupsHowManyMigrateAtATime) {
  json job = json::parse(kSmall);
  EXPECT_EQ(MustParse(job.dump()).groups[0].migrate_max_parallel, 1);
  job["Migrate"] = {{"MaxParallel", 3}};
  EXPECT_EQ(MustParse(job.dump()).groups[0].migrate_max_parallel, 3);
  job["TaskGroups"][0]["Migrate"] = {{"MaxParallel", 2}};
  const Job read = MustParse(job.dump());
  EXPECT_EQ(read.groups[0].migrate_max_parallel, 2);
  EXPECT_EQ(MustParse(JobToJson(read)), read);
}

TEST(JobJsonTest, AnUpdateBlockSaysWhenAnAllocationIsHealthy) {
  json job = json::parse(kSmall);
  EXPECT_EQ(MustParse(job.dump()).groups[0].update, UpdatePolicy());
  // Clients write 0 into the block of the job for what they have moved into those of the groups.
  job["Update"] = {
      {"MaxParallel", 1}, {"HealthCheck", ""}, {"MinHealthyTime", 0}, {"HealthyDeadline", 0}};
  EXPECT_EQ(MustParse(job.dump()).groups[0].update, UpdatePolicy());
  job["Update"] = {{"HealthCheck", "task_states"}, {"HealthyDeadline", "3m"}};
  job["TaskGroups"][0]["Update"] = {{"MinHealthyTime", "0s"}};
  const Job read = MustParse(job.dump());
  const UpdatePolicy& update = read.groups[0].update;
  EXPECT_EQ(update.health_check, UpdatePolicy::HealthCheck::kTaskStates);
  EXPECT_EQ(update.min_healthy_time, 0s);
  EXPECT_EQ(update.healthy_deadline, 180s);
  EXPECT_EQ(MustParse(JobToJson(read)), read);
}

TEST(JobJsonTest, AnUpdateBlockSaysHowAVersionReplacesAnother) {
  json job = json::parse(kSmall);
  const auto rollout = [&job] { return MustParse(job.dump()).groups[0].rollout; };
  job["Type"] = "service";
  EXPECT_EQ(rollout(), RolloutPolicy());
  job["Update"] = {{"MaxParallel", 3}, {"Canary", 2}, {"AutoPromote", true}, {"AutoRevert", true}};
  job["TaskGroups"][0]["Update"] = {{"MaxParallel", 2}, {"ProgressDeadline", 0}};
  const RolloutPolicy read = rollout();
  EXPECT_EQ(read.max_parallel, 2);
  EXPECT_EQ(read.canary, 2);
  EXPECT_TRUE(read.auto_promote && read.auto_revert);
  EXPECT_EQ(read.progress_deadline, 0s);
  EXPECT_EQ(MustParse(JobToJson(MustParse(job.dump()))).groups[0].rollout, read);

  job["TaskGroups"][0].erase("Update");
  job["Update"] = {{"MaxParallel", 0}};
  EXPECT_EQ(rollout().max_parallel, 0) << "no deployments";
  job["Update"] = {{"ProgressDeadline", 0}};
  EXPECT_EQ(rollout().progress_deadline, 0s);
  // As a server writes it: everything but these two fields is in the groups.
  job["Update"] = {{"MaxParallel", 4},    {"Stagger", "1s"},      {"HealthCheck", ""},
                   {"MinHealthyTime", 0}, {"HealthyDeadline", 0}, {"ProgressDeadline", 0}};
  EXPECT_EQ(rollout().max_parallel, 4);
  EXPECT_EQ(rollout().progress_deadline, 10min);
  job["Update"] = {{"HealthyDeadline", "20m"}};
  EXPECT_EQ(rollout().progress_deadline, 25min) << "nobody has set it";
  job["Update"] = {{"MaxParallel", 0}, {"Stagger", 0}, {"HealthyDeadline", 0}};
  job["Type"] = "batch";
  EXPECT_EQ(rollout(), RolloutPolicy()) << "a server writes zeros for jobs that have none";
}

struct BadField {
  std::string pointer;  // the place that is replaced in the small job
  std::string value;
  std::string message;
};
void PrintTo(const BadField& bad, std::ostream* out) { *out << bad.pointer << " = " << bad.value; }

class BadFieldTest : public testing::TestWithParam<BadField> {};

TEST_P(BadFieldTest, IsRefusedByPointer) {
  json job = json::parse(kSmall);
  job[json::json_pointer(GetParam().pointer)] = json::parse(GetParam().value);
  EXPECT_EQ(Fault(job.dump()), GetParam().message);
  // The same inside a request: the pointer then starts at the request.
  EXPECT_THAT(Fault(json{{"Job", job}}.dump()), StartsWith("/Job" + GetParam().pointer));
}

const std::string kGroupAt = "/TaskGroups/0";
const std::string kTaskAt = "/TaskGroups/0/Tasks/0";

INSTANTIATE_TEST_SUITE_P(
    Names, BadFieldTest,
    testing::Values(
        BadField{"/ID", R"("")", "/ID: is missing"}, BadField{"/ID", "null", "/ID: is missing"},
        BadField{"/ID", R"("a b")", "/ID: \"a b\" holds a space"},
        BadField{"/ID", "\"a\u202eb\"",
                 "/ID: \"a\\xe2\\x80\\xaeb\" holds a control character or an invisible one"},
        BadField{"/ID", R"("a\nb")",
                 "/ID: \"a\\x0ab\" holds a control character or an invisible one"},
        BadField{"/ID", "7", "/ID: must be a text, but is 7"},
        BadField{"/Id", "7", "/Id: there is no such field; did you mean \"ID\"?"},
        BadField{"/Foo", "7", "/Foo: there is no such field"},
        BadField{"/Type", R"("cron")",
                 "/Type: \"cron\" is not known; write one of service, batch, system, sysbatch"},
        BadField{"/Priority", "0", "/Priority: must be 1 to 100, but is 0"},
        BadField{"/Priority", "1.5",
                 "/Priority: must be a whole number from -2147483648 to 2147483647, but is 1.5"},
        BadField{"/Namespace", R"("a/b")",
                 "/Namespace: \"a/b\" may hold only letters, digits and \"-\""},
        BadField{"/Datacenters", R"(["a", 7])", "/Datacenters/1: must be a text, but is 7"},
        BadField{"/Datacenters", R"([""])", "/Datacenters/0: is missing"},
        BadField{"/NodePool", R"("a pool")",
                 "/NodePool: \"a pool\" may hold only letters, digits, \"-\" and \"_\""},
        BadField{"/NodePool", "\"" + std::string(129, 'x') + "\"",
                 "/NodePool: is longer than 128 bytes"},
        BadField{"/Meta", R"({"a": 1})", "/Meta/a: must be a text, but is 1"},
        BadField{"/Meta", R"({"": "1"})", "/Meta: has an empty key"},
        BadField{"/TaskGroups", "[]", "/TaskGroups: the job has no task group"},
        BadField{"/TaskGroups", "{}", "/TaskGroups: must be a list of objects, but is an object"},
        BadField{"/TaskGroups/0", "null", "/TaskGroups/0: must be an object, but is null"},
        BadField{"/Periodic", R"({"Enabled": true})",
                 "/Periodic: only batch and sysbatch jobs may be periodic"},
        BadField{"/Update", R"({"Foo": 2})", "/Update/Foo: there is no such field"}));

INSTANTIATE_TEST_SUITE_P(
    Groups, BadFieldTest,
    testing::Values(
        BadField{kGroupAt + "/Name", R"("..")", "/TaskGroups/0/Name: \"..\" is not a name"},
        BadField{kGroupAt + "/Name", "\"a\u200bb\"",
                 "/TaskGroups/0/Name: \"a\\xe2\\x80\\x8bb\" holds a control character or an "
                 "invisible one"},
        BadField{
            kTaskAt + "/Name", "\"a\u2066b\"",
            "/TaskGroups/0/Tasks/0/Name: \"a\\xe2\\x81\\xa6b\" holds a control character or an "
            "invisible one"},
        BadField{kTaskAt + "/User", "\"root\u202e\"",
                 "/TaskGroups/0/Tasks/0/User: \"root\\xe2\\x80\\xae\" is not a user"},
        BadField{kGroupAt + "/Name", R"("a/b")", "/TaskGroups/0/Name: \"a/b\" holds a slash"},
        BadField{kGroupAt + "/Count", "-1", "/TaskGroups/0/Count: must not be negative, but is -1"},
        BadField{kGroupAt + "/Count", "3000000000",
                 "/TaskGroups/0/Count: must be a whole number from -2147483648 to 2147483647, but "
                 "is 3000000000"},
        BadField{kGroupAt + "/Tasks", "[]", "/TaskGroups/0/Tasks: the group has no task"},
        BadField{kGroupAt + "/RestartPolicy", R"({"Interval": "4s", "Delay": 0})",
                 "/TaskGroups/0/RestartPolicy/Interval: must be at least 5s, but is 4s"},
        BadField{kGroupAt + "/RestartPolicy", R"({"Mode": "never"})",
                 "/TaskGroups/0/RestartPolicy/Mode: \"never\" is not known; write one of fail, "
                 "delay"},
        BadField{kGroupAt + "/RestartPolicy", R"({"Attempts": 0, "Mode": "delay"})",
                 "/TaskGroups/0/RestartPolicy/Attempts: 0 attempts with mode \"delay\" is "
                 "ambiguous; use mode \"fail\""},
        BadField{kGroupAt + "/RestartPolicy", R"({"Attempts": 121})",
                 "/TaskGroups/0/RestartPolicy: 121 attempts with a delay of 15s do not fit into "
                 "the interval of 30m0s"},
        BadField{kGroupAt + "/RestartPolicy", R"({"Attempts": -1})",
                 "/TaskGroups/0/RestartPolicy/Attempts: must not be negative, but is -1"},
        BadField{kGroupAt + "/ShutdownDelay", "-1",
                 "/TaskGroups/0/ShutdownDelay: must not be negative, but is -1ns"},
        BadField{kGroupAt + "/ShutdownDelay", R"("soon")",
                 "/TaskGroups/0/ShutdownDelay: must be a duration: a whole number of nanoseconds, "
                 "or a text like \"1m30s\", but is the text \"soon\""},
        BadField{kGroupAt + "/ShutdownDelay", "9223372036854775807",
                 "/TaskGroups/0/ShutdownDelay: must be at most 876000h0m0s (100 years), but is "
                 "2562047h47m16.854775807s"},
        BadField{kGroupAt + "/RestartPolicy", R"({"Interval": 9223372036854775807})",
                 "/TaskGroups/0/RestartPolicy/Interval: must be at most 876000h0m0s (100 years), "
                 "but is 2562047h47m16.854775807s"},
        BadField{kGroupAt + "/MaxRunDuration", "1",
                 "/TaskGroups/0/MaxRunDuration: only batch and sysbatch jobs may have one"},
        BadField{kGroupAt + "/MaxRunDuration", "0",
                 "/TaskGroups/0/MaxRunDuration: must be more than 0s, but is 0s"},
        BadField{kGroupAt + "/EphemeralDisk", R"({"SizeMB": -1})",
                 "/TaskGroups/0/EphemeralDisk/SizeMB: must be at least 10, but is -1"},
        BadField{kGroupAt + "/Migrate", R"({"MaxParallel": 0})",
                 "/TaskGroups/0/Migrate/MaxParallel: must be at least 1, but is 0"},
        BadField{kGroupAt + "/Update", R"({"MinHealthyTime": "5m"})",
                 "/TaskGroups/0/Update/MinHealthyTime: must be less than HealthyDeadline, 5m0s, "
                 "but is 5m0s"},
        BadField{kGroupAt + "/Update", R"({"HealthCheck": "luck"})",
                 "/TaskGroups/0/Update/HealthCheck: \"luck\" is not known; write one of checks, "
                 "task_states, manual"},
        BadField{kGroupAt + "/Networks", R"([{}, {}])",
                 "/TaskGroups/0/Networks: must hold at most one network"},
        BadField{kGroupAt + "/Networks", R"([{"Mode": "weave"}])",
                 "/TaskGroups/0/Networks/0/Mode: \"weave\" is not known; write one of host, "
                 "bridge, cni/NAME, none"},
        BadField{kGroupAt + "/Networks", R"([{"Mode": "cni/a/b"}])",
                 "/TaskGroups/0/Networks/0/Mode: the name after \"cni/\" must have letters, "
                 "digits, \"_\", \"-\" and \".\""},
        BadField{kGroupAt + "/Networks", R"([{"Hostname": "web"}])",
                 "/TaskGroups/0/Networks/0/Hostname: is for networks of mode bridge or cni/NAME"},
        BadField{kGroupAt + "/Networks", R"([{"CNI": {"Args": {"A": "1"}}}])",
                 "/TaskGroups/0/Networks/0/CNI/Args: is for networks of mode bridge or cni/NAME"},
        BadField{kGroupAt + "/Networks", R"([{"Mode": "bridge", "CNI": {"Args": {"A": "1;B=2"}}}])",
                 "/TaskGroups/0/Networks/0/CNI/Args/A: must be a line of at most 4096 bytes "
                 "without \";\" and \"=\""},
        BadField{kGroupAt + "/Networks", R"([{"Mode": "bridge", "CNI": {"Args": {"A": "1=2"}}}])",
                 "/TaskGroups/0/Networks/0/CNI/Args/A: must be a line of at most 4096 bytes "
                 "without \";\" and \"=\""},
        BadField{kGroupAt + "/Networks",
                 R"([{"Mode": "bridge", "CNI": {"Args": {"NOMAD_JOB_ID": "x"}}}])",
                 "/TaskGroups/0/Networks/0/CNI/Args/NOMAD_JOB_ID: is set by the agent: use another "
                 "name"},
        BadField{kGroupAt + "/Networks",
                 R"([{"Mode": "bridge", "Hostname": ")" + std::string(65, 'a') + R"("}])",
                 "/TaskGroups/0/Networks/0/Hostname: must be a name of at most 64 bytes"},
        BadField{kGroupAt + "/Networks", R"([{"DNS": {"Servers": ["ns.example"]}}])",
                 "/TaskGroups/0/Networks/0/DNS/Servers/0: \"ns.example\" is not an IP address"},
        BadField{kGroupAt + "/Networks", R"([{"DNS": {"Searches": ["a b"]}}])",
                 "/TaskGroups/0/Networks/0/DNS/Searches/0: \"a b\" is not one word"},
        BadField{kGroupAt + "/Networks", R"([{"Mode": "none", "DNS": {"Options": ["rotate"]}}])",
                 "/TaskGroups/0/Networks/0/DNS: a network of mode \"none\" reaches no server"},
        BadField{kTaskAt + "/Resources", R"({"Networks": [{"Mode": "bridge"}]})",
                 kTaskAt + "/Resources/Networks/0/Mode: is for the network of a group"},
        BadField{kGroupAt + "/Networks", R"([{"Mode": "none", "DynamicPorts": [{"Label": "a"}]}])",
                 "/TaskGroups/0/Networks/0: a network of mode \"none\" has no ports"},
        BadField{kGroupAt + "/Networks",
                 R"([{"ReservedPorts": [{"Label": "a", "Value": 1}],
                      "DynamicPorts": [{"Label": "a"}]}])",
                 "/TaskGroups/0/Networks/0/DynamicPorts/0/Label: \"a\" is already at "
                 "/TaskGroups/0/Networks/0/ReservedPorts/0/Label"},
        BadField{kGroupAt + "/Networks",
                 R"([{"ReservedPorts": [{"Label": "a", "Value": 7}, {"Label": "b", "Value": 7}]}])",
                 "/TaskGroups/0/Networks/0/ReservedPorts/1/Value: the port 7 is reserved twice"},
        BadField{kGroupAt + "/Networks", R"([{"ReservedPorts": [{"Label": "a", "Value": 65536}]}])",
                 "/TaskGroups/0/Networks/0/ReservedPorts/0/Value: must be 1 to 65535, but is "
                 "65536"},
        BadField{kGroupAt + "/Networks", R"([{"DynamicPorts": [{"Label": "a b"}]}])",
                 "/TaskGroups/0/Networks/0/DynamicPorts/0/Label: \"a b\" may hold only letters, "
                 "digits, \"_\" and \"-\""},
        BadField{kGroupAt + "/Networks", R"([{"DynamicPorts": [{"Label": "a", "Value": 5}]}])",
                 "/TaskGroups/0/Networks/0/DynamicPorts/0/Value: a dynamic port has no value; "
                 "write it under ReservedPorts"},
        BadField{kTaskAt + "/Resources", R"({"Networks": [{}, {}]})",
                 kTaskAt + "/Resources/Networks: must hold at most one network"},
        BadField{kTaskAt + "/Resources", R"({"Networks": [{"Mode": "none"}]})",
                 kTaskAt + "/Resources/Networks/0/Mode: is for the network of a group"},
        BadField{kTaskAt + "/Resources", R"({"Networks": [{"Device": "eth0"}]})",
                 kTaskAt + "/Resources/Networks/0/Device: is not supported by this version"},
        BadField{kGroupAt + "/Constraints", R"([{"RTarget": "no", "Operand": "distinct_hosts"}])",
                 "/TaskGroups/0/Constraints/0/RTarget: must be true or false"},
        BadField{kGroupAt + "/Constraints",
                 R"([{"LTarget": "a", "RTarget": "0", "Operand": "distinct_property"}])",
                 "/TaskGroups/0/Constraints/0/RTarget: must be a number of allocations from 1 to "
                 "999999"},
        BadField{kGroupAt + "/Constraints", R"([{"Operand": "distinct_property"}])",
                 "/TaskGroups/0/Constraints/0/LTarget: is missing"},
        BadField{kTaskAt + "/Constraints", R"([{"Operand": "distinct_hosts"}])",
                 "/TaskGroups/0/Tasks/0/Constraints/0/Operand: \"distinct_hosts\" is for jobs and "
                 "task groups"},
        BadField{kGroupAt + "/Constraints", R"([{"RTarget": "a"}])",
                 "/TaskGroups/0/Constraints/0/LTarget: is missing"},
        BadField{"/Constraints", R"([{"LTarget": "a", "Operand": "~"}])",
                 "/Constraints/0/Operand: \"~\" is not supported by this version"}));

INSTANTIATE_TEST_SUITE_P(
    Tasks, BadFieldTest,
    testing::Values(
        BadField{kTaskAt + "/Name", R"("alloc")",
                 kTaskAt + "/Name: a task cannot be named \"alloc\": that is the shared directory"},
        BadField{kTaskAt + "/Name", R"("../x")", kTaskAt + "/Name: \"../x\" holds a slash"},
        BadField{kTaskAt + "/Name", R"("a\u007fb")",
                 kTaskAt + "/Name: \"a\\x7fb\" holds a control character or an invisible one"},
        BadField{kTaskAt + "/Name", "\"" + std::string(129, 'x') + "\"",
                 kTaskAt + "/Name: is longer than 128 bytes"},
        BadField{kTaskAt + "/Driver", "null", kTaskAt + "/Driver: is missing"},
        BadField{kTaskAt + "/Driver", R"("../evil")",
                 kTaskAt + "/Driver: \"../evil\" is not the name of a driver"},
        BadField{kTaskAt + "/Config", "[1]", kTaskAt + "/Config: must be an object, but is a list"},
        BadField{kTaskAt + "/Env", R"({"A=B": "1"})", kTaskAt + "/Env/A=B: the name holds a \"=\""},
        BadField{kTaskAt + "/Env", R"({"A": ["1"]})",
                 kTaskAt + "/Env/A: must be a text, but is a list"},
        BadField{kTaskAt + "/Lifecycle", R"({"Hook": "prestop"})",
                 kTaskAt + "/Lifecycle/Hook: \"prestop\" is not known; write one of prestart, "
                           "poststart, poststop"},
        BadField{kTaskAt + "/Lifecycle", "{}",
                 kTaskAt + "/Lifecycle/Hook: is missing; write prestart, poststart or poststop"},
        BadField{kGroupAt + "/Tasks",
                 R"([{"Name": "a", "Driver": "exec", "Lifecycle": {"Hook": "prestart"}}])",
                 "/TaskGroups/0/Tasks: the group has no main task: each has a Lifecycle"},
        BadField{kTaskAt + "/RestartPolicy", R"({"Interval": "1s"})",
                 kTaskAt + "/RestartPolicy/Interval: must be at least 5s, but is 1s"},
        BadField{kTaskAt + "/Resources", R"({"CPU": 0})",
                 kTaskAt + "/Resources/CPU: must be at least 1 MHz, but is 0"},
        BadField{kTaskAt + "/Resources", R"({"MemoryMB": 9})",
                 kTaskAt + "/Resources/MemoryMB: must be at least 10, but is 9"},
        BadField{kTaskAt + "/Resources", R"({"MemoryMaxMB": 200})",
                 kTaskAt + "/Resources/MemoryMaxMB: is 200, less than MemoryMB, which is 300"},
        BadField{kTaskAt + "/Resources", R"({"Cores": 2, "CPU": 100})",
                 kTaskAt + "/Resources/Cores: a task has either Cores or CPU"},
        BadField{kTaskAt + "/Resources", R"({"Cores": -1})",
                 kTaskAt + "/Resources/Cores: must not be negative, but is -1"},
        BadField{kTaskAt + "/LogConfig", R"({"MaxFiles": 0})",
                 kTaskAt + "/LogConfig/MaxFiles: must be at least 1, but is 0"},
        BadField{kTaskAt + "/LogConfig", R"({"MaxFileSizeMB": 0})",
                 kTaskAt + "/LogConfig/MaxFileSizeMB: must be at least 1, but is 0"},
        BadField{kTaskAt + "/LogConfig", R"({"MaxFiles": 31})",
                 kTaskAt + "/LogConfig: the log storage of 310 MB is more than the group's "
                           "ephemeral disk of 300 MB"},
        BadField{kTaskAt + "/LogConfig", R"({"Enabled": true, "Disabled": true})",
                 kTaskAt + "/LogConfig/Enabled: is true, but so is Disabled"},
        BadField{kTaskAt + "/KillTimeout", R"("-1s")",
                 kTaskAt + "/KillTimeout: must not be negative, but is -1s"},
        BadField{kTaskAt + "/KillTimeout", "9223372036854775807",
                 kTaskAt + "/KillTimeout: must be at most 876000h0m0s (100 years), but is "
                           "2562047h47m16.854775807s"},
        BadField{kTaskAt + "/ShutdownDelay", R"("876001h")",
                 kTaskAt + "/ShutdownDelay: must be at most 876000h0m0s (100 years), but is "
                           "876001h0m0s"},
        BadField{kTaskAt + "/Resources", R"({"MemoryMB": 2147483647})",
                 kTaskAt + "/Resources/MemoryMB: must be at most 1073741824, but is 2147483647"},
        BadField{kTaskAt + "/Resources", R"({"MemoryMaxMB": 2147483647})",
                 kTaskAt + "/Resources/MemoryMaxMB: must be at most 1073741824, but is 2147483647"},
        BadField{kTaskAt + "/Resources", R"({"CPU": 2147483647})",
                 kTaskAt + "/Resources/CPU: must be at most 1000000000, but is 2147483647"},
        BadField{kTaskAt + "/Resources", R"({"Cores": 2147483647})",
                 kTaskAt + "/Resources/Cores: must be at most 1000000, but is 2147483647"},
        BadField{kTaskAt + "/LogConfig", R"({"MaxFiles": 2147483647})",
                 kTaskAt + "/LogConfig/MaxFiles: must be at most 1000000, but is 2147483647"},
        BadField{kTaskAt + "/LogConfig", R"({"MaxFileSizeMB": 2147483647})",
                 kTaskAt + "/LogConfig/MaxFileSizeMB: must be at most 1048576"},
        BadField{kTaskAt + "/KillSignal", R"("TERM")",
                 kTaskAt + "/KillSignal: \"TERM\" is not a signal, such as \"SIGTERM\""},
        BadField{kTaskAt + "/ShutdownDelay", "-5",
                 kTaskAt + "/ShutdownDelay: must not be negative, but is -5ns"},
        BadField{kTaskAt + "/Leader", R"("true")",
                 kTaskAt + "/Leader: must be true or false, but is the text \"true\""},
        BadField{kTaskAt + "/Actions", R"([{"Name": "a b", "Command": "x"}])",
                 kTaskAt + "/Actions/0/Name: \"a b\" may hold only letters, digits and \"-\""},
        BadField{kTaskAt + "/Actions", R"([{"Name": "a"}])",
                 kTaskAt + "/Actions/0/Command: is missing"},
        BadField{kTaskAt + "/Actions", R"([{"Name": "a", "Command": "x", "Args": [1]}])",
                 kTaskAt + "/Actions/0/Args/0: must be a text, but is 1"},
        BadField{kTaskAt + "/Actions",
                 R"([{"Name": "a", "Command": "x"}, {"Name": "a", "Command": "y"}])",
                 kTaskAt + "/Actions/1/Name: \"a\" is already at " + kTaskAt + "/Actions/0/Name"},
        BadField{kTaskAt + "/Templates", R"([{"EmbeddedTmpl": "x"}])",
                 kTaskAt + "/Templates/0/DestPath: is missing"},
        BadField{kTaskAt + "/Vault", R"({"Role": "x"})",
                 kTaskAt + "/Vault: is not supported by this version: remove it, and store the "
                           "secret as a variable (drover var put), which the task may read with "
                           "its identity"}));

TEST(JobJsonTest, LogStorageEqualToTheDiskIsAllowedAndDisabledLogsNeedNone) {
  json job = json::parse(kSmall);
  json& log_config = job["TaskGroups"][0]["Tasks"][0]["LogConfig"];
  log_config = {{"MaxFiles", 30}};
  EXPECT_EQ(Fault(job.dump()), "");
  log_config = {{"MaxFiles", 31}, {"Disabled", true}};
  EXPECT_EQ(Fault(job.dump()), "");
}

TEST(JobJsonTest, WhatAJobMayAskForAtMostIsAllowed) {
  json job = json::parse(kSmall);
  job["Type"] = "batch";
  json& group = job["TaskGroups"][0];
  group["MaxRunDuration"] = group["ShutdownDelay"] = "876000h";
  group["RestartPolicy"] = {{"Interval", "876000h"}, {"Delay", "876000h"}, {"Attempts", 1}};
  group["Tasks"][0]["Resources"] = {
      {"CPU", 1'000'000'000}, {"MemoryMB", 1 << 30}, {"MemoryMaxMB", 1 << 30}};
  EXPECT_EQ(Fault(job.dump()), "");
  group["MaxRunDuration"] = 9223372036854775807;
  EXPECT_EQ(Fault(job.dump()),
            "/TaskGroups/0/MaxRunDuration: must be at most 876000h0m0s (100 years), but is "
            "2562047h47m16.854775807s");
}

TEST(JobJsonTest, NamesAreUniqueAndThereIsOneLeader) {
  json job = json::parse(kSmall);
  json& tasks = job["TaskGroups"][0]["Tasks"];
  tasks.push_back(tasks[0]);
  tasks[0]["Leader"] = true;
  tasks[1]["Leader"] = true;
  job["TaskGroups"].push_back(job["TaskGroups"][0]);
  job["TaskGroups"][1]["Tasks"].erase(1);
  EXPECT_EQ(Fault(job.dump()),
            "the job has 3 faults:\n"
            "  * /TaskGroups/0/Tasks/1/Name: \"t\" is already at /TaskGroups/0/Tasks/0/Name\n"
            "  * /TaskGroups/0/Tasks/1/Leader: the group already has the leader \"t\"\n"
            "  * /TaskGroups/1/Name: \"g\" is already at /TaskGroups/0/Name");
}

TEST(JobJsonTest, PoststopTasksAreNeitherLeadersNorSidecars) {
  json job = json::parse(kSmall);
  json& tasks = job["TaskGroups"][0]["Tasks"];
  tasks.push_back(json::parse(R"({"Name": "stop", "Driver": "exec", "Leader": true,
                                  "Lifecycle": {"Hook": "poststop", "Sidecar": true}})"));
  const std::string message = Fault(job.dump());
  EXPECT_THAT(message, HasSubstr("/TaskGroups/0/Tasks/1/Leader: a poststop task cannot be the"));
  EXPECT_THAT(message, HasSubstr("/TaskGroups/0/Tasks/1/Lifecycle/Sidecar: a poststop task"));
}

TEST(JobJsonTest, SystemJobsRunOncePerNode) {
  json job = json::parse(kSmall);
  job["Type"] = "system";
  job["TaskGroups"][0]["Count"] = 2;
  EXPECT_THAT(Fault(job.dump()), HasSubstr("/TaskGroups/0/Count: a system job runs once"));
}

TEST(JobJsonTest, FaultsComeOneByOneToo) {
  std::vector<JobFault> faults;
  EXPECT_FALSE(ParseJob(R"({"Job": {"ID": "a", "Foo": 1}, "Bar": 1})", &faults).ok());
  EXPECT_EQ(faults, (std::vector<JobFault>{{"/Bar", "there is no such field beside \"Job\""},
                                           {"/Job/Foo", "there is no such field"},
                                           {"/Job/TaskGroups", "the job has no task group"}}));
  EXPECT_TRUE(ParseJob(kSmall, &faults).ok());
  EXPECT_TRUE(faults.empty());
}

TEST(JobJsonTest, ManyFaultsMakeABoundedMessage) {
  json job = json::parse(kSmall);
  for (int i = 0; i < 1000; ++i) job["X" + std::to_string(i)] = 1;
  const std::string message = Fault(job.dump());
  EXPECT_THAT(message, HasSubstr("the job has 1000 faults"));
  EXPECT_THAT(message, HasSubstr("* and 950 more"));
}

TEST(JobJsonTest, WhatIsNoJobAtAllIsAnError) {
  EXPECT_THAT(Fault(""), HasSubstr("the job: there is no JSON"));
  EXPECT_THAT(Fault("[]"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(Fault("{\"Job\": []}"), HasSubstr("/Job: must be an object"));
  EXPECT_THAT(Fault("{\"Job\": null}"), HasSubstr("/Job: must be an object"));
  EXPECT_THAT(Fault(R"({"ID": "a", "ID": "b"})"), HasSubstr("\"ID\" occurs twice"));
  EXPECT_THAT(Fault(std::string(1 << 20, '[')), HasSubstr("nested"));
  EXPECT_THAT(Fault(std::string(9 << 20, ' ')), HasSubstr("bytes"));
  EXPECT_THAT(Fault("job \"web\" { }"), HasSubstr("not JSON"));
}

// Random damage to a full job gives an error, or a job that can be written and read.
TEST(JobJsonTest, DamagedJobsNeverCrash) {
  const std::string text = json::parse(kFull).dump();
  std::mt19937 random(20);
  int jobs = 0;
  for (int round = 0; round < 500; ++round) {
    std::string damaged = text;
    for (unsigned hits = 1 + random() % 3; hits > 0; --hits) {
      const std::size_t at = random() % damaged.size();
      switch (random() % 3) {
        case 0:
          damaged[at] = static_cast<char>(random());
          break;
        case 1:
          damaged.erase(at, random() % 20);
          break;
        default:
          damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 40));
      }
    }
    const auto job = ParseJob(damaged);
    if (!job.ok()) continue;
    ++jobs;
    EXPECT_EQ(MustParse(JobToJson(*job)), *job) << damaged;
  }
  EXPECT_GT(jobs, 0);
}

// Every value of a full job replaced by values of every type.
TEST(JobJsonTest, WrongTypesNeverCrash) {
  const json full = json::parse(kFull);
  const json flat = full.flatten();
  for (const auto& [pointer, unused] : flat.items()) {
    for (json::json_pointer at(pointer); !at.empty(); at.pop_back()) {
      for (const json& value : {json(-1), json(18446744073709551615u), json("x"),
                                json::array({nullptr}), json{{"Name", "x"}}}) {
        json job = full;
        job[at] = value;
        (void)Fault(job.dump());
      }
    }
  }
}

}  // namespace
}  // namespace drover
