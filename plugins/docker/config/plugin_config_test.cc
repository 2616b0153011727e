// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "config/plugin_config.h"

#include <gtest/gtest.h>

namespace drover_docker {
namespace {

Settings Read(const char* text) { return Settings::Read(drover::Json::Parse(text)); }

std::string Fault(const char* text) {
  try {
    Read(text);
  } catch (const drover::Error& error) {
    return error.message();
  }
  return "";
}

TEST(DockerSettingsTest, TheDefaultsPermitLittle) {
  const Settings settings = Read("{}");
  EXPECT_FALSE(settings.allow_privileged);
  EXPECT_FALSE(settings.volumes_enabled);
  EXPECT_TRUE(settings.allow_devices.empty());
  EXPECT_TRUE(settings.AllowsCap("chown"));
  EXPECT_FALSE(settings.AllowsCap("net_raw"));
  EXPECT_FALSE(settings.AllowsCap("sys_admin"));
  EXPECT_FALSE(settings.AllowsHostMode("pid"));
  EXPECT_EQ(settings.gc_image_delay, std::chrono::minutes(3));
  EXPECT_TRUE(settings.dangling.enabled);
}

TEST(DockerSettingsTest, AllIsRead) {
  const Settings settings = Read(R"({
    "endpoint": "tcp://10.0.0.1:2376",
    "tls": {"ca": "/ca.pem", "cert": "/cert.pem", "key": "/key.pem"},
    "auth": {"config": "/root/.docker/config.json", "helper": "ecr-login"},
    "allow_caps": ["CAP_NET_ADMIN", "all"],
    "allow_host_modes": ["pid"],
    "volumes": {"enabled": true, "selinuxlabel": "z"},
    "gc": {"image": false, "image_delay": "1h", "container": false,
           "dangling_containers": {"enabled": false, "dry_run": true, "period": "1m",
                                   "creation_grace": "2m"}},
    "pids_limit": 100,
    "logging": {"type": "journald", "config": {"tag": "x"}}
  })");
  EXPECT_EQ(settings.tls_key, "/key.pem");
  EXPECT_EQ(settings.auth_helper, "ecr-login");
  EXPECT_TRUE(settings.AllowsCap("sys_admin"));
  EXPECT_TRUE(settings.AllowsHostMode("pid"));
  EXPECT_FALSE(settings.AllowsHostMode("ipc"));
  EXPECT_TRUE(settings.volumes_enabled);
  EXPECT_FALSE(settings.gc_image);
  EXPECT_EQ(settings.gc_image_delay, std::chrono::hours(1));
  EXPECT_FALSE(settings.dangling.enabled);
  EXPECT_EQ(settings.dangling.creation_grace, std::chrono::minutes(2));
  EXPECT_EQ(settings.logging.driver, "journald");
}

TEST(DockerSettingsTest, MistakesAreNamed) {
  EXPECT_NE(Fault(R"({"endpoint": "docker.sock"})").find("/endpoint"), std::string::npos);
  EXPECT_NE(Fault(R"({"tls": {"ca": "/a"}})").find("/tls"), std::string::npos);
  EXPECT_NE(Fault(R"({"endpoint": "tcp://a:1", "tls": {"cert": "/a"}})").find("cert and key"),
            std::string::npos);
  EXPECT_NE(Fault(R"({"auth": {"helper": "../sh"}})").find("/auth/helper"), std::string::npos);
  EXPECT_NE(Fault(R"({"volumes": {"selinuxlabel": "q"}})").find("selinuxlabel"), std::string::npos);
  EXPECT_NE(Fault(R"({"gc": {"dangling_containers": {"period": "1ms"}}})").find("period"),
            std::string::npos);
  EXPECT_NE(Fault(R"({"logging": {"type": "a", "driver": "b"}})").find("same option"),
            std::string::npos);
}

TEST(DockerSettingsTest, SettingsThatAreNotSupportedAreRefusedByName) {
  EXPECT_NE(Fault(R"({"nvidia_runtime": "nvidia"})").find("/nvidia_runtime"), std::string::npos);
  EXPECT_NE(Fault(R"({"infra_image": "pause:3"})").find("/infra_image"), std::string::npos);
  EXPECT_NE(Fault(R"({"windows_allow_insecure_container_admin": true})").find("/windows"),
            std::string::npos);
}

}  // namespace
}  // namespace drover_docker
