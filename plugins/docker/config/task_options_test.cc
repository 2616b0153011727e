// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "config/task_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace drover_docker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Reads the options of a task with an image, and with MORE members.
TaskOptions Read(const std::string& more) {
  const std::string text = R"({"image": "redis:7")" + (more.empty() ? "" : ", " + more) + "}";
  return TaskOptions::Read(drover::Json::Parse(text));
}

std::string Fault(const std::string& more) {
  try {
    Read(more);
  } catch (const drover::Error& error) {
    return error.message();
  }
  return "";
}

TEST(DockerOptionsTest, AnImageIsEnough) {
  const TaskOptions options = Read("");
  EXPECT_EQ(options.image, "redis:7");
  EXPECT_FALSE(options.privileged);
  EXPECT_FALSE(options.logging.has_value());
  EXPECT_TRUE(options.mounts.empty());
}

TEST(DockerOptionsTest, ASchemeBeforeTheImageIsDropped) {
  const auto image = [](const char* text) {
    return TaskOptions::Read(drover::Json::Parse(std::string(R"({"image": ")") + text + "\"}"))
        .image;
  };
  EXPECT_EQ(image("https://registry:5000/a:1"), "registry:5000/a:1");
  EXPECT_EQ(image("docker://redis"), "redis");
}

TEST(DockerOptionsTest, HostileImagesAreRefused) {
  for (const char* text : {"-v", "a b", "a?x=1", "a#b", "a%2fb", "https://"}) {
    EXPECT_THROW(
        TaskOptions::Read(drover::Json::Parse(std::string(R"({"image": ")") + text + "\"}")),
        drover::Error)
        << text;
  }
}

TEST(DockerOptionsTest, VolumesAreSourceTargetAndOptions) {
  const MountOption plain = ReadVolume("/volumes/0", "local/conf:/etc/app");
  EXPECT_EQ(plain.kind, MountKind::kBind);
  EXPECT_EQ(plain.source, "local/conf");
  EXPECT_EQ(plain.target, "/etc/app");
  EXPECT_FALSE(plain.read_only);
  EXPECT_TRUE(plain.make_source);
  EXPECT_TRUE(ReadVolume("v", "a:/b:ro").read_only);
  EXPECT_EQ(ReadVolume("v", "a:/b:ro,rslave").propagation, "rslave");
  EXPECT_EQ(ReadVolume("v", "a:/b:ro,Z").selinux, "Z");
  EXPECT_THAT(Fault(R"("volumes": ["a:/b:nocopy"])"), HasSubstr("/volumes/0"));
  EXPECT_THAT(Fault(R"("volumes": ["a:/b:z"], "volume_driver": "x")"), HasSubstr("/volumes/0"));
  for (const char* text : {"a", ":/b", "a:", "a:b", "a:/b:c", "a:/b:ro:x", "a:/../b", "a,b:/c"}) {
    EXPECT_THROW(ReadVolume("v", text), drover::Error) << text;
  }
}

TEST(DockerOptionsTest, AVolumeDriverMakesVolumesOfAll) {
  const TaskOptions options = Read(R"("volumes": ["data:/data"], "volume_driver": "pxd")");
  EXPECT_EQ(options.mounts.at(0).kind, MountKind::kVolume);
  EXPECT_EQ(options.mounts.at(0).driver, "pxd");
  EXPECT_THAT(Fault(R"("volume_driver": "pxd")"), HasSubstr("/volume_driver"));
}

TEST(DockerOptionsTest, MountAndMountsAreTheSame) {
  const TaskOptions options = Read(R"(
    "mount": [{"type": "bind", "source": "local", "target": "/a", "readonly": true,
               "bind_options": {"propagation": "rslave"}}],
    "mounts": [{"type": "tmpfs", "target": "/b", "tmpfs_options": {"size": 1000, "mode": 511}},
               {"target": "/c", "source": "data",
                "volume_options": {"no_copy": true, "labels": {"x": "y"}}}])");
  ASSERT_EQ(options.mounts.size(), 3u);
  EXPECT_EQ(options.mounts[0].where, "/mount/0");
  EXPECT_TRUE(options.mounts[0].read_only);
  EXPECT_EQ(options.mounts[0].propagation, "rslave");
  EXPECT_EQ(options.mounts[1].tmpfs_size, 1000);
  EXPECT_EQ(options.mounts[2].kind, MountKind::kVolume);
  EXPECT_TRUE(options.mounts[2].no_copy);
}

TEST(DockerOptionsTest, MistakesInMountsAreNamed) {
  const auto mount = [](const std::string& text) { return Fault(R"("mounts": [)" + text + "]"); };
  EXPECT_THAT(mount(R"({"type": "bind", "target": "/a"})"), HasSubstr("/mounts/0/source"));
  EXPECT_THAT(mount(R"({"type": "tmpfs", "source": "x", "target": "/a"})"), HasSubstr("source"));
  EXPECT_THAT(mount(R"({"type": "volume", "target": "a"})"), HasSubstr("absolute"));
  EXPECT_THAT(mount(R"({"type": "volume", "target": "/a", "bind_options": {"propagation": "x"}})"),
              HasSubstr("does not belong"));
  EXPECT_THAT(mount(R"({"type": "bind", "source": "a", "target": "/a",
                        "bind_options": {"propagation": "up"}})"),
              HasSubstr("propagation"));
  EXPECT_THAT(mount(R"({"target": "/a"}, {"target": "/a"})"), HasSubstr("another mount"));
  // A comma begins another option where an engine takes mounts as lists.
  EXPECT_THAT(mount(R"({"type": "bind", "source": "a,source=/etc", "target": "/a"})"),
              HasSubstr("comma"));
}

TEST(DockerOptionsTest, UlimitsAreSoftAndHard) {
  const Ulimit both = ReadUlimit("nofile", "1024:4096");
  EXPECT_EQ(both.soft, 1024);
  EXPECT_EQ(both.hard, 4096);
  EXPECT_EQ(ReadUlimit("core", "0").hard, 0);
  EXPECT_EQ(ReadUlimit("memlock", "-1").hard, -1);
  for (const auto& [name, text] : std::map<std::string, std::string>{
           {"files", "1"}, {"nofile", "x"}, {"nproc", "2:1"}, {"core", "1:2:3"}, {"stack", ""}}) {
    EXPECT_THROW(ReadUlimit(name, text), drover::Error) << name;
  }
}

TEST(DockerOptionsTest, DevicesAreBelowDev) {
  const TaskOptions options = Read(R"("devices": [{"host_path": "/dev/fuse"}])");
  EXPECT_EQ(options.devices.at(0).container_path, "/dev/fuse");
  EXPECT_EQ(options.devices.at(0).permissions, "rwm");
  EXPECT_THAT(Fault(R"("devices": [{"host_path": "/etc/shadow"}])"), HasSubstr("/devices/0"));
  EXPECT_THAT(Fault(R"("devices": [{"host_path": "/dev/a:/dev/sda"}])"), HasSubstr("colon"));
  EXPECT_THAT(Fault(R"("devices": [{"host_path": "/dev/a", "cgroup_permissions": "x"}])"),
              HasSubstr("letters"));
}

TEST(DockerOptionsTest, OptionsOfNetworksAreChecked) {
  const TaskOptions options =
      Read(R"("port_map": {"db": 6379}, "dns_servers": ["10.0.0.2"], "extra_hosts": ["a:10.0.0.1",
              "b:fd00::1", "c:host-gateway"])");
  EXPECT_EQ(options.port_map.at("db"), 6379);
  EXPECT_EQ(options.extra_hosts.size(), 3u);
  EXPECT_THAT(Fault(R"("dns_servers": ["dns"])"), HasSubstr("/dns_servers"));
  EXPECT_THAT(Fault(R"("extra_hosts": ["a"])"), HasSubstr("/extra_hosts"));
  EXPECT_THAT(Fault(R"("extra_hosts": [":1.2.3.4"])"), HasSubstr("/extra_hosts"));
  EXPECT_THAT(Fault(R"("ports": ["a"], "port_map": {"a": 1})"), HasSubstr("/port_map"));
  EXPECT_THAT(Fault(R"("ipv4_address": "x")"), HasSubstr("IP address"));
}

TEST(DockerOptionsTest, CapabilitiesHaveOneForm) {
  const TaskOptions options =
      Read(R"("cap_add": ["CAP_NET_ADMIN", "sys_time"], "cap_drop": ["ALL"])");
  EXPECT_THAT(options.cap_add, ElementsAre("net_admin", "sys_time"));
  EXPECT_THAT(options.cap_drop, ElementsAre("all"));
  EXPECT_THAT(Fault(R"("cap_add": ["net admin"])"), HasSubstr("no capability"));
}

TEST(DockerOptionsTest, OptionsOfWindowsAreRefusedByName) {
  EXPECT_THAT(Fault(R"("isolation": "hyperv")"), HasSubstr("/isolation"));
  EXPECT_THAT(Fault(R"("windows_allow_insecure_container_admin": true)"), HasSubstr("/windows"));
}

TEST(DockerOptionsTest, OtherMistakesAreNamed) {
  EXPECT_THAT(Fault(R"("work_dir": "tmp")"), HasSubstr("/work_dir"));
  EXPECT_THAT(Fault(R"("cpu_cfs_period": 5)"), HasSubstr("/cpu_cfs_period"));
  EXPECT_THAT(Fault(R"("cpuset_cpus": "all")"), HasSubstr("/cpuset_cpus"));
  EXPECT_THAT(Fault(R"("load": "a.tar", "force_pull": true)"), HasSubstr("/load"));
  EXPECT_THAT(Fault(R"("image_pull_timeout": "long")"), HasSubstr("/image_pull_timeout"));
  EXPECT_THAT(Fault(R"("hostname": ")" + std::string(65, 'a') + "\""), HasSubstr("/hostname"));
  EXPECT_THAT(Fault(R"("logging": {"config": {"a": "b"}})"), HasSubstr("/logging"));
}

}  // namespace
}  // namespace drover_docker
