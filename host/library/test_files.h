// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace drover {

// The test driver of that name, as it was built.
inline std::string TestPlugin(const std::string& name) {
  return std::string(DROVER_TESTDATA) + "/" + name + ".so";
}

// A directory of its own for one test, removed at its end.
class TestDirectory {
 public:
  TestDirectory() {
    std::string pattern = "/tmp/drover-plugin-test-XXXXXX";
    path_ = mkdtemp(pattern.data());
    chmod(path_.c_str(), 0755);
  }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;
  ~TestDirectory() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }
  // A copy of a test driver below the directory.
  std::string Copy(const std::string& name, const std::string& as = "") const {
    const std::string to = path_ + "/" + (as.empty() ? name : as) + ".so";
    std::filesystem::copy_file(TestPlugin(name), to);
    chmod(to.c_str(), 0644);
    return to;
  }

 private:
  std::string path_;
};

}  // namespace drover
