// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/alloc_tar.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include "host/alloc/dir_tree.h"

namespace drover {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kPart = std::size_t{64} << 10;
constexpr std::size_t kMostLevels = 128;  // each needs an open file
constexpr std::size_t kMostErrors = std::size_t{64} << 10;
constexpr std::int64_t kMostOctal = 077777777777;  // of a size in a header

// A header of an entry, in the form of GNU tar.
struct Header {
  std::array<char, 100> name;
  std::array<char, 8> mode;
  std::array<char, 8> uid;
  std::array<char, 8> gid;
  std::array<char, 12> size;
  std::array<char, 12> mtime;
  std::array<char, 8> checksum;
  char type;
  std::array<char, 100> link;
  std::array<char, 8> magic;
  std::array<char, 32> user;
  std::array<char, 32> group;
  std::array<char, 183> rest;
};
static_assert(sizeof(Header) == kBlock);

std::string WhyFailed() { return std::error_code(errno, std::generic_category()).message(); }

template <std::size_t kSize>
void PutOctal(std::array<char, kSize>* field, std::int64_t value) {
  const std::int64_t most = (std::int64_t{1} << (3 * (kSize - 1))) - 1;
  std::snprintf(field->data(), kSize, "%0*llo", static_cast<int>(kSize - 1),
                static_cast<unsigned long long>(std::clamp<std::int64_t>(value, 0, most)));
}

// Writes a size. One that is too large for octal digits is written in binary.
void PutSize(std::array<char, 12>* field, std::int64_t size) {
  if (size <= kMostOctal) return PutOctal(field, size);
  field->fill('\0');
  (*field)[0] = static_cast<char>(0x80);
  for (std::size_t i = 0; i < 8; ++i) {
    (*field)[11 - i] = static_cast<char>(size >> (8 * i) & 0xff);
  }
}

template <std::size_t kSize>
void PutText(std::array<char, kSize>* field, const std::string& text) {
  std::copy_n(text.begin(), std::min(text.size(), kSize), field->begin());
}

struct Entry {
  std::string path;
  char type = '0';
  struct stat info{};
  std::int64_t size = 0;
  std::string link = {};
};

std::string ShortHeader(const Entry& entry) {
  Header header{};
  PutText(&header.name, entry.path);
  PutOctal(&header.mode, entry.info.st_mode & 07777);
  PutOctal(&header.uid, entry.info.st_uid);
  PutOctal(&header.gid, entry.info.st_gid);
  PutSize(&header.size, entry.size);
  PutOctal(&header.mtime, entry.info.st_mtime);
  header.type = entry.type;
  PutText(&header.link, entry.link);
  std::memcpy(header.magic.data(), "ustar  ", 8);
  header.checksum.fill(' ');
  unsigned sum = 0;
  std::string text(reinterpret_cast<const char*>(&header), sizeof header);
  for (const char c : text) sum += static_cast<unsigned char>(c);
  std::snprintf(header.checksum.data(), 7, "%06o", sum);
  header.checksum[7] = ' ';
  std::memcpy(text.data(), &header, sizeof header);
  return text;
}

void PadTo(std::string* text) {
  if (const std::size_t over = text->size() % kBlock; over != 0) text->append(kBlock - over, '\0');
}

// Returns an entry whose content is TEXT, a name that has no room in a header.
std::string LongName(char type, const std::string& text) {
  Entry entry;
  entry.path = "././@LongLink";
  entry.type = type;
  entry.size = static_cast<std::int64_t>(text.size()) + 1;
  std::string out = ShortHeader(entry) + text + '\0';
  PadTo(&out);
  return out;
}

std::string HeaderOf(const Entry& entry) {
  std::string out;
  if (entry.link.size() >= sizeof(Header::link)) out += LongName('K', entry.link);
  if (entry.path.size() >= sizeof(Header::name)) out += LongName('L', entry.path);
  return out + ShortHeader(entry);
}

}  // namespace

Result<std::unique_ptr<AllocTar>> AllocTar::Open(int root, std::string alloc_id,
                                                 const std::vector<std::string>& tasks) {
  std::unique_ptr<AllocTar> tar(new AllocTar(std::move(alloc_id)));
  for (const std::string& task : tasks) {
    const Result<UniqueFd> directory = OpenDirAt(root, task, task, /*cross_mounts=*/false);
    if (directory.ok()) tar->AddTop(directory->get(), "local", task + "/local");
  }
  DROVER_ASSIGN(const UniqueFd shared, OpenDirAt(root, "alloc", "alloc", /*cross_mounts=*/false));
  tar->AddTop(shared.get(), "data", "alloc/data");
  return tar;
}

void AllocTar::AddTop(int parent, const char* name, std::string path) {
  Result<UniqueFd> directory = OpenDirAt(parent, name, path, /*cross_mounts=*/false);
  if (directory.ok()) {
    tops_.push_back({std::move(*directory), std::move(path)});
  } else if (directory.code() != Code::kNotFound) {
    Fail(path, directory.error().message());
  }
}

std::string AllocTar::Next() {
  while (out_.size() < kPart && !finished_) Step();
  sent_ += out_.size();
  return std::exchange(out_, {});
}

void AllocTar::Step() {
  if (file_) return ReadFile();
  if (!levels_.empty()) {
    const Level& level = levels_.back();
    const dirent* const entry = readdir(level.entries.get());
    if (entry == nullptr) return levels_.pop_back();
    const std::string name = entry->d_name;
    if (name != "." && name != "..") AddEntry(dirfd(level.entries.get()), name);
    return;
  }
  if (tops_.empty()) return Finish();
  Top top = std::move(tops_.back());
  tops_.pop_back();
  Enter(std::move(top.directory), top.path);
}

void AllocTar::Enter(UniqueFd directory, const std::string& path) {
  Entry entry{.path = path + "/", .type = '5'};
  if (levels_.size() == kMostLevels) return Fail(path, "is nested too deeply");
  if (fstat(directory.get(), &entry.info) != 0) return Fail(path, WhyFailed());
  std::unique_ptr<DIR, Close> entries(fdopendir(directory.get()));
  if (entries == nullptr) return Fail(path, WhyFailed());
  (void)directory.Release();  // closedir closes it
  out_ += HeaderOf(entry);
  levels_.push_back({std::move(entries), path});
}

void AllocTar::AddEntry(int directory, const std::string& name) {
  const std::string path = levels_.back().path + "/" + name;
  struct stat info{};
  if (fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return;  // it is gone
  if (S_ISDIR(info.st_mode)) {
    Result<UniqueFd> inside = OpenDirAt(directory, name, path, /*cross_mounts=*/false);
    return inside.ok() ? Enter(std::move(*inside), path) : Fail(path, inside.error().message());
  }
  if (S_ISREG(info.st_mode)) return AddFile(directory, name, path);
  if (S_ISLNK(info.st_mode)) return AddLink(directory, name, path);
  Fail(path, "is no file, directory or link");
}

void AllocTar::AddFile(int directory, const std::string& name, const std::string& path) {
  Entry entry{.path = path, .type = '0'};
  UniqueFd file(
      openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file || fstat(file.get(), &entry.info) != 0) return Fail(path, WhyFailed());
  if (!S_ISREG(entry.info.st_mode)) return Fail(path, "is no file any more");
  if (entry.info.st_nlink > 1) return Fail(path, "has several names");
  entry.size = file_left_ = entry.info.st_size;
  out_ += HeaderOf(entry);
  file_ = std::move(file);
  file_path_ = path;
}

void AllocTar::AddLink(int directory, const std::string& name, const std::string& path) {
  Entry entry{.path = path, .type = '2'};
  std::array<char, PATH_MAX> target{};
  const ssize_t size = readlinkat(directory, name.c_str(), target.data(), target.size());
  if (size <= 0 || fstatat(directory, name.c_str(), &entry.info, AT_SYMLINK_NOFOLLOW) != 0) {
    return Fail(path, WhyFailed());
  }
  entry.link.assign(target.data(), static_cast<std::size_t>(size));
  out_ += HeaderOf(entry);
}

// A file that has become shorter is filled up, since its header has its size.
void AllocTar::ReadFile() {
  const auto wanted = static_cast<std::size_t>(
      std::min<std::int64_t>(file_left_, static_cast<std::int64_t>(kPart)));
  std::string part(wanted, '\0');
  const ssize_t size = wanted == 0 ? 0 : read(file_.get(), part.data(), wanted);
  if (wanted > 0 && size <= 0) {
    if (!file_path_.empty()) Fail(file_path_, size < 0 ? WhyFailed() : "has become shorter");
    file_path_.clear();
  }
  if (size > 0) part.resize(static_cast<std::size_t>(size));
  file_left_ -= static_cast<std::int64_t>(part.size());
  out_ += part;
  if (file_left_ > 0) return;
  file_.Reset();
  Pad();
}

void AllocTar::Finish() {
  if (!errors_.empty()) {
    Entry entry{.path = "NOMAD-" + id_ + "-ERROR.log"};
    entry.info.st_mode = 0644;
    entry.size = static_cast<std::int64_t>(errors_.size());
    out_ += HeaderOf(entry) + errors_;
    Pad();
  }
  out_.append(2 * kBlock, '\0');
  finished_ = true;
}

// Fills up the last block. The parts before need not have ended at a block.
void AllocTar::Pad() {
  const std::size_t over = (sent_ + out_.size()) % kBlock;
  if (over != 0) out_.append(kBlock - over, '\0');
}

void AllocTar::Fail(const std::string& path, const std::string& why) {
  if (errors_.size() < kMostErrors) errors_ += path + ": " + why + "\n";
}

}  // namespace drover
