// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "container/create_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "container/names.h"

namespace drover_docker {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class DockerBodyTest : public testing::Test {
 protected:
  DockerBodyTest() {
    task_.task_name = "web";
    task_.alloc_id = "alloc-1";
    task_.node_id = "node-1";
    task_.alloc_dir = "/data/alloc/1/alloc";
    task_.task_dir = "/data/alloc/1/web";
    task_.local_dir = "/data/alloc/1/web/local";
    task_.secrets_dir = "/data/alloc/1/web/secrets";
    task_.env["NAME"] = "value=1";
    task_.cpu_shares = 500;
    task_.memory_mb = 256;
    task_.memory_limit = 256 << 20;
  }

  json Body(const std::string& more = "", const std::string& settings = "{}") {
    settings_ = Settings::Read(drover::Json::Parse(settings));
    options_ = TaskOptions::Read(
        drover::Json::Parse(R"({"image": "redis:7")" + (more.empty() ? "" : ", " + more) + "}"));
    plan_ = PlanNetwork(task_, options_, podman_);
    std::vector<std::string> sources(options_.mounts.size(), "/data/alloc/1/web/local/x");
    return CreateBody(
        BodyInput{settings_, options_, task_, plan_, "sha256:1234", joined_, sources, podman_});
  }
  json Host(const std::string& more = "", const std::string& settings = "{}") {
    return Body(more, settings)["HostConfig"];
  }
  std::string Fault(const std::string& more, const std::string& settings = "{}") {
    try {
      Body(more, settings);
    } catch (const drover::Error& error) {
      return error.message();
    }
    return "";
  }

  drover::TaskConfig task_;
  Settings settings_;
  TaskOptions options_;
  NetworkPlan plan_;
  std::string joined_;
  bool podman_ = false;
};

TEST_F(DockerBodyTest, APlainTask) {
  const json body = Body(R"("command": "redis-server", "args": ["--port", "1"])");
  EXPECT_EQ(body["Image"], "sha256:1234");
  EXPECT_EQ(body["Cmd"], json::array({"redis-server", "--port", "1"}));
  EXPECT_EQ(body["Env"], json::array({"NAME=value=1"}));
  EXPECT_EQ(body.count("Entrypoint"), 0u);
  EXPECT_EQ(body["Labels"][kNodeLabel], "node-1");
  EXPECT_EQ(body["Labels"][kImageLabel], "redis:7");
  EXPECT_EQ(body["HostConfig"]["RestartPolicy"]["Name"], "no");
  EXPECT_EQ(body["HostConfig"]["NetworkMode"], "bridge");
  EXPECT_EQ(body["HostConfig"]["CapDrop"], json::array({"ALL"}));
  EXPECT_EQ(body["HostConfig"].count("Privileged"), 0u);
}

TEST_F(DockerBodyTest, TheCgroupOfTheHostIsItsParent) {
  EXPECT_EQ(Host().count("CgroupParent"), 0u);
  const std::vector<std::string> none;
  const json body = CreateBody(BodyInput{settings_, options_, task_, plan_, "sha256:1234", joined_,
                                         none, podman_, "/drover/run"});
  EXPECT_EQ(body["HostConfig"]["CgroupParent"], "/drover/run");
}

TEST_F(DockerBodyTest, DirectoriesOfTheTaskAreMounted) {
  const json mounts = Host()["Mounts"];
  ASSERT_EQ(mounts.size(), 3u);
  EXPECT_EQ(mounts[0]["Source"], "/data/alloc/1/alloc");
  EXPECT_EQ(mounts[0]["Target"], "/alloc");
  EXPECT_EQ(mounts[1]["Target"], "/local");
  EXPECT_EQ(mounts[2]["Target"], "/secrets");
  const json labelled = Host("", R"({"volumes": {"selinuxlabel": "z"}})");
  EXPECT_EQ(labelled["Binds"][0], "/data/alloc/1/alloc:/alloc:z");
  EXPECT_TRUE(labelled["Mounts"].empty());
}

TEST_F(DockerBodyTest, MountsOfHostAndJob) {
  drover::Mount volume;
  volume.task_path = "/vol";
  volume.host_path = "/srv/vol";
  volume.read_only = true;
  volume.propagation = "host-to-task";
  task_.mounts = {volume};
  const json mounts = Host(R"("mounts": [
      {"type": "bind", "source": "local/x", "target": "/x", "readonly": true},
      {"type": "tmpfs", "target": "/t", "tmpfs_options": {"size": 4096, "mode": 511}},
      {"type": "volume", "source": "data", "target": "/d"}])")["Mounts"];
  ASSERT_EQ(mounts.size(), 7u);
  EXPECT_EQ(mounts[3]["Source"], "/srv/vol");
  EXPECT_EQ(mounts[3]["BindOptions"]["Propagation"], "rslave");
  EXPECT_EQ(mounts[4]["Source"], "/data/alloc/1/web/local/x");
  EXPECT_EQ(mounts[4]["ReadOnly"], true);
  EXPECT_EQ(mounts[5]["TmpfsOptions"]["SizeBytes"], 4096);
  EXPECT_EQ(mounts[6]["Type"], "volume");
  EXPECT_EQ(mounts[6]["Source"], "data");
}

TEST_F(DockerBodyTest, ALabelOfSelinuxReachesTheEngine) {
  const json host = Host(R"("volumes": ["x:/x:ro,Z,rslave"])");
  EXPECT_EQ(host["Binds"], json::array({"/data/alloc/1/web/local/x:/x:Z,ro,rslave"}));
  EXPECT_EQ(host["Mounts"].size(), 3u);
}

TEST_F(DockerBodyTest, NamesOfAnotherContainerCannotBeChosen) {
  for (const char* option : {R"("hostname": "a")", R"("dns_servers": ["10.0.0.2"])",
                             R"("dns_options": ["ndots:1"])", R"("extra_hosts": ["a:10.0.0.1"])"}) {
    EXPECT_THAT(Fault(std::string(R"("network_mode": "container:t-alloc-1", )") + option),
                HasSubstr("joins the network"))
        << option;
  }
}

TEST_F(DockerBodyTest, PathsThatEnginesMisreadAreRefused) {
  task_.alloc_dir = "/data/a,source=/etc";
  EXPECT_THAT(Fault(""), HasSubstr("comma"));
}

TEST_F(DockerBodyTest, MemoryIsALimit) {
  EXPECT_EQ(Host()["Memory"], 256 << 20);
  EXPECT_EQ(Host()["MemorySwap"], 256 << 20);
  EXPECT_EQ(Host().count("MemoryReservation"), 0u);
  EXPECT_EQ(Host(R"("memory_hard_limit": 512)")["Memory"], 512 << 20);
  EXPECT_EQ(Host(R"("memory_hard_limit": 512)")["MemoryReservation"], 256 << 20);
  task_.memory_limit = 1024 << 20;
  EXPECT_EQ(Host()["Memory"], 1024 << 20);
  EXPECT_THAT(Fault(R"("memory_hard_limit": 1)"), HasSubstr("/memory_hard_limit"));
  EXPECT_THAT(Fault(R"("memory_hard_limit": 17592186044417)"), HasSubstr("/memory_hard_limit"));
}

TEST_F(DockerBodyTest, ProcessorsAreSharedOrLimited) {
  task_.cpu_period = std::chrono::milliseconds(100);
  task_.cpu_quota = std::chrono::milliseconds(25);
  EXPECT_EQ(Host()["CpuShares"], 500);
  EXPECT_EQ(Host().count("CpuQuota"), 0u);
  const json hard = Host(R"("cpu_hard_limit": true)");
  EXPECT_EQ(hard["CpuPeriod"], 100000);
  EXPECT_EQ(hard["CpuQuota"], 25000);
  EXPECT_EQ(Host(R"("cpu_hard_limit": true, "cpu_cfs_period": 50000)")["CpuQuota"], 12500);
  EXPECT_EQ(Host(R"("cpuset_cpus": "0-1")")["CpusetCpus"], "0-1");
  task_.cpu_cores = "2";
  EXPECT_EQ(Host()["CpusetCpus"], "2");
  EXPECT_THAT(Fault(R"("cpuset_cpus": "0-1")"), HasSubstr("/cpuset_cpus"));
}

TEST_F(DockerBodyTest, PortsAreBoundForBothProtocols) {
  drover::Port port;
  port.label = "web";
  port.value = 23001;
  port.to = 80;
  port.host_ip = "10.0.0.1";
  task_.ports = {port};
  const json body = Body(R"("ports": ["web"])");
  EXPECT_EQ(body["ExposedPorts"].size(), 2u);
  const json bound = body["HostConfig"]["PortBindings"]["80/tcp"][0];
  EXPECT_EQ(bound["HostIp"], "10.0.0.1");
  EXPECT_EQ(bound["HostPort"], "23001");
  const auto network = NetworkOf(plan_, options_, "172.17.0.2", "");
  ASSERT_TRUE(network);
  EXPECT_EQ(network->ip, "172.17.0.2");
  EXPECT_FALSE(network->auto_advertise);
  EXPECT_EQ(network->ports.at(0).value, 80);
}

TEST_F(DockerBodyTest, ANetworkOfTheOperatorHasNamesAndAddresses) {
  const json body = Body(R"("network_mode": "backend", "network_aliases": ["db"],
                            "ipv4_address": "10.1.0.5")");
  const json endpoint = body["NetworkingConfig"]["EndpointsConfig"]["backend"];
  EXPECT_EQ(endpoint["Aliases"], json::array({"db"}));
  EXPECT_EQ(endpoint["IPAMConfig"]["IPv4Address"], "10.1.0.5");
  EXPECT_TRUE(NetworkOf(plan_, options_, "10.1.0.5", "")->auto_advertise);
}

TEST_F(DockerBodyTest, APauseContainerIsJoined) {
  task_.network_namespace = "/run/netns/a";
  joined_ = "pause-id";
  const json body = Body(R"("dns_servers": ["10.0.0.2"], "hostname": "web")");
  EXPECT_EQ(body["HostConfig"]["NetworkMode"], "container:pause-id");
  EXPECT_EQ(body.count("Hostname"), 0u);
  EXPECT_EQ(body["HostConfig"].count("Dns"), 0u) << "the pause container has it";
  const json pause = PauseBody(task_, GroupNames{}, options_, "image");
  EXPECT_EQ(pause["Hostname"], "web");
  EXPECT_EQ(pause["HostConfig"]["Dns"], json::array({"10.0.0.2"}));
  EXPECT_EQ(pause["HostConfig"]["Mounts"][0]["Source"], "/run/netns/a");
  EXPECT_EQ(pause["HostConfig"]["CapAdd"], json::array({"SYS_ADMIN"}));
  EXPECT_EQ(pause["HostConfig"].count("OomScoreAdj"), 0u) << "some engines may not lower it";
  EXPECT_EQ(pause["Labels"][kKindLabel], "pause");
  EXPECT_FALSE(NetworkOf(plan_, options_, "10.0.0.9", ""));
}

TEST_F(DockerBodyTest, PodmanJoinsByPath) {
  podman_ = true;
  task_.network_namespace = "/run/netns/a";
  EXPECT_EQ(Host()["NetworkMode"], "ns:/run/netns/a");
}

TEST_F(DockerBodyTest, WhatPodmanWouldIgnoreIsRefused) {
  const std::pair<const char*, const char*> kIgnored[] = {
      {R"("runtime": "runc")", "/runtime"},
      {R"("cgroupns": "private")", "/cgroupns"},
      {R"("mac_address": "02:42:ac:11:65:43")", "/mac_address"},
      {R"("mounts": [{"target": "/d", "source": "v", "volume_options": {"no_copy": true}}])",
       "/mounts/0"},
      {R"("volumes": ["v:/d"], "volume_driver": "nfs")", "/volumes/0"}};
  for (const auto& [option, named] : kIgnored) {
    podman_ = false;
    EXPECT_EQ(Fault(option), "") << option;
    podman_ = true;
    EXPECT_THAT(Fault(option), HasSubstr(named)) << option;
  }
  const json body = Body(R"("network_mode": "backend", "mac_address": "02:42:ac:11:65:43")");
  EXPECT_EQ(body["NetworkingConfig"]["EndpointsConfig"]["backend"]["MacAddress"],
            "02:42:ac:11:65:43");
}

TEST_F(DockerBodyTest, PrivilegesAreOnlyWhatIsAskedFor) {
  const json host = Host(R"("privileged": true, "pid_mode": "host", "uts_mode": "private",
                            "group_add": ["video"], "readonly_rootfs": true)");
  EXPECT_EQ(host["Privileged"], true);
  EXPECT_EQ(host.count("CapAdd"), 0u);
  EXPECT_EQ(host["PidMode"], "host");
  EXPECT_EQ(host.count("UTSMode"), 0u);
  EXPECT_EQ(host["ReadonlyRootfs"], true);
}

TEST_F(DockerBodyTest, LogsAreSmallWhereTheHostCollectsThem) {
  EXPECT_EQ(Host()["LogConfig"]["Type"], "json-file");
  EXPECT_EQ(Host()["LogConfig"]["Config"]["max-file"], "2");
  EXPECT_EQ(Host("", R"({"disable_log_collection": true})").count("LogConfig"), 0u);
  EXPECT_EQ(Host(R"("logging": {"driver": "journald"})")["LogConfig"]["Type"], "journald");
  podman_ = true;
  EXPECT_EQ(Host()["LogConfig"]["Type"], "k8s-file");
}

TEST_F(DockerBodyTest, RestOfTheOptions) {
  const json body = Body(R"("entrypoint": ["/init"], "work_dir": "/srv", "tty": true,
      "interactive": true, "init": true, "healthchecks": {"disable": true}, "shm_size": 1000,
      "ulimit": {"nofile": "10:20"}, "sysctl": {"net.core.somaxconn": "1"}, "pids_limit": 9,
      "storage_opt": {"size": "1G"}, "oom_score_adj": 7, "mac_address": "02:42:ac:11:65:43",
      "devices": [{"host_path": "/dev/fuse"}], "extra_hosts": ["a:10.0.0.1"])");
  const json& host = body["HostConfig"];
  EXPECT_EQ(body["Entrypoint"], json::array({"/init"}));
  EXPECT_EQ(body["WorkingDir"], "/srv");
  EXPECT_EQ(body["Tty"], true);
  EXPECT_EQ(body["OpenStdin"], true);
  EXPECT_EQ(body["MacAddress"], "02:42:ac:11:65:43");
  EXPECT_EQ(body["Healthcheck"]["Test"], json::array({"NONE"}));
  EXPECT_EQ(host["Init"], true);
  EXPECT_EQ(host["ShmSize"], 1000);
  EXPECT_EQ(host["Ulimits"][0]["Hard"], 20);
  EXPECT_EQ(host["Sysctls"]["net.core.somaxconn"], "1");
  EXPECT_EQ(host["PidsLimit"], 9);
  EXPECT_EQ(host["OomScoreAdj"], 7);
  EXPECT_EQ(host["Devices"][0]["PathOnHost"], "/dev/fuse");
  EXPECT_EQ(host["ExtraHosts"][0], "a:10.0.0.1");
}

TEST_F(DockerBodyTest, LabelsOfTheJobDoNotReplaceThoseOfTheDriver) {
  const json labels = Body(R"("labels": {"a": "b"})")["Labels"];
  EXPECT_EQ(labels["a"], "b");
  EXPECT_EQ(labels[kKindLabel], "task");
}

}  // namespace
}  // namespace drover_docker
