// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/image_ref.h"

#include <algorithm>

#include "drover/error.hpp"
#include "engine/engine_error.h"

namespace drover_docker {
namespace {

constexpr std::size_t kMostName = 255;
constexpr std::size_t kMostTag = 128;

[[noreturn]] void RefuseImage(std::string_view text, const std::string& why) {
  throw drover::Error(drover::Code::kInvalidArgument,
                      "the image \"" + Printable(text, 300) + "\" " + why);
}

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return IsLower(c) || (c >= 'A' && c <= 'Z'); }
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }

// A part of a path: letters and digits, and between them one of . _ __ or any number of -.
bool IsPathPart(std::string_view part) {
  std::size_t at = 0;
  bool after_word = false;
  while (at < part.size()) {
    const std::size_t begin = at;
    while (at < part.size() && (IsLower(part[at]) || IsDigit(part[at]))) ++at;
    if (at > begin) {
      after_word = true;
      continue;
    }
    if (!after_word) return false;
    if (part[at] == '.') {
      ++at;
    } else if (part[at] == '_') {
      ++at;
      if (at < part.size() && part[at] == '_') ++at;
    } else if (part[at] == '-') {
      while (at < part.size() && part[at] == '-') ++at;
    } else {
      return false;
    }
    after_word = false;
  }
  return after_word;
}

// A host name or an IPv4 address, or an IPv6 address in brackets, with an optional port.
bool IsRegistry(std::string_view text) {
  std::string_view host = text;
  std::string_view port;
  if (!text.empty() && text[0] == '[') {
    const std::size_t end = text.find(']');
    if (end == text.npos || end == 1) return false;
    const std::string_view inside = text.substr(1, end - 1);
    for (const char c : inside) {
      if (!IsHexDigit(c) && !(c >= 'A' && c <= 'F') && c != ':' && c != '.') return false;
    }
    port = text.substr(end + 1);
    if (!port.empty() && port[0] != ':') return false;
    host = {};
  } else {
    const std::size_t colon = text.find(':');
    host = text.substr(0, colon);
    if (colon != text.npos) port = text.substr(colon);
    if (host.empty() || host.front() == '.' || host.back() == '.' || host.front() == '-' ||
        host.back() == '-' || host.find("..") != host.npos) {
      return false;
    }
    for (const char c : host) {
      if (!IsLetter(c) && !IsDigit(c) && c != '.' && c != '-') return false;
    }
  }
  if (port.empty()) return true;
  port.remove_prefix(1);
  return !port.empty() && port.size() <= 5 && std::all_of(port.begin(), port.end(), IsDigit) &&
         std::stoi(std::string(port)) <= 65535;
}

bool IsTag(std::string_view tag) {
  if (tag.empty() || tag.size() > kMostTag || tag[0] == '.' || tag[0] == '-') return false;
  return std::all_of(tag.begin(), tag.end(), [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '_' || c == '.' || c == '-';
  });
}

bool IsDigest(std::string_view digest) {
  const std::size_t colon = digest.find(':');
  if (colon == digest.npos) return false;
  const std::string_view algorithm = digest.substr(0, colon);
  const std::size_t size = algorithm == "sha256" ? 64 : algorithm == "sha512" ? 128 : 0;
  digest.remove_prefix(colon + 1);
  return size > 0 && digest.size() == size && std::all_of(digest.begin(), digest.end(), IsHexDigit);
}

// A first part is a registry if it looks like a host.
bool LooksLikeHost(std::string_view part) {
  return part == "localhost" || part.find_first_of(".:[") != part.npos ||
         std::any_of(part.begin(), part.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

ImageRef ImageRef::Parse(std::string_view text) {
  std::string_view rest = text;
  for (const std::string_view prefix : {"https://", "http://", "docker://"}) {
    if (rest.substr(0, prefix.size()) == prefix) {
      rest.remove_prefix(prefix.size());
      break;
    }
  }
  if (rest.empty()) RefuseImage(text, "has no name");
  if (rest.size() > 2 * kMostName + kMostTag) RefuseImage(text, "is too long");
  ImageRef out;
  if (const std::size_t at = rest.find('@'); at != rest.npos) {
    out.digest = std::string(rest.substr(at + 1));
    rest = rest.substr(0, at);
    if (!IsDigest(out.digest)) {
      RefuseImage(text, "has no valid digest: it is sha256: and 64 digits of 0-9a-f");
    }
  }
  const std::size_t slash = rest.rfind('/');
  const std::size_t colon = rest.rfind(':');
  if (colon != rest.npos && (slash == rest.npos || colon > slash)) {
    out.tag = std::string(rest.substr(colon + 1));
    rest = rest.substr(0, colon);
    if (!IsTag(out.tag)) {
      RefuseImage(text, "has no valid tag: it has up to 128 letters, digits, _, . and -");
    }
  }
  if (IsImageId(rest))
    RefuseImage(text, "has the form of an id: write a name, or sha256: and the id");
  const std::size_t first = rest.find('/');
  out.registry = "docker.io";
  if (first != rest.npos && LooksLikeHost(rest.substr(0, first))) {
    out.registry = std::string(rest.substr(0, first));
    rest = rest.substr(first + 1);
    if (!IsRegistry(out.registry)) RefuseImage(text, "has no valid registry");
    for (char& c : out.registry) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    if (out.registry == "index.docker.io" || out.registry == "registry-1.docker.io") {
      out.registry = "docker.io";
    }
  }
  out.repository = std::string(rest);
  if (out.registry == "docker.io" && rest.find('/') == rest.npos) {
    out.repository = "library/" + out.repository;
  }
  std::string_view parts(out.repository);
  for (;;) {
    const std::size_t end = parts.find('/');
    if (!IsPathPart(parts.substr(0, end))) {
      RefuseImage(text,
                  "has no valid name: it has lower case letters, digits, and one of . _ - between");
    }
    if (end == parts.npos) break;
    parts.remove_prefix(end + 1);
  }
  if (out.Name().size() > kMostName) RefuseImage(text, "has a name of more than 255 characters");
  if (out.tag.empty() && out.digest.empty()) out.tag = "latest";
  return out;
}

std::string ImageRef::Text() const {
  return Name() + (tag.empty() ? "" : ":" + tag) + (digest.empty() ? "" : "@" + digest);
}

std::string ImageRef::Familiar() const {
  std::string out = Text();
  if (registry != "docker.io") return out;
  out.erase(0, registry.size() + 1);
  constexpr std::string_view kLibrary("library/");
  if (std::string_view(out).substr(0, kLibrary.size()) == kLibrary) out.erase(0, kLibrary.size());
  return out;
}

bool IsImageId(std::string_view text) {
  constexpr std::string_view kPrefix("sha256:");
  if (text.substr(0, kPrefix.size()) == kPrefix) text.remove_prefix(kPrefix.size());
  return text.size() == 64 && std::all_of(text.begin(), text.end(), IsHexDigit);
}

}  // namespace drover_docker
