// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Time limits: slow clients, clients that leave, and a server that stops. Tests set short times
// where the server must act. Otherwise the default is minutes, or the test is not about that time.
#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <string>

#include "host/http/http_connection.h"
#include "host/http/http_test_client.h"

namespace drover {
namespace {

constexpr const char* kGet = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

// A handler that waits until its context has ended, and reports why.
struct Waiter {
  std::promise<void> began;
  std::promise<std::string> ended;

  HttpHandler Handler() {
    return [this](HttpExchange* exchange) { return Wait(this, exchange); };
  }
  static Co<void> Wait(Waiter* waiter, HttpExchange* exchange) {
    waiter->began.set_value();
    co_await exchange->context().Cancelled();
    HttpReply reply = TextReply(200, "in time");
    (void)co_await exchange->Reply(std::move(reply));
    waiter->ended.set_value(exchange->context().status().error().message());
  }
};

template <typename T>
T Soon(std::promise<T>* promise) {
  std::future<T> future = promise->get_future();
  EXPECT_EQ(future.wait_for(20s), std::future_status::ready);
  if (future.wait_for(0s) != std::future_status::ready) std::abort();  // the server cannot stop
  return future.get();
}

TEST(HttpLimits, ASlowHeadIs408) {
  HttpServerOptions options;
  options.header_time = 100ms;
  const auto server = StartTestServer(options, nullptr);
  HttpTestClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: loc");
  EXPECT_EQ(client.ReadAnswer().status, 408);
  EXPECT_EQ(client.ReadAll(), "");
}

TEST(HttpLimits, ASlowBodyIs408) {
  HttpServerOptions options;
  options.body_time = 100ms;
  const auto server = StartTestServer(options, nullptr);
  HttpTestClient client(server->port());
  client.Send("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(client.ReadAnswer().status, 408);
  EXPECT_EQ(client.ReadAll(), "");
}

TEST(HttpLimits, ABodyThatIsRefusedOrNotNeededKeepsNoRoom) {
  HttpServerOptions options;
  options.max_total_body_bytes = options.max_body_bytes;
  options.max_total_small_body_bytes = options.small_body_bytes;
  options.wants_body = [](const HttpRequest& request, Loop*) -> Result<bool> {
    EXPECT_NE(request.client, "");
    if (request.path == "/open") return false;
    if (request.path == "/often") return Error(Code::kResourceExhausted, "too often");
    if (request.Header("X-Key") != nullptr) return true;
    return Error(Code::kPermissionDenied, "you have no key");
  };
  const auto server = StartTestServer(options, [](HttpExchange* exchange) -> Co<void> {
    HttpReply reply = TextReply(200, exchange->request().body);
    (void)co_await exchange->Reply(std::move(reply));
  });
  const std::string head = "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ";
  HttpTestClient stranger(server->port());
  stranger.Send(head + std::to_string(options.max_body_bytes) + "\r\n\r\na");
  const auto refused = stranger.ReadAnswer();
  EXPECT_EQ(refused.status, 403);
  EXPECT_NE(refused.body.find("you have no key"), std::string::npos);
  HttpTestClient guesser(server->port());
  guesser.Send("PUT /often HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(guesser.ReadAnswer().status, 429);
  EXPECT_EQ(guesser.ReadAll(), "") << "the connection is closed";
  // These are still to send what they have announced.
  HttpTestClient open_large(server->port()), open_small(server->port());
  const std::string open = "GET /open HTTP/1.1\r\nHost: localhost\r\nContent-Length: ";
  open_large.Send(open + std::to_string(options.max_body_bytes) + "\r\n\r\na");
  open_small.Send(open + std::to_string(options.small_body_bytes) + "\r\n\r\na");
  HttpTestClient friendly(server->port());
  friendly.Send(head + "5\r\nX-Key: 1\r\n\r\nhello");
  EXPECT_EQ(friendly.ReadAnswer().body, "hello");
  const std::string large(options.max_body_bytes, 'x');
  friendly.Send(head + std::to_string(large.size()) + "\r\nX-Key: 1\r\n\r\n" + large);
  EXPECT_EQ(friendly.ReadAnswer().body.size(), large.size());
  open_small.Send(std::string(options.small_body_bytes - 1, 'a'));
  EXPECT_EQ(open_small.ReadAnswer().body, "") << "the handler sees none";
}

TEST(HttpLimits, ABodyKeepsNoRoomOnceItsAnswerHasBegun) {
  HttpServerOptions options;
  options.max_total_body_bytes = options.max_body_bytes;
  const auto server = StartTestServer(options, [](HttpExchange* exchange) -> Co<void> {
    HttpReply head = TextReply(200, "");
    if (exchange->request().path == "/stream") {
      const Status begun = co_await exchange->StartStream(std::move(head));
      EXPECT_TRUE(begun.ok());
      EXPECT_EQ(exchange->request().body, "");
      co_await exchange->context().Cancelled();
    } else {
      (void)co_await exchange->Reply(std::move(head));
    }
  });
  const std::string body(options.max_body_bytes, 'x');
  const std::string rest =
      " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) +
      "\r\n\r\n" + body;
  HttpTestClient follower(server->port());
  follower.Send("PUT /stream" + rest);
  follower.ReadUntil("\r\n\r\n");
  HttpTestClient other(server->port());
  other.Send("PUT /" + rest);
  EXPECT_EQ(other.ReadAnswer().status, 200);
}

TEST(HttpLimits, AnIdleConnectionIsClosed) {
  HttpServerOptions options;
  options.idle_time = 100ms;
  const auto server = StartTestServer(options, nullptr);
  HttpTestClient client(server->port());
  EXPECT_EQ(client.ReadAll(), "");
}

TEST(HttpLimits, TheContextEndsWhenTheClientGoes) {
  for (const bool reset : {false, true}) {
    Waiter waiter;
    const auto server = StartTestServer(HttpServerOptions(), waiter.Handler());
    HttpTestClient client(server->port());
    client.Send(kGet);
    Soon(&waiter.began);
    const linger at_once{1, 0};
    if (reset) setsockopt(client.fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    client.Close();
    EXPECT_EQ(Soon(&waiter.ended), "the client has gone");
  }
}

TEST(HttpLimits, AClientThatOnlyEndsItsSideIsAnswered) {
  Waiter waiter;
  const auto server = StartTestServer(HttpServerOptions(), waiter.Handler());
  HttpTestClient client(server->port());
  client.Send(kGet);
  client.ShutdownSend();
  EXPECT_TRUE(client.ReadAll().ends_with("in time"));
  Soon(&waiter.ended);
}

// Writes until it fails.
Co<void> Flood(std::promise<Error>* failed, HttpExchange* exchange) {
  HttpReply head;
  Status status = co_await exchange->StartStream(std::move(head));
  while (status.ok()) {
    std::string block(100'000, 'x');
    status = co_await exchange->Write(std::move(block));
  }
  EXPECT_TRUE(exchange->context().cancelled());
  failed->set_value(status.error());
}

TEST(HttpLimits, AClientThatDoesNotReadIsCutOff) {
  std::promise<Error> failed;
  HttpServerOptions options;
  options.write_stall = 200ms;
  const auto server =
      StartTestServer(options, [&](HttpExchange* exchange) { return Flood(&failed, exchange); });
  HttpTestClient client(server->port(), 4096);
  client.Send(kGet);
  const Error error = Soon(&failed);
  EXPECT_EQ(error.code(), Code::kUnavailable);
  EXPECT_EQ(error.message(), "the client does not read");
}

TEST(HttpLimits, AStreamEndsWhenItsClientGoes) {
  std::promise<Error> failed;
  const auto server = StartTestServer(
      HttpServerOptions(), [&](HttpExchange* exchange) { return Flood(&failed, exchange); });
  HttpTestClient client(server->port());
  client.Send(kGet);
  client.ReadUntil("xxx");
  client.Close();
  EXPECT_EQ(Soon(&failed).message(), "the client has gone");
}

TEST(HttpLimits, StopEndsWaitingHandlersAndTheirAnswersArrive) {
  Waiter waiter;
  HttpServerOptions options;
  options.linger_time = 50ms;
  const auto server = StartTestServer(options, waiter.Handler());
  HttpTestClient client(server->port());
  HttpTestClient idle(server->port());
  client.Send(kGet);
  Soon(&waiter.began);
  server->Stop();
  EXPECT_EQ(Soon(&waiter.ended), "the server stops");
  EXPECT_TRUE(client.ReadAll().ends_with("in time"));
  EXPECT_EQ(idle.ReadAll(), "");
}

TEST(HttpLimits, StopCutsOffAClientThatDoesNotRead) {
  std::promise<Error> failed;
  HttpServerOptions options;
  options.stop_time = 50ms;
  const auto server =
      StartTestServer(options, [&](HttpExchange* exchange) { return Flood(&failed, exchange); });
  HttpTestClient client(server->port(), 4096);
  client.Send(kGet);
  client.ReadUntil("\r\n\r\n");
  server->Stop();  // write_stall is longer than the test's own limit
  EXPECT_EQ(Soon(&failed).code(), Code::kUnavailable);
}

TEST(HttpLimits, NothingIsLeftBehind) {
  const long connections = HttpConnection::live();
  const long contexts = Context::live();
  {
    Waiter waiter;
    const auto server = StartTestServer(HttpServerOptions(), waiter.Handler());
    HttpTestClient waiting(server->port());
    HttpTestClient half(server->port());
    waiting.Send(kGet);
    half.Send("GET / HT");
    Soon(&waiter.began);
    EXPECT_GE(HttpConnection::live(), connections + 1);
  }
  EXPECT_EQ(HttpConnection::live(), connections);
  EXPECT_EQ(Context::live(), contexts);
}

}  // namespace
}  // namespace drover
