// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/response_parser.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/none.hpp>
#include <cstdint>
#include <optional>

#include "host/http/chunked_decoder.h"

namespace drover {
namespace http = boost::beast::http;
namespace {

constexpr std::size_t kMostHead = 64 << 10;
constexpr std::uint64_t kMostChunk = std::uint64_t{1} << 59;

}  // namespace

// Parses the answer to a request. Beast parses the head, which this class passes to it in one
// piece. This class itself finds the body, as the server's RequestParser does.
class ResponseParser::State {
 public:
  std::size_t Put(std::string_view bytes, std::string_view* body) {
    *body = {};
    if (done || !mistake.empty()) return 0;
    if (status == 0) return PutHead(bytes);
    if (head->chunked()) {
      const std::size_t taken = chunks.Put(bytes, body);
      done = chunks.done();
      if (chunks.failed()) mistake = "its chunked answer is malformed";
      return taken;
    }
    *body = bytes;
    if (!left) return bytes.size();
    if (*left < bytes.size()) *body = bytes.substr(0, static_cast<std::size_t>(*left));
    *left -= body->size();
    done = *left == 0;
    return body->size();
  }

  void PutEnd() {
    if (done) return;
    done = status != 0 && !head->chunked() && !left;
    if (!done && mistake.empty())
      mistake = "it closed the connection before its answer was complete";
  }

  std::optional<http::response_parser<http::empty_body>> head;
  int status = 0;  // the status of the answer; 0 until the head is complete
  bool done = false;
  std::string mistake;

 private:
  std::size_t PutHead(std::string_view bytes) {
    const std::size_t before = text.size();
    text += bytes;
    const std::size_t end = text.find("\r\n\r\n", before < 3 ? 0 : before - 3);
    if (std::min(end, text.size()) > kMostHead) {
      mistake = "the header of its answer is larger than 64 KiB";
      return 0;
    }
    if (end == text.npos) return bytes.size();
    text.resize(end + 4);
    const std::size_t taken = text.size() - before;
    ParseHead();
    text.clear();
    return taken;
  }

  void ParseHead() {
    head.emplace();
    head->header_limit(kMostHead + 4);
    head->body_limit(boost::none);
    boost::beast::error_code error;
    head->put(boost::asio::buffer(text), error);
    if (error || !head->is_header_done()) {
      mistake = "it does not speak HTTP/1.1: " + error.message();
      return;
    }
    const int code = static_cast<int>(head->get().result_int());
    if (code / 100 == 1) return;
    status = code;
    done = head->is_done();
    if (const auto length = head->content_length()) left = *length;
  }

  std::string text;  // the part of the head that has arrived
  // The number of bytes of the body that are missing. Not set if the size of the body is unknown.
  std::optional<std::uint64_t> left;
  ChunkedDecoder chunks{kMostChunk};
};

ResponseParser::ResponseParser() : state_(std::make_unique<State>()) {}
ResponseParser::~ResponseParser() = default;

std::size_t ResponseParser::Put(std::string_view bytes, std::string_view* body) {
  return state_->Put(bytes, body);
}
void ResponseParser::PutEnd() { state_->PutEnd(); }
bool ResponseParser::done() const { return state_->done; }
const std::string& ResponseParser::mistake() const { return state_->mistake; }
int ResponseParser::status() const { return state_->status; }
bool ResponseParser::keep_alive() const { return state_->head->keep_alive(); }

std::string ResponseParser::Header(std::string_view name) const {
  const auto value = state_->head->get()[boost::beast::string_view(name.data(), name.size())];
  return std::string(value.data(), value.size());
}

ReplyHead ResponseParser::head() const {
  const auto text = [](boost::beast::string_view some) {
    return std::string(some.data(), some.size());
  };
  const auto& parsed = state_->head->get();
  ReplyHead head{state_->status, text(parsed.reason()), {}};
  for (const auto& field : parsed) {
    head.headers.emplace_back(text(field.name_string()), text(field.value()));
  }
  return head;
}

}  // namespace drover
