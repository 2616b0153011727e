// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "host/spec/job_json.h"

namespace drover {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

// A job whose group has a service with a check, and whose task has one with a script.
json ServedJob(const char* provider) {
  json job = json::parse(R"({"ID": "web", "TaskGroups": [{"Name": "g",
      "Networks": [{"DynamicPorts": [{"Label": "http"}], "ReservedPorts":
                    [{"Label": "admin", "Value": 9000}]}],
      "Services": [{"Name": "web", "PortLabel": "http", "Checks": [
        {"Type": "http", "Path": "/health", "Interval": "10s", "Timeout": "2s"}]}],
      "Tasks": [{"Name": "t", "Driver": "exec", "Services": [{"Name": "own", "Checks": [
        {"Type": "script", "Command": "/bin/true", "Interval": "10s", "Timeout": "2s"}]}]},
        {"Name": "u", "Driver": "exec"}]}]})");
  json& group = job["TaskGroups"][0];
  group["Services"][0]["Provider"] = provider;
  group["Tasks"][0]["Services"][0]["Provider"] = provider;
  return job;
}

// Returns the faults of JOB as one text; empty if it has none.
std::string ServiceFaults(const json& job) {
  const auto read = ParseJob(job.dump());
  return read.ok() ? "" : read.error().message();
}

// A value that replaces another one in the job above.
struct ServiceChange {
  std::string pointer;
  std::string value;
  // The fault with the providers consul and nomad, without its pointer; empty: there is none.
  std::string consul;
  std::string nomad;
  std::string place = {};  // the pointer of the fault; empty: POINTER
};
void PrintTo(const ServiceChange& change, std::ostream* out) {
  *out << change.pointer << " = " << change.value.substr(0, 60);
}

class ServiceChangeTest : public testing::TestWithParam<ServiceChange> {};

TEST_P(ServiceChangeTest, IsJudgedByItsProvider) {
  const ServiceChange& change = GetParam();
  for (const bool nomad : {false, true}) {
    json job = ServedJob(nomad ? "nomad" : "consul");
    job[json::json_pointer(change.pointer)] = json::parse(change.value);
    const std::string& fault = nomad ? change.nomad : change.consul;
    const std::string& place = change.place.empty() ? change.pointer : change.place;
    EXPECT_EQ(ServiceFaults(job), fault.empty() ? "" : place + ": " + fault)
        << (nomad ? "nomad" : "consul");
  }
}

ServiceChange Wrong(const std::string& pointer, const std::string& value,
                    const std::string& fault) {
  return {pointer, value, fault, fault};
}
ServiceChange Right(const std::string& pointer, const std::string& value) {
  return {pointer, value, "", ""};
}
ServiceChange OnlyConsul(const std::string& pointer, const std::string& value,
                         const std::string& fault = "is for the provider \"consul\"; remove it") {
  return {pointer, value, "", fault};
}

const std::string kServiceAt = "/TaskGroups/0/Services/0";
const std::string kCheckAt = "/TaskGroups/0/Services/0/Checks/0";
const std::string kTaskServiceAt = "/TaskGroups/0/Tasks/0/Services/0";
const std::string kScriptAt = "/TaskGroups/0/Tasks/0/Services/0/Checks/0";

constexpr char kNotAPlainName[] =
    " may hold only letters, digits and \"-\", and no \"-\" at its ends: write another name";

std::string QuotedX(std::size_t count) { return "\"" + std::string(count, 'x') + "\""; }

INSTANTIATE_TEST_SUITE_P(
    Services, ServiceChangeTest,
    testing::Values(
        Right(kServiceAt + "/Name", QuotedX(63)), Right(kServiceAt + "/Name", R"("${NOMAD_DC}-a")"),
        Right(kServiceAt + "/Name", "null"),
        Wrong(kServiceAt + "/Name", QuotedX(64),
              QuotedX(64) + " is longer than 63 bytes: write a shorter name"),
        Wrong(kServiceAt + "/Name", QuotedX(129), "is longer than 128 bytes"),
        Wrong(kServiceAt + "/Name", R"("a_b")", "\"a_b\"" + std::string(kNotAPlainName)),
        Wrong(kServiceAt + "/Name", R"("-a")", "\"-a\"" + std::string(kNotAPlainName)),
        Wrong(kServiceAt + "/Name", R"("a-")", "\"a-\"" + std::string(kNotAPlainName)),
        Wrong(kServiceAt + "/Name", R"("${a")", "\"${a\"" + std::string(kNotAPlainName)),
        Wrong(kServiceAt + "/Name", R"("a\nb")",
              "\"a\\x0ab\" holds a control character or an invisible one"),
        Wrong(kServiceAt + "/Provider", R"("etcd")",
              "\"etcd\" is not known; write one of consul, nomad"),
        Right(kServiceAt + "/PortLabel", R"("admin")"),
        Right(kServiceAt + "/PortLabel", R"("${meta.port}")"),
        Wrong(kServiceAt + "/PortLabel", R"("db")",
              "\"db\" is not a port of the group; write it into the group's network"),
        Wrong(kServiceAt + "/PortLabel", R"("70000")",
              "\"70000\" is not a port of the group; write it into the group's network"),
        Right(kServiceAt + "/AddressMode", R"("driver")"),
        Right(kServiceAt + "/AddressMode", R"("alloc_ipv6")"),
        Wrong(kServiceAt + "/AddressMode", R"("bridge")",
              "\"bridge\" is not known; write one of auto, host, driver, alloc, alloc_ipv6"),
        Right(kServiceAt + "/Address", R"("${attr.unique.network.ip-address}")"),
        Wrong(kServiceAt + "/Address", R"("a\tb")", "\"a\\x09b\" is not an address"),
        Wrong(kServiceAt + "/Meta", R"({"": "1"})", "has an empty key"),
        Wrong(kServiceAt + "/Meta/a", "1", "must be a text, but is 1"),
        Right(kServiceAt + "/TaskName", R"("u")"),
        Wrong(kServiceAt + "/TaskName", R"("x")", "\"x\" is not a task of the group"),
        Right(kTaskServiceAt + "/TaskName", R"("t")"),
        Wrong(kTaskServiceAt + "/TaskName", R"("u")",
              "the service is one of the task \"t\"; remove it"),
        Right(kServiceAt + "/OnUpdate", R"("ignore")"),
        OnlyConsul(kServiceAt + "/OnUpdate", R"("ignore_warnings")",
                   "\"ignore_warnings\" is for the provider \"consul\"; write require_healthy or "
                   "ignore"),
        Wrong(kServiceAt + "/OnUpdate", R"("never")",
              "\"never\" is not known; write one of require_healthy, ignore_warnings, ignore"),
        Right(kServiceAt + "/Weights", R"({"Passing": 65535, "Warning": 0})"),
        Wrong(kServiceAt + "/Weights/Passing", "0", "must be at least 1, but is 0"),
        Wrong(kServiceAt + "/Weights/Warning", "-1", "must not be negative, but is -1"),
        Wrong(kServiceAt + "/Weights/Warning", "65536", "must be at most 65535, but is 65536"),
        Wrong(kServiceAt + "/Connect", R"({"Native": true})",
              "is not supported by this version: remove it, and let tasks connect to the addresses "
              "of services, or through a proxy that is a task of the group"),
        Wrong(kServiceAt + "/Nmae", "1", "there is no such field")));

INSTANTIATE_TEST_SUITE_P(
    Checks, ServiceChangeTest,
    testing::Values(
        Right(kCheckAt, R"({"Type": "tcp", "Interval": "1s", "Timeout": "1s"})"),
        // Nomad refuses scripts of its own provider.
        Right(kCheckAt, R"({"Type": "script", "Command": "a", "TaskName": "u", "Interval": "1s",
                            "Timeout": "1s"})"),
        ServiceChange{kCheckAt, R"({"Type": "grpc", "GRPCService": "a", "GRPCUseTLS": true})",
                      "\"grpc\" is not supported by this version; write http, tcp or script",
                      "\"grpc\" is not supported by this version; write http, tcp or script",
                      kCheckAt + "/Type"},
        Wrong(kCheckAt + "/Type", "null", "is missing; write tcp, http or script"),
        Wrong(kCheckAt + "/Type", R"("udp")",
              "\"udp\" is not known; write one of tcp, http, script"),
        Wrong(kCheckAt + "/Expose", "true", "is not supported by this version"),
        Wrong(kCheckAt + "/Interval", "null", "is missing; write at least 1s"),
        Wrong(kCheckAt + "/Interval", R"("999ms")", "must be at least 1s, but is 999ms"),
        Wrong(kCheckAt + "/Interval", R"("-1s")", "must be at least 1s, but is -1s"),
        Wrong(kCheckAt + "/Interval", R"("876001h")",
              "must be at most 876000h0m0s (100 years), but is 876001h0m0s"),
        Wrong(kCheckAt + "/Timeout", "null", "is missing; write at least 1s"),
        Wrong(kCheckAt + "/Timeout", "1", "must be at least 1s, but is 1ns"),
        Wrong(kCheckAt + "/Name", R"("a\u0007")",
              "\"a\\x07\" is longer than 256 bytes, or holds a character that is not visible"),
        Right(kCheckAt + "/PortLabel", R"("admin")"),
        Wrong(kCheckAt + "/PortLabel", R"("db")",
              "\"db\" is not a port of the group; write it into the group's network"),
        ServiceChange{kCheckAt + "/PortLabel", R"("8080")",
                      "the number 8080 must be the label of a port of the group; a number needs "
                      "the address mode driver or alloc",
                      "the number 8080 must be the label of a port of the group"},
        Right(kCheckAt + "/AddressMode", R"("host")"),
        Right(kCheckAt + "/AddressMode", R"("alloc")"),
        Right(kCheckAt + "/AddressMode", R"("alloc_ipv6")"),
        OnlyConsul(kCheckAt + "/AddressMode", R"("driver")",
                   "\"driver\" is for the provider \"consul\"; write host or alloc, or leave it "
                   "out"),
        Wrong(kCheckAt + "/AddressMode", R"("auto")",
              "\"auto\" is for services; write host or alloc, or leave it out"),
        Right(kCheckAt + "/InitialStatus", R"("passing")"),
        Wrong(kCheckAt + "/InitialStatus", R"("pending")",
              "\"pending\" is not known; write one of passing, warning, critical"),
        OnlyConsul(kCheckAt + "/SuccessBeforePassing", "2"),
        OnlyConsul(kCheckAt + "/FailuresBeforeCritical", "2"),
        OnlyConsul(kCheckAt + "/FailuresBeforeWarning", "2"),
        OnlyConsul(kCheckAt + "/TLSServerName", R"("x.example")"),
        Right(kCheckAt + "/TLSSkipVerify", "true"),
        ServiceChange{kCheckAt + "/SuccessBeforePassing", "-1", "must not be negative, but is -1",
                      "is for the provider \"consul\"; remove it"},
        OnlyConsul(kCheckAt + "/OnUpdate", R"("ignore_warnings")",
                   "\"ignore_warnings\" is for the provider \"consul\"; write require_healthy or "
                   "ignore"),
        Wrong(kCheckAt + "/TaskName", R"("t")",
              "is for a check of the type \"script\"; remove it")));

INSTANTIATE_TEST_SUITE_P(
    Http, ServiceChangeTest,
    testing::Values(
        Right(kCheckAt + "/Path", R"("health?a=b:c")"), Right(kCheckAt + "/Path", R"("${X}/a:b")"),
        Right(kCheckAt + "/Path", R"("/a:b//c")"),
        Wrong(kCheckAt + "/Path", "null", "is missing; write a path such as \"/health\""),
        Wrong(kCheckAt + "/Path", R"("http://x/health")",
              "\"http://x/health\" names a host; write only a path such as \"/health\""),
        Wrong(kCheckAt + "/Path", R"("//x/health")",
              "\"//x/health\" names a host; write only a path such as \"/health\""),
        Wrong(kCheckAt + "/Path", R"("/a b")",
              "\"/a b\" holds a space, or a character that is not visible"),
        Wrong(kCheckAt + "/Path", R"("/a\r\nX: y")",
              "\"/a\\x0d\\x0aX: y\" holds a space, or a character that is not visible"),
        Wrong(kCheckAt + "/Path", QuotedX(2049), "is longer than 2048 bytes"),
        Right(kCheckAt + "/Protocol", R"("http")"), Right(kCheckAt + "/Protocol", R"("https")"),
        Wrong(kCheckAt + "/Protocol", R"("ftp")", "\"ftp\" is not known; write http or https"),
        Right(kCheckAt + "/Method", R"("HEAD")"),
        Wrong(kCheckAt + "/Method", R"("GET /")", "\"GET /\" is not a method, such as \"GET\""),
        Right(kCheckAt + "/Header", R"({"Accept": ["a", "b"], "X-Y": []})"),
        Wrong(kCheckAt + "/Header/A B", R"(["a"])",
              "the name of a header holds only letters, digits and \"-\""),
        Wrong(kCheckAt + "/Header/A", R"("a")", "must be a list of texts, but is the text \"a\""),
        ServiceChange{kCheckAt + "/Header/A", R"(["a", 7])", "must be a text, but is 7",
                      "must be a text, but is 7", kCheckAt + "/Header/A/1"},
        ServiceChange{kCheckAt + "/Header/A", R"(["a\r\nB: c"])",
                      "holds a character that is not visible",
                      "holds a character that is not visible", kCheckAt + "/Header/A/0"},
        Right(kCheckAt + "/Body", R"("a\nb")")));

INSTANTIATE_TEST_SUITE_P(
    Scripts, ServiceChangeTest,
    testing::Values(
        Right(kScriptAt + "/Args", R"(["a", ""])"), Right(kScriptAt + "/TaskName", R"("t")"),
        Wrong(kScriptAt + "/Command", "null", "is missing; write the program to run"),
        Wrong(kScriptAt + "/TaskName", R"("u")",
              "the service is one of the task \"t\"; remove it, or write the service into the "
              "group"),
        ServiceChange{kScriptAt + "/FailuresBeforeCritical", "2",
                      "does not go with a script; remove it",
                      "does not go with a script; remove it"},
        ServiceChange{
            kCheckAt, R"({"Type": "script", "Command": "a", "Interval": "1s", "Timeout": "1s"})",
            "is missing; write the task in which the script runs",
            "is missing; write the task in which the script runs", kCheckAt + "/TaskName"},
        ServiceChange{kCheckAt, R"({"Type": "script", "Command": "a", "TaskName": "x",
                                    "Interval": "1s", "Timeout": "1s"})",
                      "\"x\" is not a task of the group", "\"x\" is not a task of the group",
                      kCheckAt + "/TaskName"}));

INSTANTIATE_TEST_SUITE_P(
    Restarts, ServiceChangeTest,
    testing::Values(
        Right(kCheckAt + "/CheckRestart", R"({"Limit": 3, "Grace": "30s"})"),
        Right(kServiceAt + "/CheckRestart", R"({"Limit": 3})"),
        ServiceChange{kCheckAt + "/CheckRestart", R"({"Grace": "30s"})", "",
                      "is missing; write after how many failures the task restarts",
                      kCheckAt + "/CheckRestart/Limit"},
        ServiceChange{kServiceAt + "/CheckRestart", R"({"Grace": "30s"})", "",
                      "is missing; write after how many failures the task restarts",
                      kServiceAt + "/CheckRestart/Limit"},
        Wrong(kCheckAt + "/CheckRestart/Limit", "-1", "must not be negative, but is -1"),
        ServiceChange{kCheckAt + "/CheckRestart", R"({"Limit": 1, "Grace": -1})",
                      "must not be negative, but is -1ns", "must not be negative, but is -1ns",
                      kCheckAt + "/CheckRestart/Grace"},
        ServiceChange{kCheckAt + "/CheckRestart", R"({"Limit": 1, "IgnoreWarnings": true})", "",
                      "is for the provider \"consul\"; remove it",
                      kCheckAt + "/CheckRestart/IgnoreWarnings"}));

TEST(ServiceChecksTest, TheJobOfTheseTestsIsRight) {
  EXPECT_EQ(ServiceFaults(ServedJob("consul")), "");
  EXPECT_EQ(ServiceFaults(ServedJob("nomad")), "");
}

TEST(ServiceChecksTest, ARestartNeedsACheckThatCounts) {
  for (const char* provider : {"consul", "nomad"}) {
    json job = ServedJob(provider);
    json& check = job["TaskGroups"][0]["Services"][0]["Checks"][0];
    check["OnUpdate"] = "ignore";
    check["CheckRestart"] = {{"Limit", 3}};
    EXPECT_EQ(ServiceFaults(job), kCheckAt +
                                      "/CheckRestart: does not go with OnUpdate \"ignore\"; "
                                      "remove one of them");
  }
  json job = ServedJob("consul");
  json& check = job["TaskGroups"][0]["Services"][0]["Checks"][0];
  check["OnUpdate"] = "ignore_warnings";
  check["CheckRestart"] = {{"Limit", 3}};
  EXPECT_EQ(ServiceFaults(job), kCheckAt +
                                    "/CheckRestart/IgnoreWarnings: must be true, since OnUpdate "
                                    "is \"ignore_warnings\"");
  check["CheckRestart"]["IgnoreWarnings"] = true;
  EXPECT_EQ(ServiceFaults(job), "");
}

TEST(ServiceChecksTest, AnAddressNeedsTheModeAuto) {
  json job = ServedJob("nomad");
  json& service = job["TaskGroups"][0]["Services"][0];
  service["Address"] = "10.0.0.1";
  EXPECT_EQ(ServiceFaults(job), "");
  service["AddressMode"] = "host";
  EXPECT_EQ(ServiceFaults(job),
            kServiceAt + "/AddressMode: must be auto for a service with an Address, but is host");
}

TEST(ServiceChecksTest, ACheckOfConsulMayHaveANumberWhereTheAddressIsNotTheHosts) {
  json job = ServedJob("consul");
  json& service = job["TaskGroups"][0]["Services"][0];
  service["PortLabel"] = "8080";
  EXPECT_THAT(ServiceFaults(job), StartsWith(kCheckAt + "/PortLabel: the number 8080 must be"));
  for (const char* mode : {"driver", "alloc"}) {
    service["Checks"][0]["AddressMode"] = mode;
    EXPECT_EQ(ServiceFaults(job), "") << mode;
  }
  service["Checks"][0]["AddressMode"] = nullptr;
  service["Address"] = "10.0.0.1";
  EXPECT_EQ(ServiceFaults(job), "");
}

TEST(ServiceChecksTest, ACheckNeedsAPort) {
  json job = ServedJob("nomad");
  json& service = job["TaskGroups"][0]["Services"][0];
  service["PortLabel"] = nullptr;
  EXPECT_EQ(ServiceFaults(job),
            kCheckAt + "/PortLabel: is missing; write a port of the group here or in the service");
  service["Checks"] = nullptr;
  EXPECT_EQ(ServiceFaults(job), "") << "the service needs none";
}

// Ports in the older place belong to their task.
TEST(ServiceChecksTest, AServiceMayHaveAPortOfItsTask) {
  json job = ServedJob("nomad");
  json& group = job["TaskGroups"][0];
  group["Services"] = nullptr;
  group["Networks"] = nullptr;
  group["Tasks"][0]["Resources"] = json::parse(R"({"Networks": [{"DynamicPorts":
      [{"Label": "db"}]}]})");
  group["Tasks"][0]["Services"][0]["PortLabel"] = "db";
  EXPECT_EQ(ServiceFaults(job), "");
  group["Tasks"][1]["Services"] = group["Tasks"][0]["Services"];
  EXPECT_EQ(ServiceFaults(job),
            "/TaskGroups/0/Tasks/1/Services/0/PortLabel: \"db\" is not a port of the group; write "
            "it into the group's network");
  group["Services"] = {{{"Name", "db"}, {"PortLabel", "db"}}};
  group["Tasks"][1]["Services"] = nullptr;
  EXPECT_EQ(ServiceFaults(job), "");
}

TEST(ServiceChecksTest, NoTwoServicesHaveTheSameId) {
  json job = ServedJob("nomad");
  json& services = job["TaskGroups"][0]["Services"];
  services.push_back(services[0]);
  services[1]["PortLabel"] = "admin";
  EXPECT_EQ(ServiceFaults(job), "") << "the port is another one";
  services[1]["PortLabel"] = "http";
  EXPECT_EQ(ServiceFaults(job),
            "/TaskGroups/0/Services/1/Name: its registration would have the same id as that of "
            "/TaskGroups/0/Services/0; change the name or the port");
  services.erase(1);
  json& task = job["TaskGroups"][0]["Tasks"][1];
  task["Services"] = {{{"Name", "web"}, {"PortLabel", "http"}}};
  EXPECT_EQ(ServiceFaults(job), "") << "the id has the task's name";
}

TEST(ServiceChecksTest, NoTwoTasksHaveServicesWithTheSameId) {
  json job = ServedJob("nomad");
  json& tasks = job["TaskGroups"][0]["Tasks"];
  tasks[0]["Name"] = "web";
  tasks[0]["Services"] = {{{"Name", "api-x"}, {"PortLabel", "http"}}};
  tasks[1]["Name"] = "web-api";
  tasks[1]["Services"] = {{{"Name", "x"}, {"PortLabel", "http"}}};
  EXPECT_EQ(ServiceFaults(job),
            "/TaskGroups/0/Tasks/1/Services/0/Name: its registration would have the same id as "
            "that of /TaskGroups/0/Tasks/0/Services/0; change the name or the port");
  tasks[1]["Name"] = "group-g";
  tasks[1]["Services"][0]["Name"] = "web";
  EXPECT_EQ(ServiceFaults(job),
            "/TaskGroups/0/Services/0/Name: its registration would have the same id as that of "
            "/TaskGroups/0/Tasks/1/Services/0; change the name or the port");
}

TEST(ServiceChecksTest, TwoChecksAreNotTheSame) {
  json job = ServedJob("nomad");
  json& checks = job["TaskGroups"][0]["Services"][0]["Checks"];
  checks.push_back(checks[0]);
  EXPECT_EQ(ServiceFaults(job),
            "/TaskGroups/0/Services/0/Checks/1: is the same as the one at "
            "/TaskGroups/0/Services/0/Checks/0; remove one of them");
  checks[1]["Path"] = "/other";
  EXPECT_EQ(ServiceFaults(job), "") << "names need not differ";
}

TEST(ServiceChecksTest, AllFaultsComeAtOnce) {
  json job = ServedJob("nomad");
  json& service = job["TaskGroups"][0]["Services"][0];
  service["Name"] = "a_b";
  service["PortLabel"] = "db";
  service["Checks"][0]["Interval"] = "0s";
  service["Checks"][0]["Path"] = "";
  const std::string faults = ServiceFaults(job);
  EXPECT_THAT(faults, StartsWith("the job has 4 faults:\n"));
  for (const char* place :
       {"/Name: ", "/PortLabel: ", "/Checks/0/Interval: ", "/Checks/0/Path: "}) {
    EXPECT_THAT(faults, HasSubstr(kServiceAt + place));
  }
}

TEST(ServiceChecksTest, AHostileJobIsBounded) {
  json job = ServedJob("nomad");
  json& group = job["TaskGroups"][0];
  json& service = group["Services"][0];
  const json before = service;
  service["Tags"] = json(std::vector<std::string>(256, "t"));
  EXPECT_EQ(ServiceFaults(job), "");
  service["Tags"].push_back("t");
  EXPECT_EQ(ServiceFaults(job), kServiceAt + "/Tags: must be at most 256 tags");
  service["Tags"] = json::array({std::string(17 << 10, 't')});
  EXPECT_THAT(ServiceFaults(job), StartsWith(kServiceAt + ": its texts must have at most 16384 "));
  service = before;
  service["Checks"][0]["Body"] = std::string(65 << 10, 't');
  EXPECT_THAT(ServiceFaults(job), StartsWith(kCheckAt + ": its texts must have at most 65536 "));
  service = before;
  for (std::size_t i = 1; i < 64; ++i) {
    service["Checks"].push_back(service["Checks"][0]);
    service["Checks"][i]["Path"] = "/" + std::to_string(i);
  }
  EXPECT_EQ(ServiceFaults(job), "");
  const json many = service;
  for (std::size_t i = 1; i < 16; ++i) {
    group["Services"].push_back(many);
    group["Services"][i]["Name"] = "s" + std::to_string(i);
  }
  // The task has one more.
  EXPECT_EQ(ServiceFaults(job),
            "/TaskGroups/0/Services/15/Checks: a group and its tasks must have "
            "at most 1024 checks");
  group["Services"] = nullptr;
  group["Tasks"][0]["Services"] = nullptr;
  for (int i = 0; i < 512; ++i) {
    group["Services"].push_back(json{{"Name", "s" + std::to_string(i)}});
  }
  EXPECT_EQ(ServiceFaults(job), "");
  group["Tasks"][0]["Services"] = {{{"Name", "one-more"}}};
  EXPECT_EQ(ServiceFaults(job),
            "/TaskGroups/0/Services: a group and its tasks must have at most 512 services");
}

}  // namespace
}  // namespace drover
