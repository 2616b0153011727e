// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// How the client knows the server, and the server the client.
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "host/client/api_client.h"
#include "host/client/scripted_server_for_test.h"
#include "host/client/websocket_client.h"
#include "host/http/http_test_client.h"
#include "host/http/tls_authority_for_test.h"

namespace drover {
namespace {

class TlsClientTest : public testing::Test {
 protected:
  TlsClientTest() {
    authority_.Issue("server", "IP:127.0.0.1,DNS:agent.example");
    tls_.cert_file = authority_.Path("server.pem");
    tls_.key_file = authority_.Path("server.key");
    options_.ca_cert = authority_.Path("ca.pem");
  }
  void Start() {
    HttpServerOptions options;
    options.tls = tls_;
    server_ = StartTestServer(options, Answer);
    options_.address = "https://127.0.0.1:" + std::to_string(server_->port());
  }
  static Co<void> Answer(HttpExchange* exchange) {
    if (exchange->request().path == "/socket") {
      const auto channel = co_await exchange->AcceptWebSocket();
      [[maybe_unused]] const Status sent =
          co_await (*channel)->Write(exchange->context(), true, "hello");
      co_return;
    }
    HttpReply reply = TextReply(200, "\"" + exchange->request().client_subject + "\"");
    if (exchange->request().path == "/large") {
      reply.body = "\"" + std::string(3'000'000, 'x') + "\"";
    }
    [[maybe_unused]] const Status sent = co_await exchange->Reply(std::move(reply));
  }
  // The answer, or the error that says why there is none.
  std::string Ask(const std::string& path = "/") {
    Result<ApiClient> client = ApiClient::Create(options_);
    if (!client.ok()) return client.error().message();
    const auto answer = client->Get(path);
    return answer.ok() ? answer->get<std::string>() : answer.error().message();
  }

  TlsAuthority authority_;
  HttpTls tls_;
  ClientOptions options_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(TlsClientTest, AServerOfTheAuthorityIsTrusted) {
  Start();
  EXPECT_EQ(Ask(), "");
  EXPECT_EQ(Ask("/large"), std::string(3'000'000, 'x'));
}

TEST_F(TlsClientTest, AStrangerIsNot) {
  Start();
  options_.ca_cert.clear();
  EXPECT_NE(Ask().find("SSL certificate problem: unable to get local issuer"), std::string::npos)
      << Ask();
  options_.tls_skip_verify = true;
  EXPECT_EQ(Ask(), "");
}

// A server of TLS 1.2 that wants a certificate refuses the client within the handshake, after the
// client has seen the server's.
TEST_F(TlsClientTest, WhoTakesAnyCertificateHearsWhyTheHandshakeFailed) {
  const std::string certificate = authority_.Path("server.pem");
  const std::string key = authority_.Path("server.key");
  ScriptedServer strict([&](ScriptedPeer* peer, int) {
    const std::unique_ptr<SSL_CTX, OpenSslFreed<SSL_CTX_free>> context(
        SSL_CTX_new(TLS_server_method()));
    SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);
    EXPECT_EQ(SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM), 1);
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    const std::unique_ptr<SSL, OpenSslFreed<SSL_free>> session(SSL_new(context.get()));
    SSL_set_fd(session.get(), peer->fd());
    EXPECT_NE(SSL_accept(session.get()), 1);
    peer->ReadToEnd();
  });
  options_.address = "https" + strict.address().substr(4);
  options_.ca_cert.clear();
  options_.tls_skip_verify = true;
  const std::string error = Ask();
  EXPECT_NE(error.find("alert handshake failure"), std::string::npos) << error;
  EXPECT_EQ(error.find("certificate problem"), std::string::npos) << error;
}

TEST_F(TlsClientTest, TheServersOwnCertificateMayBeTheOneThatIsTrusted) {
  Start();
  options_.ca_cert = authority_.Path("server.pem");
  EXPECT_EQ(Ask(), "");
}

TEST_F(TlsClientTest, ADirectoryOfCertificates) {
  Start();
  std::FILE* const file = std::fopen(options_.ca_cert.c_str(), "r");
  X509* const certificate = PEM_read_X509(file, nullptr, nullptr, nullptr);
  std::fclose(file);
  char name[16];
  std::snprintf(name, sizeof name, "%08lx.0", X509_subject_name_hash(certificate));
  X509_free(certificate);
  const std::string directory = authority_.Path("hashed");
  std::filesystem::create_directory(directory);
  std::filesystem::copy(options_.ca_cert, directory + "/" + name);
  options_.ca_cert.clear();
  options_.ca_path = directory;
  EXPECT_EQ(Ask(), "");
}

TEST_F(TlsClientTest, TheCertificateMustBeForTheAddress) {
  authority_.Issue("other", "IP:127.0.0.2,DNS:localhost");
  tls_.cert_file = authority_.Path("other.pem");
  tls_.key_file = authority_.Path("other.key");
  Start();
  EXPECT_NE(Ask().find("SSL certificate problem: IP address mismatch"), std::string::npos) << Ask();
  options_.address = "https://localhost:" + std::to_string(server_->port());
  EXPECT_EQ(Ask(), "");
  tls_.cert_file = authority_.Path("server.pem");
  tls_.key_file = authority_.Path("server.key");
  Start();
  EXPECT_EQ(Ask(), "");
  options_.address = "https://localhost:" + std::to_string(server_->port());
  EXPECT_NE(Ask().find("SSL certificate problem: hostname mismatch"), std::string::npos) << Ask();
}

TEST_F(TlsClientTest, TheClientShowsItsOwnCertificate) {
  tls_.ca_file = authority_.Path("ca.pem");
  tls_.verify_client = true;
  Start();
  EXPECT_NE(Ask().find("cannot reach https://127.0.0.1:"), std::string::npos) << Ask();
  authority_.Issue("client");
  options_.client_cert = authority_.Path("client.pem");
  options_.client_key = authority_.Path("client.key");
  EXPECT_EQ(Ask(), "CN=client");
}

TEST_F(TlsClientTest, FilesThatCannotBeUsedAreNamed) {
  Start();
  options_.client_cert = authority_.Path("absent.pem");
  EXPECT_NE(Ask().find("TLS: cannot use the certificate '" + options_.client_cert + "': "),
            std::string::npos)
      << Ask();
  options_.client_cert = authority_.Path("server.pem");  // without a key in it
  EXPECT_NE(Ask().find("TLS: cannot use the private key '"), std::string::npos) << Ask();
  options_.client_cert.clear();
  options_.ca_cert = authority_.Path("absent.pem");
  EXPECT_EQ(ApiClient::Create(options_).code(), Code::kFailedPrecondition);
  // Without TLS nobody needs them.
  options_.address = "http://127.0.0.1:1";
  EXPECT_TRUE(ApiClient::Create(options_).ok());
}

TEST_F(TlsClientTest, AServerWithoutTls) {
  ScriptedServer clear([](ScriptedPeer* peer, int) {
    peer->Send("HTTP/1.1 400 Bad Request\r\n\r\n");
    peer->ReadToEnd();
  });
  options_.address = "https" + clear.address().substr(4);
  EXPECT_NE(Ask().find("wrong version number"), std::string::npos) << Ask();
}

TEST_F(TlsClientTest, ABodyThatIsCutOffIsNoAnswer) {
  Start();
  const auto cut = [](HttpExchange* exchange) -> Co<void> {
    HttpReply head = TextReply(200, "");
    [[maybe_unused]] Status sent = co_await exchange->StartStream(std::move(head));
    sent = co_await exchange->Write("\"half\"");
    throw std::runtime_error("the answer ends here");
  };
  HttpServerOptions options;
  options.tls = tls_;
  const auto server = StartTestServer(options, cut);
  options_.address = "https://127.0.0.1:" + std::to_string(server->port());
  EXPECT_NE(Ask().find("cannot reach"), std::string::npos) << Ask();
}

TEST_F(TlsClientTest, CarriesWebsockets) {
  Start();
  Result<ApiClient> client = ApiClient::Create(options_);
  ASSERT_TRUE(client.ok());
  const auto socket = client->OpenWebSocket("/socket", {});
  ASSERT_TRUE(socket.ok()) << socket.error().message();
  Result<std::optional<std::string>> message = (*socket)->Receive();
  while (message.ok() && !*message) {
    ASSERT_TRUE((*socket)->Wait({}, 20s).ok());
    message = (*socket)->Receive();
  }
  ASSERT_TRUE(message.ok()) << message.error().message();
  EXPECT_EQ(**message, "hello");
}

}  // namespace
}  // namespace drover
