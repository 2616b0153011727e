// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "host/base/directory_for_test.h"

namespace drover {

// The test driver of that name, as it was built.
inline std::string TestPlugin(const std::string& name) {
  return std::string(DROVER_TESTDATA) + "/" + name + ".so";
}

// A directory of its own for one test, removed at its end.
class TestDirectory {
 public:
  TestDirectory() { chmod(path().c_str(), 0755); }

  const std::string& path() const { return directory_.path(); }
  // A copy of a test driver below the directory.
  std::string Copy(const std::string& name, const std::string& as = "") const {
    const std::string to = path() + "/" + (as.empty() ? name : as) + ".so";
    std::filesystem::copy_file(TestPlugin(name), to);
    chmod(to.c_str(), 0644);
    return to;
  }

 private:
  const DirectoryForTest directory_;
};

}  // namespace drover
