// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/http_socket_server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <thread>
#include <vector>

#include "host/base/directory_for_test.h"
#include "host/http/http_test_client.h"

namespace drover {
namespace {

Co<void> SayClient(HttpExchange* exchange) {
  HttpReply reply;
  reply.body = exchange->request().client;
  if (exchange->request().path == "/wait") co_await exchange->context().Cancelled();
  (void)co_await exchange->Reply(std::move(reply));
}

// Trusts the client. The answer to a request for /follow goes on until somebody leaves.
Co<void> Trusting(HttpExchange* exchange) {
  exchange->Trust();
  HttpReply reply;
  if (exchange->request().path == "/follow") {
    (void)co_await exchange->StartStream(std::move(reply));
    co_await exchange->context().Cancelled();
  } else {
    (void)co_await exchange->Reply(std::move(reply));
  }
}

class HttpSocketServerTest : public ::testing::Test {
 protected:
  UniqueFd Listen(const std::string& name) {
    UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    Path(name).copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(fd.get(), 64), 0);
    return fd;
  }
  std::string Path(const std::string& name) const { return dir_.path() + "/" + name; }
  static std::string Get(const std::string& path) {
    return "GET " + path + " HTTP/1.1\r\nHost: any.example\r\n\r\n";
  }
  std::string Ask(const std::string& name) {
    HttpTestClient client(Path(name));
    if (!client.connected()) return "refused";
    client.Send(Get("/"));
    return client.ReadAnswer().body;
  }

  const DirectoryForTest dir_;
};

TEST_F(HttpSocketServerTest, ServesManySocketsAndSaysWhoseTheyAre) {
  const auto server = HttpSocketServer::Start(HttpServerOptions(), SayClient);
  std::vector<std::unique_ptr<HttpSocketServer::Served>> all;
  for (int i = 0; i < 50; ++i) {
    all.push_back(server->Serve(Listen(std::to_string(i)), "client " + std::to_string(i)));
  }
  for (int i = 0; i < 50; ++i) EXPECT_EQ(Ask(std::to_string(i)), "client " + std::to_string(i));
}

TEST_F(HttpSocketServerTest, ASocketEndsAloneWithItsConnections) {
  const auto server = HttpSocketServer::Start(HttpServerOptions(), SayClient);
  auto one = server->Serve(Listen("one"), "a");
  const auto other = server->Serve(Listen("other"), "b");
  HttpTestClient waiting(Path("one")), idle(Path("one")), stays(Path("other"));
  waiting.Send(Get("/wait"));
  idle.Send(Get("/"));
  EXPECT_EQ(idle.ReadAnswer().body, "a");
  one.reset();
  (void)waiting.ReadAll();
  EXPECT_EQ(idle.ReadAll(), "");
  EXPECT_EQ(Ask("one"), "refused");
  stays.Send(Get("/"));
  EXPECT_EQ(stays.ReadAnswer().body, "b");
}

TEST_F(HttpSocketServerTest, TooManyConnectionsOfOneClientConcernItAlone) {
  HttpServerOptions options;
  options.max_connections_per_client = 4;
  const auto server = HttpSocketServer::Start(options, SayClient);
  const auto one = server->Serve(Listen("one"), "a");
  const auto other = server->Serve(Listen("other"), "b");
  std::vector<std::unique_ptr<HttpTestClient>> held;
  for (int i = 0; i < 30; ++i) held.push_back(std::make_unique<HttpTestClient>(Path("one")));
  EXPECT_EQ(Ask("other"), "b");
  EXPECT_EQ(Ask("one"), "a") << "the oldest one gives way";
  int closed = 0;
  for (int i = 0; i < 20; ++i) closed += held[static_cast<std::size_t>(i)]->ReadSome().empty();
  EXPECT_EQ(closed, 20);
}

TEST_F(HttpSocketServerTest, AGroupWithAllConnectionsMakesRoomForAnother) {
  HttpServerOptions options;
  options.max_connections = 4;
  const auto server = HttpSocketServer::Start(options, Trusting);
  const auto one = server->Serve(Listen("one"), "a1", "a");
  const auto two = server->Serve(Listen("two"), "a2", "a");
  const auto other = server->Serve(Listen("other"), "b", "b");
  HttpTestClient follower(Path("one"));
  follower.Send(Get("/follow"));
  follower.ReadUntil("\r\n\r\n");
  std::deque<HttpTestClient> idle, guests;
  const auto ask = [&](std::deque<HttpTestClient>* clients, const char* name) {
    clients->emplace_back(Path(name)).Send(Get("/"));
    EXPECT_EQ(clients->back().ReadAnswer().status, 200);
  };
  for (const char* name : {"one", "two", "two"}) ask(&idle, name);
  for (std::size_t i = 0; i < 2; ++i) {
    ask(&guests, "other");
    EXPECT_EQ(idle[i].ReadAll(), "") << "the oldest one that waits for a request";
  }
  HttpTestClient third(Path("other"));
  EXPECT_EQ(third.ReadAll(), "") << "both groups have two";
  for (HttpTestClient* stays : {&idle[2], &guests[0], &guests[1]}) {
    stays->Send(Get("/"));
    EXPECT_EQ(stays->ReadAnswer().status, 200);
  }
  char byte = 0;
  EXPECT_EQ(recv(follower.fd(), &byte, 1, MSG_DONTWAIT), -1) << "it is still open";
}

TEST_F(HttpSocketServerTest, WhoConnectsAgainAndAgainIsSlowedDownAlone) {
  const auto server = HttpSocketServer::Start(HttpServerOptions(), SayClient);
  const auto one = server->Serve(Listen("one"), "a");
  const auto other = server->Serve(Listen("other"), "b");
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 300; ++i) ASSERT_EQ(Ask("one"), "a");
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(200));
  EXPECT_EQ(Ask("other"), "b");
}

TEST_F(HttpSocketServerTest, StopsWithWhatIsOpen) {
  auto server = HttpSocketServer::Start(HttpServerOptions(), SayClient);
  const auto served = server->Serve(Listen("one"), "a");
  HttpTestClient waiting(Path("one"));
  waiting.Send(Get("/wait"));
  EXPECT_EQ(Ask("one"), "a");
  server->Stop();
  (void)waiting.ReadAll();
  EXPECT_EQ(Ask("one"), "refused");
  const auto late = server->Serve(Listen("two"), "a");
  server.reset();  // SERVED and LATE outlive it
}

TEST_F(HttpSocketServerTest, WhatIsNoSocketHarmsNobody) {
  const auto server = HttpSocketServer::Start(HttpServerOptions(), SayClient);
  const auto none = server->Serve(UniqueFd(), "a");
  const auto one = server->Serve(Listen("one"), "a");
  EXPECT_EQ(Ask("one"), "a");
}

}  // namespace
}  // namespace drover
