// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/config_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ConfigFilesTest, ADirectoryHasItsFilesInAlphabeticOrder) {
  const DirectoryForTest made(::testing::TempDir());
  const std::string& directory = made.path();
  for (const char* name : {"b.json", "a.hcl", "c.txt", ".d.hcl", "e.hcl~", "10.hcl", "9.hcl"}) {
    std::ofstream(directory + "/" + name) << "{}";
  }
  EXPECT_THAT(ListConfigFiles(directory).value(),
              ElementsAre(directory + "/10.hcl", directory + "/9.hcl", directory + "/a.hcl",
                          directory + "/b.json"));
}

TEST(ConfigFilesTest, ADirectoryInItIsLeftOut) {
  const DirectoryForTest made(::testing::TempDir());
  const std::string& directory = made.path();
  ASSERT_EQ(mkdir((directory + "/old.hcl").c_str(), 0700), 0);
  std::ofstream(directory + "/a.json") << "{}";
  ASSERT_EQ(symlink("old.hcl", (directory + "/b.hcl").c_str()), 0);
  ASSERT_EQ(symlink("none.hcl", (directory + "/c.hcl").c_str()), 0);
  EXPECT_THAT(ListConfigFiles(directory).value(),
              ElementsAre(directory + "/a.json", directory + "/c.hcl"));
  EXPECT_EQ(ReadConfigFile(directory + "/c.hcl").code(), Code::kNotFound);
}

TEST(ConfigFilesTest, AnEmptyFileIsAMistake) {
  const DirectoryForTest made(::testing::TempDir());
  const std::string path = made.path() + "/agent.hcl";
  for (const char* text : {"", " \n\t\r\n"}) {
    std::ofstream(path) << text;
    EXPECT_THAT(ReadConfigFile(path).error().message(), HasSubstr("is empty: write a conf"));
  }
  std::ofstream(path) << "# nothing yet";
  EXPECT_TRUE(ReadConfigFile(path).ok());
}

TEST(ConfigFilesTest, AnyOtherPathIsOneFile) {
  EXPECT_THAT(ListConfigFiles("/no/such.hcl").value(), ElementsAre("/no/such.hcl"));
  EXPECT_EQ(ReadConfigFile("/no/such.hcl").error(), Error(Code::kNotFound, "no such file"));
}

TEST(ConfigFilesTest, ALargeFileIsRefused) {
  const DirectoryForTest made(::testing::TempDir());
  const std::string path = made.path() + "/agent.hcl";
  std::ofstream(path) << std::string((4 << 20) + 1, '#');
  EXPECT_EQ(ReadConfigFile(path).error().message(), "larger than 4 MiB");
}

TEST(ConfigFilesTest, AFileThatOthersCanWriteIsRefused) {
  const DirectoryForTest made(::testing::TempDir());
  const std::string path = made.path() + "/agent.hcl";
  std::ofstream(path) << "name = \"x\"";
  EXPECT_EQ(ReadConfigFile(path).value().text, "name = \"x\"");
  chmod(path.c_str(), 0666);
  EXPECT_THAT(ReadConfigFile(path).error().message(), HasSubstr("others could replace"));
}

}  // namespace
}  // namespace drover
