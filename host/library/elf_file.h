// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/result.h"

namespace drover {

// A symbol that a shared library exports.
struct ElfSymbol {
  std::string name;
  // True for the binding STB_GNU_UNIQUE: the whole process has only one such symbol, also with
  // RTLD_LOCAL.
  bool unique = false;
};

// Reads a 64 bit shared library for this machine without loading it, so none of its code runs. The
// file is not trusted: each offset and size is checked against the file's length, and the sizes of
// tables are limited. Any thread.
class ElfFile {
 public:
  // Reads from FD, which the caller owns. FD must stay open as long as the object lives.
  static Result<ElfFile> Open(int fd);

  // Returns the bytes of a section. Fails with kNotFound if there is no such section, and with
  // kInvalidArgument if it has more than LIMIT bytes.
  Result<std::string> Section(const std::string& name, std::size_t limit) const;
  // Returns the symbols that the library defines and exports.
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
