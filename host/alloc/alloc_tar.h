// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// The files of an allocation's disk as a tar archive: alloc/data, and the directory local of each
// task. The tasks may change them at any moment. So each step starts at a descriptor and follows no
// link. Left out are what is mounted there, files with several names (a task can give itself a name
// for a file that it cannot read), and what is no file, directory or link. The last entry,
// NOMAD-ALLOC_ID-ERROR.log, says what could not be read; without errors there is none. The methods
// block. Use an object on one thread at a time.
class AllocTar {
 public:
  // ROOT is the directory of the allocation.
  static Result<std::unique_ptr<AllocTar>> Open(int root, std::string alloc_id,
                                                const std::vector<std::string>& tasks);

  // Returns the next part of the archive, about 64 KiB; an empty text at the end.
  std::string Next();

 private:
  struct Close {
    void operator()(DIR* directory) const { closedir(directory); }
  };
  struct Level {
    std::unique_ptr<DIR, Close> entries;
    std::string path;  // in the archive
  };
  struct Top {
    UniqueFd directory;
    std::string path;
  };

  explicit AllocTar(std::string alloc_id) : id_(std::move(alloc_id)) {}

  void AddTop(int parent, const char* name, std::string path);
  void Step();
  void Enter(UniqueFd directory, const std::string& path);
  void AddEntry(int directory, const std::string& name);
  void AddFile(int directory, const std::string& name, const std::string& path);
  void AddLink(int directory, const std::string& name, const std::string& path);
  void ReadFile();
  void Finish();
  void Pad();
  void Fail(const std::string& path, const std::string& why);

  const std::string id_;
  std::vector<Top> tops_;       // still to be added, in reverse order
  std::vector<Level> levels_;   // the directories that are being read
  UniqueFd file_;               // the file that is being read
  std::string file_path_;       // in the archive
  std::int64_t file_left_ = 0;  // its bytes that are still to be added
  std::string out_;
  std::size_t sent_ = 0;  // the bytes that Next has returned
  std::string errors_;
  bool finished_ = false;
};

}  // namespace drover
