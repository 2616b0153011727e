// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/text.h"
#include "host/govalues/go_text.h"
#include "host/template/function.h"
#include "host/template/render_state.h"

// The functions of paths and URLs.
namespace drover::templates {
namespace {

constexpr std::size_t kLongestPath = 64 << 10;

Status CheckPath(const Call& call) {
  if (call.text(0).size() <= kLongestPath) return {};
  return CallError("the path is longer than " + std::to_string(kLongestPath) + " bytes");
}

std::string CleanPath(const std::string& path) {
  const bool rooted = path.starts_with('/');
  std::vector<std::string> parts;
  for (const std::string& part : Split(path, "/")) {
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (part != ".." || !rooted) {
      parts.push_back(part);
    }
  }
  const std::string joined = (rooted ? "/" : "") + Join(parts, "/");
  return joined.empty() ? "." : joined;
}

Result<Value> PathClean(const Call& call) {
  DROVER_TRY(CheckPath(call));
  return call.Text(CleanPath(call.text(0)));
}

Result<Value> PathBase(const Call& call) {
  std::string path = call.text(0);
  if (path.empty()) return call.Text(".");
  while (path.ends_with('/')) path.pop_back();
  path.erase(0, path.rfind('/') + 1);  // npos + 1 is 0
  return call.Text(path.empty() ? "/" : path);
}

Result<Value> PathDir(const Call& call) {
  DROVER_TRY(CheckPath(call));
  const std::string& path = call.text(0);
  return call.Text(CleanPath(path.substr(0, path.rfind('/') + 1)));
}

Result<Value> PathExt(const Call& call) {
  const std::string& path = call.text(0);
  const std::size_t dot = path.rfind('.');
  const std::size_t slash = path.rfind('/');
  const bool has = dot != std::string::npos && (slash == std::string::npos || slash < dot);
  return call.Text(has ? path.substr(dot) : "");
}

Result<Value> PathIsAbs(const Call& call) { return Value::Bool(call.text(0).starts_with('/')); }

// Without the text, which may have a password.
Error WrongUrl() { return CallError("unable to parse url: the text is no URL"); }

// Returns TEXT with its escapes, such as %20, resolved.
std::optional<std::string> UnescapedUrl(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size() || HexDigit(text[i + 1]) < 0 || HexDigit(text[i + 2]) < 0) {
      return std::nullopt;
    }
    out += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
    i += 2;
  }
  return out;
}

// Returns TEXT with all bytes escaped that are neither letters, digits nor in ALLOWED.
std::string EscapedUrl(std::string_view text, std::string_view allowed) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte < 0x80 && (IsLetter(byte) || IsDigitCharacter(byte))) ||
                       (c != '\0' && allowed.find(c) != std::string_view::npos);
    if (plain) {
      out += c;
      continue;
    }
    out += '%';
    out += "0123456789ABCDEF"[byte >> 4];
    out += "0123456789ABCDEF"[byte & 15];
  }
  return out;
}
constexpr std::string_view kInPath = "-_.~$&+,/:;=@";
constexpr std::string_view kInUser = "-_.~$&+,;=";
constexpr std::string_view kInFragment = "-_.~$&+,/:;=?@!()*";

// Returns the scheme that URL begins with; none if it has none.
std::string SchemeOf(std::string_view url) {
  const std::size_t colon = url.find(':');
  if (colon == std::string_view::npos || colon == 0 ||
      !IsLetter(static_cast<unsigned char>(url[0])))
    return "";
  const std::string_view scheme = url.substr(0, colon);
  const bool right = std::ranges::all_of(scheme, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x80 &&
           (IsLetter(byte) || IsDigitCharacter(byte) || c == '+' || c == '-' || c == '.');
  });
  return right ? std::string(scheme) : "";
}

std::string HostName(std::string_view host) {
  if (host.starts_with('[')) return std::string(host.substr(1, host.find(']') - 1));
  return std::string(host.substr(0, host.find(':')));
}

Result<Value> UrlParse(const Call& call) {
  std::string_view rest = call.text(0);
  const Value dict = call.heap().NewMap();
  const auto put = [&](const char* name, std::string text) {
    call.heap().Put(dict, name, call.Text(std::move(text)));
  };
  if (std::ranges::any_of(rest, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; })) {
    return WrongUrl();
  }
  const std::size_t mark = rest.find('#');
  const auto fragment = UnescapedUrl(mark == std::string_view::npos ? "" : rest.substr(mark + 1));
  rest = rest.substr(0, mark);
  if (rest.starts_with(':')) return WrongUrl();
  const std::string scheme = SchemeOf(rest);
  if (!scheme.empty()) rest.remove_prefix(scheme.size() + 1);
  const std::size_t question = rest.find('?');
  put("query", std::string(question == std::string_view::npos ? "" : rest.substr(question + 1)));
  rest = rest.substr(0, question);
  std::string user, host, opaque;
  if (!scheme.empty() && !rest.starts_with('/')) {
    opaque = rest;
    rest = "";
  } else if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    const std::size_t slash = rest.find('/');
    std::string_view authority = rest.substr(0, slash);
    rest = slash == std::string_view::npos ? "" : rest.substr(slash);
    const std::size_t at = authority.rfind('@');
    if (at != std::string_view::npos) {
      const std::string_view info = authority.substr(0, at);
      const std::size_t colon = info.find(':');
      const auto name = UnescapedUrl(info.substr(0, colon));
      const auto password =
          UnescapedUrl(colon == std::string_view::npos ? "" : info.substr(colon + 1));
      if (!name || !password) return WrongUrl();
      user = EscapedUrl(*name, kInUser);
      if (colon != std::string_view::npos) user += ":" + EscapedUrl(*password, kInUser);
      authority.remove_prefix(at + 1);
    }
    host = authority;
  } else if (scheme.empty() && rest.substr(0, rest.find('/')).find(':') != std::string_view::npos) {
    return WrongUrl();
  }
  const auto path = UnescapedUrl(rest);
  if (!path || !fragment) return WrongUrl();
  put("scheme", LowerText(scheme));
  put("host", host);
  put("hostname", HostName(host));
  put("path", *path);
  put("opaque", opaque);
  put("fragment", *fragment);
  put("userinfo", user);
  return dict;
}

// Returns the part NAME of DICT, or an empty text.
Result<std::string> PartOf(const Value& dict, const char* name) {
  const Value* const found = dict.Find(name);
  if (found == nullptr) return std::string();
  if (found->is(Kind::kString)) return found->text();
  return CallError(std::string("unable to parse ") + name + " key, must be of type string, but " +
                   KindName(*found) + " found");
}

Result<Value> UrlJoin(const Call& call) {
  const Value& dict = call.at(0);
  DROVER_ASSIGN(const std::string scheme, PartOf(dict, "scheme"));
  DROVER_ASSIGN(const std::string host, PartOf(dict, "host"));
  DROVER_ASSIGN(const std::string path, PartOf(dict, "path"));
  DROVER_ASSIGN(const std::string query, PartOf(dict, "query"));
  DROVER_ASSIGN(const std::string opaque, PartOf(dict, "opaque"));
  DROVER_ASSIGN(const std::string fragment, PartOf(dict, "fragment"));
  DROVER_ASSIGN(const std::string user, PartOf(dict, "userinfo"));
  std::string out = scheme.empty() ? "" : scheme + ":";
  if (!opaque.empty()) {
    out += opaque;
  } else {
    const bool authority = !scheme.empty() || !host.empty() || !user.empty();
    if (authority && (!host.empty() || !path.empty() || !user.empty())) {
      out += "//";
      if (!user.empty()) out += user + "@";
      out += host;
    }
    if (!path.empty() && path[0] != '/' && !host.empty()) out += '/';
    out += EscapedUrl(path, kInPath);
  }
  if (!query.empty()) out += "?" + query;
  if (!fragment.empty()) out += "#" + EscapedUrl(fragment, kInFragment);
  return call.Text(std::move(out));
}

constexpr Function kUrlFunctions[] = {
    {"sprig_base", "s", PathBase},     {"sprig_osBase", "s", PathBase},
    {"sprig_dir", "s", PathDir},       {"sprig_osDir", "s", PathDir},
    {"sprig_clean", "s", PathClean},   {"sprig_osClean", "s", PathClean},
    {"sprig_ext", "s", PathExt},       {"sprig_osExt", "s", PathExt},
    {"sprig_isAbs", "s", PathIsAbs},   {"sprig_osIsAbs", "s", PathIsAbs},
    {"sprig_urlParse", "s", UrlParse}, {"sprig_urlJoin", "M", UrlJoin},
};

}  // namespace

FunctionSpan UrlFunctions() { return kUrlFunctions; }

}  // namespace drover::templates
