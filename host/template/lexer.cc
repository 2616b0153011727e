// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/template/lexer.h"

#include <algorithm>

#include "host/govalues/go_text.h"

namespace drover::templates {
namespace {

// The most tokens of a template. Each takes a few hundred bytes while the template is rendered.
constexpr std::size_t kMostTokens = 250'000;
constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kKeywords[] = {"block", "break", "continue", "define",   "else",
                                          "end",   "if",    "range",    "template", "with"};

bool IsBlank(char c) { return kBlanks.find(c) != std::string_view::npos; }
bool IsWordCharacter(char32_t c) { return c == '_' || IsLetter(c) || IsDigitCharacter(c); }

class Lexer {
 public:
  Lexer(std::string_view text, std::string_view left, std::string_view right)
      : text_(text), left_(left), right_(right) {}

  bool Run(std::vector<Token>* tokens, TemplateFault* fault) {
    while (at_ < text_.size() && ok_) {
      Text();
      if (at_ < text_.size() && ok_) Delimited();
    }
    Add(TokenKind::kEnd, text_.size());
    if (!ok_) *fault = fault_;
    *tokens = std::move(tokens_);
    return ok_;
  }

 private:
  void Fail(std::size_t at, std::string what) {
    if (ok_) fault_ = {at, std::move(what)};
    ok_ = false;
  }

  std::string_view Rest() const { return text_.substr(at_); }

  // Adds the token from BEGIN to the present position.
  void Add(TokenKind kind, std::size_t begin) {
    if (tokens_.size() >= kMostTokens && kind != TokenKind::kEnd) {
      return Fail(begin,
                  "the template has more than " + std::to_string(kMostTokens) + " words and marks");
    }
    tokens_.push_back({kind, text_.substr(begin, at_ - begin), begin});
  }

  bool HasRightTrimMarker() const {
    const std::string_view rest = Rest();
    return rest.size() >= 2 && IsBlank(rest[0]) && rest[1] == '-';
  }

  bool AtTrimmedRight() const {
    return HasRightTrimMarker() && Rest().substr(2).starts_with(right_);
  }
  bool AtRight() const { return AtTrimmedRight() || Rest().starts_with(right_); }

  // Reads up to the next action.
  void Text() {
    const std::size_t begin = at_;
    const std::size_t found = text_.find(left_, at_);
    at_ = std::min(found, text_.size());
    if (found != std::string_view::npos) {
      const std::string_view inside = text_.substr(at_ + left_.size());
      const std::size_t end = at_;
      if (inside.size() >= 2 && inside[0] == '-' && IsBlank(inside[1])) {
        while (at_ > begin && IsBlank(text_[at_ - 1])) --at_;
      }
      if (at_ > begin) Add(TokenKind::kText, begin);
      at_ = end;
    } else if (at_ > begin) {
      Add(TokenKind::kText, begin);
    }
  }

  // Reads an action or a comment.
  void Delimited() {
    const std::size_t begin = at_;
    at_ += left_.size();
    const std::string_view inside = Rest();
    const bool trims = inside.size() >= 2 && inside[0] == '-' && IsBlank(inside[1]);
    const std::size_t marker = trims ? 2 : 0;
    if (inside.substr(marker).starts_with("/*")) {
      at_ += marker;
      return Comment();
    }
    Add(TokenKind::kLeft, begin);
    at_ += marker;
    depth_ = 0;
    while (ok_ && !RightDelimiter()) Inside(begin);
  }

  void Comment() {
    const std::size_t begin = at_;
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) return Fail(begin, "unclosed comment");
    at_ = end + 2;
    if (!AtRight()) return Fail(begin, "comment ends before closing delimiter");
    SkipRight();
  }

  // Skips the delimiter, and the blanks that it trims.
  void SkipRight() {
    const bool trims = AtTrimmedRight();
    at_ += (trims ? 2 : 0) + right_.size();
    while (trims && at_ < text_.size() && IsBlank(text_[at_])) ++at_;
  }

  // Returns whether the action ends here.
  bool RightDelimiter() {
    if (!AtRight()) return false;
    if (depth_ > 0) {
      Fail(at_, "unclosed left paren");
      return true;
    }
    const std::size_t begin = at_;
    SkipRight();
    Add(TokenKind::kRight, begin);
    return true;
  }

  bool AtTerminator() const {
    if (at_ >= text_.size() || IsBlank(text_[at_])) return true;
    if (std::string_view(".,|:()").find(text_[at_]) != std::string_view::npos) return true;
    return Rest().starts_with(right_);
  }

  void Single(TokenKind kind) {
    ++at_;
    Add(kind, at_ - 1);
  }

  // Reads one token of the action that begins at ACTION.
  void Inside(std::size_t action) {
    if (at_ >= text_.size()) return Fail(action, "unclosed action");
    const char c = text_[at_];
    const std::size_t begin = at_;
    if (IsBlank(c)) return Space();
    switch (c) {
      case '=':
        return Single(TokenKind::kAssign);
      case '|':
        return Single(TokenKind::kPipe);
      case ',':
        return Single(TokenKind::kComma);
      case '(':
        ++depth_;
        return Single(TokenKind::kLeftParenthesis);
      case ')':
        if (--depth_ < 0) return Fail(begin, "unexpected right paren");
        return Single(TokenKind::kRightParenthesis);
      case ':':
        if (!Rest().starts_with(":=")) return Fail(begin, "expected :=");
        at_ += 2;
        return Add(TokenKind::kDeclare, begin);
      case '"':
        return Quoted('"', TokenKind::kString, "unterminated quoted string");
      case '\'':
        return Quoted('\'', TokenKind::kCharacter, "unterminated character constant");
      case '`':
        return Raw();
      case '$':
        ++at_;
        return Name(begin, TokenKind::kVariable, TokenKind::kVariable);
      default:
        break;
    }
    const bool digit_follows =
        at_ + 1 < text_.size() && text_[at_ + 1] >= '0' && text_[at_ + 1] <= '9';
    if (c == '.' && !digit_follows) {
      ++at_;
      return Name(begin, TokenKind::kField, TokenKind::kDot);
    }
    if (c == '.' || c == '+' || c == '-' || (c >= '0' && c <= '9')) return Number();
    const Character character = CharacterAt(text_, at_);
    if (IsWordCharacter(character.value)) return Word();
    if (character.value >= 0x80 || !IsPrint(character.value)) {
      return Fail(begin, "unrecognized character in action");
    }
    Single(TokenKind::kOther);
  }

  void Space() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
    // The last blank may belong to the trim marker.
    --at_;
    if (!AtTrimmedRight()) ++at_;
    if (at_ > begin) Add(TokenKind::kSpace, begin);
  }

  // Skips the letters, digits and underscores of a name. The mark that begins it has been read.
  void Name(std::size_t begin, TokenKind kind, TokenKind alone) {
    if (AtTerminator()) return Add(alone, begin);
    SkipWord();
    if (!AtTerminator()) return BadCharacter();
    Add(kind, begin);
  }

  void SkipWord() {
    while (at_ < text_.size()) {
      const Character c = CharacterAt(text_, at_);
      if (!IsWordCharacter(c.value)) break;
      at_ += c.length;
    }
  }

  void BadCharacter() {
    Fail(at_, "bad character " + QuoteCharacter(CharacterAt(text_, at_).value, false));
  }

  void Word() {
    const std::size_t begin = at_;
    SkipWord();
    if (!AtTerminator()) return BadCharacter();
    const std::string_view word = text_.substr(begin, at_ - begin);
    TokenKind kind = TokenKind::kIdentifier;
    if (word == "true" || word == "false") kind = TokenKind::kBool;
    if (word == "nil") kind = TokenKind::kNil;
    if (std::ranges::find(kKeywords, word) != std::end(kKeywords)) kind = TokenKind::kKeyword;
    Add(kind, begin);
  }

  void Quoted(char quote, TokenKind kind, const char* what) {
    const std::size_t begin = at_++;
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return Add(kind, begin);
      }
      if (text_[at_] == '\\' && ++at_ < text_.size() && text_[at_] == '\n') break;
    }
    Fail(begin, what);
  }

  void Raw() {
    const std::size_t begin = at_;
    const std::size_t end = text_.find('`', at_ + 1);
    if (end == std::string_view::npos) return Fail(begin, "unterminated raw quoted string");
    at_ = end + 1;
    Add(TokenKind::kRawString, begin);
  }

  bool Accept(std::string_view characters) {
    if (at_ >= text_.size() || characters.find(text_[at_]) == std::string_view::npos) return false;
    ++at_;
    return true;
  }

  void AcceptAll(std::string_view characters) {
    while (Accept(characters)) {
    }
  }

  void Number() {
    const std::size_t begin = at_;
    Accept("+-");
    std::string_view digits = "0123456789_";
    bool decimal = true;
    if (Accept("0")) {
      if (Accept("xX"))
        digits = "0123456789abcdefABCDEF_";
      else if (Accept("oO"))
        digits = "01234567_";
      else if (Accept("bB"))
        digits = "01_";
      decimal = digits.size() == 11;
    }
    AcceptAll(digits);
    if (Accept(".")) AcceptAll(digits);
    if (decimal ? Accept("eE") : digits.size() == 23 && Accept("pP")) {
      Accept("+-");
      AcceptAll("0123456789_");
    }
    const bool more = at_ < text_.size() && IsWordCharacter(CharacterAt(text_, at_).value);
    const bool signs = at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-');
    if (more || signs) {
      return Fail(begin, "bad number syntax: " + QuoteText(text_.substr(begin, at_ + 1 - begin)));
    }
    Add(TokenKind::kNumber, begin);
  }

  const std::string_view text_;
  const std::string_view left_;
  const std::string_view right_;
  std::size_t at_ = 0;
  int depth_ = 0;  // of parentheses
  bool ok_ = true;
  TemplateFault fault_;
  std::vector<Token> tokens_;
};

}  // namespace

bool SplitTokens(std::string_view text, std::string_view left, std::string_view right,
                 std::vector<Token>* tokens, TemplateFault* fault) {
  return Lexer(text, left.empty() ? "{{" : left, right.empty() ? "}}" : right).Run(tokens, fault);
}

std::string PlaceOf(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  return std::to_string(line) + ":" + std::to_string(before.size() - begin + 1);
}

}  // namespace drover::templates
