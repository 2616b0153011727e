// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/gzip_encoder.h"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>

#include "host/base/result.h"
#include "host/base/text.h"
#include "host/http/http_message.h"

namespace drover {
namespace {

constexpr int kGzipFormat = 16;  // zlib writes gzip if this is added to the window bits

// Returns the part of TEXT before SEPARATOR, and removes this part and SEPARATOR from TEXT.
std::string_view Next(std::string_view* text, char separator) {
  const std::string_view part = text->substr(0, text->find(separator));
  text->remove_prefix(std::min(text->size(), part.size() + 1));
  return Trim(part);
}

// Returns whether PARAMETER is a weight of zero, such as "q=0" or "q=0.0". This weight means "not
// accepted".
bool IsZeroWeight(std::string_view parameter) {
  if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) return false;
  return parameter.find_first_of("123456789") == parameter.npos;
}

}  // namespace

bool AcceptsGzip(std::string_view accept_encoding) {
  bool any = false;
  while (!accept_encoding.empty()) {
    std::string_view item = Next(&accept_encoding, ',');
    const std::string_view name = Next(&item, ';');
    bool refused = false;
    while (!item.empty()) refused |= IsZeroWeight(Next(&item, ';'));
    if (EqualsIgnoringCase(name, "gzip")) return !refused;
    if (name == "*") any = !refused;
  }
  return any;
}

struct GzipEncoder::Stream {
  z_stream z{};
};

GzipEncoder::GzipEncoder(Kind kind) : stream_(std::make_unique<Stream>()) {
  const bool whole = kind == Kind::kWhole;
  const int done =
      deflateInit2(&stream_->z, Z_BEST_SPEED, Z_DEFLATED, (whole ? MAX_WBITS : 12) + kGzipFormat,
                   whole ? 8 : 5, Z_DEFAULT_STRATEGY);
  DROVER_CHECK(done == Z_OK);
}

GzipEncoder::~GzipEncoder() { deflateEnd(&stream_->z); }

std::string GzipEncoder::Add(std::string_view bytes) { return Deflate(bytes, Z_SYNC_FLUSH); }
std::string GzipEncoder::End(std::string_view bytes) { return Deflate(bytes, Z_FINISH); }

std::string GzipEncoder::Deflate(std::string_view bytes, int flush) {
  z_stream& z = stream_->z;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  DROVER_CHECK(z.avail_in == bytes.size());
  std::string out(std::min<std::size_t>(64 << 10, bytes.size() / 4 + 256), '\0');
  std::size_t used = 0;
  for (;;) {
    z.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    z.avail_out = static_cast<uInt>(out.size() - used);
    const int done = deflate(&z, flush);
    DROVER_CHECK(done == Z_OK || done == Z_STREAM_END || done == Z_BUF_ERROR);
    used = out.size() - z.avail_out;
    // If there is room left in `out`, zlib has no more output.
    if (z.avail_out > 0) break;
    out.resize(out.size() * 2);
  }
  out.resize(used);
  return out;
}

}  // namespace drover
