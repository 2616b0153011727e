// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/filter/filter_syntax.h"

#include <re2/re2.h>

#include <cctype>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/base/pattern_options.h"
#include "host/filter/list_filter.h"

namespace drover {
namespace {

struct Token {
  enum class Kind { kEnd, kWord, kText, kSign };
  Kind kind = Kind::kEnd;
  std::string text;
  std::size_t at = 0;
};

Error Wrong(const std::string& what, std::size_t at) {
  return Error(Code::kInvalidArgument, "failed to read filter expression: " + what +
                                           " at character " + std::to_string(at + 1));
}

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '/' ||
         c == '*' || c == ':' || c == '+';
}

// The characters that may follow "\" in a quoted text, as in Go, and the characters that such an
// escape stands for, in the same order.
constexpr std::string_view kEscapes = "\"\\abfnrtv";
constexpr std::string_view kEscaped = "\"\\\a\b\f\n\r\t\v";

// Reads a text in quotes. AT is the position of the opening quote, and becomes the position after
// the closing quote.
Result<Token> ReadText(std::string_view text, std::size_t* at) {
  const std::size_t from = *at;
  const char quote = text[from];
  Token token{Token::Kind::kText, "", from};
  for (std::size_t i = from + 1; i < text.size(); ++i) {
    char c = text[i];
    if (c == quote) {
      *at = i + 1;
      return token;
    }
    // A text in backquotes has no escapes.
    if (c == '\\' && quote == '"') {
      if (++i == text.size()) break;
      const std::size_t which = kEscapes.find(text[i]);
      if (which == std::string_view::npos) return Wrong("unknown escape", i);
      c = kEscaped[which];
    }
    token.text += c;
  }
  return Wrong("a text without its closing quote", from);
}

Result<std::vector<Token>> Tokens(std::string_view text) {
  std::vector<Token> tokens;
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
    } else if (c == '"' || c == '`') {
      DROVER_ASSIGN(Token token, ReadText(text, &i));
      tokens.push_back(std::move(token));
    } else if (IsWordCharacter(c)) {
      Token token{Token::Kind::kWord, "", i};
      while (i < text.size() && IsWordCharacter(text[i])) token.text += text[i++];
      tokens.push_back(std::move(token));
    } else {
      const bool two = (c == '=' || c == '!') && i + 1 < text.size() && text[i + 1] == '=';
      tokens.push_back({Token::Kind::kSign, std::string(text.substr(i, two ? 2 : 1)), i});
      i += two ? 2 : 1;
    }
  }
  tokens.push_back({Token::Kind::kEnd, "", text.size()});
  return tokens;
}

// Returns the parts of a JSON pointer (RFC 6901).
std::vector<std::string> PointerParts(std::string_view pointer) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    const char next = i + 1 < pointer.size() ? pointer[i + 1] : '\0';
    if (pointer[i] == '/') {
      parts.emplace_back();
    } else if (pointer[i] == '~' && (next == '0' || next == '1')) {
      parts.back() += next == '0' ? '~' : '/';
      ++i;
    } else {
      parts.back() += pointer[i];
    }
  }
  return parts;
}

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Result<FilterNodePtr> All() {
    DROVER_ASSIGN(FilterNodePtr root, Or(0));
    if (Now().kind != Token::Kind::kEnd) return Unexpected("and, or, or the end");
    return root;
  }

 private:
  const Token& Now() const { return tokens_[next_]; }
  bool IsWord(const char* word) const {
    return Now().kind == Token::Kind::kWord && Now().text == word;
  }
  bool TakeWord(const char* word) {
    if (!IsWord(word)) return false;
    ++next_;
    return true;
  }
  bool TakeSign(const char* sign) {
    if (Now().kind != Token::Kind::kSign || Now().text != sign) return false;
    ++next_;
    return true;
  }
  Error Unexpected(const std::string& wanted) const {
    const std::string found =
        Now().kind == Token::Kind::kEnd ? "the end" : "\"" + Now().text + "\"";
    return Wrong("expected " + wanted + ", not " + found + ",", Now().at);
  }

  static FilterNodePtr Make(FilterNode::Kind kind, FilterNodePtr left,
                            FilterNodePtr right = nullptr) {
    return std::make_shared<const FilterNode>(
        FilterNode{.kind = kind, .left = std::move(left), .right = std::move(right)});
  }

  Result<FilterNodePtr> Or(int depth) {
    DROVER_ASSIGN(FilterNodePtr left, And(depth));
    while (TakeWord("or")) {
      DROVER_ASSIGN(FilterNodePtr right, And(depth));
      left = Make(FilterNode::Kind::kOr, std::move(left), std::move(right));
    }
    return left;
  }

  Result<FilterNodePtr> And(int depth) {
    DROVER_ASSIGN(FilterNodePtr left, Not(depth));
    while (TakeWord("and")) {
      DROVER_ASSIGN(FilterNodePtr right, Not(depth));
      left = Make(FilterNode::Kind::kAnd, std::move(left), std::move(right));
    }
    return left;
  }

  Result<FilterNodePtr> Not(int depth) {
    if (depth > ListFilter::kMaxDepth) return Wrong("it is nested too deep", Now().at);
    if (TakeWord("not")) {
      DROVER_ASSIGN(FilterNodePtr inner, Not(depth + 1));
      return Make(FilterNode::Kind::kNot, std::move(inner));
    }
    if (!TakeSign("(")) return Match(depth);
    DROVER_ASSIGN(FilterNodePtr inner, Or(depth + 1));
    if (!TakeSign(")")) return Unexpected("\")\"");
    return inner;
  }

  Result<FilterNodePtr> Match(int depth) {
    DROVER_ASSIGN(FilterNodePtr collection, Collection(depth));
    if (collection) return collection;
    // With "in", the value precedes the field. With every other operator, the field comes first.
    const std::size_t from = next_;
    const bool quoted = Now().kind == Token::Kind::kText;
    if (!quoted && Now().kind != Token::Kind::kWord) return Unexpected("a field or a value");
    std::string value = tokens_[next_++].text;
    const bool negative = IsWord("not") && tokens_[next_ + 1].text == "in";
    if (negative) ++next_;
    if (TakeWord("in")) {
      FilterNode node{.kind = FilterNode::Kind::kContains, .value = std::move(value)};
      DROVER_ASSIGN(node.field, Field());
      return Finished(std::move(node), negative);
    }
    next_ = from;
    if (quoted && !IsPointer()) return Unexpected("a field: a value comes before \"in\" only");
    FilterNode node{.kind = FilterNode::Kind::kEquals};
    DROVER_ASSIGN(node.field, Field());
    return Compared(std::move(node));
  }

  // Reads "any FIELD as NAME {...}" or "all FIELD as KEY, NAME {...}". If the next words have
  // neither form, returns null without an error, because a field may have the name "any" or "all".
  Result<FilterNodePtr> Collection(int depth) {
    const std::size_t from = next_;
    const bool any = TakeWord("any");
    if (!any && !TakeWord("all")) return FilterNodePtr();
    FilterNode node{.kind = any ? FilterNode::Kind::kAny : FilterNode::Kind::kAll};
    Result<std::vector<std::string>> field = Field();
    if (!field.ok() || !TakeWord("as")) {
      next_ = from;
      return FilterNodePtr();
    }
    node.field = std::move(*field);
    DROVER_ASSIGN(node.single, Name());
    if (TakeSign(",")) {
      node.key = std::exchange(node.single, "");
      DROVER_ASSIGN(node.element, Name());
      if (node.key == node.element) {
        return Error(Code::kInvalidArgument,
                     "failed to read filter expression: \"" + node.key +
                         "\" cannot be used as a placeholder for both the index and the value");
      }
    } else if (node.single.empty()) {
      return Unexpected("\",\" and a name");
    }
    if (!TakeSign("{")) return Unexpected("\"{\"");
    DROVER_ASSIGN(node.left, Or(depth + 1));
    if (!TakeSign("}")) return Unexpected("\"}\"");
    return std::make_shared<const FilterNode>(std::move(node));
  }

  // Reads a name for use inside the braces. Returns an empty text for "_", which stands for no
  // name.
  Result<std::string> Name() {
    if (Now().kind != Token::Kind::kWord) return Unexpected("a name");
    std::string name = tokens_[next_++].text;
    return name == "_" ? "" : name;
  }

  Result<FilterNodePtr> Compared(FilterNode node) {
    if (TakeWord("is")) {
      const bool negative = TakeWord("not");
      node.kind = IsWord("nil") ? FilterNode::Kind::kNil : FilterNode::Kind::kEmpty;
      if (!TakeWord("nil") && !TakeWord("empty")) return Unexpected("\"empty\" or \"nil\"");
      return Finished(std::move(node), negative);
    }
    bool negative = TakeSign("!=");
    if (!negative && !TakeSign("==")) {
      negative = TakeWord("not");
      if (TakeWord("matches")) {
        node.kind = FilterNode::Kind::kMatches;
      } else if (TakeWord("contains")) {
        node.kind = FilterNode::Kind::kContains;
      } else {
        return Unexpected("==, !=, contains, matches, in, is empty, or is nil");
      }
    }
    const std::size_t at = Now().at;
    DROVER_ASSIGN(node.value, Value());
    if (node.kind == FilterNode::Kind::kMatches) {
      DROVER_ASSIGN(node.pattern, Pattern(node.value, at));
    }
    return Finished(std::move(node), negative);
  }

  Result<std::shared_ptr<const re2::RE2>> Pattern(const std::string& text, std::size_t at) {
    if (++patterns_ > ListFilter::kMaxPatterns) return Wrong("too many regular expressions", at);
    auto pattern = std::make_shared<const re2::RE2>(text, PatternOptions());
    if (!pattern->ok()) return Wrong("not a regular expression (" + pattern->error() + ")", at);
    return pattern;
  }

  static FilterNodePtr Finished(FilterNode node, bool negative) {
    auto made = std::make_shared<const FilterNode>(std::move(node));
    return negative ? Make(FilterNode::Kind::kNot, std::move(made)) : made;
  }

  // Reads a value. A number may be several tokens: a word with the sign and the digits, a ".", and
  // a word with the fraction.
  Result<std::string> Value() {
    if (Now().kind != Token::Kind::kText && Now().kind != Token::Kind::kWord) {
      return Unexpected("a value");
    }
    std::string value = Now().text;
    const bool word = tokens_[next_++].kind == Token::Kind::kWord;
    while (word && Now().kind == Token::Kind::kSign && Now().text == "." &&
           tokens_[next_ + 1].kind == Token::Kind::kWord) {
      value += "." + tokens_[next_ + 1].text;
      next_ += 2;
    }
    return value;
  }

  // Returns true if the next token is a text with a JSON pointer, which stands for a field.
  bool IsPointer() const { return Now().kind == Token::Kind::kText && Now().text.starts_with('/'); }

  Result<std::vector<std::string>> Field() {
    if (IsPointer()) return PointerParts(tokens_[next_++].text);
    if (Now().kind != Token::Kind::kWord) return Unexpected("a field");
    std::vector<std::string> way = {tokens_[next_++].text};
    while (true) {
      if (TakeSign(".")) {
        if (Now().kind != Token::Kind::kWord) return Unexpected("the name of a field");
        way.push_back(tokens_[next_++].text);
      } else if (TakeSign("[")) {
        if (Now().kind != Token::Kind::kText) return Unexpected("a name in quotes");
        way.push_back(tokens_[next_++].text);
        if (!TakeSign("]")) return Unexpected("\"]\"");
      } else {
        return way;
      }
    }
  }

  const std::vector<Token> tokens_;
  std::size_t next_ = 0;
  int patterns_ = 0;
};

}  // namespace

Result<FilterNodePtr> ParseFilter(std::string_view text) {
  if (text.size() > ListFilter::kMaxBytes) {
    return Error(Code::kInvalidArgument, "failed to read filter expression: it is longer than " +
                                             std::to_string(ListFilter::kMaxBytes) + " bytes");
  }
  DROVER_ASSIGN(std::vector<Token> tokens, Tokens(text));
  return Parser(std::move(tokens)).All();
}

}  // namespace drover
