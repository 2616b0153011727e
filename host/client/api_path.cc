// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/api_path.h"

#include <cctype>
#include <string_view>

namespace drover {
namespace {

std::string UrlEscaped(std::string_view text) {
  constexpr std::string_view kUnreserved = "-._~";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || kUnreserved.find(c) != kUnreserved.npos) {
      out += c;
    } else {
      constexpr char kDigits[] = "0123456789ABCDEF";
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

}  // namespace

std::string ApiPath(const std::string& base, const std::string& id, const std::string& rest) {
  return base + "/" + UrlEscaped(id) + rest;
}

std::string WithQuery(const std::string& path, const Query& query) {
  std::string target = path;
  char separator = path.find('?') == std::string::npos ? '?' : '&';
  for (const auto& [name, value] : query) {
    target += separator + name + "=" + UrlEscaped(value);
    separator = '&';
  }
  return target;
}

}  // namespace drover
