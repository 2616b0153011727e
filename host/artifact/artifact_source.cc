// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/artifact_source.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "host/artifact/detect_source.h"
#include "host/base/text.h"

namespace drover {
namespace {

// The archives by the end of a path. A longer end comes before a shorter one that it contains.
constexpr std::string_view kArchives[] = {"tar.bz2", "tar.gz", "tar.xz", "tar.zst", "tbz2",
                                          "tgz",     "txz",    "tzst",   "tar",     "zip",
                                          "bz2",     "gz",     "xz",     "zst"};

// A compressed file, which is no directory of files.
bool IsCompressedFile(std::string_view archive) {
  return archive == "bz2" || archive == "gz" || archive == "xz" || archive == "zst";
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

Error Wrong(std::string message) { return Error(Code::kInvalidArgument, std::move(message)); }
Error Missing(std::string message) { return Error(Code::kUnimplemented, std::move(message)); }

// Removes the parameter NAME from URL and returns its value.
std::string TakeParameter(SourceUrl* url, const std::string& name) {
  std::string value = url->Parameter(name);
  url->query.erase(name);
  return value;
}

Status TakeArchive(ArtifactSource* source) {
  const std::string archive = TakeParameter(&source->url, "archive");
  if (ParseBool(archive)) return {};  // as with go-getter, true is no form
  if (!archive.empty()) {
    if (std::find(std::begin(kArchives), std::end(kArchives), archive) == std::end(kArchives)) {
      return Wrong("archive=" + archive +
                   " is no known form: write zip, tar, tar.gz, tar.bz2, tar.xz, tar.zst, or false");
    }
    source->archive = archive;
    return {};
  }
  for (const std::string_view end : kArchives) {
    if (!source->url.path.ends_with("." + std::string(end))) continue;
    source->archive = end;
    break;
  }
  return {};
}

Status TakeChecksum(ArtifactSource* source) {
  const std::string text = TakeParameter(&source->url, "checksum");
  if (text.empty()) return {};
  const std::size_t colon = text.find(':');
  const std::string type = colon == text.npos ? "" : text.substr(0, colon);
  const std::string value = colon == text.npos ? text : text.substr(colon + 1);
  if (type == "file") {
    source->checksum_source = value;
    return {};
  }
  DROVER_ASSIGN(source->checksum, ReadArtifactChecksum(type, value));
  return {};
}

Status TakeSubdir(std::string_view subdir, ArtifactSource* source) {
  if (subdir.empty()) return {};
  std::string clean = CleanPath(subdir);
  if (HasDotDot(clean)) return Wrong("its subdirectory leads out of the source");
  if (clean.starts_with('/')) clean.erase(0, 1);
  source->subdir = clean == "." ? "" : clean;
  return {};
}

Status TakeGit(Artifact::Mode mode, ArtifactSource* source) {
  SourceUrl& url = source->url;
  source->kind = ArtifactSource::Kind::kGit;
  source->ref = TakeParameter(&url, "ref");
  if (!TakeParameter(&url, "sshkey").empty() || url.scheme == "ssh") return NoGitBySsh();
  source->depth = ParseNumber<int>(TakeParameter(&url, "depth")).value_or(0);
  if (url.scheme != "https" && url.scheme != "http" && url.scheme != "git") {
    return Missing("git is fetched by https, http or git, and not by " +
                   (url.scheme.empty() ? std::string("a path") : url.scheme));
  }
  if (url.opaque || url.host.empty()) return Wrong("has no host");
  if (source->ref.starts_with('-')) return Wrong("its ref begins with a hyphen");
  if (mode == Artifact::Mode::kFile && source->archive.empty()) {
    source->repository_file = BaseName(url.path);
    url.path = CleanPath(url.path.substr(0, url.path.rfind('/') + 1));
    url.raw_path = url.path;
  } else if (!source->archive.empty()) {
    return Wrong("a git repository is no archive: remove \"archive\" and the end ." +
                 source->archive + " of its path");
  } else if (source->checksum || !source->checksum_source.empty()) {
    return Wrong("a directory has no checksum: name a commit by ref instead");
  }
  return {};
}

// The URLs of S3 and of GCS become those by which plain HTTPS gets an object that is public or for
// which the URL itself is signed.
Status TakeS3(SourceUrl* url) {
  if (url->scheme != "https" && url->scheme != "http") {
    return Wrong("write the object as s3::https://s3.REGION.amazonaws.com/BUCKET/KEY");
  }
  for (const char* key :
       {"aws_access_key_id", "aws_access_key_secret", "aws_access_token", "aws_profile"}) {
    if (url->query.count(key) == 0) continue;
    return Missing(std::string(key) +
                   " is not supported by this version: use a presigned https URL without s3::");
  }
  TakeParameter(url, "region");
  const std::string version = TakeParameter(url, "version");
  if (!version.empty()) url->query["versionId"] = {version};
  return {};
}

Status TakeGcs(SourceUrl* url) {
  constexpr std::string_view kApi = "/storage/v1/";
  if (url->scheme != "https" || url->host != "www.googleapis.com" || !url->path.starts_with(kApi)) {
    return Wrong("write the object as gcs::https://www.googleapis.com/storage/v1/BUCKET/OBJECT");
  }
  url->host = "storage.googleapis.com";
  url->path.erase(0, kApi.size() - 1);
  url->raw_path = url->path;
  if (!url->fragment.empty()) url->query["generation"] = {std::exchange(url->fragment, "")};
  return {};
}

Status TakeKind(const std::string& force, Artifact::Mode mode, ArtifactSource* source) {
  SourceUrl& url = source->url;
  if (force == "git") return TakeGit(mode, source);
  if (force == "hg") return Missing("Mercurial is not supported by this version: use an archive");
  if (url.opaque) return Wrong("has no host");
  if (force == "file") {
    source->kind = ArtifactSource::Kind::kFile;
    if (!url.host.empty()) return Wrong("a file URL has no host: write file:///PATH");
    if (url.path.empty()) return Wrong("a file URL has a path: write file:///PATH");
    url.fragment.clear();  // it names nothing in a file
    return {};
  }
  if (force == "s3") {
    DROVER_TRY(TakeS3(&url));
  } else if (force == "gcs") {
    DROVER_TRY(TakeGcs(&url));
  } else if (force != "http" && force != "https") {
    return Missing("the scheme \"" + force + "\" is not supported: use https, http, git or file");
  }
  if (url.scheme != "http" && url.scheme != "https") {
    return Wrong("must be an http or https URL, but its scheme is \"" + url.scheme + "\"");
  }
  if (url.host.empty()) return Wrong("has no host");
  url.fragment.clear();  // it is not sent
  return {};
}

// Decides what of the source is the artifact, and under which name.
Status TakeForm(Artifact::Mode mode, ArtifactSource* source) {
  if (source->kind == ArtifactSource::Kind::kGit) return {};
  const bool wants_file = mode == Artifact::Mode::kFile;
  if (!source->archive.empty()) {
    source->single = wants_file;
    if (!wants_file && IsCompressedFile(source->archive)) {
      return Wrong("a file ." + source->archive +
                   " holds one file: set mode to \"file\", or the option archive to \"false\" to "
                   "keep it as it is");
    }
  } else if (source->kind == ArtifactSource::Kind::kHttp && !wants_file) {
    if (mode == Artifact::Mode::kDir || source->url.path.ends_with('/')) {
      return Wrong(
          "HTTP has no directories: name an archive, or set the option archive to its "
          "form");
    }
  }
  const bool is_file = source->archive.empty() && mode == Artifact::Mode::kAny;
  if (is_file) {
    source->filename = TakeParameter(&source->url, "filename");
    if (source->filename.empty()) {
      // A path that ends with "/.." is one of a directory, for which the name is not used.
      const bool is_local = source->kind == ArtifactSource::Kind::kFile;
      const std::string& path = source->url.path;
      source->filename = BaseName(is_local ? CleanPath(path) : path);
    }
    if (source->filename.find('\0') != std::string::npos) return Wrong("its filename has a NUL");
    if (HasDotDot(source->filename)) return Wrong("its filename leads out of the destination");
    source->filename = CleanPath("/" + source->filename).substr(1);
    if (source->filename.empty() && source->kind == ArtifactSource::Kind::kHttp) {
      return Wrong("its path names no file: set the option filename");
    }
  }
  const bool has_directory =
      source->kind == ArtifactSource::Kind::kFile ? !wants_file : source->is_directory();
  if (!source->subdir.empty() && !has_directory) {
    return Wrong("a single file has no subdirectory: remove \"//" + source->subdir + "\"");
  }
  return {};
}

Result<ArtifactSource> Parse(const std::string& text,
                             const std::map<std::string, std::string>& options,
                             Artifact::Mode mode) {
  DROVER_ASSIGN(DetectedSource detected, DetectSource(text));
  ArtifactSource source;
  source.url = std::move(detected.url);
  for (const auto& [name, value] : options) {
    if (source.url.query.count(name) == 0) source.url.query[name] = {value};
  }
  DROVER_TRY(TakeSubdir(detected.subdir, &source));
  DROVER_TRY(TakeArchive(&source));
  DROVER_TRY(TakeChecksum(&source));
  DROVER_TRY(TakeKind(detected.force, mode, &source));
  DROVER_TRY(TakeForm(mode, &source));
  return source;
}

}  // namespace

bool ArtifactSource::is_directory() const {
  if (kind == Kind::kGit) return repository_file.empty();
  return !archive.empty() && !single;
}

Result<ArtifactChecksum> ReadArtifactChecksum(std::string_view type, std::string_view value) {
  constexpr std::pair<std::string_view, std::size_t> kTypes[] = {
      {"md5", 32}, {"sha1", 40}, {"sha256", 64}, {"sha512", 128}};
  const bool is_hex =
      std::all_of(value.begin(), value.end(), [](char c) { return HexDigit(c) >= 0; });
  const std::string wanted = Lower(type);
  for (const auto& [name, digits] : kTypes) {
    if (wanted.empty() ? digits != value.size() : wanted != name) continue;
    if (!is_hex || digits != value.size()) {
      return Wrong("the checksum is no " + std::string(name) + ", which has " +
                   std::to_string(digits) + " hexadecimal digits");
    }
    return ArtifactChecksum{std::string(name), Lower(value)};
  }
  return Wrong("the checksum is of no known type: write md5:, sha1:, sha256: or sha512: before it");
}

Result<ArtifactSource> ParseArtifactSource(const std::string& source,
                                           const std::map<std::string, std::string>& options,
                                           Artifact::Mode mode) {
  Result<ArtifactSource> parsed = Parse(source, options, mode);
  if (!parsed.ok()) return parsed.error().WithContext("source " + ShownSource(source));
  return parsed;
}

}  // namespace drover
