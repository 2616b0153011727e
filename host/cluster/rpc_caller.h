// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/result.h"

namespace drover {

// Calls the methods of the servers of a cluster. Control thread only.
class RpcCaller {
 public:
  virtual ~RpcCaller() = default;

  // Calls METHOD, such as "Node.Register", and returns the body of its answer. ARGS is the map of
  // the method's arguments, with the region and the token in it. If CONTEXT ends first, returns its
  // error. The message of any other error has the text of the server. Its code is:
  // - kUnavailable, recoverable, if no server could carry out the call: none was reached, or there
  //   is no leader. It is unknown whether a call that was interrupted was carried out.
  // - kPermissionDenied if the server has refused the token.
  // - kNotFound if the server does not know the node.
  // - kUnimplemented if the server does not know the method.
  // - kInvalidArgument if ARGS cannot be encoded.
  // - kInternal for any other error, such as an answer that cannot be decoded.
  virtual Co<Result<nlohmann::json>> Call(Context context, std::string method,
                                          nlohmann::json args) = 0;
};

}  // namespace drover
