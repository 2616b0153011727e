// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/acl/acl.h"

namespace drover {

// These functions return whether ACL may list or read the scaling policies of NAME_SPACE: by a
// right of its own, or because it may list and read the jobs, which have the policies.

inline bool MaySeeJobs(const Acl& acl, std::string_view name_space) {
  return acl.Allows(name_space, {Capability::kListJobs}) &&
         acl.Allows(name_space, {Capability::kReadJob});
}
inline bool MayListScaling(const Acl& acl, std::string_view name_space) {
  return acl.Allows(name_space, {Capability::kListScalingPolicies}) || MaySeeJobs(acl, name_space);
}
inline bool MayReadScaling(const Acl& acl, std::string_view name_space) {
  return acl.Allows(name_space, {Capability::kReadScalingPolicy}) || MaySeeJobs(acl, name_space);
}

}  // namespace drover
