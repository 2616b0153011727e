// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/loop.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"
#include "host/http/byte_stream.h"

namespace drover {

class NameLookups;

// Connects to PORT of HOST, which is a name or an IP address without brackets. The error is the
// text that a check has as its output, such as "dial tcp 127.0.0.1:80: connect: connection
// refused". NAMES looks up a name for the allocation ALLOC_ID, and must outlive the call.
Co<Result<UniqueFd>> ConnectForCheck(Context context, NameLookups* names, std::string alloc_id,
                                     std::string host, int port);

// Returns CONNECTION, which ConnectForCheck has made, as a socket of LOOP. Returns an error if LOOP
// cannot watch it.
Result<StreamSocket> SocketOf(Loop* loop, UniqueFd connection);

// Returns whether both ends of a connection are the same socket. If nobody listens at a port, the
// kernel may give just this port to who connects to it, and then the connection succeeds.
bool ConnectedToItself(int fd);

// Returns HOST and PORT as one text, with brackets where they are needed.
std::string HostPort(const std::string& host, int port);

// The message of ERROR as the output of a check, such as "connection refused".
std::string LowerMessage(const ByteStream::ErrorCode& error);

}  // namespace drover
