// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/exec_message.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(ExecMessageTest, AllThatAClientCanSay) {
  const ExecMessage all = ParseExecMessage(R"({"stdin":{"data":"aGk=","close":true},
                                               "tty_size":{"height":51,"width":101}})")
                              .value();
  EXPECT_EQ(all.input, "hi");
  EXPECT_TRUE(all.input_ends);
  ASSERT_TRUE(all.size);
  EXPECT_EQ(all.size->width, 101);
  EXPECT_EQ(all.size->height, 51);
}

TEST(ExecMessageTest, WhatIsMissingNullOrUnknownMeansNothing) {
  for (const char* text :
       {"{}", R"({"stdin":null,"tty_size":null})", R"({"stdin":{},"tty_size":{}})",
        R"({"stdin":{"data":null,"close":null},"tty_size":{"height":null,"width":null}})",
        R"({"stdin":{"more":1},"unknown":[7],"exited":"x"})",
        R"({"tty_size":{"height":0,"width":80}})", R"({"tty_size":{"height":-1,"width":80}})",
        R"({"tty_size":{"height":24}})"}) {
    const Result<ExecMessage> message = ParseExecMessage(text);
    ASSERT_TRUE(message.ok()) << text << message.error().message();
    EXPECT_EQ(message->input, "") << text;
    EXPECT_FALSE(message->input_ends) << text;
    EXPECT_FALSE(message->size) << text;
  }
}

TEST(ExecMessageTest, ASizeHasABound) {
  const ExecMessage huge =
      ParseExecMessage(R"({"tty_size":{"height":18446744073709551615,"width":9000000000}})")
          .value();
  ASSERT_TRUE(huge.size);
  EXPECT_EQ(huge.size->height, 10'000);
  EXPECT_EQ(huge.size->width, 10'000);
}

TEST(ExecMessageTest, AnotherTypeIsAnErrorThatNamesTheField) {
  const std::pair<const char*, const char*> wrong[] = {
      {"[]", "a message must be a JSON object"},
      {"null", "a message must be a JSON object"},
      {"7", "a message must be a JSON object"},
      {R"({"stdin":7})", "stdin must be an object"},
      {R"({"stdin":"aGk="})", "stdin must be an object"},
      {R"({"stdin":[]})", "stdin must be an object"},
      {R"({"stdin":{"data":7}})", "stdin.data must be a text"},
      {R"({"stdin":{"data":"*"}})", "stdin is not encoded by base64"},
      {R"({"stdin":{"close":"true"}})", "stdin.close must be true or false"},
      {R"({"stdin":{"close":1}})", "stdin.close must be true or false"},
      {R"({"tty_size":"80x24"})", "tty_size must be an object"},
      {R"({"tty_size":{"height":"x"}})", "tty_size.height must be a whole number"},
      {R"({"tty_size":{"height":1,"width":1.5}})", "tty_size.width must be a whole number"},
  };
  for (const auto& [text, why] : wrong) {
    const Result<ExecMessage> message = ParseExecMessage(text);
    ASSERT_FALSE(message.ok()) << text;
    EXPECT_EQ(message.code(), Code::kInvalidArgument) << text;
    EXPECT_EQ(message.error().message(), why) << text;
  }
  EXPECT_EQ(ParseExecMessage("{").code(), Code::kInvalidArgument);
}

TEST(ExecMessageTest, WhatIsSaidToClients) {
  EXPECT_EQ(ExecDataMessage("stderr", "hi"), R"({"stderr":{"data":"aGk="}})");
  EXPECT_EQ(ExecCloseMessage("stdout"), R"({"stdout":{"close":true}})");
  EXPECT_EQ(ExecExitMessage(43), R"({"exited":true,"result":{"exit_code":43}})");
}

}  // namespace
}  // namespace drover
