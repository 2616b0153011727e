// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/http_client.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "engine/fake_engine_for_test.h"
#include "engine/response_parser.h"

namespace drover_docker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

HttpRequest Get(const std::string& target) {
  HttpRequest out;
  out.target = target;
  return out;
}

HttpLimits Short() {
  HttpLimits out;
  out.connect = out.first_byte = out.silence = milliseconds(200);
  out.total = seconds(20);
  out.max_body = 1000;
  return out;
}

// Returns the error of a request that must fail.
drover::Error FailureOf(const FakeEngine& engine, const HttpLimits& limits = Short(),
                        const CancelToken& cancel = {}) {
  const HttpClient client(engine.address());
  try {
    client.Send(Get("/x"), limits, cancel);
  } catch (const drover::Error& error) {
    return error;
  }
  ADD_FAILURE() << "the request succeeded";
  return drover::Error(drover::Code::kInternal, "");
}

TEST(HttpClientTest, KeepsAConnectionForTheNextRequest) {
  FakeEngine engine([](const FakeEngine::Request& request, FakeEngine::Peer& peer) {
    peer.Answer(200, request.target);
  });
  const HttpClient client(engine.address());
  for (int i = 0; i < 5; ++i) {
    const std::string target = "/" + std::to_string(i);
    EXPECT_EQ(client.Send(Get(target), HttpLimits(), {}).body, target);
  }
  EXPECT_EQ(engine.connections(), 1);
}

TEST(HttpClientTest, ConnectsAgainWhenAKeptConnectionWasClosed) {
  FakeEngine engine([](const FakeEngine::Request&, FakeEngine::Peer& peer) {
    peer.Answer(200, "x");
    peer.Close();
  });
  const HttpClient client(engine.address());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.Send(Get("/x"), HttpLimits(), {}).body, "x");
}

TEST(HttpClientTest, SendsABodyFromADescriptorInChunks) {
  std::string got;
  FakeEngine engine([&](const FakeEngine::Request& request, FakeEngine::Peer& peer) {
    got = request.body;
    peer.Answer(200, "");
  });
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const std::string sent(100000, 'z');
  std::thread writer([&] {
    EXPECT_EQ(::write(pipe[1], sent.data(), sent.size()), static_cast<ssize_t>(sent.size()));
    ::close(pipe[1]);
  });
  HttpRequest request = Get("/x");
  request.method = "POST";
  request.body_fd = pipe[0];
  const HttpClient client(engine.address());
  EXPECT_EQ(client.Send(request, HttpLimits(), {}).head.status, 200);
  writer.join();
  ::close(pipe[0]);
  EXPECT_EQ(got, sent);
}

TEST(HttpClientTest, ReportsAnEngineThatIsNotThere) {
  FakeEngine engine([](const FakeEngine::Request&, FakeEngine::Peer&) {});
  engine.Stop();
  const drover::Error error = FailureOf(engine);
  EXPECT_EQ(error.code(), drover::Code::kUnavailable);
  EXPECT_TRUE(error.recoverable());
  EXPECT_NE(error.message().find("No such file"), std::string::npos) << error.message();
}

TEST(HttpClientTest, EndsARequestToAnEngineThatHangs) {
  FakeEngine engine([](const FakeEngine::Request&, FakeEngine::Peer& peer) { peer.AwaitClose(); });
  const drover::Error error = FailureOf(engine);
  EXPECT_EQ(error.code(), drover::Code::kTimeout);
  EXPECT_NE(error.message().find("200 ms"), std::string::npos) << error.message();
}

TEST(HttpClientTest, EndsARequestWhoseBodyStandsStill) {
  FakeEngine engine([](const FakeEngine::Request&, FakeEngine::Peer& peer) {
    peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc");
    peer.AwaitClose();
  });
  EXPECT_EQ(FailureOf(engine).code(), drover::Code::kTimeout);
}

TEST(HttpClientTest, LimitsTheWholeTimeOfASlowAnswer) {
  FakeEngine engine([](const FakeEngine::Request&, FakeEngine::Peer& peer) {
    peer.BeginChunks();
    while (peer.Chunk("x")) std::this_thread::sleep_for(milliseconds(5));
    peer.Close();
  });
  HttpLimits limits = Short();
  limits.silence = seconds(10);
  limits.total = milliseconds(300);
  limits.max_body = 1 << 20;
  EXPECT_EQ(FailureOf(engine, limits).code(), drover::Code::kTimeout);
}

TEST(HttpClientTest, EndsAtOnceWhenCancelled) {
  std::atomic<bool> asked{false};
  FakeEngine engine([&](const FakeEngine::Request&, FakeEngine::Peer& peer) {
    asked = true;
    peer.AwaitClose();
  });
  const CancelToken cancel;
  std::thread canceller([&] {
    EXPECT_TRUE(Eventually([&] { return asked.load(); }));
    cancel.Cancel();
  });
  HttpLimits limits;
  limits.first_byte = limits.total = seconds(60);
  const auto begin = steady_clock::now();
  EXPECT_EQ(FailureOf(engine, limits, cancel).code(), drover::Code::kCancelled);
  EXPECT_LT(steady_clock::now() - begin, seconds(30));
  canceller.join();
}

TEST(HttpClientTest, CloseEndsRequests) {
  std::atomic<bool> asked{false};
  FakeEngine engine([&](const FakeEngine::Request&, FakeEngine::Peer& peer) {
    asked = true;
    peer.AwaitClose();
  });
  HttpClient client(engine.address());
  std::thread closer([&] {
    EXPECT_TRUE(Eventually([&] { return asked.load(); }));
    client.Close();
  });
  EXPECT_THROW(client.Send(Get("/x"), HttpLimits(), {}), drover::Error);
  closer.join();
  EXPECT_THROW(client.Send(Get("/x"), HttpLimits(), {}), drover::Error);
}

// What an engine may answer that is wrong, and a word of the message.
struct Lie {
  const char* answer;
  const char* word;
};

class LyingEngineTest : public testing::TestWithParam<Lie> {};

TEST_P(LyingEngineTest, IsAnErrorWithAReason) {
  FakeEngine engine([&](const FakeEngine::Request&, FakeEngine::Peer& peer) {
    peer.Send(GetParam().answer);
    peer.Close();
  });
  const drover::Error error = FailureOf(engine);
  EXPECT_NE(error.message().find(GetParam().word), std::string::npos) << error.message();
}

INSTANTIATE_TEST_SUITE_P(
    Lies, LyingEngineTest,
    testing::Values(
        Lie{"", "closed the connection"}, Lie{"SSH-2.0-OpenSSH\r\n\r\n", "HTTP"},
        Lie{"HTTP/1.1 abc OK\r\n\r\n", "HTTP"},
        Lie{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "closed the connection"},
        Lie{"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na", "HTTP"},
        Lie{"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n" /* more than max_body */, "closed"},
        Lie{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", "closed"},
        Lie{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "chunks"},
        Lie{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n", "chunks"},
        Lie{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
            "chunks"},
        Lie{"HTTP/1.1 101 Switching\r\nUpgrade: tcp\r\n\r\n", "final"}));

TEST(HttpClientTest, RefusesEndlessHeaders) {
  FakeEngine engine([](const FakeEngine::Request&, FakeEngine::Peer& peer) {
    const std::string header = "X-Filler: " + std::string(1000, 'x') + "\r\n";
    bool more = peer.Send("HTTP/1.1 200 OK\r\n");
    while (more) more = peer.Send(header);
    peer.Close();
  });
  const drover::Error error = FailureOf(engine);
  EXPECT_NE(error.message().find("64 KiB"), std::string::npos) << error.message();
}

TEST(HttpClientTest, RefusesEndlessInterimAnswers) {
  FakeEngine engine([](const FakeEngine::Request&, FakeEngine::Peer& peer) {
    while (peer.Send("HTTP/1.1 100 Continue\r\n\r\n")) {
    }
    peer.Close();
  });
  EXPECT_NE(FailureOf(engine).message().find("final"), std::string::npos);
}

TEST(HttpClientTest, RefusesAnEndlessBody) {
  FakeEngine engine([](const FakeEngine::Request&, FakeEngine::Peer& peer) {
    bool more = peer.BeginChunks();
    while (more) more = peer.Chunk(std::string(500, 'x'));
    peer.Close();
  });
  EXPECT_EQ(FailureOf(engine).code(), drover::Code::kResourceExhausted);
}

TEST(HttpClientTest, StreamsPiecesAndStopsWhenTold) {
  FakeEngine engine([](const FakeEngine::Request&, FakeEngine::Peer& peer) {
    bool more = peer.BeginChunks();
    while (more) more = peer.Chunk("0123456789");
    peer.Close();
  });
  const HttpClient client(engine.address());
  std::string got;
  client.Stream(Get("/x"), HttpLimits(), {}, [&](std::string_view piece) {
    got += piece;
    return got.size() < 1000;
  });
  EXPECT_GE(got.size(), 1000u);
}

TEST(HttpClientTest, HijacksAConnection) {
  FakeEngine engine([](const FakeEngine::Request&, FakeEngine::Peer& peer) {
    peer.Send("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\nfirst");
    std::string all;
    for (std::string piece = peer.Read(); !piece.empty(); piece = peer.Read()) all += piece;
    peer.Send("<" + all + ">");
    peer.Close();
  });
  const HttpClient client(engine.address());
  HttpRequest request = Get("/x");
  request.method = "POST";
  const HttpClient::Hijacked hijacked = client.Hijack(request, HttpLimits(), {});
  ASSERT_NE(hijacked.stream, nullptr);
  hijacked.stream->Write("some input", {});
  hijacked.stream->CloseWrite();
  std::string got;
  char buffer[100];
  while (const std::size_t size = hijacked.stream->Read(buffer, sizeof buffer, {})) {
    got.append(buffer, size);
  }
  EXPECT_EQ(got, "first<some input>");
}

TEST(HttpClientTest, AHijackThatIsRefusedHasItsReason) {
  FakeEngine engine([](const FakeEngine::Request&, FakeEngine::Peer& peer) {
    peer.Answer(409, R"({"message":"is not running"})");
  });
  const HttpClient client(engine.address());
  const HttpClient::Hijacked hijacked = client.Hijack(Get("/x"), HttpLimits(), {});
  EXPECT_EQ(hijacked.stream, nullptr);
  EXPECT_EQ(hijacked.response.head.status, 409);
  EXPECT_NE(hijacked.response.body.find("not running"), std::string::npos);
}

TEST(ResponseParserTest, PiecesMayEndAnywhere) {
  const std::string answer =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5;ext=1\r\nhello\r\n7\r\n, world\r\n0\r\nTrailer: x\r\n\r\n";
  for (std::size_t size = 1; size <= answer.size(); ++size) {
    ResponseParser parser;
    std::string body;
    for (std::size_t at = 0; at < answer.size(); at += size) {
      std::string_view bytes = std::string_view(answer).substr(at, size);
      while (!bytes.empty() && !parser.done() && parser.mistake().empty()) {
        std::string_view piece;
        bytes.remove_prefix(parser.Put(bytes, &piece));
        body += piece;
      }
    }
    EXPECT_TRUE(parser.done()) << size << parser.mistake();
    EXPECT_EQ(body, "hello, world");
    EXPECT_TRUE(parser.keep_alive());
  }
}

TEST(AddressTest, ParsesAndRefuses) {
  EXPECT_EQ(EngineAddress::Parse("unix:///run/docker.sock").path, "/run/docker.sock");
  const EngineAddress tcp = EngineAddress::Parse("tcp://host:1234");
  EXPECT_EQ(tcp.host, "host");
  EXPECT_EQ(tcp.port, 1234);
  const EngineAddress v6 = EngineAddress::Parse("tcp://[::1]", {"/ca", "/cert", "/key"});
  EXPECT_EQ(v6.host, "::1");
  EXPECT_EQ(v6.Text(), "tcp://[::1]:2376");
  for (const char* wrong :
       {"", "docker.sock", "unix://relative", "tcp://", "tcp://host:0", "tcp://host:99999",
        "tcp://ho st", "tcp://host:1:2", "https://host", "ftp://host", "tcp://a\r\nb"}) {
    EXPECT_THROW(EngineAddress::Parse(wrong), drover::Error) << wrong;
  }
  EXPECT_THROW(EngineAddress::Parse("unix:///x", {"/ca", "", ""}), drover::Error);
  EXPECT_THROW(EngineAddress::Parse("tcp://h", {"/ca", "/cert", ""}), drover::Error);
}

TEST(RequestTest, RefusesControlCharacters) {
  HttpRequest request = Get("/x");
  request.headers["X-A"] = "a\r\nX-B: b";
  EXPECT_THROW(RequestHead(request, "h", false), drover::Error);
  EXPECT_THROW(RequestHead(Get("/x y"), "h", false), drover::Error);
  EXPECT_EQ(Target("/a", {{"n", "a b&c=/"}}), "/a?n=a%20b%26c%3D%2F");
}

}  // namespace
}  // namespace drover_docker
