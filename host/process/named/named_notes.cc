// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/named/named_notes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <vector>

#include "host/base/durable_step.h"
#include "host/base/unique_fd.h"

namespace drover {
namespace {

// Each line has the id, a space, the name filled up with spaces, and a newline. All lines have the
// same length. So a line is added or replaced by one write, and a killed agent leaves whole lines.
constexpr std::size_t kIdLength = 32;
constexpr std::size_t kLine = kIdLength + 1 + NamedNotes::kMaxNameLength + 1;

std::string NotesOf(const RunId& run) { return run.Short() + ".named"; }

std::string LineOf(const RunId& id, std::string name) {
  name.resize(NamedNotes::kMaxNameLength, ' ');
  return id.ToString() + " " + name + "\n";
}

Error CannotNote(const RunId& run) {
  return ErrnoError(errno, "cannot note a process of run " + run.ToString());
}

// Returns the lines of the file. There are none if the file does not exist.
Result<std::vector<std::string>> ReadLines(int directory, const RunId& run) {
  std::vector<std::string> lines;
  const UniqueFd file(openat(directory, NotesOf(run).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file && errno == ENOENT) return lines;
  std::string text(kLine * (NamedNotes::kMaxNames + 1), '\0');
  const ssize_t size = file ? read(file.get(), text.data(), text.size()) : -1;
  if (size < 0) {
    return Error(Code::kUnavailable,
                 "cannot read the names of the processes of run " + run.ToString() + ": " +
                     ErrnoError(errno, "read").message(),
                 /*recoverable=*/true);
  }
  for (std::size_t at = 0; at + kLine <= static_cast<std::size_t>(size); at += kLine)
    lines.push_back(text.substr(at, kLine));
  return lines;
}

std::string NameIn(const std::string& line) {
  const std::string padded = line.substr(kIdLength + 1, NamedNotes::kMaxNameLength);
  return padded.substr(0, padded.find(' '));
}

}  // namespace

bool NamedNotes::IsName(const std::string& name) {
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  };
  return !name.empty() && name.size() <= kMaxNameLength && std::ranges::all_of(name, is_good);
}

bool NamedNotes::Any(const RunId& run) const {
  const Result<Names> names = Read(run);
  return !names.ok() || !names->empty();
}

Result<NamedNotes::Names> NamedNotes::Read(const RunId& run) const {
  DROVER_ASSIGN(const std::vector<std::string> lines, ReadLines(directory_, run));
  Names names;
  for (const std::string& line : lines) {
    const Result<RunId> id = RunId::Parse(std::string_view(line).substr(0, kIdLength));
    if (id.ok()) names.emplace(NameIn(line), *id);
  }
  return names;
}

Result<RunId> NamedNotes::Add(const RunId& run, const std::string& name) const {
  if (!IsName(name)) {
    return Error(Code::kInvalidArgument, "a process has a name of at most " +
                                             std::to_string(kMaxNameLength) +
                                             " letters, digits, \"-\" and \"_\"");
  }
  DROVER_ASSIGN(const std::vector<std::string> lines, ReadLines(directory_, run));
  if (std::ranges::find(lines, name, NameIn) != lines.end())
    return Error(Code::kFailedPrecondition, "the run has a process \"" + name + "\" already");
  if (lines.size() >= kMaxNames)
    return Error(Code::kResourceExhausted, "a run has at most " + std::to_string(kMaxNames) +
                                               " processes beside its own one");
  const RunId id = RunId::Random();
  DROVER_TRY(DurableStep(Step::kNameProcess, [&]() -> Status {
    const UniqueFd file(openat(directory_, NotesOf(run).c_str(),
                               O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    const std::string line = LineOf(id, name);
    // The file may end in a part of a line, which a killed agent has left. The new line covers it.
    const auto end = static_cast<off_t>(lines.size() * kLine);
    const ssize_t written = file ? pwrite(file.get(), line.data(), line.size(), end) : -1;
    if (written < 0) return CannotNote(run);
    if (static_cast<std::size_t>(written) == line.size()) return {};
    (void)!ftruncate(file.get(), end);
    return ErrnoError(ENOSPC, "cannot note a process of run " + run.ToString());
  }));
  return id;
}

Status NamedNotes::Remove(const RunId& run, const std::string& name) const {
  DROVER_ASSIGN(const std::vector<std::string> lines, ReadLines(directory_, run));
  const auto found = std::ranges::find(lines, name, NameIn);
  if (found == lines.end()) return {};
  if (lines.size() == 1) return RemoveAll(run);
  DROVER_TRY(DurableStep(Step::kForgetNames, [&]() -> Status {
    const UniqueFd file(
        openat(directory_, NotesOf(run).c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
    // The last line takes the place of the removed one. If the agent is killed before it removes
    // the last line, the line is there twice.
    const auto place = static_cast<off_t>(std::distance(lines.begin(), found)) * off_t(kLine);
    const std::string& last = lines.back();
    if (!file || pwrite(file.get(), last.data(), kLine, place) != ssize_t(kLine) ||
        ftruncate(file.get(), static_cast<off_t>((lines.size() - 1) * kLine)) != 0)
      return CannotNote(run);
    return {};
  }));
  return Remove(run, name);  // the line may be there twice
}

Status NamedNotes::RemoveAll(const RunId& run) const {
  return DurableStep(Step::kForgetNames, [&]() -> Status {
    if (unlinkat(directory_, NotesOf(run).c_str(), 0) == 0 || errno == ENOENT) return {};
    return CannotNote(run);
  });
}

}  // namespace drover
