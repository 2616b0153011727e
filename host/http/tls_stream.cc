// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/tls_stream.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "host/base/unique_fd.h"

namespace drover {
namespace asio = boost::asio;
namespace ssl = asio::ssl;
namespace {

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

// Returns the subject of the verified certificate in the form of RFC 2253, such as
// "CN=client,O=Example". Returns an empty text if there is none.
std::string SubjectOf(SSL* connection) {
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      SSL_get1_peer_certificate(connection), &X509_free);
  if (!certificate || SSL_get_verify_result(connection) != X509_V_OK) return "";
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new(BIO_s_mem()), &BIO_free);
  X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate.get()), 0, XN_FLAG_RFC2253);
  char* data = nullptr;
  const long size = BIO_get_mem_data(text.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

// The errors that say why a certificate is refused. OpenSSL's own error only says that the
// verification failed.
class CertificateErrors final : public boost::system::error_category {
 public:
  const char* name() const noexcept override { return "certificate"; }
  std::string message(int value) const override {
    return std::string("SSL certificate problem: ") + X509_verify_cert_error_string(value);
  }
};

// Requires that the certificate of the other side is valid for SERVER, unless ANY_NAME is true.
void Expect(SSL* connection, const std::string& server, bool any_name) {
  if (any_name) {
    SSL_set_tlsext_host_name(connection, server.c_str());
    return;
  }
  X509_VERIFY_PARAM* const rules = SSL_get0_param(connection);
  if (X509_VERIFY_PARAM_set1_ip_asc(rules, server.c_str()) == 1) return;
  ERR_clear_error();
  X509_VERIFY_PARAM_set1_host(rules, server.c_str(), server.size());
  X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  SSL_set_tlsext_host_name(connection, server.c_str());
}

class TlsStream : public ByteStream {
 public:
  // SERVER must be empty on the server's side of a connection.
  TlsStream(StreamSocket socket, ssl::context& context, const std::string& server, bool any_name)
      : stream_(std::move(socket), context),
        side_(server.empty() ? ssl::stream_base::server : ssl::stream_base::client) {
    if (side_ == ssl::stream_base::client) Expect(stream_.native_handle(), server, any_name);
  }

  Co<ErrorCode> Handshake() override {
    static const CertificateErrors errors{};
    const std::tuple<ErrorCode> done = co_await stream_.async_handshake(side_, kTuple);
    SSL* const native = stream_.native_handle();
    const long verdict = SSL_get_verify_result(native);
    const bool verifies = SSL_get_verify_mode(native) != SSL_VERIFY_NONE;
    if (std::get<0>(done) && verifies && verdict != X509_V_OK) {
      co_return ErrorCode(static_cast<int>(verdict), errors);
    }
    co_return std::get<0>(done);
  }
  void AsyncReadSome(asio::mutable_buffer buffer, Handler handler) override {
    if (shut_) return Drain(buffer, std::move(handler));
    stream_.async_read_some(buffer, [this, buffer, handler = std::move(handler)](
                                        ErrorCode error, std::size_t size) mutable {
      if (shut_) return Drain(buffer, std::move(handler));
      // Many clients end TLS by closing the connection. This is no error, because HTTP itself
      // detects incomplete requests.
      const bool closed = error == ssl::error::stream_truncated;
      if (closed && side_ == ssl::stream_base::server) error = asio::error::eof;
      std::move(handler)(error, size);
    });
  }
  void AsyncWriteSome(asio::const_buffer buffer, Handler handler) override {
    stream_.async_write_some(buffer, std::move(handler));
  }
  // Asio's shutdown waits until the other side has ended TLS too. This function does not wait. The
  // caller waits for the end of the other side, with a timer.
  Co<void> ShutdownSend() override {
    SSL_set_shutdown(stream_.native_handle(), SSL_RECEIVED_SHUTDOWN);
    [[maybe_unused]] const std::tuple<ErrorCode> sent = co_await stream_.async_shutdown(kTuple);
    shut_ = true;
    ErrorCode ignored;
    stream_.next_layer().shutdown(StreamSocket::shutdown_send, ignored);
  }
  void Close() override {
    ErrorCode ignored;
    stream_.next_layer().close(ignored);
  }
  std::string client_subject() const override {
    return SubjectOf(const_cast<TlsStream*>(this)->stream_.native_handle());
  }

 private:
  // Reads without decryption. After the server has ended its side, the bytes of the client do not
  // matter, but the server must notice when the client closes the connection.
  void Drain(asio::mutable_buffer buffer, Handler handler) {
    // Asio's epoll is edge-triggered. If asio has already read the end of the connection, a new
    // read waits forever. This code therefore checks for the end first.
    char next = 0;
    const ssize_t size =
        recv(stream_.next_layer().native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
    if (size == 0 || (size < 0 && errno != EAGAIN)) {
      asio::post(stream_.get_executor(), [handler = std::move(handler)]() mutable {
        std::move(handler)(asio::error::eof, 0);
      });
      return;
    }
    stream_.next_layer().async_read_some(buffer, std::move(handler));
  }

  ssl::stream<StreamSocket> stream_;
  const ssl::stream_base::handshake_type side_;
  bool shut_ = false;
};

// Opens a PEM file and checks that it is a regular file. OpenSSL opens files by name, and would
// wait forever for a writer of a FIFO. OpenSSL therefore gets the name of the descriptor that is
// checked here.
Result<UniqueFd> OpenPem(const std::string& path) {
  UniqueFd file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct stat info{};
  if (!file || fstat(file.get(), &info) != 0)
    return Error(Code::kInvalidArgument, std::generic_category().message(errno));
  if (!S_ISREG(info.st_mode)) return Error(Code::kInvalidArgument, "it is no regular file");
  return file;
}

std::string NameOf(const UniqueFd& file) { return "/proc/self/fd/" + std::to_string(file.get()); }

Error CannotUse(Code code, const char* what, const std::string& file, const std::string& why) {
  return Error(code, std::string("TLS: cannot use the ") + what + " '" + file + "': " + why);
}

}  // namespace

struct TlsContext::State {
  explicit State(ssl::context::method method) : context(method) {
    SSL_CTX* const native = context.native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
    // The other side must not choose how much work it makes: one key exchange with a finite field
    // of 8192 bits takes 100 ms, and a connection may renegotiate without an end.
    SSL_CTX_set1_groups_list(native, "X25519:P-256:P-384:P-521");
    SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION);
  }
  ssl::context context;
  bool any_name = false;  // see TlsTrust
};

TlsContext::TlsContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsContext::~TlsContext() = default;

Result<std::shared_ptr<TlsContext>> TlsContext::Load(const HttpTls& tls) {
  auto state = std::make_unique<State>(ssl::context::tls_server);
  ssl::context& context = state->context;
  SSL_CTX* native = context.native_handle();
  // With TLS 1.2, only ciphers with forward secrecy and authenticated encryption are allowed.
  SSL_CTX_set_cipher_list(native, "ECDHE+AESGCM:ECDHE+CHACHA20");
  SSL_CTX_set_options(native, SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);  // idle connections need little memory
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  static constexpr std::string_view kSessions = "drover";
  SSL_CTX_set_session_id_context(native, reinterpret_cast<const unsigned char*>(kSessions.data()),
                                 kSessions.size());
  const auto wrong = [](const char* what, const std::string& file, const std::string& why) {
    return CannotUse(Code::kInvalidArgument, what, file, why);
  };
  // Opens and checks FILE, and passes the name of its descriptor to READ. READ makes OpenSSL read
  // the file by this name.
  const auto load = [&wrong](const char* what, const std::string& file, auto read) -> Status {
    const Result<UniqueFd> opened = OpenPem(file);
    if (!opened.ok()) return wrong(what, file, opened.error().message());
    ByteStream::ErrorCode error;
    read(NameOf(*opened), error);
    if (error) return wrong(what, file, error.message());
    return {};
  };
  DROVER_TRY(load("certificate", tls.cert_file,
                  [&](const std::string& name, ByteStream::ErrorCode& error) {
                    context.use_certificate_chain_file(name, error);
                  }));
  DROVER_TRY(
      load("private key", tls.key_file, [&](const std::string& name, ByteStream::ErrorCode& error) {
        context.use_private_key_file(name, ssl::context::pem, error);
      }));
  if (tls.verify_client) {
    constexpr auto kMode = ssl::verify_peer | ssl::verify_fail_if_no_peer_cert;
    DROVER_TRY(load("certificates of the authority", tls.ca_file,
                    [&](const std::string& name, ByteStream::ErrorCode& error) {
                      context.load_verify_file(name, error);
                      if (!error) context.set_verify_mode(kMode, error);
                    }));
  }
  return std::shared_ptr<TlsContext>(new TlsContext(std::move(state)));
}

// Unlike Load, accepts files that are not regular. A user may pass, for example, the pipe of a
// shell's process substitution.
Result<std::shared_ptr<TlsContext>> TlsContext::LoadForClient(const TlsTrust& trust) {
  auto state = std::make_unique<State>(ssl::context::tls_client);
  state->any_name = trust.any_name;
  ssl::context& context = state->context;
  SSL_CTX* const native = context.native_handle();
  SSL_CTX_set_cipher_list(native, "DEFAULT:!kDHE");  // the key exchanges of TLS 1.2; see State
  // The certificate that the user trusts may be an intermediate certificate.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(native), X509_V_FLAG_PARTIAL_CHAIN);
  if (trust.ca_file.empty() && trust.ca_path.empty()) SSL_CTX_set_default_verify_paths(native);
  ByteStream::ErrorCode error;
  context.set_verify_mode(trust.skip_verify ? ssl::verify_none : ssl::verify_peer, error);
  const auto wrong = [&error](const char* what, const std::string& file) {
    return CannotUse(Code::kFailedPrecondition, what, file, error.message());
  };
  if (!trust.ca_file.empty()) context.load_verify_file(trust.ca_file, error);
  if (error) return wrong("certificates of the authority", trust.ca_file);
  if (!trust.ca_path.empty()) context.add_verify_path(trust.ca_path, error);
  if (error) return wrong("directory of certificates", trust.ca_path);
  if (trust.cert_file.empty()) return std::shared_ptr<TlsContext>(new TlsContext(std::move(state)));
  context.use_certificate_chain_file(trust.cert_file, error);
  if (error) return wrong("certificate", trust.cert_file);
  const std::string& key_file = trust.key_file.empty() ? trust.cert_file : trust.key_file;
  context.use_private_key_file(key_file, ssl::context::pem, error);
  if (error) return wrong("private key", key_file);
  return std::shared_ptr<TlsContext>(new TlsContext(std::move(state)));
}

std::unique_ptr<ByteStream> TlsContext::MakeStream(StreamSocket socket, const std::string& server) {
  return std::make_unique<TlsStream>(std::move(socket), state_->context, server, state_->any_name);
}

}  // namespace drover
