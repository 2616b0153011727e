// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/alloc_tar.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class AllocTarTest : public ::testing::Test {
 protected:
  AllocTarTest() {
    Write("id/alloc/data/shared", "of all");
    Write("id/alloc/logs/web.stdout.0", "a log");
    Write("id/web/local/own", "of web");
    Write("id/web/secrets/secret", "hidden");
    fs::create_directories(Path("out"));
  }

  std::string Path(const std::string& name) const { return directory_.path() + "/" + name; }
  void Write(const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(Path(name)).parent_path());
    std::ofstream(Path(name)) << text;
  }
  std::string Text(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(Path(name)).rdbuf();
    return text.str();
  }
  std::string Archive() {
    const UniqueFd root(open(Path("id").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    auto tar = AllocTar::Open(root.get(), "id", {"web", "none"});
    EXPECT_TRUE(tar.ok());
    std::string archive;
    for (std::string part = (*tar)->Next(); !part.empty(); part = (*tar)->Next()) archive += part;
    EXPECT_EQ(archive.size() % 512, 0u);
    return archive;
  }
  // Has the program tar unpack an archive below "out".
  void Unpack() {
    std::ofstream(Path("archive.tar")) << Archive();
    const std::string command = "tar -xf " + Path("archive.tar") + " -C " + Path("out");
    ASSERT_EQ(std::system(command.c_str()), 0);
  }

  const DirectoryForTest directory_;
};

TEST_F(AllocTarTest, DataAndLocalDirectoriesAreInIt) {
  ASSERT_EQ(chmod(Path("id/web/local/own").c_str(), 0640), 0);
  fs::create_symlink("own", Path("id/web/local/link"));
  fs::create_directories(Path("id/alloc/data/empty"));
  Unpack();
  EXPECT_EQ(Text("out/alloc/data/shared"), "of all");
  EXPECT_EQ(Text("out/web/local/own"), "of web");
  EXPECT_EQ(fs::status(Path("out/web/local/own")).permissions(), fs::perms(0640));
  EXPECT_EQ(fs::read_symlink(Path("out/web/local/link")), "own");
  EXPECT_TRUE(fs::is_directory(Path("out/alloc/data/empty")));
  EXPECT_FALSE(fs::exists(Path("out/alloc/logs")));
  EXPECT_FALSE(fs::exists(Path("out/web/secrets")));
  EXPECT_FALSE(fs::exists(Path("out/NOMAD-id-ERROR.log")));
}

TEST_F(AllocTarTest, LongNamesAndFilesOfAllSizes) {
  const std::string deep(90, 'd'), name(200, 'n');
  for (const std::size_t size : {0, 1, 511, 512, 513, 65'535, 65'536, 200'000}) {
    Write("id/alloc/data/" + deep + "/" + name + std::to_string(size), std::string(size, 'x'));
  }
  fs::create_symlink(std::string(300, 't'), Path("id/alloc/data/long"));
  Unpack();
  for (const std::size_t size : {0, 1, 511, 512, 513, 65'535, 65'536, 200'000}) {
    EXPECT_EQ(Text("out/alloc/data/" + deep + "/" + name + std::to_string(size)).size(), size);
  }
  EXPECT_EQ(fs::read_symlink(Path("out/alloc/data/long")).string(), std::string(300, 't'));
}

TEST_F(AllocTarTest, WhatATaskMadeToReachOtherFilesIsLeftOut) {
  Write("outside", "of somebody else");
  ASSERT_EQ(link(Path("outside").c_str(), Path("id/web/local/hard").c_str()), 0);
  ASSERT_EQ(mkfifo(Path("id/web/local/fifo").c_str(), 0600), 0);
  fs::create_directory_symlink("/etc", Path("id/web/local/etc"));
  const std::string archive = Archive();
  EXPECT_THAT(archive, testing::Not(HasSubstr("of somebody else")));
  EXPECT_THAT(archive, testing::Not(HasSubstr("root:")));
  Unpack();
  const std::string errors = Text("out/NOMAD-id-ERROR.log");
  EXPECT_THAT(errors, HasSubstr("web/local/hard: has several names\n"));
  EXPECT_THAT(errors, HasSubstr("web/local/fifo: is no file, directory or link\n"));
  EXPECT_TRUE(fs::is_symlink(Path("out/web/local/etc")));
}

TEST_F(AllocTarTest, ADirectoryThatBecameALinkIsLeftOut) {
  fs::remove_all(Path("id/web/local"));
  fs::create_directory_symlink("/etc", Path("id/web/local"));
  EXPECT_THAT(Archive(), testing::Not(HasSubstr("passwd")));
}

TEST_F(AllocTarTest, AFileThatBecomesShorterKeepsItsPlace) {
  Write("id/alloc/data/shared", std::string(200'000, 'x'));
  Write("id/web/local/own", "after it");
  const UniqueFd root(open(Path("id").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  auto tar = AllocTar::Open(root.get(), "id", {"web"});
  ASSERT_TRUE(tar.ok());
  std::string archive = (*tar)->Next();
  fs::resize_file(Path("id/alloc/data/shared"), 10);
  for (std::string part = (*tar)->Next(); !part.empty(); part = (*tar)->Next()) archive += part;
  std::ofstream(Path("archive.tar")) << archive;
  const std::string command = "tar -xf " + Path("archive.tar") + " -C " + Path("out");
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(Text("out/alloc/data/shared").size(), 200'000u);
  EXPECT_EQ(Text("out/web/local/own"), "after it");
  EXPECT_THAT(Text("out/NOMAD-id-ERROR.log"), HasSubstr("has become shorter"));
}

}  // namespace
}  // namespace drover
