// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/govalues/yaml_text.h"

#include <yaml.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "host/base/base64.h"
#include "host/base/utf8.h"
#include "host/govalues/go_format.h"
#include "host/govalues/go_number.h"
#include "host/govalues/go_text.h"
#include "host/govalues/go_time.h"
#include "host/govalues/template_answers.h"
#include "host/govalues/yaml_scalar.h"

namespace drover::templates {
namespace {

constexpr std::string_view kYamlPrefix = "tag:yaml.org,2002:";

yaml_char_t* Bytes(const std::string& text) {
  return reinterpret_cast<yaml_char_t*>(const_cast<char*>(text.data()));  // libyaml copies it
}

// Writes values by libyaml, of which yaml.v2 is a translation.
class YamlWriter {
 public:
  explicit YamlWriter(const Heap& heap) : most_(heap.room()) {
    yaml_emitter_initialize(&emitter_);
    yaml_emitter_set_output(&emitter_, &YamlWriter::Append, this);
    yaml_emitter_set_unicode(&emitter_, 1);
  }
  ~YamlWriter() { yaml_emitter_delete(&emitter_); }
  YamlWriter(const YamlWriter&) = delete;
  YamlWriter& operator=(const YamlWriter&) = delete;

  Result<std::string> Run(const Value& value) {
    yaml_event_t event;
    yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
    DROVER_TRY(Emit(&event));
    yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1);
    DROVER_TRY(Emit(&event));
    DROVER_TRY(Write(value, 0));
    yaml_document_end_event_initialize(&event, 1);
    DROVER_TRY(Emit(&event));
    yaml_stream_end_event_initialize(&event);
    DROVER_TRY(Emit(&event));
    // libyaml ends some documents with a mark, which yaml.v2 leaves out.
    if (out_.ends_with("\n...\n")) out_.resize(out_.size() - 4);
    return std::move(out_);
  }

 private:
  static int Append(void* writer, unsigned char* bytes, std::size_t count) {
    auto* const self = static_cast<YamlWriter*>(writer);
    if (count > self->most_ - std::min(self->most_, self->out_.size())) return 0;
    self->out_.append(reinterpret_cast<char*>(bytes), count);
    return 1;
  }

  Status Emit(yaml_event_t* event) {
    if (yaml_emitter_emit(&emitter_, event) == 1) return {};
    return CallError(std::string("the value cannot be written in YAML: ") +
                     (emitter_.problem == nullptr ? "unknown reason" : emitter_.problem));
  }

  Status Scalar(const std::string& text, yaml_scalar_style_t style, const char* tag = nullptr) {
    yaml_event_t event;
    const int implicit = tag == nullptr ? 1 : 0;
    const int made = yaml_scalar_event_initialize(
        &event, nullptr, reinterpret_cast<yaml_char_t*>(const_cast<char*>(tag)), Bytes(text),
        static_cast<int>(text.size()), implicit, implicit, style);
    if (made == 0) return CallError("a text cannot be written in YAML");
    return Emit(&event);
  }

  Status Plain(const std::string& text) { return Scalar(text, YAML_PLAIN_SCALAR_STYLE); }

  Status Text(const std::string& text) {
    if (ValidLength(text) != text.size()) {
      return Scalar(Base64(text), YAML_PLAIN_SCALAR_STYLE, "tag:yaml.org,2002:binary");
    }
    if (text.find('\n') != std::string::npos) return Scalar(text, YAML_LITERAL_SCALAR_STYLE);
    return Scalar(
        text, IsPlainYamlText(text) ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE);
  }

  Status Real(double real) {
    const std::string text = FormatFloat(real, 'g', -1);
    if (text == "+Inf") return Plain(".inf");
    if (text == "-Inf") return Plain("-.inf");
    return Plain(text == "NaN" ? ".nan" : text);
  }

  Status Write(const Value& value, int depth) {
    if (depth > kDeepestValue) return CallError("the value is nested too deep");
    switch (value.kind()) {
      case Kind::kInvalid:
      case Kind::kNil:
        return Plain("null");
      case Kind::kBool:
        return Plain(value.boolean() ? "true" : "false");
      case Kind::kInt:
        if (value.type() == &kDuration) return Text(DurationText(value.integer()));
        return Plain(std::to_string(value.integer()));
      case Kind::kUint:
        return Plain(std::to_string(value.natural()));
      case Kind::kFloat:
        return Real(value.real());
      case Kind::kString:
        return Text(value.text());
      case Kind::kList:
        return Sequence(value, depth);
      case Kind::kMap:
        return Mapping(value, depth);
      case Kind::kStruct:
        return Struct(value, depth);
      case Kind::kTime:
        return Plain(FormatMoment(value.moment(), "2006-01-02T15:04:05.999999999Z07:00"));
      default:
        return CallError("cannot marshal type: " + TypeName(value));
    }
  }

  Status Sequence(const Value& value, int depth) {
    yaml_event_t event;
    yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_SEQUENCE_STYLE);
    DROVER_TRY(Emit(&event));
    for (const Value& element : value.list()) DROVER_TRY(Write(element, depth + 1));
    yaml_sequence_end_event_initialize(&event);
    return Emit(&event);
  }

  Status BeginMapping() {
    yaml_event_t event;
    yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_MAPPING_STYLE);
    return Emit(&event);
  }
  Status EndMapping() {
    yaml_event_t event;
    yaml_mapping_end_event_initialize(&event);
    return Emit(&event);
  }

  Status Mapping(const Value& value, int depth) {
    std::vector<std::pair<Value, Value>> elements(value.map().begin(), value.map().end());
    std::sort(elements.begin(), elements.end(),
              [](const auto& a, const auto& b) { return IsYamlKeyLess(a.first, b.first); });
    DROVER_TRY(BeginMapping());
    for (const auto& [key, element] : elements) {
      DROVER_TRY(Write(key, depth + 1));
      DROVER_TRY(Write(element, depth + 1));
    }
    return EndMapping();
  }

  Status Struct(const Value& value, int depth) {
    DROVER_TRY(BeginMapping());
    for (std::size_t i = 0; i < value.type()->field_count; ++i) {
      DROVER_TRY(Text(LowerText(value.type()->fields[i].name)));
      DROVER_TRY(Write(value.list().at(i), depth + 1));
    }
    return EndMapping();
  }

  static bool IsNumberKey(const Value& key) {
    return key.is(Kind::kBool) || key.is(Kind::kInt) || key.is(Kind::kUint) || key.is(Kind::kFloat);
  }
  static double NumberOfKey(const Value& key) {
    if (key.is(Kind::kBool)) return key.boolean() ? 1 : 0;
    if (key.is(Kind::kFloat)) return key.real();
    return key.is(Kind::kInt) ? static_cast<double>(key.integer())
                              : static_cast<double>(key.natural());
  }

  // The order of keys: numbers first, and texts so that "a2" stands before "a10".
  static bool IsYamlKeyLess(const Value& a, const Value& b) {
    if (IsNumberKey(a) && IsNumberKey(b)) {
      const double left_number = NumberOfKey(a), right_number = NumberOfKey(b);
      return left_number != right_number ? left_number < right_number : ValueLess()(a, b);
    }
    if (!a.is(Kind::kString) || !b.is(Kind::kString)) return ValueLess()(a, b);
    const std::vector<char32_t> left = CharactersOf(a.text());
    const std::vector<char32_t> right = CharactersOf(b.text());
    for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
      if (left[i] == right[i]) continue;
      const bool left_letter = IsLetter(left[i]), right_letter = IsLetter(right[i]);
      if (left_letter && right_letter) return left[i] < right[i];
      if (left_letter || right_letter) return right_letter;
      return IsNumberLess(left, right, i);
    }
    return left.size() < right.size();
  }

  // Compares texts that differ at I, where none of them has a letter.
  static bool IsNumberLess(const std::vector<char32_t>& a, const std::vector<char32_t>& b,
                           std::size_t i) {
    std::size_t a_end = i, b_end = i;
    std::int64_t a_number = 0, b_number = 0;
    if (a[i] == '0' || b[i] == '0') {
      for (std::size_t j = i; j > 0 && IsDigitCharacter(a[j - 1]); --j) {
        if (a[j - 1] != '0') {
          a_number = b_number = 1;
          break;
        }
      }
    }
    const auto take = [](const std::vector<char32_t>& of, std::size_t* end, std::int64_t* number) {
      for (; *end < of.size() && IsDigitCharacter(of[*end]) && *number < 1'000'000'000'000'000;
           ++*end) {
        *number = *number * 10 + static_cast<std::int64_t>(of[*end] - '0');
      }
    };
    take(a, &a_end, &a_number);
    take(b, &b_end, &b_number);
    if (a_number != b_number) return a_number < b_number;
    if (a_end != b_end) return a_end < b_end;
    return a[i] < b[i];
  }

  const std::size_t most_;
  std::string out_;
  yaml_emitter_t emitter_;
};

// Reads values from the events of libyaml.
class YamlReader {
 public:
  YamlReader(const std::string& text, Heap* heap) : heap_(*heap) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_input_string(&parser_, Bytes(text), text.size());
  }
  ~YamlReader() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;

  Result<Value> Run() {
    DROVER_TRY(Next());  // the start of the stream
    DROVER_TRY(Next());
    if (event_.type != YAML_DOCUMENT_START_EVENT) return Value::Nil();
    DROVER_TRY(Next());
    return Read(0);
  }

 private:
  Status Next() {
    if (!heap_.Step()) return heap_.Check();
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_) == 1) return {};
    event_ = {};
    return CallError("yaml: line " + std::to_string(parser_.problem_mark.line + 1) + ": " +
                     (parser_.problem == nullptr ? "the text is no valid YAML" : parser_.problem));
  }

  static std::string TextAt(const yaml_char_t* text) {
    return text == nullptr ? "" : reinterpret_cast<const char*>(text);
  }

  void Remember(const std::string& anchor, const Value& value) {
    if (!anchor.empty()) anchors_[anchor] = value;
  }

  // Reads the value whose first event is the present one.
  Result<Value> Read(int depth) {
    if (depth > kDeepestValue) return CallError("the YAML is nested too deep");
    switch (event_.type) {
      case YAML_SCALAR_EVENT: {
        const std::string anchor = TextAt(event_.data.scalar.anchor);
        DROVER_ASSIGN(const Value value, Scalar());
        Remember(anchor, value);
        return value;
      }
      case YAML_ALIAS_EVENT: {
        const std::string name = TextAt(event_.data.alias.anchor);
        const auto found = anchors_.find(name);
        if (found == anchors_.end()) return CallError("yaml: unknown anchor referenced");
        return found->second;
      }
      case YAML_SEQUENCE_START_EVENT:
        return Sequence(depth);
      case YAML_MAPPING_START_EVENT:
        return Mapping(depth);
      default:
        return CallError("the text is no valid YAML");
    }
  }

  Result<Value> Scalar() {
    const auto& scalar = event_.data.scalar;
    std::string text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    std::string tag = TextAt(scalar.tag);
    if (tag.starts_with(kYamlPrefix)) tag = tag.substr(kYamlPrefix.size());
    if (tag == "binary") {
      const std::optional<std::string> bytes = FromBase64(ReplaceAll(text, "\n", ""));
      if (!bytes) return CallError("yaml: !!binary value contains invalid base64 data");
      return heap_.Text(*bytes);
    }
    const bool resolves = tag.empty() ? scalar.plain_implicit == 1
                                      : tag == "int" || tag == "float" || tag == "bool" ||
                                            tag == "null" || tag == "timestamp";
    if (!resolves) return heap_.Text(std::move(text));
    bool is_time = false;
    const Value value = ResolveYamlScalar(text, &is_time, &heap_);
    if (tag == "float" && value.is(Kind::kInt))
      return Value::Float(static_cast<double>(value.integer()));
    const bool fits =
        tag.empty() || (tag == "int" && (value.is(Kind::kInt) || value.is(Kind::kUint))) ||
        (tag == "float" && value.is(Kind::kFloat)) || (tag == "bool" && value.is(Kind::kBool)) ||
        (tag == "null" && value.is(Kind::kNil)) || (tag == "timestamp" && is_time);
    if (!fits) return CallError("yaml: cannot decode a value as a !!" + tag);
    return value;
  }

  Result<Value> Sequence(int depth) {
    const std::string anchor = TextAt(event_.data.sequence_start.anchor);
    List list;
    for (;;) {
      DROVER_TRY(Next());
      if (event_.type == YAML_SEQUENCE_END_EVENT) break;
      DROVER_ASSIGN(const Value element, Read(depth + 1));
      list.push_back(element);
    }
    const Value value = heap_.NewList(std::move(list));
    Remember(anchor, value);
    return value;
  }

  Result<Value> Mapping(int depth) {
    const std::string anchor = TextAt(event_.data.mapping_start.anchor);
    const Value map = heap_.NewMap(&kYamlMap);
    for (;;) {
      DROVER_TRY(Next());
      if (event_.type == YAML_MAPPING_END_EVENT) break;
      const bool merges = event_.type == YAML_SCALAR_EVENT &&
                          event_.data.scalar.plain_implicit == 1 &&
                          TextAt(event_.data.scalar.value) == "<<";
      DROVER_ASSIGN(const Value key, Read(depth + 1));
      if (key.is(Kind::kList) || key.is(Kind::kMap)) return CallError("yaml: invalid map key");
      DROVER_TRY(Next());
      DROVER_ASSIGN(const Value element, Read(depth + 1));
      if (merges) {
        DROVER_TRY(Merge(map, element));
      } else {
        heap_.Put(map, key, element);
      }
    }
    Remember(anchor, map);
    return map;
  }

  // Adds the elements of OTHER, a map or a list of maps, to MAP.
  Status Merge(const Value& map, const Value& other) {
    if (other.is(Kind::kList)) {
      // Earlier maps win, so they are written last.
      for (auto of = other.list().rbegin(); of != other.list().rend(); ++of) {
        if (!of->is(Kind::kMap))
          return CallError("yaml: map merge requires map or sequence of maps as the value");
        DROVER_TRY(Merge(map, *of));
      }
      return {};
    }
    if (!other.is(Kind::kMap)) {
      return CallError("yaml: map merge requires map or sequence of maps as the value");
    }
    for (const auto& [key, element] : other.map()) heap_.Put(map, key, element);
    return {};
  }

  Heap& heap_;
  yaml_parser_t parser_;
  yaml_event_t event_ = {};
  std::map<std::string, Value> anchors_;
};

}  // namespace

Result<std::string> YamlText(const Value& value, const Heap& heap) {
  return YamlWriter(heap).Run(value);
}

Result<Value> ParseYamlText(const std::string& text, Heap* heap) {
  if (text.size() > heap->room() / 16) return heap->Allow(SIZE_MAX).error();
  return YamlReader(text, heap).Run();
}

}  // namespace drover::templates
