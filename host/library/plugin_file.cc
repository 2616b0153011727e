// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/library/plugin_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "host/base/memory_file.h"
#include "host/base/owned_path.h"

namespace drover {
namespace {

constexpr off_t kMaxFile = 1LL << 30;

// A user who can write a plugin's file or replace it in its directory can run code as the agent.
// OpenOwned refuses such a file.
constexpr OwnedKind kKind{"plugins", "the plugin"};

// Opens a plugin file after all checks. *REAL becomes the path without symbolic links.
Result<UniqueFd> OpenChecked(const std::string& path, std::string* real) {
  DROVER_ASSIGN(UniqueFd at, OpenOwned(path, O_RDONLY, kKind, real));
  struct stat info{};
  if (fstat(at.get(), &info) != 0) return ErrnoError(errno, "stat " + path);
  if (!S_ISREG(info.st_mode)) {
    return Error(Code::kInvalidArgument, path + " is not a regular file");
  }
  if (info.st_size > kMaxFile) {
    return Error(Code::kInvalidArgument, path + " is larger than 1 GiB: it is no plugin");
  }
  return at;
}

// Returns a sealed copy of the present content. If a file is written in place, the code that is
// mapped from it changes, and the processes that run this code crash. A sealed copy cannot change.
Result<UniqueFd> Copied(int from, const std::string& path) {
  // Debuggers and /proc/PID/maps show this name for the copy.
  constexpr std::size_t kLongestName = 200;
  const std::string name = path.substr(path.rfind('/') + 1).substr(0, kLongestName);
  DROVER_ASSIGN(UniqueFd copy, MakeMemoryFile(name.c_str()));
  for (off_t at = 0;;) {
    constexpr std::size_t kPiece = 1u << 20;
    const ssize_t n = sendfile(copy.get(), from, &at, kPiece);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(errno, "cannot be copied into memory");
    if (n == 0) break;
    if (at > kMaxFile) return Error(Code::kInvalidArgument, "grows while it is read");
  }
  DROVER_TRY(SealMemoryFile(copy));
  return copy;
}

bool EndsWith(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Returns the paths of the shared libraries in a directory, sorted. Returns none if the directory
// cannot be opened.
std::vector<std::string> Libraries(const std::string& directory) {
  std::vector<std::string> paths;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir(directory.c_str()), closedir);
  if (!stream) return paths;
  while (const dirent* entry = readdir(stream.get())) {
    const std::string name = entry->d_name;
    if (name.size() > 3 && name[0] != '.' && EndsWith(name, ".so")) {
      paths.push_back(directory + "/" + name);
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<Manifest> ManifestOf(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return ErrnoError(errno, "open " + path);
  Result<ElfFile> elf = ElfFile::Open(fd.get());
  if (!elf.ok()) return elf.error().WithContext(path);
  Result<Manifest> manifest = ReadManifest(*elf);
  if (!manifest.ok()) return manifest.error().WithContext(path);
  return manifest;
}

}  // namespace

Result<std::string> Sha256OfFile(int fd) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                   EVP_MD_CTX_free);
  if (!context || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
    return Error(Code::kInternal, "this libcrypto has no sha256");
  }
  std::vector<char> buffer(256u << 10);
  for (off_t at = 0;;) {
    const ssize_t n = pread(fd, buffer.data(), buffer.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(errno, "read");
    if (n == 0) break;
    EVP_DigestUpdate(context.get(), buffer.data(), static_cast<std::size_t>(n));
    at += n;
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_DigestFinal_ex(context.get(), digest.data(), &size);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    hex += "0123456789abcdef"[digest[i] >> 4];
    hex += "0123456789abcdef"[digest[i] & 15];
  }
  return hex;
}

Result<PluginFile> OpenPluginFile(const std::string& path, const std::string& pin) {
  if (path.empty() || path[0] != '/') {
    return Error(Code::kInvalidArgument,
                 "plugin file \"" + path + "\": write the absolute path of the file");
  }
  std::string lower = pin;
  for (char& c : lower) c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  if (!pin.empty() &&
      (pin.size() != 64 || lower.find_first_not_of("0123456789abcdef") != std::string::npos)) {
    return Error(Code::kInvalidArgument,
                 "sha256 \"" + pin + "\" of " + path + " is not 64 hex digits");
  }
  PluginFile file;
  DROVER_ASSIGN(const UniqueFd opened, OpenChecked(path, &file.path));
  Result<UniqueFd> copy = Copied(opened.get(), file.path);
  if (!copy.ok()) return copy.error().WithContext(file.path);
  file.fd = std::move(*copy);
  Result<std::string> digest = Sha256OfFile(file.fd.get());
  if (!digest.ok()) return digest.error().WithContext(file.path);
  file.sha256 = *digest;
  if (!pin.empty() && lower != file.sha256) {
    return Error(Code::kPermissionDenied,
                 file.path + " has sha256 " + file.sha256 + ", the configuration wants " + lower +
                     ": install the file that was pinned, or change the pin");
  }
  Result<ElfFile> elf = ElfFile::Open(file.fd.get());
  if (!elf.ok()) return elf.error().WithContext(file.path);
  Result<Manifest> manifest = ReadManifest(*elf);
  if (!manifest.ok()) return manifest.error().WithContext(file.path);
  file.manifest = std::move(*manifest);
  DROVER_TRY(CheckAbiVersion(file.path, file.manifest.abi_major, file.manifest.min_host_minor));
  DROVER_TRY(CheckExports(file.path, *elf));
  return file;
}

std::vector<FoundPlugin> FindPlugins(const std::vector<std::string>& directories) {
  std::vector<FoundPlugin> found;
  for (const std::string& directory : directories) {
    for (const std::string& path : Libraries(directory)) {
      found.push_back({path, ManifestOf(path)});
    }
  }
  return found;
}

Result<std::string> FindPluginFile(const std::vector<std::string>& directories,
                                   const std::string& name) {
  std::string searched;
  for (const std::string& directory : directories) {
    const std::string path = directory + "/" + name + ".so";
    if (access(path.c_str(), F_OK) == 0) return path;
    searched += (searched.empty() ? "" : ", ") + directory;
  }
  for (const FoundPlugin& plugin : FindPlugins(directories)) {
    if (plugin.manifest.ok() && plugin.manifest->name == name) return plugin.path;
  }
  return Error(Code::kNotFound,
               "no plugin file for driver \"" + name + "\" in " +
                   (searched.empty() ? "any plugin directory: none is configured" : searched) +
                   "; install " + name + ".so there or name its file");
}

}  // namespace drover
