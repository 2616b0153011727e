// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/named/root_paths.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace drover {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::pair<std::string, std::string>>;

class RootPathsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/drover-root-paths-XXXXXX";
    ASSERT_TRUE(mkdtemp(pattern.data()));
    root_ = fs::canonical(pattern);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string root_;
};

TEST_F(RootPathsTest, HasTheEntriesOfTheRoot) {
  for (const char* name : {"usr", "usr/bin", "proc", "tmp", "dev"})
    fs::create_directory(root_ + "/" + name);
  std::ofstream(root_ + "/init") << "x";
  const auto paths = RootPathsOf(root_);
  ASSERT_TRUE(paths.ok()) << paths.error().message();
  EXPECT_EQ(*paths, (Paths{{root_ + "/init", "/init"}, {root_ + "/usr", "/usr"}}));
}

// A link never leads to the host, whatever it says.
TEST_F(RootPathsTest, FollowsLinksInsideTheRoot) {
  fs::create_directories(root_ + "/usr/bin");
  fs::create_symlink("usr/bin", root_ + "/bin");
  fs::create_symlink("/usr/bin", root_ + "/sbin");
  fs::create_symlink("/etc", root_ + "/etc");
  fs::create_symlink("../../../etc", root_ + "/up");
  fs::create_symlink("/", root_ + "/self");
  const auto paths = RootPathsOf(root_);
  ASSERT_TRUE(paths.ok()) << paths.error().message();
  const std::string bin = root_ + "/usr/bin";
  EXPECT_EQ(*paths, (Paths{{bin, "/bin"}, {bin, "/sbin"}, {root_ + "/usr", "/usr"}}));
}

TEST_F(RootPathsTest, RefusesWhatIsNoRoot) {
  EXPECT_EQ(RootPathsOf("usr").code(), Code::kInvalidArgument);
  EXPECT_EQ(RootPathsOf(root_ + "/none").code(), Code::kNotFound);
  EXPECT_EQ(RootPathsOf(root_).code(), Code::kNotFound);
  for (int i = 0; i < 65; ++i) fs::create_directory(root_ + "/d" + std::to_string(i));
  EXPECT_EQ(RootPathsOf(root_).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace drover
