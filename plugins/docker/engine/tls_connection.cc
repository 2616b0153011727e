// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/tls_connection.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <string>
#include <utility>

namespace drover_docker {
namespace {

// Returns the oldest reason of OpenSSL, and forgets them all.
std::string TlsReason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "the connection broke";
  const char* reason = ERR_reason_error_string(code);
  return reason == nullptr ? "error " + std::to_string(code) : reason;
}

[[noreturn]] void ThrowTls(const EngineAddress& address, const std::string& what,
                           const std::string& why, bool recoverable = true) {
  throw drover::Error(
      drover::Code::kUnavailable,
      "TLS with the container engine at " + address.Text() + ": " + what + ": " + why, recoverable);
}

// A socket below OpenSSL that raises no SIGPIPE.
int BioWrite(BIO* bio, const char* data, int size) {
  const int fd = static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
  BIO_clear_retry_flags(bio);
  const ssize_t written = ::send(fd, data, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (written < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(written);
}
int BioRead(BIO* bio, char* data, int size) {
  const int fd = static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
  BIO_clear_retry_flags(bio);
  const ssize_t got = ::recv(fd, data, static_cast<std::size_t>(size), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(got);
}
long BioControl(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

const BIO_METHOD* SocketMethod() {
  static BIO_METHOD* const kMethod = [] {
    BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "drover socket");
    BIO_meth_set_write(method, BioWrite);
    BIO_meth_set_read(method, BioRead);
    BIO_meth_set_ctrl(method, BioControl);
    return method;
  }();
  return kMethod;
}

struct FreeTls {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

class TlsConnection : public Connection {
 public:
  TlsConnection(drover::Fd fd, const EngineAddress& address)
      : fd_(std::move(fd)), address_(address), context_(SSL_CTX_new(TLS_client_method())) {
    ERR_clear_error();
    if (context_ == nullptr) ThrowTls(address_, "no context", TlsReason());
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_mode(context_.get(),
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    LoadFiles();
    ssl_.reset(SSL_new(context_.get()));
    BIO* bio = ssl_ == nullptr ? nullptr : BIO_new(SocketMethod());
    if (bio == nullptr) ThrowTls(address_, "no context", TlsReason());
    BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(fd_.get())));
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_.get(), bio, bio);
    CheckName();
  }

  void Handshake(SteadyTime deadline, const CancelToken& cancel, const CancelToken* second) {
    for (;;) {
      ERR_clear_error();
      const int done = SSL_connect(ssl_.get());
      if (done == 1) return;
      const int error = SSL_get_error(ssl_.get(), done);
      if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
        const long verified = SSL_get_verify_result(ssl_.get());
        ThrowTls(address_, "handshake",
                 verified == X509_V_OK ? TlsReason() : X509_verify_cert_error_string(verified));
      }
      const short events = error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
      if (WaitFor(fd_.get(), events, deadline, cancel, second) == 0) {
        throw drover::Error(drover::Code::kTimeout,
                            "the container engine at " + address_.Text() +
                                " does not complete the handshake of TLS",
                            true);
      }
    }
  }

  IoResult Read(char* to, std::size_t size) override {
    ERR_clear_error();
    const int got =
        SSL_read(ssl_.get(), to, static_cast<int>(std::min<std::size_t>(size, INT_MAX)));
    return Result(got, "read");
  }
  IoResult Write(std::string_view bytes) override {
    ERR_clear_error();
    const int size = static_cast<int>(std::min<std::size_t>(bytes.size(), 16u << 10));
    return Result(SSL_write(ssl_.get(), bytes.data(), size), "write");
  }
  void CloseWrite() override {
    ERR_clear_error();
    SSL_shutdown(ssl_.get());
    ERR_clear_error();
  }
  bool pending() const override { return SSL_pending(ssl_.get()) > 0; }
  int fd() const override { return fd_.get(); }

 private:
  void LoadFiles() {
    const TlsFiles& files = address_.tls;
    if (files.ca.empty()) {
      SSL_CTX_set_default_verify_paths(context_.get());
    } else if (SSL_CTX_load_verify_locations(context_.get(), files.ca.c_str(), nullptr) != 1) {
      ThrowTls(address_, "the ca file " + files.ca, TlsReason(), false);
    }
    if (files.cert.empty()) return;
    if (SSL_CTX_use_certificate_chain_file(context_.get(), files.cert.c_str()) != 1) {
      ThrowTls(address_, "the cert file " + files.cert, TlsReason(), false);
    }
    if (SSL_CTX_use_PrivateKey_file(context_.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(context_.get()) != 1) {
      ThrowTls(address_, "the key file " + files.key, TlsReason(), false);
    }
  }

  // The certificate must be for the host of the address.
  void CheckName() {
    X509_VERIFY_PARAM* rules = SSL_get0_param(ssl_.get());
    if (X509_VERIFY_PARAM_set1_ip_asc(rules, address_.host.c_str()) == 1) return;
    ERR_clear_error();
    SSL_set_tlsext_host_name(ssl_.get(), address_.host.c_str());
    if (SSL_set1_host(ssl_.get(), address_.host.c_str()) != 1) {
      ThrowTls(address_, "the host name", TlsReason(), false);
    }
  }

  IoResult Result(int result, const char* what) {
    if (result > 0) return {Io::kDone, static_cast<std::size_t>(result)};
    switch (SSL_get_error(ssl_.get(), result)) {
      case SSL_ERROR_WANT_READ:
        return {Io::kWantRead, 0};
      case SSL_ERROR_WANT_WRITE:
        return {Io::kWantWrite, 0};
      case SSL_ERROR_ZERO_RETURN:
        return {Io::kEnd, 0};
      default:
        ThrowTls(address_, what, TlsReason());
    }
  }

  const drover::Fd fd_;
  const EngineAddress address_;
  const std::unique_ptr<SSL_CTX, FreeTls> context_;
  std::unique_ptr<SSL, FreeTls> ssl_;
};

}  // namespace

std::unique_ptr<Connection> OpenTls(drover::Fd fd, const EngineAddress& address,
                                    SteadyTime deadline, const CancelToken& cancel,
                                    const CancelToken* second) {
  auto connection = std::make_unique<TlsConnection>(std::move(fd), address);
  connection->Handshake(deadline, cancel, second);
  return connection;
}

}  // namespace drover_docker
