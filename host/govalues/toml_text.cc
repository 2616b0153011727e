// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/govalues/toml_text.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "host/govalues/go_format.h"
#include "host/govalues/go_number.h"
#include "host/govalues/go_text.h"
#include "host/govalues/go_time.h"

namespace drover::templates {
namespace {

using TomlKey = std::vector<std::string>;

std::string QuotedToml(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    constexpr std::string_view kShort = "\b\t\n\f\r\"\\";
    const std::size_t known = c == '\0' ? std::string_view::npos : kShort.find(c);
    if (known != std::string_view::npos) {
      out += '\\';
      out += "btnfr\"\\"[known];
    } else if (byte < ' ' || byte == 0x7f) {
      out += "\\u00";
      out += "0123456789abcdef"[byte >> 4];
      out += "0123456789abcdef"[byte & 15];
    } else {
      out += c;
    }
  }
  return out += '"';
}

std::string TomlKeyPart(const std::string& part) {
  const bool bare = !part.empty() && std::ranges::all_of(part, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  return bare ? part : QuotedToml(part);
}

bool IsTable(const Value& value) { return value.is(Kind::kMap) || value.is(Kind::kStruct); }

bool IsNothingInToml(const Value& value) { return value.IsNothing() || value.IsNilContainer(); }

bool IsListOfTables(const Value& value) {
  return value.is(Kind::kList) && !value.list().empty() &&
         std::ranges::all_of(value.list(),
                             [](const Value& of) { return IsTable(of) && !of.IsNilContainer(); });
}

std::string TomlReal(double real) {
  if (std::isnan(real)) return std::signbit(real) ? "-nan" : "nan";
  if (std::isinf(real)) return real < 0 ? "-inf" : "inf";
  const std::string text = FormatFloat(real, 'f', -1);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

class TomlWriter {
 public:
  explicit TomlWriter(const Heap& heap) : most_(heap.room()) {}

  Status Encode(const TomlKey& key, const Value& value) {
    DROVER_TRY(CheckSize(key.size()));
    if (IsListOfTables(value)) return Tables(key, value);
    if (IsTable(value)) {
      if (IsNothingInToml(value)) return {};
      return Table(key, value);
    }
    if (value.IsNothing()) return {};
    return KeyValue(key, value, false);
  }

  std::string Take() { return std::move(out_); }

 private:
  struct Entry {
    std::string name;
    Value value;
  };

  Status CheckSize(std::size_t depth) const {
    if (depth > kDeepestValue) return CallError("the value is nested too deep");
    if (out_.size() > most_) return Error(Code::kResourceExhausted, "the text is too long");
    return {};
  }

  void NewLine() {
    if (!out_.empty()) out_ += '\n';
  }

  static std::string Indent(const TomlKey& key) {
    return std::string(key.empty() ? 0 : (key.size() - 1) * 2, ' ');
  }

  static std::string Dotted(const TomlKey& key) {
    std::string out;
    for (const std::string& part : key) out += (out.empty() ? "" : ".") + TomlKeyPart(part);
    return out;
  }

  // Returns the entries of a map or struct, those that are no tables first.
  static Result<std::vector<Entry>> EntriesOf(const Value& value) {
    std::vector<Entry> direct, tables;
    const auto add = [&](std::string name, const Value& of) {
      (IsTable(of) || IsListOfTables(of) ? tables : direct).push_back({std::move(name), of});
    };
    if (value.is(Kind::kStruct)) {
      for (std::size_t i = 0; i < value.type()->field_count; ++i) {
        add(value.type()->fields[i].name, value.list().at(i));
      }
    } else {
      if (value.type()->key != &kString) {
        return CallError("toml: cannot encode a map with non-string key type");
      }
      for (const auto& [key, of] : value.map()) add(key.text(), of);
    }
    direct.insert(direct.end(), tables.begin(), tables.end());
    return direct;
  }

  Status Table(const TomlKey& key, const Value& value) {
    if (key.size() == 1) NewLine();
    if (!key.empty()) {
      out_ += Indent(key) + "[" + Dotted(key) + "]";
      NewLine();
    }
    return Entries(key, value);
  }

  Status Tables(const TomlKey& key, const Value& value) {
    if (key.empty()) return CallError("toml: top-level values must be Go maps or structs");
    for (const Value& element : value.list()) {
      NewLine();
      out_ += Indent(key) + "[[" + Dotted(key) + "]]";
      NewLine();
      DROVER_TRY(Entries(key, element));
    }
    return {};
  }

  Status Entries(const TomlKey& key, const Value& value) {
    DROVER_ASSIGN(const std::vector<Entry> entries, EntriesOf(value));
    for (const Entry& entry : entries) {
      if (IsNothingInToml(entry.value)) continue;
      TomlKey inner = key;
      inner.push_back(entry.name);
      DROVER_TRY(Encode(inner, entry.value));
    }
    return {};
  }

  Status KeyValue(const TomlKey& key, const Value& value, bool inline_) {
    if (key.empty()) return Element(value, 0);
    out_ += Indent(key) + TomlKeyPart(key.back()) + " = ";
    DROVER_TRY(Element(value, 0));
    if (!inline_) NewLine();
    return {};
  }

  Status Element(const Value& value, std::size_t depth) {
    DROVER_TRY(CheckSize(depth));
    switch (value.kind()) {
      case Kind::kString:
        out_ += QuotedToml(value.text());
        return {};
      case Kind::kBool:
        out_ += value.boolean() ? "true" : "false";
        return {};
      case Kind::kInt:
        out_ += value.type() == &kDuration ? QuotedToml(DurationText(value.integer()))
                                           : std::to_string(value.integer());
        return {};
      case Kind::kUint:
        out_ += std::to_string(value.natural());
        return {};
      case Kind::kFloat:
        out_ += TomlReal(value.real());
        return {};
      case Kind::kTime:
        out_ += FormatMoment(value.moment(), "2006-01-02T15:04:05.999999999Z07:00");
        return {};
      case Kind::kList:
        return Array(value, depth);
      case Kind::kMap:
      case Kind::kStruct:
        return InlineTable(value, depth);
      case Kind::kInvalid:
      case Kind::kNil:
        return CallError("toml: cannot encode array with nil element");
      default:
        return CallError("unexpected type: " + TypeName(value));
    }
  }

  Status Array(const Value& value, std::size_t depth) {
    out_ += '[';
    for (std::size_t i = 0; i < value.list().size(); ++i) {
      if (i > 0) out_ += ", ";
      DROVER_TRY(Element(value.list()[i], depth + 1));
    }
    out_ += ']';
    return {};
  }

  Status InlineTable(const Value& value, std::size_t depth) {
    DROVER_ASSIGN(const std::vector<Entry> entries, EntriesOf(value));
    out_ += '{';
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (IsNothingInToml(entries[i].value)) continue;
      out_ += TomlKeyPart(entries[i].name) + " = ";
      DROVER_TRY(Element(entries[i].value, depth + 1));
      if (i + 1 < entries.size()) out_ += ", ";
    }
    out_ += '}';
    return {};
  }

  const std::size_t most_;
  std::string out_;
};

}  // namespace

Result<std::string> TomlText(const Value& value, const Heap& heap) {
  TomlWriter writer(heap);
  DROVER_TRY(writer.Encode({}, value));
  return writer.Take();
}

}  // namespace drover::templates
