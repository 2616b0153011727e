// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/file_checksum.h"

#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include "host/artifact/fetch_file.h"
#include "host/base/text.h"

namespace drover {
namespace {

constexpr std::size_t kHashBlock = 128 << 10;

std::vector<std::string_view> Words(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r\v\f";
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(kSpace);
    if (begin == line.npos) return words;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(kSpace), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

// A line of a file of checksums.
struct ChecksumLine {
  ArtifactChecksum checksum;
  std::string_view name;  // empty: unknown
};

std::optional<ChecksumLine> ReadChecksumLine(std::string_view line) {
  const std::vector<std::string_view> words = Words(line);
  if (words.empty()) return std::nullopt;
  const auto made = [](const Result<ArtifactChecksum>& checksum,
                       std::string_view name) -> std::optional<ChecksumLine> {
    if (!checksum.ok()) return std::nullopt;
    return ChecksumLine{*checksum, name};
  };
  if (words.size() == 4) {  // SHA256 (NAME) = CHECKSUM
    const std::string_view name = words[1];
    if (name.size() <= 2 || name.front() != '(' || name.back() != ')') return std::nullopt;
    return made(ReadArtifactChecksum(words[0], words[3]), name.substr(1, name.size() - 2));
  }
  if (words.size() == 2) return made(ReadArtifactChecksum("", words[0]), words[1]);
  return made(ReadArtifactChecksum("", words[0]), "");
}

// Returns PATH relative to the directory FROM; both are clean and absolute.
std::string RelativePath(std::string_view path, std::string_view from) {
  std::string up;
  std::string base(from);
  while (true) {
    const std::string prefix = base == "/" ? "/" : base + "/";
    if (path.starts_with(prefix)) return up + std::string(path.substr(prefix.size()));
    if (base == "/" || base.empty()) return up + std::string(path);
    base = base.substr(0, std::max<std::size_t>(base.rfind('/'), 1));
    up += "../";
  }
}

}  // namespace

Result<std::string> ChecksumOfFile(int file, const std::string& type, int stop) {
  const EVP_MD* const digest = EVP_get_digestbyname(type.c_str());
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                   EVP_MD_CTX_free);
  if (digest == nullptr || !context || EVP_DigestInit_ex(context.get(), digest, nullptr) != 1) {
    return Error(Code::kUnimplemented, "this machine's OpenSSL offers no " + type);
  }
  std::vector<char> block(kHashBlock);
  for (off_t at = 0;;) {
    if (stop >= 0 && IsStopped(stop)) return Error(Code::kCancelled, "the check was stopped");
    const ssize_t n = pread(file, block.data(), block.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(errno, "read what was fetched");
    if (n == 0) break;
    EVP_DigestUpdate(context.get(), block.data(), static_cast<std::size_t>(n));
    at += n;
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> value{};
  unsigned int size = 0;
  EVP_DigestFinal_ex(context.get(), value.data(), &size);
  return HexText({reinterpret_cast<const char*>(value.data()), size});
}

Status CheckFileChecksum(int file, const ArtifactChecksum& checksum, int stop) {
  DROVER_ASSIGN(const std::string actual, ChecksumOfFile(file, checksum.type, stop));
  if (actual == checksum.value) return {};
  return Error(
      Code::kUnavailable,
      "the file has the " + checksum.type + " " + actual + ", but must have " + checksum.value,
      true);
}

std::optional<ArtifactChecksum> FindChecksum(std::string_view text, std::string_view path,
                                             std::string_view sums_path) {
  const std::string clean = CleanPath("/" + std::string(path));
  const std::string name = BaseName(clean);
  const std::string sums = CleanPath("/" + std::string(sums_path));
  const std::string relative =
      RelativePath(clean, sums.substr(0, std::max<std::size_t>(sums.rfind('/'), 1)));
  const std::string names[] = {name, "*" + name, "?" + name, relative, "./" + relative, clean};
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::optional<ChecksumLine> read = ReadChecksumLine(line);
    if (!read) continue;
    const bool is_it = read->name.empty() ||
                       std::find(std::begin(names), std::end(names), read->name) != std::end(names);
    if (is_it) return read->checksum;
  }
  return std::nullopt;
}

}  // namespace drover
