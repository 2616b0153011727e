// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "host/base/result.h"

namespace drover {

// A new directory, which is removed with this object. As a member of a fixture it stands before the
// members that use it, so that these end first.
class DirectoryForTest {
 public:
  // PARENT is /dev/shm where disks would be slow.
  explicit DirectoryForTest(const std::string& parent = "/tmp")
      : path_(parent + "/drover-test-XXXXXX") {
    DROVER_CHECK(mkdtemp(path_.data()) != nullptr);
  }
  ~DirectoryForTest() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
    EXPECT_FALSE(error) << "cannot remove " << path_ << ": " << error.message();
  }
  DirectoryForTest(const DirectoryForTest&) = delete;
  DirectoryForTest& operator=(const DirectoryForTest&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace drover
