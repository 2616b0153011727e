// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/disk_usage.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t kMiB = 1 << 20;

class DiskUsageTest : public ::testing::Test {
 protected:
  DiskUsageTest() { fs::create_directories(root_ + "/alloc/data"); }

  void Write(const std::string& name, std::size_t bytes) {
    fs::create_directories(fs::path(root_ + "/" + name).parent_path());
    std::ofstream(root_ + "/" + name) << std::string(bytes, 'x');
  }
  Result<std::int64_t> Usage(std::int64_t enough = std::numeric_limits<std::int64_t>::max()) {
    return DiskUsage(directory_.path(), "id", enough, give_up_);
  }

  const DirectoryForTest directory_{"/dev/shm"};
  const std::string root_ = directory_.path() + "/id";
  std::atomic<bool> give_up_ = false;
};

TEST_F(DiskUsageTest, FilesOfAllDirectoriesCount) {
  EXPECT_LT(Usage().value(), kMiB);
  Write("alloc/data/one", 2 * kMiB);
  Write("web/local/deep/er/two", 3 * kMiB);
  EXPECT_GE(Usage().value(), 5 * kMiB);
  EXPECT_LT(Usage().value(), 6 * kMiB);
}

TEST_F(DiskUsageTest, AFileCountsOnceAndALinkLeadsNowhere) {
  Write("web/file", 2 * kMiB);
  ASSERT_EQ(link((root_ + "/web/file").c_str(), (root_ + "/web/same").c_str()), 0);
  fs::create_symlink(root_ + "/web/file", root_ + "/alloc/link");
  fs::create_directory_symlink("/usr", root_ + "/alloc/out");
  EXPECT_LT(Usage().value(), 3 * kMiB);
}

TEST_F(DiskUsageTest, ASparseFileCountsWhatItTakes) {
  Write("web/sparse", 1);
  fs::resize_file(root_ + "/web/sparse", std::uintmax_t{1} << 40);
  EXPECT_LT(Usage().value(), kMiB);
}

TEST_F(DiskUsageTest, ItEndsWhenItHasEnoughOrIsAsked) {
  for (int i = 0; i < 10; ++i) Write("web/" + std::to_string(i), kMiB);
  EXPECT_LT(Usage(2 * kMiB).value(), 5 * kMiB);
  give_up_ = true;
  EXPECT_EQ(Usage().value(), 0);
}

TEST_F(DiskUsageTest, NobodyHidesFilesInTheDeep) {
  std::string deep = "web";
  for (int i = 0; i < 200; ++i) deep += "/d";
  Write(deep + "/file", 1);
  EXPECT_EQ(Usage().code(), Code::kResourceExhausted);
}

TEST_F(DiskUsageTest, AnAllocationThatIsGoneIsAnError) {
  fs::remove_all(root_);
  EXPECT_EQ(Usage().code(), Code::kNotFound);
}

}  // namespace
}  // namespace drover
