// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/template/text_template.h"

#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "host/template/template_value.h"

namespace drover {

using nlohmann::json;

namespace {

constexpr int kMaxDepth = 64;
// The maximum number of bytes that one template may write. Without a limit, nested ranges could
// fill a disk.
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

struct Pipeline;

// An operand: the start value, and the fields that are then taken from that value, one after
// another.
struct Operand {
  enum class Kind { kDot, kVariable, kLiteral, kFunction, kPipeline };
  Kind kind = Kind::kDot;
  std::string name;  // name of the variable or function
  json literal;
  std::shared_ptr<const Pipeline> pipeline;
  std::vector<std::string> fields;
};

// Commands that run one after the other. Each command gets the value of the previous command as
// its last argument.
struct Pipeline {
  std::string variable;  // variable that gets the value; empty if there is none
  std::string key;       // variable of a range that gets the index or key; empty if there is none
  std::vector<std::vector<Operand>> commands;
};

}  // namespace

struct TextTemplate::Node {
  enum class Kind { kList, kText, kValue, kIf, kRange, kWith };
  Kind kind = Kind::kList;
  std::string text;
  Pipeline pipeline;
  std::vector<std::shared_ptr<const Node>> children;
  std::shared_ptr<const Node> otherwise;  // the part after {{else}}, or null
};

namespace {

using Node = TextTemplate::Node;
using NodePtr = std::shared_ptr<const Node>;

Error Wrong(const std::string& what, std::size_t at) {
  return Error(Code::kInvalidArgument,
               "template: " + what + " at character " + std::to_string(at + 1));
}

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// A part of a template: plain text, or an action without its braces.
struct Piece {
  bool action = false;
  std::string_view text;
  std::size_t at = 0;
};

// Returns the position of the "}}" that ends the action at FROM. A "}}" in quotes does not count.
std::size_t EndOfAction(std::string_view text, std::size_t from) {
  char quote = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"') {
        ++i;
      } else if (c == quote) {
        quote = 0;
      }
    } else if (c == '"' || c == '`') {
      quote = c;
    } else if (text.substr(i, 2) == "}}") {
      return i;
    }
  }
  return std::string_view::npos;
}

void TrimEnd(std::string_view* text) {
  while (!text->empty() && IsSpace(text->back())) text->remove_suffix(1);
}
void TrimStart(std::string_view* text) {
  while (!text->empty() && IsSpace(text->front())) text->remove_prefix(1);
}

Result<std::vector<Piece>> Pieces(std::string_view text) {
  std::vector<Piece> pieces;
  std::size_t at = 0;
  // True if the last action ended with -}}, so that the blanks after it are removed.
  bool trim = false;
  while (true) {
    const std::size_t open = text.find("{{", at);
    std::string_view plain = text.substr(at, open == std::string_view::npos ? open : open - at);
    if (trim) TrimStart(&plain);
    const bool trims = open != std::string_view::npos && text.substr(open + 2, 1) == "-" &&
                       open + 3 < text.size() && IsSpace(text[open + 3]);
    if (trims) TrimEnd(&plain);
    pieces.push_back({false, plain, at});
    if (open == std::string_view::npos) return pieces;
    const std::size_t begin = open + (trims ? 3 : 2);
    const std::size_t close = EndOfAction(text, begin);
    if (close == std::string_view::npos) return Wrong("{{ without }}", open);
    std::string_view action = text.substr(begin, close - begin);
    trim = action.size() > 1 && action.back() == '-' && IsSpace(action[action.size() - 2]);
    if (trim) action.remove_suffix(1);
    pieces.push_back({true, action, begin});
    at = close + 2;
  }
}

// Reads the text of one action, without its braces.
class ActionReader {
 public:
  explicit ActionReader(const Piece& piece) : text_(piece.text), offset_(piece.at) { Skip(); }

  bool AtEnd() const { return at_ == text_.size(); }
  Error Unexpected(const std::string& wanted) const {
    return Wrong("expected " + wanted +
                     (AtEnd() ? "" : ", not \"" + std::string(text_.substr(at_, 10)) + "\","),
                 offset_ + at_);
  }

  bool TakeWord(std::string_view word) {
    const bool whole =
        text_.substr(at_, word.size()) == word &&
        (at_ + word.size() == text_.size() || !IsNameCharacter(text_[at_ + word.size()]));
    if (whole) Advance(word.size());
    return whole;
  }

  bool TakeSign(std::string_view sign) {
    if (text_.substr(at_, sign.size()) != sign) return false;
    Advance(sign.size());
    return true;
  }

  // RANGE must be true for the pipeline of {{range}}, which may declare two variables.
  Result<Pipeline> ReadPipeline(bool range, int depth) {
    Pipeline out;
    DROVER_TRY(ReadVariables(range, &out));
    do {
      std::vector<Operand> command;
      while (!AtEnd() && Now() != '|' && Now() != ')') {
        DROVER_ASSIGN(Operand operand, ReadOperand(depth));
        command.push_back(std::move(operand));
      }
      if (command.empty()) return Unexpected("a value");
      const bool function = command[0].kind == Operand::Kind::kFunction;
      if (!function && (command.size() > 1 || !out.commands.empty())) {
        return Wrong("only functions take arguments, which this has", offset_ + at_);
      }
      out.commands.push_back(std::move(command));
    } while (TakeSign("|"));
    return out;
  }

 private:
  char Now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void Skip() {
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  }
  void Advance(std::size_t count) {
    at_ += count;
    Skip();
  }

  std::string TakeName() {
    std::size_t end = at_;
    while (end < text_.size() && IsNameCharacter(text_[end])) ++end;
    std::string name(text_.substr(at_, end - at_));
    at_ = end;
    return name;
  }

  // Reads "$name :=" or, for a range, "$key, $name :=".
  Status ReadVariables(bool range, Pipeline* out) {
    const std::size_t from = at_;
    std::vector<std::string> names;
    while (Now() == '$') {
      ++at_;
      names.push_back(TakeName());
      Skip();
      if (!TakeSign(",")) break;
    }
    if (names.empty() || (!TakeSign(":=") && !TakeSign("="))) {
      at_ = from;
      return {};
    }
    if (names.size() > (range ? 2u : 1u)) return Wrong("too many variables", offset_ + from);
    out->variable = names.back();
    if (names.size() == 2) out->key = names[0];
    return {};
  }

  Result<Operand> ReadOperand(int depth) {
    if (depth > kMaxDepth) return Wrong("it is nested too deep", offset_ + at_);
    Operand out;
    const char c = Now();
    if (c == '.') {
      return ReadFields(std::move(out));
    }
    if (c == '$') {
      ++at_;
      out.kind = Operand::Kind::kVariable;
      out.name = TakeName();
      return ReadFields(std::move(out));
    }
    if (c == '(') {
      Advance(1);
      out.kind = Operand::Kind::kPipeline;
      DROVER_ASSIGN(Pipeline inner, ReadPipeline(false, depth + 1));
      if (Now() != ')') return Unexpected("\")\"");
      ++at_;
      out.pipeline = std::make_shared<const Pipeline>(std::move(inner));
      return ReadFields(std::move(out));
    }
    if (c == '"' || c == '`') return ReadText();
    if (c == '-' || std::isdigit(static_cast<unsigned char>(c)) != 0) return ReadNumber();
    out.name = TakeName();
    Skip();
    if (out.name == "true" || out.name == "false") {
      out.kind = Operand::Kind::kLiteral;
      out.literal = out.name == "true";
      return out;
    }
    if (out.name.empty()) return Unexpected("a value");
    if (!IsTemplateFunction(out.name)) {
      return Wrong("there is no function \"" + out.name + "\"; fields begin with a point; found",
                   offset_ + at_);
    }
    out.kind = Operand::Kind::kFunction;
    return out;
  }

  // Reads fields such as ".A.B", or a single point.
  Result<Operand> ReadFields(Operand out) {
    const bool dot = out.kind == Operand::Kind::kDot;
    while (Now() == '.') {
      ++at_;
      std::string name = TakeName();
      if (name.empty()) {
        if (!dot || !out.fields.empty()) return Unexpected("the name of a field");
        break;
      }
      out.fields.push_back(std::move(name));
    }
    Skip();
    return out;
  }

  Result<Operand> ReadText() {
    Operand out;
    out.kind = Operand::Kind::kLiteral;
    const char quote = Now();
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote)
      end += quote == '"' && text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) return Wrong("a text without its closing quote", offset_ + at_);
    const std::string_view whole = text_.substr(at_, end + 1 - at_);
    if (quote == '`') {
      out.literal = std::string(whole.substr(1, whole.size() - 2));
    } else {
      out.literal = json::parse(whole, nullptr, false);
      if (!out.literal.is_string()) return Wrong("a text with an odd escape", offset_ + at_);
    }
    Advance(whole.size());
    return out;
  }

  Result<Operand> ReadNumber() {
    Operand out;
    out.kind = Operand::Kind::kLiteral;
    std::size_t end = at_ + 1;
    while (end < text_.size() && (IsNameCharacter(text_[end]) || text_[end] == '.')) ++end;
    out.literal = json::parse(text_.substr(at_, end - at_), nullptr, false);
    if (!out.literal.is_number()) return Unexpected("a number");
    Advance(end - at_);
    return out;
  }

  const std::string_view text_;
  const std::size_t offset_;
  std::size_t at_ = 0;
};

// Builds the tree of nodes from the parts of a template.
class TreeReader {
 public:
  explicit TreeReader(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}

  Result<NodePtr> All() {
    DROVER_ASSIGN(NodePtr root, List(0));
    if (next_ < pieces_.size()) return Wrong("{{end}} or {{else}} of nothing", pieces_[next_].at);
    return root;
  }

 private:
  // Returns true if the next piece is {{end}} or {{else ...}}.
  bool Closes() const {
    ActionReader reader(pieces_[next_]);
    return pieces_[next_].action && (reader.TakeWord("end") || reader.TakeWord("else"));
  }

  Result<NodePtr> List(int depth) {
    auto list = std::make_shared<Node>();
    while (next_ < pieces_.size() && !Closes()) {
      const Piece piece = pieces_[next_++];
      if (!piece.action) {
        auto text = std::make_shared<Node>();
        text->kind = Node::Kind::kText;
        text->text = piece.text;
        list->children.push_back(std::move(text));
        continue;
      }
      if (piece.text.starts_with("/*")) continue;
      ActionReader reader(piece);
      DROVER_ASSIGN(NodePtr node, Action(&reader, depth));
      list->children.push_back(std::move(node));
    }
    return NodePtr(std::move(list));
  }

  Result<NodePtr> Action(ActionReader* reader, int depth) {
    auto node = std::make_shared<Node>();
    node->kind = reader->TakeWord("if")      ? Node::Kind::kIf
                 : reader->TakeWord("range") ? Node::Kind::kRange
                 : reader->TakeWord("with")  ? Node::Kind::kWith
                                             : Node::Kind::kValue;
    DROVER_ASSIGN(node->pipeline, reader->ReadPipeline(node->kind == Node::Kind::kRange, 0));
    if (!reader->AtEnd()) return reader->Unexpected("the end of the action");
    if (node->kind == Node::Kind::kValue) return NodePtr(std::move(node));
    return Block(std::move(node), depth + 1);
  }

  // Reads the inside of an if, range or with, up to its {{end}}.
  Result<NodePtr> Block(std::shared_ptr<Node> node, int depth) {
    if (depth > kMaxDepth) return Wrong("it is nested too deep", pieces_[next_ - 1].at);
    const std::size_t begin = pieces_[next_ - 1].at;
    DROVER_ASSIGN(NodePtr inside, List(depth));
    node->children = {std::move(inside)};
    if (next_ == pieces_.size()) return Wrong("an action without its {{end}}", begin);
    ActionReader closing(pieces_[next_++]);
    if (closing.TakeWord("else")) {
      // An {{else if}} is an action of its own, which ends at the same {{end}}.
      if (!closing.AtEnd()) {
        DROVER_ASSIGN(node->otherwise, Action(&closing, depth));
        return NodePtr(std::move(node));
      }
      DROVER_ASSIGN(node->otherwise, List(depth));
      if (next_ == pieces_.size()) return Wrong("an action without its {{end}}", begin);
      if (ActionReader end(pieces_[next_++]); !end.TakeWord("end")) return end.Unexpected("end");
    }
    return NodePtr(std::move(node));
  }

  const std::vector<Piece> pieces_;
  std::size_t next_ = 0;
};

// Renders a template with data.
class Writer {
 public:
  explicit Writer(const json& data) { variables_[""] = data; }  // the variable "$" is DATA

  Status Write(const Node& node, const json& dot) {
    switch (node.kind) {
      case Node::Kind::kList:
        for (const NodePtr& child : node.children) DROVER_TRY(Write(*child, dot));
        return {};
      case Node::Kind::kText:
        return Put(node.text);
      case Node::Kind::kRange:
        return WriteRange(node, dot);
      default:
        break;
    }
    DROVER_ASSIGN(const json value, Value(node.pipeline, dot));
    if (!node.pipeline.variable.empty()) variables_[node.pipeline.variable] = value;
    if (node.kind == Node::Kind::kValue) {
      return node.pipeline.variable.empty() ? Put(TemplateText(value)) : Status();
    }
    if (!TemplateTruth(value)) return Otherwise(node, dot);
    return Write(*node.children[0], node.kind == Node::Kind::kWith ? value : dot);
  }

  std::string TakeText() { return std::move(out_); }

 private:
  Status Put(const std::string& text) {
    if (out_.size() + text.size() > kMostBytes) {
      return Error(Code::kResourceExhausted, "template: it writes too much");
    }
    out_ += text;
    return {};
  }

  Status Otherwise(const Node& node, const json& dot) {
    return node.otherwise ? Write(*node.otherwise, dot) : Status();
  }

  Status WriteRange(const Node& node, const json& dot) {
    DROVER_ASSIGN(const json over, Value(node.pipeline, dot));
    if (!TemplateTruth(over)) return Otherwise(node, dot);
    if (!over.is_structured()) {
      return Error(Code::kInvalidArgument, "template: range needs a list or an object");
    }
    std::size_t n = 0;
    for (const auto& entry : over.items()) {
      if (!node.pipeline.key.empty()) {
        variables_[node.pipeline.key] = over.is_array() ? json(n) : json(entry.key());
      }
      if (!node.pipeline.variable.empty()) variables_[node.pipeline.variable] = entry.value();
      DROVER_TRY(Write(*node.children[0], entry.value()));
      ++n;
    }
    return {};
  }

  Result<json> Value(const Pipeline& pipeline, const json& dot) {
    json value(json::value_t::discarded);
    bool piped = false;
    for (const std::vector<Operand>& command : pipeline.commands) {
      if (command[0].kind == Operand::Kind::kFunction) {
        std::vector<json> arguments;
        for (std::size_t i = 1; i < command.size(); ++i) {
          DROVER_ASSIGN(json one, Value(command[i], dot));
          arguments.push_back(std::move(one));
        }
        if (piped) arguments.push_back(std::move(value));
        Result<json> made = CallTemplateFunction(command[0].name, arguments);
        if (!made.ok()) return made.error().WithContext("template");
        value = std::move(*made);
      } else {
        DROVER_ASSIGN(value, Value(command[0], dot));
      }
      piped = true;
    }
    return value;
  }

  Result<json> Value(const Operand& operand, const json& dot) {
    const json* at = &dot;  // a pointer, because a copy of all data could be large
    json made;
    if (operand.kind == Operand::Kind::kLiteral) return operand.literal;
    if (operand.kind == Operand::Kind::kFunction) return CallTemplateFunction(operand.name, {});
    if (operand.kind == Operand::Kind::kPipeline) {
      DROVER_ASSIGN(made, Value(*operand.pipeline, dot));
      at = &made;
    } else if (operand.kind == Operand::Kind::kVariable) {
      const auto found = variables_.find(operand.name);
      if (found == variables_.end()) {
        return Error(Code::kInvalidArgument, "template: there is no variable $" + operand.name);
      }
      at = &found->second;
    }
    static const json kMissing(json::value_t::discarded);
    for (const std::string& field : operand.fields) {
      const auto found = at->is_object() ? at->find(field) : at->end();
      at = at->is_object() && found != at->end() ? &*found : &kMissing;
    }
    return *at;
  }

  std::map<std::string, json> variables_;
  std::string out_;
};

}  // namespace

Result<TextTemplate> TextTemplate::Parse(std::string_view text) {
  DROVER_ASSIGN(std::vector<Piece> pieces, Pieces(text));
  DROVER_ASSIGN(NodePtr root, TreeReader(std::move(pieces)).All());
  return TextTemplate(std::move(root));
}

Result<std::string> TextTemplate::Render(const json& data) const {
  Writer writer(data);
  DROVER_TRY(writer.Write(*root_, data));
  return writer.TakeText();
}

}  // namespace drover
