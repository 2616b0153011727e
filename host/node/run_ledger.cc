// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/run_ledger.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <sstream>
#include <utility>

#include "host/alloc/alloc_dir.h"
#include "host/base/durable_step.h"

namespace drover {
namespace {

constexpr std::string_view kMagic = "drover ledger 1";
constexpr std::string_view kSuffix = ".ledger";
// A ledger gets its final name only after it is locked and complete. So no node mistakes it for
// the ledger of a dead node.
constexpr std::string_view kUnfinished = ".ledger.tmp";
constexpr std::size_t kSlot = 64;  // size of a slot in bytes, with the line break
// A ledger of a living node may name thousands of runs. This much of it has its kind, since no
// directory has a longer name.
constexpr std::size_t kWithHeader = 5000;

using Wanted = std::function<bool(const LedgerLeftovers&)>;

std::string Slot(const std::string& entry) {
  std::string slot = entry;
  slot.resize(kSlot - 1, ' ');
  return slot + '\n';
}

bool WriteAt(int file, const std::string& text, std::size_t offset) {
  const ssize_t n = pwrite(file, text.data(), text.size(), static_cast<off_t>(offset));
  if (n == static_cast<ssize_t>(text.size())) return true;
  if (n >= 0) errno = ENOSPC;
  return false;
}

// Reads at most MOST bytes.
std::optional<std::string> ReadText(int file, std::size_t most) {
  std::string text;
  char buffer[16 << 10];
  while (text.size() < most) {
    const std::size_t size = std::min(sizeof buffer, most - text.size());
    const ssize_t n = pread(file, buffer, size, static_cast<off_t>(text.size()));
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

std::optional<LedgerLeftovers> Parse(const std::string& text) {
  LedgerLeftovers left;
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kMagic) return std::nullopt;
  if (!std::getline(lines, left.alloc_base) || left.alloc_base.empty()) return std::nullopt;
  if (!std::getline(lines, line)) return std::nullopt;
  left.base_is_own = line == "own";
  left.kept = line == "kept";
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string kind;
    std::string name;
    words >> kind >> name;
    if (kind == "run") {
      if (const Result<RunId> run = RunId::Parse(name); run.ok()) left.runs.push_back(*run);
    } else if (kind == "alloc" && CheckTaskDirName(name).ok()) {
      left.allocs.push_back(name);
    }
  }
  return left;
}

// Reads the first MOST bytes of a ledger.
std::optional<LedgerLeftovers> ReadLedger(int file, std::size_t most = SIZE_MAX) {
  const std::optional<std::string> text = ReadText(file, most);
  return text ? Parse(*text) : std::nullopt;
}

// Reads and locks the ledger NAME if its node is dead and WANTED is true for the ledger.
std::optional<LedgerLeftovers> OpenDead(int run_directory, const std::string& name,
                                        const Wanted& wanted) {
  UniqueFd file(openat(run_directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return std::nullopt;
  // A complete ledger never changes its kind and its directory.
  const auto seen = ReadLedger(file.get(), kWithHeader);
  if (!seen || !wanted(*seen)) return std::nullopt;
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  FileLock lock(std::move(file));
  struct stat status{};
  // The file has no name any more if another node was faster and has already removed this ledger.
  if (fstat(lock.file(), &status) != 0 || status.st_nlink == 0) return std::nullopt;
  std::optional<LedgerLeftovers> left = ReadLedger(lock.file());
  if (!left) return std::nullopt;
  left->file = name;
  left->lock = std::move(lock);
  return left;
}

// Makes the file NAME and locks it. Until the file is locked, another node may mistake it for a
// dead node's file and remove it. In that case, this function makes the file again.
UniqueFd MakeLocked(int run_directory, const std::string& name) {
  for (;;) {
    UniqueFd file(openat(run_directory, name.c_str(),
                         O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    struct stat status{};
    if (!file || flock(file.get(), LOCK_EX) != 0 || fstat(file.get(), &status) != 0) return {};
    if (status.st_nlink > 0) return file;
  }
}

// Removes the unfinished ledger NAME if its node is dead, since that node has begun nothing. While
// this function holds the lock, the file keeps its name. If the file lost its name before it was
// locked, this function removes nothing.
void RemoveUnfinished(int run_directory, const std::string& name) {
  const UniqueFd file(openat(run_directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat locked{};
  struct stat named{};
  if (file && flock(file.get(), LOCK_EX | LOCK_NB) == 0 && fstat(file.get(), &locked) == 0 &&
      fstatat(run_directory, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
      locked.st_dev == named.st_dev && locked.st_ino == named.st_ino) {
    unlinkat(run_directory, name.c_str(), 0);
  }
}

std::vector<LedgerLeftovers> FindLedgers(int run_directory, const Wanted& wanted) {
  std::vector<LedgerLeftovers> dead;
  UniqueFd copy(openat(run_directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(copy ? fdopendir(copy.get()) : nullptr,
                                                    closedir);
  if (!entries) return dead;
  copy.Release();  // the directory stream owns the descriptor now
  while (const dirent* entry = readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name.ends_with(kUnfinished)) RemoveUnfinished(run_directory, name);
    if (!name.ends_with(kSuffix)) continue;
    if (auto left = OpenDead(run_directory, name, wanted)) dead.push_back(std::move(*left));
  }
  return dead;
}

// Removes the ledger NAME. If that fails, the only cost is that the next node looks at the ledger.
void Unlink(int run_directory, const std::string& name) {
  (void)DurableStep(Step::kForgetLedger, [&] {
    unlinkat(run_directory, name.c_str(), 0);
    return Status();
  });
}

}  // namespace

RunLedger::RunLedger(UniqueFd run_directory, std::string name, UniqueFd file,
                     std::size_t header_size)
    : run_directory_(std::move(run_directory)),
      name_(std::move(name)),
      file_(std::move(file)),
      header_size_(header_size) {}

RunLedger::~RunLedger() {
  if (slots_.empty()) Unlink(run_directory_.get(), name_);
}

Result<std::unique_ptr<RunLedger>> RunLedger::Create(UniqueFd run_directory,
                                                     const std::string& node_id,
                                                     const std::string& alloc_base, Kind kind) {
  if (alloc_base.empty() || alloc_base.find('\n') != std::string::npos) {
    return Error(Code::kInvalidArgument,
                 "the directory of the allocations \"" + alloc_base +
                     "\" must have a name without line breaks; use another one");
  }
  const std::string name = node_id + std::string(kSuffix);
  const std::string unfinished = node_id + std::string(kUnfinished);
  UniqueFd file;
  const std::string_view name_of_kind =
      kind == Kind::kOwn ? "own" : (kind == Kind::kKept ? "kept" : "given");
  const std::string header =
      std::string(kMagic) + '\n' + alloc_base + '\n' + std::string(name_of_kind) + '\n';
  DROVER_TRY(DurableStep(Step::kMakeLedger, [&]() -> Status {
    file = MakeLocked(run_directory.get(), unfinished);
    if (file && WriteAt(file.get(), header, 0) &&
        renameat(run_directory.get(), unfinished.c_str(), run_directory.get(), name.c_str()) == 0)
      return {};
    const int error = errno;
    unlinkat(run_directory.get(), unfinished.c_str(), 0);
    return ErrnoError(error, "cannot make the ledger " + name + " in the run directory");
  }));
  return std::unique_ptr<RunLedger>(
      new RunLedger(std::move(run_directory), name, std::move(file), header.size()));
}

bool RunLedger::Write(std::size_t slot, const std::string& entry) {
  return WriteAt(file_.get(), Slot(entry), header_size_ + slot * kSlot);
}

Status RunLedger::Add(const std::string& entry) {
  DROVER_CHECK(entry.size() < kSlot);
  if (slots_.contains(entry)) return {};
  const std::size_t slot = free_.empty() ? end_ : free_.back();
  DROVER_TRY(DurableStep(Step::kLedgerAdd, [&]() -> Status {
    if (Write(slot, entry)) return {};
    return ErrnoError(errno, "cannot write to the ledger in the run directory");
  }));
  if (free_.empty()) {
    ++end_;
  } else {
    free_.pop_back();
  }
  slots_[entry] = slot;
  return {};
}

void RunLedger::Remove(const std::string& entry) {
  const auto found = slots_.find(entry);
  if (found == slots_.end()) return;
  // If the slot cannot be emptied, it still names a run or directory that does not exist any more.
  // The only cost is that the next node looks for this run or directory.
  (void)DurableStep(Step::kLedgerRemove, [&] {
    Write(found->second, "");
    return Status();
  });
  free_.push_back(found->second);
  slots_.erase(found);
}

std::vector<LedgerLeftovers> RunLedger::FindDead(int run_directory) {
  return FindLedgers(run_directory, [](const LedgerLeftovers& left) { return !left.kept; });
}

std::vector<LedgerLeftovers> RunLedger::FindKept(int run_directory, const std::string& alloc_base) {
  return FindLedgers(run_directory, [&alloc_base](const LedgerLeftovers& left) {
    return left.kept && left.alloc_base == alloc_base;
  });
}

void RunLedger::Forget(int run_directory, const LedgerLeftovers& leftovers) {
  Unlink(run_directory, leftovers.file);
}

}  // namespace drover
