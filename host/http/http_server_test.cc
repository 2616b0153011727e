// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/http_server.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "host/http/gzip_test_decoder.h"
#include "host/http/http_test_client.h"

namespace drover {
namespace {

// A handler that answers with the request.
Co<void> Echo(HttpExchange* exchange) {
  const HttpRequest& request = exchange->request();
  if (request.path == "/nothing") co_return;
  if (request.path == "/throw") throw std::runtime_error("broken");
  HttpReply reply;
  if (request.path.starts_with("/stream")) {
    (void)co_await exchange->StartStream(std::move(reply));
    (void)co_await exchange->Write("one,");
    if (request.path == "/stream/throw") throw std::runtime_error("broken");
    if (request.path == "/stream/endless") {
      const std::string piece(10'000, 'x');
      while ((co_await exchange->Write(piece)).ok()) {
      }
      co_return;
    }
    const auto piece = std::make_shared<const SharedPiece>("two");
    (void)co_await exchange->WriteShared(piece);
    co_return;
  }
  if (request.path == "/none") reply.status = 204;
  if (request.path == "/large") reply.body = std::string(100'000, 'x');
  reply.headers = {{"X-Path", request.path}};
  if (request.path == "/packed") reply.headers.emplace_back("Content-Encoding", "br");
  reply.body += request.method + " " + request.body;
  const Status sent = co_await exchange->Reply(std::move(reply));
  HttpReply second;
  const Status twice = co_await exchange->Reply(std::move(second));
  EXPECT_EQ(twice.code(), Code::kFailedPrecondition);
}

std::unique_ptr<HttpServer> StartEcho() { return StartTestServer(HttpServerOptions(), Echo); }

std::string Get(const std::string& path, const std::string& headers = "") {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n";
}

TEST(HttpServer, SaysToItsHandlerWhoTheClientIs) {
  const auto server = StartTestServer(HttpServerOptions(), [](HttpExchange* exchange) -> Co<void> {
    HttpReply reply;
    reply.body = exchange->request().client;
    (void)co_await exchange->Reply(std::move(reply));
  });
  HttpTestClient one(server->port()), other(server->port());
  one.Send(Get("/"));
  other.Send(Get("/"));
  const std::string name = one.ReadAnswer().body;
  EXPECT_NE(name, "");
  EXPECT_EQ(other.ReadAnswer().body, name) << "both are of one user of this machine";
}

TEST(HttpServer, AnswersGetAndPostOnOneConnection) {
  const auto server = StartEcho();
  HttpTestClient client(server->port());
  client.Send(Get("/a?x=1"));
  auto answer = client.ReadAnswer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "GET ");
  EXPECT_TRUE(answer.Has("X-Path: /a\r\n")) << answer.head;
  EXPECT_TRUE(answer.Has("Content-Type: application/json\r\n"));
  EXPECT_FALSE(answer.Has("Server:"));
  client.Send("POST /b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(client.ReadAnswer().body, "POST hello");
  client.Send(
      "PUT /c HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().body, "PUT abcde");
}

TEST(HttpServer, StreamsChunks) {
  const auto server = StartEcho();
  HttpTestClient client(server->port());
  client.Send(Get("/stream") + Get("/after"));
  EXPECT_EQ(client.ReadAnswer().body, "one,two");
  EXPECT_EQ(client.ReadAnswer().body, "GET ");
}

TEST(HttpServer, AHandlerThatFailsIs500) {
  const auto server = StartEcho();
  HttpTestClient client(server->port());
  client.Send(Get("/nothing"));
  auto answer = client.ReadAnswer();
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body, "internal error: no answer was given");
  client.Send(Get("/throw"));
  answer = client.ReadAnswer();
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body, "internal error: broken");
}

TEST(HttpServer, AStreamThatFailsIsCutShort) {
  const auto server = StartEcho();
  HttpTestClient client(server->port());
  client.Send(Get("/stream/throw"));
  const std::string all = client.ReadAll();
  EXPECT_TRUE(all.ends_with("one,\r\n")) << all;
}

TEST(HttpServer, HeadAndEmptyAnswersHaveNoBody) {
  const auto server = StartEcho();
  HttpTestClient client(server->port());
  client.Send("HEAD /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(client.ReadAnswer(false).Has("Content-Length: 5\r\n"));
  client.Send("HEAD /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(client.ReadAnswer(false).Has("Transfer-Encoding: chunked\r\n"));
  client.Send(Get("/none"));
  const auto none = client.ReadAnswer(false);
  EXPECT_EQ(none.status, 204);
  EXPECT_FALSE(none.Has("\r\nContent-"));
  client.Send(Get("/after"));
  EXPECT_EQ(client.ReadAnswer().body, "GET ");
}

TEST(HttpServer, NothingIsProducedForAnAnswerWithoutABody) {
  const auto server = StartEcho();
  HttpTestClient client(server->port());
  client.Send("HEAD /stream/endless HTTP/1.1\r\nHost: localhost\r\n\r\n" + Get("/after"));
  EXPECT_TRUE(client.ReadAnswer(false).Has("Transfer-Encoding: chunked\r\n"));
  EXPECT_EQ(client.ReadAnswer().body, "GET ");
}

TEST(HttpServer, AnEndlessAnswerEndsWithTheServer) {
  HttpServerOptions options;
  options.stop_time = 50ms;
  auto server = StartTestServer(options, Echo);
  HttpTestClient client(server->port());
  client.Send(Get("/stream/endless"));
  std::string all;
  std::thread reader([&] { all = client.ReadAll(); });
  server.reset();
  reader.join();
  EXPECT_FALSE(all.ends_with("0\r\n\r\n"));
}

TEST(HttpServer, PipelinedRequestsAreAnsweredInOrder) {
  const auto server = StartEcho();
  HttpTestClient client(server->port());
  constexpr int kRequests = 2000;
  // A thread of its own writes them, as they are more than the buffers in between hold.
  std::thread writer([&client] {
    for (int i = 0; i < kRequests; ++i) client.Send(Get("/" + std::to_string(i)));
  });
  for (int i = 0; i < kRequests; ++i) {
    ASSERT_TRUE(client.ReadAnswer().Has("X-Path: /" + std::to_string(i) + "\r\n")) << i;
  }
  writer.join();
}

TEST(HttpServer, AClientThatExpectsIsToldToContinue) {
  const auto server = StartEcho();
  HttpTestClient client(server->port());
  const std::string head = "PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n";
  client.Send(head + "Expect: 100-Continue\r\n\r\n");
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("ok");
  EXPECT_EQ(client.ReadAnswer().body, "PUT ok");
  client.Send(head + "Expect: 200-maybe\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().status, 417);
}

TEST(HttpServer, OldClientsGetNoChunksAndTheEnd) {
  const auto server = StartEcho();
  HttpTestClient client(server->port());
  client.Send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const std::string all = client.ReadAll();
  EXPECT_TRUE(all.ends_with("\r\n\r\none,two")) << all;
  EXPECT_EQ(all.find("chunked"), all.npos);
}

TEST(HttpServer, ClosesWhenAsked) {
  const auto server = StartEcho();
  HttpTestClient client(server->port());
  client.Send(Get("/a", "Connection: close\r\n"));
  EXPECT_TRUE(client.ReadAnswer().Has("Connection: close\r\n"));
  EXPECT_EQ(client.ReadAll(), "");
}

TEST(HttpServer, CompressesForWhomWantsIt) {
  const auto server = StartEcho();
  HttpTestClient client(server->port());
  const std::string accept = "Accept-Encoding: gzip\r\n";
  client.Send(Get("/large", accept));
  auto answer = client.ReadAnswer();
  bool whole = false;
  EXPECT_TRUE(answer.Has("Content-Encoding: gzip\r\n"));
  EXPECT_TRUE(answer.Has("Vary: Accept-Encoding\r\n"));
  EXPECT_LT(answer.body.size(), 2000u);
  EXPECT_EQ(Gunzip(answer.body, &whole), std::string(100'000, 'x') + "GET ");
  EXPECT_TRUE(whole);
  client.Send(Get("/stream", accept));
  answer = client.ReadAnswer();
  EXPECT_TRUE(answer.Has("Content-Encoding: gzip\r\n"));
  EXPECT_EQ(Gunzip(answer.body, &whole), "one,two");
  EXPECT_TRUE(whole);
  for (const std::string& plain : {Get("/large"), Get("/small", accept), Get("/packed", accept)}) {
    client.Send(plain);
    EXPECT_FALSE(client.ReadAnswer().Has("gzip")) << plain;
  }
}

TEST(HttpServer, TricksOfBrowsersAreRefused) {
  const auto server = StartEcho();
  for (const char* bad : {"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
                          "POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n"
                          "Content-Length: 1\r\n\r\nx"}) {
    HttpTestClient client(server->port());
    client.Send(bad);
    EXPECT_EQ(client.ReadAnswer().status, 403) << bad;
    EXPECT_EQ(client.ReadAll(), "") << bad;
  }
}

TEST(HttpServer, AnAddressThatIsTakenIsAnError) {
  const auto server = StartEcho();
  HttpServerOptions options;
  options.port = server->port();
  const auto second = HttpServer::Start(options, Echo);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message().find("Address already in use"), std::string::npos);
  options.address = "localhost";
  EXPECT_EQ(HttpServer::Start(options, Echo).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace drover
