// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "host/acl/acl_resolver.h"
#include "host/request/api_request.h"

namespace drover {

// Says whether a client may still have an answer that takes long: one that waits for a change, or
// one that goes on. Use it only on the thread of the exchange.
class AdmissionWatch {
 public:
  // REQUEST must outlive this object.
  explicit AdmissionWatch(ApiRequest* request) : request_(request) {}

  // Returns kPermissionDenied if the client may not use the route of the request any more. Else the
  // principal of the request is what the client is now. Costs little if no token, policy, role or
  // setting has changed since the last call.
  Status Check();

 private:
  ApiRequest* const request_;
  std::optional<AclResolver::Stamp> stamp_;  // of the last look; absent before the first
};

// Returns a function that calls Check of one AdmissionWatch of REQUEST, which must outlive the
// function.
std::function<Status()> WatchAdmission(ApiRequest* request);

}  // namespace drover
