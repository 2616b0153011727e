// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "host/acl/acl.h"

namespace drover {

// What a client needs for a route.
enum class Need {
  kNothing,     // anybody may ask, also without a token
  kClient,      // any client that is not refused; the answer has nothing about the agent's state
  kCapability,  // one of RouteAccess::any_of, in the namespace that RouteAccess::where says
  kNamespace,   // anything in the namespace that the path names
  kLevel,       // RouteAccess::level of RouteAccess::area
  kServices,    // to read services in the namespace of the query; tasks may do that in their own
  kManagement,
  kEachPart,  // the handler asks for each topic, context, path or record
};

// Which namespace counts.
enum class Where {
  kNowhere,
  kQuery,       // that of the query, or "default"
  kAlloc,       // that of the job of the allocation that the path names
  kEval,        // that of the evaluation that the path names
  kDeployment,  // that of the deployment that the path names
  kBody,        // that of the body, which the handler must check; until then: any namespace
};

// What the router must check before it calls the handler of a route. For lists, the namespace of
// the query may be "*": then the handler must ask the Acl for each record, too.
struct RouteAccess {
  std::string_view methods;  // the same texts as in the table of routes
  std::string_view pattern;
  Need need = Need::kManagement;
  RightSet<Capability> any_of = {};
  Where where = Where::kNowhere;
  AclArea area = AclArea::kAgent;
  AclLevel level = AclLevel::kUnset;
  // The router calls the handler first, since the token may come as the first message of a
  // websocket. The handler must check the rest of the entry then.
  bool after_websocket = false;
};

// The entries of all routes. For tests.
std::span<const RouteAccess> RouteAccesses();

// Returns the entry of a route; null if there is none, and then nobody may use the route.
const RouteAccess* FindRouteAccess(std::string_view methods, std::string_view pattern);

// Returns whether ACL meets what ACCESS needs in NAMESPACE, which the caller has found as
// ACCESS.where says. For an allocation or evaluation that does not exist, and for Where::kBody,
// NAMESPACE is "*". ALLOC_ID is the allocation that the path names, or empty: a task may read its
// own.
bool Permits(const Acl& acl, const RouteAccess& access, std::string_view name_space,
             std::string_view alloc_id);

}  // namespace drover
