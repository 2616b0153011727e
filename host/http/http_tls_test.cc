// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <memory>
#include <string>

#include "host/http/http_test_client.h"
#include "host/http/tls_authority_for_test.h"
#include "host/http/tls_stream.h"

namespace drover {
namespace {

using Connection = std::unique_ptr<SSL, OpenSslFreed<SSL_free>>;
using Settings = std::unique_ptr<SSL_CTX, OpenSslFreed<SSL_CTX_free>>;

class HttpTls : public ::testing::Test {
 protected:
  HttpServerOptions Options() {
    authority_.Issue("server");
    HttpServerOptions options;
    options.tls.cert_file = authority_.Path("server.pem");
    options.tls.key_file = authority_.Path("server.key");
    return options;
  }
  void Start(const HttpServerOptions& options) { server_ = StartTestServer(options, Answer); }
  static Co<void> Answer(HttpExchange* exchange) {
    const HttpRequest& request = exchange->request();
    if (request.path == "/socket") {
      const auto channel = co_await exchange->AcceptWebSocket();
      const Context context = exchange->context();
      exchange->Trust();
      auto message = co_await (*channel)->Read(context);
      message->bytes += " and back";
      const Status sent = co_await (*channel)->Write(context, true, std::move(message->bytes));
      EXPECT_TRUE(sent.ok());
      co_return;
    }
    HttpReply reply = TextReply(200, request.tls ? "tls " + request.client_subject : "clear");
    if (request.path == "/large") reply.body = std::string(3'000'000, 'x');
    (void)co_await exchange->Reply(std::move(reply));
  }

  // The server's answer to one request over TLS; empty if it refuses the connection.
  std::string Ask(const std::string& path, const std::string& certificate = "", int version = 0,
                  const std::string& more = "Connection: close\r\n\r\n") {
    const Settings settings(SSL_CTX_new(TLS_client_method()));
    SSL_CTX_load_verify_locations(settings.get(), authority_.Path("ca.pem").c_str(), nullptr);
    SSL_CTX_set_verify(settings.get(), SSL_VERIFY_PEER, nullptr);
    if (version != 0) SSL_CTX_set_max_proto_version(settings.get(), version);
    if (version == TLS1_1_VERSION) SSL_CTX_set_security_level(settings.get(), 0);
    if (!ciphers_.empty()) SSL_CTX_set_cipher_list(settings.get(), ciphers_.c_str());
    if (!groups_.empty()) SSL_CTX_set1_groups_list(settings.get(), groups_.c_str());
    if (!certificate.empty()) {
      const std::string file = authority_.Path(certificate);
      SSL_CTX_use_certificate_chain_file(settings.get(), (file + ".pem").c_str());
      SSL_CTX_use_PrivateKey_file(settings.get(), (file + ".key").c_str(), SSL_FILETYPE_PEM);
    }
    HttpTestClient client(server_->port());
    const Connection connection(SSL_new(settings.get()));
    SSL_set_fd(connection.get(), client.fd());
    std::string all;
    const std::string request = "GET " + path + " HTTP/1.1\r\nHost: any.name\r\n" + more;
    if (SSL_connect(connection.get()) == 1 &&
        SSL_write(connection.get(), request.data(), static_cast<int>(request.size())) > 0) {
      std::string block(64 << 10, '\0');
      int size = 0;
      while ((size = SSL_read(connection.get(), block.data(), static_cast<int>(block.size()))) >
             0) {
        all.append(block.data(), static_cast<std::size_t>(size));
      }
      ended_well_ = SSL_get_error(connection.get(), size) == SSL_ERROR_ZERO_RETURN;
    }
    ERR_clear_error();
    return all;
  }

  TlsAuthority authority_;
  std::unique_ptr<HttpServer> server_;
  std::string ciphers_;      // of TLS 1.2, that the client accepts; empty: all
  std::string groups_;       // for the key exchange, that the client accepts; empty: all
  bool ended_well_ = false;  // by TLS's own end, so nothing was cut off
};

TEST_F(HttpTls, AnswersThroughTls) {
  Start(Options());
  const std::string answer = Ask("/");
  EXPECT_TRUE(answer.ends_with("\r\n\r\ntls ")) << answer;
  EXPECT_TRUE(ended_well_);
  EXPECT_TRUE(Ask("/", "", TLS1_2_VERSION).ends_with("\r\n\r\ntls "));
  EXPECT_EQ(Ask("/", "", TLS1_1_VERSION), "");
  const std::string large = Ask("/large");
  EXPECT_TRUE(large.ends_with(std::string(3'000'000, 'x')));
  EXPECT_TRUE(ended_well_);
}

TEST_F(HttpTls, OnlyCiphersWithForwardSecrecyAndAuthentication) {
  Start(Options());
  for (const char* good : {"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"}) {
    ciphers_ = good;
    EXPECT_TRUE(Ask("/", "", TLS1_2_VERSION).ends_with("tls ")) << good;
  }
  for (const char* weak : {"ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "AES128-SHA"}) {
    ciphers_ = weak;
    EXPECT_EQ(Ask("/", "", TLS1_2_VERSION), "") << weak;
  }
}

TEST_F(HttpTls, NoClientChoosesACostlyKeyExchange) {
  Start(Options());
  for (const char* good : {"X25519", "P-256", "P-384", "P-521"}) {
    groups_ = good;
    EXPECT_TRUE(Ask("/").ends_with("tls ")) << good;
  }
  groups_ = "ffdhe2048";  // the cheapest of its kind
  EXPECT_EQ(Ask("/"), "");
}

TEST_F(HttpTls, CarriesWebsockets) {
  HttpServerOptions options = Options();
  options.linger_time = 50ms;  // we never agree to the close
  Start(options);
  const std::string answer =
      Ask("/socket", "", 0,
          "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
          // "there" in a text frame, with the mask 0.
          "\x81\x85" +
              std::string(4, '\0') + "there");
  EXPECT_NE(answer.find("\x81\x0ethere and back"), answer.npos) << answer;
}

TEST_F(HttpTls, OnlyClientsOfTheAuthorityMayConnectWhereItIsAsked) {
  HttpServerOptions options = Options();
  options.tls.ca_file = authority_.Path("ca.pem");
  options.tls.verify_client = true;
  Start(options);
  authority_.Issue("client");
  EXPECT_TRUE(Ask("/", "client").ends_with("\r\n\r\ntls CN=client"));
  EXPECT_EQ(Ask("/"), "");
  EXPECT_EQ(Ask("/", "stranger"), "");
}

TEST_F(HttpTls, NewConnectionsSeeTheNewRules) {
  HttpServerOptions options = Options();
  Start(options);
  EXPECT_TRUE(Ask("/").ends_with("tls "));
  options.tls.ca_file = authority_.Path("ca.pem");
  options.tls.verify_client = true;
  const auto rules = TlsContext::Load(options.tls);
  ASSERT_TRUE(rules.ok()) << rules.error().message();
  server_->UseTls(*rules);
  EXPECT_EQ(Ask("/"), "") << "without a certificate of its own";
  authority_.Issue("client");
  EXPECT_TRUE(Ask("/", "client").ends_with("tls CN=client"));
}

TEST_F(HttpTls, SilenceAndGarbageBeforeTheHandshakeEndTheConnection) {
  HttpServerOptions options = Options();
  options.header_time = 1s;
  Start(options);
  HttpTestClient silent(server_->port());
  HttpTestClient half(server_->port());
  HttpTestClient clear(server_->port());
  half.Send("\x16\x03\x01\x02");
  clear.Send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(silent.ReadAll(), "");
  EXPECT_EQ(half.ReadAll().find("HTTP"), std::string::npos);
  EXPECT_EQ(clear.ReadAll().find("HTTP"), std::string::npos);
  EXPECT_TRUE(Ask("/").ends_with("tls "));
}

TEST_F(HttpTls, FilesThatCannotBeUsedAreNamed) {
  HttpServerOptions options = Options();
  options.port = 0;
  options.tls.key_file = authority_.Path("absent.key");
  auto server = HttpServer::Start(options, Answer);
  ASSERT_FALSE(server.ok());
  EXPECT_NE(server.error().message().find(options.tls.key_file), std::string::npos);
  authority_.Issue("other");
  options.tls.key_file = authority_.Path("other.key");
  EXPECT_FALSE(HttpServer::Start(options, Answer).ok());
}

TEST_F(HttpTls, NobodyWaitsForAFileThatIsNone) {
  const std::string fifo = authority_.Path("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (std::string drover::HttpTls::* file :
       {&drover::HttpTls::cert_file, &drover::HttpTls::key_file, &drover::HttpTls::ca_file}) {
    drover::HttpTls tls = Options().tls;
    tls.verify_client = true;
    tls.ca_file = authority_.Path("ca.pem");
    tls.*file = fifo;
    const auto loaded = TlsContext::Load(tls);
    ASSERT_FALSE(loaded.ok());
    EXPECT_NE(loaded.error().message().find(fifo + "': it is no regular file"), std::string::npos)
        << loaded.error().message();
  }
}

}  // namespace
}  // namespace drover
