// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/cluster/msgpack_reader.h"

// The messages of Go's net/rpc in msgpack, as servers and nodes exchange them on a stream. Each is
// two values: a header and a body. An answer has a body even if it is an error.
namespace drover {

struct RpcRequest {
  std::string method;          // such as "Node.Register"
  std::uint64_t sequence = 0;  // the answer has the same
  nlohmann::json args;
};

struct RpcAnswer {
  std::string method;
  std::uint64_t sequence = 0;
  std::string error;  // empty if the call has succeeded
  nlohmann::json body;
};

std::string WriteRpcRequest(const RpcRequest& request);
// A message with an error gets an empty map as its body.
std::string WriteRpcAnswer(const RpcAnswer& answer);

// A header and a body that belong together.
struct RpcMessage {
  nlohmann::json header;
  nlohmann::json body;
};

// Splits the bytes of one stream into messages. After an error, the stream is of no more use: where
// the next message begins is unknown. [any thread]
class RpcMessageReader {
 public:
  // LIMITS are those of a body. Headers have narrow limits of their own.
  explicit RpcMessageReader(MsgpackLimits limits = {});

  // Takes BYTES, and returns the next message if it is whole. Further messages come from further
  // calls, with no bytes if there are none.
  Result<std::optional<RpcMessage>> Next(std::string_view bytes);

  // Returns how many bytes wait for the rest of their message.
  std::size_t pending() const { return buffer_.size(); }

 private:
  // Returns the next value, or nothing if more bytes are needed.
  Result<std::optional<nlohmann::json>> NextValue(const MsgpackLimits& limits);

  MsgpackLimits body_limits_;
  std::string buffer_;
  MsgpackScanner scanner_;
  std::optional<nlohmann::json> header_;  // of the message whose body is on its way
};

Result<RpcRequest> ToRpcRequest(RpcMessage message);
Result<RpcAnswer> ToRpcAnswer(RpcMessage message);

// Returns the body of ANSWER, if it answers the request SEQUENCE of METHOD. If the server has
// refused that one, returns the error that RpcError makes of its text.
Result<nlohmann::json> BodyOfAnswer(RpcAnswer answer, std::string_view method,
                                    std::uint64_t sequence);

// Returns TEXT, the error of a server, as an error with the code by which callers decide. Servers
// that have passed a call on put prefixes before the text. The message has at most a few hundred
// printable characters of it.
Error RpcError(std::string_view text);

// Returns whether a call of METHOD changes nothing. Only such a call may be repeated on another
// server after it was interrupted.
bool IsReadingCall(std::string_view method);

}  // namespace drover
