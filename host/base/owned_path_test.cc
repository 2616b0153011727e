// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/owned_path.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

constexpr OwnedKind kStrict{"things", "the thing"};
constexpr OwnedKind kOfGroup{"things", "the thing", true};

class OwnedPathTest : public ::testing::Test {
 protected:
  OwnedPathTest() {
    std::ofstream(file_) << "text";
    chmod(file_.c_str(), 0644);
  }

  // The error of opening the file; empty if there is none.
  std::string Mistake(const OwnedKind& kind = kStrict) const {
    const Result<UniqueFd> opened = OpenOwned(file_, O_RDONLY, kind);
    return opened.ok() ? "" : opened.error().message();
  }

  const DirectoryForTest directory_{fs::canonical(::testing::TempDir()).string()};
  const std::string file_ = directory_.path() + "/file";
};

TEST_F(OwnedPathTest, OpensWhatNobodyElseCanChange) {
  const Result<UniqueFd> opened = OpenOwned(file_, O_RDONLY, kStrict);
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  char text[8];
  EXPECT_EQ(read(opened->get(), text, sizeof text), 4);
  EXPECT_TRUE(OpenOwned(directory_.path(), O_RDONLY | O_DIRECTORY, kStrict).ok());
  EXPECT_TRUE(OpenOwned("/", O_RDONLY | O_DIRECTORY, kStrict).ok());
  EXPECT_EQ(OpenOwned(directory_.path() + "/none", O_RDONLY, kStrict).code(), Code::kNotFound);
}

TEST_F(OwnedPathTest, OthersMayWriteNeitherToItNorAboveIt) {
  chmod(file_.c_str(), 0646);
  EXPECT_EQ(Mistake(), file_ +
                           " has mode 0646: others could replace the thing; take write permission "
                           "from group and others (chmod go-w)");
  EXPECT_NE(Mistake(kOfGroup), "");
  chmod(file_.c_str(), 0644);
  chmod(directory_.path().c_str(), 0777);
  EXPECT_EQ(Mistake().find(directory_.path() + " has mode 0777"), 0u) << Mistake();
  chmod(directory_.path().c_str(), 01777);
  EXPECT_EQ(Mistake(), "") << "nobody can replace other users' files there";
}

TEST_F(OwnedPathTest, TheOwnGroupMayWriteWhereThatIsLeftToTheOperator) {
  chmod(file_.c_str(), 0664);
  EXPECT_NE(Mistake(kStrict), "");
  EXPECT_EQ(Mistake(kOfGroup), "");
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file to another group";
  ASSERT_EQ(chown(file_.c_str(), 0, 4242), 0);
  EXPECT_NE(Mistake(kOfGroup), "");
}

TEST_F(OwnedPathTest, StrangersOwnNothingOfIt) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  ASSERT_EQ(chown(file_.c_str(), 4242, 0), 0);
  EXPECT_EQ(Mistake().find(file_ + " belongs to user 4242: things"), 0u) << Mistake();
  ASSERT_EQ(chown(file_.c_str(), 0, 0), 0);
  ASSERT_EQ(chown(directory_.path().c_str(), 4242, 0), 0);
  EXPECT_EQ(Mistake().find(directory_.path() + " belongs to user 4242"), 0u) << Mistake();
}

TEST_F(OwnedPathTest, LinksAreFollowedWhereNobodyElseCanChangeThem) {
  const auto real = [this](const std::string& path) -> std::string {
    std::string real;
    const Result<UniqueFd> opened = OpenOwned(directory_.path() + path, O_RDONLY, kStrict, &real);
    return opened.ok() ? real : opened.error().message();
  };
  fs::create_directories(directory_.path() + "/a/b");
  fs::create_symlink(file_, directory_.path() + "/absolute");
  fs::create_symlink("../../file", directory_.path() + "/a/b/relative");
  fs::create_directory_symlink("a/./b", directory_.path() + "/to_b");
  fs::create_symlink("round", directory_.path() + "/round");
  EXPECT_EQ(real("/absolute"), file_);
  EXPECT_EQ(real("/to_b/relative"), file_);
  EXPECT_EQ(real("/to_b/../..//file"), file_) << "as the kernel walks";
  EXPECT_EQ(real("/to_b"), directory_.path() + "/a/b");
  EXPECT_NE(real("/round").find("symbolic links"), std::string::npos) << real("/round");
  EXPECT_EQ(real("/file/x"), "open " + file_ + ": Not a directory");
  EXPECT_EQ(real("/none/x"), "open " + directory_.path() + "/none, on the way to " +
                                 directory_.path() + "/none/x: No such file or directory");
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a link away";
  // The owner of a link, or of its directory, can make it lead elsewhere, to another file that is
  // in the right hands as well.
  ASSERT_EQ(chown((directory_.path() + "/a").c_str(), 4242, 0), 0);
  EXPECT_EQ(real("/to_b/relative").find(directory_.path() + "/a belongs to user 4242"), 0u);
  EXPECT_EQ(real("/absolute"), file_);
  chmod(directory_.path().c_str(), 01777);
  ASSERT_EQ(lchown((directory_.path() + "/absolute").c_str(), 4242, 0), 0);
  EXPECT_EQ(real("/absolute").find(directory_.path() + "/absolute belongs to user 4242"), 0u);
}

}  // namespace
}  // namespace drover
