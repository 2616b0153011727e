// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/user_lookup.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "host/base/text.h"

namespace drover {
namespace {

bool IsDigits(const std::string& text) {
  return text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

Result<std::optional<ProcessUser>> LookUpUser(const std::string& user) {
  if (user.empty()) return std::optional<ProcessUser>();
  std::optional<uid_t> number;
  if (IsDigits(user)) {
    if (user[0] == '0' && user.size() > 1)
      return Error(Code::kInvalidArgument,
                   "user \"" + user + "\" is no user id: write it without leading zeros");
    number = ParseNumber<uid_t>(user);
    if (!number || *number == uid_t(-1))
      return Error(Code::kInvalidArgument, "user \"" + user + "\" is no user id: it is too large");
  }
  std::vector<char> buffer(16u << 10);
  passwd entry{};
  passwd* found = nullptr;
  int failed = 0;
  while ((failed = number ? getpwuid_r(*number, &entry, buffer.data(), buffer.size(), &found)
                          : getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(),
                                       &found)) == ERANGE) {
    buffer.resize(buffer.size() * 2);
  }
  ProcessUser result;
  if (found != nullptr) {
    result.uid = found->pw_uid;
    result.gid = found->pw_gid;
    int count = 64;
    result.groups.resize(static_cast<std::size_t>(count));
    if (getgrouplist(found->pw_name, found->pw_gid, result.groups.data(), &count) < 0) {
      result.groups.resize(static_cast<std::size_t>(count));
      getgrouplist(found->pw_name, found->pw_gid, result.groups.data(), &count);
    }
    result.groups.resize(static_cast<std::size_t>(count));
  } else if (number) {
    result.uid = *number;  // a user without an entry has only the group with the same number
    result.gid = *number;
  } else if (failed != 0 && failed != ENOENT) {
    return ErrnoError(failed, "user \"" + user + "\"");
  } else {
    return Error(
        Code::kInvalidArgument,
        "user \"" + user + "\" does not exist on this machine: create it, or name another");
  }
  if (geteuid() != 0) {
    if (result.uid == geteuid()) return std::optional<ProcessUser>();
    return Error(
        Code::kPermissionDenied,
        "user \"" + user + "\": only an agent that runs as root can start tasks as others");
  }
  return std::optional<ProcessUser>(std::move(result));
}

}  // namespace drover
