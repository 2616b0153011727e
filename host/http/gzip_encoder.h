// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace drover {

// Returns whether ACCEPT_ENCODING, a value of the header Accept-Encoding, accepts gzip.
bool AcceptsGzip(std::string_view accept_encoding);

// Compresses one body. It favors speed over size, because the network is near and tasks need the
// processor.
class GzipEncoder {
 public:
  // kWhole is for a whole body, and its encoder takes 256 KiB of memory. kStream is for a stream
  // whose parts must arrive as they are written. Streams live long and there can be many, so an
  // encoder of a stream takes only about 40 KiB.
  enum class Kind { kWhole, kStream };

  explicit GzipEncoder(Kind kind);
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;
  ~GzipEncoder();

  // Returns the compressed bytes to send. From them, the client can read all of BYTES.
  std::string Add(std::string_view bytes);
  // Returns the bytes to send for BYTES and for the end of the body. No call may follow.
  std::string End(std::string_view bytes = {});

 private:
  std::string Deflate(std::string_view bytes, int flush);

  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace drover
