// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "host/base/unique_fd.h"

namespace drover {

// A directory that is removed with the test.
class LogDirectoryForTest {
 public:
  LogDirectoryForTest() : path_(::testing::TempDir() + "/drover-logs-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "mkdtemp " << path_;
    fd_.Reset(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ~LogDirectoryForTest() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name, std::ios::app) << text;
  }
  void Remove(const std::string& name) const { std::filesystem::remove(path_ + "/" + name); }

 private:
  std::string path_;
  UniqueFd fd_;
};

}  // namespace drover
