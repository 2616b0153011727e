// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"

namespace drover {

// The parts of a URL, which is read and written as Go's package net/url does, because that is how
// sources of artifacts are understood.
struct SourceUrl {
  std::string scheme;    // in lower case; empty: none
  std::string user;      // "NAME" or "NAME:PASSWORD", as it was written; empty: none
  std::string host;      // with the port, if there is one
  std::string path;      // decoded
  std::string raw_path;  // as it was written
  bool opaque = false;   // there is a scheme, but neither a host nor an absolute path
  std::map<std::string, std::vector<std::string>> query;  // decoded
  std::string fragment;                                   // as it was written

  // Returns the first value of the parameter NAME, or an empty text.
  std::string Parameter(const std::string& name) const;
  // Returns the scheme and the host, such as "https://example.com:81". Who may have the secrets of
  // a URL depends on it.
  std::string Origin() const { return scheme + "://" + host; }
  // Returns the path with all escapes that it needs.
  std::string EscapedPath() const;
  // Returns the query without its question mark, sorted by the names.
  std::string QueryText() const;
  // Returns the URL with the query in that form.
  std::string Text() const;
  // Returns the URL for messages and logs: without the user, the query and the fragment, all of
  // which may hold secrets.
  std::string Shown() const;
};

// Returns Code::kInvalidArgument if TEXT is no URL. The message shows nothing of TEXT.
Result<SourceUrl> ParseSourceUrl(std::string_view text);

// Returns TEXT, in which nothing secret of a URL is left, for messages about a source that cannot
// even be read.
std::string ShownSource(std::string_view text);

// Resolves PATH as Go's path.Clean does: no "." and no "..", unless at the beginning.
std::string CleanPath(std::string_view path);
// Returns the last part of PATH as Go's path.Base does: "." for an empty one and "/" for "/".
std::string BaseName(std::string_view path);
// Whether a part of PATH, between slashes or backslashes, is "..".
bool HasDotDot(std::string_view path);

}  // namespace drover
