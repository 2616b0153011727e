// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/artifact_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <fstream>

#include "host/artifact/file_checksum.h"
#include "host/base/directory_for_test.h"
#include "host/base/unique_fd.h"
#include "host/base/write_whole.h"

namespace drover {
namespace {

struct ArtifactCacheTest : testing::Test {
  static UniqueFd FileWith(const std::string& text) {
    UniqueFd file(memfd_create("text", MFD_CLOEXEC));
    EXPECT_TRUE(WriteWhole(file.get(), text).ok());
    return file;
  }
  static ArtifactChecksum SumOf(const UniqueFd& file) {
    return {"sha256", ChecksumOfFile(file.get(), "sha256").value()};
  }
  std::unique_ptr<ArtifactCache> Open(std::uint64_t most_bytes) const {
    return ArtifactCache::Create(dir.path() + "/artifacts", most_bytes).value();
  }
  // Makes the kept file look as if it was used SECONDS ago.
  void Age(const ArtifactChecksum& checksum, int seconds) const {
    const std::string path = dir.path() + "/artifacts/sha256-" + checksum.value;
    const timespec then{std::time(nullptr) - seconds, 0};
    const timespec times[2] = {then, then};
    EXPECT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }

  const DirectoryForTest dir;
};

TEST_F(ArtifactCacheTest, WhatIsKeptIsFoundByItsChecksum) {
  const auto cache = Open(1000);
  const UniqueFd file = FileWith("text");
  const ArtifactChecksum checksum = SumOf(file);
  EXPECT_FALSE(cache->Find(checksum));
  ASSERT_TRUE(cache->Keep(checksum, file.get()).ok());
  const UniqueFd found = cache->Find(checksum);
  ASSERT_TRUE(found);
  EXPECT_TRUE(CheckFileChecksum(found.get(), checksum).ok());
  EXPECT_TRUE(Open(1000)->Find(checksum)) << "the next agent finds it, too";
  cache->Drop(checksum);
  EXPECT_FALSE(cache->Find(checksum));
}

TEST_F(ArtifactCacheTest, APipeInThePlaceOfAFileIsNone) {
  const auto cache = Open(1000);
  const ArtifactChecksum checksum = SumOf(FileWith("text"));
  const std::string path = dir.path() + "/artifacts/sha256-" + checksum.value;
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(cache->Find(checksum));
}

TEST_F(ArtifactCacheTest, AWrongFileIsNotKept) {
  const auto cache = Open(1000);
  const UniqueFd right = FileWith("text"), wrong = FileWith("other");
  EXPECT_FALSE(cache->Keep(SumOf(right), wrong.get()).ok());
  EXPECT_FALSE(cache->Find(SumOf(right)));
  EXPECT_TRUE(std::filesystem::is_empty(dir.path() + "/artifacts"));
}

TEST_F(ArtifactCacheTest, WeakChecksumsDoNotCount) {
  const auto cache = Open(1000);
  const UniqueFd file = FileWith("text");
  const ArtifactChecksum weak{"md5", ChecksumOfFile(file.get(), "md5").value()};
  EXPECT_TRUE(cache->Keep(weak, file.get()).ok());
  EXPECT_FALSE(cache->Find(weak));
}

TEST_F(ArtifactCacheTest, TheOldestGoesForTheNewest) {
  const auto cache = Open(10);
  const UniqueFd a = FileWith("aaaa"), b = FileWith("bbbb"), c = FileWith("cccc");
  ASSERT_TRUE(cache->Keep(SumOf(a), a.get()).ok());
  ASSERT_TRUE(cache->Keep(SumOf(b), b.get()).ok());
  Age(SumOf(a), 100);
  Age(SumOf(b), 50);
  EXPECT_TRUE(cache->Find(SumOf(a))) << "it is the newest now";
  ASSERT_TRUE(cache->Keep(SumOf(c), c.get()).ok());
  EXPECT_TRUE(cache->Find(SumOf(a)));
  EXPECT_FALSE(cache->Find(SumOf(b)));
  EXPECT_TRUE(cache->Find(SumOf(c)));
  const UniqueFd large = FileWith(std::string(11, 'x'));
  EXPECT_TRUE(cache->Keep(SumOf(large), large.get()).ok());
  EXPECT_FALSE(cache->Find(SumOf(large)));
  EXPECT_TRUE(cache->Find(SumOf(c))) << "a file that is too large displaces nothing";
}

TEST_F(ArtifactCacheTest, AnotherAgentRemovesWhatIsHalfWrittenOrTooMuch) {
  const UniqueFd a = FileWith("aaaa");
  ASSERT_TRUE(Open(10)->Keep(SumOf(a), a.get()).ok());
  std::ofstream(dir.path() + "/artifacts/part") << "half";
  EXPECT_TRUE(Open(10)->Find(SumOf(a)));
  EXPECT_FALSE(std::filesystem::exists(dir.path() + "/artifacts/part"));
  EXPECT_FALSE(Open(3)->Find(SumOf(a)));
}

TEST_F(ArtifactCacheTest, AKillOfTheTaskEndsTheCopy) {
  const auto cache = Open(1000);
  const UniqueFd file = FileWith("content"), stop(eventfd(1, EFD_CLOEXEC));
  EXPECT_EQ(cache->Keep(SumOf(file), file.get(), stop.get()).code(), Code::kCancelled);
  EXPECT_FALSE(cache->Find(SumOf(file)));
  EXPECT_TRUE(std::filesystem::is_empty(dir.path() + "/artifacts"));
  EXPECT_TRUE(cache->Keep(SumOf(file), file.get()).ok());
  EXPECT_TRUE(cache->Find(SumOf(file)));
}

}  // namespace
}  // namespace drover
