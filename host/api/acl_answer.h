// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "host/acl/acl_changes.h"
#include "host/acl/acl_tables.h"
#include "host/api/router.h"
#include "host/request/api_request.h"

// What the routes for policies, tokens and roles share.
namespace drover {

// Returns HANDLER for an agent where policies count. On other agents the answer is 400.
using AclHandler = Co<Answer> (*)(ApiRequest* request);
std::function<Co<Answer>(ApiRequest*)> WithAcl(AclHandler handler);

// Makes the write that PLAN returns, and returns its index when it is on disk. PLAN may use the
// caller's variables. An error of PLAN changes nothing. It may be due to an earlier write, whose
// client was asked to send its request again. So the error is returned when that write is on disk.
using AclPlan = std::function<Result<AclWrite>(const AclTables& tables, AclMoment moment)>;
Co<Result<std::uint64_t>> ChangeAcl(ApiRequest* request, AclPlan plan);

// Looks at the tables with LOOK, which returns a function that encodes the answer. With ?index=N,
// first waits until the table OF has a later index, or until ?wait has passed.
using AclLook = std::function<std::function<Co<Answer>()>(const AclTables& tables)>;
Co<Answer> AnswerAcl(ApiRequest* request, AclTable of, AclLook look);

// Returns the names of the policies that the client has.
std::set<std::string> OwnPolicies(const ApiRequest& request, const AclTables& tables);

}  // namespace drover
