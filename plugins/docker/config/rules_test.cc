// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "config/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover_docker {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const char kAlloc[] = "3b0fd1d8-8f2e-4a0b-9f0e-1d2c3b4a5968";

// Returns why the job's MORE is not permitted by the operator's SETTINGS; empty if it is.
std::string Refusal(const std::string& settings, const std::string& more) {
  try {
    CheckRules(Settings::Read(drover::Json::Parse(settings)),
               TaskOptions::Read(drover::Json::Parse(R"({"image": "a:1", )" + more + "}")), kAlloc);
  } catch (const drover::Error& error) {
    return error.message();
  }
  return "";
}

std::vector<std::string> Caps(const std::string& settings, const std::string& more) {
  return ChooseCapabilities(
      Settings::Read(drover::Json::Parse(settings)),
      TaskOptions::Read(drover::Json::Parse(R"({"image": "a:1")" + more + "}")));
}

struct Rule {
  const char* option;   // of the job
  const char* setting;  // of the operator, which permits it
  const char* named;    // by the refusal
};

TEST(DockerRulesTest, EachPermissionIsAskedForAndNamed) {
  const Rule kRules[] = {
      {R"("privileged": true)", R"({"allow_privileged": true})", "allow_privileged"},
      {R"("cap_add": ["sys_admin"])", R"({"allow_caps": ["sys_admin"]})", "allow_caps"},
      {R"("cap_add": ["sys_admin"])", R"({"allow_caps": ["ALL"]})", "allow_caps"},
      {R"("devices": [{"host_path": "/dev/sda"}])", R"({"allow_devices": ["/dev/sd*"]})",
       "allow_devices"},
      {R"("pid_mode": "host")", R"({"allow_host_modes": ["pid"]})", "allow_host_modes"},
      {R"("ipc_mode": "host")", R"({"allow_host_modes": ["ipc"]})", "allow_host_modes"},
      {R"("uts_mode": "host")", R"({"allow_host_modes": ["uts"]})", "allow_host_modes"},
      {R"("userns_mode": "host")", R"({"allow_host_modes": ["userns"]})", "allow_host_modes"},
      {R"("cgroupns": "host")", R"({"allow_host_modes": ["cgroup"]})", "allow_host_modes"},
      {R"("runtime": "kata")", R"({"allow_runtimes": ["kata"]})", "allow_runtimes"},
      {R"("security_opt": ["seccomp=unconfined"])", R"({"allow_privileged": true})",
       "allow_privileged"},
      {R"("security_opt": ["apparmor=unconfined"])", R"({"allow_privileged": true})",
       "allow_privileged"},
      {R"("oom_score_adj": -500)", R"({"allow_privileged": true})", "allow_privileged"},
      {R"("mounts": [{"target": "/a", "source": "v", "volume_options": {"driver_config":
           {"name": "local", "options": {"type": "none", "o": "bind", "device": "/"}}}}])",
       R"({"volumes": {"enabled": true}})", "volumes.enabled"},
      {R"("mounts": [{"type": "bind", "target": "/a", "source": "local",
           "bind_options": {"propagation": "rshared"}}])",
       R"({"volumes": {"enabled": true}})", "volumes.enabled"},
  };
  for (const Rule& rule : kRules) {
    EXPECT_THAT(Refusal("{}", rule.option), HasSubstr(rule.named)) << rule.option;
    EXPECT_EQ(Refusal(rule.setting, rule.option), "") << rule.option;
  }
}

TEST(DockerRulesTest, WhatMostJobsUseNeedsNoPermission) {
  for (const char* option :
       {R"("network_mode": "host")", R"("network_mode": "bridge")", R"("network_mode": "my-net")",
        R"("volumes": ["local:/data", "secrets/x:/x:ro"])", R"("cap_drop": ["all"])",
        R"("cap_add": ["chown"])", R"("security_opt": ["no-new-privileges"])",
        R"("sysctl": {"net.core.somaxconn": "1024"})", R"("ipc_mode": "none")",
        R"("labels": {"traefik.enable": "true"})", R"("oom_score_adj": 100)",
        R"("mounts": [{"target": "/var/lib/x", "source": "named-volume"}])"}) {
    EXPECT_EQ(Refusal("{}", option), "") << option;
  }
}

TEST(DockerRulesTest, OnlyContainersOfTheAllocationMayBeJoined) {
  const std::string own = std::string("container:web-") + kAlloc;
  for (const char* option : {"network_mode", "pid_mode", "ipc_mode"}) {
    const std::string start = std::string("\"") + option + "\": \"";
    EXPECT_EQ(Refusal("{}", start + own + "\""), "") << option;
    EXPECT_THAT(Refusal("{}", start + "container:postgres\""), HasSubstr("no container of this"));
    EXPECT_THAT(Refusal("{}", start + "container:\""), Not(testing::IsEmpty())) << option;
    EXPECT_THAT(Refusal("{}", start + "ns:/proc/1/ns/net\""), Not(testing::IsEmpty())) << option;
  }
  EXPECT_THAT(Refusal("{}", R"("network_mode": "bridge,ip=1")"), Not(testing::IsEmpty()));
}

TEST(DockerRulesTest, LogsLeadToNoFileOfTheHost) {
  for (const char* option :
       {R"("path": "/etc/cron.d/x")", R"("PATH": "/etc/x")", R"("splunk-capath": "/etc/shadow")",
        R"("syslog-tls-key": "/etc/key")", R"("syslog-tls-ca-cert": "/etc/x")",
        R"("fluentd-address": "unix:///run/docker.sock")",
        R"("syslog-address": "UNIXGRAM:///dev/log")"}) {
    const std::string logging = std::string(R"("logging": {"driver": "x", "config": {)") + option;
    EXPECT_THAT(Refusal("{}", logging + "}}"), HasSubstr("volumes.enabled")) << option;
    EXPECT_EQ(Refusal(R"({"volumes": {"enabled": true}})", logging + "}}"), "") << option;
  }
  for (const char* option : {R"("path=/etc/x": "y")", R"("driver": "none")", R"("": "x")"}) {
    const std::string logging = std::string(R"("logging": {"driver": "x", "config": {)") + option;
    EXPECT_THAT(Refusal(R"({"volumes": {"enabled": true}})", logging + "}}"),
                HasSubstr("/logging/config/"))
        << option;
  }
  EXPECT_EQ(Refusal("{}", R"("logging": {"driver": "awslogs", "config":
                               {"awslogs-group": "/team/a", "max-size": "1m"}})"),
            "");
}

TEST(DockerRulesTest, ReservedLabelsAreTheDriversOwn) {
  EXPECT_THAT(Refusal("{}", R"("labels": {"com.hashicorp.nomad.alloc_id": "x"})"),
              HasSubstr("/labels"));
  EXPECT_THAT(Refusal("{}", R"("labels": {"DROVER.run_id": "x"})"), HasSubstr("/labels"));
  EXPECT_THAT(Refusal("{}", R"("labels": {"": "x"})"), HasSubstr("/labels"));
}

TEST(DockerRulesTest, SysctlsOfTheMachineAreRefused) {
  EXPECT_THAT(Refusal("{}", R"("sysctl": {"vm.overcommit_memory": "1"})"), HasSubstr("/sysctl"));
  EXPECT_THAT(Refusal("{}", R"("sysctl": {"net.ipv4.ip_forward": "1"}, "network_mode": "host")"),
              HasSubstr("network of the host"));
}

TEST(DockerRulesTest, DirectoriesOfTheTaskStay) {
  EXPECT_THAT(Refusal("{}", R"("volumes": ["local:/alloc"])"), HasSubstr("/volumes/0"));
  EXPECT_THAT(Refusal("{}", R"("mounts": [{"target": "/x", "source": "../../etc"}])"),
              HasSubstr("no name of a volume"));
}

TEST(DockerRulesTest, CapabilitiesAreChosen) {
  EXPECT_THAT(Caps("{}", ""), Contains("CHOWN"));
  EXPECT_THAT(Caps("{}", ""), Not(Contains("NET_RAW")));
  EXPECT_THAT(Caps("{}", R"(, "cap_drop": ["chown"])"), Not(Contains("CHOWN")));
  EXPECT_THAT(Caps("{}", R"(, "cap_drop": ["all"], "cap_add": ["chown"])"), ElementsAre("CHOWN"));
  EXPECT_THAT(Caps(R"({"allow_caps": ["chown"]})", R"(, "cap_add": ["all"])"),
              ElementsAre("CHOWN"));
  EXPECT_THAT(Caps(R"({"allow_caps": ["all"]})", R"(, "cap_add": ["all"])"), ElementsAre("ALL"));
}

TEST(DockerRulesTest, TheNodeLimitsProcesses) {
  const Settings settings = Settings::Read(drover::Json::Parse(R"({"pids_limit": 100})"));
  TaskOptions options;
  EXPECT_EQ(ChoosePidsLimit(settings, options), 100);
  options.pids_limit = 50;
  EXPECT_EQ(ChoosePidsLimit(settings, options), 50);
  options.pids_limit = 101;
  EXPECT_THROW(ChoosePidsLimit(settings, options), drover::Error);
  EXPECT_EQ(ChoosePidsLimit(Settings(), options), 101);
}

}  // namespace
}  // namespace drover_docker
