// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/source_url.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "host/base/text.h"

namespace drover {
namespace {

Error NoUrl(const std::string& why) { return Error(Code::kInvalidArgument, "is no URL: " + why); }

bool IsLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsUnreserved(char c) {
  return IsLetter(c) || IsDigit(c) || c == '-' || c == '_' || c == '.' || c == '~';
}

// Replaces each %XX, and "+" by a space if it is the one of a query. Returns nothing for any other
// use of "%".
std::optional<std::string> Unescape(std::string_view text, bool query) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = HexDigit(text[i + 1]), low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += query && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

// Escapes all characters but the unreserved ones and those of MORE.
std::string Escape(std::string_view text, std::string_view more) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (IsUnreserved(c) || more.find(c) != more.npos) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

std::string EscapeQuery(std::string_view text) {
  std::string out = Escape(text, " ");
  std::replace(out.begin(), out.end(), ' ', '+');
  return out;
}

// Whether TEXT may stand in a URL as a path as it is.
bool IsEscapedPath(std::string_view text) {
  constexpr std::string_view kOthers = "!$&'()*+,;=:@[]/%";
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return IsUnreserved(c) || kOthers.find(c) != kOthers.npos; });
}

// Returns the length of the scheme of TEXT, or 0 if there is none. Fails if TEXT begins with ":".
Result<std::size_t> SchemeLength(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (IsLetter(c)) continue;
    if (IsDigit(c) || c == '+' || c == '-' || c == '.') {
      if (i == 0) return std::size_t{0};
    } else if (c == ':') {
      if (i == 0) return NoUrl("the scheme is missing");
      return i;
    } else {
      return std::size_t{0};
    }
  }
  return std::size_t{0};
}

Status CheckUser(std::string_view user) {
  constexpr std::string_view kOthers = "-._:~!$&'()*+,;=%@";
  const bool plain = std::all_of(user.begin(), user.end(), [&](char c) {
    return IsLetter(c) || IsDigit(c) || kOthers.find(c) != kOthers.npos;
  });
  if (plain && Unescape(user, false)) return {};
  return NoUrl("its user has a character that must be escaped");
}

Status CheckHost(std::string_view host) {
  std::string_view port;
  if (host.starts_with('[')) {
    const std::size_t end = host.rfind(']');
    if (end == host.npos) return NoUrl("a \"]\" is missing in the host");
    port = host.substr(end + 1);
  } else if (const std::size_t colon = host.rfind(':'); colon != host.npos) {
    port = host.substr(colon);
  }
  if (!port.empty() && (port[0] != ':' || !std::all_of(port.begin() + 1, port.end(), IsDigit))) {
    return NoUrl("its port is no number");
  }
  constexpr std::string_view kOthers = "!$&'()*+,;=:[]<>\"%";
  const bool plain = std::all_of(host.begin(), host.end(), [&](char c) {
    return IsUnreserved(c) || kOthers.find(c) != kOthers.npos || static_cast<signed char>(c) < 0;
  });
  if (!plain) return NoUrl("its host has a character that no host has");
  return {};
}

void ReadQuery(std::string_view text, SourceUrl* url) {
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    if (pair.empty() || pair.find(';') != pair.npos) continue;  // Go drops such pairs
    const std::size_t equal = pair.find('=');
    const auto name = Unescape(pair.substr(0, equal), true);
    const auto value =
        Unescape(equal == pair.npos ? std::string_view() : pair.substr(equal + 1), true);
    if (name && value) url->query[*name].push_back(*value);
  }
}

}  // namespace

std::string SourceUrl::Parameter(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second.front();
}

std::string SourceUrl::EscapedPath() const {
  if (IsEscapedPath(raw_path) && Unescape(raw_path, false) == path) return raw_path;
  return path == "*" ? path : Escape(path, "$&+,/:;=@");
}

std::string SourceUrl::QueryText() const {
  std::string text;
  for (const auto& [name, values] : query) {
    for (const std::string& value : values) {
      if (!text.empty()) text += '&';
      text += EscapeQuery(name) + "=" + EscapeQuery(value);
    }
  }
  return text;
}

std::string SourceUrl::Text() const {
  std::string text;
  if (!scheme.empty()) text += scheme + ":";
  if (!scheme.empty() || !host.empty() || !user.empty()) text += "//";
  if (!user.empty()) text += user + "@";
  text += host;
  const std::string escaped = EscapedPath();
  if (!escaped.empty() && escaped[0] != '/' && !host.empty()) text += '/';
  text += escaped;
  if (const std::string parameters = QueryText(); !parameters.empty()) text += "?" + parameters;
  if (!fragment.empty()) text += "#" + fragment;
  return text;
}

std::string SourceUrl::Shown() const {
  SourceUrl shown = *this;
  shown.user.clear();
  shown.query.clear();
  shown.fragment.clear();
  return shown.Text();
}

Result<SourceUrl> ParseSourceUrl(std::string_view text) {
  const bool has_control = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
  });
  if (has_control) return NoUrl("it has a control character");
  SourceUrl url;
  if (const std::size_t hash = text.find('#'); hash != text.npos) {
    url.fragment = text.substr(hash + 1);
    if (!Unescape(url.fragment, false)) return NoUrl("its fragment has a wrong escape");
    text = text.substr(0, hash);
  }
  DROVER_ASSIGN(const std::size_t scheme, SchemeLength(text));
  if (scheme > 0) {
    url.scheme = text.substr(0, scheme);
    std::transform(url.scheme.begin(), url.scheme.end(), url.scheme.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    text.remove_prefix(scheme + 1);
  }
  if (const std::size_t question = text.find('?'); question != text.npos) {
    ReadQuery(text.substr(question + 1), &url);
    text = text.substr(0, question);
  }
  if (!text.starts_with('/')) {
    if (!url.scheme.empty()) {
      url.opaque = true;
      url.path = url.raw_path = text;
      return url;
    }
    if (text.substr(0, text.find('/')).find(':') != text.npos) {
      return NoUrl("the first part of its path has a colon");
    }
  }
  if (text.starts_with("//") && (!url.scheme.empty() || !text.starts_with("///"))) {
    text.remove_prefix(2);
    std::string_view authority = text.substr(0, text.find('/'));
    text.remove_prefix(authority.size());
    if (const std::size_t at = authority.rfind('@'); at != authority.npos) {
      url.user = authority.substr(0, at);
      DROVER_TRY(CheckUser(url.user));
      authority.remove_prefix(at + 1);
    }
    DROVER_TRY(CheckHost(authority));
    url.host = authority;
  }
  const auto path = Unescape(text, false);
  if (!path) return NoUrl("its path has a wrong escape");
  url.path = *path;
  url.raw_path = text;
  return url;
}

std::string ShownSource(std::string_view text) {
  const std::string_view whole = text;
  text = text.substr(0, text.find_first_of("?#"));
  const std::size_t at = text.rfind('@');
  const std::size_t slashes = text.find("//");
  if (at == text.npos) {
    // A password may have a "?" or a "#" that should have been escaped. Then its beginning is here.
    const std::size_t begin = slashes == text.npos ? 0 : slashes + 2;
    const std::string_view rest = text.substr(begin);
    const bool may_be_user =
        rest.find('/') == rest.npos || !CheckHost(rest.substr(0, rest.find('/'))).ok();
    if (!may_be_user || whole.find('@', text.size()) == whole.npos) return std::string(text);
    return std::string(text.substr(0, begin)) + "...";
  }
  const std::size_t keep = slashes == text.npos || slashes > at ? 0 : slashes + 2;
  return std::string(text.substr(0, keep)) + std::string(text.substr(at + 1));
}

std::string CleanPath(std::string_view path) {
  const bool rooted = path.starts_with('/');
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (!rooted) {
      parts.push_back(part);
    }
  }
  std::string clean = rooted ? "/" : "";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) clean += '/';
    clean += parts[i];
  }
  return clean.empty() ? "." : clean;
}

std::string BaseName(std::string_view path) {
  if (path.empty()) return ".";
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  if (path.empty()) return "/";
  const std::size_t slash = path.rfind('/');
  return std::string(slash == path.npos ? path : path.substr(slash + 1));
}

bool HasDotDot(std::string_view path) {
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find_first_of("/\\"));
    if (part == "..") return true;
    path.remove_prefix(std::min(path.size(), part.size() + 1));
  }
  return false;
}

}  // namespace drover
