// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/response_parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace drover {
namespace {

// The body of TEXT, which comes in pieces of SIZE bytes.
std::string Read(ResponseParser* parser, std::string_view text, std::size_t size) {
  std::string all;
  while (!text.empty() && !parser->done() && parser->mistake().empty()) {
    std::string_view piece = text.substr(0, size);
    text.remove_prefix(piece.size());
    std::string_view body;
    while (const std::size_t taken = parser->Put(piece, &body)) {
      piece.remove_prefix(taken);
      all += body;
    }
  }
  return all;
}

TEST(ResponseParserTest, ReadsBodiesHoweverTheyArrive) {
  const std::string head = "HTTP/1.1 200 OK\r\nX-Nomad-Index: 7\r\n";
  for (const std::size_t size : {1, 2, 3, 5, 1000}) {
    ResponseParser length;
    EXPECT_EQ(Read(&length, head + "Content-Length: 4\r\n\r\nbody", size), "body");
    EXPECT_TRUE(length.done());
    EXPECT_TRUE(length.keep_alive());
    EXPECT_EQ(length.status(), 200);
    EXPECT_EQ(length.Header("x-nomad-INDEX"), "7");
    EXPECT_EQ(length.Header("other"), "");
    EXPECT_EQ(length.head().status, 200);
    EXPECT_EQ(length.head().reason, "OK");
    EXPECT_EQ(length.head().headers, (HttpFields{{"X-Nomad-Index", "7"}, {"Content-Length", "4"}}));

    ResponseParser chunks;
    EXPECT_EQ(Read(&chunks,
                   head + "Transfer-Encoding: chunked\r\n\r\n2;x=y\r\nbo\r\n2\r\ndy\r\n0\r\n"
                          "Trailer: t\r\n\r\n",
                   size),
              "body");
    EXPECT_TRUE(chunks.done());
    EXPECT_TRUE(chunks.keep_alive());

    ResponseParser to_end;
    EXPECT_EQ(Read(&to_end, "HTTP/1.0 404 Not Found\r\n\r\nbody", size), "body");
    EXPECT_FALSE(to_end.done());
    to_end.PutEnd();
    EXPECT_TRUE(to_end.done());
    EXPECT_FALSE(to_end.keep_alive());
    EXPECT_EQ(to_end.status(), 404);
  }
}

TEST(ResponseParserTest, AnswersWithoutBody) {
  for (const char* text : {"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 x\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}) {
    ResponseParser parser;
    EXPECT_EQ(Read(&parser, text, 4), "");
    EXPECT_TRUE(parser.done()) << text;
  }
}

TEST(ResponseParserTest, SkipsInterimAnswers) {
  ResponseParser parser;
  EXPECT_EQ(Read(&parser,
                 "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                 "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
                 1000),
            "x");
  EXPECT_EQ(parser.status(), 200);
}

TEST(ResponseParserTest, LeavesWhatFollows) {
  const std::string_view text = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxy";
  ResponseParser parser;
  std::string_view body;
  const std::size_t head = parser.Put(text, &body);
  EXPECT_EQ(parser.Put(text.substr(head), &body), 1U);
  EXPECT_EQ(body, "x");
  EXPECT_EQ(parser.Put("y", &body), 0U);
  EXPECT_TRUE(parser.done());
}

TEST(ResponseParserTest, AnEndThatComesTooEarly) {
  for (const char* text :
       {"", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n"}) {
    ResponseParser parser;
    Read(&parser, text, 1000);
    EXPECT_EQ(parser.mistake(), "") << text;
    parser.PutEnd();
    EXPECT_FALSE(parser.done()) << text;
    EXPECT_EQ(parser.mistake(), "it closed the connection before its answer was complete");
  }
}

TEST(ResponseParserTest, Mistakes) {
  for (const char* text :
       {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n"}) {
    ResponseParser parser;
    Read(&parser, text, 1000);
    EXPECT_NE(parser.mistake(), "") << text;
    EXPECT_FALSE(parser.done()) << text;
  }
}

TEST(ResponseParserTest, AHeaderHasABound) {
  const std::string field = "X-Long: " + std::string(1000, 'x') + "\r\n";
  std::string head = "HTTP/1.1 204 No Content\r\n";
  for (int i = 0; i < 60; ++i) head += field;
  ResponseParser large;
  Read(&large, head + "\r\n", 4096);
  EXPECT_TRUE(large.done()) << large.mistake();
  for (int i = 0; i < 10; ++i) head += field;
  ResponseParser larger;
  Read(&larger, head + "\r\n", 4096);
  EXPECT_EQ(larger.mistake(), "the header of its answer is larger than 64 KiB");
  ResponseParser endless;
  Read(&endless, "HTTP/1.1 200 OK\r\nX: " + std::string(1 << 20, 'x'), 4096);
  EXPECT_EQ(endless.mistake(), "the header of its answer is larger than 64 KiB");
}

}  // namespace
}  // namespace drover
