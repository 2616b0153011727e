// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace drover_docker {

// An image of one file, which is its program.
struct ImageArchive {
  std::string name;   // with a tag that follows the content
  std::string tar;    // for the engine's load
  std::string layer;  // the digest of its one layer, "sha256:...", which no other content has
};

// Makes an image named NAME, whose one file /FILE_NAME has the bytes PROGRAM, and is what it runs.
// The same arguments give the same bytes. ARCH is that of the engine, such as "amd64".
ImageArchive MakeImage(std::string_view name, std::string_view file_name, std::string_view program,
                       std::string_view arch);

// Returns the hex digits of the SHA-256 of BYTES.
std::string Sha256(std::string_view bytes);

}  // namespace drover_docker
