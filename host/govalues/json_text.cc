// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/govalues/json_text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/govalues/go_format.h"
#include "host/govalues/go_number.h"
#include "host/govalues/go_text.h"
#include "host/govalues/go_time.h"
#include "host/govalues/template_answers.h"

namespace drover::templates {
namespace {

constexpr std::size_t kCostOfByte = 24;  // memory of a JSON value per byte of its text, at most

void AppendJsonEscape(char32_t c, std::string* out) {
  *out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) *out += "0123456789abcdef"[c >> shift & 15];
}

void AppendJsonString(std::string_view text, bool escapes_html, std::string* out) {
  *out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const Character c = CharacterAt(text, at);
    constexpr std::string_view kShort = "\b\f\n\r\t\"\\";
    const std::size_t known = c.value < 0x80 && c.value != 0
                                  ? kShort.find(static_cast<char>(c.value))
                                  : std::string_view::npos;
    if (known != std::string_view::npos) {
      *out += '\\';
      *out += "bfnrt\"\\"[known];
    } else if (c.wrong) {
      *out += "\\ufffd";
    } else if (c.value < ' ' || c.value == 0x2028 || c.value == 0x2029 ||
               (escapes_html && (c.value == '<' || c.value == '>' || c.value == '&'))) {
      AppendJsonEscape(c.value, out);
    } else {
      out->append(text, at, c.length);
    }
    at += c.length;
  }
  *out += '"';
}

// Returns REAL as Go's encoding/json writes it.
std::string JsonNumber(double real) {
  const double size = std::fabs(real);
  if (size == 0 || (size >= 1e-6 && size < 1e21)) return FormatFloat(real, 'f', -1);
  std::string text = FormatFloat(real, 'e', -1);
  // 1e-09 is written as 1e-9.
  const std::size_t count = text.size();
  if (count >= 4 && text[count - 4] == 'e' && text[count - 3] == '-' && text[count - 2] == '0') {
    text.erase(count - 2, 1);
  }
  return text;
}

class JsonWriter {
 public:
  JsonWriter(JsonForm form, const Heap& heap) : form_(form), most_(heap.room()) {}

  Status Write(const Value& value, int depth) {
    if (depth > kDeepestValue) return CallError("the value is nested too deep");
    if (out_.size() > most_) {
      return Error(Code::kResourceExhausted, "the text is too long");
    }
    switch (value.kind()) {
      case Kind::kInvalid:
      case Kind::kNil:
        out_ += "null";
        return {};
      case Kind::kBool:
        out_ += value.boolean() ? "true" : "false";
        return {};
      case Kind::kInt:
        out_ += std::to_string(value.integer());
        return {};
      case Kind::kUint:
        out_ += std::to_string(value.natural());
        return {};
      case Kind::kFloat:
        if (!std::isfinite(value.real())) {
          return CallError("json: unsupported value: " + FormatFloat(value.real(), 'g', -1));
        }
        out_ += JsonNumber(value.real());
        return {};
      case Kind::kString:
        AppendJsonString(value.text(), form_.escapes_html, &out_);
        return {};
      case Kind::kList:
        return WriteList(value, depth);
      case Kind::kMap:
        return WriteMap(value, depth);
      case Kind::kStruct:
        return WriteStruct(value, depth);
      case Kind::kTime:
        out_ += '"' + FormatMoment(value.moment(), "2006-01-02T15:04:05.999999999Z07:00") + '"';
        return {};
      default:
        return CallError("json: unsupported type: " + TypeName(value));
    }
  }

  std::string Take() { return std::move(out_); }

 private:
  void NewLine(int depth) {
    if (!form_.pretty) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(depth) * 2, ' ');
  }

  void Key(std::string_view key) {
    AppendJsonString(key, form_.escapes_html, &out_);
    out_ += form_.pretty ? ": " : ":";
  }

  Status WriteList(const Value& value, int depth) {
    if (value.IsNilContainer()) {
      out_ += "null";
      return {};
    }
    out_ += '[';
    bool first = true;
    for (const Value& element : value.list()) {
      if (!first) out_ += ',';
      first = false;
      NewLine(depth + 1);
      DROVER_TRY(Write(element, depth + 1));
    }
    if (!first) NewLine(depth);
    out_ += ']';
    return {};
  }

  Status WriteMap(const Value& value, int depth) {
    if (value.type()->key == &kAny) return CallError("json: unsupported type: " + TypeName(value));
    if (value.IsNilContainer()) {
      out_ += "null";
      return {};
    }
    // Numbers as keys are texts, and are sorted as such.
    std::vector<std::pair<std::string, Value>> elements;
    for (const auto& [key, element] : value.map()) {
      elements.emplace_back(key.is(Kind::kInt) ? std::to_string(key.integer()) : key.text(),
                            element);
    }
    if (value.type()->key == &kInt) {
      std::ranges::sort(elements, {}, &std::pair<std::string, Value>::first);
    }
    out_ += '{';
    bool first = true;
    for (const auto& [key, element] : elements) {
      if (!first) out_ += ',';
      first = false;
      NewLine(depth + 1);
      Key(key);
      DROVER_TRY(Write(element, depth + 1));
    }
    if (!first) NewLine(depth);
    out_ += '}';
    return {};
  }

  Status WriteStruct(const Value& value, int depth) {
    std::string buffer;
    if (value.type() == &kVariableItem) {
      AppendJsonString(*OwnText(value, &buffer), form_.escapes_html, &out_);
      return {};
    }
    out_ += '{';
    for (std::size_t i = 0; i < value.type()->field_count; ++i) {
      if (i > 0) out_ += ',';
      NewLine(depth + 1);
      Key(value.type()->fields[i].name);
      DROVER_TRY(Write(value.list().at(i), depth + 1));
    }
    NewLine(depth);
    out_ += '}';
    return {};
  }

  const JsonForm form_;
  const std::size_t most_;
  std::string out_;
};

// Returns how deep the lists and objects of TEXT are nested.
int NestingOf(std::string_view text) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '[' || c == '{')) {
      deepest = std::max(deepest, ++depth);
    } else if (!quoted && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

Result<std::string> JsonText(const Value& value, JsonForm form, const Heap& heap) {
  JsonWriter writer(form, heap);
  DROVER_TRY(writer.Write(value, 0));
  return writer.Take();
}

Result<Value> ParseJsonText(std::string_view text, Heap* heap) {
  if (text.size() > heap->room() / kCostOfByte) return heap->Allow(SIZE_MAX).error();
  if (NestingOf(text) > kDeepestValue) return CallError("the JSON is nested too deep");
  const nlohmann::json parsed = nlohmann::json::parse(text, nullptr, false);
  if (parsed.is_discarded()) return CallError("the text is no valid JSON");
  return ValueOfJson(parsed, false, heap);
}

}  // namespace drover::templates
