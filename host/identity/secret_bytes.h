// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace drover {

// Bytes that must not stay in memory and must not come into a core file. They have pages of their
// own, which are left out of core files, and are wiped when the object is destroyed.
class SecretBytes {
 public:
  // Makes SIZE bytes of value 0. Aborts if there is no memory.
  explicit SecretBytes(std::size_t size);
  explicit SecretBytes(std::string_view bytes);
  SecretBytes(SecretBytes&& other) noexcept;
  SecretBytes& operator=(SecretBytes&& other) noexcept;
  ~SecretBytes();

  unsigned char* data() { return data_; }
  const unsigned char* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  void Wipe();

  unsigned char* data_ = nullptr;  // null after a move
  std::size_t size_ = 0;
  std::size_t mapped_ = 0;  // the size of the pages
};

// Overwrites all memory of TEXT, and makes it empty. For copies of secrets that are in texts for a
// moment.
void WipeText(std::string* text);

}  // namespace drover
