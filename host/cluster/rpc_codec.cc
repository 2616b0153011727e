// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/rpc_codec.h"

#include <algorithm>
#include <utility>

#include "host/base/printable.h"
#include "host/cluster/wire_object.h"

namespace drover {
namespace {

using nlohmann::json;

// A header has three fields. The text of an error is its only long one.
constexpr MsgpackLimits kRpcHeaderLimits = {std::size_t{256} << 10, 2, 64};
constexpr std::size_t kMostErrorText = 500;

// The texts by which servers' errors are known, and what they mean. The first match counts.
struct KnownRpcError {
  std::string_view text;
  Code code;
  bool recoverable;
};
constexpr KnownRpcError kKnownRpcErrors[] = {
    {"No cluster leader", Code::kUnavailable, true},
    {"Not ready to serve consistent reads", Code::kUnavailable, true},
    {"No path to region", Code::kUnavailable, true},
    {"rpc: can't find method", Code::kUnimplemented, false},
    {"rpc: can't find service", Code::kUnimplemented, false},
    {"Unknown rpc method", Code::kUnimplemented, false},
    {"Permission denied", Code::kPermissionDenied, false},
    {"ACL token not found", Code::kPermissionDenied, false},
    {"ACL token expired", Code::kPermissionDenied, false},
    {"node secret ID does not match", Code::kPermissionDenied, false},
    {"is not allowed to update allocs while in status", Code::kFailedPrecondition, true},
    {"node not found", Code::kNotFound, false},
    {"No path to node", Code::kNotFound, false},
    {"Unknown node", Code::kNotFound, false},
    {"Unknown allocation", Code::kNotFound, false},
    {"service registration not found", Code::kNotFound, false},
    {"stream closed", Code::kUnavailable, true},
    {"session shutdown", Code::kUnavailable, true},
    {"connection reset", Code::kUnavailable, true},
    {"EOF", Code::kUnavailable, true},
};

constexpr std::string_view kReadingCalls[] = {
    "ACL.GetClaimPolicies", "ACL.GetPolicies",
    "ACL.GetRolesByID",     "ACL.WhoAmI",
    "Alloc.GetAlloc",       "Alloc.GetAllocs",
    "Alloc.SignIdentities", "Node.GetClientAllocs",
    "Node.GetNode",         "ServiceRegistration.GetService",
    "Status.Ping",          "Variables.List",
    "Variables.Read"};

// Returns the code of "RPC Error:: CODE,message", which must be at the start of TEXT.
std::optional<Code> CodedRpcError(std::string_view text) {
  constexpr std::string_view kPrefix = "RPC Error:: ";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  const std::string_view number = text.substr(kPrefix.size(), 3);
  if (number == "400") return Code::kInvalidArgument;
  if (number == "403") return Code::kPermissionDenied;
  if (number == "404") return Code::kNotFound;
  if (number == "429") return Code::kResourceExhausted;
  return Code::kInternal;
}

// Returns whether TEXT is "node ID not found", perhaps after a prefix.
bool IsUnknownNode(std::string_view text) {
  return text.ends_with(" not found") && text.find("node ") != std::string_view::npos;
}

}  // namespace

std::string WriteRpcRequest(const RpcRequest& request) {
  return WriteMsgpack({{"ServiceMethod", request.method}, {"Seq", request.sequence}}) +
         WriteMsgpack(request.args);
}

std::string WriteRpcAnswer(const RpcAnswer& answer) {
  const json header = {
      {"Error", answer.error}, {"Seq", answer.sequence}, {"ServiceMethod", answer.method}};
  const bool failed = !answer.error.empty();
  return WriteMsgpack(header) + WriteMsgpack(failed ? json(json::object()) : answer.body);
}

RpcMessageReader::RpcMessageReader(MsgpackLimits limits)
    : body_limits_(limits), scanner_(kRpcHeaderLimits) {}

Result<std::optional<json>> RpcMessageReader::NextValue(const MsgpackLimits& limits) {
  DROVER_ASSIGN(const std::optional<std::size_t> size, scanner_.Scan(buffer_));
  if (!size) return std::optional<json>();
  DROVER_ASSIGN(json value, ReadMsgpack(std::string_view(buffer_).substr(0, *size), limits));
  buffer_.erase(0, *size);
  return std::optional<json>(std::move(value));
}

Result<std::optional<RpcMessage>> RpcMessageReader::Next(std::string_view bytes) {
  buffer_ += bytes;
  if (!header_) {
    DROVER_ASSIGN(std::optional<json> header, NextValue(kRpcHeaderLimits));
    if (!header) return std::optional<RpcMessage>();
    header_ = std::move(header);
    scanner_ = MsgpackScanner(body_limits_);
  }
  DROVER_ASSIGN(std::optional<json> body, NextValue(body_limits_));
  if (!body) return std::optional<RpcMessage>();
  scanner_ = MsgpackScanner(kRpcHeaderLimits);
  RpcMessage message{std::move(*header_), std::move(*body)};
  header_.reset();
  return std::optional<RpcMessage>(std::move(message));
}

Result<RpcRequest> ToRpcRequest(RpcMessage message) {
  std::optional<Error> fault;
  const WireObject header(message.header, "the header of a request", &fault);
  RpcRequest request;
  header.Read("ServiceMethod", &request.method);
  header.Read("Seq", &request.sequence);
  if (request.method.empty()) header.Fault("ServiceMethod", "is missing");
  if (fault) return *fault;
  request.args = std::move(message.body);
  return request;
}

Result<RpcAnswer> ToRpcAnswer(RpcMessage message) {
  std::optional<Error> fault;
  const WireObject header(message.header, "the header of an answer", &fault);
  RpcAnswer answer;
  header.Read("ServiceMethod", &answer.method);
  header.Read("Seq", &answer.sequence);
  header.Read("Error", &answer.error);
  if (header.Find("Seq") == nullptr) header.Fault("Seq", "is missing");
  if (fault) return *fault;
  answer.body = std::move(message.body);
  return answer;
}

Result<json> BodyOfAnswer(RpcAnswer answer, std::string_view method, std::uint64_t sequence) {
  if (answer.sequence != sequence) {
    return Error(Code::kInternal, std::string(method) + ": the server has answered request " +
                                      std::to_string(answer.sequence) + " instead of request " +
                                      std::to_string(sequence));
  }
  if (!answer.error.empty()) return RpcError(answer.error).WithContext(method);
  return std::move(answer.body);
}

Error RpcError(std::string_view text) {
  std::string message = Printable(text.substr(0, kMostErrorText));
  if (text.size() > kMostErrorText) message += "...";
  if (const auto code = CodedRpcError(text)) return Error(*code, std::move(message));
  for (const KnownRpcError& known : kKnownRpcErrors) {
    if (text.find(known.text) == std::string_view::npos) continue;
    return Error(known.code, std::move(message), known.recoverable);
  }
  if (IsUnknownNode(text)) return Error(Code::kNotFound, std::move(message));
  return Error(Code::kInternal, std::move(message));
}

bool IsReadingCall(std::string_view method) {
  return std::ranges::find(kReadingCalls, method) != std::end(kReadingCalls);
}

}  // namespace drover
