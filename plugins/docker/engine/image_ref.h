// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace drover_docker {

// A reference to an image, in its normal form.
struct ImageRef {
  std::string registry;    // host with an optional port, such as docker.io or registry:5000
  std::string repository;  // the path in it, such as library/redis
  std::string tag;         // "latest" if the text has neither tag nor digest; else may be empty
  std::string digest;      // such as sha256:0123...; empty for none

  // Parses what people write: redis, redis:7, team/app@sha256:..., registry:5000/a/b:1. A prefix
  // https:// or http:// or docker:// is dropped. Throws Error(kInvalidArgument), which names the
  // mistake, for anything that is no reference.
  static ImageRef Parse(std::string_view text);

  // Returns the name without tag and digest: registry/repository.
  std::string Name() const { return registry + "/" + repository; }
  // Returns the whole reference in its normal form, such as docker.io/library/redis:7. It is the
  // same for all texts that mean the same image.
  std::string Text() const;
  // Returns the short form that dockerd shows: docker.io and library/ left out.
  std::string Familiar() const;
  // The two parameters of a pull: fromImage, and tag, which is the digest if there is one.
  std::string PullTag() const { return digest.empty() ? tag : digest; }
  bool operator==(const ImageRef& other) const { return Text() == other.Text(); }
};

// Returns whether TEXT is the id of an image (sha256: and 64 digits, or 64 digits), which is no
// reference.
bool IsImageId(std::string_view text);

}  // namespace drover_docker
