// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/abi/abi_fields.h"
#include "host/abi/abi_read.h"

// Structs of the ABI as bytes: what a container sends to another process. Everything a pointer
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
    if (text.data == nullptr && text.size > 0) ok_ = false;
    const std::uint64_t size = ok_ ? text.size : 0;
    (*this)(size);
    Bytes(text.data, size);
  }
  void operator()(const drover_run_id& run) { Bytes(&run, sizeof run); }
  void operator()(const drover_fd& fd) {
    const bool none = fd.ownership == DROVER_FD_NONE || fd.fd < 0;
    (*this)(none ? kNoFd : static_cast<std::uint32_t>(to_->fds.size()));
    if (!none) to_->fds.push_back(fd);
  }
  template <typename T>
  void Array(const drover_array& array) {
    const std::size_t least = kHasSize<T> ? sizeof(std::uint32_t) : sizeof(T);
    const bool readable =
        array.count == 0 || (array.data != nullptr && array.count <= kMaxElements &&
                             array.element_size >= least && array.element_size <= kMaxStruct);
    if (!readable) ok_ = false;
    const std::uint64_t count = readable ? array.count : 0;
    (*this)(count);
    const auto* at = static_cast<const char*>(array.data);
    for (std::size_t i = 0; i < count; ++i, at += array.element_size) {
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
      if (from->struct_size < sizeof(std::uint32_t) || from->struct_size > kMaxStruct) {
        ok_ = false;
      } else {
        std::memcpy(&copy, from, std::min<std::size_t>(from->struct_size, sizeof copy));
      }
    } else {
      copy = *from;
    }
    Fields(*this, copy);
  }

  // False when something could not be read; what was written is then of no use.
  bool ok() const { return ok_; }

  static constexpr std::uint32_t kNoFd = ~0u;

 private:
  void Bytes(const void* data, std::size_t size) {
    if (size > 0) to_->bytes.append(static_cast<const char*>(data), size);
  }
  WireMessage* to_;
  bool ok_ = true;
};

// How a reader lays structs out.
enum class WireForm {
  kPlain,
  // Each is larger than this ABI's, as those of a newer host would be. For tests of drivers.
  kGrown,
};

// Rebuilds structs in memory of its own, from bytes that may say anything. What it gives is valid
// as long as it lives; texts have no NUL behind them, and empty ones no pointer. Descriptors that
// were not read are closed with it, and all of them when it is not Done().
class WireReader {
 public:
  explicit WireReader(WireMessage message, WireForm form = WireForm::kPlain)
      : message_(std::move(message)), form_(form), taken_(message_.fds.size()) {}
  WireReader(const WireReader&) = delete;
  WireReader& operator=(const WireReader&) = delete;
  ~WireReader() {
    for (std::size_t i = 0; i < message_.fds.size(); ++i) {
      const drover_fd& fd = message_.fds[i];
      if (fd.ownership == DROVER_FD_GIVEN && (!taken_[i] || !Done())) close(fd.fd);
    }
  }

  template <typename T>
  T* Struct() {
    const std::size_t size = sizeof(T) + Growth(kHasSize<T> ? 64 : 0);
    auto* made = static_cast<T*>(Allocate(size));
    Fill(made, size);
    return made;
  }
  template <typename T>
    requires std::is_arithmetic_v<T>
  void operator()(T& number) {
    Bytes(&number, sizeof number);
  }
  void operator()(drover_str& text) {
    const auto size = Number<std::uint64_t>();
    text = {nullptr, 0};
    if (size > left()) ok_ = false;
    if (!ok_ || size == 0) return;
    auto* copy = static_cast<char*>(Allocate(size));
    Bytes(copy, size);
    text = {copy, size};
  }
  void operator()(drover_run_id& run) { Bytes(&run, sizeof run); }
  void operator()(drover_fd& fd) {
    fd = {-1, DROVER_FD_NONE};
    const auto index = Number<std::uint32_t>();
    if (index == WireWriter::kNoFd) return;
    if (index >= message_.fds.size() || taken_[index]) ok_ = false;
    if (!ok_) return;
    taken_[index] = true;
    fd = message_.fds[index];
  }
  template <typename T>
  void Array(drover_array& array) {
    const auto count = Number<std::uint64_t>();
    array = {nullptr, 0, sizeof(T) + Growth(kHasSize<T> ? 32 : 16)};
    // An element has a length or a number at least: so a few bytes cannot ask for much memory.
    if (count > kMaxElements || count > left() / sizeof(std::uint32_t)) ok_ = false;
    if (!ok_ || count == 0) return;
    auto* elements = static_cast<char*>(Allocate(count * array.element_size));
    array.data = elements;
    array.count = count;
    for (std::size_t i = 0; i < count && ok_; ++i) {
      Fill(reinterpret_cast<T*>(elements + i * array.element_size), array.element_size);
    }
  }
  template <typename T>
  void Pointer(const T*& pointer) {
    pointer = Number<std::uint8_t>() != 0 && ok_ ? Struct<T>() : nullptr;
  }
  // A number by itself; 0 when the bytes are at their end.
  template <typename T>
  T Number() {
    T number{};
    Bytes(&number, sizeof number);
    return number;
  }
  bool AtEnd() const { return left() == 0; }
  // Skips the rest of the message.
  void Skip() { at_ = message_.bytes.size(); }
  // Drops all that was read, and closes its descriptors.
  void Drop() { taken_.assign(taken_.size(), false); }
  // False when the bytes were not what was asked for; what was read is then of no use.
  bool ok() const { return ok_; }
  // The same, and nothing is left over.
  bool Done() const { return ok_ && AtEnd(); }

 private:
  std::size_t Growth(std::size_t grown) const { return form_ == WireForm::kGrown ? grown : 0; }
  std::size_t left() const { return message_.bytes.size() - at_; }

  template <typename T>
  void Fill(T* made, std::size_t size) {
    if (size > sizeof(T)) std::memset(static_cast<void*>(made), 0x5a, size);
    std::memset(static_cast<void*>(made), 0, sizeof(T));
    if constexpr (kHasSize<T>) made->struct_size = static_cast<std::uint32_t>(size);
    Fields(*this, *made);
  }
  void Bytes(void* to, std::size_t size) {
    if (size > left()) ok_ = false;
    if (!ok_) return;
    std::memcpy(to, message_.bytes.data() + at_, size);
    at_ += size;
  }
  // One block for each, so that a reader behind its end is found out.
  void* Allocate(std::size_t size) {
    memory_.push_back(std::make_unique<char[]>(size));
    return memory_.back().get();
  }

  WireMessage message_;
  const WireForm form_;
  std::vector<bool> taken_;
  std::size_t at_ = 0;
  bool ok_ = true;
  std::list<std::unique_ptr<char[]>> memory_;
};

// A copy of a struct as a newer host passes it: it went over the wire, and back into a larger one.
// Null stays null; what cannot be read as a struct stays as it is, for the other side to complain
// about.
template <typename T>
class Carried {
 public:
  explicit Carried(const T* from) : pointer_(from) {
    if (from == nullptr || !CopyStruct(from).ok()) return;
    WireMessage message;
    WireWriter writer(&message);
    writer.Struct(from);
    if (!writer.ok()) return;
    reader_ = std::make_unique<WireReader>(std::move(message), WireForm::kGrown);
    pointer_ = reader_->Struct<T>();
    DROVER_CHECK(reader_->Done());
  }
  const T* get() const { return pointer_; }

 private:
  std::unique_ptr<WireReader> reader_;
  const T* pointer_;
};

}  // namespace drover
