// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/staged_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "host/artifact/fetch_budget.h"
#include "host/artifact/fetch_file.h"
#include "host/artifact/find_subdir.h"
#include "host/base/directory_for_test.h"

namespace drover {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct StagedFilesTest : testing::Test {
  StagedFilesTest()
      : dir(open(made.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
        to(open(into.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

  void Write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(made.path() + "/" + path).parent_path());
    std::ofstream(made.path() + "/" + path) << text;
  }

  const DirectoryForTest made, into;
  const UniqueFd dir, to;
};

TEST_F(StagedFilesTest, PathsAreRelativeAndClean) {
  EXPECT_EQ(StagedPath("a//./b/").value(), "a/b");
  EXPECT_EQ(StagedPath("./").value(), "");
  EXPECT_EQ(StagedPath("a/..b/c").value(), "a/..b/c");
  for (const std::string& path :
       {std::string("/a"), std::string(".."), std::string("a/../b"), std::string("a\0b", 3),
        std::string(300, 'a'), std::string("a/") + std::string(5000, '/') + "..", [] {
          std::string deep;
          for (int i = 0; i < 200; ++i) deep += "d/";
          return deep;
        }()}) {
    EXPECT_FALSE(StagedPath(path).ok()) << path;
  }
}

TEST_F(StagedFilesTest, LinksStayBelow) {
  EXPECT_TRUE(LinkStaysBelow("a", "b/c"));
  EXPECT_TRUE(LinkStaysBelow("a/b", "../c"));
  EXPECT_TRUE(LinkStaysBelow("a/b/c", "../../d"));
  EXPECT_TRUE(LinkStaysBelow("a", "./b"));
  EXPECT_FALSE(LinkStaysBelow("a", "/etc/passwd"));
  EXPECT_FALSE(LinkStaysBelow("a", ".."));
  EXPECT_FALSE(LinkStaysBelow("a/b", "../../c"));
  EXPECT_FALSE(LinkStaysBelow("a", ""));
  // What "b" is decides where ".." leads: it may be a link itself.
  EXPECT_FALSE(LinkStaysBelow("a/c", "b/../../d"));
  EXPECT_FALSE(LinkStaysBelow("a", "b/.."));
}

TEST_F(StagedFilesTest, NoPathLeadsThroughALink) {
  Write("real/file", "text");
  fs::create_symlink("real", made.path() + "/link");
  EXPECT_TRUE(OpenStaged(dir.get(), "real/file", O_RDONLY).ok());
  for (const char* path : {"link/file", "link", "../x", "/etc/passwd"}) {
    EXPECT_FALSE(OpenStaged(dir.get(), path, O_RDONLY).ok()) << path;
  }
  EXPECT_FALSE(MakeStagedParents(dir.get(), "link/new/file", false, 0755).ok());
  EXPECT_FALSE(fs::exists(made.path() + "/real/new"));
  EXPECT_TRUE(MakeStagedParents(dir.get(), "real/new/file", false, 0755).ok());
  EXPECT_TRUE(fs::is_directory(made.path() + "/real/new"));
}

TEST_F(StagedFilesTest, ASubdirectoryIsFoundByAPattern) {
  Write("site-1.2/conf/a", "");
  Write("other/conf/b", "");
  fs::create_symlink("other", made.path() + "/site-link");
  EXPECT_EQ(FindSubdir(dir.get(), "other/conf").value(), "other/conf");
  EXPECT_EQ(FindSubdir(dir.get(), "site-[0-9]*/conf").value(), "site-1.2/conf");
  EXPECT_THAT(FindSubdir(dir.get(), "*/conf").error().message(), HasSubstr("several paths"));
  EXPECT_THAT(FindSubdir(dir.get(), "site-link/conf").error().message(), HasSubstr("not there"));
  EXPECT_THAT(FindSubdir(dir.get(), "none").error().message(), HasSubstr("is not there"));
}

TEST_F(StagedFilesTest, ADirectoryOfTheHostIsCopied) {
  Write("a/one", "1");
  Write("two", "22");
  fs::permissions(made.path() + "/two", fs::perms(0700));
  fs::create_symlink("a/one", made.path() + "/link");
  FetchBudget budget("the files", 100, 10);
  bool is_directory = false;
  const Status copied = CopyFromHost(made.path(), to.get(), "copy", &budget, &is_directory);
  ASSERT_TRUE(copied.ok()) << copied.error().message();
  EXPECT_TRUE(is_directory);
  EXPECT_EQ(budget.bytes(), 3u);
  EXPECT_TRUE(fs::exists(into.path() + "/copy/a/one"));
  EXPECT_EQ(fs::status(into.path() + "/copy/two").permissions(), fs::perms(0755));
  EXPECT_EQ(fs::read_symlink(into.path() + "/copy/link"), "a/one");
}

TEST_F(StagedFilesTest, ACopyHasLimitsAndNoLinkThatLeadsOut) {
  bool is_directory = false;
  Write("big", std::string(1000, 'x'));
  FetchBudget few_bytes("the files", 999, 10), few_files("the files", 10000, 0);
  EXPECT_THAT(CopyFromHost(made.path(), to.get(), "1", &few_bytes, &is_directory).error().message(),
              HasSubstr("the files have more than the limit of 999 bytes"));
  EXPECT_EQ(CopyFromHost(made.path(), to.get(), "2", &few_files, &is_directory).code(),
            Code::kResourceExhausted);
  fs::create_symlink("/etc/passwd", made.path() + "/link");
  FetchBudget budget("the files", 10000, 10);
  EXPECT_THAT(CopyFromHost(made.path(), to.get(), "3", &budget, &is_directory).error().message(),
              HasSubstr("leads out of the directory"));
}

TEST_F(StagedFilesTest, SourcesOnTheHostAreBelowTheAllowedDirectories) {
  EXPECT_TRUE(IsBelowAny("/srv/files/a", {"/var/x", "/srv/files"}));
  EXPECT_TRUE(IsBelowAny("/srv/files", {"/srv/files/"}));
  EXPECT_TRUE(IsBelowAny("/a", {"/"}));
  EXPECT_FALSE(IsBelowAny("/srv/files2", {"/srv/files"}));
  EXPECT_FALSE(IsBelowAny("/srv/files/../x", {"/srv/files"}));
  EXPECT_FALSE(IsBelowAny("/srv/files", {}));
}

}  // namespace
}  // namespace drover
