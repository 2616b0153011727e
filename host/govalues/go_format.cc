// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/govalues/go_format.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "host/govalues/go_number.h"
#include "host/govalues/go_text.h"
#include "host/govalues/go_time.h"
#include "host/govalues/template_answers.h"

namespace drover::templates {
namespace {

constexpr int kMostWidth = 1'000'000;  // as in Go
constexpr std::string_view kLowDigits = "0123456789abcdefx";
constexpr std::string_view kHighDigits = "0123456789ABCDEFX";

struct Flags {
  bool plus = false;
  bool minus = false;
  bool sharp = false;
  bool space = false;
  bool zero = false;
  bool plus_v = false;   // %+v
  bool sharp_v = false;  // %#v
  std::optional<int> width;
  std::optional<int> precision;
};

// Writes values one after another.
class Printer {
 public:
  explicit Printer(std::size_t most) : most_(most) {}

  void Format(std::string_view format, const List& values);
  void Argument(const Value& value, char32_t verb);
  void Put(std::string_view text);
  Result<std::string> Take();

 private:
  // What follows a % while it is read.
  struct Directive {
    std::string_view format;
    std::size_t at = 0;
    std::size_t next = 0;      // the number of the next value
    bool good_number = true;   // the numbers in [] make sense
    bool after_index = false;  // an index such as [3] has just been read
  };

  void ReadFlags(Directive* directive);
  void ReadIndex(Directive* directive, std::size_t count);
  void ReadWidth(Directive* directive, const List& values);
  void ReadPrecision(Directive* directive, const List& values);
  std::optional<int> ReadNumber(Directive* directive);
  std::optional<int> NumberFrom(const List& values, Directive* directive);
  void Directed(Directive* directive, const List& values);
  void Extra(const List& values, std::size_t from);

  void Nested(const Value& value, char32_t verb, int depth);
  void Scalar(const Value& value, char32_t verb);
  void Integer(std::uint64_t value, bool is_signed, char32_t verb, const Value& of);
  void Digits(std::uint64_t value, unsigned base, bool is_signed, bool upper, bool octal_mark);
  void Real(const Value& value, char32_t verb);
  void PutReal(std::string number, char verb, int precision);
  void SharpReal(std::string* number, char verb, int precision);
  void String(std::string_view text, char32_t verb, const Value& of);
  void Hex(std::string_view text, bool upper);
  void ListOf(const Value& value, char32_t verb, int depth);
  void MapOf(const Value& value, char32_t verb, int depth);
  void StructOf(const Value& value, char32_t verb, int depth);
  void BadVerb(const Value& value, char32_t verb);
  void Pad(std::string_view text);
  void PadZeros(std::string_view text);
  void Padding(int count, char with) { Put(std::string(static_cast<std::size_t>(count), with)); }
  std::string_view Truncated(std::string_view text) const;

  const std::size_t most_;
  std::string out_;
  Flags flags_;
  bool full_ = false;
  bool too_deep_ = false;
  bool reordered_ = false;
  bool erring_ = false;
};

void Printer::Put(std::string_view text) {
  if (full_ || text.size() > most_ - out_.size()) {
    full_ = true;
  } else {
    out_ += text;
  }
}

Result<std::string> Printer::Take() {
  if (too_deep_) {
    return Error(Code::kInvalidArgument, "the value is nested too deep to be written");
  }
  if (full_) return Error(Code::kResourceExhausted, "the text is too long");
  return std::move(out_);
}

void Printer::Pad(std::string_view text) {
  const int width = flags_.width.value_or(0);
  const int missing = width - static_cast<int>(std::min<std::size_t>(
                                  width == 0 ? 0 : CountCharacters(text), kMostWidth));
  const char with = flags_.zero && !flags_.minus ? '0' : ' ';
  if (width > 0 && missing > 0 && !flags_.minus) Padding(missing, with);
  Put(text);
  if (width > 0 && missing > 0 && flags_.minus) Padding(missing, ' ');
}

// Pads TEXT with blanks although the flag 0 is set.
void Printer::PadZeros(std::string_view text) {
  const bool zero = std::exchange(flags_.zero, false);
  Pad(text);
  flags_.zero = zero;
}

std::string_view Printer::Truncated(std::string_view text) const {
  if (!flags_.precision) return text;
  std::size_t end = 0;
  for (int n = *flags_.precision; n > 0 && end < text.size(); --n) {
    end += CharacterAt(text, end).length;
  }
  return text.substr(0, end);
}

void Printer::BadVerb(const Value& value, char32_t verb) {
  const bool was = std::exchange(erring_, true);
  std::string name;
  AppendCharacter(verb, &name);
  Put("%!" + name + "(");
  if (value.IsNothing()) {
    Put("<nil>");
  } else {
    Put(TypeName(value) + "=");
    Nested(value, 'v', 0);
  }
  Put(")");
  erring_ = was;
}

void Printer::Digits(std::uint64_t value, unsigned base, bool is_signed, bool upper,
                     bool octal_mark) {
  const bool negative = is_signed && static_cast<std::int64_t>(value) < 0;
  if (negative) value = 0 - value;
  int precision = flags_.precision.value_or(0);
  if (flags_.precision && precision == 0 && value == 0) {
    if (flags_.width) Padding(*flags_.width, ' ');
    return;
  }
  if (!flags_.precision && flags_.zero && !flags_.minus && flags_.width) {
    precision = *flags_.width - (negative || flags_.plus || flags_.space ? 1 : 0);
  }
  const std::string_view digits = upper ? kHighDigits : kLowDigits;
  std::string text;  // backwards
  do {
    text += digits[value % base];
    value /= base;
  } while (value > 0);
  while (static_cast<int>(text.size()) < precision) text += '0';
  if (flags_.sharp && base == 2) text += "b0";
  if (flags_.sharp && base == 8 && text.back() != '0') text += '0';
  if (flags_.sharp && base == 16) text.append(1, digits[16]).append("0");
  if (octal_mark) text += "o0";
  if (negative || flags_.plus || flags_.space) {
    text += negative ? '-' : (flags_.plus ? '+' : ' ');
  }
  std::reverse(text.begin(), text.end());
  PadZeros(text);
}

void Printer::Integer(std::uint64_t value, bool is_signed, char32_t verb, const Value& of) {
  const char32_t character = value > 0x10ffff ? kWrongCharacter : static_cast<char32_t>(value);
  switch (verb) {
    case 'v':
      if (flags_.sharp_v && !is_signed) {
        const bool sharp = std::exchange(flags_.sharp, true);
        Digits(value, 16, false, false, false);
        flags_.sharp = sharp;
        return;
      }
      return Digits(value, 10, is_signed, false, false);
    case 'd':
      return Digits(value, 10, is_signed, false, false);
    case 'b':
      return Digits(value, 2, is_signed, false, false);
    case 'o':
    case 'O':
      return Digits(value, 8, is_signed, false, verb == 'O');
    case 'x':
    case 'X':
      return Digits(value, 16, is_signed, verb == 'X', false);
    case 'c': {
      std::string text;
      AppendCharacter(character, &text);
      return Pad(text);
    }
    case 'q':
      return Pad(QuoteCharacter(character, flags_.plus));
    case 'U': {
      std::string digits;
      for (std::uint64_t rest = value; rest > 0; rest >>= 4) digits += kHighDigits[rest & 15];
      const auto least = static_cast<std::size_t>(std::max(4, flags_.precision.value_or(4)));
      if (digits.size() < least) digits.append(least - digits.size(), '0');
      std::reverse(digits.begin(), digits.end());
      std::string text = "U+" + digits;
      if (flags_.sharp && value <= 0x10ffff && IsPrint(character)) {
        text += " '";
        AppendCharacter(character, &text);
        text += "'";
      }
      return PadZeros(text);
    }
    default:
      return BadVerb(of, verb);
  }
}

// Adds the zeros behind the point that %#g and %#e keep.
void Printer::SharpReal(std::string* number, char verb, int precision) {
  int digits = 0;
  if (verb == 'v' || verb == 'g' || verb == 'G' || verb == 'x')
    digits = precision < 0 ? 6 : precision;
  const bool hexadecimal = verb == 'x' || verb == 'X';
  const std::size_t mark = number->find_first_of(hexadecimal ? "pP" : "eE");
  const std::string tail = mark == std::string::npos ? "" : number->substr(mark);
  if (mark != std::string::npos) number->resize(mark);
  bool point = false, seen = false;
  for (std::size_t i = 1; i < number->size(); ++i) {
    if ((*number)[i] == '.') {
      point = true;
      continue;
    }
    seen = seen || (*number)[i] != '0';
    if (seen) --digits;
  }
  if (!point) {
    if (number->size() == 2 && (*number)[1] == '0') --digits;
    *number += '.';
  }
  if (digits > 0) number->append(static_cast<std::size_t>(digits), '0');
  *number += tail;
}

void Printer::PutReal(std::string number, char verb, int precision) {
  if (number[0] != '-' && number[0] != '+') number.insert(0, 1, '+');
  if (flags_.space && number[0] == '+' && !flags_.plus) number[0] = ' ';
  if (number[1] == 'I' || number[1] == 'N') {
    if (number[1] == 'N' && !flags_.space && !flags_.plus) number.erase(0, 1);
    return PadZeros(number);
  }
  if (flags_.sharp && verb != 'b') SharpReal(&number, verb, precision);
  if (!flags_.plus && number[0] == '+') return Pad(number.substr(1));
  const int width = flags_.width.value_or(0);
  if (flags_.zero && !flags_.minus && width > static_cast<int>(number.size())) {
    Put(number.substr(0, 1));
    Padding(width - static_cast<int>(number.size()), '0');
    return Put(number.substr(1));
  }
  Pad(number);
}

void Printer::Real(const Value& value, char32_t verb) {
  int precision = -1;
  char form = static_cast<char>(verb);
  switch (verb) {
    case 'v':
      form = 'g';
      break;
    case 'g':
    case 'G':
    case 'b':
    case 'x':
    case 'X':
      break;
    case 'F':
      form = 'f';
      [[fallthrough]];
    case 'f':
    case 'e':
    case 'E':
      precision = 6;
      break;
    default:
      return BadVerb(value, verb);
  }
  precision = flags_.precision.value_or(precision);
  const bool binary = form == 'b' || form == 'x' || form == 'X';
  PutReal(binary ? FormatBinaryFloat(value.real(), form, precision)
                 : FormatFloat(value.real(), form, precision),
          form, precision);
}

void Printer::Hex(std::string_view text, bool upper) {
  const std::string_view digits = upper ? kHighDigits : kLowDigits;
  if (flags_.precision) text = text.substr(0, static_cast<std::size_t>(*flags_.precision));
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (flags_.space && i > 0) out += ' ';
    if (flags_.sharp && (flags_.space || i == 0)) out.append("0").append(1, digits[16]);
    const auto byte = static_cast<unsigned char>(text[i]);
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  Pad(out);
}

void Printer::String(std::string_view text, char32_t verb, const Value& of) {
  if (verb == 'q' || (verb == 'v' && flags_.sharp_v)) {
    const std::string_view shown = Truncated(text);
    if (flags_.sharp && CanBackquote(shown)) return Pad("`" + std::string(shown) + "`");
    return Pad(QuoteText(shown, '"', flags_.plus));
  }
  if (verb == 'v' || verb == 's') return Pad(Truncated(text));
  if (verb == 'x' || verb == 'X') return Hex(text, verb == 'X');
  BadVerb(of, verb);
}

void Printer::Scalar(const Value& value, char32_t verb) {
  switch (value.kind()) {
    case Kind::kBool:
      if (verb != 't' && verb != 'v') return BadVerb(value, verb);
      return Pad(value.boolean() ? "true" : "false");
    case Kind::kInt:
      return Integer(static_cast<std::uint64_t>(value.integer()), true, verb, value);
    case Kind::kUint:
      return Integer(value.natural(), false, verb, value);
    case Kind::kFloat:
      return Real(value, verb);
    default:
      return String(value.text(), verb, value);
  }
}

void Printer::ListOf(const Value& value, char32_t verb, int depth) {
  if (flags_.sharp_v) Put(value.type()->name);
  if (flags_.sharp_v && value.IsNilContainer()) return Put("(nil)");
  Put(flags_.sharp_v ? "{" : "[");
  bool first = true;
  for (const Value& element : value.list()) {
    if (full_ || too_deep_) return;
    if (!first) Put(flags_.sharp_v ? ", " : " ");
    first = false;
    Nested(element, verb, depth + 1);
  }
  Put(flags_.sharp_v ? "}" : "]");
}

void Printer::MapOf(const Value& value, char32_t verb, int depth) {
  Put(flags_.sharp_v ? value.type()->name : "map");
  if (flags_.sharp_v && value.IsNilContainer()) return Put("(nil)");
  Put(flags_.sharp_v ? "{" : "[");
  bool first = true;
  for (const auto& [key, element] : value.map()) {
    if (full_ || too_deep_) return;
    if (!first) Put(flags_.sharp_v ? ", " : " ");
    first = false;
    Nested(key, verb, depth + 1);
    Put(":");
    Nested(element, verb, depth + 1);
  }
  Put(flags_.sharp_v ? "}" : "]");
}

void Printer::StructOf(const Value& value, char32_t verb, int depth) {
  std::string_view name = value.type()->name;
  if (flags_.sharp_v) Put(name.starts_with('*') ? name.substr(1) : name);
  Put("{");
  for (std::size_t i = 0; i < value.list().size() && i < value.type()->field_count; ++i) {
    if (full_ || too_deep_) return;
    if (i > 0) Put(flags_.sharp_v ? ", " : " ");
    if (flags_.plus_v || flags_.sharp_v) Put(std::string(value.type()->fields[i].name) + ":");
    Nested(value.list()[i], verb, depth + 1);
  }
  Put("}");
}

void Printer::Nested(const Value& value, char32_t verb, int depth) {
  if (depth > kDeepestValue) {
    too_deep_ = true;
    return;
  }
  std::string buffer;
  const bool of_text = verb == 'v' || verb == 's' || verb == 'x' || verb == 'X' || verb == 'q';
  if (!erring_ && !flags_.sharp_v && of_text) {
    if (const std::string* own = OwnText(value, &buffer)) return String(*own, verb, value);
  }
  switch (value.kind()) {
    case Kind::kInvalid:
    case Kind::kNil:
      if (flags_.sharp_v && depth > 0) return Put("interface {}(nil)");
      if (verb != 'v' && depth == 0) return BadVerb(value, verb);
      return depth > 0 ? Put("<nil>") : Pad("<nil>");
    case Kind::kList:
      return ListOf(value, verb, depth);
    case Kind::kMap:
      return MapOf(value, verb, depth);
    case Kind::kStruct:
      return StructOf(value, verb, depth);
    case Kind::kLoop:
    case Kind::kScratch:
      return Pad("0xc000000000");  // an address in Go, which means nothing here
    case Kind::kTime:
      return String(MomentText(value.moment()), 'v', value);
    default:
      return Scalar(value, verb);
  }
}

void Printer::Argument(const Value& value, char32_t verb) {
  if (verb == 'T') return Pad(Truncated(TypeName(value)));
  if (verb == 'p') return BadVerb(value, verb);
  Nested(value, verb, 0);
}

void Printer::ReadFlags(Directive* directive) {
  for (; directive->at < directive->format.size(); ++directive->at) {
    switch (directive->format[directive->at]) {
      case '#':
        flags_.sharp = true;
        break;
      case '0':
        flags_.zero = true;
        break;
      case '+':
        flags_.plus = true;
        break;
      case '-':
        flags_.minus = true;
        break;
      case ' ':
        flags_.space = true;
        break;
      default:
        return;
    }
  }
}

std::optional<int> Printer::ReadNumber(Directive* directive) {
  const std::size_t begin = directive->at;
  long number = 0;
  while (directive->at < directive->format.size()) {
    const char c = directive->format[directive->at];
    if (c < '0' || c > '9') break;
    number = number * 10 + (c - '0');
    if (number > kMostWidth) return std::nullopt;  // the digits that are left are text, as in Go
    ++directive->at;
  }
  if (directive->at == begin) return std::nullopt;
  return static_cast<int>(number);
}

void Printer::ReadIndex(Directive* directive, std::size_t count) {
  directive->after_index = false;
  const std::string_view rest =
      directive->format.substr(std::min(directive->at, directive->format.size()));
  if (!rest.starts_with('[')) return;
  reordered_ = true;
  const std::size_t end = rest.find(']');
  if (end == std::string_view::npos || rest.size() < 3) {
    directive->good_number = false;
    ++directive->at;
    return;
  }
  const std::optional<std::uint64_t> index = ParseUint(rest.substr(1, end - 1), 10);
  directive->at += end + 1;
  if (index && *index >= 1 && *index <= count) {
    directive->next = static_cast<std::size_t>(*index - 1);
    directive->after_index = true;
  } else {
    directive->good_number = false;
    directive->after_index = index.has_value();
  }
}

std::optional<int> Printer::NumberFrom(const List& values, Directive* directive) {
  if (directive->next >= values.size()) return std::nullopt;
  const Value& value = values[directive->next++];
  std::int64_t number = 0;
  if (value.is(Kind::kInt)) {
    number = value.integer();
  } else if (value.is(Kind::kUint) && value.natural() <= kMostWidth) {
    number = static_cast<std::int64_t>(value.natural());
  } else {
    return std::nullopt;
  }
  if (number > kMostWidth || number < -kMostWidth) return std::nullopt;
  return static_cast<int>(number);
}

void Printer::ReadWidth(Directive* directive, const List& values) {
  if (directive->at < directive->format.size() && directive->format[directive->at] == '*') {
    ++directive->at;
    flags_.width = NumberFrom(values, directive);
    if (!flags_.width) Put("%!(BADWIDTH)");
    if (flags_.width.value_or(0) < 0) {
      flags_.width = -*flags_.width;
      flags_.minus = true;
      flags_.zero = false;
    }
    directive->after_index = false;
    return;
  }
  flags_.width = ReadNumber(directive);
  if (directive->after_index && flags_.width) directive->good_number = false;
}

void Printer::ReadPrecision(Directive* directive, const List& values) {
  const std::string_view format = directive->format;
  if (directive->at + 1 >= format.size() || format[directive->at] != '.') return;
  ++directive->at;
  if (directive->after_index) directive->good_number = false;
  ReadIndex(directive, values.size());
  if (directive->at < format.size() && format[directive->at] == '*') {
    ++directive->at;
    flags_.precision = NumberFrom(values, directive);
    if (flags_.precision && *flags_.precision < 0) flags_.precision.reset();
    if (!flags_.precision) Put("%!(BADPREC)");
    directive->after_index = false;
    return;
  }
  flags_.precision = ReadNumber(directive).value_or(0);
}

// Writes what the directive behind a % stands for.
void Printer::Directed(Directive* directive, const List& values) {
  flags_ = Flags();
  directive->good_number = true;
  ReadFlags(directive);
  ReadIndex(directive, values.size());
  ReadWidth(directive, values);
  ReadPrecision(directive, values);
  if (!directive->after_index) ReadIndex(directive, values.size());
  if (directive->at >= directive->format.size()) return Put("%!(NOVERB)");
  const Character verb = CharacterAt(directive->format, directive->at);
  directive->at += verb.length;
  std::string name;
  AppendCharacter(verb.value, &name);
  if (verb.value == '%') return Put("%");
  if (!directive->good_number) return Put("%!" + name + "(BADINDEX)");
  if (directive->next >= values.size()) return Put("%!" + name + "(MISSING)");
  if (verb.value == 'v') {
    flags_.sharp_v = std::exchange(flags_.sharp, false);
    flags_.plus_v = std::exchange(flags_.plus, false);
  }
  Argument(values[directive->next++], verb.value);
}

void Printer::Extra(const List& values, std::size_t from) {
  flags_ = Flags();
  Put("%!(EXTRA ");
  for (std::size_t i = from; i < values.size(); ++i) {
    if (i > from) Put(", ");
    if (values[i].IsNothing()) {
      Put("<nil>");
      continue;
    }
    Put(TypeName(values[i]) + "=");
    Argument(values[i], 'v');
  }
  Put(")");
}

void Printer::Format(std::string_view format, const List& values) {
  Directive directive;
  directive.format = format;
  while (directive.at < format.size() && !full_ && !too_deep_) {
    const std::size_t mark = std::min(format.find('%', directive.at), format.size());
    Put(format.substr(directive.at, mark - directive.at));
    directive.at = mark + 1;
    if (mark < format.size()) Directed(&directive, values);
  }
  if (!reordered_ && directive.next < values.size()) Extra(values, directive.next);
}

}  // namespace

Result<std::string> Sprint(const List& values, std::size_t most) {
  Printer printer(most);
  for (std::size_t i = 0; i < values.size(); ++i) {
    // A blank stands between two values if neither is a text.
    if (i > 0 && !values[i].is(Kind::kString) && !values[i - 1].is(Kind::kString)) printer.Put(" ");
    printer.Argument(values[i], 'v');
  }
  return printer.Take();
}

Result<std::string> Sprintln(const List& values, std::size_t most) {
  Printer printer(most);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) printer.Put(" ");
    printer.Argument(values[i], 'v');
  }
  printer.Put("\n");
  return printer.Take();
}

Result<std::string> Sprintf(std::string_view format, const List& values, std::size_t most) {
  Printer printer(most);
  printer.Format(format, values);
  return printer.Take();
}

Result<std::string> PrintedText(const Value& value, std::size_t most) {
  if (!value.valid() || value.is(Kind::kNil)) return std::string("<no value>");
  if (value.is(Kind::kString)) {
    if (value.text().size() > most) return Error(Code::kResourceExhausted, "the text is too long");
    return value.text();
  }
  return Sprint({value}, most);
}

}  // namespace drover::templates
