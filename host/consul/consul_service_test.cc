// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/consul_service.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "host/consul/make_consul_service.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr char kMade[] = "0a1b2c3d-0000-4000-8000-00000000000f";

ServiceRegistration RegistrationForConsul() {
  ServiceRegistration registration;
  registration.id = ConsulIdPrefixOf(kMade) + "web-www-http";
  registration.name = "www";
  registration.node_id = "node-1";
  registration.alloc_id = kMade;
  registration.tags = {"a"};
  registration.address = "192.0.2.1";
  registration.port = 8080;
  return registration;
}

ConsulService Make(const Service& service) {
  const auto place = [](const ServiceCheck& check) -> Result<ConsulAddress> {
    if (check.port_label == "none") return Error(Code::kInvalidArgument, "no such port");
    return ConsulAddress{check.port_label == "six" ? "2001:db8::1" : "192.0.2.1", 81};
  };
  const Result<ConsulService> made =
      MakeConsulService(service, "web", RegistrationForConsul(), place);
  EXPECT_TRUE(made.ok());
  return made.value_or(ConsulService());
}

ServiceCheck CheckForConsul(CheckType type) {
  ServiceCheck check;
  check.name = "c";
  check.type = type;
  check.interval = 10s;
  check.timeout = 2s;
  return check;
}

TEST(ConsulServiceTest, IdsNameTheirAllocation) {
  EXPECT_EQ(AllocOfConsulId(ConsulIdPrefixOf(kMade) + "web-www-"), kMade);
  EXPECT_EQ(AllocOfConsulId("_nomad-task-short"), "");
  EXPECT_EQ(AllocOfConsulId("redis"), "");
  EXPECT_EQ(AllocOfConsulId(""), "");
}

TEST(ConsulServiceTest, AServiceHasAllItsFields) {
  Service service;
  service.meta = {{"k", "v"}};
  service.enable_tag_override = true;
  service.tagged_addresses = {{"wan", "198.51.100.1"},
                              {"lan", "192.0.2.9:90"},
                              {"six", "2001:db8::1"},
                              {"port", "[2001:db8::1]:7"}};
  service.weights = ServiceWeights{3, 2};
  const json body = ConsulRegistration(Make(service));
  EXPECT_EQ(body,
            json::parse(R"({"ID": "_nomad-task-0a1b2c3d-0000-4000-8000-00000000000f-web-www-http",
      "Name": "www", "Tags": ["a"], "Address": "192.0.2.1", "Port": 8080,
      "Meta": {"k": "v", "external-source": "nomad", "drover-node": "node-1",
               "drover-owner": "web"},
      "EnableTagOverride": true, "Weights": {"Passing": 3, "Warning": 2},
      "TaggedAddresses": {"wan": {"Address": "198.51.100.1", "Port": 8080},
                          "lan": {"Address": "192.0.2.9", "Port": 90},
                          "six": {"Address": "2001:db8::1", "Port": 8080},
                          "port": {"Address": "2001:db8::1", "Port": 7}},
      "Checks": []})"));
}

TEST(ConsulServiceTest, EachKindOfCheckHasItsFields) {
  ServiceCheck http = CheckForConsul(CheckType::kHttp);
  http.path = "health?full=1";
  http.protocol = "https";
  http.port_label = "six";
  http.method = "POST";
  http.body = "{}";
  http.header = {{"Accept", {"a", "b"}}};
  http.tls_skip_verify = true;
  http.tls_server_name = "web.example";
  http.initial_status = InitialStatus::kPassing;
  http.notes = "n";
  http.success_before_passing = 2;
  http.failures_before_critical = 3;
  http.failures_before_warning = 1;
  ServiceCheck grpc = CheckForConsul(CheckType::kGrpc);
  grpc.grpc_service = "health";
  grpc.grpc_use_tls = true;
  ServiceCheck script = CheckForConsul(CheckType::kScript);
  script.command = "/bin/true";
  script.port_label = "none";
  Service service;
  service.checks = {http, CheckForConsul(CheckType::kTcp), grpc, script};
  const ConsulService made = Make(service);
  ASSERT_EQ(made.checks.size(), 4u);
  EXPECT_EQ(made.checks[0].definition, json::parse(R"({"Name": "c", "Notes": "n",
      "HTTP": "https://[2001:db8::1]:81/health?full=1", "Method": "POST", "Body": "{}",
      "Header": {"Accept": ["a", "b"]}, "TLSSkipVerify": true, "TLSServerName": "web.example",
      "Status": "passing", "SuccessBeforePassing": 2, "FailuresBeforeCritical": 3,
      "FailuresBeforeWarning": 1, "Interval": "10s", "Timeout": "2s"})"));
  EXPECT_EQ(made.checks[1].definition, json::parse(R"({"Name": "c", "TCP": "192.0.2.1:81",
      "Interval": "10s", "Timeout": "2s"})"));
  EXPECT_EQ(made.checks[2].definition, json::parse(R"({"Name": "c", "GRPC": "192.0.2.1:81/health",
      "GRPCUseTLS": true, "Interval": "10s", "Timeout": "2s"})"));
  EXPECT_EQ(made.checks[3].definition, json::parse(R"({"Name": "c", "TTL": "42s"})"))
      << "this agent runs a script";
  EXPECT_TRUE(made.checks[3].script);
  EXPECT_EQ(ConsulRegistration(made)["Checks"][1]["CheckID"], made.checks[1].id);
}

TEST(ConsulServiceTest, ACheckHasAnotherIdWhenItChanges) {
  Service service;
  service.checks = {CheckForConsul(CheckType::kTcp), CheckForConsul(CheckType::kTcp)};
  const ConsulService first = Make(service);
  EXPECT_EQ(Make(service), first) << "the same after every restart";
  EXPECT_NE(first.checks[0].id, first.checks[1].id) << "equal checks are two checks";
  EXPECT_TRUE(first.checks[0].id.starts_with(kConsulCheckPrefix));
  service.checks[0].interval = 11s;
  EXPECT_NE(Make(service).checks[0].id, first.checks[0].id);
  EXPECT_EQ(Make(service).checks[1].id, first.checks[1].id);
}

TEST(ConsulServiceTest, ACheckWithoutAPlaceIsAnError) {
  Service service;
  service.checks = {CheckForConsul(CheckType::kTcp)};
  const Result<ConsulService> made = MakeConsulService(
      service, "", RegistrationForConsul(), [](const ServiceCheck&) -> Result<ConsulAddress> {
        return Error(Code::kInvalidArgument, "no such port");
      });
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message(), "check \"c\": no such port");
}

TEST(ConsulServiceTest, TheComparisonIgnoresWhatOthersMayChange) {
  ConsulService wanted = Make(Service());
  wanted.checks.push_back({"_nomad-check-1", "c", false, OnUpdate::kIgnore, {}});
  ConsulService found = wanted;
  found.tagged_addresses["lan_ipv4"] = {"192.0.2.1", 8080};
  EXPECT_TRUE(SameConsulService(wanted, found));
  found.tags = {"b"};
  EXPECT_FALSE(SameConsulService(wanted, found));
  wanted.enable_tag_override = found.enable_tag_override = true;
  EXPECT_TRUE(SameConsulService(wanted, found));
  found.meta.erase("external-source");
  EXPECT_FALSE(SameConsulService(wanted, found));
  EXPECT_TRUE(SameConsulChecks(wanted, {"_nomad-check-1", "_service_maintenance:x"}));
  EXPECT_FALSE(SameConsulChecks(wanted, {}));
  EXPECT_FALSE(SameConsulChecks(wanted, {"_nomad-check-1", "_nomad-check-2"}));
}

}  // namespace
}  // namespace drover
