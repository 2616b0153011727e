// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/secret_bytes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

namespace drover {
namespace {

// Returns the flags of the memory at ADDRESS, such as "rd wr mr dd".
std::string FlagsOfMemory(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      inside = begin <= wanted && wanted < end;
    }
    if (inside && line.starts_with("VmFlags:")) return line.substr(8);
  }
  return "";
}

TEST(SecretBytesTest, HoldsItsBytes) {
  SecretBytes bytes("a secret");
  EXPECT_EQ(bytes.view(), "a secret");
  SecretBytes moved(std::move(bytes));
  EXPECT_EQ(moved.view(), "a secret");
  SecretBytes other(std::size_t{4});
  EXPECT_EQ(other.view(), std::string(4, '\0'));
  other = std::move(moved);
  EXPECT_EQ(other.view(), "a secret");
  EXPECT_EQ(SecretBytes("").size(), 0u);
  EXPECT_EQ(SecretBytes(std::string(5000, 'x')).view(), std::string(5000, 'x'));
}

TEST(SecretBytesTest, AWipedTextIsEmptyAndOverwritten) {
  std::string text = "a secret that stands in memory of its own";
  text.resize(4);  // the rest is still in that memory
  const char* const memory = text.data();
  const std::size_t room = text.capacity();
  WipeText(&text);
  EXPECT_EQ(text, "");
  EXPECT_EQ(text.data(), memory);
  EXPECT_EQ(std::string(memory, room), std::string(room, '\0'));
  std::string none;
  WipeText(&none);
  EXPECT_EQ(none, "");
}

TEST(SecretBytesTest, NoCoreFileHoldsThem) {
  const SecretBytes bytes("a secret");
  const std::string flags = FlagsOfMemory(bytes.data());
  EXPECT_NE(flags.find(" dd"), std::string::npos) << flags;
}

}  // namespace
}  // namespace drover
