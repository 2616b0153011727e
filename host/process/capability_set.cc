// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/capability_set.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace drover {
namespace {

// The names of the capabilities in the kernel's order. The index of a name is the number of the
// capability.
constexpr std::array<std::string_view, 41> kNames = {
    // Capabilities 0 to 9.
    "chown", "dac_override", "dac_read_search", "fowner", "fsetid", "kill", "setgid", "setuid",
    "setpcap", "linux_immutable",
    // Capabilities 10 to 19.
    "net_bind_service", "net_broadcast", "net_admin", "net_raw", "ipc_lock", "ipc_owner",
    "sys_module", "sys_rawio", "sys_chroot", "sys_ptrace",
    // Capabilities 20 to 29.
    "sys_pacct", "sys_admin", "sys_boot", "sys_nice", "sys_resource", "sys_time", "sys_tty_config",
    "mknod", "lease", "audit_write",
    // Capabilities 30 to 39.
    "audit_control", "setfcap", "mac_override", "mac_admin", "syslog", "wake_alarm",
    "block_suspend", "audit_read", "perfmon", "bpf",
    // Capability 40.
    "checkpoint_restore"};

}  // namespace

Result<CapabilitySet> CapabilitySet::Parse(const std::vector<std::string>& names) {
  std::uint64_t bits = 0;
  for (const std::string& given : names) {
    std::string name = given;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (name.starts_with("cap_")) name.erase(0, 4);
    if (name == "all") {
      bits = (std::uint64_t{1} << kNames.size()) - 1;
      continue;
    }
    const auto found = std::ranges::find(kNames, name);
    if (found == kNames.end())
      return Error(Code::kInvalidArgument,
                   "\"" + given + "\" is no capability; write it as net_bind_service");
    bits |= std::uint64_t{1} << (found - kNames.begin());
  }
  return CapabilitySet(bits);
}

std::string CapabilitySet::ToString() const {
  std::string text;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (!Has(static_cast<int>(i))) continue;
    if (!text.empty()) text += ',';
    text += kNames[i];
  }
  return text.empty() ? "none" : text;
}

}  // namespace drover
