// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/content_type.h"

#include "host/http/http_message.h"

namespace drover {
namespace {

using std::string_view_literals::operator""sv;

constexpr char kText[] = "text/plain; charset=utf-8";

struct Signature {
  std::string_view bytes;
  const char* type;
};

constexpr Signature kSignatures[] = {
    {"%PDF-"sv, "application/pdf"},      {"\x89PNG\r\n\x1a\n"sv, "image/png"},
    {"\xff\xd8\xff"sv, "image/jpeg"},    {"GIF87a"sv, "image/gif"},
    {"GIF89a"sv, "image/gif"},           {"\x1f\x8b\x08"sv, "application/x-gzip"},
    {"PK\x03\x04"sv, "application/zip"}, {"<?xml"sv, "text/xml; charset=utf-8"},
};

// The texts with which HTML pages begin, after white space.
constexpr std::string_view kPages[] = {
    "<!doctype html", "<html", "<head", "<script", "<iframe", "<body", "<title", "<style", "<table",
    "<div",           "<h1",   "<font", "<a",      "<b",      "<br",   "<p",     "<!--"};

bool IsPage(std::string_view beginning) {
  const std::size_t first = beginning.find_first_not_of("\t\n\f\r ");
  if (first == std::string_view::npos) return false;
  beginning.remove_prefix(first);
  for (const std::string_view page : kPages) {
    if (EqualsIgnoringCase(beginning.substr(0, page.size()), page)) return true;
  }
  return false;
}

// Returns whether C is a byte that does not occur in text.
bool IsBinary(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x08 || byte == 0x0b || (byte >= 0x0e && byte <= 0x1a) ||
         (byte >= 0x1c && byte <= 0x1f);
}

}  // namespace

std::string ContentTypeOf(std::string_view name, std::string_view beginning) {
  if (name.ends_with(".json")) return "application/json";
  beginning = beginning.substr(0, kSniffedBytes);
  if (IsPage(beginning)) return "text/html; charset=utf-8";
  for (const Signature& signature : kSignatures) {
    if (beginning.starts_with(signature.bytes)) return signature.type;
  }
  for (const char c : beginning) {
    if (IsBinary(c)) return "application/octet-stream";
  }
  return kText;
}

std::string PassiveContentType(std::string_view beginning) {
  const std::string type = ContentTypeOf("", beginning);
  const bool active = type.starts_with("text/") || type == "application/pdf";
  return active ? kText : type;
}

}  // namespace drover
