// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/artifact/source_url.h"
#include "host/base/result.h"
#include "host/spec/blocks/artifact.h"

namespace drover {

// What the content of a file must be.
struct ArtifactChecksum {
  std::string type;   // md5, sha1, sha256 or sha512
  std::string value;  // hexadecimal, in lower case

  bool operator==(const ArtifactChecksum&) const = default;
};

// Reads VALUE, a checksum of TYPE. If TYPE is empty, the length of VALUE decides.
Result<ArtifactChecksum> ReadArtifactChecksum(std::string_view type, std::string_view value);

// A source of an artifact, understood.
struct ArtifactSource {
  enum class Kind { kHttp, kGit, kFile };

  Kind kind = Kind::kHttp;
  SourceUrl url;       // without the parameters that are read into the members below
  std::string subdir;  // the part of the directory that is wanted, as a glob; empty: all of it
  // The form of the archive, such as "tar.gz"; empty: the file is taken as it is.
  std::string archive;
  bool single = false;   // the archive has one file, which is the artifact
  std::string filename;  // the name of a file in the destination; empty with Mode::kFile
  std::optional<ArtifactChecksum> checksum;
  std::string checksum_source;  // a source of a file that has the checksum; empty: none
  std::string ref;              // of a git repository; empty: its default branch
  int depth = 0;                // the number of commits; 0: all
  std::string repository_file;  // the one file of a git repository that is wanted; empty: all

  // Returns whether the artifact is the content of a directory. That of Kind::kFile may also be one
  // where this is false.
  bool is_directory() const;
};

// Reads SOURCE as go-getter v1.8.10 does, where it names something that this version can fetch. An
// error says why not, and what to write instead. No error shows a secret. OPTIONS are further
// parameters; a parameter in SOURCE wins over the one of OPTIONS.
Result<ArtifactSource> ParseArtifactSource(const std::string& source,
                                           const std::map<std::string, std::string>& options,
                                           Artifact::Mode mode);

}  // namespace drover
