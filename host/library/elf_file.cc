// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/library/elf_file.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace drover {
namespace {

constexpr std::size_t kMaxSections = 4096;
constexpr std::size_t kMaxNames = 1u << 20;
constexpr std::size_t kMaxSymbols = 16u << 20;  // size of one symbol or name table in bytes

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr Elf64_Half kMachine = EM_RISCV;
#else
#error "add the ELF machine of this processor"
#endif

Error Damaged(std::string what) {
  return Error(Code::kInvalidArgument, "the file is damaged: " + std::move(what));
}

// Returns the text at OFFSET of a string table, up to its NUL. Returns an empty text if OFFSET or
// the NUL is outside the table.
std::string TableText(const std::string& table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::size_t end = table.find('\0', offset);
  if (end == std::string::npos) return {};
  return table.substr(offset, end - offset);
}

template <typename T>
T At(const std::string& bytes, std::size_t offset) {
  T value;
  // The value is copied, since the data in the file may be unaligned.
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

Result<ElfFile> ElfFile::Open(int fd) {
  struct stat info{};
  if (fstat(fd, &info) != 0) return ErrnoError(errno, "fstat");
  ElfFile file(fd, static_cast<std::uint64_t>(info.st_size));
  DROVER_TRY(file.ReadHeaders());
  return file;
}

Result<std::string> ElfFile::Read(std::uint64_t offset, std::uint64_t size,
                                  std::size_t limit) const {
  if (size > limit) return Damaged("a table of " + std::to_string(size) + " bytes is too large");
  if (offset > size_ || size > size_ - offset) return Damaged("a table lies behind its end");
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n =
        pread(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(errno, "read");
    if (n == 0) return Damaged("it became shorter while it was read");
    done += static_cast<std::size_t>(n);
  }
  return bytes;
}

Status ElfFile::ReadHeaders() {
  if (size_ < sizeof(Elf64_Ehdr)) {
    return Error(Code::kInvalidArgument,
                 "not a shared library: it has only " + std::to_string(size_) + " bytes");
  }
  DROVER_ASSIGN(const std::string start, Read(0, sizeof(Elf64_Ehdr), sizeof(Elf64_Ehdr)));
  const auto head = At<Elf64_Ehdr>(start, 0);
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) {
    return Error(Code::kInvalidArgument, "not a shared library: it is no ELF file");
  }
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB) {
    return Error(Code::kInvalidArgument, "not a library for this machine: it is not 64 bit ELF");
  }
  if (head.e_machine != kMachine) {
    return Error(Code::kInvalidArgument, "not a library for this machine: it is for ELF machine " +
                                             std::to_string(head.e_machine) + ", this is " +
                                             std::to_string(kMachine));
  }
  if (head.e_type != ET_DYN) {
    return Error(Code::kInvalidArgument,
                 "not a shared library: its ELF type is " + std::to_string(head.e_type));
  }
  if (head.e_shoff == 0 || head.e_shnum == 0) return Damaged("it has no section table");
  if (head.e_shentsize != sizeof(Elf64_Shdr))
    return Damaged("its section headers have no known size");
  if (head.e_shnum > kMaxSections) return Damaged("it has too many sections");
  if (head.e_shstrndx >= head.e_shnum) return Damaged("its section names are missing");
  DROVER_ASSIGN(const std::string table,
                Read(head.e_shoff, std::uint64_t{head.e_shnum} * sizeof(Elf64_Shdr),
                     kMaxSections * sizeof(Elf64_Shdr)));
  const auto names_header = At<Elf64_Shdr>(table, head.e_shstrndx * sizeof(Elf64_Shdr));
  if (names_header.sh_type != SHT_STRTAB) return Damaged("its section names are missing");
  DROVER_ASSIGN(const std::string names,
                Read(names_header.sh_offset, names_header.sh_size, kMaxNames));
  for (std::size_t i = 0; i < head.e_shnum; ++i) {
    const auto from = At<Elf64_Shdr>(table, i * sizeof(Elf64_Shdr));
    Header to;
    to.name = TableText(names, from.sh_name);
    to.type = from.sh_type;
    to.link = from.sh_link;
    to.offset = from.sh_offset;
    to.size = from.sh_size;
    to.entry_size = from.sh_entsize;
    headers_.push_back(std::move(to));
  }
  return {};
}

Result<std::string> ElfFile::Section(const std::string& name, std::size_t limit) const {
  for (const Header& header : headers_) {
    if (header.name != name || header.type == SHT_NOBITS) continue;
    return Read(header.offset, header.size, limit);
  }
  return Error(Code::kNotFound, "it has no section " + name);
}

Result<std::vector<ElfSymbol>> ElfFile::ExportedSymbols() const {
  std::vector<ElfSymbol> exported;
  for (const Header& header : headers_) {
    if (header.type != SHT_DYNSYM) continue;
    if (header.entry_size != sizeof(Elf64_Sym)) return Damaged("its symbols have no known size");
    if (header.link >= headers_.size() || headers_[header.link].type != SHT_STRTAB) {
      return Damaged("its symbol names are missing");
    }
    const Header& names_header = headers_[header.link];
    DROVER_ASSIGN(const std::string names,
                  Read(names_header.offset, names_header.size, kMaxSymbols));
    DROVER_ASSIGN(const std::string table, Read(header.offset, header.size, kMaxSymbols));
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = At<Elf64_Sym>(table, at);
      const unsigned bind = ELF64_ST_BIND(symbol.st_info);
      const unsigned visibility = ELF64_ST_VISIBILITY(symbol.st_other);
      if (symbol.st_shndx == SHN_UNDEF || bind == STB_LOCAL) continue;
      if (visibility == STV_HIDDEN || visibility == STV_INTERNAL) continue;
      // A version script makes an absolute symbol for each version node, such as "DROVER_0". Such a
      // symbol cannot be called, so it is skipped.
      if (symbol.st_shndx == SHN_ABS && ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT) continue;
      exported.push_back({TableText(names, symbol.st_name), bind == STB_GNU_UNIQUE});
    }
  }
  return exported;
}

}  // namespace drover
