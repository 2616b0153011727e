// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/result.h"
#include "host/client/resolve.h"
#include "host/http/byte_stream.h"

namespace drover {

// Returns a connection to the first of PLACES that answers, with the keep-alive probes of TCP. Each
// place except the last gets half of the remaining time. CONTEXT must have a deadline; if it ends
// first, returns its error. Otherwise returns kUnavailable with the error of the last place.
Co<Result<StreamSocket>> ConnectAny(Context context, StreamEndpoints places);

}  // namespace drover
