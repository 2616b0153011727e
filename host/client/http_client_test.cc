// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/http_client.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "host/base/loop.h"
#include "host/client/scripted_server_for_test.h"
#include "host/http/http_test_client.h"

namespace drover {
namespace {

Co<void> Keep(HttpClient* client, Context context, ClientRequest request,
              std::optional<Result<ClientReply>>* reply) {
  *reply = co_await client->Ask(context, std::move(request));
}

class HttpClientTest : public testing::Test {
 protected:
  void Use(const std::string& address, const std::string& token = "") {
    ClientOptions options;
    options.address = address;
    options.token = token;
    client_ = std::make_unique<HttpClient>(*Endpoint::Create(std::move(options)));
  }
  Result<ClientReply> Ask(ClientRequest request, Duration most = 20s) {
    std::optional<Result<ClientReply>> reply;
    EXPECT_TRUE(loop_.RunToEnd(
        Keep(client_.get(), Context(&loop_).WithTimeout(most), std::move(request), &reply)));
    return *std::move(reply);
  }
  Result<ClientReply> Get(const std::string& path) {
    ClientRequest request;
    request.path = path;
    return Ask(std::move(request));
  }

  RealLoop loop_;
  std::unique_ptr<HttpClient> client_;
};

TEST_F(HttpClientTest, WritesRequests) {
  std::string first, second;
  ScriptedServer server([&](ScriptedPeer* peer, int) {
    first = peer->ReadHead();
    peer->Reply("x");
    second = peer->ReadHead() + peer->ReadExactly(4);
    peer->Reply("y", "X-Nomad-Index: 12\r\n");
  });
  Use(server.address() + "/behind", "secret");
  const std::string host = server.address().substr(std::string("http://").size());
  ClientRequest request;
  request.path = "/v1/jobs";
  request.query = {{"prefix", "a b"}};
  const Result<ClientReply> read = Ask(request);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->body, "x");
  EXPECT_EQ(read->index, 0U);
  request.method = "PUT";
  request.query.clear();
  request.body = "body";
  const Result<ClientReply> written = Ask(request);
  ASSERT_TRUE(written.ok()) << written.error().message();
  EXPECT_EQ(written->body, "y");
  EXPECT_EQ(written->index, 12U);
  EXPECT_EQ(first, "GET /behind/v1/jobs?prefix=a%20b HTTP/1.1\r\nHost: " + host +
                       "\r\nAccept: application/json\r\nX-Nomad-Token: secret\r\n\r\n");
  EXPECT_EQ(second, "PUT /behind/v1/jobs HTTP/1.1\r\nHost: " + host +
                        "\r\nAccept: application/json\r\nContent-Type: application/json\r\n"
                        "Content-Length: 4\r\nX-Nomad-Token: secret\r\n\r\nbody");
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(HttpClientTest, HeadersOfARequestReplaceItsOwn) {
  std::string head;
  ScriptedServer server([&](ScriptedPeer* peer, int) {
    head = peer->ReadHead();
    peer->Reply("");
  });
  Use(server.address(), "secret");
  ClientRequest request;
  request.path = "/v1/jobs";
  request.headers = {{"x-nomad-token", "other"}, {"Accept", "text/plain"}, {"A", "b"}};
  ASSERT_TRUE(Ask(request).ok());
  EXPECT_EQ(head, "GET /v1/jobs HTTP/1.1\r\nHost: " +
                      server.address().substr(std::string("http://").size()) +
                      "\r\nx-nomad-token: other\r\nAccept: text/plain\r\nA: b\r\n\r\n");
}

TEST_F(HttpClientTest, WhoTakesTheHeadGetsEveryAnswer) {
  ScriptedServer server([](ScriptedPeer* peer, int) {
    peer->ReadHead();
    peer->Send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n");
    peer->Send("no");
    peer->Send("job");
  });
  Use(server.address());
  std::string got;
  ClientRequest request;
  request.path = "/v1/job/x";
  request.take = [&](std::string_view some) { got += some; };
  request.take_head = [&](const ReplyHead& head) {
    got += std::to_string(head.status) + " " + head.reason + ": ";
  };
  const Result<ClientReply> reply = Ask(request);
  ASSERT_TRUE(reply.ok()) << reply.error().message();
  EXPECT_EQ(got, "404 Not Found: nojob");
}

TEST_F(HttpClientTest, AsksAgainWhereAKeptConnectionWasClosed) {
  ScriptedServer server([](ScriptedPeer* peer, int number) {
    peer->ReadHead();
    peer->Reply(std::to_string(number));
  });
  Use(server.address());
  for (const char* body : {"0", "1", "2"}) {
    const Result<ClientReply> reply = Get("/");
    ASSERT_TRUE(reply.ok()) << reply.error().message();
    EXPECT_EQ(reply->body, body);
  }
}

// The agent may have carried the request out before it ended.
TEST_F(HttpClientTest, NoChangeIsSentTwice) {
  ScriptedServer server([](ScriptedPeer* peer, int) {
    peer->ReadHead();
    peer->Reply("x");
    peer->ReadHead();
  });
  Use(server.address());
  int connections = 0;
  for (const char* method : {"PUT", "POST", "DELETE"}) {
    ASSERT_TRUE(Get("/").ok());
    ClientRequest request;
    request.method = method;
    request.path = "/";
    const Result<ClientReply> reply = Ask(std::move(request));
    EXPECT_EQ(reply.code(), Code::kUnavailable) << method;
    EXPECT_EQ(reply.error().message(),
              "cannot reach " + server.address() +
                  ": it closed the connection before its answer was complete: it is unknown "
                  "whether the request was carried out: check this before you send it again")
        << method;
    EXPECT_EQ(server.connections(), ++connections) << method;
  }
}

TEST_F(HttpClientTest, AChangeOfWhichNothingWasSentIsSentOverANewConnection) {
  std::promise<void> reset;
  ScriptedServer server([&reset](ScriptedPeer* peer, int number) {
    peer->ReadHead();
    peer->Reply(std::to_string(number));
    if (number > 0) return;
    // Resets the connection.
    sockaddr none{};
    none.sa_family = AF_UNSPEC;
    EXPECT_EQ(connect(peer->fd(), &none, sizeof none), 0);
    reset.set_value();
  });
  Use(server.address());
  ASSERT_TRUE(Get("/").ok());
  reset.get_future().wait();
  std::this_thread::sleep_for(50ms);  // until the client's side knows of the reset
  ClientRequest request;
  request.method = "PUT";
  request.path = "/";
  const Result<ClientReply> reply = Ask(std::move(request));
  ASSERT_TRUE(reply.ok()) << reply.error().message();
  EXPECT_EQ(reply->body, "1");
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(HttpClientTest, AsksOnceOverANewConnection) {
  ScriptedServer server([](ScriptedPeer* peer, int) { peer->ReadHead(); });
  Use(server.address());
  const Result<ClientReply> reply = Get("/");
  EXPECT_EQ(reply.code(), Code::kUnavailable);
  EXPECT_EQ(reply.error().message(),
            "cannot reach " + server.address() +
                ": it closed the connection before its answer was complete");
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(HttpClientTest, AnAnswerThatStopsInTheMiddleIsNoAnswer) {
  for (const char* text : {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n",
                           "HTTP/1.1 200 OK\r\nContent-"}) {
    ScriptedServer server([text](ScriptedPeer* peer, int) {
      peer->ReadHead();
      peer->Send(text);
    });
    Use(server.address());
    const Result<ClientReply> reply = Get("/");
    EXPECT_EQ(reply.code(), Code::kUnavailable) << text;
    EXPECT_EQ(server.connections(), 1);
  }
}

TEST_F(HttpClientTest, HeadersHaveABound) {
  ScriptedServer server([](ScriptedPeer* peer, int) {
    peer->ReadHead();
    peer->Send("HTTP/1.1 200 OK\r\nX: ");
    while (peer->Send(std::string(4096, 'x'))) {
    }
  });
  Use(server.address());
  const Result<ClientReply> reply = Get("/");
  EXPECT_EQ(reply.code(), Code::kUnavailable);
  EXPECT_TRUE(reply.error().message().ends_with("larger than 64 KiB")) << reply.error().message();
  client_.reset();
}

TEST_F(HttpClientTest, TheContextBoundsAServerThatIsSlow) {
  ScriptedServer server([](ScriptedPeer* peer, int) {
    peer->ReadHead();
    peer->Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx");
    peer->ReadToEnd();
  });
  Use(server.address());
  const Result<ClientReply> reply = Ask(ClientRequest(), 50ms);
  EXPECT_EQ(reply.code(), Code::kTimeout);
  EXPECT_TRUE(reply.error().recoverable());
  EXPECT_EQ(reply.error().message(),
            "cannot reach " + server.address() + ": it has not answered in time");
}

TEST_F(HttpClientTest, RedirectsAreNotFollowed) {
  ScriptedServer server([](ScriptedPeer* peer, int) {
    peer->ReadHead();
    peer->Send("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n");
    peer->ReadToEnd();
  });
  Use(server.address());
  const Result<ClientReply> reply = Get("/v1/jobs");
  EXPECT_EQ(reply.code(), Code::kInternal);
  EXPECT_EQ(reply.error().message(),
            "GET /v1/jobs: HTTP status 302 from " + server.address() + ": is it an agent?");
  client_.reset();
}

TEST_F(HttpClientTest, RefusalsHaveACodeAndTheTextOfTheAgent) {
  std::string status;
  ScriptedServer server([&status](ScriptedPeer* peer, int) {
    while (!peer->ReadHead().empty()) {
      peer->Send("HTTP/1.1 " + status + " x\r\nContent-Length: 5\r\n\r\nwhy\r\n");
    }
  });
  Use(server.address());
  for (const auto& [number, code] :
       {std::pair("400", Code::kInvalidArgument), std::pair("401", Code::kPermissionDenied),
        std::pair("404", Code::kNotFound), std::pair("500", Code::kInternal),
        std::pair("501", Code::kUnimplemented)}) {
    status = number;
    const Result<ClientReply> reply = Get("/");
    EXPECT_EQ(reply.code(), code) << number;
    EXPECT_EQ(reply.error().message(), "why");
  }
  status = "403";
  const Result<ClientReply> denied = Get("/");
  EXPECT_EQ(denied.code(), Code::kPermissionDenied);
  EXPECT_EQ(denied.error().message(), "why: see --token and NOMAD_TOKEN");
  EXPECT_EQ(server.connections(), 1);
  client_.reset();
}

TEST_F(HttpClientTest, ABodyThatIsRefusedNeedNotBeRead) {
  ScriptedServer server([](ScriptedPeer* peer, int) {
    peer->ReadHead();
    peer->Send("HTTP/1.1 413 x\r\nConnection: close\r\nContent-Length: 9\r\n\r\ntoo large");
  });
  Use(server.address());
  ClientRequest request;
  request.method = "PUT";
  request.path = "/";
  request.body = std::string(16 << 20, 'x');
  const Result<ClientReply> reply = Ask(std::move(request));
  EXPECT_EQ(reply.error().message(), "too large");
}

TEST_F(HttpClientTest, PiecesAreHandedOutAsTheyCome) {
  std::promise<void> taken;
  ScriptedServer server([&taken](ScriptedPeer* peer, int) {
    peer->ReadHead();
    peer->Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
    taken.get_future().wait();
    peer->Send("3\r\ntwo\r\n0\r\n\r\n");
    peer->ReadToEnd();
  });
  Use(server.address());
  std::vector<std::string> pieces;
  ClientRequest request;
  request.take = [&](std::string_view piece) {
    pieces.emplace_back(piece);
    if (pieces.size() == 1) taken.set_value();
  };
  const Result<ClientReply> reply = Ask(std::move(request));
  ASSERT_TRUE(reply.ok()) << reply.error().message();
  EXPECT_EQ(reply->body, "");
  EXPECT_EQ(pieces, (std::vector<std::string>{"one", "two"}));
  client_.reset();
}

TEST_F(HttpClientTest, ACancelledAnswerIsLeft) {
  ScriptedServer server([](ScriptedPeer* peer, int) {
    peer->ReadHead();
    peer->Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n1\r\ny\r\n");
    peer->ReadToEnd();
  });
  Use(server.address());
  Context context(&loop_);
  std::string all;
  ClientRequest request;
  request.take = [&](std::string_view piece) {
    all += piece;
    context.Cancel("enough");
  };
  std::optional<Result<ClientReply>> reply;
  ASSERT_TRUE(loop_.RunToEnd(Keep(client_.get(), context, std::move(request), &reply)));
  EXPECT_EQ(reply->code(), Code::kCancelled);
  EXPECT_EQ(all, "x");
}

TEST_F(HttpClientTest, SaysWhyItCannotConnect) {
  int port = 0;
  {
    ScriptedServer gone([](ScriptedPeer*, int) {});
    port = std::stoi(gone.address().substr(std::string("http://127.0.0.1:").size()));
  }
  const std::string address = "http://127.0.0.1:" + std::to_string(port);
  Use(address);
  const Result<ClientReply> refused = Get("/");
  EXPECT_EQ(refused.code(), Code::kUnavailable);
  EXPECT_TRUE(refused.error().recoverable());
  EXPECT_EQ(refused.error().message(),
            "cannot reach " + address +
                ": Connection refused: is an agent running? drover agent --dev starts one");
  Use("unix:///nowhere/s");
  EXPECT_EQ(Get("/").error().message(),
            "cannot reach unix:///nowhere/s: No such file or directory: is an agent running? "
            "drover agent --dev starts one");
  ClientOptions other;
  other.address = address;
  other.advice = "start the other server";
  client_ = std::make_unique<HttpClient>(*Endpoint::Create(std::move(other)));
  EXPECT_EQ(Get("/").error().message(),
            "cannot reach " + address + ": Connection refused: start the other server");
  Use("unix:///" + std::string(200, 'x'));
  EXPECT_EQ(Get("/").code(), Code::kInvalidArgument);
  Use("http://" + std::string(70, 'x') + ":1");  // too long for a label, so nobody is asked
  const Result<ClientReply> unknown = Get("/");
  EXPECT_EQ(unknown.code(), Code::kUnavailable);
  EXPECT_NE(unknown.error().message().find("could not resolve the host xxx"), std::string::npos)
      << unknown.error().message();
}

TEST_F(HttpClientTest, ReachesNamesAndIpv6) {
  const auto answer = [](HttpExchange* exchange) -> Co<void> {
    HttpReply reply = TextReply(200, exchange->request().remote);
    [[maybe_unused]] const Status sent = co_await exchange->Reply(std::move(reply));
  };
  const auto v4 = StartTestServer({}, answer);
  Use("http://localhost:" + std::to_string(v4->port()));
  const Result<ClientReply> named = Get("/");
  ASSERT_TRUE(named.ok()) << named.error().message();
  HttpServerOptions options;
  options.address = "::1";
  options.port = 0;
  const auto v6 = HttpServer::Start(options, answer);
  if (!v6.ok()) GTEST_SKIP() << "this machine has no IPv6: " << v6.error().message();
  client_.reset();
  Use("http://[::1]:" + std::to_string((*v6)->port()));
  const Result<ClientReply> reply = Get("/");
  ASSERT_TRUE(reply.ok()) << reply.error().message();
  EXPECT_TRUE(reply->body.starts_with("[::1]:")) << reply->body;
  client_.reset();
}

TEST(EndpointTest, OptionsThatMakeNoSense) {
  ClientOptions options;
  options.address = "http://127.0.0.1:x";
  EXPECT_EQ(Endpoint::Create(options).code(), Code::kInvalidArgument);
  options.address = "http://127.0.0.1:1";
  options.token = "a\r\nX-Other: b";
  const auto created = Endpoint::Create(options);
  EXPECT_EQ(created.code(), Code::kInvalidArgument);
  EXPECT_EQ(created.error().message().find(options.token), std::string::npos);
}

}  // namespace
}  // namespace drover
