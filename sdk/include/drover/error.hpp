// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "drover/drover.h"

// Prevents the inlining of a function. The wrapper's code must compile fast, but it need not run
// fast.
#define DROVER_SDK_ONCE __attribute__((noinline))

// Errors of a driver. A driver throws drover::Error. The wrapper converts every exception to the
// error object of the C interface. So no exception unwinds into the host.
namespace drover {
inline namespace sdk_v1 {

enum class Code : std::int32_t {
  kInternal = DROVER_E_INTERNAL,
  kInvalidArgument = DROVER_E_INVALID_ARGUMENT,
  kNotFound = DROVER_E_NOT_FOUND,
  kUnimplemented = DROVER_E_UNIMPLEMENTED,
  kUnavailable = DROVER_E_UNAVAILABLE,
  kCancelled = DROVER_E_CANCELLED,
  kTimeout = DROVER_E_TIMEOUT,
  kFailedPrecondition = DROVER_E_FAILED_PRECONDITION,
  kPermissionDenied = DROVER_E_PERMISSION_DENIED,
  kResourceExhausted = DROVER_E_RESOURCE_EXHAUSTED,
};

// An error has a code for programs and a text for people. A recoverable error means that the
// operation may succeed if it is repeated. If a start fails with such an error, the host restarts
// the task by its restart policy.
class Error : public std::exception {
 public:
  DROVER_SDK_ONCE Error(Code code, std::string message, bool recoverable = false)
      : code_(code), recoverable_(recoverable), message_(std::move(message)) {}

  static Error Recoverable(Code code, std::string message) {
    return Error(code, std::move(message), true);
  }

  Code code() const noexcept { return code_; }
  bool recoverable() const noexcept { return recoverable_; }
  const std::string& message() const noexcept { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }
  [[noreturn]] DROVER_SDK_ONCE void Throw() const { throw *this; }

 private:
  Code code_;
  bool recoverable_;
  std::string message_;
};

// A value or an error. A callback gets an Outcome, since an operation that runs in the background
// cannot throw to its caller.
template <typename T>
class Outcome {
 public:
  Outcome(T value) : value_(std::move(value)) {}      // NOLINT: implicit
  Outcome(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

  bool ok() const noexcept { return value_.has_value(); }
  // Returns the value. Throws the error if there is no value.
  const T& value() const {
    if (!ok()) error_.Throw();
    return *value_;
  }
  // Returns the error. It must be called only if ok() is false.
  const Error& error() const { return error_; }

 private:
  std::optional<T> value_;
  Error error_{Code::kInternal, std::string()};
};

namespace abi {

// Fills those members of OUT that the caller's version of drover_error has. OUT may be null.
// Returns CODE.
DROVER_SDK_ONCE inline std::int32_t FillError(drover_error* out, Code code, bool recoverable,
                                              const char* text, std::size_t size) noexcept {
  if (out != nullptr) {
    std::uint32_t flags = recoverable ? DROVER_ERROR_RECOVERABLE : 0u;
    if (DROVER_HAS(out, drover_error, code)) out->code = static_cast<std::int32_t>(code);
    if (DROVER_HAS(out, drover_error, flags)) out->flags = flags;
    if (DROVER_HAS(out, drover_error, message)) {
      if (size > DROVER_ERROR_MESSAGE_MAX) {
        size = DROVER_ERROR_MESSAGE_MAX;
        // Cut between two UTF-8 characters: step back over the continuation bytes of a character.
        while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0u) == 0x80u) --size;
      }
      std::memcpy(out->message, text, size);
      out->message_size = static_cast<std::uint32_t>(size);
    }
  }
  return static_cast<std::int32_t>(code);
}

inline std::int32_t FillError(drover_error* out, const Error& error) noexcept {
  return FillError(out, error.code(), error.recoverable(), error.message().data(),
                   error.message().size());
}

inline drover_error EmptyError() noexcept {
  drover_error error;
  std::memset(&error, 0, sizeof error);
  error.struct_size = sizeof error;
  return error;
}

// Converts IN, which a function of the host has filled, to an Error. CODE is what the function
// returned; it is the code of the Error if IN has no code.
DROVER_SDK_ONCE inline Error ReadError(std::int32_t code, const drover_error& in) {
  if (in.code != DROVER_OK) code = in.code;
  if (code < DROVER_E_INTERNAL || code > DROVER_E_RESOURCE_EXHAUSTED) code = DROVER_E_INTERNAL;
  std::size_t size = in.message_size;
  if (size > DROVER_ERROR_MESSAGE_MAX) size = DROVER_ERROR_MESSAGE_MAX;
  std::string message(in.message, size);
  if (message.empty()) message = "the host gave no reason";
  return Error(static_cast<Code>(code), std::move(message),
               (in.flags & DROVER_ERROR_RECOVERABLE) != 0);
}

// Converts the error IN of the host to an Error. The host's version of drover_error may have
// another size than the driver's. IN may be null.
DROVER_SDK_ONCE inline Error ReadError(const drover_error* in) {
  drover_error copy = EmptyError();
  if (in != nullptr) {
    std::size_t size = in->struct_size;
    if (size > sizeof copy) size = sizeof copy;
    if (size >= sizeof copy.struct_size) std::memcpy(&copy, in, size);
  }
  return ReadError(copy.code, copy);
}

// Returns the current exception as an Error. It must be called in a catch block.
DROVER_SDK_ONCE inline Error CurrentError() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(Code::kResourceExhausted, "the driver is out of memory");
  } catch (const std::exception& error) {
    return Error(Code::kInternal, error.what());
  } catch (...) {
    return Error(Code::kInternal, "the driver threw something that is no std::exception");
  }
}

// A reference to a callable object. It neither copies the object nor allocates memory. A Ref that
// is made from a temporary object is valid until the end of the full expression.
template <typename... Args>
class Ref {
 public:
  template <typename Function>
  Ref(Function&& function)  // NOLINT: implicit
      : object_(const_cast<void*>(static_cast<const void*>(&function))),
        call_([](void* object, Args... args) {
          (*static_cast<std::remove_reference_t<Function>*>(object))(std::forward<Args>(args)...);
        }) {}
  Ref(const Ref&) = default;
  Ref(Ref&) = default;
  void operator()(Args... args) const { call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  void (*call_)(void*, Args...);
};

// Runs BODY and catches every exception. Returns DROVER_OK if BODY does not throw. Otherwise fills
// OUT from the exception and returns the exception's code.
DROVER_SDK_ONCE inline std::int32_t Guard(drover_error* out, Ref<> body) noexcept {
  try {
    try {
      body();
      return DROVER_OK;
    } catch (...) {
      return FillError(out, CurrentError());
    }
  } catch (...) {
    static const char kText[] = "the driver is out of memory";
    return FillError(out, Code::kResourceExhausted, false, kText, sizeof kText - 1);
  }
}

}  // namespace abi
}  // namespace sdk_v1
}  // namespace drover
