// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace drover {

#if defined(__x86_64__)
inline constexpr std::uint32_t kFilterArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
inline constexpr std::uint32_t kFilterArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "filter_program.h needs the architecture's number"
#endif

// Writes a filter of system calls as BPF for the kernel. The filter looks at one loaded word of
// struct seccomp_data.
class FilterProgram {
 public:
  // Returns the offset of the lower half of an argument. The supported architectures are
  // little-endian.
  static constexpr std::size_t Argument(int index) {
    return offsetof(seccomp_data, args) + sizeof(std::uint64_t) * static_cast<std::size_t>(index);
  }

  void Load(std::size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  // The next COUNT instructions run only if COMPARISON is true for the loaded word and VALUE.
  void If(std::uint16_t comparison, std::uint32_t value, std::uint8_t count) {
    code_.push_back(
        BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | BPF_K | comparison), value, 0, count));
  }
  void Return(std::uint32_t action) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
  void Fail(int error) { Return(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }
  void FailIfEqual(long value, int error) {
    If(BPF_JEQ, static_cast<std::uint32_t>(value), 1);
    Fail(error);
  }
  void AllowIfEqual(long value) {
    If(BPF_JEQ, static_cast<std::uint32_t>(value), 1);
    Return(SECCOMP_RET_ALLOW);
  }
  // Adds BLOCK, which must always return. BLOCK runs only if the loaded word is VALUE.
  void IfEqual(long value, const FilterProgram& block) {
    If(BPF_JEQ, static_cast<std::uint32_t>(value), static_cast<std::uint8_t>(block.code_.size()));
    code_.insert(code_.end(), block.code_.begin(), block.code_.end());
  }
  std::size_t size() const { return code_.size(); }
  std::vector<sock_filter> Take() { return std::move(code_); }

 private:
  std::vector<sock_filter> code_;
};

}  // namespace drover
