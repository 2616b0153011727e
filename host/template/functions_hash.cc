// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <string>
#include <string_view>

#include "host/base/text.h"
#include "host/template/function.h"
#include "host/template/render_state.h"

// The functions that hash texts.
namespace drover::templates {
namespace {

using DigestBytes = std::array<unsigned char, EVP_MAX_MD_SIZE>;

std::string HexOfBytes(const DigestBytes& bytes, std::size_t count) {
  return HexText({reinterpret_cast<const char*>(bytes.data()), count});
}

Result<Value> HexDigest(const Call& call, const EVP_MD* kind) {
  DigestBytes bytes;
  unsigned count = 0;
  const std::string& text = call.text(0);
  if (EVP_Digest(text.data(), text.size(), bytes.data(), &count, kind, nullptr) != 1) {
    return Error(Code::kUnavailable, "this machine cannot make such a hash");
  }
  return call.Text(HexOfBytes(bytes, count));
}

Result<Value> HashMd5(const Call& call) { return HexDigest(call, EVP_md5()); }
Result<Value> HashSha1(const Call& call) { return HexDigest(call, EVP_sha1()); }
Result<Value> HashSha256(const Call& call) { return HexDigest(call, EVP_sha256()); }
Result<Value> HashSha512(const Call& call) { return HexDigest(call, EVP_sha512()); }

Result<Value> HashHmacSha256(const Call& call) {
  DigestBytes bytes;
  unsigned count = 0;
  const std::string& message = call.text(0);
  const std::string& key = call.text(1);
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(message.data()), message.size(), bytes.data(),
           &count) == nullptr) {
    return Error(Code::kUnavailable, "this machine cannot make such a hash");
  }
  return call.Text(HexOfBytes(bytes, count));
}

Result<Value> HashAdler32(const Call& call) {
  constexpr std::uint32_t kModulus = 65521;
  std::uint32_t a = 1, b = 0;
  for (const char c : call.text(0)) {
    a = (a + static_cast<unsigned char>(c)) % kModulus;
    b = (b + a) % kModulus;
  }
  return call.Text(std::to_string(b << 16 | a));
}

constexpr Function kHashFunctions[] = {
    {"md5sum", "s", HashMd5},
    {"sha256Hex", "s", HashSha256},
    {"hmacSHA256Hex", "ss", HashHmacSha256},
    {"sprig_sha1sum", "s", HashSha1},
    {"sprig_sha256sum", "s", HashSha256},
    {"sprig_sha512sum", "s", HashSha512},
    {"sprig_adler32sum", "s", HashAdler32},
};

}  // namespace

FunctionSpan HashFunctions() { return kHashFunctions; }

}  // namespace drover::templates
