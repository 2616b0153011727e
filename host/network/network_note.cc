// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/network_note.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <utility>

#include "host/base/durable_step.h"
#include "host/base/unique_fd.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::string_view kNoteSuffix = ".note";
constexpr std::string_view kFreshSuffix = ".note.new";  // while it is written
constexpr std::size_t kMostNoteBytes = 4u << 20;

json EncodeNote(const NetworkNote& note) {
  const CniAttachment& attachment = note.attachment;
  return {{"alloc", note.alloc_id},
          {"network", note.network.text},
          {"interface", attachment.interface_name},
          {"args", attachment.args},
          {"path", attachment.path},
          {"namespace", attachment.network_namespace},
          {"runtime", attachment.runtime},
          {"result", note.result},
          {"status",
           {{"address", note.status.address},
            {"address_ipv6", note.status.address_ipv6},
            {"servers", note.status.dns.servers},
            {"searches", note.status.dns.searches},
            {"options", note.status.dns.options}}}};
}

Result<NetworkNote> DecodeNote(const std::string& text) {
  DROVER_ASSIGN(const json of, ParseStrictJson(text, {kMostNoteBytes, 64}));
  NetworkNote note;
  try {
    of.at("alloc").get_to(note.alloc_id);
    DROVER_ASSIGN(note.network, ParseConflist(of.at("network").get<std::string>()));
    of.at("interface").get_to(note.attachment.interface_name);
    of.at("args").get_to(note.attachment.args);
    of.at("path").get_to(note.attachment.path);
    of.at("namespace").get_to(note.attachment.network_namespace);
    note.attachment.runtime = of.at("runtime");
    note.result = of.at("result");
    const json& status = of.at("status");
    note.status.interface_name = note.attachment.interface_name;
    status.at("address").get_to(note.status.address);
    status.at("address_ipv6").get_to(note.status.address_ipv6);
    status.at("servers").get_to(note.status.dns.servers);
    status.at("searches").get_to(note.status.dns.searches);
    status.at("options").get_to(note.status.dns.options);
  } catch (const json::exception& error) {
    return Error(Code::kInvalidArgument, error.what());
  }
  note.attachment.container = note.alloc_id;
  return note;
}

bool WriteAll(int file, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(file, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    written += static_cast<std::size_t>(n);
  }
  return true;
}

Status WriteNoteFile(const std::string& directory, const std::string& path,
                     const std::string& text) {
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return ErrnoError(errno, "cannot make " + directory);
  const UniqueFd parent(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::string fresh = path + ".new";
  const UniqueFd file(
      open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (parent && file && WriteAll(file.get(), text) && fdatasync(file.get()) == 0 &&
      rename(fresh.c_str(), path.c_str()) == 0 && fsync(parent.get()) == 0)
    return {};
  const int error = errno;
  unlink(fresh.c_str());
  return ErrnoError(error, "cannot write the note " + path);
}

// Returns the names of the files in DIRECTORY that end with SUFFIX.
std::vector<std::string> NamesIn(const std::string& directory, std::string_view suffix) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(directory.c_str()), closedir);
  while (entries) {
    const dirent* const entry = readdir(entries.get());
    if (entry == nullptr) break;
    if (std::string_view(entry->d_name).ends_with(suffix)) names.emplace_back(entry->d_name);
  }
  return names;
}

}  // namespace

std::string NetworkNotes::PathOf(const std::string& alloc_id) const {
  return directory_ + "/" + alloc_id + std::string(kNoteSuffix);
}

Status NetworkNotes::Write(const NetworkNote& note) const {
  const std::string text = JsonText(EncodeNote(note));
  if (text.size() > kMostNoteBytes) {
    return Error(Code::kResourceExhausted,
                 "the note of the network, with its configuration and "
                 "what its plugins have said, is longer than " +
                     std::to_string(kMostNoteBytes) + " bytes");
  }
  return DurableStep(Step::kNoteNetwork,
                     [&] { return WriteNoteFile(directory_, PathOf(note.alloc_id), text); });
}

Result<std::optional<NetworkNote>> NetworkNotes::Read(const std::string& alloc_id) const {
  const std::string path = PathOf(alloc_id);
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::optional<NetworkNote>();
  if (!file) return ErrnoError(errno, "cannot read the note " + path);
  std::string text;
  std::array<char, 8192> buffer{};
  while (text.size() <= kMostNoteBytes) {
    const ssize_t n = read(file.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(errno, "cannot read the note " + path);
    if (n == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  Result<NetworkNote> note = DecodeNote(text);
  if (!note.ok()) {
    return note.error().WithContext("the note " + path +
                                    " of a network cannot be used; remove the network by hand, "
                                    "then the note");
  }
  return std::optional<NetworkNote>(std::move(*note));
}

Status NetworkNotes::Remove(const std::string& alloc_id) const {
  const std::string path = PathOf(alloc_id);
  return DurableStep(Step::kForgetNetwork, [&]() -> Status {
    if (unlink(path.c_str()) == 0 || errno == ENOENT) return {};
    return ErrnoError(errno, "cannot remove the note " + path);
  });
}

std::optional<NoteIdentity> NetworkNotes::Identity(const std::string& alloc_id) const {
  struct stat info{};
  if (lstat(PathOf(alloc_id).c_str(), &info) != 0) return std::nullopt;
  return NoteIdentity{alloc_id, info.st_ino,
                      info.st_mtim.tv_sec * std::int64_t{1'000'000'000} + info.st_mtim.tv_nsec};
}

std::vector<NoteIdentity> NetworkNotes::List() const {
  std::vector<NoteIdentity> found;
  for (const std::string& name : NamesIn(directory_, kNoteSuffix)) {
    const auto identity = Identity(name.substr(0, name.size() - kNoteSuffix.size()));
    if (identity) found.push_back(*identity);
  }
  return found;
}

void NetworkNotes::RemoveUnfinished() const {
  for (const std::string& name : NamesIn(directory_, kFreshSuffix))
    unlink((directory_ + "/" + name).c_str());
}

}  // namespace drover
