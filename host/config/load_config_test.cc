// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/load_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

AgentConfig Parse(const std::string& text) {
  const Result<AgentConfig> config = ParseAgentConfig(text, "/etc/drover");
  EXPECT_TRUE(config.ok()) << config.error().message();
  return config.ok() ? *config : AgentConfig();
}

std::string MistakeIn(const std::string& text) {
  const Result<AgentConfig> config = ParseAgentConfig(text, "/etc/drover");
  return config.ok() ? "" : config.error().message();
}

TEST(LoadConfigTest, TheAddressOfTheApiHasThreeNames) {
  EXPECT_EQ(Parse("{}").http.address, "127.0.0.1");
  EXPECT_EQ(Parse(R"({"bind_addr": "0.0.0.0"})").http.address, "0.0.0.0");
  EXPECT_EQ(Parse(R"({"bind_addr": "0.0.0.0", "addresses": {"http": "10.0.0.1"}})").http.address,
            "10.0.0.1");
  EXPECT_EQ(Parse(R"({"http": {"address": "::1"}})").http.address, "::1");
  EXPECT_EQ(MistakeIn(R"({"http": {"address": "::1"}, "bind_addr": "::"})"),
            "line 1, /http/address: says the same as /bind_addr: keep one");
  EXPECT_THAT(MistakeIn(R"({"addresses": {"http": "10.0.0.1 10.0.0.2"}})"),
              HasSubstr("/addresses/http: must be one address"));
}

TEST(LoadConfigTest, TheApiListensOnAnIpAddress) {
  for (const char* key : {"bind_addr", "http/address"}) {
    for (const std::string& text :
         {std::string("localhost"), std::string("eth0"), std::string("127.0.0.1:80"),
          std::string("[::1]"), std::string("127.0.0.1\0x", 11)}) {
      nlohmann::json config;
      config[nlohmann::json::json_pointer("/" + std::string(key))] = text;
      EXPECT_THAT(MistakeIn(config.dump()), HasSubstr("must be an IP address")) << key << text;
    }
  }
  EXPECT_EQ(Parse(R"({"bind_addr": "fe80::1%eth0"})").http.address, "fe80::1%eth0");
}

TEST(LoadConfigTest, AnAdvertisedAddressOfIpv6NeedsNoBrackets) {
  EXPECT_EQ(Parse(R"({"advertise": {"http": "fd00::1"}})").http.advertise, "[fd00::1]");
  EXPECT_EQ(Parse(R"({"advertise": {"http": "[fd00::1]:80"}})").http.advertise, "[fd00::1]:80");
}

TEST(LoadConfigTest, ClientsWithCertificatesNeedAnAuthority) {
  EXPECT_THAT(MistakeIn(R"({"tls": {"http": true, "cert_file": "c", "key_file": "k",
                                    "verify_https_client": true}})"),
              HasSubstr("/tls: needs ca_file"));
  EXPECT_THAT(MistakeIn(R"({"http": {"tls": {"cert_file": "c", "key_file": "k",
                                             "verify_client": true}}})"),
              HasSubstr("/http/tls: needs ca_file"));
}

TEST(LoadConfigTest, AnEmptyAddressOfThePeerIsNotSet) {
  EXPECT_EQ(Parse(R"({"bind_addr": "", "addresses": {"http": ""}})").http.address, "127.0.0.1");
  EXPECT_EQ(Parse(R"({"bind_addr": "::1", "addresses": {"http": ""}})").http.address, "::1");
}

TEST(LoadConfigTest, AnEmptyNameIsNotSet) {
  const AgentConfig config =
      Parse(R"({"datacenter": "", "region": "", "client": {"node_pool": ""}})");
  EXPECT_EQ(config.datacenter, "dc1");
  EXPECT_EQ(config.region, "global");
  EXPECT_EQ(config.client.node_pool, "default");
}

TEST(LoadConfigTest, ManyLargeRangesOfPortsAreReadInAMoment) {
  std::string ports = "22";
  for (int i = 0; i < 100'000; ++i) ports += ",1024-65535";
  const AgentConfig config =
      Parse(R"({"client": {"reserved": {"reserved_ports": ")" + ports + "\"}}}");
  EXPECT_EQ(config.client.reserved.ports.size(), 1u + 65535 - 1024 + 1);
}

TEST(LoadConfigTest, AnEmptyFileIsAMistakeOfItsDirectory) {
  const DirectoryForTest made(::testing::TempDir());
  std::ofstream(made.path() + "/a.json") << "";
  const LoadedConfig loaded = LoadConfig({made.path()}, nullptr);
  ASSERT_EQ(loaded.mistakes.size(), 1u);
  EXPECT_EQ(FindingText(loaded.mistakes[0]),
            made.path() + "/a.json: is empty: write a configuration, or remove the file");
}

TEST(LoadConfigTest, ThePeersNamesOfTheApi) {
  const AgentConfig config =
      Parse(R"({"ports": {"http": 1234}, "advertise": {"http": "10.0.0.1:80"},
      "tls": {"http": true, "cert_file": "c.pem", "key_file": "/k.pem", "ca_file": "ca.pem",
              "verify_https_client": true}})");
  EXPECT_EQ(config.http.port, 1234);
  EXPECT_EQ(config.http.advertise, "10.0.0.1:80");
  EXPECT_EQ(config.http.cert_file, "/etc/drover/c.pem");
  EXPECT_EQ(config.http.key_file, "/k.pem");
  EXPECT_EQ(config.http.ca_file, "/etc/drover/ca.pem");
  EXPECT_TRUE(config.http.verify_client);
  EXPECT_THAT(MistakeIn(R"({"advertise": {"http": "a b"}})"),
              HasSubstr("/advertise/http: \"a b\""));
  EXPECT_THAT(MistakeIn(R"({"tls": {"http": true}})"), HasSubstr("/tls: needs cert_file and key"));
  EXPECT_THAT(MistakeIn(R"({"ports": {"http": 1}, "http": {"port": 1}})"), HasSubstr("keep one"));
}

TEST(LoadConfigTest, WithoutHttpTlsIsOff) {
  const AgentConfig config = Parse(R"({"tls": {"cert_file": "c.pem", "key_file": "k.pem"}})");
  EXPECT_EQ(config.http.cert_file, "");
}

TEST(LoadConfigTest, AddressesMayBeTemplates) {
  const DirectoryForTest made(::testing::TempDir());
  const std::string path = made.path() + "/a.json";
  std::ofstream(path) << R"({"bind_addr": "{{ GetPrivateIP }}",
      "advertise": {"http": "{{ GetInterfaceIP \"eth1\" }}:80"},
      "client": {"network_interface": "{{ GetPublicIP }}"}})";
  const LoadedConfig loaded = LoadConfig({path}, [] {
    return std::vector<InterfaceAddress>{{"eth0", "8.8.8.8"}, {"eth1", "10.0.0.1"}};
  });
  EXPECT_TRUE(loaded.mistakes.empty()) << FindingText(loaded.mistakes[0]);
  EXPECT_EQ(loaded.config.http.address, "10.0.0.1");
  EXPECT_EQ(loaded.config.http.advertise, "10.0.0.1:80");
  EXPECT_EQ(loaded.config.client.network_interface, "8.8.8.8");
  EXPECT_THAT(MistakeIn(R"({"bind_addr": "{{ GetPrivateIP }}"})"),
              HasSubstr("/bind_addr: no address of this machine fits"));
}

TEST(LoadConfigTest, ThePeersKeysOfTheClient) {
  const AgentConfig config = Parse(R"({"client": {"node_pool": "gpu", "min_dynamic_port": 30000,
      "max_dynamic_port": 30010, "cpu_total_compute": 9000, "memory_total_mb": 4096,
      "reserved": {"reserved_ports": "22, 80,8500-8502"}}})");
  EXPECT_EQ(config.client.node_pool, "gpu");
  EXPECT_EQ(config.client.min_dynamic_port, 30000);
  EXPECT_EQ(config.client.max_dynamic_port, 30010);
  EXPECT_EQ(config.client.cpu_total_mhz, 9000);
  EXPECT_EQ(config.client.memory_total_mb, 4096);
  EXPECT_THAT(config.client.reserved.ports, ElementsAre(22, 80, 8500, 8501, 8502));
}

TEST(LoadConfigTest, WhatTheClientCannotBe) {
  EXPECT_THAT(MistakeIn(R"({"client": {"enabled": false}})"), HasSubstr("an agent always runs"));
  EXPECT_THAT(MistakeIn(R"({"server": {"enabled": false}})"), HasSubstr("an agent always sched"));
  EXPECT_THAT(MistakeIn(R"({"server": {"bootstrap_expect": 3}})"), HasSubstr("must be 1"));
  EXPECT_THAT(MistakeIn(R"({"client": {"node_pool": "all"}})"), HasSubstr("/client/node_pool: "));
  EXPECT_THAT(MistakeIn(R"({"client": {"node_pool": "a b"}})"), HasSubstr("/client/node_pool: "));
  EXPECT_THAT(MistakeIn(R"({"client": {"min_dynamic_port": 40000}})"),
              HasSubstr("/client/min_dynamic_port: the ports 40000 to 32000 are no range"));
  EXPECT_THAT(MistakeIn(R"({"client": {"ephemeral_disk_limit": "hard"}})"),
              HasSubstr("/client/ephemeral_disk_limit: must be off, watch or quota"));
  EXPECT_THAT(MistakeIn(R"({"client": {"max_disk_project": 7}})"),
              HasSubstr("/client/max_disk_project: the projects 1500000000 to 7 are no range"));
  for (const char* ports : {"x", "0", "70000", "80-79", "1,,2", "1-"}) {
    const nlohmann::json config = {{"client", {{"reserved", {{"reserved_ports", ports}}}}}};
    EXPECT_THAT(MistakeIn(config.dump()), HasSubstr("must be ports and ranges")) << ports;
  }
}

TEST(LoadConfigTest, TheLogInThePeersWords) {
  const AgentConfig config =
      Parse(R"({"log_level": "DEBUG", "log_json": true, "log_file": "/var/log/",
      "log_rotate_bytes": 1000, "log_rotate_duration": "1h", "log_rotate_max_files": 3})");
  EXPECT_EQ(config.log_level, "debug");
  EXPECT_EQ(config.log_format, "json");
  EXPECT_EQ(config.log_file, (AgentConfig::LogFile{"/var/log/drover.log", 1000, 3600s, 3}));
  EXPECT_EQ(Parse(R"({"log_rotate_max_files": -1})").log_file.rotate_max_files, -1);
  EXPECT_THAT(MistakeIn(R"({"log_json": true, "log_format": "text"})"), HasSubstr("keep one"));
  EXPECT_EQ(Parse(R"({"log_json": false})").log_format, "text");
}

TEST(LoadConfigTest, AnEnabledClientHasTheDriverExec) {
  EXPECT_TRUE(Parse("{}").plugins.empty());
  const AgentConfig config = Parse(R"({"client": {"enabled": true, "chroot_env": {"/bin": "/bin"}},
      "plugin": {"raw_exec": {"config": {"enabled": true}}}, "plugin_dir": "/p"})");
  ASSERT_EQ(config.plugins.size(), 2u);
  EXPECT_EQ(config.plugins[0].name, "exec");
  EXPECT_EQ(config.plugins[0].config_json, R"({"chroot_env":{"/bin":"/bin"}})");
  EXPECT_EQ(config.plugins[1].name, "raw_exec");
  EXPECT_THAT(config.plugin_dirs, ElementsAre("/p"));
  const AgentConfig own = Parse(R"({"client": {"enabled": true, "chroot_env": {"/a": "/a"}},
      "plugins": {"exec": {"enabled": false, "config": {"chroot_env": {"/b": "/b"}}}}})");
  ASSERT_EQ(own.plugins.size(), 1u);
  EXPECT_FALSE(own.plugins[0].enabled);
  EXPECT_EQ(own.plugins[0].config_json, R"({"chroot_env":{"/b":"/b"}})");
  EXPECT_THAT(MistakeIn(R"({"client": {"chroot_env": {"/a": "/a"}}})"), HasSubstr("exec"));
  EXPECT_THAT(MistakeIn(R"({"plugin": {"a": {}}, "plugins": {"a": {}}})"),
              HasSubstr("/plugin/a: is also in /plugins: keep one"));
}

TEST(LoadConfigTest, WhatOnlyARestartTakesOver) {
  EXPECT_THAT(KeysThatNeedRestart(Parse("{}"), Parse(R"({"log_file": "/l", "client": {
      "node_pool": "p", "min_dynamic_port": 21000, "max_dynamic_port": 22000,
      "ephemeral_disk_limit": "watch", "min_disk_project": 1, "max_disk_project": 2,
      "cpu_total_compute": 1, "memory_total_mb": 1, "reserved": {"reserved_ports": "1"}}})")),
              ElementsAre("client/node_pool", "client/min_dynamic_port", "client/max_dynamic_port",
                          "client/cpu_total_compute", "client/memory_total_mb",
                          "client/ephemeral_disk_limit", "client/min_disk_project",
                          "client/max_disk_project", "client/reserved", "log_file"));
}

TEST(LoadConfigTest, MistakesOfAllFilesAreReportedAtOnce) {
  const DirectoryForTest made(::testing::TempDir());
  const std::string a = made.path() + "/a.json", b = made.path() + "/b.json";
  std::ofstream(a) << "{\"nam\": 1,\n\"region\": 2}";
  std::ofstream(b) << "{\n\"vault\": {\"address\": \"x\"}, \"ui\": {\"enabled\": true}}";
  const LoadedConfig loaded = LoadConfig({made.path(), "/no/such"}, nullptr);
  const std::string all = AsError(loaded.mistakes).error().message();
  EXPECT_THAT(all, HasSubstr("configuration " + a + ": line 1, /nam: is not supported"));
  EXPECT_THAT(all, HasSubstr("; line 2, /region: must be a text; configuration /no/such: no such"));
  EXPECT_THAT(all, HasSubstr("configuration " + b + ": line 2, /vault: "));
  ASSERT_EQ(loaded.warnings.size(), 1u);
  EXPECT_EQ(loaded.warnings[0].at, (ConfigPlace{b, 2}));
}

TEST(LoadConfigTest, ADirectoryWithoutFilesIsWarnedOf) {
  const DirectoryForTest made(::testing::TempDir());
  const LoadedConfig loaded = LoadConfig({made.path()}, nullptr);
  EXPECT_TRUE(loaded.mistakes.empty());
  ASSERT_EQ(loaded.warnings.size(), 1u);
  EXPECT_EQ(FindingText(loaded.warnings[0]),
            made.path() + ": there is no *.hcl and no *.json in it");
}

}  // namespace
}  // namespace drover
