// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/acl/rights.h"
#include "host/base/result.h"

namespace drover {

// What a policy may cost. Each limit is far beyond what people write.
inline constexpr std::size_t kMostPolicyBytes = std::size_t{64} << 10;  // of its text
inline constexpr std::size_t kMostPolicyRules = 1024;  // blocks of namespaces, paths, and so on
inline constexpr std::size_t kMostRuleName = 128;      // bytes of a name or path

// The rights for the paths of variables that match a glob.
struct VariableRule {
  std::string path;
  RightSet<VariableRight> rights;

  bool operator==(const VariableRule&) const = default;
};

// The rights in the namespaces that match a glob.
struct NamespaceRule {
  std::string name;
  std::string word;                   // as the policy has it; empty: none
  RightSet<Capability> capabilities;  // with those of the word
  std::vector<VariableRule> variables;

  bool operator==(const NamespaceRule&) const = default;
};

struct VolumeRule {
  std::string name;
  std::string word;
  RightSet<VolumeRight> rights;

  bool operator==(const VolumeRule&) const = default;
};

struct PoolRule {
  std::string name;
  std::string word;
  RightSet<PoolRight> rights;

  bool operator==(const PoolRule&) const = default;
};

// The rules of a policy. A name may be there several times; Acl merges its rules.
struct Policy {
  std::vector<NamespaceRule> namespaces;
  std::vector<PoolRule> pools;
  std::vector<VolumeRule> volumes;
  std::array<AclLevel, kAclAreas> levels{};  // by AclArea
  // The stored rules cannot be read, so nobody knows what they deny. Whoever has such a policy may
  // do nothing.
  bool is_unreadable = false;

  AclLevel level(AclArea area) const { return levels[static_cast<std::size_t>(area)]; }
  bool operator==(const Policy&) const = default;
};

// Reads the text of a policy, which is HCL or JSON. The error names all faults with their places,
// such as "line 3: ...". HCL is read by the program drover-hcl, so this call blocks for up to four
// seconds, and must not be made on the control thread. [any thread]
Result<Policy> ReadPolicy(const std::string& text);

// Returns the rules as JSON in the form of Nomad's API (RulesJSON), with all rights that the words
// stand for. [any thread]
nlohmann::json PolicyJson(const Policy& policy);
// Reads what PolicyJson has returned. [any thread]
Result<Policy> PolicyOfJson(const nlohmann::json& rules);

}  // namespace drover
