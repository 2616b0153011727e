// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drover/error.hpp"

// A small JSON parser for configurations, so that a driver needs no JSON library. It is strict (RFC
// 8259, valid UTF-8, no duplicate keys) and limits size and depth. The host has already checked the
// text against the driver's schema. But the functions that read a member also check its type, and
// throw an error that names the member.
namespace drover {
inline namespace sdk_v1 {

class Json {
 public:
  enum class Type { kNull, kBool, kInt, kDouble, kString, kArray, kObject };
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json, std::less<>>;

  static constexpr std::size_t kMaxBytes = 4u << 20;
  static constexpr int kMaxDepth = 64;
  static constexpr int kMaxValues = 200000;  // each value takes about 150 bytes of memory

  Json() = default;
  Json(bool value) : type_(Type::kBool), bool_(value) {}                        // NOLINT
  Json(std::int64_t value) : type_(Type::kInt), int_(value) {}                  // NOLINT
  Json(int value) : type_(Type::kInt), int_(value) {}                           // NOLINT
  Json(double value) : type_(Type::kDouble), double_(value) {}                  // NOLINT
  Json(std::string value) : type_(Type::kString), string_(std::move(value)) {}  // NOLINT
  Json(const char* value) : type_(Type::kString), string_(value) {}             // NOLINT
  Json(Array value) : type_(Type::kArray), array_(std::move(value)) {}          // NOLINT
  Json(Object value) : type_(Type::kObject), object_(std::move(value)) {}       // NOLINT

  // Parses TEXT. Throws Error(kInvalidArgument) with the byte offset of the first fault in TEXT.
  static Json Parse(std::string_view text);

  Type type() const { return type_; }
  bool is_null() const { return type_ == Type::kNull; }

  // These functions return the value. They throw Error(kInvalidArgument) if the value has another
  // type. AsDouble accepts integers, too.
  bool AsBool() const { return Need(Type::kBool, "true or false"), bool_; }
  std::int64_t AsInt() const { return Need(Type::kInt, "an integer"), int_; }
  double AsDouble() const {
    if (type_ == Type::kInt) return static_cast<double>(int_);
    return Need(Type::kDouble, "a number"), double_;
  }
  const std::string& AsString() const { return Need(Type::kString, "a text"), string_; }
  const Array& AsArray() const { return Need(Type::kArray, "a list"), array_; }
  const Object& AsObject() const { return Need(Type::kObject, "an object"), object_; }

  // Returns the member KEY of this object, or a null value if the member is absent.
  const Json& operator[](std::string_view key) const {
    static const Json kNull;
    auto found = AsObject().find(key);
    return found == object_.end() ? kNull : found->second;
  }

  // These functions return the member KEY of this object, or the default if the member is absent or
  // null. If the member has another type, they throw an error that names KEY.
  std::string String(std::string_view key, std::string fallback = "") const {
    return Member(key, [&](const Json& j) { return j.AsString(); }, std::move(fallback));
  }
  std::int64_t Int(std::string_view key, std::int64_t fallback = 0) const {
    return Member(key, [&](const Json& j) { return j.AsInt(); }, fallback);
  }
  bool Bool(std::string_view key, bool fallback = false) const {
    return Member(key, [&](const Json& j) { return j.AsBool(); }, fallback);
  }
  double Double(std::string_view key, double fallback = 0) const {
    return Member(key, [&](const Json& j) { return j.AsDouble(); }, fallback);
  }
  std::vector<std::string> Strings(std::string_view key) const {
    return Member(
        key,
        [&](const Json& j) {
          std::vector<std::string> out;
          for (const Json& item : j.AsArray()) out.push_back(item.AsString());
          return out;
        },
        std::vector<std::string>{});
  }

  // Returns the value as compact JSON text, with the keys of each object sorted.
  std::string Text() const;

 private:
  void Need(Type type, const char* what) const {
    if (type_ != type) throw Error(Code::kInvalidArgument, std::string("expected ") + what);
  }

  template <typename Read, typename T>
  T Member(std::string_view key, Read&& read, T fallback) const {
    const Json& member = (*this)[key];
    if (member.is_null()) return fallback;
    try {
      return read(member);
    } catch (const Error& error) {
      throw Error(Code::kInvalidArgument, "/" + std::string(key) + ": " + error.message());
    }
  }

  Type type_ = Type::kNull;
  bool bool_ = false;
  std::int64_t int_ = 0;
  double double_ = 0;
  std::string string_;
  Array array_;
  Object object_;
};

namespace abi {

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}

  Json Document() {
    if (text_.size() > Json::kMaxBytes) Fail("the text is too large");
    Json value = Value(0);
    SkipSpace();
    if (at_ != text_.size()) Fail("text after the end of the value");
    return value;
  }

 private:
  [[noreturn]] void Fail(const char* why) const {
    throw Error(Code::kInvalidArgument, "invalid JSON at byte " + std::to_string(at_) + ": " + why);
  }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Digit() const { return Peek() >= '0' && Peek() <= '9'; }
  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void SkipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }
  void Word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) Fail("unknown word");
    at_ += word.size();
  }

  Json Value(int depth) {
    if (depth > Json::kMaxDepth) Fail("nested too deep");
    if (++values_ > Json::kMaxValues) Fail("too many values");
    SkipSpace();
    switch (Peek()) {
      case '{':
        return ObjectValue(depth);
      case '[':
        return ArrayValue(depth);
      case '"':
        return Json(StringValue());
      case 't':
        return Word("true"), Json(true);
      case 'f':
        return Word("false"), Json(false);
      case 'n':
        return Word("null"), Json();
      default:
        return Number();
    }
  }

  Json ObjectValue(int depth) {
    Json::Object out;
    ++at_;
    SkipSpace();
    if (Take('}')) return Json(std::move(out));
    do {
      SkipSpace();
      if (Peek() != '"') Fail("expected a key");
      std::string key = StringValue();
      SkipSpace();
      if (!Take(':')) Fail("expected a colon");
      if (out.count(key) != 0) Fail("duplicate key");
      Json value = Value(depth + 1);
      out.emplace(std::move(key), std::move(value));
      SkipSpace();
    } while (Take(','));
    if (!Take('}')) Fail("expected , or }");
    return Json(std::move(out));
  }

  Json ArrayValue(int depth) {
    Json::Array out;
    ++at_;
    SkipSpace();
    if (Take(']')) return Json(std::move(out));
    do {
      out.push_back(Value(depth + 1));
      SkipSpace();
    } while (Take(','));
    if (!Take(']')) Fail("expected , or ]");
    return Json(std::move(out));
  }

  Json Number() {
    std::size_t begin = at_;
    bool integer = true;
    Take('-');
    if (!Digit()) Fail("expected a value");
    if (!Take('0')) {
      while (Digit()) ++at_;
    }
    if (Take('.')) {
      integer = false;
      if (!Digit()) Fail("expected a digit");
      while (Digit()) ++at_;
    }
    if (Peek() == 'e' || Peek() == 'E') {
      integer = false;
      ++at_;
      if (Peek() == '+' || Peek() == '-') ++at_;
      if (!Digit()) Fail("expected a digit");
      while (Digit()) ++at_;
    }
    std::string digits(text_.substr(begin, at_ - begin));
    if (integer) {
      std::int64_t value = 0;
      const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (parsed.ec == std::errc()) return Json(value);
    }
    // strtod expects a decimal comma in some locales, so Scaled computes the number from mantissa
    // and exponent. The last bit may be rounded differently, but no configuration depends on it.
    return Json(Scaled(digits));
  }

  double Scaled(const std::string& digits) const {
    long double mantissa = 0;
    long exponent = 0;
    bool fraction = false;
    std::size_t i = digits[0] == '-' ? 1 : 0;
    for (; i < digits.size() && digits[i] != 'e' && digits[i] != 'E'; ++i) {
      if (digits[i] == '.') {
        fraction = true;
        continue;
      }
      mantissa = mantissa * 10 + (digits[i] - '0');
      if (fraction) --exponent;
    }
    if (i < digits.size()) {
      long given = std::strtol(digits.c_str() + i + 1, nullptr, 10);
      exponent += given > 100000 ? 100000 : given < -100000 ? -100000 : given;
    }
    long double value = mantissa == 0 ? 0 : mantissa * std::pow(10.0L, exponent);
    if (!std::isfinite(static_cast<double>(value))) Fail("the number is too large");
    return static_cast<double>(digits[0] == '-' ? -value : value);
  }

  unsigned Hex4() {
    unsigned value = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const auto parsed =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, /*base=*/16);
    const auto count = static_cast<std::size_t>(parsed.ptr - digits.data());
    at_ += count;
    if (count != 4) Fail("expected four hex digits");
    return value;
  }

  static void AppendUtf8(std::string& out, unsigned point) {
    if (point < 0x80) {
      out += static_cast<char>(point);
    } else if (point < 0x800) {
      out += static_cast<char>(0xC0 | (point >> 6));
      out += static_cast<char>(0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
      out += static_cast<char>(0xE0 | (point >> 12));
      out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
      out += static_cast<char>(0x80 | (point & 0x3F));
    } else {
      out += static_cast<char>(0xF0 | (point >> 18));
      out += static_cast<char>(0x80 | ((point >> 12) & 0x3F));
      out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
      out += static_cast<char>(0x80 | (point & 0x3F));
    }
  }

  void Escape(std::string& out) {
    constexpr std::string_view kNames = "\"\\/bfnrt", kValues = "\"\\/\b\f\n\r\t";
    if (const std::size_t found = kNames.find(Peek()); found != std::string_view::npos) {
      ++at_;
      out += kValues[found];
      return;
    }
    if (!Take('u')) Fail("unknown escape");
    unsigned point = Hex4();
    if (point >= 0xDC00 && point < 0xE000) Fail("half of a surrogate pair");
    if (point >= 0xD800 && point < 0xDC00) {
      if (!Take('\\') || !Take('u')) Fail("half of a surrogate pair");
      unsigned low = Hex4();
      if (low < 0xDC00 || low >= 0xE000) Fail("half of a surrogate pair");
      point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
    }
    AppendUtf8(out, point);
  }

  // Copies one UTF-8 character of several bytes to OUT. Refuses overlong forms and surrogates.
  void Multibyte(std::string& out) {
    auto byte = [&](std::size_t i) -> unsigned {
      return i < text_.size() ? static_cast<unsigned char>(text_[i]) : 0u;
    };
    unsigned lead = byte(at_);
    std::size_t size = lead >= 0xC2 && lead < 0xE0   ? 2
                       : lead >= 0xE0 && lead < 0xF0 ? 3
                       : lead >= 0xF0 && lead < 0xF5 ? 4
                                                     : 0;
    if (size == 0) Fail("invalid UTF-8");
    for (std::size_t i = 1; i < size; ++i) {
      if ((byte(at_ + i) & 0xC0) != 0x80) Fail("invalid UTF-8");
    }
    unsigned second = byte(at_ + 1);
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0) ||
        (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90)) {
      Fail("invalid UTF-8");
    }
    out.append(text_.substr(at_, size));
    at_ += size;
  }

  std::string StringValue() {
    std::string out;
    ++at_;
    for (;;) {
      if (at_ >= text_.size()) Fail("the text does not end");
      unsigned char c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        ++at_;
        return out;
      }
      if (c < 0x20) Fail("a control character in a text");
      if (c == '\\') {
        ++at_;
        Escape(out);
      } else if (c < 0x80) {
        out += static_cast<char>(c);
        ++at_;
      } else {
        Multibyte(out);
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int values_ = 0;
};

inline void AppendJsonText(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace abi

inline Json Json::Parse(std::string_view text) { return abi::JsonParser(text).Document(); }

inline std::string Json::Text() const {
  std::string out;
  switch (type_) {
    case Type::kNull:
      return "null";
    case Type::kBool:
      return bool_ ? "true" : "false";
    case Type::kInt:
      return std::to_string(int_);
    case Type::kDouble: {
      char digits[40];
      std::snprintf(digits, sizeof digits, "%.17g", double_);
      return digits;
    }
    case Type::kString:
      abi::AppendJsonText(out, string_);
      return out;
    case Type::kArray:
      out = "[";
      for (const Json& item : array_) {
        if (out.size() > 1) out += ',';
        out += item.Text();
      }
      return out + "]";
    case Type::kObject:
      out = "{";
      for (const auto& member : object_) {
        if (out.size() > 1) out += ',';
        abi::AppendJsonText(out, member.first);
        out += ':' + member.second.Text();
      }
      return out + "}";
  }
  return out;
}

}  // namespace sdk_v1
}  // namespace drover
