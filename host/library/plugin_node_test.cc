// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/library/plugin_node.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

class PluginNodeTest : public testing::Test {
 protected:
  PluginNodeTest() {
    node_.node_id = "n1";
    node_.agent_version = "1.2.3";
    node_.directory = directory_.path() + "/plugin_data";
    node_.cgroup_parent = "/drover_plugins";
  }
  static mode_t ModeOf(const std::string& path) {
    struct stat info{};
    EXPECT_EQ(lstat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777;
  }

  DirectoryForTest directory_;
  PluginNode node_;
};

TEST_F(PluginNodeTest, EachPluginHasItsOwnPlaces) {
  const PluginNode own = NodeOfPlugin(node_, "docker");
  EXPECT_EQ(own.state_dir, node_.directory + "/docker/state");
  EXPECT_EQ(own.cache_dir, node_.directory + "/docker/cache");
  EXPECT_EQ(own.run_dir, node_.directory + "/docker/run");
  EXPECT_EQ(own.cgroup_parent, "/drover_plugins/docker");
  EXPECT_EQ(own.node_id, "n1");
  EXPECT_FALSE(fs::exists(node_.directory)) << "nobody has asked for the directories";
}

TEST_F(PluginNodeTest, ANodeWithoutPlaceHasNoDirectories) {
  const PluginNode own = NodeOfPlugin(PluginNode(), "docker");
  EXPECT_EQ(own.state_dir, "");
  EXPECT_EQ(MakePluginDirectories(own).code(), Code::kInternal);
}

// The process of a plugin gets the description in a frame.
TEST_F(PluginNodeTest, TheFormOfTheAbiHasTheSameTexts) {
  const PluginNode own = NodeOfPlugin(node_, "docker");
  const PluginNode back = ReadNodeInfo(ToNodeInfo(own));
  EXPECT_EQ(back.node_id, own.node_id);
  EXPECT_EQ(back.agent_version, own.agent_version);
  EXPECT_EQ(back.directory, own.directory);
  EXPECT_EQ(back.run_dir, own.run_dir);
  EXPECT_EQ(back.cgroup_parent, own.cgroup_parent);
}

TEST_F(PluginNodeTest, TheDirectoriesArePrivateAndStay) {
  const PluginNode own = NodeOfPlugin(node_, "docker");
  ASSERT_TRUE(MakePluginDirectories(own).ok());
  std::ofstream(own.state_dir + "/kept") << "x";
  ASSERT_EQ(chmod(own.cache_dir.c_str(), 0777), 0);
  ASSERT_TRUE(MakePluginDirectories(own).ok());
  for (const std::string& path :
       {node_.directory, own.directory, own.state_dir, own.cache_dir, own.run_dir}) {
    EXPECT_EQ(ModeOf(path), 0700u) << path;
  }
  EXPECT_TRUE(fs::exists(own.state_dir + "/kept"));
}

TEST_F(PluginNodeTest, FollowsNoLinkAndTakesNoFile) {
  const PluginNode own = NodeOfPlugin(node_, "docker");
  fs::create_directories(own.directory);
  fs::create_directory(directory_.path() + "/elsewhere");
  fs::create_directory_symlink(directory_.path() + "/elsewhere", own.state_dir);
  const Status linked = MakePluginDirectories(own);
  EXPECT_EQ(linked.code(), Code::kFailedPrecondition);
  EXPECT_NE(linked.error().message().find(own.state_dir + " is no directory"), std::string::npos);
  fs::remove(own.state_dir);
  std::ofstream(own.run_dir) << "x";
  EXPECT_EQ(MakePluginDirectories(own).code(), Code::kFailedPrecondition);
  fs::remove(own.run_dir);
  EXPECT_TRUE(MakePluginDirectories(own).ok());
}

TEST_F(PluginNodeTest, TakesNoDirectoryOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  const PluginNode own = NodeOfPlugin(node_, "docker");
  fs::create_directories(own.directory);
  ASSERT_EQ(chown(own.directory.c_str(), 65534, 65534), 0);
  const Status made = MakePluginDirectories(own);
  EXPECT_EQ(made.code(), Code::kFailedPrecondition);
  EXPECT_NE(made.error().message().find("belongs to the user 65534"), std::string::npos);
}

TEST_F(PluginNodeTest, MakesNothingWhereTheDataDirectoryIsMissing) {
  node_.directory = directory_.path() + "/missing/plugin_data";
  EXPECT_EQ(MakePluginDirectories(NodeOfPlugin(node_, "docker")).code(), Code::kNotFound);
  EXPECT_FALSE(fs::exists(directory_.path() + "/missing"));
}

}  // namespace
}  // namespace drover
