// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "config/host_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace drover_docker {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(DockerPathTest, NormalNeedsNoFiles) {
  EXPECT_EQ(Normal("/a//b/./c"), "/a/b/c");
  EXPECT_EQ(Normal("/a/../b"), "/b");
  EXPECT_EQ(Normal("/"), "/");
  EXPECT_EQ(Normal("a/.."), "");
  EXPECT_EQ(Normal("/.."), std::nullopt);
  EXPECT_EQ(Normal("../a"), std::nullopt);
}

// The directories of an allocation: ALLOC/alloc and ALLOC/task, and a neighbour.
class DockerHostPathTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "docker_path_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = fs::canonical(pattern);
    for (const char* name : {"one/alloc/data", "one/task/local", "one/other/secrets", "outside"}) {
      fs::create_directories(root_ / name);
    }
    places_ = TaskPlaces{root_ / "one/task", root_ / "one/alloc"};
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string Source(const std::string& source, bool volumes_enabled = false, bool make = true) {
    Settings settings;
    settings.volumes_enabled = volumes_enabled;
    MountOption mount;
    mount.where = "/volumes/0";
    mount.kind = MountKind::kBind;
    mount.source = source;
    mount.make_source = make;
    try {
      return BindSource(settings, places_, mount);
    } catch (const drover::Error& error) {
      return error.message();
    }
  }

  fs::path root_;
  TaskPlaces places_;
};

TEST_F(DockerHostPathTest, RelativePathsBeginInTheTask) {
  EXPECT_EQ(Source("local"), (root_ / "one/task/local").string());
  EXPECT_EQ(Source("./local/"), (root_ / "one/task/local").string());
  EXPECT_EQ(Source("local/a/b"), (root_ / "one/task/local/a/b").string());
  EXPECT_TRUE(fs::is_directory(root_ / "one/task/local/a/b"));
}

TEST_F(DockerHostPathTest, TheSharedDirectoryIsReached) {
  EXPECT_EQ(Source("../alloc/data"), (root_ / "one/alloc/data").string());
  EXPECT_EQ(Source(root_ / "one/alloc/data"), (root_ / "one/alloc/data").string());
}

TEST_F(DockerHostPathTest, NothingElseIs) {
  for (const std::string& source :
       {std::string("../other/secrets"), std::string("../../outside"), std::string("/etc"),
        std::string("../../../../../../etc"), (root_ / "outside").string(), std::string("/"),
        (root_ / "one/task/../../outside").string(), (root_ / "one/task-2").string(),
        std::string("../../../../../../../../../../../../..")}) {
    EXPECT_THAT(Source(source), HasSubstr("/volumes/0: ")) << source;
  }
}

TEST_F(DockerHostPathTest, MissingSourcesOfMountsAreNotMade) {
  EXPECT_THAT(Source("local/none", false, false), HasSubstr("cannot open"));
  EXPECT_FALSE(fs::exists(root_ / "one/task/local/none"));
}

TEST_F(DockerHostPathTest, LinksAreNotFollowed) {
  fs::create_directory_symlink("/etc", root_ / "one/task/local/link");
  fs::create_directory_symlink(root_ / "one/task/local", root_ / "one/task/inside");
  fs::create_directory_symlink("../../outside", root_ / "one/alloc/up");
  for (const char* source :
       {"local/link", "local/link/ssl", "inside", "inside/x", "../alloc/up", "local/link/made"}) {
    EXPECT_THAT(Source(source), HasSubstr("symbolic link")) << source;
    EXPECT_THAT(Source(source, true), HasSubstr("symbolic link")) << source;
  }
  EXPECT_FALSE(fs::exists("/etc/made"));
}

TEST_F(DockerHostPathTest, TheOperatorMayPermitPathsOfTheHost) {
  EXPECT_EQ(Source(root_ / "outside", true), (root_ / "outside").string());
  EXPECT_EQ(Source(root_ / "outside/new", true), (root_ / "outside/new").string());
  EXPECT_TRUE(fs::is_directory(root_ / "outside/new"));
  EXPECT_THAT(Source((root_ / "outside/no").string(), true, false), HasSubstr("the host has no"));
  EXPECT_THAT(Source("../../outside", true), HasSubstr("leaves the directories"));
  EXPECT_THAT(Source((root_ / "one/../outside").string(), true), HasSubstr("leaves"));
}

TEST_F(DockerHostPathTest, AFileIsOpenedForReading) {
  std::ofstream(root_ / "one/task/local/image.tar") << "bytes";
  const auto path = FindOwn(places_, "local/image.tar");
  ASSERT_TRUE(path);
  const drover::Fd file = OpenOwn("/load", *path, false, true);
  char buffer[8] = {};
  EXPECT_EQ(::read(file.get(), buffer, sizeof buffer), 5);
}

}  // namespace
}  // namespace drover_docker
