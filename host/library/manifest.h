// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "drover/drover.h"
#include "host/base/result.h"
#include "host/library/elf_file.h"

namespace drover {

// A plugin file's description of itself, which can be read without loading the file.
struct Manifest {
  std::uint32_t abi_major = 0;
  std::uint32_t min_host_minor = 0;
  std::string name;
  std::string version;
  std::string license;
};

Result<Manifest> ReadManifest(const ElfFile& file);

// Returns an error if a host with the ABI minor HOST_MINOR cannot load a plugin of that ABI
// version. The message says what the file needs, what this host has, and what to do.
Status CheckAbiVersion(const std::string& file, std::uint32_t major, std::uint32_t min_host_minor,
                       std::uint32_t host_minor = DROVER_ABI_MINOR);

// Returns an error unless the file exports exactly one symbol, the entry function. The symbol must
// not have the binding STB_GNU_UNIQUE.
Status CheckExports(const std::string& file, const ElfFile& elf);

}  // namespace drover
