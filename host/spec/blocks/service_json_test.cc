// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "host/spec/canonical_job.h"
#include "host/spec/job_json.h"

namespace drover {
namespace {

using nlohmann::json;

// A job whose group has the SERVICES and two ports.
json JobWithServices(const json& services) {
  json job = json::parse(R"({"ID": "web", "TaskGroups": [{"Name": "g",
      "Networks": [{"DynamicPorts": [{"Label": "http"}, {"Label": "admin"}]}],
      "Tasks": [{"Name": "t", "Driver": "exec"}]}]})");
  job["TaskGroups"][0]["Services"] = services;
  return job;
}

Job ReadServicesJob(const json& job) {
  const auto read = ParseJob(job.dump());
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message());
  return read.ok() ? *read : Job{};
}

std::vector<Service> ReadList(const json& services) {
  const Job job = ReadServicesJob(JobWithServices(services));
  return job.groups.empty() ? std::vector<Service>() : job.groups[0].services;
}

const json kEveryField = json::parse(R"([{
  "Name": "${JOB}-api", "Provider": "consul", "Cluster": "east", "Tags": ["a", "b"],
  "CanaryTags": ["c"], "EnableTagOverride": true, "PortLabel": "http", "AddressMode": "auto",
  "Address": "${attr.address}", "Meta": {"m": "1"}, "CanaryMeta": {"m": "2"},
  "TaggedAddresses": {"lan": "10.0.0.1"}, "TaskName": "t", "OnUpdate": "ignore_warnings",
  "CheckRestart": {"Limit": 3, "Grace": "10s", "IgnoreWarnings": true},
  "Weights": {"Passing": 10, "Warning": 2},
  "Checks": [
    {"Name": "up", "Type": "http", "Path": "/health?full=1", "Protocol": "https",
     "PortLabel": "admin", "AddressMode": "host", "Interval": "10s", "Timeout": 2000000000,
     "InitialStatus": "warning", "Notes": "n", "TLSServerName": "x.example",
     "TLSSkipVerify": true, "Header": {"Accept": ["a", "b"], "X": []}, "Method": "POST",
     "Body": "{}", "SuccessBeforePassing": 2, "FailuresBeforeCritical": 3,
     "FailuresBeforeWarning": 1, "OnUpdate": "require_healthy",
     "CheckRestart": {"Limit": 5, "Grace": "1m", "IgnoreWarnings": false}},
    {"Type": "script", "Command": "/bin/check", "Args": ["-a", "b"], "TaskName": "t",
     "Interval": "1s", "Timeout": "1s"}]}])");

TEST(ServiceJsonTest, ReadsEveryField) {
  const std::vector<Service> services = ReadList(kEveryField);
  ASSERT_EQ(services.size(), 1u);
  const Service& service = services[0];
  EXPECT_EQ(service.name, "web-api");
  EXPECT_EQ(service.provider, ServiceProvider::kConsul);
  EXPECT_EQ(service.cluster, "east");
  EXPECT_EQ(service.tags, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(service.canary_tags, (std::vector<std::string>{"c"}));
  EXPECT_TRUE(service.enable_tag_override);
  EXPECT_EQ(service.port_label, "http");
  EXPECT_EQ(service.address_mode, AddressMode::kAuto);
  EXPECT_EQ(service.address, "${attr.address}");
  EXPECT_EQ(service.meta, (StringMap{{"m", "1"}}));
  EXPECT_EQ(service.canary_meta, (StringMap{{"m", "2"}}));
  EXPECT_EQ(service.tagged_addresses, (StringMap{{"lan", "10.0.0.1"}}));
  EXPECT_EQ(service.task, "t");
  EXPECT_EQ(service.on_update, OnUpdate::kIgnoreWarnings);
  EXPECT_EQ(service.check_restart, (CheckRestart{3, 10s, true}));
  EXPECT_EQ(service.weights, (ServiceWeights{10, 2}));
  ASSERT_EQ(service.checks.size(), 2u);
  const ServiceCheck& http = service.checks[0];
  EXPECT_EQ(http.name, "up");
  EXPECT_EQ(http.type, CheckType::kHttp);
  EXPECT_EQ(http.path, "/health?full=1");
  EXPECT_EQ(http.protocol, "https");
  EXPECT_EQ(http.port_label, "admin");
  EXPECT_EQ(http.address_mode, AddressMode::kHost);
  EXPECT_EQ(http.interval, 10s);
  EXPECT_EQ(http.timeout, 2s);
  EXPECT_EQ(http.initial_status, InitialStatus::kWarning);
  EXPECT_EQ(http.notes, "n");
  EXPECT_EQ(http.tls_server_name, "x.example");
  EXPECT_TRUE(http.tls_skip_verify);
  EXPECT_EQ(http.header,
            (std::map<std::string, std::vector<std::string>>{{"Accept", {"a", "b"}}, {"X", {}}}));
  EXPECT_EQ(http.method, "POST");
  EXPECT_EQ(http.body, "{}");
  EXPECT_EQ(http.success_before_passing, 2);
  EXPECT_EQ(http.failures_before_critical, 3);
  EXPECT_EQ(http.failures_before_warning, 1);
  EXPECT_EQ(http.on_update, OnUpdate::kRequireHealthy);
  EXPECT_EQ(http.check_restart, (CheckRestart{5, 60s, true})) << "the service ignores warnings";
  const ServiceCheck& script = service.checks[1];
  EXPECT_EQ(script.name, "service: \"web-api\" check");
  EXPECT_EQ(script.type, CheckType::kScript);
  EXPECT_EQ(script.command, "/bin/check");
  EXPECT_EQ(script.args, (std::vector<std::string>{"-a", "b"}));
  EXPECT_EQ(script.task, "t");
  EXPECT_EQ(script.on_update, OnUpdate::kIgnoreWarnings) << "that of the service";
  EXPECT_EQ(script.check_restart, service.check_restart);
}

TEST(ServiceJsonTest, DefaultsAreFilledIn) {
  const std::vector<Service> services = ReadList(json::array({json::object()}));
  ASSERT_EQ(services.size(), 1u);
  Service expected;
  expected.name = "web-g";
  EXPECT_EQ(services[0], expected);
  EXPECT_FALSE(services[0].provider);
  EXPECT_EQ(services[0].cluster, "default");
}

TEST(ServiceJsonTest, AServiceOfATaskHasTheNameOfTheTask) {
  json job = JobWithServices(nullptr);
  job["TaskGroups"][0]["Tasks"][0]["Services"] = {json::object(), {{"Name", "${TASK}-x"}}};
  const Job read = ReadServicesJob(job);
  EXPECT_TRUE(read.groups[0].services.empty());
  ASSERT_EQ(read.groups[0].tasks[0].services.size(), 2u);
  EXPECT_EQ(read.groups[0].tasks[0].services[0].name, "web-g-t");
  EXPECT_EQ(read.groups[0].tasks[0].services[1].name, "t-x");
}

TEST(ServiceJsonTest, ACheckTakesWhatItDoesNotSayFromItsService) {
  json service = {{"PortLabel", "http"}, {"CheckRestart", {{"Limit", 3}, {"Grace", "5s"}}}};
  const json check = {{"Type", "tcp"}, {"Interval", "1s"}, {"Timeout", "1s"}};
  for (int i = 0; i < 3; ++i) service["Checks"].push_back(check);
  service["Checks"][1]["CheckRestart"] = {{"Limit", 0}, {"Grace", "7s"}};
  service["Checks"][2]["CheckRestart"] = {{"Limit", 9}, {"IgnoreWarnings", true}};
  const std::vector<Service> services = ReadList(json::array({service}));
  ASSERT_EQ(services.size(), 1u);
  EXPECT_EQ(services[0].checks[0].check_restart, (CheckRestart{3, 5s, false}));
  EXPECT_EQ(services[0].checks[1].check_restart, (CheckRestart{3, 7s, false}));
  EXPECT_EQ(services[0].checks[2].check_restart, (CheckRestart{9, 5s, true}));
  service.erase("CheckRestart");
  service["Checks"][2]["CheckRestart"] = json::object();
  const std::vector<Service> without = ReadList(json::array({service}));
  ASSERT_EQ(without.size(), 1u);
  EXPECT_FALSE(without[0].checks[0].check_restart);
  EXPECT_EQ(without[0].checks[2].check_restart, (CheckRestart{0, 1s, false})) << "it is for none";
}

TEST(ServiceJsonTest, WhatIsWrittenIsReadBack) {
  for (const json& services : {kEveryField, json::array({json::object()})}) {
    json job = JobWithServices(services);
    job["TaskGroups"][0]["Tasks"][0]["Services"] = {{{"Name", "own"}, {"Provider", "nomad"}}};
    const Job read = ReadServicesJob(job);
    EXPECT_EQ(ReadServicesJob(json::parse(JobToJson(read))), read);
  }
}

TEST(ServiceJsonTest, TheCanonicalFormHasEveryFieldThatClientsRead) {
  const json sent = JobWithServices(json::parse(R"([{"PortLabel": "http",
      "Checks": [{"Type": "tcp", "Interval": "10s", "Timeout": "2s"}]}])"));
  const json told = CanonicalJob(ReadServicesJob(sent), sent);
  EXPECT_EQ(told.at("TaskGroups")[0].at("Services")[0], json::parse(R"({
    "Name": "web-g", "Provider": "consul", "Cluster": "default", "Tags": null, "CanaryTags": null,
    "EnableTagOverride": false, "PortLabel": "http", "AddressMode": "auto", "Address": "",
    "Meta": null, "CanaryMeta": null, "TaggedAddresses": null, "TaskName": "",
    "OnUpdate": "require_healthy", "CheckRestart": null, "Weights": null, "Connect": null,
    "Identity": null, "Kind": "", "Id": null, "ID": null,
    "Checks": [{"Name": "service: \"web-g\" check", "Type": "tcp", "Command": "", "Args": null,
      "Path": "", "Protocol": "", "PortLabel": "", "Expose": false, "AddressMode": "",
      "Advertise": "", "Interval": 10000000000, "Timeout": 2000000000, "InitialStatus": "",
      "Notes": "", "TLSServerName": "", "TLSSkipVerify": false, "Header": null, "Method": "",
      "Body": "", "TaskName": "", "GRPCService": "", "GRPCUseTLS": false,
      "SuccessBeforePassing": 0, "FailuresBeforeCritical": 0, "FailuresBeforeWarning": 0,
      "OnUpdate": "require_healthy", "CheckRestart": null, "Id": null}]})"));
  EXPECT_EQ(CanonicalJob(ReadServicesJob(told), told), told);
}

TEST(ServiceJsonTest, TheCanonicalFormOfEveryFieldStays) {
  const json sent = JobWithServices(kEveryField);
  const json told = CanonicalJob(ReadServicesJob(sent), sent);
  const json& service = told.at("TaskGroups")[0].at("Services")[0];
  EXPECT_EQ(service.at("Name"), "web-api");
  EXPECT_EQ(service.at("CheckRestart"),
            json({{"Limit", 3}, {"Grace", 10'000'000'000}, {"IgnoreWarnings", true}}));
  EXPECT_EQ(service.at("Checks")[0].at("Interval"), 10'000'000'000);
  EXPECT_EQ(service.at("Checks")[1].at("CheckRestart"), service.at("CheckRestart"));
  EXPECT_EQ(CanonicalJob(ReadServicesJob(told), told), told);
}

// A long list costs nothing before it is refused.
TEST(ServiceJsonTest, ListsAreNotReadBeyondTheirLimit) {
  json services = json::array();
  for (int i = 0; i < 5000; ++i) services.push_back(json::object());
  const auto read = ParseJob(JobWithServices(services).dump());
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message(),
            "/TaskGroups/0/Services: a group and its tasks must have at most 512 services");
  json service = {{"PortLabel", "http"}};
  for (int i = 0; i < 5000; ++i) {
    service["Checks"].push_back({{"Type", "tcp"}, {"Interval", "1s"}, {"Timeout", "1s"}});
  }
  const auto of_checks = ParseJob(JobWithServices(json::array({service})).dump());
  ASSERT_FALSE(of_checks.ok());
  EXPECT_EQ(of_checks.error().message(),
            "/TaskGroups/0/Services/0/Checks: must be at most 64 checks");
}

}  // namespace
}  // namespace drover
