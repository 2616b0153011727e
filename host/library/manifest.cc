// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/library/manifest.h"

#include <cstring>

#include "drover/drover.h"
#include "host/abi/abi_text.h"
#include "host/abi/plugin_info.h"

namespace drover {
namespace {

// Returns a text member of the manifest. The text must end with a NUL inside its array.
template <std::size_t kSize>
Result<std::string> Field(const char (&bytes)[kSize], const char* what) {
  const void* end = std::memchr(bytes, 0, kSize);
  if (end == nullptr) {
    return Error(Code::kInvalidArgument,
                 std::string("the manifest is damaged: its ") + what + " has no end");
  }
  std::string text(bytes, static_cast<std::size_t>(static_cast<const char*>(end) - bytes));
  if (!IsPlainText(text)) {
    return Error(Code::kInvalidArgument,
                 std::string("the manifest is damaged: its ") + what + " is no printable text");
  }
  return text;
}

}  // namespace

Result<Manifest> ReadManifest(const ElfFile& file) {
  Result<std::string> section = file.Section(DROVER_MANIFEST_SECTION, 64u << 10);
  if (section.code() == Code::kNotFound) {
    return Error(Code::kNotFound,
                 "it is no Drover plugin: it has no section " DROVER_MANIFEST_SECTION
                 ". Build it with drover_add_driver(), or let it hold a drover_manifest there");
  }
  if (!section.ok()) return section.error();
  drover_manifest raw;
  std::memset(&raw, 0, sizeof raw);
  constexpr std::size_t kHead = offsetof(drover_manifest, name);
  if (section->size() < kHead || std::memcmp(section->data(), DROVER_MANIFEST_MAGIC, 8) != 0) {
    return Error(Code::kInvalidArgument,
                 "the manifest is damaged: it does not begin with " DROVER_MANIFEST_MAGIC);
  }
  std::uint32_t stated = 0;
  std::memcpy(&stated, section->data() + offsetof(drover_manifest, struct_size), sizeof stated);
  if (stated < kHead || stated > section->size()) {
    return Error(Code::kInvalidArgument, "the manifest is damaged: it says that it has " +
                                             std::to_string(stated) + " bytes, its section has " +
                                             std::to_string(section->size()));
  }
  std::memcpy(&raw, section->data(), std::min<std::size_t>(stated, sizeof raw));
  Manifest manifest;
  manifest.abi_major = raw.abi_major;
  manifest.min_host_minor = raw.min_host_minor;
  DROVER_ASSIGN(manifest.name, Field(raw.name, "name"));
  DROVER_ASSIGN(manifest.version, Field(raw.version, "version"));
  DROVER_ASSIGN(manifest.license, Field(raw.license, "licence"));
  if (!IsDriverName(manifest.name)) {
    return Error(Code::kInvalidArgument,
                 "the manifest names the driver \"" + manifest.name +
                     "\": use lower case letters, digits, '_' and '-', at most 63");
  }
  return manifest;
}

Status CheckAbiVersion(const std::string& file, std::uint32_t major, std::uint32_t min_host_minor,
                       std::uint32_t host_minor) {
  const auto number = [](std::uint32_t n) { return std::to_string(n); };
  if (major == 0) {
    return Error(Code::kFailedPrecondition,
                 file + " was built with a draft of the plugin ABI, this host has " +
                     number(DROVER_ABI_MAJOR) + "." + number(host_minor) +
                     ": build the plugin again with the SDK of this Drover");
  }
  if (major != DROVER_ABI_MAJOR) {
    return Error(Code::kFailedPrecondition,
                 file + " is a plugin of ABI major " + number(major) + ", this host has major " +
                     number(DROVER_ABI_MAJOR) + ": install a newer Drover, or an older plugin");
  }
  if (min_host_minor > host_minor) {
    return Error(Code::kFailedPrecondition,
                 file + " needs a host of ABI " + number(DROVER_ABI_MAJOR) + "." +
                     number(min_host_minor) + " or newer, this host has " +
                     number(DROVER_ABI_MAJOR) + "." + number(host_minor) +
                     ": install a newer Drover, or an older plugin");
  }
  return {};
}

Status CheckExports(const std::string& file, const ElfFile& elf) {
  Result<std::vector<ElfSymbol>> symbols = elf.ExportedSymbols();
  if (!symbols.ok()) return symbols.error().WithContext(file);
  bool entry = false;
  std::string others;
  std::size_t count = 0;
  for (const ElfSymbol& symbol : *symbols) {
    if (symbol.unique) {
      return Error(Code::kFailedPrecondition,
                   file + " holds the symbol " + SafeText(symbol.name, 200) +
                       " that the whole process would share (STB_GNU_UNIQUE): compile it with "
                       "-fno-gnu-unique and -fvisibility=hidden");
    }
    if (symbol.name == DROVER_ENTRY_SYMBOL) {
      entry = true;
      continue;
    }
    if (count++ < 3) others += (others.empty() ? "" : ", ") + SafeText(symbol.name, 200);
  }
  if (!entry) {
    return Error(Code::kFailedPrecondition,
                 file + " does not export " DROVER_ENTRY_SYMBOL
                        ": a plugin for this Drover must define and export it");
  }
  if (count > 0) {
    return Error(Code::kFailedPrecondition,
                 file + " exports " + std::to_string(count) + " more symbols than " +
                     DROVER_ENTRY_SYMBOL + " (" + others + (count > 3 ? ", ..." : "") +
                     "): link it with a version script that keeps all others local, as "
                     "drover_add_driver() does");
  }
  return {};
}

}  // namespace drover
