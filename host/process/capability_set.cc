// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/capability_set.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace drover {
namespace {

// In the kernel's order: the index is the number.
constexpr std::array<std::string_view, 41> kNames = {
    // From 0.
    "chown", "dac_override", "dac_read_search", "fowner", "fsetid", "kill", "setgid", "setuid",
    "setpcap", "linux_immutable",
    // From 10.
    "net_bind_service", "net_broadcast", "net_admin", "net_raw", "ipc_lock", "ipc_owner",
    "sys_module", "sys_rawio", "sys_chroot", "sys_ptrace",
    // From 20.
    "sys_pacct", "sys_admin", "sys_boot", "sys_nice", "sys_resource", "sys_time", "sys_tty_config",
    "mknod", "lease", "audit_write",
    // From 30.
    "audit_control", "setfcap", "mac_override", "mac_admin", "syslog", "wake_alarm",
    "block_suspend", "audit_read", "perfmon", "bpf",
    // From 40.
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
