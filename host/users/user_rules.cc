// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/users/user_rules.h"

#include <pwd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "host/base/text.h"

namespace drover {
namespace {

constexpr char kDigits[] = "0123456789";

bool IsNumber(const std::string& name) {
  return !name.empty() && name.find_first_not_of(kDigits) == std::string::npos;
}

// Whether a driver may read NAME as a number other than we do: one with a sign, in hexadecimal
// digits, or with spaces around it.
bool IsOddNumber(const std::string& name) {
  if (name.empty() || name.find_first_of(" \t\r\n\v\f") != std::string::npos) return true;
  if (name[0] == '+' || name[0] == '-') return true;
  return name.size() > 1 && name[0] == '0' && (name[1] == 'x' || name[1] == 'X');
}

Error NoUserId(const std::string& user) {
  return Error(Code::kInvalidArgument,
               "user \"" + user +
                   "\" is no user: write a name, or an id in decimal digits without leading zeros");
}

// Returns the id of the user or group NAME if it is a number; an error if it may be read as
// different numbers.
Result<std::optional<uid_t>> NumberOf(const std::string& name, const std::string& user) {
  if (IsOddNumber(name)) return NoUserId(user);
  if (!IsNumber(name)) return std::optional<uid_t>();
  const std::optional<uid_t> number = ParseNumber<uid_t>(name);
  const bool plain = name[0] != '0' || name.size() == 1;
  if (!plain || !number || *number == std::numeric_limits<uid_t>::max()) return NoUserId(user);
  return number;
}

Error Disallowed(const std::string& user, const std::string& denied) {
  const std::string has = user == denied ? "it is" : "it is the user \"" + denied + "\", which is";
  return Error(Code::kPermissionDenied, "running as user \"" + user + "\" is disallowed: " + has +
                                            " in user.denylist of the agent: name another user");
}

Status CheckDenied(const UserRules& rules, const std::string& user, const std::string& name,
                   std::optional<uid_t> uid, const FindUser& find) {
  for (const std::string& denied : rules.denied) {
    if (denied == name) return Disallowed(user, denied);
    std::optional<uid_t> id;
    if (denied == "root") {
      id = 0;
    } else if (IsNumber(denied)) {
      id = ParseNumber<uid_t>(denied);
    } else if (uid && find) {
      DROVER_ASSIGN(id, find(denied));
    }
    if (id && id == uid) return Disallowed(user, denied);
  }
  return {};
}

}  // namespace

Result<std::optional<uid_t>> FindSystemUser(const std::string& name) {
  std::vector<char> buffer(16u << 10);
  passwd entry{};
  passwd* found = nullptr;
  int failed = 0;
  while ((failed = getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found)) ==
         ERANGE) {
    buffer.resize(buffer.size() * 2);
  }
  if (found != nullptr) return std::optional<uid_t>(found->pw_uid);
  // The same errors mean that there is no such user as in getpwnam(3).
  if (failed == 0 || failed == ENOENT || failed == ESRCH || failed == EBADF || failed == EPERM) {
    return std::optional<uid_t>();
  }
  return Error(Code::kUnavailable, "the user database: " + std::string(std::strerror(failed)),
               true);
}

Status CheckUser(const UserRules& rules, const std::string& driver, const std::string& user,
                 bool in_image, const FindUser& find) {
  const bool checked = rules.checked_drivers.count(driver) > 0 && !rules.denied.empty();
  if (!checked && rules.dynamic_last == 0) return {};
  const std::size_t colon = user.find(':');
  const std::string name = user.substr(0, colon);
  DROVER_ASSIGN(std::optional<uid_t> uid, NumberOf(name, user));
  std::optional<uid_t> gid;
  if (colon != std::string::npos) {
    DROVER_ASSIGN(gid, NumberOf(user.substr(colon + 1), user));
  }
  if ((uid && rules.IsDynamic(*uid)) || (gid && rules.IsDynamic(*gid))) {
    return Error(Code::kPermissionDenied,
                 "user \"" + user + "\": the agent gives the users " +
                     std::to_string(rules.dynamic_first) + " to " +
                     std::to_string(rules.dynamic_last) +
                     " to tasks without a user: name another user, or none");
  }
  if (!checked) return {};
  if (!uid && name == "root") uid = 0;
  const FindUser machine = in_image ? FindUser() : find;
  if (!uid && machine) {
    DROVER_ASSIGN(uid, machine(name));
  }
  return CheckDenied(rules, user, name, uid, machine);
}

}  // namespace drover
