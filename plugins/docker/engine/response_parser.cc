// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/response_parser.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/none.hpp>
#include <cstdint>
#include <optional>

#include "engine/chunk_decoder.h"

namespace drover_docker {
namespace http = boost::beast::http;

// Beast parses the head, which it gets in one piece. The body is found here.
class ResponseParser::State {
 public:
  State(bool has_body, bool raw) : has_body_(has_body), raw_(raw) {}

  std::size_t Put(std::string_view bytes, std::string_view* body) {
    *body = {};
    if (done || !mistake.empty()) return 0;
    if (!bytes.empty()) begun = true;
    if (head.status == 0) return PutHead(bytes);
    if (chunked_) {
      const std::size_t taken = chunks_.Put(bytes, body);
      done = chunks_.done();
      if (chunks_.failed()) mistake = "the chunks of its answer are malformed";
      return taken;
    }
    *body = bytes;
    if (!left_) return bytes.size();
    if (*left_ < bytes.size()) *body = bytes.substr(0, static_cast<std::size_t>(*left_));
    *left_ -= body->size();
    done = *left_ == 0;
    return body->size();
  }

  void PutEnd() {
    if (done) return;
    done = mistake.empty() && head.status != 0 && !chunked_ && !left_;
    if (!done && mistake.empty())
      mistake = "it closed the connection before its answer was complete";
  }

  HttpHead head;
  bool begun = false;
  bool done = false;
  bool keep_alive = false;
  std::string mistake;

 private:
  std::size_t PutHead(std::string_view bytes) {
    const std::size_t before = text_.size();
    // Not more than a head may have: what follows it may be large.
    bytes = bytes.substr(0, kMostHead + 4);
    text_ += bytes;
    const std::size_t end = text_.find("\r\n\r\n", before < 3 ? 0 : before - 3);
    if (std::min(end, text_.size()) > kMostHead) {
      mistake = "the header of its answer is larger than 64 KiB";
      return 0;
    }
    if (end == text_.npos) {
      // Something that is no HTTP must not be awaited for long.
      const std::string_view begin("HTTP/1.");
      const std::string_view start = std::string_view(text_).substr(0, begin.size());
      if (start != begin.substr(0, start.size())) mistake = "it does not speak HTTP/1.1";
      return bytes.size();
    }
    text_.resize(end + 4);
    const std::size_t taken = text_.size() - before;
    ParseHead();
    text_.clear();
    return taken;
  }

  void ParseHead() {
    http::response_parser<http::empty_body> parser;
    parser.header_limit(kMostHead + 4);
    parser.body_limit(boost::none);
    if (!has_body_) parser.skip(true);
    boost::beast::error_code error;
    parser.put(boost::asio::buffer(text_), error);
    if (error || !parser.is_header_done()) {
      mistake = "it does not speak HTTP/1.1: " + error.message();
      return;
    }
    const int status = static_cast<int>(parser.get().result_int());
    if (status / 100 == 1 && !(status == 101 && raw_)) {
      if (status == 101 || ++interim_ > kMostInterim) mistake = "it sends no final answer";
      return;
    }
    for (const auto& field : parser.get()) {
      std::string name(field.name_string().data(), field.name_string().size());
      for (char& c : name) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      }
      head.headers[name] = std::string(field.value().data(), field.value().size());
    }
    head.status = status;
    chunked_ = parser.chunked();
    if (const auto length = parser.content_length()) left_ = *length;
    done = parser.is_done() || (left_ && *left_ == 0 && !chunked_);
    if (raw_ && (status == 101 || (status == 200 && !chunked_ && !left_))) done = true;
    keep_alive = parser.keep_alive() && !raw_;
  }

  const bool has_body_;
  const bool raw_;
  std::string text_;  // the part of the head that has arrived
  int interim_ = 0;
  bool chunked_ = false;
  std::optional<std::uint64_t> left_;  // bytes of the body that are missing; not set if unknown
  ChunkDecoder chunks_;
};

ResponseParser::ResponseParser(bool has_body, bool raw)
    : state_(std::make_unique<State>(has_body, raw)) {}
ResponseParser::~ResponseParser() = default;

std::size_t ResponseParser::Put(std::string_view bytes, std::string_view* body) {
  return state_->Put(bytes, body);
}
void ResponseParser::PutEnd() { state_->PutEnd(); }
bool ResponseParser::has_head() const { return state_->head.status != 0; }
bool ResponseParser::done() const { return state_->done; }
bool ResponseParser::begun() const { return state_->begun; }
const std::string& ResponseParser::mistake() const { return state_->mistake; }
const HttpHead& ResponseParser::head() const { return state_->head; }
bool ResponseParser::keep_alive() const { return state_->keep_alive; }

}  // namespace drover_docker
