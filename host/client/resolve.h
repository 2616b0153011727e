// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/result.h"
#include "host/client/server_address.h"

namespace drover {

using StreamEndpoints = std::vector<boost::asio::generic::stream_protocol::endpoint>;

// Returns the possible endpoints of the server at ADDRESS, in the order in which the caller should
// try them. The list is never empty. Returns Code::kUnavailable if the name of the server is
// unknown.
Co<Result<StreamEndpoints>> Resolve(Context context, ServerAddress address);

}  // namespace drover
