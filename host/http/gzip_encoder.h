// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace drover {

// Whether a value of Accept-Encoding accepts gzip.
bool AcceptsGzip(std::string_view accept_encoding);

// Compresses one body, fast rather than well: the network is near, and tasks need the processor.
class GzipEncoder {
 public:
  // A whole body, or a stream whose parts must arrive as they are written. Streams live long and
  // there can be many, so their encoders are small (about 40 KiB instead of 256).
  enum class Kind { kWhole, kStream };

  explicit GzipEncoder(Kind kind);
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;
  ~GzipEncoder();

  // Returns the bytes to send so that the client can read all BYTES.
  std::string Add(std::string_view bytes);
  // Returns the bytes to send for BYTES and the end of the body. Nothing may follow.
  std::string End(std::string_view bytes = {});

 private:
  std::string Deflate(std::string_view bytes, int flush);

  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace drover
