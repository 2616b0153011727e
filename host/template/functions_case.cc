// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "host/govalues/go_text.h"
#include "host/template/function.h"
#include "host/template/render_state.h"

// The functions that change the case of letters, or the way in which words are joined.
namespace drover::templates {
namespace {

using Characters = std::vector<char32_t>;

std::string TextOfCharacters(const Characters& characters) {
  std::string out;
  for (const char32_t c : characters) AppendCharacter(c, &out);
  return out;
}

// Returns an error if the characters of the text take more memory than there is.
Status AllowCharacters(const Call& call) { return call.heap().Allow(16 * call.text(0).size()); }

bool IsConnector(char32_t c) { return c == '-' || c == '_' || IsSpaceCharacter(c); }

// toTitle: the first letter of each word becomes great, all others stay. Digits and underscores are
// parts of words. An apostrophe within a word does not end it.
Result<Value> CaseTitle(const Call& call) {
  DROVER_TRY(AllowCharacters(call));
  Characters characters = CharactersOf(call.text(0));
  bool inside = false;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const char32_t c = characters[i];
    const bool letter = IsLetter(c);
    if (letter && !inside) characters[i] = ToUpper(c);
    if (letter) inside = true;
    const bool joins = c == '\'' || c == '.' || c == ':' || c == 0x2019;
    const char32_t part = joins && i + 1 < characters.size() ? characters[i + 1] : c;
    if (!IsLetter(part) && part != '_' && !IsDigitCharacter(part)) inside = false;
  }
  return call.Text(TextOfCharacters(characters));
}

// strings.Title: a letter behind anything but a letter, digit, underscore or apostrophe.
Result<Value> CaseOldTitle(const Call& call) {
  DROVER_TRY(AllowCharacters(call));
  Characters characters = CharactersOf(call.text(0));
  char32_t before = ' ';
  for (char32_t& c : characters) {
    const char32_t now = c;
    const bool separates = before < 0x80
                               ? !IsLetter(before) && !IsDigitCharacter(before) && before != '_'
                               : IsSpaceCharacter(before);
    if (separates) c = ToUpper(now);
    before = now;
  }
  return call.Text(TextOfCharacters(characters));
}

Result<Value> CaseUntitle(const Call& call) {
  DROVER_TRY(AllowCharacters(call));
  Characters characters = CharactersOf(call.text(0));
  bool next = true;
  for (char32_t& c : characters) {
    if (IsSpaceCharacter(c)) {
      next = true;
    } else if (next) {
      c = ToLower(c);
      next = false;
    }
  }
  return call.Text(TextOfCharacters(characters));
}

Result<Value> CaseSwap(const Call& call) {
  DROVER_TRY(AllowCharacters(call));
  Characters characters = CharactersOf(call.text(0));
  for (char32_t& c : characters) c = IsUpper(c) ? ToLower(c) : (IsLower(c) ? ToUpper(c) : c);
  return call.Text(TextOfCharacters(characters));
}

// Sprig takes each byte for a character here.
Result<Value> CaseInitials(const Call& call) {
  std::string out;
  bool gap = true;
  for (const char c : call.text(0)) {
    const auto byte = static_cast<unsigned char>(c);
    if (IsSpaceCharacter(byte)) {
      gap = true;
    } else if (gap) {
      AppendCharacter(byte, &out);
      gap = false;
    }
  }
  return call.Text(std::move(out));
}

Result<Value> CaseNoSpace(const Call& call) {
  std::string out;
  bool removed = false;
  for (const char c : call.text(0)) {
    const auto byte = static_cast<unsigned char>(c);
    if (IsSpaceCharacter(byte)) {
      removed = true;
    } else {
      AppendCharacter(byte, &out);
    }
  }
  return removed ? call.Text(std::move(out)) : call.at(0);
}

Result<Value> CaseCamel(const Call& call) {
  DROVER_TRY(AllowCharacters(call));
  const Characters all = CharactersOf(call.text(0));
  std::size_t at = 0;
  Characters out;
  // Connectors at the beginning stay.
  while (at < all.size() && IsConnector(all[at])) out.push_back(all[at++]);
  if (at == all.size()) return call.at(0);
  bool first_upper = IsUpper(all[at]);
  char32_t now = ToUpper(all[at++]);
  while (at < all.size()) {
    const char32_t before = now;
    now = all[at++];
    if (IsConnector(now) && IsConnector(before)) {
      out.push_back(before);
      continue;
    }
    if (IsConnector(before)) {
      first_upper = IsUpper(now);
      now = ToUpper(now);
      continue;
    }
    if (first_upper && IsUpper(now)) {
      now = ToLower(now);
    } else {
      first_upper = false;
    }
    out.push_back(before);
  }
  out.push_back(now);
  return call.Text(TextOfCharacters(out));
}

enum class WordKind { kNone, kNumber, kUpper, kAlphabet, kConnector, kPunctuation, kOther };

bool IsAlphabet(char32_t c) { return IsLetter(c); }
bool IsNumber(char32_t c) { return IsDigitCharacter(c); }

// Splits a text into words for snake_case and kebab-case.
class Words {
 public:
  explicit Words(const std::string& text) : all_(CharactersOf(text)) { Next(); }

  WordKind kind = WordKind::kNone;
  Characters word;

  bool AtLast() const { return at_ == all_.size(); }

  void Next() {
    word.clear();
    kind = WordKind::kNone;
    if (at_ == all_.size()) return;
    const char32_t first = all_[at_];
    if (IsConnector(first)) {
      TakeWhile(WordKind::kConnector, IsConnector);
    } else if (IsPunctuation(first)) {
      TakeWhile(WordKind::kPunctuation, IsPunctuation);
    } else if (IsUpper(first)) {
      TakeUpper();
    } else if (IsAlphabet(first)) {
      TakeWhile(WordKind::kAlphabet, IsSmall);
    } else if (IsNumber(first)) {
      TakeWhile(WordKind::kNumber, IsNumber);
    } else {
      TakeWhile(WordKind::kOther, IsOther);
    }
  }

 private:
  static bool IsSmall(char32_t c) { return IsAlphabet(c) && !IsUpper(c); }
  static bool IsOther(char32_t c) {
    return !IsConnector(c) && !IsAlphabet(c) && !IsNumber(c) && !IsPunctuation(c);
  }

  template <typename Is>
  void TakeWhile(WordKind of, Is is) {
    kind = of;
    word.push_back(all_[at_++]);
    while (at_ < all_.size() && is(all_[at_])) word.push_back(all_[at_++]);
  }

  // "HTTPStatus" is "HTTP" and "Status".
  void TakeUpper() {
    kind = WordKind::kUpper;
    word.push_back(all_[at_++]);
    if (at_ == all_.size()) return;
    if (IsUpper(all_[at_])) {
      while (at_ < all_.size() && IsUpper(all_[at_])) word.push_back(all_[at_++]);
      if (at_ < all_.size() && IsAlphabet(all_[at_])) {
        word.pop_back();
        --at_;
      }
    } else {
      while (at_ < all_.size() && IsSmall(all_[at_])) word.push_back(all_[at_++]);
    }
  }

  const Characters all_;
  std::size_t at_ = 0;
};

void PutWord(WordKind kind, const Characters& word, char32_t connector, Characters* out) {
  for (const char32_t c : word) {
    if (kind == WordKind::kConnector) {
      out->push_back(connector);
    } else {
      out->push_back(kind == WordKind::kUpper ? ToLower(c) : c);
    }
  }
}

bool Joins(WordKind kind) { return kind == WordKind::kConnector || kind == WordKind::kPunctuation; }

// Puts the words that belong to the number before them.
void PutNumberTail(Words* words, char32_t connector, Characters* out) {
  while (words->kind == WordKind::kAlphabet || words->kind == WordKind::kNumber) {
    PutWord(words->kind, words->word, connector, out);
    words->Next();
  }
  if (words->kind != WordKind::kNone && !Joins(words->kind)) out->push_back(connector);
}

Result<Value> WithConnector(const Call& call, char32_t connector) {
  DROVER_TRY(AllowCharacters(call));
  Words words(call.text(0));
  Characters out;
  while (words.kind != WordKind::kNone && !words.AtLast()) {
    if (words.kind != WordKind::kConnector) PutWord(words.kind, words.word, connector, &out);
    const WordKind before = words.kind;
    const Characters last = words.word;
    words.Next();
    if (before == WordKind::kNumber) {
      PutNumberTail(&words, connector, &out);
    } else if (before == WordKind::kConnector) {
      PutWord(before, last, connector, &out);
    } else if (before != WordKind::kPunctuation) {
      if (words.kind != WordKind::kNumber) {
        if (!Joins(words.kind)) out.push_back(connector);
        continue;
      }
      if (words.AtLast()) continue;
      // A number belongs to the word before it: "Bld4Floor" is "bld4_floor".
      const Characters number = words.word;
      words.Next();
      if (words.kind != WordKind::kAlphabet) {
        PutWord(WordKind::kNumber, number, connector, &out);
        if (!Joins(words.kind)) out.push_back(connector);
        continue;
      }
      // But "HTTP2xx" is "http_2xx".
      out.push_back(connector);
      PutWord(WordKind::kNumber, number, connector, &out);
      PutNumberTail(&words, connector, &out);
    }
  }
  PutWord(words.kind, words.word, connector, &out);
  return call.Text(TextOfCharacters(out));
}

Result<Value> CaseSnake(const Call& call) { return WithConnector(call, '_'); }
Result<Value> CaseKebab(const Call& call) { return WithConnector(call, '-'); }

constexpr Function kCaseFunctions[] = {
    {"toTitle", "s", CaseTitle},           {"sprig_title", "s", CaseOldTitle},
    {"sprig_untitle", "s", CaseUntitle},   {"sprig_swapcase", "s", CaseSwap},
    {"sprig_initials", "s", CaseInitials}, {"sprig_nospace", "s", CaseNoSpace},
    {"sprig_camelcase", "s", CaseCamel},   {"sprig_snakecase", "s", CaseSnake},
    {"sprig_kebabcase", "s", CaseKebab},
};

}  // namespace

FunctionSpan CaseFunctions() { return kCaseFunctions; }

}  // namespace drover::templates
