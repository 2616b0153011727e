// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "host/govalues/go_format.h"
#include "host/govalues/go_number.h"
#include "host/govalues/go_text.h"
#include "host/template/conversions.h"
#include "host/template/function.h"
#include "host/template/render_state.h"

// The functions of numbers.
namespace drover::templates {
namespace {

constexpr std::size_t kLongestSequence = 1'000'000;

using Wide = std::uint64_t;  // integers that overflow as those of Go do

std::int64_t Wrapped64(Wide value) { return static_cast<std::int64_t>(value); }

bool IsNumeric(const Value& value) {
  return value.is(Kind::kInt) || value.is(Kind::kUint) || value.is(Kind::kFloat);
}

Status CheckNumeric(const Call& call, bool whole) {
  for (std::size_t i : {1, 0}) {
    const Value& value = call.at(i);
    if (!IsNumeric(value) || (whole && value.is(Kind::kFloat))) {
      return CallError("unknown type " + TypeName(value));
    }
  }
  return {};
}

std::int64_t AsInteger(const Value& value) {
  return value.is(Kind::kUint) ? static_cast<std::int64_t>(value.natural()) : value.integer();
}

// consul-template's arithmetic: {{add 1 2}} has B first, and A second. Two natural numbers give a
// natural number, anything else whole gives int64, and a float64 makes all float64.
template <typename OnInt, typename OnUint, typename OnReal>
Result<Value> Arithmetic(const Call& call, OnInt on_int, OnUint on_uint, OnReal on_real) {
  DROVER_TRY(CheckNumeric(call, false));
  const Value& b = call.at(0);
  const Value& a = call.at(1);
  if (a.is(Kind::kFloat) || b.is(Kind::kFloat)) return on_real(RealOf(a), RealOf(b));
  if (a.is(Kind::kUint) && b.is(Kind::kUint)) return on_uint(a.natural(), b.natural());
  return on_int(AsInteger(a), AsInteger(b));
}

Value Int64(std::int64_t value) { return Value::Int(value, &kInt64); }

Result<Value> NumberAdd(const Call& call) {
  return Arithmetic(
      call, [](std::int64_t a, std::int64_t b) { return Int64(Wrapped64(Wide(a) + Wide(b))); },
      [](Wide a, Wide b) { return Value::Uint(a + b); },
      [](double a, double b) { return Value::Float(a + b); });
}

Result<Value> NumberSubtract(const Call& call) {
  return Arithmetic(
      call, [](std::int64_t a, std::int64_t b) { return Int64(Wrapped64(Wide(a) - Wide(b))); },
      [](Wide a, Wide b) { return Value::Uint(a - b); },
      [](double a, double b) { return Value::Float(a - b); });
}

Result<Value> NumberMultiply(const Call& call) {
  return Arithmetic(
      call, [](std::int64_t a, std::int64_t b) { return Int64(Wrapped64(Wide(a) * Wide(b))); },
      [](Wide a, Wide b) { return Value::Uint(a * b); },
      [](double a, double b) { return Value::Float(a * b); });
}

Error DivisionByZero() { return CallError("integer divide by zero"); }

std::int64_t Quotient(std::int64_t a, std::int64_t b) {
  return b == -1 ? Wrapped64(0 - Wide(a)) : a / b;
}
std::int64_t Remainder(std::int64_t a, std::int64_t b) { return b == -1 ? 0 : a % b; }

Result<Value> NumberDivide(const Call& call) {
  const Value& b = call.at(0);
  const bool real = b.is(Kind::kFloat) || call.at(1).is(Kind::kFloat);
  if (IsNumeric(b) && !real && RealOf(b) == 0 && IsNumeric(call.at(1))) return DivisionByZero();
  return Arithmetic(
      call, [](std::int64_t x, std::int64_t y) { return Int64(Quotient(x, y)); },
      [](Wide x, Wide y) { return Value::Uint(x / y); },
      [](double x, double y) { return Value::Float(x / y); });
}

Result<Value> NumberModulo(const Call& call) {
  DROVER_TRY(CheckNumeric(call, true));
  if (RealOf(call.at(0)) == 0) return DivisionByZero();
  return Arithmetic(
      call, [](std::int64_t a, std::int64_t b) { return Int64(Remainder(a, b)); },
      [](Wide a, Wide b) { return Value::Uint(a % b); },
      [](double a, double) { return Value::Float(a); });
}

// Returns VALUE in the widest type of its kind, which minimum and maximum give.
Value Widened(const Value& value) {
  if (value.is(Kind::kInt)) return Int64(value.integer());
  if (value.is(Kind::kUint)) return Value::Uint(value.natural());
  return value;
}

// Returns whether A is less than B, or greater if GREATER.
bool IsBefore(const Value& a, const Value& b, bool greater) {
  const auto compare = [greater](auto x, auto y) { return greater ? x > y : x < y; };
  if (a.is(Kind::kFloat) || b.is(Kind::kFloat)) return compare(RealOf(a), RealOf(b));
  if (a.is(Kind::kUint) && b.is(Kind::kUint)) return compare(a.natural(), b.natural());
  return compare(AsInteger(a), AsInteger(b));
}

Result<Value> NumberMinimum(const Call& call) {
  DROVER_TRY(CheckNumeric(call, false));
  return Widened(IsBefore(call.at(1), call.at(0), false) ? call.at(1) : call.at(0));
}

Result<Value> NumberMaximum(const Call& call) {
  DROVER_TRY(CheckNumeric(call, false));
  return Widened(IsBefore(call.at(1), call.at(0), true) ? call.at(1) : call.at(0));
}

// Without the text, which may be a secret.
Error NotRead() { return CallError("the text cannot be read: invalid syntax"); }

Result<Value> NumberParseBool(const Call& call) {
  const std::string& text = call.text(0);
  if (text.empty()) return Value::Bool(false);
  constexpr std::string_view kTrue[] = {"1", "t", "T", "true", "TRUE", "True"};
  constexpr std::string_view kFalse[] = {"0", "f", "F", "false", "FALSE", "False"};
  if (std::ranges::find(kTrue, text) != std::end(kTrue)) return Value::Bool(true);
  if (std::ranges::find(kFalse, text) != std::end(kFalse)) return Value::Bool(false);
  return NotRead();
}

Result<Value> NumberParseFloat(const Call& call) {
  if (call.text(0).empty()) return Value::Float(0);
  const std::optional<double> value = ParseFloat(call.text(0));
  if (!value) return NotRead();
  return Value::Float(*value);
}

Result<Value> NumberParseInt(const Call& call) {
  if (call.text(0).empty()) return Int64(0);
  const std::optional<std::int64_t> value = ParseInt(call.text(0), 10);
  if (!value) return NotRead();
  return Int64(*value);
}

Result<Value> NumberParseUint(const Call& call) {
  if (call.text(0).empty()) return Value::Uint(0);
  const std::optional<std::uint64_t> value = ParseUint(call.text(0), 10);
  if (!value) return NotRead();
  return Value::Uint(*value);
}

Result<std::int64_t> LoopBound(const Value& value) {
  if (value.is(Kind::kInt)) return value.integer();
  if (value.is(Kind::kUint)) return static_cast<std::int64_t>(value.natural());
  if (!value.is(Kind::kString)) return CallError("bad argument type: " + TypeName(value));
  if (value.text().empty()) return 0;
  const std::optional<std::int64_t> bound = ParseInt(value.text(), 10);
  if (!bound) return NotRead();
  return *bound;
}

Result<Value> NumberLoop(const Call& call) {
  if (call.count() != 1 && call.count() != 2) {
    return CallError("wrong number of arguments, expected 1 or 2, but got " +
                     std::to_string(call.count()));
  }
  std::int64_t begin = 0;
  if (call.count() == 2) {
    DROVER_ASSIGN(begin, LoopBound(call.at(0)));
  }
  DROVER_ASSIGN(const std::int64_t end, LoopBound(call.at(call.count() - 1)));
  return call.heap().NewLoop(begin, end);
}

Result<Value> SprigInt(const Call& call) { return Value::Int(IntegerOf(call.at(0))); }
Result<Value> SprigInt64(const Call& call) { return Int64(IntegerOf(call.at(0))); }
Result<Value> SprigFloat64(const Call& call) { return Value::Float(RealOf(call.at(0))); }
Result<Value> SprigAtoi(const Call& call) {
  return Value::Int(ParseInt(call.text(0), 10).value_or(0));
}

Result<Value> SprigToDecimal(const Call& call) {
  DROVER_ASSIGN(const std::string text, TextOf(call.at(0), call.heap()));
  return Int64(ParseInt(text, 8).value_or(0));
}

// Folds the integers of the arguments from FIRST on.
template <typename Fold>
Result<Value> FoldIntegers(const Call& call, std::int64_t value, std::size_t first, Fold fold) {
  for (std::size_t i = first; i < call.count(); ++i) value = fold(value, IntegerOf(call.at(i)));
  return Int64(value);
}

Result<Value> SprigAdd(const Call& call) {
  return FoldIntegers(call, 0, 0,
                      [](std::int64_t a, std::int64_t b) { return Wrapped64(Wide(a) + Wide(b)); });
}
Result<Value> SprigAdd1(const Call& call) {
  return Int64(Wrapped64(Wide(IntegerOf(call.at(0))) + 1));
}
Result<Value> SprigSub(const Call& call) {
  return Int64(Wrapped64(Wide(IntegerOf(call.at(0))) - Wide(IntegerOf(call.at(1)))));
}
Result<Value> SprigMul(const Call& call) {
  return FoldIntegers(call, IntegerOf(call.at(0)), 1,
                      [](std::int64_t a, std::int64_t b) { return Wrapped64(Wide(a) * Wide(b)); });
}
Result<Value> SprigDiv(const Call& call) {
  if (IntegerOf(call.at(1)) == 0) return DivisionByZero();
  return Int64(Quotient(IntegerOf(call.at(0)), IntegerOf(call.at(1))));
}
Result<Value> SprigMod(const Call& call) {
  if (IntegerOf(call.at(1)) == 0) return DivisionByZero();
  return Int64(Remainder(IntegerOf(call.at(0)), IntegerOf(call.at(1))));
}
Result<Value> SprigMax(const Call& call) {
  return FoldIntegers(call, IntegerOf(call.at(0)), 1,
                      [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
}
Result<Value> SprigMin(const Call& call) {
  return FoldIntegers(call, IntegerOf(call.at(0)), 1,
                      [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
}

template <typename Fold>
Result<Value> FoldReals(const Call& call, double value, std::size_t first, Fold fold) {
  for (std::size_t i = first; i < call.count(); ++i) value = fold(value, RealOf(call.at(i)));
  return Value::Float(value);
}

// Returns the number that is written as VALUE with 15 digits. Sprig calculates with decimal
// numbers, so 0.1 + 0.2 is 0.3.
double AsDecimal(double value) { return ParseFloat(FormatFloat(value, 'g', 15)).value_or(value); }

Result<Value> SprigAddf(const Call& call) {
  return FoldReals(call, 0, 0, [](double a, double b) { return AsDecimal(a + b); });
}
Result<Value> SprigAdd1f(const Call& call) {
  return Value::Float(AsDecimal(RealOf(call.at(0)) + 1));
}
Result<Value> SprigSubf(const Call& call) {
  return FoldReals(call, RealOf(call.at(0)), 1,
                   [](double a, double b) { return AsDecimal(a - b); });
}
Result<Value> SprigMulf(const Call& call) {
  return FoldReals(call, RealOf(call.at(0)), 1,
                   [](double a, double b) { return AsDecimal(a * b); });
}

Result<Value> SprigDivf(const Call& call) {
  double value = RealOf(call.at(0));
  for (std::size_t i = 1; i < call.count(); ++i) {
    const double by = RealOf(call.at(i));
    if (by == 0) return CallError("decimal division by 0");
    // A decimal number has 16 digits behind the point here.
    value = ParseFloat(FormatFloat(value / by, 'f', 16)).value_or(0);
  }
  return Value::Float(value);
}

Result<Value> SprigMaxf(const Call& call) {
  return FoldReals(call, RealOf(call.at(0)), 1, [](double a, double b) { return std::fmax(a, b); });
}
Result<Value> SprigMinf(const Call& call) {
  return FoldReals(call, RealOf(call.at(0)), 1, [](double a, double b) { return std::fmin(a, b); });
}
Result<Value> SprigCeil(const Call& call) { return Value::Float(std::ceil(RealOf(call.at(0)))); }
Result<Value> SprigFloor(const Call& call) { return Value::Float(std::floor(RealOf(call.at(0)))); }

Result<Value> SprigRound(const Call& call) {
  const double power = std::pow(10, static_cast<double>(call.at(1).integer()));
  const double digit = power * RealOf(call.at(0));
  const double on = call.count() > 2 ? call.at(2).real() : 0.5;
  double whole = 0;
  const double fraction = std::modf(digit, &whole);
  return Value::Float((fraction >= on ? std::ceil(digit) : std::floor(digit)) / power);
}

Result<List> Sequence(std::int64_t start, std::int64_t stop, std::int64_t step) {
  List numbers;
  if (stop < start ? step >= 0 : step <= 0) return numbers;
  for (std::int64_t i = start; step > 0 ? i < stop : i > stop;) {
    if (numbers.size() == kLongestSequence) {
      return Error(Code::kResourceExhausted, "the sequence is too long");
    }
    numbers.push_back(Value::Int(i));
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return numbers;
}

Result<Value> SprigUntil(const Call& call) {
  const std::int64_t count = call.at(0).integer();
  DROVER_ASSIGN(List numbers, Sequence(0, count, count < 0 ? -1 : 1));
  return call.heap().NewList(std::move(numbers), &kIntList);
}

Result<Value> SprigUntilStep(const Call& call) {
  DROVER_ASSIGN(List numbers,
                Sequence(call.at(0).integer(), call.at(1).integer(), call.at(2).integer()));
  return call.heap().NewList(std::move(numbers), &kIntList);
}

// Writes the numbers from START to END, END included.
Result<Value> SprigSeq(const Call& call) {
  if (call.count() == 0 || call.count() > 3) return call.Text("");
  const std::int64_t start = call.count() == 1 ? 1 : call.at(0).integer();
  const std::int64_t end = call.at(call.count() - 1).integer();
  const std::int64_t direction = end < start ? -1 : 1;
  const std::int64_t step = call.count() == 3 ? call.at(1).integer() : direction;
  if (call.count() == 3 && end < start && step > 0) return call.Text("");
  std::int64_t stop = 0;
  if (__builtin_add_overflow(end, direction, &stop)) return CallError("the number is too large");
  DROVER_ASSIGN(const List numbers, Sequence(start, stop, step));
  std::string out;
  for (const Value& number : numbers) {
    out += (out.empty() ? "" : " ") + std::to_string(number.integer());
  }
  return call.Text(std::move(out));
}

constexpr Function kNumberFunctions[] = {
    {"add", "aa", NumberAdd},
    {"subtract", "aa", NumberSubtract},
    {"multiply", "aa", NumberMultiply},
    {"divide", "aa", NumberDivide},
    {"modulo", "aa", NumberModulo},
    {"minimum", "aa", NumberMinimum},
    {"maximum", "aa", NumberMaximum},
    {"parseBool", "s", NumberParseBool},
    {"parseFloat", "s", NumberParseFloat},
    {"parseInt", "s", NumberParseInt},
    {"parseUint", "s", NumberParseUint},
    {"loop", "a*", NumberLoop},
    {"sprig_int", "a", SprigInt},
    {"sprig_int64", "a", SprigInt64},
    {"sprig_float64", "a", SprigFloat64},
    {"sprig_atoi", "s", SprigAtoi},
    {"sprig_toDecimal", "a", SprigToDecimal},
    {"sprig_add", "a*", SprigAdd},
    {"sprig_add1", "a", SprigAdd1},
    {"sprig_sub", "aa", SprigSub},
    {"sprig_mul", "aa*", SprigMul},
    {"sprig_div", "aa", SprigDiv},
    {"sprig_mod", "aa", SprigMod},
    {"sprig_max", "aa*", SprigMax},
    {"sprig_biggest", "aa*", SprigMax},
    {"sprig_min", "aa*", SprigMin},
    {"sprig_addf", "a*", SprigAddf},
    {"sprig_add1f", "a", SprigAdd1f},
    {"sprig_subf", "aa*", SprigSubf},
    {"sprig_mulf", "aa*", SprigMulf},
    {"sprig_divf", "aa*", SprigDivf},
    {"sprig_maxf", "aa*", SprigMaxf},
    {"sprig_minf", "aa*", SprigMinf},
    {"sprig_ceil", "a", SprigCeil},
    {"sprig_floor", "a", SprigFloor},
    {"sprig_round", "aif*", SprigRound},
    {"sprig_until", "i", SprigUntil},
    {"sprig_untilStep", "iii", SprigUntilStep},
    {"sprig_seq", "i*", SprigSeq},
};

}  // namespace

FunctionSpan NumberFunctions() { return kNumberFunctions; }

}  // namespace drover::templates
