// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/replace_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

// While an object of this class lives, no file can become longer than MOST bytes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t most) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const struct rlimit small{most, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  struct rlimit before_{};
};

class ReplaceFileTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return directory_.path() + "/" + name; }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name)) << text;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(Path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::set<std::string> Names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_.path())) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  const DirectoryForTest directory_;
};

TEST_F(ReplaceFileTest, TheModeAndALinkStay) {
  Write("a", "old");
  ASSERT_EQ(chmod(Path("a").c_str(), 0640), 0);
  fs::create_symlink("a", Path("link"));
  const Status done = ReplaceFile(Path("link"), "new");
  ASSERT_TRUE(done.ok()) << done.error().message();
  EXPECT_EQ(Read("a"), "new");
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  struct stat about{};
  ASSERT_EQ(stat(Path("a").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0640u);
  EXPECT_EQ(Names(), (std::set<std::string>{"a", "link"}));
}

TEST_F(ReplaceFileTest, OnlyRegularFilesAreReplaced) {
  ASSERT_EQ(mkfifo(Path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(ReplaceFile(Path("fifo"), "new").code(), Code::kInvalidArgument);
  EXPECT_TRUE(fs::is_fifo(Path("fifo")));
  EXPECT_EQ(ReplaceFile(directory_.path(), "new").code(), Code::kInvalidArgument);
  EXPECT_EQ(ReplaceFile(Path("none"), "new").code(), Code::kNotFound);
  EXPECT_EQ(Names(), (std::set<std::string>{"fifo"}));
}

TEST_F(ReplaceFileTest, AReadOnlyFileStays) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write every file";
  Write("a", "old");
  ASSERT_EQ(chmod(Path("a").c_str(), 0444), 0);
  EXPECT_EQ(ReplaceFile(Path("a"), "new").code(), Code::kPermissionDenied);
  EXPECT_EQ(Read("a"), "old");
}

TEST_F(ReplaceFileTest, AFileThatCannotBeWrittenStays) {
  Write("a", "old");
  {
    const FileSizeLimit limit(3);
    EXPECT_FALSE(ReplaceFile(Path("a"), "new, and longer").ok());
  }
  EXPECT_EQ(Read("a"), "old");
  EXPECT_EQ(Names(), (std::set<std::string>{"a"}));
}

TEST_F(ReplaceFileTest, ANewFileIsWholeOrNotThere) {
  ASSERT_TRUE(WriteNewFile(Path("a"), "first").ok());
  EXPECT_EQ(WriteNewFile(Path("a"), "second").code(), Code::kFailedPrecondition);
  EXPECT_EQ(Read("a"), "first");
  {
    const FileSizeLimit limit(3);
    EXPECT_FALSE(WriteNewFile(Path("b"), "longer").ok());
  }
  EXPECT_EQ(WriteNewFile(Path("none/c"), "x").code(), Code::kNotFound);
  EXPECT_EQ(Names(), (std::set<std::string>{"a"}));
}

}  // namespace
}  // namespace drover
