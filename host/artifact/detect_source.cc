// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/detect_source.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

namespace drover {
namespace {

Error BadForm(std::string message) { return Error(Code::kInvalidArgument, std::move(message)); }

// Splits off the word before "::". Returns it, or an empty text if there is none.
std::string TakeForce(std::string* source) {
  const std::size_t end = source->find("::");
  if (end == std::string::npos || end == 0 || end + 2 == source->size()) return "";
  const bool is_word = std::all_of(source->begin(), source->begin() + static_cast<long>(end),
                                   [](unsigned char c) { return std::isalnum(c) != 0; });
  if (!is_word) return "";
  std::string force = source->substr(0, end);
  source->erase(0, end + 2);
  return force;
}

// Splits off what stands after "//" in the path. The query stays.
std::string TakeSubdirectory(std::string* source) {
  const std::size_t stop = std::min(source->find('?'), source->size());
  const std::size_t scheme = source->find("://");
  const std::size_t from = scheme < stop ? scheme + 3 : 0;
  const std::size_t at = source->find("//", from);
  if (at == std::string::npos || at + 2 > stop) return "";
  std::string subdir = source->substr(at + 2, stop - at - 2);
  *source = source->substr(0, at) + source->substr(stop);
  return subdir;
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('/', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string Join(const std::vector<std::string>& parts, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < parts.size(); ++i) text += (i > from ? "/" : "") + parts[i];
  return text;
}

// Whether TEXT begins as a URL does, and so is no short form. A "://" further on is one of a
// parameter.
bool BeginsAsUrl(const std::string& text) {
  const std::size_t scheme = text.find("://");
  return scheme != std::string::npos &&
         std::all_of(text.begin(), text.begin() + static_cast<long>(scheme), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.';
         });
}

// A detector returns nothing for a source that is not of its form.
using Detected = Result<std::optional<DetectedSource>>;

Detected Made(std::string force, const std::string& url, std::string subdir = "") {
  DROVER_ASSIGN(SourceUrl parsed, ParseSourceUrl(url));
  return std::optional(DetectedSource{std::move(force), std::move(parsed), std::move(subdir)});
}

// HOST/OWNER/NAME and further directories: a git repository.
Detected DetectForge(const std::string& source, const std::string& host) {
  if (!source.starts_with(host + "/")) return std::optional<DetectedSource>();
  const std::vector<std::string> parts = Split(source);
  if (parts.size() < 3) return BadForm("must be " + host + "/OWNER/NAME");
  const std::string subdir = Join(parts, 3);
  if (subdir.find('?') != std::string::npos) {
    return BadForm("with parameters, a directory stands after two slashes: write " + host +
                   "/OWNER/NAME//DIRECTORY?PARAMETERS");
  }
  DROVER_ASSIGN(auto made,
                Made("git", "https://" + parts[0] + "/" + parts[1] + "/" + parts[2], subdir));
  if (!made->url.path.ends_with(".git")) {
    made->url.path += ".git";
    made->url.raw_path += ".git";
  }
  return made;
}

// git@HOST:PATH
Detected DetectGit(const std::string& source) {
  constexpr std::string_view kUser = "git@";
  const std::size_t colon = source.find(':');
  if (!source.starts_with(kUser) || colon == std::string::npos || colon == kUser.size() ||
      colon + 1 == source.size()) {
    return std::optional<DetectedSource>();
  }
  return NoGitBySsh();
}

Detected DetectBitbucket(const std::string& source) {
  if (!source.starts_with("bitbucket.org/")) return std::optional<DetectedSource>();
  return BadForm(
      "write git::https://bitbucket.org/OWNER/NAME.git: the short form needs a question "
      "to Bitbucket, which this version does not ask");
}

// HOST.amazonaws.com/...: an object of S3.
Detected DetectS3(const std::string& source) {
  if (source.find(".amazonaws.com/") == std::string::npos) return std::optional<DetectedSource>();
  const std::vector<std::string> parts = Split(source);
  std::vector<std::string> host;
  for (std::size_t begin = 0; begin <= parts[0].size();) {
    const std::size_t end = std::min(parts[0].find('.', begin), parts[0].size());
    host.push_back(parts[0].substr(begin, end - begin));
    begin = end + 1;
  }
  const std::string rest = Join(parts, 1);
  const std::string end = ".amazonaws.com/";
  if (host.size() == 3) return Made("s3", "https://" + host[0] + end + rest);
  if (host.size() == 4) return Made("s3", "https://" + host[1] + end + host[0] + "/" + rest);
  if (host.size() == 5 && host[1] == "s3") {
    return Made("s3", "https://s3." + host[2] + end + host[0] + "/" + rest);
  }
  return BadForm("is no URL of an object of S3");
}

// www.googleapis.com/storage/v1/BUCKET/OBJECT
Detected DetectGcs(const std::string& source) {
  if (source.find(".googleapis.com/") == std::string::npos) return std::optional<DetectedSource>();
  const std::vector<std::string> parts = Split(source);
  if (parts.size() < 5) return BadForm("is no URL of an object of GCS");
  return Made("gcs", "https://www.googleapis.com/storage/" + parts[2] + "/" + parts[3] + "/" +
                         Join(parts, 4));
}

Detected DetectFile(const std::string& source) {
  if (source.starts_with('/')) return Made("file", "file://" + source);
  return BadForm("is neither a URL nor an absolute path");
}

Detected DetectShort(const std::string& source) {
  if (source.empty()) return BadForm("is empty");
  Detected detected = DetectForge(source, "github.com");
  const auto next = [&](auto detect) {
    if (detected.ok() && !*detected) detected = detect();
  };
  next([&] { return DetectForge(source, "gitlab.com"); });
  next([&] { return DetectGit(source); });
  next([&] { return DetectBitbucket(source); });
  next([&] { return DetectS3(source); });
  next([&] { return DetectGcs(source); });
  next([&] { return DetectFile(source); });
  return detected;
}

}  // namespace

Error NoGitBySsh() {
  return Error(Code::kUnimplemented,
               "git by SSH is not supported by this version: use an https URL, with a token in the "
               "options or in the URL if it needs one");
}

Result<DetectedSource> DetectSource(const std::string& text) {
  std::string rest = text;
  const std::string force = TakeForce(&rest);
  std::string subdir = TakeSubdirectory(&rest);
  Result<SourceUrl> url = ParseSourceUrl(rest);
  if (url.ok() && !url->scheme.empty()) {
    std::string scheme = url->scheme;
    return DetectedSource{force.empty() ? std::move(scheme) : force, std::move(*url),
                          std::move(subdir)};
  }
  if (!url.ok() && BeginsAsUrl(rest)) return url.error();
  DROVER_ASSIGN(auto short_form, DetectShort(rest));
  DetectedSource detected = std::move(*short_form);
  if (!force.empty()) detected.force = force;
  if (detected.subdir.empty()) {
    detected.subdir = std::move(subdir);
  } else if (!subdir.empty()) {
    detected.subdir = CleanPath(detected.subdir + "/" + subdir);
  }
  return detected;
}

}  // namespace drover
