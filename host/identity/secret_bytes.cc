// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/secret_bytes.h"

#include <openssl/crypto.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "host/base/result.h"

namespace drover {

SecretBytes::SecretBytes(std::size_t size) : size_(size) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  mapped_ = (size / page + 1) * page;
  void* const pages =
      mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  DROVER_CHECK(pages != MAP_FAILED);
  DROVER_CHECK(madvise(pages, mapped_, MADV_DONTDUMP) == 0);
  data_ = static_cast<unsigned char*>(pages);
}

SecretBytes::SecretBytes(std::string_view bytes) : SecretBytes(bytes.size()) {
  if (!bytes.empty()) std::memcpy(data_, bytes.data(), bytes.size());
}

SecretBytes::SecretBytes(SecretBytes&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_(std::exchange(other.mapped_, 0)) {}

SecretBytes& SecretBytes::operator=(SecretBytes&& other) noexcept {
  if (this == &other) return *this;
  Wipe();
  data_ = std::exchange(other.data_, nullptr);
  size_ = std::exchange(other.size_, 0);
  mapped_ = std::exchange(other.mapped_, 0);
  return *this;
}

SecretBytes::~SecretBytes() { Wipe(); }

void SecretBytes::Wipe() {
  if (data_ == nullptr) return;
  OPENSSL_cleanse(data_, mapped_);
  munmap(data_, mapped_);
  data_ = nullptr;
}

void WipeText(std::string* text) {
  text->resize(text->capacity());  // a shorter text may have been longer before
  OPENSSL_cleanse(text->data(), text->size());
  text->clear();
}

}  // namespace drover
