// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/api_target.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "host/http/http_message.h"

namespace drover {
namespace {

// Escapes what must not stand in the line of a request, and what curl would read as a pattern.
std::string Escaped(std::string_view path) {
  constexpr std::string_view kOdd = "\"#<>[\\]^`{|}";
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7f && kOdd.find(c) == kOdd.npos) {
      out += c;
    } else {
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

bool IsTokenCharacter(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || kMarks.find(c) != kMarks.npos;
}

}  // namespace

Result<ApiTarget> ReadApiTarget(const std::string& text, bool tls) {
  if (text.starts_with('/')) return ApiTarget{"", Escaped(text)};
  const std::size_t scheme_end = text.find("://");
  const std::size_t begin = scheme_end == text.npos ? 0 : scheme_end + 3;
  const std::string scheme = text.substr(0, begin);
  const std::string path = text.substr(std::min(text.find('/', begin), text.size()));
  const std::string host = text.substr(begin, text.size() - begin - path.size());
  const bool known = scheme.empty() || scheme == "http://" || scheme == "https://";
  if (!known || host.empty() || path.empty() || (scheme.empty() && host == "v1")) {
    return Error(Code::kInvalidArgument, "\"" + text +
                                             "\" is no path of the API: write it as /v1/jobs, "
                                             "HOST:PORT/v1/jobs or https://HOST:PORT/v1/jobs");
  }
  return ApiTarget{(scheme.empty() ? (tls ? "https://" : "http://") : scheme) + host,
                   Escaped(path)};
}

bool HasParameter(const std::string& path, const std::string& name) {
  const std::size_t mark = path.find('?');
  const std::string query = mark == path.npos ? "" : "&" + path.substr(mark + 1) + "&";
  return query.find("&" + name + "=") != query.npos || query.find("&" + name + "&") != query.npos;
}

Result<std::pair<std::string, std::string>> ReadHeader(const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string name = text.substr(0, colon);
  std::string value = text.substr(std::min(colon + 1, text.size()));
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  value.erase(value.begin(), std::find_if_not(value.begin(), value.end(), is_blank));
  while (!value.empty() && is_blank(value.back())) value.pop_back();
  const auto is_control = [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; };
  if (colon == text.size() || name.empty() ||
      !std::all_of(name.begin(), name.end(), IsTokenCharacter) ||
      std::any_of(value.begin(), value.end(), is_control)) {
    return Error(Code::kInvalidArgument, "-H " + text + ": write it as 'NAME: VALUE'");
  }
  for (const char* own : {"Content-Length", "Transfer-Encoding", "Connection"}) {
    if (!EqualsIgnoringCase(name, own)) continue;
    return Error(Code::kInvalidArgument, "-H " + text + ": the command itself sets this header");
  }
  return std::pair(name, value);
}

}  // namespace drover
