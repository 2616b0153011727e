// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/volume/volume_plugin.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "host/base/directory_for_test.h"
#include "host/base/unique_fd.h"

namespace drover {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class VolumePluginTest : public ::testing::Test {
 protected:
  VolumePluginTest() {
    options_.directory = directory_.path();
    options_.volumes_dir = "/srv/volumes";
    options_.node_id = "the-node";
    options_.node_pool = "the-pool";
    volume_.id = "00000000-0000-4000-8000-0123456789ab";
    volume_.name_space = "team";
    volume_.name = "data";
    volume_.capacity_min_bytes = 10;
    volume_.capacity_max_bytes = 20;
    volume_.parameters = {{"quote", "a\"b\nc"}};
    volume_.host_path = "/srv/volumes/made";
  }

  std::string Path(const std::string& name) const { return directory_.path() + "/" + name; }
  void Write(const std::string& name, const std::string& script, mode_t mode = 0755) {
    std::ofstream(Path(name)) << "#!/bin/sh\n" << script;
    ASSERT_EQ(chmod(Path(name).c_str(), mode), 0);
  }
  VolumePlugin Plugin(const std::string& script) {
    Write("plugin", script);
    return VolumePlugin::Find(options_, "plugin").value();
  }
  std::string Text(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(Path(name)).rdbuf();
    return text.str();
  }
  // Returns the variables that the plugin has written to the file NAME by `env -0`.
  std::map<std::string, std::string> Variables(const std::string& name) const {
    std::map<std::string, std::string> variables;
    std::istringstream all(Text(name));
    for (std::string one; std::getline(all, one, '\0');) {
      const std::size_t equals = one.find('=');
      variables[one.substr(0, equals)] = one.substr(equals + 1);
    }
    return variables;
  }

  const DirectoryForTest directory_;
  VolumePluginOptions options_;
  VolumeRecord volume_;
};

TEST_F(VolumePluginTest, ACallHasItsOperationAndItsVariables) {
  const VolumePlugin plugin = Plugin("env -0 > " + Path("env") + "; echo \"$1\" > " + Path("arg") +
                                     R"(; echo '{"path": "/srv/x", "bytes": 15}')");
  const Result<MadeVolume> made = plugin.Create(volume_);
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_EQ(*made, (MadeVolume{"/srv/x", 15}));
  EXPECT_EQ(Text("arg"), "create\n");
  std::map<std::string, std::string> variables = Variables("env");
  const std::map<std::string, std::string> wanted = {{"DHV_OPERATION", "create"},
                                                     {"DHV_VOLUMES_DIR", "/srv/volumes"},
                                                     {"DHV_PLUGIN_DIR", directory_.path()},
                                                     {"DHV_NAMESPACE", "team"},
                                                     {"DHV_VOLUME_NAME", "data"},
                                                     {"DHV_VOLUME_ID", volume_.id},
                                                     {"DHV_NODE_ID", "the-node"},
                                                     {"DHV_NODE_POOL", "the-pool"},
                                                     {"DHV_PARAMETERS", R"({"quote":"a\"b\nc"})"},
                                                     {"DHV_CAPACITY_MIN_BYTES", "10"},
                                                     {"DHV_CAPACITY_MAX_BYTES", "20"}};
  for (const auto& [name, value] : wanted) EXPECT_EQ(variables[name], value) << name;
  EXPECT_FALSE(variables["PATH"].empty());
  EXPECT_EQ(variables.count("HOME"), 0u) << "the agent's environment is not the plugin's";

  ASSERT_TRUE(plugin.Delete(volume_).ok());
  EXPECT_EQ(Text("arg"), "delete\n");
  variables = Variables("env");
  EXPECT_EQ(variables["DHV_OPERATION"], "delete");
  EXPECT_EQ(variables["DHV_CREATED_PATH"], "/srv/volumes/made");
  EXPECT_EQ(variables.count("DHV_CAPACITY_MIN_BYTES"), 0u);
}

TEST_F(VolumePluginTest, AFingerprintIsAVersion) {
  const Result<std::string> version =
      Plugin(R"([ "$DHV_OPERATION" = fingerprint ] && echo '{"version": "0.0.1"}')").Fingerprint();
  ASSERT_TRUE(version.ok()) << version.error().message();
  EXPECT_EQ(*version, "0.0.1");
  EXPECT_THAT(Plugin("echo 0.0.1").Fingerprint().error().message(),
              AllOf(HasSubstr("must answer fingerprint with"), HasSubstr("\"0.0.1\"")));
  EXPECT_FALSE(Plugin(R"(echo '{"version": 1}')").Fingerprint().ok());
  EXPECT_FALSE(Plugin("true").Fingerprint().ok());
}

TEST_F(VolumePluginTest, AnAnswerThatIsNoVolumeIsAnError) {
  for (const char* answer :
       {"", "{}", "[]", "garbage", R"({"path": 7})", R"({"path": "/x", "bytes": -1})",
        R"({"path": "/x", "bytes": 1e30})", R"({"path": "/x", "bytes": "1"})",
        R"({"path": "/x"} trailing)", R"({"path": "x"})", R"({"path": "/x\ny"})",
        R"({"path": "/\u001b[31mx"})", "{\"path\": \"/\\u0000\xff\"}"}) {
    const Result<MadeVolume> made =
        Plugin("cat <<'END'\n" + std::string(answer) + "\nEND\n").Create(volume_);
    ASSERT_FALSE(made.ok()) << answer;
    EXPECT_THAT(made.error().message(), HasSubstr("must answer create with")) << answer;
  }
  const auto made = Plugin(R"(echo '{"path": "/x"}')").Create(volume_);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(*made, (MadeVolume{"/x", 0}));
}

TEST_F(VolumePluginTest, AFailureHasTheWordsOfThePlugin) {
  const Status failed = Plugin("echo no space on the array >&2; exit 7").Delete(volume_);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message(),
            "the volume plugin plugin failed to delete: it ended with exit code 7: no space on "
            "the array");
  EXPECT_THAT(Plugin("printf 'a\\033[2Jb' >&2; kill -9 $$").Delete(volume_).error().message(),
              AllOf(HasSubstr("the signal 9 ended it"), HasSubstr("a\\x1b[2Jb")));
}

TEST_F(VolumePluginTest, APluginThatWritesWithoutEndIsKilled) {
  const auto begin = std::chrono::steady_clock::now();
  const Result<MadeVolume> made = Plugin("exec yes").Create(volume_);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message(), HasSubstr("it wrote more than 65536 bytes"));
  EXPECT_LT(made.error().message().size(), 2000u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST_F(VolumePluginTest, APluginThatHangsIsKilledWithItsChildren) {
  options_.limit = 300ms;
  const Status failed = Plugin("sleep 1000 & echo $! > " + Path("pid") + "; wait").Delete(volume_);
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message(), HasSubstr("it did not end within 300ms, and was killed"));
  const pid_t child = std::atoi(Text("pid").c_str());
  ASSERT_GT(child, 0);
  // Its parent is gone, so the one who reaps it is another. It has ended when its descriptor can be
  // read; without a descriptor it was reaped.
  const UniqueFd ended(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  if (!ended) return;
  pollfd event{ended.get(), POLLIN, 0};
  EXPECT_EQ(poll(&event, 1, 10'000), 1);
}

TEST_F(VolumePluginTest, AnAgentThatEndsWaitsForNoPlugin) {
  const UniqueFd stop(eventfd(1, EFD_CLOEXEC));
  options_.stop = stop.get();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(Plugin("exec sleep 1000").Delete(volume_).ok());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST_F(VolumePluginTest, OnlyAnExecutableFileOfTheOperatorIsAPlugin) {
  Write("good", "true");
  Write("data", "true", 0644);
  Write(".hidden", "true");
  Write("open", "true", 0777);
  mkdir(Path("directory").c_str(), 0755);
  EXPECT_THAT(VolumePlugin::List(directory_.path()), ElementsAre("good", "open"));
  EXPECT_TRUE(VolumePlugin::List(Path("none")).empty());
  EXPECT_EQ(VolumePlugin::Find(options_, "none").code(), Code::kNotFound);
  EXPECT_THAT(VolumePlugin::Find(options_, "none").error().message(),
              HasSubstr("there is no volume plugin \"none\""));
  EXPECT_THAT(VolumePlugin::Find(options_, "data").error().message(),
              HasSubstr("is no executable file"));
  EXPECT_EQ(VolumePlugin::Find(options_, "open").code(), Code::kPermissionDenied);
  EXPECT_FALSE(VolumePlugin::Find(options_, "directory").ok());
}

}  // namespace
}  // namespace drover
