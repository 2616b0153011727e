// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/rpc_codec.h"

#include <gtest/gtest.h>

#include <string>

namespace drover {
namespace {

using nlohmann::json;
using namespace std::string_literals;

// The first answer that a client gets from a server, as it was on the wire: a header of 39 bytes
// and an empty map.
const std::string& PingAnswer() {
  static const std::string kBytes =
      "\x83\xa5"
      "Error\xa0\xa3"
      "Seq\x01\xad"
      "ServiceMethod\xab"
      "Status.Ping\x80"s;
  return kBytes;
}

// Returns the answer in BYTES, which must be whole.
Result<RpcAnswer> AnswerIn(const std::string& bytes) {
  RpcMessageReader reader;
  auto message = reader.Next(bytes);
  if (!message.ok()) return message.error();
  if (!*message) return Error(Code::kInternal, "more bytes are needed");
  return ToRpcAnswer(std::move(**message));
}

TEST(RpcCodec, WritesARequest) {
  const std::string expected =
      "\x82\xa3"
      "Seq\x01\xad"
      "ServiceMethod\xab"
      "Status.Ping\x81\xa6Region\xa6global"s;
  RpcRequest request{"Status.Ping", 1, {{"Region", "global"}}};
  EXPECT_EQ(WriteRpcRequest(request), expected);
}

TEST(RpcCodec, ReadsARecordedAnswer) {
  EXPECT_EQ(PingAnswer().size(), 40u);
  auto answer = AnswerIn(PingAnswer());
  ASSERT_TRUE(answer.ok()) << answer.error().message();
  EXPECT_EQ(answer->method, "Status.Ping");
  EXPECT_EQ(answer->sequence, 1u);
  EXPECT_EQ(answer->error, "");
  const auto body = BodyOfAnswer(std::move(*answer), "Status.Ping", 1);
  ASSERT_TRUE(body.ok());
  EXPECT_EQ(*body, json::object());
}

TEST(RpcCodec, ReadsMessagesInWhateverPartsTheyArrive) {
  const std::string bytes = PingAnswer() + WriteRpcAnswer({"Node.Register", 2, "", {{"Index", 9}}});
  RpcMessageReader reader;
  std::vector<std::string> methods;
  for (const char byte : bytes) {
    auto message = reader.Next(std::string_view(&byte, 1));
    ASSERT_TRUE(message.ok()) << message.error().message();
    if (*message) methods.push_back(ToRpcAnswer(std::move(**message))->method);
  }
  EXPECT_EQ(methods, (std::vector<std::string>{"Status.Ping", "Node.Register"}));
  EXPECT_EQ(reader.pending(), 0u);

  RpcMessageReader whole;
  ASSERT_TRUE(*whole.Next(bytes));
  const auto second = whole.Next("");
  ASSERT_TRUE(second.ok() && *second);
  EXPECT_EQ((*second)->body, (json{{"Index", 9}}));
}

TEST(RpcCodec, ReadsARequestOfAServer) {
  RpcMessageReader reader;
  auto message = reader.Next(WriteRpcRequest({"FileSystem.Stat", 7, {{"Path", "/"}}}));
  ASSERT_TRUE(message.ok() && *message);
  const auto request = ToRpcRequest(std::move(**message));
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->method, "FileSystem.Stat");
  EXPECT_EQ(request->sequence, 7u);
  EXPECT_EQ(request->args, (json{{"Path", "/"}}));
}

TEST(RpcCodec, AnErrorHasAnEmptyBody) {
  const auto answer = AnswerIn(WriteRpcAnswer({"Node.Register", 3, "node not found", {{"x", 1}}}));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->body, json::object());
  const auto body = BodyOfAnswer(*answer, "Node.Register", 3);
  EXPECT_EQ(body.code(), Code::kNotFound);
  EXPECT_EQ(body.error().message(), "Node.Register: node not found");
}

TEST(RpcCodec, RefusesTheAnswerToAnotherRequest) {
  const auto answer = AnswerIn(PingAnswer());
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(BodyOfAnswer(*answer, "Status.Ping", 2).code(), Code::kInternal);
}

TEST(RpcCodec, RefusesWrongHeaders) {
  for (const json& header : {json(), json(1), json::array({1}), json{{"Seq", "1"}},
                             json{{"Seq", -1}}, json{{"Error", ""}}, json{{"Seq", 1}, {"Error", 5}},
                             json{{"Seq", 1.5}}, json{{"Seq", {{"a", 1}}}}}) {
    EXPECT_FALSE(AnswerIn(WriteMsgpack(header) + "\x80").ok()) << header.dump();
  }
  RpcMessageReader deep;
  EXPECT_FALSE(deep.Next("\x91\x91\x91\x91").ok());
  RpcMessageReader large;
  EXPECT_EQ(large.Next("\xdb\x00\x10\x00\x00"s).code(), Code::kResourceExhausted);
  RpcMessage unnamed{json{{"Seq", 1}}, json::object()};
  EXPECT_FALSE(ToRpcRequest(std::move(unnamed)).ok()) << "a request without a method";
}

TEST(RpcCodec, LimitsTheBody) {
  RpcMessageReader reader(MsgpackLimits{100, 4, 20});
  const std::string header = PingAnswer().substr(0, 39);
  const auto message = reader.Next(header + "\xda\x01\x00"s);
  EXPECT_EQ(message.code(), Code::kResourceExhausted);
}

TEST(RpcCodec, KnowsTheErrorsOfServers) {
  EXPECT_EQ(RpcError("Permission denied").code(), Code::kPermissionDenied);
  EXPECT_EQ(RpcError("rpc error: rpc error: No cluster leader").code(), Code::kUnavailable);
  EXPECT_TRUE(RpcError("No cluster leader").recoverable());
  EXPECT_EQ(RpcError("node not found").code(), Code::kNotFound);
  EXPECT_EQ(RpcError("node 1234 not found").code(), Code::kNotFound);
  EXPECT_EQ(RpcError("rpc: can't find method Node.Fly").code(), Code::kUnimplemented);
  EXPECT_EQ(RpcError("node 1 is not allowed to update allocs while in status down").code(),
            Code::kFailedPrecondition);
  EXPECT_EQ(RpcError("RPC Error:: 404,nothing here").code(), Code::kNotFound);
  EXPECT_EQ(RpcError("x RPC Error:: 404,nothing here").code(), Code::kInternal);
  EXPECT_EQ(RpcError("EOF").code(), Code::kUnavailable);
  EXPECT_EQ(RpcError("missing node name for client registration").code(), Code::kInternal);
}

TEST(RpcCodec, AnErrorOfAServerCannotFloodOrControlATerminal) {
  const Error error = RpcError("\x1b[2J\n" + std::string(100'000, 'x'));
  EXPECT_LT(error.message().size(), 1000u);
  EXPECT_EQ(error.message().find('\x1b'), std::string::npos);
  EXPECT_EQ(error.message().find('\n'), std::string::npos);
}

TEST(RpcCodec, OnlyReadingCallsMayBeRepeated) {
  EXPECT_TRUE(IsReadingCall("Node.GetClientAllocs"));
  EXPECT_FALSE(IsReadingCall("Node.UpdateAlloc"));
  EXPECT_FALSE(IsReadingCall("Node.Register"));
}

}  // namespace
}  // namespace drover
