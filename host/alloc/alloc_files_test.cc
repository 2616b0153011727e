// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/alloc_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/alloc/dir_tree.h"
#include "host/base/directory_for_test.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

class AllocFilesTest : public ::testing::Test {
 protected:
  AllocFilesTest() {
    root_ = base_.path() + "/alloc-id";
    for (const char* name : {"alloc/logs", "web/local", "web/secrets", "web/private"}) {
      fs::create_directories(root_ + "/" + name);
    }
    Write("web/local/index.html", "<html>");
    Write("web/secrets/token", "secret");
    Write("web/private/key", "private");
    std::ofstream(base_.path() + "/outside") << "outside";
    Result<AllocFiles> files = AllocFiles::Open(base_.path(), "alloc-id");
    if (files.ok()) files_.emplace(std::move(*files));
  }
  void SetUp() override { ASSERT_TRUE(files_); }

  void Write(const std::string& path, const std::string& text) const {
    std::ofstream(root_ + "/" + path) << text;
  }
  void Link(const std::string& target, const std::string& path) const {
    fs::create_symlink(target, root_ + "/" + path);
  }
  // The contents of the file, or the error.
  std::string Read(const std::string& path) const {
    const Result<UniqueFd> fd = files_->OpenFile(path);
    if (!fd.ok()) return fd.error().message();
    char text[64];
    const ssize_t size = read(fd->get(), text, sizeof text);
    return std::string(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  }
  Code CodeOf(const std::string& path) const { return files_->OpenFile(path).code(); }

  const DirectoryForTest base_{::testing::TempDir()};
  std::string root_;
  std::optional<AllocFiles> files_;
};

TEST_F(AllocFilesTest, ListsByNameWithoutFollowingLinks) {
  Link("local", "web/a-link");
  const auto list = files_->List("/web");
  ASSERT_TRUE(list.ok()) << list.error().message();
  std::string names;
  for (const AllocFileInfo& info : *list) names += info.name + " ";
  EXPECT_EQ(names, "a-link local private secrets ");
  EXPECT_TRUE(S_ISLNK((*list)[0].mode));
  EXPECT_TRUE((*list)[1].is_directory());
  EXPECT_TRUE(files_->List("").ok());
  EXPECT_TRUE(files_->List("/").ok());
  EXPECT_EQ(files_->List("web/local/index.html").error().message(),
            "web/local/index.html: not a directory");
  EXPECT_EQ(files_->List("none").code(), Code::kNotFound);
}

TEST_F(AllocFilesTest, StatNamesWhatIsAsked) {
  const auto file = files_->Stat("web/local/index.html");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->name, "index.html");
  EXPECT_EQ(file->size, 6);
  EXPECT_GT(file->modified, 0);
  EXPECT_EQ(files_->Stat("web/local///")->name, "local");
  EXPECT_EQ(files_->Stat("/")->name, "alloc-id");
  EXPECT_TRUE(files_->Stat("web/secrets/token").ok()) << "its properties are visible";
  EXPECT_EQ(files_->Stat("web/none").code(), Code::kNotFound);
}

TEST_F(AllocFilesTest, NoPathLeavesTheDirectory) {
  Link("/etc", "web/local/absolute");
  Link("../../../outside", "web/local/up");
  Link("/proc/self/root", "web/local/magic");
  for (const char* path :
       {"..", "../outside", "web/../../outside", "web/local/absolute/passwd", "web/local/up",
        "/../outside", "web/local/magic/etc/passwd", "web/local/absolute"}) {
    EXPECT_EQ(Read(path), "Path escapes the alloc directory") << path;
    EXPECT_EQ(files_->Stat(path).code(), Code::kPermissionDenied) << path;
    EXPECT_EQ(files_->List(path).code(), Code::kPermissionDenied) << path;
  }
  Link("local/index.html", "web/inside");
  EXPECT_EQ(Read("web/inside"), "<html>");
  EXPECT_EQ(Read("web/../web/local/index.html"), "<html>");
  EXPECT_EQ(Read("/web/local/index.html"), "<html>");
  Link("loop", "web/loop");
  EXPECT_FALSE(files_->OpenFile("web/loop").ok());
  EXPECT_EQ(CodeOf(std::string("web/local/index.html\0x", 22)), Code::kInvalidArgument);
}

TEST_F(AllocFilesTest, SecretsAreNotReadByAnyName) {
  Link("../web/secrets/token", "alloc/innocent");
  Link("../secrets", "web/local/s");
  EXPECT_EQ(Read("web/secrets/token"), "Reading secret file prohibited: web/secrets/token");
  EXPECT_EQ(Read("web/./secrets//token"), "Reading secret file prohibited: web/./secrets//token");
  EXPECT_EQ(Read("alloc/innocent"), "Reading secret file prohibited: alloc/innocent");
  EXPECT_EQ(Read("web/local/s/token"), "Reading secret file prohibited: web/local/s/token");
  EXPECT_EQ(Read("web/private/key"), "Reading private file prohibited: web/private/key");
  // The names are special only where the agent has made the directories.
  fs::create_directories(root_ + "/alloc/secrets");
  Write("alloc/secrets/x", "mine");
  EXPECT_EQ(Read("alloc/secrets/x"), "mine");
}

TEST_F(AllocFilesTest, SecretsInMemoryAreKnownByTheirMount) {
  // Such a place remains after a rename in a mount namespace where it is no mount point.
  fs::create_directories(root_ + "/web/local/moved");
  const UniqueFd moved(
      open((root_ + "/web/local/moved").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (geteuid() != 0 || !MountTmpfs(moved.get(), "moved", 1 << 20, 0700).ok()) {
    GTEST_SKIP() << "mounting a tmpfs needs root";
  }
  Write("web/local/moved/token", "secret");
  EXPECT_EQ(Read("web/local/moved/token"), "Path escapes the alloc directory");
  for (const char* path : {"web/local/moved", "web/local/moved/token"}) {
    EXPECT_EQ(files_->Stat(path).code(), Code::kPermissionDenied) << path;
  }
  EXPECT_EQ(files_->List("web/local/moved").code(), Code::kPermissionDenied);
  EXPECT_EQ(umount2((root_ + "/web/local/moved").c_str(), MNT_DETACH), 0);
}

TEST_F(AllocFilesTest, AMountThatHoldsTheSecretsMayBeLookedAt) {
  const std::string secrets = root_ + "/web/secrets";
  const UniqueFd place(open(secrets.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (geteuid() != 0 || !MountTmpfs(place.get(), secrets, 1 << 20, 0700).ok()) {
    GTEST_SKIP() << "mounting a tmpfs needs root";
  }
  Write("web/secrets/token", "secret");
  const auto list = files_->List("web/secrets");
  EXPECT_EQ(list.ok() ? list->size() : 0, 1u);
  EXPECT_TRUE(files_->Stat("web/secrets/token").ok());
  EXPECT_TRUE(files_->Stat("web/secrets").ok());
  EXPECT_FALSE(files_->OpenFile("web/secrets/token").ok());
  EXPECT_EQ(umount2(secrets.c_str(), MNT_DETACH), 0);
}

TEST_F(AllocFilesTest, AListLeavesOutWhatIsMountedOnItsEntries) {
  Write("web/local/mounted", "2");
  const std::string on = root_ + "/web/local/mounted";
  if (geteuid() != 0 ||
      mount((base_.path() + "/outside").c_str(), on.c_str(), nullptr, MS_BIND, nullptr) != 0) {
    GTEST_SKIP() << "to mount a file needs root";
  }
  const auto list = files_->List("web/local");
  EXPECT_EQ(umount2(on.c_str(), MNT_DETACH), 0);
  ASSERT_TRUE(list.ok());
  std::string names;
  for (const AllocFileInfo& info : *list) names += info.name + " ";
  EXPECT_EQ(names, "index.html ");
}

TEST_F(AllocFilesTest, OnlyRegularFilesWithOneNameAreRead) {
  ASSERT_EQ(mkfifo((root_ + "/web/local/pipe").c_str(), 0600), 0);
  EXPECT_EQ(Read("web/local/pipe"), "file \"web/local/pipe\" is no regular file");
  EXPECT_EQ(Read("web/local"), "file \"web/local\" is a directory");
  fs::create_hard_link(base_.path() + "/outside", root_ + "/web/local/second");
  EXPECT_EQ(Read("web/local/second"), "file \"web/local/second\" has a second name");
  EXPECT_EQ(CodeOf("web/none"), Code::kNotFound);
}

TEST_F(AllocFilesTest, ThereMustBeADirectory) {
  EXPECT_EQ(AllocFiles::Open(base_.path(), "none").code(), Code::kNotFound);
  EXPECT_FALSE(AllocFiles::Open(base_.path(), "..").ok());
  EXPECT_FALSE(AllocFiles::Open(base_.path(), "outside").ok());
}

}  // namespace
}  // namespace drover
