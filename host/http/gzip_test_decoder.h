// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <string>

namespace drover {

// The readable content of a gzip body so far; WHOLE says whether the body has ended well.
inline std::string Gunzip(std::string bytes, bool* whole) {
  z_stream z{};
  inflateInit2(&z, MAX_WBITS + 16);
  std::string out;
  z.next_in = reinterpret_cast<Bytef*>(bytes.data());
  z.avail_in = static_cast<uInt>(bytes.size());
  int done = Z_OK;
  while (done == Z_OK) {
    std::string block(4096, '\0');
    z.next_out = reinterpret_cast<Bytef*>(block.data());
    z.avail_out = static_cast<uInt>(block.size());
    done = inflate(&z, Z_SYNC_FLUSH);
    block.resize(block.size() - z.avail_out);
    out += block;
  }
  *whole = done == Z_STREAM_END && z.avail_in == 0;
  inflateEnd(&z);
  return out;
}

}  // namespace drover
