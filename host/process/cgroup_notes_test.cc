// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/cgroup_notes.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "host/base/directory_for_test.h"
#include "host/base/unique_fd.h"

namespace drover {
namespace {

class CgroupNotesTest : public testing::Test {
 protected:
  const DirectoryForTest root_;
  const UniqueFd directory_{open(root_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  const RunId run_ = RunId::Random();
};

TEST_F(CgroupNotesTest, OneIsFoundUntilItIsRemoved) {
  const CgroupNotes notes(directory_.get());
  EXPECT_EQ(notes.Find(run_), std::nullopt);
  const std::string path = "/sys/fs/cgroup/apps/" + run_.ToString();
  ASSERT_TRUE(notes.Write(run_, path).ok());
  EXPECT_EQ(notes.Find(run_), path);
  EXPECT_EQ(CgroupNotes(directory_.get()).Find(run_), path) << "by the next agent";
  EXPECT_EQ(notes.Find(RunId::Random()), std::nullopt);
  EXPECT_EQ(notes.Write(run_, path).code(), Code::kFailedPrecondition) << "two of one run";
  notes.Remove(run_);
  EXPECT_EQ(notes.Find(run_), std::nullopt);
}

TEST_F(CgroupNotesTest, WhatNamesNoRunIsNoNote) {
  const CgroupNotes notes(directory_.get());
  ASSERT_EQ(symlink("/elsewhere", (root_.path() + "/" + run_.Short() + ".cgroup").c_str()), 0);
  EXPECT_EQ(notes.Find(run_), std::nullopt);
}

TEST_F(CgroupNotesTest, WithoutADirectoryThereAreNone) {
  const CgroupNotes notes(-1);
  EXPECT_EQ(notes.Find(run_), std::nullopt);
  EXPECT_FALSE(notes.Write(run_, "/x/" + run_.ToString()).ok());
}

}  // namespace
}  // namespace drover
