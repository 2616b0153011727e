// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "host/govalues/go_format.h"
#include "host/govalues/go_text.h"
#include "host/template/conversions.h"
#include "host/template/function.h"
#include "host/template/render_state.h"

// The functions of texts.
namespace drover::templates {
namespace {

constexpr std::size_t kCostOfPart = 160;  // memory of a part of a text, above its bytes

// Returns an error if COUNT times BYTES is too much for the heap.
Status AllowTimes(const Call& call, std::size_t bytes, std::size_t count) {
  if (bytes > 0 && count > call.heap().room() / bytes) return call.heap().Allow(SIZE_MAX);
  return {};
}

Result<Value> TextLower(const Call& call) { return call.Text(LowerText(call.text(0))); }
Result<Value> TextUpper(const Call& call) { return call.Text(UpperText(call.text(0))); }
Result<Value> TextTrimSpace(const Call& call) {
  return call.Text(std::string(TrimSpace(call.text(0))));
}
Result<Value> TextTrim(const Call& call) {
  return call.Text(std::string(TrimCharacters(call.text(1), call.text(0))));
}
Result<Value> TextTrimPrefix(const Call& call) {
  const std::string& text = call.text(1);
  return call.Text(text.starts_with(call.text(0)) ? text.substr(call.text(0).size()) : text);
}
Result<Value> TextTrimSuffix(const Call& call) {
  std::string text = call.text(1);
  if (text.ends_with(call.text(0))) text.resize(text.size() - call.text(0).size());
  return call.Text(std::move(text));
}
Result<Value> TextHasPrefix(const Call& call) {
  return Value::Bool(call.text(1).starts_with(call.text(0)));
}
Result<Value> TextHasSuffix(const Call& call) {
  return Value::Bool(call.text(1).ends_with(call.text(0)));
}
Result<Value> TextContains(const Call& call) {
  return Value::Bool(FindText(call.text(1), call.text(0)) != std::string_view::npos);
}

// Returns how often PART is in TEXT, or the number of characters and one more if PART is empty.
std::size_t CountOf(std::string_view text, std::string_view part) {
  if (part.empty()) return CountCharacters(text) + 1;
  std::size_t count = 0;
  for (std::size_t at = FindText(text, part); at != std::string_view::npos;
       at = FindText(text, part, at + part.size())) {
    ++count;
  }
  return count;
}

// Returns an error if the parts of TEXT between SEPARATOR are too many for the heap.
Status AllowParts(const Call& call, std::string_view text, std::string_view separator) {
  return AllowTimes(call, kCostOfPart, CountOf(text, separator) + 1);
}

Result<Value> TextReplaceAll(const Call& call) {
  DROVER_TRY(AllowTimes(call, call.text(1).size(), CountOf(call.text(2), call.text(0))));
  return call.Text(ReplaceAll(call.text(2), call.text(0), call.text(1)));
}

Result<Value> TextJoin(const Call& call) {
  const List& list = call.at(1).list();
  DROVER_TRY(AllowTimes(call, call.text(0).size(), list.size()));
  std::string out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += call.text(0);
    out += list[i].text();
    DROVER_TRY(call.heap().Allow(out.size()));
  }
  return call.Text(std::move(out));
}

Result<Value> TextJoinAny(const Call& call) {
  DROVER_ASSIGN(const std::vector<std::string> parts, TextsOf(call.at(1), call.heap()));
  DROVER_TRY(AllowTimes(call, call.text(0).size(), parts.size()));
  return call.Text(Join(parts, call.text(0)));
}

Result<Value> TextSplit(const Call& call) {
  const std::string_view text = TrimSpace(call.text(1));
  if (text.empty()) return call.heap().NewList({}, &kStringList);
  DROVER_TRY(AllowParts(call, text, call.text(0)));
  return call.heap().Strings(Split(text, call.text(0)));
}

Result<Value> TextSplitList(const Call& call) {
  DROVER_TRY(AllowParts(call, call.text(1), call.text(0)));
  return call.heap().Strings(Split(call.text(1), call.text(0)));
}

// Returns PARTS as _0, _1 and so on.
Value NumberedParts(const Call& call, const std::vector<std::string>& parts) {
  const Value map = call.heap().NewMap(&kStringMap);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    call.heap().Put(map, "_" + std::to_string(i), call.Text(parts[i]));
  }
  return map;
}

Result<Value> TextSplitNumbered(const Call& call) {
  DROVER_TRY(AllowParts(call, call.text(1), call.text(0)));
  return NumberedParts(call, Split(call.text(1), call.text(0)));
}

Result<Value> TextSplitN(const Call& call) {
  DROVER_TRY(AllowParts(call, call.text(2), call.text(0)));
  const std::int64_t limit = std::clamp<std::int64_t>(call.at(1).integer(), -1, INT32_MAX);
  return NumberedParts(call, Split(call.text(2), call.text(0), static_cast<int>(limit)));
}

Result<Value> TextSplitToMap(const Call& call) {
  const Value map = call.heap().NewMap(&kStringMap);
  const std::string_view text = TrimSpace(call.text(2));
  if (text.empty()) return map;
  DROVER_TRY(AllowParts(call, text, call.text(0)));
  for (const std::string& part : Split(text, call.text(0))) {
    const std::size_t at = FindText(part, call.text(1));
    if (at == std::string::npos) continue;
    call.heap().Put(map, part.substr(0, at), call.Text(part.substr(at + call.text(1).size())));
  }
  return map;
}

// Puts SPACES blanks before each line that is not empty.
Result<Value> TextIndent(const Call& call) {
  const std::int64_t spaces = call.at(0).integer();
  if (spaces < 0) return CallError("indent value must be a positive integer");
  const std::string& text = call.text(1);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  DROVER_TRY(AllowTimes(call, static_cast<std::size_t>(spaces), lines));
  const std::string prefix(static_cast<std::size_t>(spaces), ' ');
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && c != '\n') out += prefix;
    out += c;
    begins = c == '\n';
  }
  return call.Text(std::move(out));
}

// Puts SPACES blanks before each line, as Sprig does.
Result<std::string> IndentAll(const Call& call) {
  const std::int64_t spaces = call.at(0).integer();
  if (spaces < 0) return CallError("a negative number of blanks");
  const std::string& text = call.text(1);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  DROVER_TRY(AllowTimes(call, static_cast<std::size_t>(spaces) + 1, lines));
  const std::string prefix(static_cast<std::size_t>(spaces), ' ');
  return prefix + ReplaceAll(text, "\n", "\n" + prefix);
}

Result<Value> SprigIndent(const Call& call) {
  DROVER_ASSIGN(std::string text, IndentAll(call));
  return call.Text(std::move(text));
}

Result<Value> SprigNindent(const Call& call) {
  DROVER_ASSIGN(const std::string text, IndentAll(call));
  return call.Text("\n" + text);
}

Result<Value> TextRepeat(const Call& call) {
  const std::int64_t count = call.at(0).integer();
  if (count < 0) return CallError("strings: negative Repeat count");
  DROVER_TRY(AllowTimes(call, call.text(1).size(), static_cast<std::size_t>(count)));
  std::string out;
  if (!call.text(1).empty()) {
    for (std::int64_t i = 0; i < count; ++i) out += call.text(1);
  }
  return call.Text(std::move(out));
}

Result<Value> TextTrunc(const Call& call) {
  const std::int64_t count = call.at(0).integer();
  const std::string& text = call.text(1);
  const auto size = static_cast<std::int64_t>(text.size());
  if (count < 0 && count > -size)
    return call.Text(text.substr(static_cast<std::size_t>(size + count)));
  if (count >= 0 && size > count) return call.Text(text.substr(0, static_cast<std::size_t>(count)));
  return call.at(1);
}

Result<Value> TextSubstr(const Call& call) {
  const std::int64_t start = call.at(0).integer();
  const std::int64_t end = call.at(1).integer();
  const std::string& text = call.text(2);
  const auto size = static_cast<std::int64_t>(text.size());
  const std::int64_t from = start < 0 ? 0 : start;
  const std::int64_t to = start >= 0 && (end < 0 || end > size) ? size : end;
  if (from > to || to > size || to < 0) return CallError("slice bounds out of range");
  return call.Text(
      text.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
}

std::string Abbreviated(const std::string& text, std::int64_t offset, std::int64_t width) {
  const auto size = static_cast<std::int64_t>(text.size());
  if (width < 4) return "";
  if (size <= width) return text;
  offset = std::clamp<std::int64_t>(offset, 0, size);
  if (size - offset < width - 3) offset = size - (width - 3);
  const auto part = [&text](std::int64_t from, std::int64_t count) {
    return text.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(count));
  };
  if (offset <= 4) return part(0, width - 3) + "...";
  if (width < 7) return "";
  if (offset + width - 3 < size)
    return "..." + Abbreviated(part(offset, size - offset), 0, width - 3);
  return "..." + part(size - (width - 3), width - 3);
}

Result<Value> TextAbbrev(const Call& call) {
  const std::int64_t width = call.at(0).integer();
  if (width < 4) return call.at(1);
  return call.Text(Abbreviated(call.text(1), 0, width));
}

Result<Value> TextAbbrevBoth(const Call& call) {
  const std::int64_t left = call.at(0).integer();
  const std::int64_t right = call.at(1).integer();
  if (right < 4 || (left > 0 && right < 7)) return call.at(2);
  return call.Text(Abbreviated(call.text(2), left, right));
}

std::string Wrapped(const std::string& text, std::int64_t width, const std::string& newline,
                    bool breaks_words) {
  if (text.empty()) return "";
  const std::string& mark = newline.empty() ? "\n" : newline;
  const auto length = static_cast<std::size_t>(std::max<std::int64_t>(1, width));
  std::string out;
  std::size_t offset = 0;
  while (text.size() - offset > length) {
    if (text[offset] == ' ') {
      ++offset;
      continue;
    }
    const std::string_view line = std::string_view(text).substr(offset, length + 1);
    const std::size_t blank = line.rfind(' ');
    if (blank != std::string_view::npos) {
      out.append(line.substr(0, blank)).append(mark);
      offset += blank + 1;
    } else if (breaks_words) {
      out.append(line.substr(0, length)).append(mark);
      offset += length;
    } else {
      const std::size_t end = text.find(' ', offset + length);
      out.append(text, offset, (end == std::string::npos ? text.size() : end) - offset);
      offset = end == std::string::npos ? text.size() : end + 1;
      if (end != std::string::npos) out += mark;
    }
  }
  return out.append(text, offset);
}

Result<Value> TextWrap(const Call& call) {
  DROVER_TRY(AllowTimes(call, 2, call.text(1).size()));
  return call.Text(Wrapped(call.text(1), call.at(0).integer(), "", false));
}

Result<Value> TextWrapWith(const Call& call) {
  DROVER_TRY(AllowTimes(call, call.text(1).size() + 1, call.text(2).size()));
  return call.Text(Wrapped(call.text(2), call.at(0).integer(), call.text(1), true));
}

Result<Value> TextQuote(const Call& call) {
  std::vector<std::string> out;
  std::size_t bytes = 0;
  for (const Value& value : call.arguments) {
    if (value.IsNothing()) continue;
    DROVER_ASSIGN(const std::string text, TextOf(value, call.heap()));
    bytes += 10 * text.size();  // if all of it are escapes
    DROVER_TRY(call.heap().Allow(bytes));
    out.push_back(QuoteText(text));
  }
  return call.Text(Join(out, " "));
}

Result<Value> TextSquote(const Call& call) {
  std::vector<std::string> out;
  std::size_t bytes = 0;
  for (const Value& value : call.arguments) {
    if (value.IsNothing()) continue;
    DROVER_ASSIGN(const std::string text, TextOf(value, call.heap()));
    bytes += text.size();
    DROVER_TRY(call.heap().Allow(bytes));
    out.push_back("'" + text + "'");
  }
  return call.Text(Join(out, " "));
}

Result<Value> TextCat(const Call& call) {
  std::vector<std::string> out;
  std::size_t bytes = 0;
  for (const Value& value : call.arguments) {
    if (value.IsNothing()) continue;
    DROVER_ASSIGN(std::string text, TextOf(value, call.heap()));
    bytes += text.size() + 1;
    DROVER_TRY(call.heap().Allow(bytes));
    out.push_back(std::move(text));
  }
  return call.Text(Join(out, " "));
}

Result<Value> TextPlural(const Call& call) { return call.at(call.at(2).integer() == 1 ? 0 : 1); }

Result<Value> TextToString(const Call& call) {
  DROVER_ASSIGN(std::string text, TextOf(call.at(0), call.heap()));
  return call.Text(std::move(text));
}

Result<Value> TextToStrings(const Call& call) {
  DROVER_ASSIGN(const std::vector<std::string> texts, TextsOf(call.at(0), call.heap()));
  return call.heap().Strings(texts);
}

Result<Value> TextHello(const Call& call) { return call.Text("Hello!"); }

constexpr Function kTextFunctions[] = {
    {"toLower", "s", TextLower},
    {"toUpper", "s", TextUpper},
    {"trim", "ss", TextTrim},
    {"trimPrefix", "ss", TextTrimPrefix},
    {"trimSuffix", "ss", TextTrimSuffix},
    {"trimSpace", "s", TextTrimSpace},
    {"replaceAll", "sss", TextReplaceAll},
    {"join", "sS", TextJoin},
    {"split", "ss", TextSplit},
    {"splitToMap", "sss", TextSplitToMap},
    {"indent", "is", TextIndent},
    {"sprig_hello", "", TextHello},
    {"sprig_lower", "s", TextLower},
    {"sprig_upper", "s", TextUpper},
    {"sprig_trim", "s", TextTrimSpace},
    {"sprig_trimall", "ss", TextTrim},
    {"sprig_trimAll", "ss", TextTrim},
    {"sprig_trimPrefix", "ss", TextTrimPrefix},
    {"sprig_trimSuffix", "ss", TextTrimSuffix},
    {"sprig_hasPrefix", "ss", TextHasPrefix},
    {"sprig_hasSuffix", "ss", TextHasSuffix},
    {"sprig_contains", "ss", TextContains},
    {"sprig_replace", "sss", TextReplaceAll},
    {"sprig_join", "sa", TextJoinAny},
    {"sprig_split", "ss", TextSplitNumbered},
    {"sprig_splitn", "sis", TextSplitN},
    {"sprig_splitList", "ss", TextSplitList},
    {"sprig_indent", "is", SprigIndent},
    {"sprig_nindent", "is", SprigNindent},
    {"sprig_repeat", "is", TextRepeat},
    {"sprig_trunc", "is", TextTrunc},
    {"sprig_substr", "iis", TextSubstr},
    {"sprig_abbrev", "is", TextAbbrev},
    {"sprig_abbrevboth", "iis", TextAbbrevBoth},
    {"sprig_wrap", "is", TextWrap},
    {"sprig_wrapWith", "iss", TextWrapWith},
    {"sprig_quote", "a*", TextQuote},
    {"sprig_squote", "a*", TextSquote},
    {"sprig_cat", "a*", TextCat},
    {"sprig_plural", "ssi", TextPlural},
    {"sprig_toString", "a", TextToString},
    {"sprig_toStrings", "a", TextToStrings},
};

}  // namespace

FunctionSpan TextFunctions() { return kTextFunctions; }

}  // namespace drover::templates
