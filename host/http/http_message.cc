// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/http_message.h"

#include <algorithm>

#include "host/base/text.h"

namespace drover {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

}  // namespace

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

const std::string* HttpRequest::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (EqualsIgnoringCase(key, name)) return &value;
  }
  return nullptr;
}

const std::string* HttpRequest::Query(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return &value;
  }
  return nullptr;
}

HttpReply TextReply(int status, std::string text) {
  HttpReply reply;
  reply.status = status;
  reply.content_type = "text/plain; charset=utf-8";
  reply.body = std::move(text);
  return reply;
}

Result<std::string> PercentDecode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return Error(Code::kInvalidArgument,
                     "a % in the URL is not followed by two hexadecimal digits");
      }
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (c == '\0') return Error(Code::kInvalidArgument, "the URL has a NUL character");
    decoded += c;
  }
  return decoded;
}

Result<HttpFields> ParseQuery(std::string_view text) {
  HttpFields fields;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    std::string name(pair.substr(0, equals));
    std::string value(equals == pair.npos ? std::string_view() : pair.substr(equals + 1));
    std::replace(name.begin(), name.end(), '+', ' ');
    std::replace(value.begin(), value.end(), '+', ' ');
    DROVER_ASSIGN(name, PercentDecode(name));
    DROVER_ASSIGN(value, PercentDecode(value));
    fields.emplace_back(std::move(name), std::move(value));
  }
  return fields;
}

}  // namespace drover
