// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/result.h"

namespace drover {

// A symbol that a shared library offers to others.
struct ElfSymbol {
  std::string name;
  bool unique = false;  // STB_GNU_UNIQUE: one for the whole process, whatever RTLD_LOCAL says
};

// Reads a 64 bit shared library of this machine without loading it: nothing of it runs. The file is
// not trusted; each offset and size is checked against the file's length, and what is read is
// bounded. Any thread.
class ElfFile {
 public:
  // Reads from FD, which must stay open as long as this lives. Not owned.
  static Result<ElfFile> Open(int fd);

  // The bytes of a section. kNotFound when there is none, kInvalidArgument when it has more than
  // LIMIT bytes.
  Result<std::string> Section(const std::string& name, std::size_t limit) const;
  // The symbols that the library defines and exports.
  Result<std::vector<ElfSymbol>> ExportedSymbols() const;

 private:
  struct Header {
    std::string name;
    std::uint32_t type = 0;
    std::uint32_t link = 0;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t entry_size = 0;
  };

  ElfFile(int fd, std::uint64_t size) : fd_(fd), size_(size) {}
  Status ReadHeaders();
  Result<std::string> Read(std::uint64_t offset, std::uint64_t size, std::size_t limit) const;

  int fd_;
  std::uint64_t size_;
  std::vector<Header> headers_;
};

}  // namespace drover
