// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/spec/allocation.h"
#include "host/spec/blocks/identity.h"

namespace drover {

// What a token states about its bearer. Times are seconds since 1970-01-01 UTC.
struct Claims {
  std::string job_namespace;
  std::string job_id;  // of a job that another one dispatched: the other one's
  std::string allocation_id;
  std::string task;     // empty in the token of a service
  std::string service;  // empty in the token of a task
  std::string subject;  // REGION:NAMESPACE:JOB:GROUP:TASK:IDENTITY
  std::vector<std::string> audience;
  std::string issuer;    // empty if the agent has none
  std::string token_id;  // a UUID, which no other token has
  std::int64_t issued_at = 0;
  std::int64_t not_before = 0;
  std::optional<std::int64_t> expires;  // absent: valid as long as the allocation

  bool operator==(const Claims&) const = default;
};

// Returns the claims of a new token: of IDENTITY of the task TASK of ALLOC, at the time NOW. ISSUER
// is the agent's, or empty.
Claims ClaimsOf(const Allocation& alloc, const std::string& task, const Identity& identity,
                WallTime now, const std::string& issuer);

nlohmann::json ClaimsToJson(const Claims& claims);
// Reads claims of untrusted JSON. Members with other names are ignored.
Result<Claims> ClaimsFromJson(const nlohmann::json& json);

}  // namespace drover
