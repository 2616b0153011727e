// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "task_user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>

#include "drover/error.hpp"

namespace command {
namespace {

constexpr std::size_t kMaxEntry = 1u << 20;

// LOOK_UP is a getpw..._r with its first argument bound. Returns null if there is no such user.
template <typename LookUp>
passwd* Find(LookUp look_up, passwd* entry, std::vector<char>* buffer) {
  passwd* found = nullptr;
  for (buffer->resize(4096);; buffer->resize(buffer->size() * 2)) {
    int error = look_up(entry, buffer->data(), buffer->size(), &found);
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

// As in the host, a text of digits is always a number, even if a user has it as a name.
bool IsNumber(const std::string& user) {
  return user.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

TaskUser LookUpUser(const std::string& user) {
  if (user.empty()) return OwnUser();
  passwd entry;
  std::vector<char> buffer;
  passwd* found = nullptr;
  if (IsNumber(user)) {
    // Only in plain decimal: no other text, such as 00 or 010, can stand for a number.
    std::uint32_t number = 0;
    auto parsed = std::from_chars(user.data(), user.data() + user.size(), number, 10);
    if ((user[0] != '0' || user.size() == 1) && parsed.ec == std::errc() && number != UINT32_MAX) {
      found = Find([&](passwd* out, char* text, std::size_t size,
                       passwd** result) { return ::getpwuid_r(number, out, text, size, result); },
                   &entry, &buffer);
    }
  } else {
    found =
        Find([&](passwd* out, char* text, std::size_t size,
                 passwd** result) { return ::getpwnam_r(user.c_str(), out, text, size, result); },
             &entry, &buffer);
  }
  if (found == nullptr) {
    throw drover::Error(drover::Code::kInvalidArgument, "unknown user " + user);
  }
  TaskUser out;
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
