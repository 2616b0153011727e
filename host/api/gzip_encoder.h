// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace drover {

// Whether a value of Accept-Encoding takes gzip.
bool AcceptsGzip(std::string_view accept_encoding);

// Compresses one body, for speed: the network is near and the processor is the tasks'.
class GzipEncoder {
 public:
  // A body in one piece, or one whose parts are to arrive as they are written: those live long and
  // there can be many, so their window is small (about 40 KiB instead of 256).
  enum class Kind { kWhole, kStream };

  explicit GzipEncoder(Kind kind);
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;
  ~GzipEncoder();

  // What to send so that the client can read all BYTES.
  std::string Add(std::string_view bytes);
  // The rest, after BYTES; nothing may follow.
  std::string End(std::string_view bytes = {});

 private:
  std::string Deflate(std::string_view bytes, int flush);

  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace drover
