// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "host/base/directory_for_test.h"
#include "host/base/unique_fd.h"

namespace drover {

// A directory that is removed with the test.
class LogDirectoryForTest {
 public:
  const std::string& path() const { return directory_.path(); }
  int fd() const { return fd_.get(); }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(path() + "/" + name, std::ios::app) << text;
  }
  void Remove(const std::string& name) const { std::filesystem::remove(path() + "/" + name); }

 private:
  const DirectoryForTest directory_{::testing::TempDir()};
  const UniqueFd fd_{open(path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
};

}  // namespace drover
