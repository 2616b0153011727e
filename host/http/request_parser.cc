// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/request_parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "host/http/chunked_decoder.h"

namespace drover {
namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

// Parses a request. Beast parses the head, which it gets in one piece. CheckHead and the functions
// on_..._impl have the rules that are stricter than Beast's rules.
class RequestParser::Parser : public http::basic_parser<true> {
 public:
  explicit Parser(Limits limits) : limits_(limits), chunks_(limits.body_bytes) {
    header_limit(static_cast<std::uint32_t>(limits.header_bytes + 1));
    body_limit(limits.body_bytes);
    eager(true);
  }

  std::size_t Put(std::string_view bytes) {
    if (refusal || body_done()) return 0;
    if (is_header_done()) return PutBody(bytes);
    const std::size_t end = CheckHead(bytes);
    if (end == 0 || refusal) return 0;
    const std::size_t taken = PutHead(bytes.substr(0, end));
    if (!is_header_done()) Refuse(400, "not a request of HTTP/1.1");
    return taken;
  }

  bool body_done() {
    if (!is_header_done()) return false;
    return chunked() ? chunks_.done() : arrived_ == length_;
  }

  std::optional<std::size_t> body_length() const {
    return chunked() ? std::nullopt : std::optional<std::size_t>(length_);
  }

  void Discard() { discards_ = true; }

  HttpRequest request;
  std::optional<Refusal> refusal;
  bool http_1_0 = false;

 private:
  void Refuse(int status, std::string text) {
    if (!refusal) refusal = Refusal{status, std::move(text)};
  }

  // Examines each byte of the head once. Returns the end of the head, or 0 if the end has not come
  // yet.
  std::size_t CheckHead(std::string_view bytes) {
    for (; checked_ < bytes.size(); ++checked_) {
      if (checked_ >= limits_.header_bytes) {
        Refuse(431, "the header is larger than " + std::to_string(limits_.header_bytes) + " bytes");
        return 0;
      }
      const unsigned char c = bytes[checked_];
      const char before = checked_ > 0 ? bytes[checked_ - 1] : '\0';
      if ((before == '\r') != (c == '\n')) {
        Refuse(400, "a line of the header does not end with CR LF");
        return 0;
      }
      if (before == '\n' && (c == ' ' || c == '\t')) {
        Refuse(400, "a line of the header is folded");
        return 0;
      }
      if ((c < ' ' && c != '\t' && c != '\r' && c != '\n') || c == 0x7f) {
        Refuse(400, "the header has a control character");
        return 0;
      }
      if (c == '\n' && checked_ >= 3 && bytes[checked_ - 2] == '\n') return ++checked_;
    }
    return 0;
  }

  std::size_t PutHead(std::string_view bytes) {
    error_code error;
    const std::size_t taken = put(boost::asio::buffer(bytes.data(), bytes.size()), error);
    if (error == http::error::body_limit) {
      RefuseLargeBody();
    } else if (error && error != http::error::need_more) {
      Refuse(400, "not a request of HTTP/1.1: " + error.message());
    }
    return taken;
  }

  std::size_t PutBody(std::string_view bytes) {
    if (!chunked()) {
      const std::string_view data = bytes.substr(0, length_ - arrived_);
      Append(data);
      return data.size();
    }
    std::string_view data;
    const std::size_t taken = chunks_.Put(bytes, &data);
    Append(data);
    if (chunks_.too_large()) {
      RefuseLargeBody();
    } else if (chunks_.failed()) {
      Refuse(400, "the chunked body is malformed");
    }
    return taken;
  }

  void Append(std::string_view data) {
    if (arrived_ + data.size() > limits_.body_bytes) return RefuseLargeBody();
    arrived_ += data.size();
    if (discards_) return;
    if (request.body.empty() && !chunked()) request.body.reserve(length_);
    request.body += data;
  }

  void RefuseLargeBody() {
    Refuse(413, "the body is larger than " + std::to_string(limits_.body_bytes) + " bytes");
  }

  void on_request_impl(http::verb, string_view method, string_view target, int version,
                       error_code&) override {
    http_1_0 = version < 11;
    request.method.assign(method.data(), method.size());
    std::string_view rest(target.data(), target.size());
    if (rest != "*" && !rest.starts_with('/')) {
      return Refuse(400, "the target of the request does not begin with /");
    }
    const std::size_t mark = rest.find('?');
    request.path = rest.substr(0, mark);
    if (mark == rest.npos) return;
    auto query = ParseQuery(rest.substr(mark + 1));
    if (!query) return Refuse(400, query.error().message());
    request.query = std::move(*query);
  }

  void on_field_impl(http::field field, string_view name, string_view value, error_code&) override {
    if (field == http::field::content_length) {
      if (++lengths_ > 1 || value.find_first_not_of("0123456789") != value.npos) {
        Refuse(400, "Content-Length is not one number");
      }
    } else if (field == http::field::transfer_encoding) {
      ++codings_;
      if (http_1_0) Refuse(400, "HTTP/1.0 has no Transfer-Encoding");
      if (codings_ > 1 ||
          !EqualsIgnoringCase(std::string_view(value.data(), value.size()), "chunked")) {
        Refuse(501, "the only supported Transfer-Encoding is chunked");
      }
    } else if (field == http::field::host) {
      ++hosts_;
    }
    request.headers.emplace_back(std::string(name.data(), name.size()),
                                 std::string(value.data(), value.size()));
  }

  void on_header_impl(error_code&) override {
    length_ = static_cast<std::size_t>(content_length().value_or(0));
    if (lengths_ > 0 && codings_ > 0) {
      Refuse(400, "both Content-Length and Transfer-Encoding are given");
    }
    if (hosts_ > 1 || (hosts_ == 0 && !http_1_0))
      Refuse(400, "there is not exactly one Host header");
  }

  // Beast only determines the length of the body, and PutBody reads the body itself.
  void on_body_init_impl(boost::optional<std::uint64_t> const&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code&) override {
    return body.size();
  }
  void on_finish_impl(error_code&) override {}
  void on_response_impl(int, string_view, int, error_code&) override {}

  const Limits limits_;
  std::size_t checked_ = 0;  // bytes of the head that CheckHead has examined
  int lengths_ = 0, codings_ = 0, hosts_ = 0;
  std::size_t length_ = 0;   // the length of a body that is not chunked
  std::size_t arrived_ = 0;  // bytes of the body that have arrived
  bool discards_ = false;
  ChunkedDecoder chunks_;
};

RequestParser::RequestParser(Limits limits) : parser_(std::make_unique<Parser>(limits)) {}
RequestParser::~RequestParser() = default;

std::size_t RequestParser::Put(std::string_view bytes) { return parser_->Put(bytes); }
bool RequestParser::head_done() const { return parser_->is_header_done(); }
bool RequestParser::done() const { return parser_->body_done(); }
const std::optional<RequestParser::Refusal>& RequestParser::refusal() const {
  return parser_->refusal;
}
bool RequestParser::keep_alive() const { return parser_->keep_alive(); }
bool RequestParser::http_1_0() const { return parser_->http_1_0; }
bool RequestParser::has_body() const { return !parser_->body_done(); }
std::optional<std::size_t> RequestParser::body_length() const { return parser_->body_length(); }
void RequestParser::DiscardBody() { parser_->Discard(); }
HttpRequest& RequestParser::request() { return parser_->request; }

}  // namespace drover
