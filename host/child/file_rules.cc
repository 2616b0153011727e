// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/child/file_rules.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace drover {

int FileRulesVersion() {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<int>(version);
}

Result<UniqueFd> MakeFileRules(std::uint64_t handled) {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = handled;
  // The size of the structure's first version: an older kernel refuses a longer one.
  UniqueFd rules(static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0)));
  if (rules) return rules;
  if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
    return ErrnoError(errno, "the rules of Landlock");
  }
  return UniqueFd();
}

Status AllowFiles(const UniqueFd& rules, int place, std::uint64_t rights) {
  landlock_path_beneath_attr rule{};
  rule.allowed_access = rights;
  rule.parent_fd = place;
  if (syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0) {
    return {};
  }
  return ErrnoError(errno, "a rule of Landlock");
}

}  // namespace drover
