// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/http_message.h"

#include "drover/error.hpp"

namespace drover_docker {
namespace {

void CheckPlain(std::string_view text, const char* what) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      throw drover::Error(
          drover::Code::kInvalidArgument,
          std::string(what) + " of a request to the engine has a control character");
    }
  }
}

void AddField(std::string* out, std::string_view name, std::string_view value) {
  CheckPlain(name, "the name of a header");
  CheckPlain(value, "a header");
  *out += name;
  *out += ": ";
  *out += value;
  *out += "\r\n";
}

}  // namespace

std::string HttpHead::Header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

std::string PercentEncode(std::string_view text, std::string_view keep) {
  static const char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain || keep.find(c) != keep.npos) {
      out += c;
      continue;
    }
    out += '%';
    out += kHex[static_cast<unsigned char>(c) >> 4];
    out += kHex[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::string Target(std::string_view path,
                   const std::vector<std::pair<std::string, std::string>>& query) {
  std::string out(path);
  char separator = '?';
  for (const auto& [name, value] : query) {
    out += separator;
    out += PercentEncode(name);
    out += '=';
    out += PercentEncode(value);
    separator = '&';
  }
  return out;
}

std::string RequestHead(const HttpRequest& request, const std::string& host, bool upgrade) {
  CheckPlain(request.method, "the method");
  CheckPlain(request.target, "the target");
  if (request.target.empty() || request.target[0] != '/' ||
      request.target.find(' ') != std::string::npos) {
    throw drover::Error(drover::Code::kInvalidArgument,
                        "the target of a request to the engine is not encoded");
  }
  std::string out = request.method + " " + request.target + " HTTP/1.1\r\n";
  AddField(&out, "Host", host);
  AddField(&out, "User-Agent", "drover-docker");
  for (const auto& [name, value] : request.headers) AddField(&out, name, value);
  if (upgrade) {
    AddField(&out, "Connection", "Upgrade");
    AddField(&out, "Upgrade", "tcp");
  }
  if (!request.content_type.empty()) AddField(&out, "Content-Type", request.content_type);
  if (request.body_fd >= 0) {
    AddField(&out, "Transfer-Encoding", "chunked");
  } else if (!request.body.empty() || (request.method != "GET" && request.method != "HEAD")) {
    AddField(&out, "Content-Length", std::to_string(request.body.size()));
  }
  out += "\r\n";
  return out;
}

}  // namespace drover_docker
