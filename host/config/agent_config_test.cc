// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/agent_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <ostream>

#include "host/base/directory_for_test.h"
#include "host/base/unique_fd.h"
#include "host/config/load_config.h"

namespace drover {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(AgentConfigTest, ReadsEverythingWithCommentsAndRelativePaths) {
  const Result<AgentConfig> config = ParseAgentConfig(R"({
    // the node
    "name": "n1", "datacenter": "dc2", "region": "eu",
    "client": {"alloc_dir": "allocs", "run_dir": "/run/x", "node_class": "big",
               "network_interface": "eth1",
               "meta": {"rack": "7"}, "unknown_tasks": "keep", "max_kill_timeout": "1m",
               "ephemeral_disk_limit": "quota",
               "min_disk_project": 100, "max_disk_project": 200,
               "reserved": {"cpu": 500, "memory": 256, "disk": 64},
               "gc_interval": "10s", "gc_max_allocs": 7,
               "host_volume": {"certs": {"path": "/etc/ssl", "read_only": true},
                               "data": {"path": "data"}},
               "host_volumes_dir": "vols", "host_volume_plugin_dir": "/opt/vp",
               "gc_disk_usage_threshold": 90},
    "server": {"job_gc_threshold": "1h", "deployment_gc_threshold": "2m",
               "oidc_issuer": "https://drover.example",
               "root_key_rotation_threshold": "24h",
               "default_scheduler_config": {"preemption_config": {
                   "service_scheduler_enabled": true, "system_scheduler_enabled": false}}},
    "plugin_dirs": ["../plugins", "/opt/drover"],
    "plugins": {"raw_exec": {"config": {"enabled": true}, "enabled": false, "file": "r.so",
                             "isolation": "process",
                             "limits": {"start": "30m", "hold": "1m"},
                             "probe": {"time": "20s", "memory_mb": 8192}}},
    "log_level": "debug",
    "telemetry": {"collection_interval": "250ms",
                  "publish_allocation_metrics": true, "prometheus_metrics": true},
    "http": {"hosts": ["node.example"], "origins": ["https://ui.example:8443", "http://[::1]"],
             "advertise": "node.example:80"},
    "log_format": "json",
    "limits": {"http_max_conns": 9, "http_max_conns_per_client": 0,
               "https_handshake_timeout": "3s"},
    "services": {"default_provider": "builtin", "consul": "builtin"}
  })",
                                                      "/etc/drover");
  ASSERT_TRUE(config.ok()) << config.error().message();
  EXPECT_EQ(config->name, "n1");
  EXPECT_EQ(config->datacenter, "dc2");
  EXPECT_EQ(config->region, "eu");
  EXPECT_EQ(config->client.meta.at("rack"), "7");
  EXPECT_EQ(config->client.alloc_dir, "/etc/drover/allocs");
  EXPECT_EQ(config->client.run_dir, "/run/x");
  EXPECT_EQ(config->plugin_dirs, (std::vector<std::string>{"/etc/plugins", "/opt/drover"}));
  const PluginConfig& block = config->plugins.at(0);
  EXPECT_EQ(block.name, "raw_exec");
  EXPECT_EQ(block.file, "/etc/drover/r.so");
  EXPECT_FALSE(block.enabled);
  EXPECT_EQ(block.isolation, "process");
  EXPECT_EQ(block.limits, (std::map<std::string, Duration>{{"hold", 60s}, {"start", 1800s}}));
  EXPECT_EQ(block.probe, (ProbeLimits{20s, 8192, 0}));
  EXPECT_EQ(block.config_json, R"({"enabled":true})");
  EXPECT_EQ(config->client.max_kill_timeout, 60s);
  EXPECT_EQ(config->client.disk_limit, AgentConfig::Client::DiskLimit::kQuota);
  EXPECT_EQ(config->client.min_disk_project, 100);
  EXPECT_EQ(config->client.max_disk_project, 200);
  EXPECT_EQ(config->client.host_volumes,
            (std::map<std::string, AgentConfig::HostVolume>{
                {"certs", {"/etc/ssl", true}}, {"data", {"/etc/drover/data", false}}}));
  EXPECT_EQ(config->client.host_volumes_dir, "/etc/drover/vols");
  EXPECT_EQ(config->client.host_volume_plugin_dir, "/opt/vp");
  EXPECT_EQ(config->telemetry.collection_interval, 250ms);
  EXPECT_EQ(config->log_level, "debug");
  EXPECT_TRUE(config->telemetry.publish_allocation_metrics);
  EXPECT_TRUE(config->telemetry.prometheus_metrics);
  EXPECT_EQ(config->http.hosts, (std::vector<std::string>{"node.example"}));
  EXPECT_EQ(config->http.origins.size(), 2u);
  EXPECT_EQ(config->http.advertise, "node.example:80");
  EXPECT_EQ(config->client.gc.interval, 10s);
  EXPECT_EQ(config->server.job_gc_threshold, 3600s);
  EXPECT_EQ(config->server.deployment_gc_threshold, 120s);
  EXPECT_TRUE(config->server.preemption.service);
  EXPECT_FALSE(config->server.preemption.system);
  EXPECT_FALSE(config->server.preemption.batch);
  EXPECT_EQ(config->identity.oidc_issuer, "https://drover.example");
  EXPECT_EQ(config->identity.key_age, std::chrono::hours(24));
  EXPECT_EQ(config->client.gc.max_allocs, 7);
  EXPECT_EQ(config->client.gc.disk_usage_threshold, 90);
  EXPECT_EQ(config->client.node_class, "big");
  EXPECT_EQ(config->client.network_interface, "eth1");
  EXPECT_TRUE(config->client.keep_unknown_tasks);
  EXPECT_EQ(config->client.reserved.cpu_mhz, 500);
  EXPECT_EQ(config->client.reserved.memory_mb, 256);
  EXPECT_EQ(config->client.reserved.disk_mb, 64);
  EXPECT_EQ(config->log_format, "json");
  EXPECT_EQ(config->limits.http_max_conns, 9);
  EXPECT_EQ(config->limits.http_max_conns_per_client, 0);
  EXPECT_EQ(config->limits.https_handshake_timeout, 3s);
}

TEST(AgentConfigTest, EmptyIsAllDefaults) {
  const AgentConfig config = ParseAgentConfig("{}", "/").value();
  EXPECT_EQ(config.client.max_kill_timeout, 30s);
  EXPECT_TRUE(config.plugins.empty());
  // Enough for a thousand followers of one user, each with a second connection for its requests.
  EXPECT_GE(config.limits.http_max_conns_per_client, 2000);
  EXPECT_GE(config.limits.http_max_conns, 2 * config.limits.http_max_conns_per_client)
      << "one user cannot have all of them";
}

TEST(AgentConfigTest, SaysWhereServicesAreRegistered) {
  const auto parse = [](const char* text) { return ParseAgentConfig(text, "/etc").value(); };
  using enum ServiceProvider;
  const AgentConfig none = parse("{}");
  EXPECT_EQ(ServicePolicyOf(none, false), ServicePolicy());
  EXPECT_EQ(ServicePolicyOf(none, true), (ServicePolicy{false, true, kConsul}))
      << "a job that is tried runs without a Consul";
  const AgentConfig here = parse(R"({"services": {"default_provider": "builtin",
                                                  "consul": "builtin"}})");
  EXPECT_EQ(here.services, (AgentConfig::Services{kBuiltin, kBuiltin}));
  EXPECT_EQ(ServicePolicyOf(here, false), (ServicePolicy{false, true, kBuiltin}));
  const AgentConfig strict = parse(R"({"services": {"consul": "consul"}})");
  EXPECT_EQ(ServicePolicyOf(strict, true), ServicePolicy());
}

TEST(AgentConfigTest, ReportsWhatOnlyARestartTakesOver) {
  const auto parse = [](const char* text) { return ParseAgentConfig(text, "/etc").value(); };
  const AgentConfig before = parse(R"({"name": "n", "plugins": {"mock_driver": {}},
      "http": {"tls": {"cert_file": "a.pem", "key_file": "a.key"}}})");
  EXPECT_THAT(KeysThatNeedRestart(before, before), ::testing::IsEmpty());
  const AgentConfig reloadable = parse(R"({"name": "n", "plugins": {"mock_driver": {}},
      "log_level": "debug", "token_file": "t", "telemetry": {"prometheus_metrics": true},
      "client": {"gc_max_allocs": 7}, "server": {"job_gc_threshold": "1h"},
      "services": {"consul": "builtin"},
      "http": {"tls": {"cert_file": "b.pem", "key_file": "b.key"}}})");
  EXPECT_THAT(KeysThatNeedRestart(before, reloadable), ::testing::IsEmpty());
  const AgentConfig other = parse(R"({"name": "m", "datacenter": "d", "region": "r",
      "data_dir": "d", "plugin_dirs": ["p"],
      "client": {"meta": {"k": "v"}, "alloc_dir": "a", "run_dir": "r", "node_class": "c", "network_interface": "i",
                 "unknown_tasks": "keep", "max_kill_timeout": "1s", "reserved": {"cpu": 1}, "host_volume": {"v": {"path": "/v"}},
                 "host_volumes_dir": "/h", "host_volume_plugin_dir": "/p"},
      "http": {"address": "::1", "port": 1, "hosts": ["h"], "origins": ["http://o"],
      "advertise": "a"}, "plugins": {"mock_driver": {"enabled": false}},
      "server": {"oidc_issuer": "http://h", "root_key_rotation_threshold": "1h"},
      "telemetry": {"collection_interval": "2s"}, "log_format": "json",
      "limits": {"http_max_conns": 1}})");
  EXPECT_THAT(
      KeysThatNeedRestart(before, other),
      ::testing::ElementsAre(
          "name", "datacenter", "region", "data_dir", "http/address", "http/port", "http/hosts",
          "http/origins", "http/advertise", "http/tls", "plugin_dirs", "plugins",
          "client/alloc_dir", "client/run_dir", "client/node_class", "client/network_interface",
          "client/meta", "client/unknown_tasks", "client/max_kill_timeout", "client/reserved",
          "client/host_volume", "client/host_volumes_dir", "client/host_volume_plugin_dir",
          "server/oidc_issuer", "server/root_key_rotation_threshold",
          "telemetry/collection_interval", "log_format", "limits"));
}

TEST(AgentConfigTest, NetworksForJobs) {
  const auto parse = [](const char* text) { return ParseAgentConfig(text, "/etc").value(); };
  const AgentConfig config = parse(R"({"client": {
      "host_network": {"public": {"cidr": "203.0.113.0/24", "reserved_ports": "22,80"},
                       "lan": {"interface": "eth1"}},
      "bridge_network_name": "br7", "bridge_network_subnet": "10.7.0.0/16",
      "bridge_network_subnet_ipv6": "fd07::/64", "bridge_network_hairpin_mode": true,
      "cni_path": "/a:/b", "cni_config_dir": "cni", "cni_address_check": false}})");
  const AgentConfig::Client& client = config.client;
  ASSERT_EQ(client.host_networks.size(), 2u);
  EXPECT_EQ(client.host_networks.at("public").cidr, "203.0.113.0/24");
  EXPECT_EQ(client.host_networks.at("public").ports, (std::set<int>{22, 80}));
  EXPECT_EQ(client.host_networks.at("lan").interface_name, "eth1");
  EXPECT_EQ(client.bridge, (AgentConfig::Client::Bridge{"br7", "10.7.0.0/16", "fd07::/64", true}));
  EXPECT_EQ(client.cni_path, "/a:/b");
  EXPECT_EQ(client.cni_config_dir, "/etc/cni");
  EXPECT_FALSE(client.cni_address_check);
  EXPECT_THAT(
      KeysThatNeedRestart(parse("{}"), config),
      ::testing::ElementsAre("client/host_network", "client/bridge_network", "client/cni_path",
                             "client/cni_config_dir", "client/cni_address_check"));
}

TEST(AgentConfigTest, LimitsOfAPluginAreBounded) {
  const auto parse = [](const std::string& limits) {
    return ParseAgentConfig(R"({"plugin": {"a": {"limits": {)" + limits + "}}}}", "/etc");
  };
  const auto good = parse(R"("start": "1h", "prepare": "2h", "stop": "30s", "prepared_age": "0s",
                             "extend": "0s", "threads": 16)");
  ASSERT_TRUE(good.ok()) << good.error().message();
  EXPECT_EQ(
      good->plugins[0].limits,
      (std::map<std::string, Duration>{
          {"start", 1h}, {"prepare", 2h}, {"stop", 30s}, {"prepared_age", 0s}, {"extend", 0s}}));
  EXPECT_EQ(good->plugins[0].threads, 16);
  EXPECT_EQ(parse("").value().plugins[0].threads, 0);
  const auto mistake = [&](const std::string& limits) {
    const auto read = parse(limits);
    return read.ok() ? std::string("none") : read.error().message();
  };
  EXPECT_THAT(mistake(R"("start": "0s")"), ::testing::HasSubstr("must be longer than 0s"));
  EXPECT_THAT(mistake(R"("start": "10us")"),
              ::testing::HasSubstr("/plugin/a/limits/start: must be from 1ms to 8760h"));
  EXPECT_THAT(mistake(R"("prepare": "9000h")"), ::testing::HasSubstr("/plugin/a/limits/prepare"));
  EXPECT_THAT(mistake(R"("prepared_age": "9000h")"), ::testing::HasSubstr(", or 0"));
  EXPECT_THAT(mistake(R"("threads": 0)"), ::testing::HasSubstr("/plugin/a/limits/threads"));
  EXPECT_THAT(mistake(R"("threads": 33)"), ::testing::HasSubstr("/plugin/a/limits/threads"));
  EXPECT_THAT(mistake(R"("pull": "1h")"), ::testing::HasSubstr("/plugin/a/limits/pull"));
}

TEST(AgentConfigTest, TaskHooksAreCalledInTheirOrder) {
  const auto parse = [](const char* text) { return ParseAgentConfig(text, "/etc").value(); };
  const AgentConfig config = parse(R"({"plugins": {"a": {"limits": {"exited_hook": "3s"}}, "b": {}},
                                      "client": {"task_hooks": ["b", "a"]}})");
  EXPECT_EQ(config.client.task_hooks, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(config.plugins[0].limits, (std::map<std::string, Duration>{{"exited_hook", 3s}}));
  const AgentConfig other = parse(R"({"plugins": {"a": {}, "b": {}},
                                      "client": {"task_hooks": ["a", "b"]}})");
  EXPECT_THAT(KeysThatNeedRestart(config, other), ::testing::ElementsAre("client/task_hooks"));
}

TEST(AgentConfigTest, WhoMayDoWhat) {
  const auto parse = [](const char* text) { return ParseAgentConfig(text, "/etc").value(); };
  EXPECT_EQ(parse("{}").acl, AgentConfig::Access());
  EXPECT_FALSE(parse("{}").acl.enabled);
  const AgentConfig::Access acl = parse(R"({"acl": {"enabled": true,
      "token_min_expiration_ttl": "30s", "token_max_expiration_ttl": "48h"}})")
                                      .acl;
  EXPECT_EQ(acl, (AgentConfig::Access{true, 30s, std::chrono::hours(48)}));
}

TEST(AgentConfigTest, WhatKeepsClientsOutGoesWithARestartOnly) {
  const auto parse = [](const char* text) { return ParseAgentConfig(text, "/etc").value(); };
  const AgentConfig open = parse(R"({"http": {"tls": {"cert_file": "c", "key_file": "k"}}})");
  const AgentConfig closed = parse(R"({"token_file": "t", "acl": {"enabled": true},
      "http": {"tls": {"cert_file": "c", "key_file": "k", "ca_file": "a",
                       "verify_client": true}}})");
  EXPECT_THAT(KeysThatNeedRestart(open, closed), ::testing::IsEmpty());
  EXPECT_THAT(KeysThatNeedRestart(closed, open),
              ::testing::ElementsAre("token_file", "acl/enabled", "http/tls"));
}

struct Mistake {
  const char* json;
  const char* message;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.json; }

class AgentConfigMistakeTest : public ::testing::TestWithParam<Mistake> {};

TEST_P(AgentConfigMistakeTest, IsReportedWithItsPointer) {
  const Result<AgentConfig> config = ParseAgentConfig(GetParam().json, "/");
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.code(), Code::kInvalidArgument);
  EXPECT_THAT(config.error().message(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, AgentConfigMistakeTest,
    ::testing::Values(
        Mistake{"{", "not JSON"}, Mistake{"[]", "/: must be an object"},
        Mistake{R"({"nam": "x"})", "/nam: is not supported by this version; known here: name"},
        Mistake{R"({"audit": {"sink": {}, "enabled": true}})",
                "/audit: is not supported by this version"},
        Mistake{R"({"telemetry": 1})", "/telemetry: must be an object"},
        Mistake{R"({"telemetry": {"prometheus_metrics": "yes"}})",
                "/telemetry/prometheus_metrics: must be true or false"},
        Mistake{R"({"name": 1})", "/name: must be a text"},
        Mistake{R"({"token_file": ""})", "/token_file: is empty: write a path, or leave it out"},
        Mistake{R"({"token_file": null})", "/token_file: is null: write a value, or leave the key"},
        Mistake{R"({"http": {"tls": null}})", "/http/tls: is null"},
        Mistake{R"({"plugins": {"a": {"sha256": null}}})", "/plugins/a/sha256: is null"},
        Mistake{R"({"plugin_dirs": ["/a", ""]})", "/plugin_dirs/1: is empty"},
        Mistake{R"({"plugin_dirs": ["/a\u0000b"]})", "/plugin_dirs/0: holds a NUL character"},
        Mistake{R"({"plugin_dirs": [null]})", "/plugin_dirs/0: must be a text"},
        Mistake{R"({"data_dir": ""})", "/data_dir: is empty"},
        Mistake{R"({"data_dir": "/srv\u0000/x"})", "/data_dir: holds a NUL character"},
        Mistake{R"({"http": {"tls": {"ca_file": ""}}})", "/http/tls/ca_file: is empty"},
        Mistake{R"({"client": {"alloc_dir": ""}})", "/client/alloc_dir: is empty"},
        Mistake{R"({"plugins": {"a": {"file": ""}}})", "/plugins/a/file: is empty"},
        Mistake{R"({"plugin_dirs": "x"})", "/plugin_dirs: must be a list of texts"},
        Mistake{R"({"client": {"meta": {"a": 1}}})", "/client/meta/a: must be a text"},
        Mistake{R"({"plugins": []})", "/plugins: must be an object"},
        Mistake{R"({"plugins": {"a": 1}})", "/plugins/a: must be an object"},
        Mistake{R"({"plugins": {"a": {"x": 1}}})", "/plugins/a/x: is not supported"},
        Mistake{R"({"plugins": {"a": {"isolation": "vm"}}})", "/plugins/a/isolation: "},
        Mistake{R"({"plugins": {"a": {"limits": {"start": "0s"}}}})", "/plugins/a/limits/start: "},
        Mistake{R"({"plugins": {"a": {"limits": {"start": "2562047h"}}}})",
                "/plugins/a/limits/start: must be at most 876000h"},
        Mistake{R"({"plugins": {"a": {"limits": {"pull": "1m"}}}})",
                "/plugins/a/limits/pull: is not supported by this version; known here: load, "},
        Mistake{R"({"plugins": {"a": {"probe": {"memory_mb": 1}}}})",
                "/plugins/a/probe/memory_mb: "},
        Mistake{R"({"plugins": {"a": {"sha256": "12"}}})", "/plugins/a/sha256: must be 64"},
        Mistake{R"({"plugins": {"a": {"config": []}}})", "/plugins/a/config: must be an object"},
        Mistake{R"({"client": {"task_hooks": ["a"]}})",
                "/client/task_hooks/0: there is no plugin \"a\": write plugin"},
        Mistake{R"({"plugins": {"a": {"enabled": false}}, "client": {"task_hooks": ["a"]}})",
                "/client/task_hooks/0: plugin \"a\" is not enabled"},
        Mistake{R"({"plugins": {"a": {}}, "client": {"task_hooks": ["a", "a"]}})",
                "/client/task_hooks/1: is there twice"},
        Mistake{R"({"client": {"max_kill_timeout": 5}})",
                "/client/max_kill_timeout: must be a duration"},
        Mistake{R"({"client": {"max_kill_timeout": "0s"}})",
                "/client/max_kill_timeout: must be longer than 0s"},
        Mistake{R"({"client": {"unknown_tasks": "kill"}})",
                "/client/unknown_tasks: must be stop or keep"},
        Mistake{R"({"client": {"host_network": {"public": {}}}})",
                "/client/host_network/public: needs cidr, interface, or both"},
        Mistake{R"({"client": {"host_network": {"public": {"cidr": "203.0.113.9"}}}})",
                "/client/host_network/public/cidr: must be a network"},
        Mistake{R"({"client": {"host_network": {"default": {"interface": "lo"}}}})",
                "/client/host_network/default: its name must"},
        Mistake{R"({"client": {"host_network": {"a": {"interface": "lo",
                                                     "reserved_ports": "x"}}}})",
                "/client/host_network/a/reserved_ports: must be ports"},
        Mistake{R"({"client": {"bridge_network_name": "a-name-that-is-too-long"}})",
                "/client/bridge_network_name: must have 1 to 15 letters"},
        Mistake{R"({"client": {"bridge_network_subnet": "fd00::/64"}})",
                "/client/bridge_network_subnet: must be an IPv4 network"},
        Mistake{R"({"client": {"bridge_network_subnet_ipv6": "10.0.0.0/8"}})",
                "/client/bridge_network_subnet_ipv6: must be an IPv6 network"},
        Mistake{R"({"services": {"consul": "nomad"}})",
                "/services/consul: must be consul or builtin"},
        Mistake{R"({"services": {"default_provider": ""}})",
                "/services/default_provider: must be consul or builtin"},
        Mistake{R"({"services": {"provider": "builtin"}})",
                "/services/provider: is not supported by this version; known here: "
                "default_provider, consul"},
        Mistake{R"({"client": {"reserved": {"cpu": -1}}})",
                "/client/reserved/cpu: must be a whole number from 0"},
        Mistake{R"({"client": {"option": {}}})", "/client/option: is not supported"},
        Mistake{R"({"server": {"rank": true}})",
                "/server/rank: is not supported by this version; known here: enabled, job_gc_thr"},
        Mistake{R"({"acl": {"token_max_expiration_ttl": "1s"}})",
                "/acl/token_max_expiration_ttl: no time is between 1m0s and 1s"},
        Mistake{R"({"alloc_dir": "/a"})", "/alloc_dir: is not supported"},
        Mistake{R"({"telemetry": {"collection_interval": "5"}})",
                "/telemetry/collection_interval: \"5\" is not a duration"},
        Mistake{R"({"http": {"hosts": ["a:80"]}})", "/http/hosts: \"a:80\" must be a host without"},
        Mistake{R"({"http": {"hosts": [""]}})", "/http/hosts: "},
        Mistake{R"({"http": {"origins": ["ui.example"]}})", "/http/origins: \"ui.example\""},
        Mistake{R"({"http": {"origins": ["https://ui.example/"]}})", "/http/origins: "},
        Mistake{R"({"http": {"origins": ["ftp://ui.example"]}})", "/http/origins: "},
        Mistake{R"({"http": {"advertise": "a:0"}})", "/http/advertise: \"a:0\" is not like"},
        Mistake{R"({"http": {"advertise": "[::1"}})", "/http/advertise: "},
        Mistake{R"({"http": {"advertise": "a b"}})", "/http/advertise: "},
        Mistake{R"({"server": {"job_gc_threshold": "0s"}})",
                "/server/job_gc_threshold: must be longer than 0s"},
        Mistake{R"({"server": {"oidc_issuer": "drover.example"}})",
                "/server/oidc_issuer: must be a URL without a query"},
        Mistake{R"({"server": {"oidc_issuer": "https://h/?a"}})", "/server/oidc_issuer: must be"},
        Mistake{R"({"server": {"root_key_rotation_threshold": "1s"}})",
                "/server/root_key_rotation_threshold: must be at least 1m"},
        Mistake{R"({"client": {"gc_disk_usage_threshold": 101}})",
                "/client/gc_disk_usage_threshold: must be a whole number from 1 to 100"},
        Mistake{R"({"log_format": "xml"})", "/log_format: must be text or json"},
        Mistake{R"({"limits": {"http_max_conns": -1}})",
                "/limits/http_max_conns: must be a whole number from 0"},
        Mistake{R"({"limits": {"rpc": 1}})", "/limits/rpc: is not supported"},
        Mistake{R"({"log_level": "loud"})", "/log_level: must be trace"}));

TEST(AgentConfigTest, AllMistakesAreReportedAtOnce) {
  const Result<AgentConfig> config = ParseAgentConfig(R"({"a": 1, "name": 2})", "/");
  EXPECT_THAT(config.error().message(), HasSubstr("/name"));
  EXPECT_THAT(config.error().message(), HasSubstr("/a"));
}

TEST(AgentConfigTest, AFileThatOthersCanWriteIsRefused) {
  std::string path = ::testing::TempDir() + "/config-XXXXXX";
  const UniqueFd file(mkstemp(path.data()));
  ASSERT_EQ(write(file.get(), "{}", 2), 2);
  const auto mistake = [&path]() -> std::string {
    const Result<AgentConfig> config = ReadAgentConfig(path);
    return config.ok() ? "" : config.error().message();
  };
  for (const mode_t mode : {0600, 0644, 0664}) {
    chmod(path.c_str(), mode);
    EXPECT_EQ(mistake(), "") << mode;
  }
  chmod(path.c_str(), 0646);
  EXPECT_THAT(mistake(), HasSubstr("has mode 0646: others could replace the configuration"));
  chmod(path.c_str(), 0644);
  if (geteuid() == 0) {
    ASSERT_EQ(chown(path.c_str(), 4242, 4242), 0);
    EXPECT_THAT(mistake(), HasSubstr("belongs to user 4242"));
  }
  unlink(path.c_str());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(mistake(), HasSubstr("no such file")) << "it must not wait for a writer";
  unlink(path.c_str());
}

TEST(AgentConfigTest, SoIsOneThatOthersCanReplace) {
  const DirectoryForTest made(::testing::TempDir());
  const std::string& directory = made.path();
  const std::string path = directory + "/agent.json";
  std::ofstream(path) << "{}";
  chmod(path.c_str(), 0644);
  const auto mistake = [&path]() -> std::string {
    const Result<AgentConfig> config = ReadAgentConfig(path);
    return config.ok() ? "" : config.error().message();
  };
  EXPECT_EQ(mistake(), "");
  chmod(directory.c_str(), 0777);
  EXPECT_THAT(mistake(), AllOf(HasSubstr("configuration " + path), HasSubstr("has mode 0777")));
  if (geteuid() == 0) {
    chmod(directory.c_str(), 0755);
    ASSERT_EQ(chown(directory.c_str(), 4242, 4242), 0);
    EXPECT_THAT(mistake(), HasSubstr("belongs to user 4242"));
  }
}

TEST(AgentConfigTest, MissingFileIsNamed) {
  EXPECT_EQ(ReadAgentConfig("/no/such.json").error(),
            Error(Code::kNotFound, "configuration /no/such.json: no such file"));
}

}  // namespace
}  // namespace drover
