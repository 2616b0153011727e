// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/result.h"
#include "host/cluster/msgpack_reader.h"
#include "host/cluster/mux_connection.h"

namespace drover {

// A call in the form in which it is sent. It may be sent again, to another server.
struct EncodedCall {
  std::string method;
  std::uint64_t sequence = 0;
  std::string bytes;  // what WriteRpcRequest returns for it
};

// How far a call has come.
enum class RpcReach {
  kNothing,   // no byte was sent
  kSent,      // it is unknown whether the server has carried it out
  kAnswered,  // the result is the server's, or cannot be decoded
};

// Calls of methods over one connection to a server. Each call has a stream of its own while it is
// under way, since a stream serves one call at a time and a call may block for minutes. Control
// thread only.
class RpcConnection {
 public:
  RpcConnection(Loop* loop, std::unique_ptr<ByteStream> bytes, StreamHandlers handlers,
                YamuxLimits limits = {}, MsgpackLimits answer_limits = {});

  // See MuxConnection::Run.
  Co<Error> Run(Context context) { return mux_.Run(context); }

  // Returns the body of the answer to CALL, which must outlive this coroutine, as must this object.
  // Sets REACH. If CONTEXT ends first, gives the call up and returns the error of CONTEXT.
  Co<Result<nlohmann::json>> Call(Context context, const EncodedCall* call, RpcReach* reach);

  MuxConnection* mux() { return &mux_; }
  bool usable() const { return mux_.usable(); }
  // Returns whether nobody uses the connection: no call and no stream of the server.
  bool idle() const { return calls_ == 0 && mux_.streams() <= idle_.size(); }
  std::size_t calls() const { return calls_; }
  std::size_t idle_streams() const { return idle_.size(); }

 private:
  Result<std::unique_ptr<YamuxStream>> TakeStream();
  Co<Result<nlohmann::json>> CallOn(Context context, const EncodedCall* call, RpcReach* reach,
                                    std::unique_ptr<YamuxStream> stream);

  const MsgpackLimits answer_limits_;
  std::size_t calls_ = 0;
  MuxConnection mux_;
  std::vector<std::unique_ptr<YamuxStream>> idle_;
};

}  // namespace drover
