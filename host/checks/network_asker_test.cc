// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Checks against servers on real sockets: good ones, slow ones, lying ones and endless ones.
#include "host/checks/network_asker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/open_fds_for_test.h"
#include "host/client/scripted_server_for_test.h"
#include "host/http/http_server.h"
#include "host/http/http_test_client.h"
#include "host/http/tls_authority_for_test.h"

namespace drover {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

int PortOf(const ScriptedServer& server) {
  const std::string address = server.address();
  return std::stoi(address.substr(address.rfind(':') + 1));
}

class NetworkAskerTest : public testing::Test {
 protected:
  NetworkAskerTest() {
    plan_->host = "127.0.0.1";
    plan_->check.type = CheckType::kHttp;
    plan_->check.path = "/health?full=1";
    plan_->check.timeout = 5s;
  }

  CheckAnswer Ask() {
    CheckAnswer answer;
    auto ask = [](NetworkAsker* asker, Loop* loop, std::shared_ptr<const CheckPlan> plan,
                  CheckAnswer* out) -> Co<void> {
      const Context context(loop);
      const Loop::TimerId timer = loop->After(plan->check.timeout, [context] {
        Context(context).CancelWith(Error(Code::kTimeout, "no answer in time"));
      });
      *out = co_await asker->Ask(context, plan);
      loop->Cancel(timer);
    };
    EXPECT_TRUE(loop_.RunToEnd(ask(&asker_, &loop_, plan_, &answer), 30s));
    return answer;
  }
  // The answer to a check of a server with this one reply, to each connection.
  CheckAnswer AskServer(ScriptedServer::Serve serve) {
    ScriptedServer server(std::move(serve));
    plan_->port = PortOf(server);
    return Ask();
  }
  CheckAnswer AskFor(const std::string& reply) {
    return AskServer([&](ScriptedPeer* peer, int) {
      head_ = peer->ReadHead();
      peer->Send(reply);
    });
  }
  std::string Url() const {
    return "\"http://127.0.0.1:" + std::to_string(plan_->port) + "/health?full=1\"";
  }

  RealLoop loop_;
  NetworkAsker asker_;
  std::shared_ptr<CheckPlan> plan_ = std::make_shared<CheckPlan>();
  std::string head_;
};

TEST_F(NetworkAskerTest, TcpConnects) {
  plan_->check.type = CheckType::kTcp;
  const CheckAnswer good = AskServer([](ScriptedPeer* peer, int) { peer->ReadToEnd(); });
  EXPECT_EQ(good, (CheckAnswer{CheckStatus::kSuccess, 0, "nomad: tcp ok"}));
  const CheckAnswer bad = Ask();  // the server is gone
  EXPECT_EQ(bad.status, CheckStatus::kFailure);
  EXPECT_EQ(bad.output,
            "dial tcp 127.0.0.1:" + std::to_string(plan_->port) + ": connect: connection refused");
  plan_->host = "::1";
  EXPECT_THAT(Ask().output, StartsWith("dial tcp [::1]:"));
}

TEST_F(NetworkAskerTest, TcpEndsAtTheTimeout) {
  plan_->check.type = CheckType::kTcp;
  plan_->check.timeout = 1s;
  // A listener whose queue is full answers no further connection.
  const UniqueFd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(listener.get(), any, size), 0);
  ASSERT_EQ(listen(listener.get(), 0), 0);
  ASSERT_EQ(getsockname(listener.get(), any, &size), 0);
  std::vector<UniqueFd> filling;
  for (int i = 0; i < 4; ++i) {
    filling.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    (void)connect(filling.back().get(), any, size);
  }
  plan_->port = ntohs(address.sin_port);
  const TimePoint begin = loop_.Now();
  EXPECT_EQ(Ask().output, "dial tcp 127.0.0.1:" + std::to_string(plan_->port) + ": i/o timeout");
  EXPECT_LT(loop_.Now() - begin, 5s);
}

TEST_F(NetworkAskerTest, NamesAreLookedUp) {
  plan_->check.type = CheckType::kTcp;
  plan_->host = "localhost";
  EXPECT_EQ(AskServer([](ScriptedPeer* peer, int) { peer->ReadToEnd(); }).output, "nomad: tcp ok");
  plan_->host = "no-such-host.invalid";
  // Without a name server, the check waits for it in vain.
  EXPECT_THAT(Ask().output, AllOf(StartsWith("dial tcp"), HasSubstr("no-such-host.invalid")));
}

TEST_F(NetworkAskerTest, HttpAsksAsTheCheckSays) {
  plan_->check.method = "POST";
  plan_->check.body = "{}";
  plan_->check.header = {
      {"X-One", {"1", "2\r\nX-Evil: 1"}}, {"Content-Length", {"7"}}, {"User-Agent", {"me"}}};
  EXPECT_EQ(AskFor("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno"),
            (CheckAnswer{CheckStatus::kSuccess, 200, "nomad: http ok"}));
  EXPECT_THAT(head_, StartsWith("POST /health?full=1 HTTP/1.1\r\nHost: 127.0.0.1:" +
                                std::to_string(plan_->port) + "\r\n"));
  EXPECT_THAT(head_, AllOf(HasSubstr("\r\nX-One: 1\r\n"), HasSubstr("\r\nX-One: 2  X-Evil: 1\r\n"),
                           HasSubstr("\r\nContent-Length: 2\r\n"), HasSubstr("User-Agent: me"),
                           HasSubstr("Connection: close"), Not(HasSubstr("Content-Length: 7")),
                           Not(HasSubstr("drover"))));
  plan_->check.header = {{"Host", {"web.example"}}};
  (void)AskFor("HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_THAT(head_, AllOf(HasSubstr("\r\nHost: web.example\r\n"), Not(HasSubstr("Host: 127"))));
}

TEST_F(NetworkAskerTest, StatusesBelow400AreSuccess) {
  EXPECT_EQ(AskFor("HTTP/1.1 201 Created\r\nContent-Length: 4\r\n\r\nmade"),
            (CheckAnswer{CheckStatus::kSuccess, 201, "made"}));
  EXPECT_THAT(head_, StartsWith("GET /health?full=1 HTTP/1.1\r\n")) << "the default method";
  EXPECT_EQ(AskFor("HTTP/1.1 304 Not Modified\r\n\r\n"),
            (CheckAnswer{CheckStatus::kSuccess, 304, ""}));
  EXPECT_EQ(AskFor("HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nno"),
            (CheckAnswer{CheckStatus::kSuccess, 302, "no"}))
      << "without a Location there is nothing to follow";
  EXPECT_EQ(AskFor("HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nbus\r\n1\r\ny\r\n"
                   "0\r\n\r\n"),
            (CheckAnswer{CheckStatus::kFailure, 503, "busy"}));
  plan_->check.method = "HEAD";
  EXPECT_EQ(AskFor("HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n"),
            (CheckAnswer{CheckStatus::kFailure, 404, ""}));
}

TEST_F(NetworkAskerTest, LyingServersChangeNothingAfterTheHead) {
  EXPECT_EQ(AskFor("HTTP/1.1 500 No\r\nContent-Length: 1000\r\n\r\nshort"),
            (CheckAnswer{CheckStatus::kFailure, 500, "short"}));
  EXPECT_EQ(
      AskFor("HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzzz\r\n").output,
      "ok");
  EXPECT_EQ(AskFor("HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n").output, "nomad: http ok");
  EXPECT_EQ(AskFor("").output, "nomad: Get " + Url() + ": EOF");
  for (const std::string odd :
       {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 2OO OK\r\n\r\n", "HTTP/1.1 200"}) {
    const CheckAnswer answer = AskFor(odd);
    EXPECT_EQ(answer.status, CheckStatus::kFailure) << odd;
    EXPECT_EQ(answer.status_code, 0);
    EXPECT_THAT(answer.output, StartsWith("nomad: Get " + Url() + ": malformed HTTP response"));
  }
}

TEST_F(NetworkAskerTest, EndlessServersCostNoMoreThanIsKept) {
  const std::string block(4000, 'x');
  const auto endless = [&block](const std::string& head) {
    return [&block, head](ScriptedPeer* peer, int) {
      (void)peer->ReadHead();
      if (!peer->Send(head)) return;
      while (peer->Send(block)) {
      }
    };
  };
  const CheckAnswer body = AskServer(endless("HTTP/1.1 500 No\r\n\r\n"));
  EXPECT_EQ(body, (CheckAnswer{CheckStatus::kFailure, 500, std::string(kMostCheckOutput, 'x')}));
  EXPECT_EQ(AskServer(endless("HTTP/1.1 201 Created\r\n\r\n")),
            (CheckAnswer{CheckStatus::kSuccess, 201, std::string(kMostCheckOutput, 'x')}));
  EXPECT_EQ(AskServer(endless("HTTP/1.1 200 OK\r\n\r\n")).output, "nomad: http ok");
  EXPECT_THAT(AskServer(endless("HTTP/1.1 200 OK\r\nX: ")).output,
              HasSubstr("header of its answer is larger than 64 KiB"));
  const CheckAnswer interim = AskServer([](ScriptedPeer* peer, int) {
    (void)peer->ReadHead();
    while (peer->Send("HTTP/1.1 103 Early Hints\r\n\r\n")) {
    }
  });
  EXPECT_EQ(interim.status, CheckStatus::kFailure);
  EXPECT_THAT(interim.output, HasSubstr("malformed HTTP response: it has no end"));
}

TEST_F(NetworkAskerTest, SlowServersEndAtTheTimeout) {
  plan_->check.timeout = 1s;
  for (const std::string begin : {"", "HTTP/1.1 200 OK\r\n"}) {
    const TimePoint start = loop_.Now();
    const CheckAnswer silent = AskServer([&](ScriptedPeer* peer, int) {
      peer->Send(begin);
      peer->ReadToEnd();
    });
    EXPECT_EQ(silent.output, "nomad: Get " + Url() + ": no answer in time");
    EXPECT_LT(loop_.Now() - start, 5s);
  }
  const CheckAnswer begun = AskServer([](ScriptedPeer* peer, int) {
    peer->Send("HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\nbegin");
    peer->ReadToEnd();
  });
  EXPECT_EQ(begun, (CheckAnswer{CheckStatus::kFailure, 500, "begin"}));
}

// Answers each request with the next of the heads, and notes the requests.
class Redirecting {
 public:
  explicit Redirecting(std::vector<std::string> heads) : heads_(std::move(heads)) {
    server_.emplace([this](ScriptedPeer* peer, int number) {
      requests_.push_back(peer->ReadHead());
      const std::size_t at = std::min(static_cast<std::size_t>(number), heads_.size() - 1);
      peer->Send("HTTP/1.1 " + heads_[at] + "\r\nContent-Length: 0\r\n\r\n");
    });
  }
  int port() const { return PortOf(*server_); }
  // Ends the server.
  const std::vector<std::string>& Requests() {
    server_.reset();
    return requests_;
  }

 private:
  const std::vector<std::string> heads_;
  std::vector<std::string> requests_;
  std::optional<ScriptedServer> server_;  // must be last: its thread uses the other members
};

TEST_F(NetworkAskerTest, RedirectsAreFollowed) {
  Redirecting server({"302 Found\r\nLocation: next?a=1", "308 Here\r\nLocation: /last", "200 OK"});
  plan_->port = server.port();
  plan_->check.method = "POST";
  plan_->check.header = {{"Authorization", {"secret"}}};
  EXPECT_EQ(Ask(), (CheckAnswer{CheckStatus::kSuccess, 200, "nomad: http ok"}));
  ASSERT_EQ(server.Requests().size(), 3u);
  EXPECT_THAT(server.Requests()[0], StartsWith("POST /health?full=1 "));
  EXPECT_THAT(server.Requests()[1], StartsWith("GET /next?a=1 "));
  EXPECT_THAT(server.Requests()[2], AllOf(StartsWith("GET /last "), HasSubstr("secret")));
}

TEST_F(NetworkAskerTest, ARedirectMayKeepTheMethod) {
  Redirecting server({"307 There\r\nLocation: /next", "200 OK"});
  plan_->port = server.port();
  plan_->check.method = "PUT";
  EXPECT_EQ(Ask().status_code, 200);
  ASSERT_EQ(server.Requests().size(), 2u);
  EXPECT_THAT(server.Requests()[1], StartsWith("PUT /next "));
}

TEST_F(NetworkAskerTest, RedirectsHaveAnEnd) {
  Redirecting server({"301 Moved\r\nLocation: /again"});
  plan_->port = server.port();
  EXPECT_EQ(Ask().output, "nomad: Get \"http://127.0.0.1:" + std::to_string(plan_->port) +
                              "/again\": stopped after 10 redirects");
  EXPECT_EQ(server.Requests().size(), 11u);
}

TEST_F(NetworkAskerTest, RedirectsLeaveNeitherHttpNorTellSecrets) {
  Redirecting other({"200 OK"});
  const std::string there = "http://127.0.0.1:" + std::to_string(other.port()) + "/";
  {
    Redirecting server({"302 Found\r\nLocation: " + there});
    plan_->port = server.port();
    plan_->check.header = {{"Authorization", {"secret"}}, {"Cookie", {"secret"}}, {"X-A", {"b"}}};
    EXPECT_EQ(Ask().status_code, 200);
  }
  ASSERT_EQ(other.Requests().size(), 1u);
  EXPECT_THAT(other.Requests()[0], AllOf(Not(HasSubstr("secret")), HasSubstr("X-A: b")));
  Redirecting file({"302 Found\r\nLocation: file:///etc/passwd"});
  plan_->port = file.port();
  EXPECT_THAT(Ask().output, HasSubstr("unsupported protocol scheme \"file\""));
}

class TlsAskerTest : public NetworkAskerTest {
 protected:
  TlsAskerTest() {
    authority_.Issue("server", "IP:127.0.0.1,DNS:web.example");
    HttpServerOptions options;
    options.tls.cert_file = authority_.Path("server.pem");
    options.tls.key_file = authority_.Path("server.key");
    server_ = StartTestServer(options, Answer);
    plan_->port = server_->port();
    plan_->check.protocol = "https";
  }
  static Co<void> Answer(HttpExchange* exchange) {
    HttpReply reply = TextReply(200, "fine");
    [[maybe_unused]] const Status sent = co_await exchange->Reply(std::move(reply));
  }
  // Makes the authority one of those of the system.
  void Trust() { setenv("SSL_CERT_FILE", authority_.Path("ca.pem").c_str(), 1); }
  ~TlsAskerTest() override { unsetenv("SSL_CERT_FILE"); }

  TlsAuthority authority_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(TlsAskerTest, AnUnknownCertificateIsRefusedUnlessItIsNotVerified) {
  const CheckAnswer unknown = Ask();
  EXPECT_EQ(unknown.status, CheckStatus::kFailure);
  EXPECT_THAT(unknown.output, AllOf(StartsWith("nomad: Get \"https://127.0.0.1:"),
                                    HasSubstr("tls: "), HasSubstr("certificate")));
  plan_->check.tls_skip_verify = true;
  EXPECT_EQ(Ask(), (CheckAnswer{CheckStatus::kSuccess, 200, "nomad: http ok"}));
}

TEST_F(TlsAskerTest, TheCertificateMustBeForTheServerName) {
  Trust();
  EXPECT_EQ(Ask().output, "nomad: http ok");
  plan_->check.tls_server_name = "web.example";
  EXPECT_EQ(Ask().output, "nomad: http ok");
  plan_->check.tls_server_name = "other.example";
  EXPECT_THAT(Ask().output, HasSubstr("tls: "));
}

TEST_F(TlsAskerTest, NoServerChoosesACostlyKeyExchange) {
  plan_->check.tls_skip_verify = true;
  std::string group;
  const auto serve = [&](ScriptedPeer* peer, int) {
    const std::unique_ptr<SSL_CTX, OpenSslFreed<SSL_CTX_free>> rules(
        SSL_CTX_new(TLS_server_method()));
    const auto file = [this](const char* name) { return authority_.Path(name); };
    SSL_CTX_use_certificate_file(rules.get(), file("server.pem").c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(rules.get(), file("server.key").c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_set1_groups_list(rules.get(), group.c_str());
    const std::unique_ptr<SSL, OpenSslFreed<SSL_free>> tls(SSL_new(rules.get()));
    SSL_set_fd(tls.get(), peer->fd());
    if (SSL_accept(tls.get()) != 1) return;
    char head[4096];
    SSL_read(tls.get(), head, sizeof head);
    constexpr std::string_view kReply = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    SSL_write(tls.get(), kReply.data(), static_cast<int>(kReply.size()));
  };
  group = "P-256";
  EXPECT_EQ(AskServer(serve).output, "nomad: http ok");
  group = "ffdhe2048";  // the cheapest of its kind
  EXPECT_THAT(AskServer(serve).output, HasSubstr("tls: "));
}

TEST_F(TlsAskerTest, AServerWithoutTlsIsAFailure) {
  plan_->check.tls_skip_verify = true;
  plan_->check.timeout = 2s;
  const CheckAnswer plain =
      AskServer([](ScriptedPeer* peer, int) { peer->Send("HTTP/1.1 200 OK\r\n\r\n"); });
  EXPECT_EQ(plain.status, CheckStatus::kFailure);
  const CheckAnswer silent = AskServer([](ScriptedPeer* peer, int) { peer->ReadToEnd(); });
  EXPECT_THAT(silent.output, HasSubstr("no answer in time"));
}

TEST_F(NetworkAskerTest, NoDescriptorIsLeft) {
  (void)Ask();  // loads what stays
  const auto before = OpenFds();
  plan_->check.timeout = 1s;
  (void)AskServer([](ScriptedPeer* peer, int) { peer->ReadToEnd(); });
  (void)AskFor("HTTP/1.1 500 No\r\n\r\nx");
  (void)AskFor("rubbish\r\n\r\n");
  EXPECT_EQ(OpenFds(), before);
}

}  // namespace
}  // namespace drover
