// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/capability_read.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "host/abi/abi_read.h"
#include "host/abi/abi_text.h"

namespace drover {
namespace {

Error BadCapability(std::string what) {
  return Error(Code::kInternal, "its capabilities: " + std::move(what));
}

Result<std::vector<std::string>> ReadNames(const drover_array& from, const char* what) {
  if (from.count > DROVER_CAPABILITIES_MOST) {
    return BadCapability(std::to_string(from.count) + " " + what + ": at most " +
                         std::to_string(DROVER_CAPABILITIES_MOST) + " are allowed");
  }
  std::vector<std::string> names;
  DROVER_TRY(ReadArray<drover_str>(from, sizeof(drover_str), [&](const drover_str* at) -> Status {
    Result<std::string> name = ReadBytes(*at, DROVER_CAPABILITIES_TEXT);
    if (!name.ok()) return BadCapability(std::string(what) + ": " + name.error().message());
    if (name->empty() || !IsPlainText(*name)) {
      return BadCapability(std::string(what) + ": \"" + SafeText(OneLine(*name), 100) +
                           "\" is no name");
    }
    names.push_back(std::move(*name));
    return {};
  }));
  return names;
}

Status CheckNames(const std::vector<std::string>& names, const char* what,
                  bool (*known)(std::string_view name)) {
  for (const std::string& name : names) {
    if (!known(name)) return BadCapability(std::string(what) + ": \"" + name + "\" is not known");
  }
  return {};
}

bool IsMode(std::string_view name) {
  return name == "host" || name == "none" || name == "bridge" || name == "cni" ||
         (name.starts_with("cni/") && name.size() > 4);
}
bool IsPropagation(std::string_view name) {
  return name == "private" || name == "host-to-task" || name == "bidirectional";
}
bool IsAnyName(std::string_view) { return true; }  // later versions may have more kinds

bool IsPointer(std::string_view text) { return text.starts_with('/'); }

}  // namespace

Result<DriverCapabilities> ReadCapabilities(const drover_capabilities* from) {
  DROVER_ASSIGN(const drover_capabilities raw, CopyStruct(from));
  DriverCapabilities out;
  struct List {
    std::uint64_t bit;
    const drover_array& from;
    const char* what;
    bool (*known)(std::string_view name);
    DriverCapabilities::Names* to;
  };
  const List lists[] = {
      {DROVER_SAYS_NETWORK_MODES, raw.network_modes, "network modes", IsMode, &out.network_modes},
      {DROVER_SAYS_MOUNT_KINDS, raw.mount_kinds, "kinds of mounts", IsAnyName, &out.mount_kinds},
      {DROVER_SAYS_PROPAGATIONS, raw.propagations, "propagations", IsPropagation,
       &out.propagations},
      {DROVER_SAYS_SIGNALS, raw.signals, "signals", IsAnyName, &out.signals},
  };
  for (const List& list : lists) {
    if ((raw.says & list.bit) == 0) continue;
    DROVER_ASSIGN(std::vector<std::string> names, ReadNames(list.from, list.what));
    DROVER_TRY(CheckNames(names, list.what, list.known));
    *list.to = std::move(names);
  }
  const std::pair<std::uint64_t, DriverCapabilities::Answer*> questions[] = {
      {DROVER_SAYS_USERS, &out.users},
      {DROVER_SAYS_HOSTNAME, &out.hostname},
      {DROVER_SAYS_DNS, &out.dns},
      {DROVER_SAYS_LABELS, &out.labels},
      {DROVER_SAYS_REMOTE, &out.remote},
      {DROVER_SAYS_MUST_CREATE_NETWORK, &out.must_create_network},
  };
  for (const auto& [bit, to] : questions) {
    if ((raw.says & bit) != 0) *to = (raw.can & bit) != 0;
  }
  out.parallel_starts = raw.parallel_starts;
  DROVER_ASSIGN(out.sensitive, ReadNames(raw.sensitive, "sensitive places"));
  DROVER_TRY(CheckNames(out.sensitive, "sensitive places", IsPointer));
  return out;
}

}  // namespace drover
