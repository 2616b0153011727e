// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/acl/acl_tables.h"
#include "host/store/store.h"

namespace drover {

// The kinds of records that this room stores.
namespace acl_record_kind {
inline constexpr std::string_view kPolicy = "acl-policy";  // by name
inline constexpr std::string_view kRole = "acl-role";      // by id
inline constexpr std::string_view kToken = "acl-token";    // by accessor id
inline constexpr std::string_view kIndex = "acl-index";    // the last index, and the bootstrap
}  // namespace acl_record_kind

// An AclState::Journal. It passes each write to the Store, which restores it as a whole or not at
// all. No record has a secret. The Store must outlive this object. [control]
class AclJournal {
 public:
  explicit AclJournal(Store* store) : store_(store) {}

  void operator()(const AclWrite& write, const AclTables& tables) const;

 private:
  Store* const store_;
};

// The tables that an agent builds from the records of a store when it starts.
struct LoadedAcl {
  AclTables tables;
  std::vector<std::string> refused;  // a sentence for each record that cannot be used
};
// A token or a role that cannot be read is missing. A policy that cannot be read is there, but
// a token with it may do nothing, since nobody knows what it denies. It is attached to no job.
LoadedAcl LoadAcl(const std::vector<Record>& records);

}  // namespace drover
