// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/routes/list_filter.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/scheduler/pattern_options.h"

namespace drover {

using nlohmann::json;

struct ListFilter::Node {
  enum class Kind { kAnd, kOr, kNot, kEquals, kContains, kEmpty, kMatches };
  Kind kind;
  std::shared_ptr<const Node> left, right;  // of kAnd and kOr; kNot has a left one
  std::vector<std::string> field;           // of the others: the way to it
  std::string value;
  std::shared_ptr<const re2::RE2> pattern = nullptr;  // of kMatches
};

namespace {

using Node = ListFilter::Node;
using NodePtr = std::shared_ptr<const Node>;

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

// Reads the text that begins with the quote at AT, which then is behind the closing one.
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
    // Between backquotes nothing has a meaning of its own.
    if (c == '\\' && quote == '"') {
      if (++i == text.size()) break;
      c = text[i];
      if (c != '"' && c != '\\') return Wrong("an escape that is neither \\\" nor \\\\", i);
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

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Result<NodePtr> All() {
    DROVER_ASSIGN(NodePtr root, Or(0));
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

  static NodePtr Make(Node::Kind kind, NodePtr left, NodePtr right = nullptr) {
    return std::make_shared<const Node>(
        Node{kind, std::move(left), std::move(right), {}, "", nullptr});
  }

  Result<NodePtr> Or(int depth) {
    DROVER_ASSIGN(NodePtr left, And(depth));
    while (TakeWord("or")) {
      DROVER_ASSIGN(NodePtr right, And(depth));
      left = Make(Node::Kind::kOr, std::move(left), std::move(right));
    }
    return left;
  }

  Result<NodePtr> And(int depth) {
    DROVER_ASSIGN(NodePtr left, Not(depth));
    while (TakeWord("and")) {
      DROVER_ASSIGN(NodePtr right, Not(depth));
      left = Make(Node::Kind::kAnd, std::move(left), std::move(right));
    }
    return left;
  }

  Result<NodePtr> Not(int depth) {
    if (depth > ListFilter::kMaxDepth) return Wrong("it is nested too deep", Now().at);
    if (TakeWord("not")) {
      DROVER_ASSIGN(NodePtr inner, Not(depth + 1));
      return Make(Node::Kind::kNot, std::move(inner));
    }
    if (!TakeSign("(")) return Match();
    DROVER_ASSIGN(NodePtr inner, Or(depth + 1));
    if (!TakeSign(")")) return Unexpected("\")\"");
    return inner;
  }

  Result<NodePtr> Match() {
    // A value comes before "in", a field before everything else.
    const std::size_t from = next_;
    const bool quoted = Now().kind == Token::Kind::kText;
    if (!quoted && Now().kind != Token::Kind::kWord) return Unexpected("a field or a value");
    std::string value = tokens_[next_++].text;
    const bool negative = IsWord("not") && tokens_[next_ + 1].text == "in";
    if (negative) ++next_;
    if (TakeWord("in")) {
      Node node{Node::Kind::kContains, nullptr, nullptr, {}, std::move(value), nullptr};
      DROVER_ASSIGN(node.field, Field());
      return Finished(std::move(node), negative);
    }
    next_ = from;
    if (quoted) return Unexpected("a field: a value comes before \"in\" only");
    Node node{Node::Kind::kEquals, nullptr, nullptr, {}, "", nullptr};
    DROVER_ASSIGN(node.field, Field());
    return Compared(std::move(node));
  }

  Result<NodePtr> Compared(Node node) {
    if (TakeWord("is")) {
      const bool negative = TakeWord("not");
      if (!TakeWord("empty")) return Unexpected("\"empty\"");
      node.kind = Node::Kind::kEmpty;
      return Finished(std::move(node), negative);
    }
    bool negative = TakeSign("!=");
    if (!negative && !TakeSign("==")) {
      negative = TakeWord("not");
      if (TakeWord("matches")) {
        node.kind = Node::Kind::kMatches;
      } else if (TakeWord("contains")) {
        node.kind = Node::Kind::kContains;
      } else {
        return Unexpected("==, !=, contains, matches, in, or is empty");
      }
    }
    const std::size_t at = Now().at;
    DROVER_ASSIGN(node.value, Value());
    if (node.kind == Node::Kind::kMatches) {
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

  static NodePtr Finished(Node node, bool negative) {
    auto made = std::make_shared<const Node>(std::move(node));
    return negative ? Make(Node::Kind::kNot, std::move(made)) : made;
  }

  // Numbers may have a sign and a fraction, which are in the words and "." between them.
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

  Result<std::vector<std::string>> Field() {
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

std::string Named(const std::vector<std::string>& way) {
  std::string name;
  for (const std::string& part : way) name += (name.empty() ? "" : ".") + part;
  return name;
}

Error Incomparable(const Node& node, const char* how) {
  return Error(Code::kInvalidArgument,
               "filter: the field " + Named(node.field) + " cannot be " + how);
}

// The field in ELEMENT; null when something on the way to it is not there.
Result<const json*> Find(const json& element, const Node& node) {
  const json* at = &element;
  for (std::size_t i = 0; i < node.field.size(); ++i) {
    const auto found = at->is_object() ? at->find(node.field[i]) : at->end();
    if (!at->is_object() || found == at->end()) {
      if (i > 0) return nullptr;
      return Error(Code::kInvalidArgument,
                   "filter: there is no field " + node.field[0] + " in an element of this list");
    }
    at = &*found;
  }
  return at;
}

// Whether VALUE is what TEXT says; nothing for what has no such text.
std::optional<bool> Equals(const json& value, const std::string& text) {
  if (value.is_string()) return value.get_ref<const std::string&>() == text;
  if (value.is_boolean()) return text == (value.get<bool>() ? "true" : "false");
  if (value.is_null()) return text.empty();
  if (!value.is_number()) return std::nullopt;
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value.get<double>() == number;
}

Result<bool> Contains(const json& value, const Node& node) {
  if (value.is_null()) return false;
  if (value.is_string()) {
    return value.get_ref<const std::string&>().find(node.value) != std::string::npos;
  }
  if (value.is_object()) return value.contains(node.value);
  if (!value.is_array()) return Incomparable(node, "searched");
  return std::any_of(value.begin(), value.end(),
                     [&node](const json& one) { return Equals(one, node.value).value_or(false); });
}

Result<bool> Matches(const json& value, const Node& node) {
  if (value.is_null()) return false;
  if (!value.is_string()) return Incomparable(node, "matched");
  return re2::RE2::PartialMatch(value.get_ref<const std::string&>(), *node.pattern);
}

Result<bool> Holds(const Node& node, const json& element) {
  switch (node.kind) {
    case Node::Kind::kNot: {
      DROVER_ASSIGN(const bool inner, Holds(*node.left, element));
      return !inner;
    }
    case Node::Kind::kAnd:
    case Node::Kind::kOr: {
      DROVER_ASSIGN(const bool left, Holds(*node.left, element));
      if (left == (node.kind == Node::Kind::kOr)) return left;
      return Holds(*node.right, element);
    }
    default:
      break;
  }
  static const json kMissing;
  DROVER_ASSIGN(const json* const found, Find(element, node));
  const json& value = found == nullptr ? kMissing : *found;
  if (node.kind == Node::Kind::kContains) return Contains(value, node);
  if (node.kind == Node::Kind::kMatches) return Matches(value, node);
  if (node.kind == Node::Kind::kEmpty) {
    if (value.is_string()) return value.get_ref<const std::string&>().empty();
    if (value.is_null() || value.is_structured()) return value.empty();
    return Incomparable(node, "empty");
  }
  const std::optional<bool> equal = Equals(value, node.value);
  if (!equal) return Incomparable(node, ("compared with \"" + node.value + "\"").c_str());
  return *equal;
}

}  // namespace

Result<ListFilter> ListFilter::Parse(std::string_view text) {
  if (text.size() > kMaxBytes) {
    return Error(Code::kInvalidArgument, "failed to read filter expression: it is longer than " +
                                             std::to_string(kMaxBytes) + " bytes");
  }
  DROVER_ASSIGN(std::vector<Token> tokens, Tokens(text));
  DROVER_ASSIGN(NodePtr root, Parser(std::move(tokens)).All());
  return ListFilter(std::move(root));
}

Result<bool> ListFilter::Chooses(const json& element) const { return Holds(*root_, element); }

}  // namespace drover
