// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/volume/volume_path.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class VolumePathTest : public ::testing::Test {
 protected:
  VolumePathTest() : base_(std::filesystem::canonical(directory_.path()).string()) {}

  std::string Make(const std::string& name) {
    std::filesystem::create_directories(base_ + "/" + name);
    return base_ + "/" + name;
  }
  std::string Link(const std::string& target, const std::string& name) {
    std::filesystem::create_symlink(target, base_ + "/" + name);
    return base_ + "/" + name;
  }
  // Returns the real path of PATH, or the message of the error.
  std::string Open(const std::string& path, const std::vector<std::string>& writable = {}) {
    const Result<VolumePlace> place = OpenVolumePath(path, writable);
    if (!place.ok()) return place.error().message();
    struct stat opened{}, named{};
    EXPECT_EQ(fstat(place->place.get(), &opened), 0);
    EXPECT_EQ(lstat(place->real.c_str(), &named), 0);
    EXPECT_EQ(opened.st_ino, named.st_ino);
    return place->real;
  }

  const DirectoryForTest directory_;
  const std::string base_;
};

TEST_F(VolumePathTest, DirectoriesFilesAndSocketsAreSources) {
  const std::string directory = Make("a/b");
  EXPECT_EQ(Open(directory), directory);
  EXPECT_EQ(Open(directory + "//./"), directory);
  EXPECT_EQ(Open(directory + "/../b"), directory);
  EXPECT_EQ(Open("/"), "/");
  EXPECT_EQ(Open("/../.."), "/");
  std::ofstream(base_ + "/file") << "x";
  EXPECT_EQ(Open(base_ + "/file"), base_ + "/file");
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (base_ + "/socket").c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  close(listener);
  EXPECT_EQ(Open(base_ + "/socket"), base_ + "/socket");
}

TEST_F(VolumePathTest, OtherThingsAreNoSources) {
  ASSERT_EQ(mkfifo((base_ + "/fifo").c_str(), 0600), 0);
  EXPECT_THAT(Open(base_ + "/fifo"), HasSubstr("/fifo is no directory, file or socket"));
  EXPECT_THAT(Open("/dev/null"), HasSubstr("is no directory"));
  EXPECT_THAT(Open("relative"), HasSubstr("is no absolute path"));
  EXPECT_THAT(Open(""), HasSubstr("is no absolute path"));
  EXPECT_THAT(Open(std::string("/a\0b", 4)), HasSubstr("is no absolute path"));
  EXPECT_THAT(Open(base_ + "/none/below"),
              AllOf(HasSubstr("/none, on the way to "), HasSubstr("No such file")));
  std::ofstream(base_ + "/file") << "x";
  EXPECT_THAT(Open(base_ + "/file/below"), HasSubstr("Not a directory"));
  EXPECT_EQ(OpenVolumePath(base_ + "/none", {}).code(), Code::kNotFound);
}

TEST_F(VolumePathTest, ALinkOfTheOperatorIsFollowed) {
  const std::string target = Make("disk/data");
  EXPECT_EQ(Open(Link(target, "absolute")), target);
  EXPECT_EQ(Open(Link("disk", "relative") + "/data"), target);
  Make("other");
  EXPECT_EQ(Open(Link("../disk/data", "other/up")), target);
  EXPECT_EQ(Open(Link("absolute", "twice")), target);
  Link("loop", "loop");
  EXPECT_THAT(Open(base_ + "/loop"), HasSubstr("Too many levels of symbolic links"));
}

TEST_F(VolumePathTest, ALinkWhereOthersMayWriteIsNotFollowed) {
  const std::string target = Make("target");
  const std::string open = Make("open");
  Link(target, "open/link");
  EXPECT_EQ(Open(open + "/link"), target);
  ASSERT_EQ(chmod(open.c_str(), 0777), 0);
  EXPECT_THAT(Open(open + "/link"), HasSubstr("others may write to its directory"));
  ASSERT_EQ(chmod(open.c_str(), 01777), 0);
  EXPECT_THAT(Open(open + "/link"), HasSubstr("is a symbolic link, which is not followed"));
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  ASSERT_EQ(chmod(open.c_str(), 0755), 0);
  ASSERT_EQ(chown(open.c_str(), 12345, 12345), 0);
  EXPECT_THAT(Open(open + "/link"), HasSubstr("its directory belongs to user 12345"));
}

// A task that runs as root owns what it makes, as the operator does.
TEST_F(VolumePathTest, ALinkBelowAVolumeThatTasksMayChangeIsNotFollowed) {
  const std::string outer = Make("outer");
  Make("outer/a");
  Link("/etc", "outer/a/inner");
  EXPECT_EQ(Open(outer + "/a/inner"), "/etc");
  EXPECT_THAT(Open(outer + "/a/inner", {outer}), HasSubstr("tasks may write to " + outer));
  EXPECT_THAT(Open(outer + "/a/inner/ssl", {outer}), HasSubstr("tasks may write to " + outer));
  // The other volume has another name for the same directory.
  const std::string alias = Link(outer, "alias");
  EXPECT_THAT(Open(outer + "/a/inner", {alias}), HasSubstr("tasks may write to " + alias));
  // What is no link stays reachable, and so does the volume itself by a link to it.
  EXPECT_EQ(Open(outer + "/a", {outer}), outer + "/a");
  EXPECT_EQ(Open(alias, {alias}), outer);
  EXPECT_EQ(Open(outer + "/a", {"/no/such/volume", outer + "/a"}), outer + "/a");
}

}  // namespace
}  // namespace drover
