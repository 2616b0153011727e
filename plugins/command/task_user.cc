// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "task_user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <optional>

#include "drover/error.hpp"

namespace command {
namespace {

constexpr std::size_t kMaxEntry = 1u << 20;

// Returns the user with the id NUMBER, or the user NAME if NUMBER is absent. Returns null if there
// is no such user.
passwd* Find(const std::string& name, std::optional<uid_t> number, passwd* entry,
             std::vector<char>* buffer) {
  passwd* found = nullptr;
  for (buffer->resize(4096);; buffer->resize(buffer->size() * 2)) {
    int error = number ? ::getpwuid_r(*number, entry, buffer->data(), buffer->size(), &found)
                       : ::getpwnam_r(name.c_str(), entry, buffer->data(), buffer->size(), &found);
    if (error == ERANGE && buffer->size() < kMaxEntry) continue;
    if (error != 0 && error != ENOENT && error != ESRCH && error != EBADF && error != EPERM) {
      throw drover::Error::Recoverable(drover::Code::kUnavailable,
                                       std::string("the user database: ") + ::strerror(error));
    }
    return found;
  }
}

TaskUser OwnUser() {
  TaskUser out;
  out.uid = ::geteuid();
  int count = ::getgroups(0, nullptr);
  out.gids.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  count = ::getgroups(count, out.gids.data());
  out.gids.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  out.gids.push_back(::getegid());
  return out;
}

[[noreturn]] void Unknown(const std::string& user) {
  throw drover::Error(drover::Code::kInvalidArgument, "unknown user " + user);
}

// If USER has only digits, returns the number; else returns nothing. As in the host, a text of
// digits is always a number, even if it is also the name of a user. A number with leading zeros,
// such as 00 or 010, is an error.
std::optional<uid_t> NumberOf(const std::string& user) {
  if (user.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  uid_t number = 0;
  const char* end = user.data() + user.size();
  auto parsed = std::from_chars(user.data(), end, number, 10);
  if ((user[0] == '0' && user.size() > 1) || parsed.ec != std::errc() || number == UINT32_MAX)
    Unknown(user);
  return number;
}

}  // namespace

TaskUser LookUpUser(const std::string& user, const IdRanges& dynamic) {
  if (user.empty()) return OwnUser();
  passwd entry;
  std::vector<char> buffer;
  const std::optional<uid_t> number = NumberOf(user);
  const passwd* found = Find(user, number, &entry, &buffer);
  TaskUser out;
  if (found == nullptr && number && dynamic.Contains(*number)) {
    out.uid = *number;
    out.gids.push_back(*number);
    return out;
  }
  if (found == nullptr) Unknown(user);
  out.uid = found->pw_uid;
  int count = 64;
  out.gids.resize(64);
  while (::getgrouplist(found->pw_name, found->pw_gid, out.gids.data(), &count) < 0) {
    if (count <= static_cast<int>(out.gids.size())) count = static_cast<int>(out.gids.size()) * 2;
    out.gids.resize(static_cast<std::size_t>(count));
  }
  out.gids.resize(static_cast<std::size_t>(count));
  return out;
}

}  // namespace command
