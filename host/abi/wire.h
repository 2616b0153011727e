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
#include "host/abi/capability_fields.h"
#include "host/abi/command_fields.h"
#include "host/abi/device_fields.h"
#include "host/abi/hook_fields.h"
#include "host/abi/news_fields.h"
#include "host/abi/node_fields.h"
#include "host/abi/pause_fields.h"
#include "host/abi/prepare_values.h"
#include "host/abi/process2_fields.h"
#include "host/abi/progress_values.h"
#include "host/abi/task_env_fields.h"
#include "host/abi/task_place_fields.h"

// Converts structs of the ABI to bytes, for messages between the host and a driver's process. The
// bytes include everything to which pointers in the structs lead. They do not include file
// descriptors, which are sent separately.
namespace drover {

template <typename T>
inline constexpr bool kHasSize = requires(T t) { t.struct_size; };

// The maximum size of a message in bytes. A frame has room for it and for what stands before it.
inline constexpr std::size_t kMaxWire = (16u << 20) - 1024;

struct WireMessage {
  std::string bytes;
  std::vector<drover_fd> fds;
  bool too_large = false;  // something does not fit, and BYTES ends before it
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
  // Writes the first struct_size bytes of the struct FROM. The message contains zero for members
  // beyond them.
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

  // Returns false if the size of a struct was invalid, or the message is too large. In this case,
  // the message must not be used.
  bool ok() const { return ok_; }

  static constexpr std::uint32_t kNoFd = ~0u;

 private:
  void Bytes(const void* data, std::size_t size) {
    const std::size_t used = to_->bytes.size();
    if (used > kMaxWire || size > kMaxWire - used) to_->too_large = true;
    if (to_->too_large) ok_ = false;
    if (ok_ && size > 0) to_->bytes.append(static_cast<const char*>(data), size);
  }
  WireMessage* to_;
  bool ok_ = true;
};

// How a reader lays out the structs that it makes.
enum class WireForm {
  kPlain,
  // Each struct is larger than in this ABI, as a struct of a newer host would be. Only for tests of
  // drivers.
  kGrown,
};

// Rebuilds structs from bytes, which are not trusted. The structs live in the reader's memory and
// are valid as long as the reader. Texts do not end with NUL, and empty texts have a null pointer.
// The destructor closes the file descriptors that were not read. If Done() is false, the destructor
// closes all file descriptors.
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
    // Each element takes at least four bytes of the message. With this check, a message of a few
    // bytes cannot make the reader allocate much memory.
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
  // Reads one number. Returns 0 if the message has too few bytes left.
  template <typename T>
  T Number() {
    T number{};
    Bytes(&number, sizeof number);
    return number;
  }
  bool AtEnd() const { return left() == 0; }
  // Ignores the rest of the message.
  void Skip() { at_ = message_.bytes.size(); }
  // Marks all file descriptors as not read, so the destructor closes them. After this call, structs
  // that were read must not be used.
  void Drop() { taken_.assign(taken_.size(), false); }
  // Returns false if the bytes did not match the structs that were read. In this case, the structs
  // must not be used.
  bool ok() const { return ok_; }
  // Returns true if ok() is true and no bytes are left.
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
  // Each struct, array and text gets a memory block of its own, so that sanitizers find a read
  // beyond its end.
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

// A copy of a struct with the size that a newer host would use, which is larger than this ABI's
// struct. Only for tests. If FROM is null or cannot be read as a struct, get() returns FROM itself,
// so that the function that receives it reports the error.
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
