// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/pattern_options.h"
#include "host/govalues/go_text.h"
#include "host/template/function.h"
#include "host/template/render_state.h"

// The functions of regular expressions.
namespace drover::templates {
namespace {

using Pattern = std::unique_ptr<re2::RE2>;
using Groups = std::vector<re2::StringPiece>;  // the whole match first

// The most that the size of a pattern's program times that of a text may be. A match takes time in
// proportion to it, at worst, and cannot be interrupted: this many take two or three seconds.
constexpr std::size_t kMostMatchWork = 400'000'000;

// Returns the pattern TEXT, by which SUBJECT is searched.
Result<Pattern> Compile(const Call& call, const std::string& text, const std::string& subject) {
  if (!call.heap().LongStep()) return call.heap().Check().error();
  auto pattern = std::make_unique<re2::RE2>(text, PatternOptions());
  if (pattern->ok()) {
    const auto size = static_cast<std::size_t>(std::max(1, pattern->ProgramSize()));
    if (subject.size() <= kMostMatchWork / size) return pattern;
    return Error(Code::kResourceExhausted, "the pattern is too large for so long a text");
  }
  // What follows the colon is a part of the pattern, which may be a secret.
  const std::string& error = pattern->error();
  return CallError("error parsing regexp: " + error.substr(0, error.find(": ")));
}

// Calls ON_MATCH with the groups of each match of PATTERN in TEXT, until it returns false. As in
// Go, an empty match right behind a match does not count.
template <typename OnMatch>
void ForEachMatch(const re2::RE2& pattern, const std::string& text, OnMatch on_match) {
  Groups groups(static_cast<std::size_t>(pattern.NumberOfCapturingGroups()) + 1);
  const re2::StringPiece whole(text);
  std::size_t at = 0;
  std::size_t end_before = std::string::npos;
  while (at <= text.size() && pattern.Match(whole, at, text.size(), re2::RE2::UNANCHORED,
                                            groups.data(), static_cast<int>(groups.size()))) {
    const auto begin = static_cast<std::size_t>(groups[0].data() - text.data());
    const std::size_t end = begin + groups[0].size();
    const bool counts = begin != end || begin != end_before;
    if (counts && !on_match(begin, end, groups)) return;
    if (counts) end_before = end;
    at = end;
    // Behind an empty match, the search goes on behind the next character.
    if (begin == end) at += at < text.size() ? CharacterAt(text, at).length : 1;
  }
}

// Returns the number of the group NAME, or -1.
int GroupOf(const re2::RE2& pattern, const std::string& name) {
  if (!name.empty() && name.find_first_not_of("0123456789") == std::string::npos) {
    return name.size() > 4 || (name.size() > 1 && name[0] == '0') ? -1 : std::stoi(name);
  }
  const auto& names = pattern.NamedCapturingGroups();
  const auto found = names.find(name);
  return found == names.end() ? -1 : found->second;
}

bool IsNameLetter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Appends FORM to OUT, with the groups that $1, ${1} or ${name} mean.
void AppendExpanded(const re2::RE2& pattern, std::string_view form, const Groups& groups,
                    std::string* out) {
  for (std::size_t at = 0; at < form.size();) {
    if (form[at] != '$') {
      *out += form[at++];
      continue;
    }
    if (form.substr(at).starts_with("$$")) {
      *out += '$';
      at += 2;
      continue;
    }
    const bool braces = form.substr(at + 1).starts_with('{');
    const std::size_t begin = at + (braces ? 2 : 1);
    std::size_t end = begin;
    while (end < form.size() && IsNameLetter(form[end])) ++end;
    const bool closed = !braces || (end < form.size() && form[end] == '}');
    if (end == begin || !closed) {
      *out += form[at++];
      continue;
    }
    const int group = GroupOf(pattern, std::string(form.substr(begin, end - begin)));
    if (group >= 0 && static_cast<std::size_t>(group) < groups.size()) {
      const re2::StringPiece& text = groups[static_cast<std::size_t>(group)];
      if (text.data() != nullptr) out->append(text.data(), text.size());
    }
    at = end + (braces ? 1 : 0);
  }
}

Result<Value> Replaced(const Call& call, const std::string& pattern_text, const std::string& text,
                       const std::string& form, bool literal) {
  DROVER_ASSIGN(const Pattern pattern, Compile(call, pattern_text, text));
  std::string out;
  std::size_t done = 0;
  bool fits = true;
  ForEachMatch(*pattern, text, [&](std::size_t begin, std::size_t end, const Groups& groups) {
    out.append(text, done, begin - done);
    if (literal) {
      out += form;
    } else {
      AppendExpanded(*pattern, form, groups, &out);
    }
    done = end;
    fits = call.heap().LongStep() && out.size() <= call.heap().room();
    return fits;
  });
  if (!fits) {
    DROVER_TRY(call.heap().Check());
    return call.heap().Allow(SIZE_MAX).error();
  }
  out.append(text, done);
  return call.Text(std::move(out));
}

Result<Value> PatternReplaceAll(const Call& call) {
  return Replaced(call, call.text(0), call.text(2), call.text(1), false);
}
Result<Value> SprigReplaceAll(const Call& call) {
  return Replaced(call, call.text(0), call.text(1), call.text(2), false);
}
Result<Value> SprigReplaceLiteral(const Call& call) {
  return Replaced(call, call.text(0), call.text(1), call.text(2), true);
}

Result<Value> PatternMatch(const Call& call) {
  DROVER_ASSIGN(const Pattern pattern, Compile(call, call.text(0), call.text(1)));
  return Value::Bool(re2::RE2::PartialMatch(call.text(1), *pattern));
}

// With a wrong pattern nothing matches.
Result<Value> SprigMatch(const Call& call) {
  Result<Value> matches = PatternMatch(call);
  if (matches.ok() || matches.code() != Code::kInvalidArgument) return matches;
  return Value::Bool(false);
}

Result<Value> PatternFind(const Call& call) {
  DROVER_ASSIGN(const Pattern pattern, Compile(call, call.text(0), call.text(1)));
  std::string found;
  ForEachMatch(*pattern, call.text(1), [&](std::size_t begin, std::size_t end, const Groups&) {
    found = call.text(1).substr(begin, end - begin);
    return false;
  });
  return call.Text(std::move(found));
}

Result<Value> PatternFindAll(const Call& call) {
  DROVER_ASSIGN(const Pattern pattern, Compile(call, call.text(0), call.text(1)));
  const std::int64_t limit = call.at(2).integer();
  List found;
  if (limit == 0) return Value::Zero(&kStringList);
  ForEachMatch(*pattern, call.text(1), [&](std::size_t begin, std::size_t end, const Groups&) {
    found.push_back(call.Text(call.text(1).substr(begin, end - begin)));
    return call.heap().LongStep() && (limit < 0 || static_cast<std::int64_t>(found.size()) < limit);
  });
  if (found.empty()) return Value::Zero(&kStringList);
  return call.heap().NewList(std::move(found), &kStringList);
}

Result<Value> PatternSplit(const Call& call) {
  DROVER_ASSIGN(const Pattern pattern, Compile(call, call.text(0), call.text(1)));
  const std::string& text = call.text(1);
  const std::int64_t limit = call.at(2).integer();
  if (limit == 0) return Value::Zero(&kStringList);
  if (!call.text(0).empty() && text.empty()) return call.heap().Strings({""});
  List parts;
  std::size_t begin_of_part = 0;
  std::size_t end_of_part = 0;
  ForEachMatch(*pattern, text, [&](std::size_t begin, std::size_t end, const Groups&) {
    if (limit > 0 && static_cast<std::int64_t>(parts.size()) == limit - 1) return false;
    end_of_part = begin;
    if (end != 0) parts.push_back(call.Text(text.substr(begin_of_part, begin - begin_of_part)));
    begin_of_part = end;
    return call.heap().LongStep();
  });
  if (end_of_part != text.size()) parts.push_back(call.Text(text.substr(begin_of_part)));
  return call.heap().NewList(std::move(parts), &kStringList);
}

Result<Value> PatternQuote(const Call& call) {
  std::string out;
  for (const char c : call.text(0)) {
    if (c != '\0' && std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos)
      out += '\\';
    out += c;
  }
  return call.Text(std::move(out));
}

constexpr Function kPatternFunctions[] = {
    {"regexReplaceAll", "sss", PatternReplaceAll},
    {"regexMatch", "ss", PatternMatch},
    {"sprig_regexMatch", "ss", SprigMatch},
    {"sprig_mustRegexMatch", "ss", PatternMatch},
    {"sprig_regexFind", "ss", PatternFind},
    {"sprig_mustRegexFind", "ss", PatternFind},
    {"sprig_regexFindAll", "ssi", PatternFindAll},
    {"sprig_mustRegexFindAll", "ssi", PatternFindAll},
    {"sprig_regexReplaceAll", "sss", SprigReplaceAll},
    {"sprig_mustRegexReplaceAll", "sss", SprigReplaceAll},
    {"sprig_regexReplaceAllLiteral", "sss", SprigReplaceLiteral},
    {"sprig_mustRegexReplaceAllLiteral", "sss", SprigReplaceLiteral},
    {"sprig_regexSplit", "ssi", PatternSplit},
    {"sprig_mustRegexSplit", "ssi", PatternSplit},
    {"sprig_regexQuoteMeta", "s", PatternQuote},
};

}  // namespace

FunctionSpan PatternFunctions() { return kPatternFunctions; }

}  // namespace drover::templates
