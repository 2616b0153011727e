// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/hcl/job_hcl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "host/spec/job_json.h"

namespace drover {
namespace {

using nlohmann::json;
using testing::HasSubstr;

HclRequest FileOf(std::string text) {
  HclRequest request;
  request.file = "web.nomad.hcl";
  request.text = std::move(text);
  return request;
}

class JobHclTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(DROVER_HCL_FOR_TEST))
      GTEST_SKIP() << "this build has no drover-hcl";
    UseHclProgram(DROVER_HCL_FOR_TEST);  // other tests of this program take another one
  }

  static HclJob Read(const HclRequest& request) {
    Result<HclJob> read = ReadJobHcl(request);
    EXPECT_TRUE(read.ok()) << read.error().message();
    return read.ok() ? std::move(*read) : HclJob{};
  }
  static json JobOf(const std::string& text) {
    const HclRequest request = FileOf(text);
    const HclJob read = Read(request);
    if (!read.diagnostics.empty()) ADD_FAILURE() << HclError(request, read.diagnostics).message();
    return read.job;
  }
  static std::string Faults(const std::string& text) {
    const HclRequest request = FileOf(text);
    const HclJob read = Read(request);
    EXPECT_TRUE(read.job.is_null());
    return HclError(request, read.diagnostics).message();
  }
};

TEST_F(JobHclTest, AJobWithAllThatRunsHere) {
  const json job = JobOf(R"(
    job "web" {
      datacenters = ["dc1"]
      type        = "batch"
      meta { owner = "me" }
      constraint {
        attribute = "${attr.kernel.name}"
        value     = "linux"
      }
      group "cache" {
        count = 2
        network {
          port "http" { to = 8080 }
          port "admin" { static = 9000 }
        }
        restart {
          attempts = 1
          interval = "10m"
          mode     = "fail"
        }
        ephemeral_disk { size = 500 }
        task "redis" {
          driver       = "exec"
          kill_timeout = "20s"
          config {
            command = "redis"
            args    = ["--port", "${NOMAD_PORT_http}"]
          }
          env = { "a.b" = 1 }
          logs { max_files = 3 }
          resources {
            cpu    = 200
            memory = 128
          }
          action "ping" {
            command = "redis-cli"
            args    = ["ping"]
          }
        }
        task "beside" {
          driver = "raw_exec"
          config { command = "beside" }
          lifecycle {
            hook    = "prestart"
            sidecar = true
          }
        }
      }
    })");
  EXPECT_EQ(job, json::parse(R"({
    "ID": "web", "Name": "web", "Datacenters": ["dc1"], "Type": "batch", "Meta": {"owner": "me"},
    "Constraints": [{"LTarget": "${attr.kernel.name}", "RTarget": "linux", "Operand": "="}],
    "TaskGroups": [{"Name": "cache", "Count": 2,
      "Networks": [{"DynamicPorts": [{"Label": "http", "To": 8080}],
                    "ReservedPorts": [{"Label": "admin", "Value": 9000}]}],
      "RestartPolicy": {"Attempts": 1, "Interval": 600000000000, "Mode": "fail"},
      "EphemeralDisk": {"SizeMB": 500},
      "Tasks": [{"Name": "redis", "Driver": "exec", "KillTimeout": 20000000000,
        "Config": {"command": "redis", "args": ["--port", "${NOMAD_PORT_http}"]},
        "Env": {"a.b": "1"}, "LogConfig": {"MaxFiles": 3},
        "Resources": {"CPU": 200, "MemoryMB": 128},
        "Actions": [{"Name": "ping", "Command": "redis-cli", "Args": ["ping"]}]},
        {"Name": "beside", "Driver": "raw_exec", "Config": {"command": "beside"},
         "Lifecycle": {"Hook": "prestart", "Sidecar": true}}]}]})"));
  const Result<Job> parsed = ParseJob(job.dump());
  EXPECT_TRUE(parsed.ok()) << parsed.error().message();
}

TEST_F(JobHclTest, BlocksThatAreNotCarriedOutAreReadAllTheSame) {
  const json job = JobOf(R"(
    job "web" {
      type = "batch"
      periodic {
        crons            = ["@daily"]
        prohibit_overlap = true
      }
      ui {
        link {
          label = "x"
          url   = "http://x"
        }
      }
      group "g" {
        volume "data" {
          type      = "host"
          source    = "data"
          read_only = true
        }
        network {
          port "http" {}
        }
        spread {
          attribute = "${node.datacenter}"
          target "dc1" { percent = 70 }
        }
        scaling {
          max = 3
          policy {
            check "load" {
              strategy "target-value" { target = 1.5 }
            }
          }
        }
        service {
          name = "web"
          port = "http"
          check {
            type     = "http"
            path     = "/"
            interval = "10s"
            timeout  = "2s"
            header { Accept = ["a", "b"] }
            check_restart { limit = 3 }
          }
          connect {
            sidecar_service {
              proxy {
                upstreams {
                  destination_name = "db"
                  local_bind_port  = 5432
                }
              }
            }
          }
        }
        task "t" {
          driver = "docker"
          vault { policies = ["p"] }
          identity {
            name = "consul"
            aud  = ["consul.io"]
          }
          template {
            data        = "{{ env \"A\" }}"
            destination = "local/a"
            change_script { command = "/bin/true" }
          }
          artifact {
            source = "http://x"
            options { checksum = "md5:x" }
          }
        }
      }
    })");
  const json& group = job.at("TaskGroups")[0];
  const json& task = group.at("Tasks")[0];
  EXPECT_EQ(job.at("Periodic"), json({{"Specs", {"@daily"}}, {"ProhibitOverlap", true}}));
  EXPECT_EQ(job.at("UI").at("Links"), json({{{"Label", "x"}, {"URL", "http://x"}}}));
  EXPECT_EQ(group.at("Volumes").at("data").at("ReadOnly"), true);
  EXPECT_EQ(group.at("Spreads")[0].at("SpreadTarget"), json({{{"Value", "dc1"}, {"Percent", 70}}}));
  EXPECT_EQ(group.at("Scaling").at("Policy"), json::parse(R"({"check": [{"load": [{"strategy":
      [{"target-value": [{"target": 1.5}]}]}]}]})"));
  const json& service = group.at("Services")[0];
  EXPECT_EQ(service.at("PortLabel"), "http");
  EXPECT_EQ(service.at("Checks")[0].at("Header"), json({{"Accept", {"a", "b"}}}));
  EXPECT_EQ(service.at("Connect").at("SidecarService").at("Proxy").at("Upstreams")[0],
            json({{"DestinationName", "db"}, {"LocalBindPort", 5432}}));
  EXPECT_EQ(task.at("Vault"), json({{"Policies", {"p"}}}));
  EXPECT_EQ(task.at("Identities"), json({{{"Name", "consul"}, {"Audience", {"consul.io"}}}}));
  EXPECT_EQ(task.at("Templates")[0].at("EmbeddedTmpl"), "{{ env \"A\" }}");
  EXPECT_EQ(task.at("Artifacts")[0].at("GetterOptions"), json({{"checksum", "md5:x"}}));
  std::vector<JobFault> faults;
  EXPECT_FALSE(ParseJob(job.dump(), &faults).ok());
  std::set<std::string> refused;
  for (const JobFault& fault : faults) {
    EXPECT_TRUE(fault.message.starts_with("is not supported by this version")) << fault.pointer;
    refused.insert(fault.pointer);
  }
  const std::string at = "/TaskGroups/0/";
  EXPECT_EQ(refused, (std::set<std::string>{at + "Services/0/Connect", at + "Tasks/0/Vault"}));
}

TEST_F(JobHclTest, BlocksOfOtherProgramsSayWhatToDoInstead) {
  const json job = JobOf(R"(
    job "web" {
      group "cache" {
        consul {
          namespace = "team"
        }
        service {
          name = "web"
          connect {
            sidecar_service {}
          }
        }
        task "redis" {
          driver = "exec"
          kind   = "connect-proxy:web"
          config {
            command = "redis"
          }
          vault {}
          consul {
            cluster = "other"
          }
          csi_plugin {
            id   = "ebs"
            type = "node"
          }
        }
      }
    })");
  std::vector<JobFault> faults;
  EXPECT_FALSE(ParseJob(job.dump(), &faults).ok());
  std::map<std::string, std::string> refused;
  for (const JobFault& fault : faults) refused.emplace(fault.pointer, fault.message);
  const std::string task = "/TaskGroups/0/Tasks/0/";
  const std::pair<std::string, std::string> instead[] = {
      {"/TaskGroups/0/Consul", "a service names its cluster itself"},
      {"/TaskGroups/0/Services/0/Connect", "let tasks connect to the addresses of services"},
      {task + "Vault", "store the secret as a variable"},
      {task + "Consul", "a service names its cluster itself"},
      {task + "CSIPluginConfig", "give it to tasks as a host volume"},
      {task + "Kind", "it marks the proxies of Connect"}};
  for (const auto& [pointer, sentence] : instead) {
    ASSERT_TRUE(refused.contains(pointer)) << pointer;
    EXPECT_NE(refused.at(pointer).find(sentence), std::string::npos) << refused.at(pointer);
  }
}

TEST_F(JobHclTest, LogsHaveTheirOptions) {
  const auto logs = [](const std::string& block) {
    const json job = JobOf(R"(
      job "web" {
        group "g" {
          task "t" {
            driver = "exec"
            config {
              command = "x"
            }
            logs {
              )" + block + R"(
            }
          }
        }
      })");
    const Result<Job> parsed = ParseJob(job.dump());
    EXPECT_TRUE(parsed.ok()) << parsed.error().message();
    return parsed.ok() ? parsed->groups[0].tasks[0].log_config : LogConfig();
  };
  EXPECT_EQ(logs("max_files = 3\nmax_file_size = 5"), (LogConfig{3, 5 << 20, false}));
  EXPECT_EQ(logs("disabled = true"), (LogConfig{10, 10 << 20, true}));
  EXPECT_EQ(logs("enabled = false"), (LogConfig{10, 10 << 20, true}));
  EXPECT_EQ(logs("enabled = true"), LogConfig());
}

std::string TextOf(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST_F(JobHclTest, TheExamplesAreTheSameInHclAndInJson) {
  int examples = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(DROVER_EXAMPLES_FOR_TEST)) {
    if (entry.path().extension() != ".json") continue;
    std::filesystem::path hcl = entry.path();
    hcl.replace_extension(".nomad.hcl");
    ASSERT_TRUE(std::filesystem::exists(hcl)) << hcl;
    const Result<Job> of_json = ParseJob(TextOf(entry.path()));
    const Result<Job> of_hcl = ParseJob(JobOf(TextOf(hcl)).dump());
    ASSERT_TRUE(of_json.ok()) << of_json.error().message();
    ASSERT_TRUE(of_hcl.ok()) << of_hcl.error().message();
    EXPECT_EQ(*of_hcl, *of_json) << JobToJson(*of_hcl) << "\n" << JobToJson(*of_json);
    ++examples;
  }
  EXPECT_GE(examples, 4);
}

TEST_F(JobHclTest, EveryFaultHasItsPlace) {
  const std::string text = Faults(R"(job "web" {
  group "g" {
    count = "many"
    service {
      prot = "http"
    }
    task "t" {
      template {
        splay = "soon"
      }
    }
  }
})");
  EXPECT_THAT(text, HasSubstr("it has 3 errors:\n"));
  EXPECT_THAT(text, HasSubstr("web.nomad.hcl:3,13: Error: Wrong type"));
  EXPECT_THAT(text, HasSubstr("    count = \"many\""));
  EXPECT_THAT(text, HasSubstr("web.nomad.hcl:5,7: Error: Unsupported argument"));
  EXPECT_THAT(text, HasSubstr("web.nomad.hcl:9,17: Error: Wrong duration"));
}

TEST_F(JobHclTest, WhatIsNoJobIsAFault) {
  EXPECT_THAT(Faults(""), HasSubstr("there is no block job \"NAME\" in it"));
  EXPECT_THAT(Faults("client { enabled = true }"), HasSubstr("Unsupported block type"));
  EXPECT_THAT(Faults(R"(job "a" {
    constraint {
      regexp = "a"
      semver = "1"
    }
  })"),
              HasSubstr("/Constraints/0: says two things at once"));
}

TEST_F(JobHclTest, FieldsHaveTheirPlaces) {
  HclRequest request = FileOf(R"(job "a" {
  constraint {
    regexp = "a"
  }
  meta = { "" = "kept" }
  group "g" {
    volume "" { type = "host" }
    task "t" {
      config { port = 1 }
    }
  }
})");
  const json without = Read(request).job;
  request.places = true;
  const HclJob read = Read(request);
  EXPECT_EQ(read.job, without);
  EXPECT_EQ(read.job.at("Meta"), json({{"", "kept"}}));
  const std::pair<const char*, const char*> wanted[] = {
      {"/Name", "job \"a\""},
      {"/Constraints/0/RTarget", "regexp = \"a\""},
      {"/Meta", "meta = { \"\" = \"kept\" }"},
      {"/TaskGroups/0/Volumes/", "volume \"\""},
      {"/TaskGroups/0/Volumes//Type", "type = \"host\""},
      {"/TaskGroups/0/Tasks/0/Driver", "task \"t\""},
      {"/TaskGroups/0/Tasks/0/Config/port", "config"}};
  for (const auto& [pointer, text] : wanted) {
    const HclPlace* const place = read.places.Find(pointer);
    ASSERT_NE(place, nullptr) << pointer;
    EXPECT_EQ(request.text.substr(place->byte, place->end_byte - place->byte), text) << pointer;
  }
}

TEST_F(JobHclTest, AFaultOfABlockHasItsPlace) {
  HclRequest request = FileOf(R"(job "a" {
  constraint {
    regexp = "a"
    semver = "1"
  }
})");
  request.places = true;
  const std::string text = HclError(request, Read(request).diagnostics).message();
  EXPECT_THAT(text, HasSubstr("web.nomad.hcl:2,3: Error: Invalid job\n  2 |   constraint {"));
  EXPECT_THAT(text, HasSubstr("/Constraints/0: says two things at once"));
}

TEST_F(JobHclTest, VariablesAndWarnings) {
  HclRequest request = FileOf(R"(
    variable "kind" { type = string }
    job "web" { type = var.kind })");
  request.command_line = {{"kind", "batch"}, {"other", "x"}};
  request.loose = true;
  const HclJob read = Read(request);
  EXPECT_EQ(read.job.value("Type", ""), "batch");
  ASSERT_EQ(read.diagnostics.size(), 1u);
  EXPECT_FALSE(read.diagnostics[0].error);
  request.loose = false;
  EXPECT_TRUE(Read(request).job.is_null());
}

}  // namespace
}  // namespace drover
