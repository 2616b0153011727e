// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "host/base/directory_for_test.h"
#include "host/store/record_file.h"

namespace drover {

// A directory that is removed with the test. It is in memory, where writing a thousand files costs
// nothing.
class StoreDirectory {
 public:
  const std::string& path() const { return directory_.path(); }
  std::string file() const { return path() + "/state.db"; }

 private:
  const DirectoryForTest directory_{"/dev/shm"};
};

inline Record RecordForTest(int number) {
  const std::string id = "id-" + std::to_string(number);
  // The sizes vary: some records take a part of a page, some take several pages.
  const std::size_t size =
      40 + static_cast<std::size_t>(number) * 37 % 900 + (number % 50 == 0 ? 6000 : 0);
  std::string value = "{\"" + id + "\": \"";
  while (value.size() < size) value += "value of " + id + ", ";
  return {{number % 3 == 0 ? "alloc" : "task", id}, value + "\"}"};
}

inline std::vector<RecordChange> ChangesForTest(int count) {
  std::vector<RecordChange> changes;
  for (int i = 0; i < count; ++i) {
    Record record = RecordForTest(i);
    changes.push_back({record.key, record.value});
  }
  return changes;
}

inline std::string ReadFileForTest(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline void WriteFileForTest(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace drover
