// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/result.h"
#include "host/library/elf_file.h"

namespace drover {

// A plugin file's information about itself, which is there before the file is loaded.
struct Manifest {
  std::uint32_t abi_major = 0;
  std::uint32_t min_host_minor = 0;
  std::string name;
  std::string version;
  std::string license;
};

Result<Manifest> ReadManifest(const ElfFile& file);

// Whether this host can load a plugin of that ABI. The error is a full sentence: file, wanted,
// found, what to do.
Status CheckAbiVersion(const std::string& file, std::uint32_t major, std::uint32_t min_host_minor);

// Exactly the entry function may be exported, and nothing that the whole process would share.
Status CheckExports(const std::string& file, const ElfFile& elf);

}  // namespace drover
