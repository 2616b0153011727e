// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <list>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "host/plugin/abi_fields.h"
#include "host/plugin/abi_read.h"

// Structs of the ABI as bytes: what a container would send to another process. Everything a pointer
// leads to is written out; descriptors travel beside the bytes.
namespace drover {

template <typename T>
inline constexpr bool kHasSize = requires(T t) { t.struct_size; };

struct WireMessage {
  std::string bytes;
  std::vector<drover_fd> fds;
};

class WireWriter {
 public:
  explicit WireWriter(WireMessage* to) : to_(to) {}

  template <typename T>
    requires std::is_arithmetic_v<T>
  void operator()(const T& number) {
    Bytes(&number, sizeof number);
  }
  void operator()(const drover_str& text) {
    (*this)(static_cast<std::uint64_t>(text.size));
    Bytes(text.data, text.size);
  }
  void operator()(const drover_run_id& run) { Bytes(&run, sizeof run); }
  void operator()(const drover_fd& fd) {
    (*this)(static_cast<std::uint32_t>(to_->fds.size()));
    to_->fds.push_back(fd);
  }
  template <typename T>
  void Array(const drover_array& array) {
    (*this)(static_cast<std::uint64_t>(array.count));
    const auto* at = static_cast<const char*>(array.data);
    for (std::size_t i = 0; i < array.count; ++i, at += array.element_size) {
      Struct(reinterpret_cast<const T*>(at));
    }
  }
  template <typename T>
  void Pointer(const T* pointer) {
    (*this)(static_cast<std::uint8_t>(pointer != nullptr));
    if (pointer != nullptr) Struct(pointer);
  }
  // As far as its own size goes; the rest is zero.
  template <typename T>
  void Struct(const T* from) {
    T copy{};
    if constexpr (kHasSize<T>) {
      std::memcpy(&copy, from, std::min<std::size_t>(from->struct_size, sizeof copy));
    } else {
      copy = *from;
    }
    Fields(*this, copy);
  }

 private:
  void Bytes(const void* data, std::size_t size) {
    if (size > 0) to_->bytes.append(static_cast<const char*>(data), size);
  }
  WireMessage* to_;
};

// Rebuilds structs in memory of its own. They are larger than this ABI's, as those of a newer peer
// would be, and what lies behind is no use to anybody; texts have no NUL behind them, and empty
// ones no pointer.
class WireReader {
 public:
  explicit WireReader(WireMessage message) : message_(std::move(message)) {}

  template <typename T>
  T* Struct() {
    constexpr std::size_t kGrown = kHasSize<T> ? 64 : 0;
    auto* made = static_cast<T*>(Allocate(sizeof(T) + kGrown));
    Fill(made, sizeof(T) + kGrown);
    return made;
  }
  template <typename T>
    requires std::is_arithmetic_v<T>
  void operator()(T& number) {
    Bytes(&number, sizeof number);
  }
  void operator()(drover_str& text) {
    const auto size = Number<std::uint64_t>();
    DROVER_CHECK(size <= message_.bytes.size() - at_);
    text = {nullptr, size};
    if (size == 0) return;
    auto* copy = static_cast<char*>(Allocate(size));
    Bytes(copy, size);
    text.data = copy;
  }
  void operator()(drover_run_id& run) { Bytes(&run, sizeof run); }
  void operator()(drover_fd& fd) {
    const auto index = Number<std::uint32_t>();
    DROVER_CHECK(index < message_.fds.size());
    fd = message_.fds[index];
  }
  template <typename T>
  void Array(drover_array& array) {
    constexpr std::size_t kGrown = kHasSize<T> ? 32 : 16;
    const auto count = Number<std::uint64_t>();
    array = {nullptr, count, sizeof(T) + kGrown};
    if (count == 0) return;
    auto* elements = static_cast<char*>(Allocate(count * array.element_size));
    array.data = elements;
    for (std::size_t i = 0; i < count; ++i) {
      Fill(reinterpret_cast<T*>(elements + i * array.element_size), array.element_size);
    }
  }
  template <typename T>
  void Pointer(const T*& pointer) {
    pointer = Number<std::uint8_t>() != 0 ? Struct<T>() : nullptr;
  }
  bool AtEnd() const { return at_ == message_.bytes.size(); }

 private:
  template <typename T>
  T Number() {
    T number{};
    Bytes(&number, sizeof number);
    return number;
  }
  template <typename T>
  void Fill(T* made, std::size_t size) {
    std::memset(static_cast<void*>(made), 0x5a, size);
    std::memset(static_cast<void*>(made), 0, sizeof(T));
    if constexpr (kHasSize<T>) made->struct_size = static_cast<std::uint32_t>(size);
    Fields(*this, *made);
  }
  void Bytes(void* to, std::size_t size) {
    DROVER_CHECK(size <= message_.bytes.size() - at_);
    std::memcpy(to, message_.bytes.data() + at_, size);
    at_ += size;
  }
  // One block for each, so that a reader behind its end is found out.
  void* Allocate(std::size_t size) {
    memory_.push_back(std::make_unique<char[]>(size));
    return memory_.back().get();
  }

  WireMessage message_;
  std::size_t at_ = 0;
  std::list<std::unique_ptr<char[]>> memory_;
};

// A struct that went over the wire and back. Null stays null; what cannot be read as a struct is
// passed on as it is, for the other side to complain about.
template <typename T>
class Carried {
 public:
  explicit Carried(const T* from) : pointer_(from) {
    if (from == nullptr || !CopyStruct(from).ok()) return;
    WireMessage message;
    WireWriter(&message).Struct(from);
    reader_ = std::make_unique<WireReader>(std::move(message));
    pointer_ = reader_->Struct<T>();
    DROVER_CHECK(reader_->AtEnd());
  }
  const T* get() const { return pointer_; }

 private:
  std::unique_ptr<WireReader> reader_;
  const T* pointer_;
};

}  // namespace drover
