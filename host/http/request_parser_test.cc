// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/request_parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace drover {
namespace {

constexpr RequestParser::Limits kLimits{1000, 10'000};

struct Outcome {
  int refused = 0;  // the status; 0: it was not refused
  bool done = false;
  std::string body;
  std::size_t taken = 0;
};

// Passes the bytes in pieces of STEP, as the network may.
Outcome Parse(const std::string& bytes, std::size_t step) {
  RequestParser parser(kLimits);
  std::size_t taken = 0;
  for (std::size_t arrived = 0; arrived < bytes.size();) {
    arrived = std::min(bytes.size(), arrived + step);
    for (std::size_t more = 1; more > 0; taken += more) {
      more = parser.Put(std::string_view(bytes).substr(taken, arrived - taken));
    }
  }
  Outcome outcome;
  if (parser.refusal()) outcome.refused = parser.refusal()->status;
  outcome.done = parser.done();
  outcome.body = parser.request().body;
  outcome.taken = taken;
  return outcome;
}

std::string Post(const std::string& headers, const std::string& rest) {
  return "POST / HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n" + rest;
}

TEST(RequestParser, ABodyThatIsDiscardedIsReadOver) {
  for (const std::string& bytes :
       {Post("Content-Length: 3\r\n", "abc"),
        Post("Transfer-Encoding: chunked\r\n", "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"),
        Post("Transfer-Encoding: chunked\r\n", "4000\r\n" + std::string(0x4000, 'x'))}) {
    RequestParser parser(kLimits);
    const std::size_t head = parser.Put(bytes);
    ASSERT_TRUE(parser.has_body());
    parser.DiscardBody();
    std::size_t taken = head;
    for (std::size_t more = 1; more > 0; taken += more) more = parser.Put(bytes.substr(taken));
    const bool large = bytes.size() > kLimits.body_bytes;
    EXPECT_EQ(parser.done(), !large);
    EXPECT_EQ(parser.refusal() ? parser.refusal()->status : 0, large ? 413 : 0);
    EXPECT_EQ(parser.request().body, "");
    EXPECT_EQ(parser.request().body.capacity(), std::string().capacity());
    if (!large) EXPECT_EQ(taken, bytes.size());
  }
}

TEST(RequestParser, TakesWhatIsRight) {
  const std::string next = "GET /next HTTP/1.1\r\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", ""},
      {"GET / HTTP/1.0\r\n\r\n", ""},
      {"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", ""},
      {"FROB /a?b=c HTTP/1.1\r\nHost:h\r\nX:\r\n\r\n", ""},
      {Post("Content-Length: 3\r\n", "abc"), "abc"},
      {Post("Content-Length: 0\r\n", ""), ""},
      {Post("Transfer-Encoding: chunked\r\n", "0\r\n\r\n"), ""},
      {Post("Transfer-Encoding: Chunked\r\n", "3\r\nabc\r\n0\r\n\r\n"), "abc"},
      {Post("Transfer-Encoding: chunked\r\n",
            "1\r\na\r\n00002;x=\"y\"\r\nbc\r\n0\r\nHost: x\r\n\r\n"),
       "abc"},
  };
  for (const auto& [bytes, body] : cases) {
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, bytes.size() + next.size()}) {
      const Outcome outcome = Parse(bytes + next, step);
      EXPECT_EQ(outcome.refused, 0) << bytes;
      EXPECT_TRUE(outcome.done) << bytes;
      EXPECT_EQ(outcome.body, body) << bytes;
      EXPECT_EQ(outcome.taken, bytes.size()) << bytes;
    }
  }
}

TEST(RequestParser, RefusesWhatTwoCouldReadDifferently) {
  const std::string get = "GET / HTTP/1.1\r\nHost: h\r\n";
  const std::vector<std::pair<std::string, int>> cases = {
      // Two lengths.
      {Post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400},
      {Post("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "0\r\n\r\n"), 400},
      {Post("Content-Length: 3\r\nContent-Length: 3\r\n", "abc"), 400},
      {Post("Content-Length: 3\r\nContent-Length: 4\r\n", "abcd"), 400},
      {Post("Content-Length: 3, 3\r\n", "abc"), 400},
      {Post("Content-Length: +3\r\n", "abc"), 400},
      {Post("Content-Length: -1\r\n", "abc"), 400},
      {Post("Content-Length: 0x3\r\n", "abc"), 400},
      {Post("Content-Length: 3 3\r\n", "abc"), 400},
      {Post("Content-Length:\r\n", "abc"), 400},
      {Post("Content-Length: 18446744073709551619\r\n", "abc"), 400},
      // Codings that some know and some do not.
      {Post("Transfer-Encoding: identity\r\n", "abc"), 501},
      {Post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), 501},
      {Post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), 501},
      {Post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n"), 400},
      {Post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"), 400},
      {Post("Transfer-Encoding:\x0b chunked\r\n", "0\r\n\r\n"), 400},
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      // Lines.
      {"GET / HTTP/1.1\nHost: h\n\n", 400},
      {"GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: h\rX: y\r\n\r\n", 400},
      {get + "X: a\r\n b\r\n\r\n", 400},
      {get + "X: a\r\n\tb\r\n\r\n", 400},
      {get + " X: a\r\n\r\n", 400},
      {get + "X : a\r\n\r\n", 400},
      {get + "X\r\n\r\n", 400},
      {get + ": a\r\n\r\n", 400},
      {get + std::string("X: a\0b\r\n\r\n", 10), 400},
      {get + "X: a\x7f\r\n\r\n", 400},
      // Requests.
      {"\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET / HTTP/1.1 \r\nHost: h\r\n\r\n", 400},
      {"GET / HTTP/2.0\r\nHost: h\r\n\r\n", 400},
      {"GET /\r\n\r\n", 400},
      {"GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET /?a=%zz HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {get + "Host: other\r\n\r\n", 400},
      {"\x16\x03\x01\x02\x01\x01\xfc\x03", 400},
      // Chunks.
      {Post("Transfer-Encoding: chunked\r\n", "3\nabc\r\n0\r\n\r\n"), 400},
      {Post("Transfer-Encoding: chunked\r\n", "3\r\nabcd\r\n0\r\n\r\n"), 400},
      {Post("Transfer-Encoding: chunked\r\n", "-3\r\nabc\r\n0\r\n\r\n"), 400},
      {Post("Transfer-Encoding: chunked\r\n", "0x3\r\nabc\r\n0\r\n\r\n"), 400},
      {Post("Transfer-Encoding: chunked\r\n", "3;a\nb\r\nabc\r\n0\r\n\r\n"), 400},
      {Post("Transfer-Encoding: chunked\r\n", "ffffffffffffffff1\r\nabc\r\n0\r\n\r\n"), 413},
      {Post("Transfer-Encoding: chunked\r\n", "zz\r\n\r\n"), 400},
      {Post("Transfer-Encoding: chunked\r\n", "\r\n\r\n\r\n"), 400},
      // Sizes.
      {get + "X: " + std::string(1000, 'a') + "\r\n\r\n", 431},
      {"GET /" + std::string(5000, 'a'), 431},
      {Post("Transfer-Encoding: chunked\r\n", "1;" + std::string(5000, 'x')), 400},
      {Post("Transfer-Encoding: chunked\r\n", std::string(5000, '0')), 400},
      {Post("Transfer-Encoding: chunked\r\n", "0\r\n" + std::string(5000, 'x')), 400},
      {Post("Content-Length: 10001\r\n", ""), 413},
      {Post("Transfer-Encoding: chunked\r\n", "2711\r\n"), 413},
      {Post("Transfer-Encoding: chunked\r\n", "ffffffffffffffff\r\n"), 413},
  };
  for (const auto& [bytes, status] : cases) {
    for (const std::size_t step : {std::size_t{1}, std::size_t{5}, bytes.size()}) {
      EXPECT_EQ(Parse(bytes, step).refused, status) << "in steps of " << step << ": " << bytes;
    }
  }
}

// The outcome of damaged bytes does not depend on how the network cuts them, and breaks no
// invariant.
TEST(RequestParser, DamagedRequestsAreReadTheSameInAnyPieces) {
  const std::vector<std::string> seeds = {
      Post("Content-Length: 3\r\n", "abc"),
      Post("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n2;e=\"q\"\r\nde\r\n0\r\nX: y\r\n\r\n"),
      "GET /a%20b?c=d&e HTTP/1.1\r\nHost: h\r\nConnection: upgrade, close\r\n\r\n"};
  const std::string alphabet = "\r\n :;,=\"09afx%\t/?" + std::string("\0\xff", 2);
  std::mt19937 random(7);
  const auto below = [&random](std::size_t end) { return random() % end; };
  int refused = 0;
  int done = 0;
  for (int round = 0; round < 5'0000; ++round) {
    std::string bytes = seeds[below(seeds.size())];
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(bytes.size());
      switch (below(4)) {
        case 0:
          bytes[at] = alphabet[below(alphabet.size())];
          break;
        case 1:
          bytes.insert(at, 1, alphabet[below(alphabet.size())]);
          break;
        case 2:
          bytes.erase(at, 1 + below(3));
          break;
        case 3:
          bytes.insert(at, bytes.substr(below(bytes.size()), below(30)));
          break;
      }
      if (bytes.empty()) bytes = "\r";
    }
    const Outcome whole = Parse(bytes, bytes.size());
    const Outcome pieces = Parse(bytes, 1 + below(4));
    ASSERT_EQ(whole.refused, pieces.refused) << bytes;
    ASSERT_EQ(whole.done, pieces.done) << bytes;
    if (whole.refused == 0) ASSERT_EQ(whole.body, pieces.body) << bytes;
    refused += whole.refused != 0 ? 1 : 0;
    done += whole.done && whole.refused == 0 ? 1 : 0;
  }
  EXPECT_GT(refused, 500);
  EXPECT_GT(done, 500);
}

TEST(RequestParser, TrailersAreNoHeaders) {
  RequestParser parser(kLimits);
  std::string bytes =
      Post("Transfer-Encoding: chunked\r\n", "0\r\nX-Nomad-Token: root\r\nHost: x\r\n\r\n");
  while (const std::size_t taken = parser.Put(bytes)) bytes.erase(0, taken);
  EXPECT_TRUE(parser.done());
  EXPECT_FALSE(parser.refusal().has_value());
  EXPECT_EQ(parser.request().Header("X-Nomad-Token"), nullptr);
}

TEST(RequestParser, TheLengthOfABodyIsKnownBeforeItIsRead) {
  RequestParser counted(kLimits), chunked(kLimits);
  const std::string head = Post("Content-Length: 3000\r\n", "");
  EXPECT_EQ(counted.Put(head), head.size());
  EXPECT_EQ(counted.body_length(), 3000u);
  EXPECT_GT(chunked.Put(Post("Transfer-Encoding: chunked\r\n", "")), 0u);
  EXPECT_EQ(chunked.body_length(), std::nullopt);
}

}  // namespace
}  // namespace drover
