// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "capabilities.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "drover/error.hpp"

namespace exec_driver {
namespace {

using Names = std::set<std::string>;

std::string Plain(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name.compare(0, 4, "cap_") == 0 ? name.substr(4) : name;
}

Names Set(const std::vector<std::string>& names) {
  Names out;
  for (const std::string& name : names) out.insert(Plain(name));
  return out;
}

}  // namespace

std::vector<std::string> DefaultCapabilities() {
  return {"audit_write",      "chown",   "dac_override", "fowner",  "fsetid", "kill",      "mknod",
          "net_bind_service", "setfcap", "setgid",       "setpcap", "setuid", "sys_chroot"};
}

Capabilities ChooseCapabilities(const std::vector<std::string>& allowed,
                                const std::vector<std::string>& add,
                                const std::vector<std::string>& drop, const std::string& withheld) {
  const Names allow = Set(allowed);
  const Names added = Set(add);
  const Names dropped = Set(drop);
  std::string refused;
  for (const std::string& name : added) {
    if (name == "all" || allow.count(name) > 0 || allow.count("all") > 0) continue;
    refused += (refused.empty() ? "" : ", ") + name;
  }
  if (!refused.empty()) {
    throw drover::Error(drover::Code::kPermissionDenied,
                        "failed driver config validation: cap_add: not allowed by the operator's "
                        "allow_caps: " +
                            refused);
  }
  const bool asks_for_every_one = added.count("all") > 0 && allow.count("all") > 0;
  if (!withheld.empty() && (added.count(withheld) > 0 || asks_for_every_one)) {
    throw drover::Error(drover::Code::kPermissionDenied,
                        "failed driver config validation: cap_add: no task can have " + withheld +
                            " here, since the operator has set no_pivot_root: name the others");
  }
  // A job that adds no capabilities gets those default capabilities that are allowed. It does not
  // get the other allowed capabilities.
  Names chosen;
  if (dropped.count("all") == 0) {
    for (const std::string& name : DefaultCapabilities()) {
      bool is_allowed = allow.count(name) > 0 || allow.count("all") > 0;
      if (is_allowed && dropped.count(name) == 0) chosen.insert(name);
    }
  }
  Names named;
  for (const std::string& name : added) {
    if (name != "all") {
      named.insert(name);
    } else {
      named.insert(allow.begin(), allow.end());
    }
  }
  named.erase(withheld);
  chosen.erase(withheld);
  chosen.insert(named.begin(), named.end());
  Capabilities out;
  out.bounding.assign(chosen.begin(), chosen.end());
  out.ambient.assign(named.begin(), named.end());
  return out;
}

}  // namespace exec_driver
