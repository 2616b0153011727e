// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/variable_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/client/scripted_server_for_test.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

// The answer to one request, to which a server sends STATUS, HEADERS and BODY.
Result<VariableAnswer> Answered(const std::string& status, const std::string& body,
                                const std::string& headers = "", std::string* head = nullptr) {
  const ScriptedServer server([&](ScriptedPeer* peer, int) {
    const std::string asked = peer->ReadHead();
    if (head != nullptr) *head = asked;
    peer->Send("HTTP/1.1 " + status + "\r\n" + headers +
               "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  });
  ClientOptions options;
  options.address = server.address();
  ApiClient client = ApiClient::Create(options).value();
  return AskAboutVariables(&client, VariableRequest(client, "GET", "a/b", "team"));
}

TEST(VariableRequestTest, AnAnswerIsJson) {
  std::string head;
  const VariableAnswer answer =
      Answered("200 OK", R"({"Path":"a/b"})", "X-Nomad-NextToken: default.c\r\n", &head).value();
  EXPECT_EQ(answer.body["Path"], "a/b");
  EXPECT_FALSE(answer.conflict);
  EXPECT_EQ(answer.next_token, "default.c");
  EXPECT_THAT(head, HasSubstr("GET /v1/var/a%2Fb?namespace=team HTTP/1.1"));
  const Result<VariableAnswer> wrong = Answered("200 OK", "hunter2");
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message(), HasSubstr("is no JSON"));
  EXPECT_THAT(wrong.error().message(), Not(HasSubstr("hunter2")));
}

TEST(VariableRequestTest, AConflictIsAnAnswer) {
  const VariableAnswer answer =
      Answered("409 Conflict", R"({"Path":"a/b","ModifyIndex":7})").value();
  EXPECT_TRUE(answer.conflict);
  EXPECT_THAT(ConflictOf(3, answer.body).message(),
              HasSubstr("its modify index is 7, not 3: read it again"));
  EXPECT_THAT(ConflictOf(0, answer.body).message(), HasSubstr("use --check-index 7"));
  EXPECT_THAT(ConflictOf(3, {{"Path", "a/b"}, {"ModifyIndex", 0}}).message(),
              HasSubstr("there is no variable \"a/b\""));
}

TEST(VariableRequestTest, ARefusalIsAnError) {
  const Result<VariableAnswer> absent = Answered("404 Not Found", "variable not found\n");
  EXPECT_EQ(absent.code(), Code::kNotFound);
  EXPECT_EQ(absent.error().message(), "variable not found");
  EXPECT_THAT(Answered("403 Forbidden", "Permission denied").error().message(),
              HasSubstr("see --token"));
  EXPECT_EQ(Answered("400 Bad Request", "invalid path").code(), Code::kInvalidArgument);
  EXPECT_THAT(Answered("500 Internal Server Error", "").error().message(), HasSubstr("500"));
}

}  // namespace
}  // namespace drover
