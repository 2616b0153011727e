// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/env_file.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "host/base/text.h"

namespace drover {
namespace {

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool IsName(std::string_view name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), IsNameCharacter);
}

void AppendUtf8(unsigned code, std::string* out) {
  if (code < 0x80) {
    *out += static_cast<char>(code);
  } else if (code < 0x800) {
    *out += static_cast<char>(0xC0 | (code >> 6));
    *out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    *out += static_cast<char>(0xE0 | (code >> 12));
    *out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    *out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// Reads the value of one line. An error is a sentence without the content.
class ValueReader {
 public:
  explicit ValueReader(std::string_view rest) : rest_(rest) {}

  Result<std::string> Read() {
    rest_ = Trim(rest_);
    std::string value;
    while (!rest_.empty()) {
      const char c = rest_[0];
      if (c == '\'') {
        DROVER_TRY(Single(&value));
      } else if (c == '"') {
        DROVER_TRY(Double(&value));
      } else if (c == '#' && (value.empty() || blank_before_)) {
        break;
      } else {
        blank_before_ = c == ' ' || c == '\t';
        value += c;
        if (!blank_before_) kept_ = value.size();
        rest_.remove_prefix(1);
      }
    }
    value.resize(std::min(value.size(), kept_));  // without the blanks at the end
    if (value.find('\0') != std::string::npos) {
      return Error(Code::kInvalidArgument, "the value holds a zero byte");
    }
    return value;
  }

 private:
  Status Single(std::string* value) {
    const std::size_t end = rest_.find('\'', 1);
    if (end == std::string_view::npos) return Unclosed("'");
    *value += rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    kept_ = value->size();
    blank_before_ = false;
    return {};
  }

  Status Double(std::string* value) {
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_[0] != '"') {
      if (rest_[0] == '\\') {
        DROVER_TRY(Escape(value));
      } else {
        *value += rest_[0];
        rest_.remove_prefix(1);
      }
    }
    if (rest_.empty()) return Unclosed("\"");
    rest_.remove_prefix(1);
    kept_ = value->size();
    blank_before_ = false;
    return {};
  }

  Status Escape(std::string* value) {
    static constexpr std::pair<char, char> kEscapes[] = {
        {'n', '\n'}, {'t', '\t'},  {'r', '\r'}, {'b', '\b'}, {'f', '\f'},
        {'"', '"'},  {'\\', '\\'}, {'/', '/'},  {'$', '$'},  {'\'', '\''}};
    if (rest_.size() >= 2) {
      const auto* const known =
          std::ranges::find(kEscapes, rest_[1], &std::pair<char, char>::first);
      if (known != std::end(kEscapes)) {
        *value += known->second;
        rest_.remove_prefix(2);
        return {};
      }
      if (rest_[1] == 'u' && rest_.size() >= 6) {
        unsigned code = 0;
        bool is_hex = true;
        for (std::size_t i = 2; i < 6; ++i) {
          const int digit = HexDigit(rest_[i]);
          is_hex = is_hex && digit >= 0;
          code = code * 16 + static_cast<unsigned>(std::max(digit, 0));
        }
        const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
        if (is_hex && !surrogate) {
          AppendUtf8(code, value);
          rest_.remove_prefix(6);
          return {};
        }
      }
    }
    return Error(Code::kInvalidArgument, "an escape after \"\\\" is not known");
  }

  static Error Unclosed(const std::string& quote) {
    return Error(Code::kInvalidArgument, "a quote (" + quote + ") is not closed");
  }

  std::string_view rest_;
  std::size_t kept_ = 0;  // the size of the value without blanks at its end
  bool blank_before_ = false;
};

// Adds the variable of LINE, if it has one.
Status ReadLine(std::string_view line, StringMap* env) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  line = Trim(line);
  if (line.empty() || line[0] == '#') return {};
  constexpr std::string_view kExport = "export ";
  if (line.starts_with(kExport)) line = Trim(line.substr(kExport.size()));
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) {
    return Error(Code::kInvalidArgument, "it has no \"=\": write NAME=VALUE");
  }
  const std::string_view name = Trim(line.substr(0, equals));
  if (!IsName(name)) {
    return Error(Code::kInvalidArgument,
                 "the name before \"=\" may hold only letters, digits and \"_\", and must not "
                 "begin with a digit");
  }
  DROVER_ASSIGN((*env)[std::string(name)], ValueReader(line.substr(equals + 1)).Read());
  return {};
}

}  // namespace

Result<StringMap> ReadEnvFile(std::string_view content) {
  StringMap env;
  for (std::size_t number = 1; !content.empty(); ++number) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    const Status read = ReadLine(content.substr(0, end), &env);
    if (!read.ok()) return read.error().WithContext("line " + std::to_string(number));
    content.remove_prefix(std::min(end + 1, content.size()));
  }
  return env;
}

}  // namespace drover
