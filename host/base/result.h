// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace drover {

// The kind of an error. Callers decide by this code, never by the text. The values are those of
// the driver ABI (sdk/include/drover/drover.h). A test checks that they are equal.
enum class Code : int {
  kOk = 0,
  kInternal = 1,            // a fault of Drover or of a plugin
  kInvalidArgument = 2,     // the caller's input is wrong
  kNotFound = 3,            // no such task, file or driver
  kUnimplemented = 4,       // this driver or version does not support the call
  kUnavailable = 5,         // not possible now: unhealthy driver, shutdown
  kCancelled = 6,           // the context was cancelled
  kTimeout = 7,             // the deadline has passed
  kFailedPrecondition = 8,  // wrong state: not running, already started
  kPermissionDenied = 9,
  kResourceExhausted = 10,
};

std::string_view CodeName(Code code);

// An error as a value. The message says what was wrong, where, and what to do, without a full stop
// or line break at its end. After a recoverable error, another try may succeed.
class [[nodiscard]] Error {
 public:
  Error(Code code, std::string message, bool recoverable = false)
      : code_(code), recoverable_(recoverable), message_(std::move(message)) {}

  Code code() const { return code_; }
  bool recoverable() const { return recoverable_; }
  const std::string& message() const { return message_; }

  // Returns the same error with "CONTEXT: " before its message.
  Error WithContext(std::string_view context) const {
    return Error(code_, std::string(context) + ": " + message_, recoverable_);
  }
  Error AsRecoverable() const { return Error(code_, message_, true); }

  bool operator==(const Error&) const = default;

 private:
  Code code_;
  bool recoverable_;
  std::string message_;
};

// Returns an error such as "WHAT: No such file or directory". Its code follows from the errno. A
// lack of resources is recoverable.
Error ErrnoError(int error_number, std::string_view what);

namespace internal {
[[noreturn]] inline void Die(const char* file, int line, const char* what, const char* detail) {
  std::fprintf(stderr, "%s:%d: check failed: %s%s%s\n", file, line, what, *detail ? ": " : "",
               detail);
  std::abort();
}
}  // namespace internal

// Aborts if CONDITION is false. A false CONDITION is a bug in the program, and continuing would
// lose tasks.
#define DROVER_CHECK(condition) \
  ((condition) ? (void)0 : ::drover::internal::Die(__FILE__, __LINE__, #condition, ""))

// A value or an error. Calling value() on an error aborts.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  Code code() const { return ok() ? Code::kOk : error().code(); }

  const Error& error() const {
    DROVER_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }
  T& value() & {
    CheckOk();
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    CheckOk();
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    CheckOk();
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T value_or(T other) const& { return ok() ? value() : std::move(other); }

 private:
  void CheckOk() const {
    if (!ok()) internal::Die(__FILE__, __LINE__, "ok()", error().message().c_str());
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  Code code() const { return ok() ? Code::kOk : error_->code(); }
  const Error& error() const {
    DROVER_CHECK(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

// Success or an error.
using Status = Result<void>;

#define DROVER_CONCAT_INNER(a, b) a##b
#define DROVER_CONCAT(a, b) DROVER_CONCAT_INNER(a, b)

// If EXPR has an error, returns that error from the function. In a coroutine, use DROVER_CO_TRY.
#define DROVER_TRY(expr)                                                                \
  do {                                                                                  \
    if (auto drover_status = (expr); !drover_status.ok()) return drover_status.error(); \
  } while (false)
#define DROVER_CO_TRY(expr)                                                                \
  do {                                                                                     \
    if (auto drover_status = (expr); !drover_status.ok()) co_return drover_status.error(); \
  } while (false)

// DROVER_ASSIGN(auto x, F()) sets x to the value of F(). If F() returns an error, returns that
// error from the function. In a coroutine, use DROVER_CO_ASSIGN.
#define DROVER_ASSIGN(target, expr) \
  DROVER_ASSIGN_INNER(return, DROVER_CONCAT(drover_result_, __LINE__), target, expr)
#define DROVER_CO_ASSIGN(target, expr) \
  DROVER_ASSIGN_INNER(co_return, DROVER_CONCAT(drover_result_, __LINE__), target, expr)
#define DROVER_ASSIGN_INNER(leave, result, target, expr) \
  auto result = (expr);                                  \
  if (!result.ok()) leave result.error();                \
  target = std::move(*result)

}  // namespace drover
