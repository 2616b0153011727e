// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/reply_head.h"

#include <gtest/gtest.h>

#include <string>

namespace drover {
namespace {

TEST(HttpDate, IsThatOfTheStandard) {
  EXPECT_EQ(HttpDate(784'111'777'000'000'000), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(HttpDate(0), "Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST(ReplyHead, HasWhatIsKnown) {
  HttpReply reply;
  reply.status = 404;
  reply.headers = {{"X-Nomad-Index", "7"}};
  ReplyFraming framing;
  framing.length = 5;
  framing.close = true;
  EXPECT_EQ(ReplyHead(reply, framing, 0),
            "HTTP/1.1 404 Not Found\r\n"
            "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            "Content-Type: application/json\r\n"
            "X-Content-Type-Options: nosniff\r\n"
            "Vary: Accept-Encoding\r\n"
            "X-Nomad-Index: 7\r\n"
            "Content-Length: 5\r\n"
            "Connection: close\r\n\r\n");
}

TEST(ReplyHead, AValueCannotBeginALine) {
  HttpReply reply;
  reply.content_type = "text/plain\r\nSet-Cookie: a=b";
  reply.headers = {{"X-Nomad-NextToken", std::string("a\r\n\r\n<html>\0b", 13)}};
  const std::string head = ReplyHead(reply, ReplyFraming(), 0);
  EXPECT_NE(head.find("Content-Type: text/plain?"
                      "?Set-Cookie: a=b\r\n"),
            head.npos)
      << head;
  EXPECT_NE(head.find("X-Nomad-NextToken: a?"
                      "?"
                      "?"
                      "?<html>?b\r\n"),
            head.npos)
      << head;
}

}  // namespace
}  // namespace drover
