// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/strict_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "host/base/unseen_text.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kQuotedBytes = 80;

std::string Place(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? offset : offset - newline - 1;
  return "line " + std::to_string(line) + ", column " +
         std::to_string(std::max<std::size_t>(column, 1));
}

// Builds the value from the events of the parser. So it can detect a key that occurs twice, which
// the finished value cannot show. It also refuses too great a depth before it builds the deeper
// values.
class Builder final : public json::json_sax_t {
 public:
  Builder(std::string_view text, JsonLimits limits) : text_(text), limits_(limits) {}

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(json::number_integer_t value) override { return Add(value); }
  bool number_unsigned(json::number_unsigned_t value) override { return Add(value); }
  bool number_float(json::number_float_t value, const std::string& token) override {
    // A whole number that does not fit into 64 bits would lose digits as a double, without an
    // error.
    if (token.find_first_of(".eE") == std::string::npos) {
      return Fail("the number " + token.substr(0, kQuotedBytes) + " does not fit into 64 bits");
    }
    return Add(value);
  }
  bool string(std::string& value) override {
    if (!limits_.nul && value.find('\0') != std::string::npos) {
      return Fail("the text holds the character U+0000");
    }
    return Add(std::move(value));
  }
  bool binary(json::binary_t&) override { return Fail("binary values are not JSON"); }

  bool key(std::string& value) override {
    levels_.back().key.clear();
    if (value.find('\0') != std::string::npos) return Fail("a key holds the character U+0000");
    if (levels_.back().value->contains(value)) {
      return Fail("the key " + Quoted(value) + " occurs twice in one object");
    }
    levels_.back().key = std::move(value);
    return true;
  }
  bool start_object(std::size_t) override { return Open(json::object()); }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t) override { return Open(json::array()); }
  bool end_array() override { return Close(); }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // The message of the library may contain raw bytes of the input.
    std::string detail = error.what();
    const std::size_t colon = detail.find(": ");
    if (colon != std::string::npos) detail.erase(0, colon + 2);
    std::string shown;
    for (const char c : detail.substr(0, 160)) shown += c >= ' ' && c <= '~' ? c : '?';
    error_ = "this is not JSON at " + Place(text_, position) + ": " + shown;
    return false;
  }

  Result<json> Take() {
    if (!error_.empty()) return Error(Code::kInvalidArgument, error_);
    return std::move(root_);
  }

 private:
  // An object or list that the parser has not closed yet. VALUE points into root_. An open value
  // is the last element of its parent, so no later element moves it.
  struct Level {
    json* value;
    std::string key;
  };

  json* Put(json value) {
    if (levels_.empty()) return &(root_ = std::move(value));
    Level& level = levels_.back();
    if (level.value->is_object()) return &((*level.value)[level.key] = std::move(value));
    return &level.value->emplace_back(std::move(value));
  }
  bool Add(json value) {
    Put(std::move(value));
    return true;
  }
  bool Open(json value) {
    if (levels_.size() >= limits_.depth) {
      return Fail("more than " + std::to_string(limits_.depth) + " objects and lists are nested");
    }
    levels_.push_back({Put(std::move(value)), {}});
    return true;
  }
  bool Close() {
    levels_.pop_back();
    return true;
  }
  bool Fail(const std::string& what) {
    std::string pointer;
    for (const Level& level : levels_) {
      if (level.value->is_array()) {
        const std::size_t size = level.value->size();
        const bool open_child = &level != &levels_.back();
        pointer = JsonPointer(pointer, open_child ? size - 1 : size);
      } else if (!level.key.empty()) {
        pointer = JsonPointer(pointer, level.key);
      }
    }
    error_ = pointer.empty() ? what : pointer + ": " + what;
    return false;
  }

  std::string_view text_;
  JsonLimits limits_;
  json root_;
  std::vector<Level> levels_;
  std::string error_;
};

}  // namespace

Result<json> ParseStrictJson(std::string_view text, JsonLimits limits) {
  if (text.size() > limits.bytes) {
    return Error(Code::kInvalidArgument, "the JSON has " + std::to_string(text.size()) +
                                             " bytes; at most " + std::to_string(limits.bytes) +
                                             " are read");
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return Error(Code::kInvalidArgument, "there is no JSON: the text is empty");
  }
  try {
    Builder builder(text, limits);
    json::sax_parse(text.begin(), text.end(), &builder);
    return builder.Take();
  } catch (const std::exception& e) {
    return Error(Code::kInvalidArgument, std::string("this JSON cannot be read: ") + e.what());
  }
}

std::string JsonText(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string JsonPointer(std::string_view pointer, std::string_view key) {
  std::string out(pointer);
  out += '/';
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
      out += '?';  // keeps the message on one line
    } else {
      out += c;
    }
  }
  return out;
}

std::string JsonPointer(std::string_view pointer, std::size_t index) {
  return std::string(pointer) + "/" + std::to_string(index);
}

std::string Quoted(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  const bool cut = text.size() > kQuotedBytes;
  if (cut) {
    std::size_t end = kQuotedBytes;  // the loop moves END back to the start of a character
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    text = text.substr(0, end);
  }
  std::string out = "\"";
  std::size_t unseen = 0;  // how many of the next bytes belong to an invisible character
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (unseen == 0) unseen = UnseenLength(text.substr(i));
    const bool hidden = unseen > 0;
    if (hidden) --unseen;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (hidden || byte < ' ' || byte == 0x7f) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + (cut ? "...\"" : "\"");
}

}  // namespace drover
