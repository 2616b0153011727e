// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/template/parser.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "host/govalues/go_number.h"
#include "host/govalues/go_text.h"
#include "host/template/declared_names.h"
#include "host/template/lexer.h"

namespace drover::templates {
namespace {

// How deep actions and parentheses may be nested. Nobody nests deeper, and each level takes stack.
constexpr int kDeepestNesting = 100;

// Returns whether NODES write nothing but blanks.
bool IsEmptyBody(const std::vector<TemplateNode>& nodes) {
  return std::ranges::all_of(nodes, [](const TemplateNode& node) {
    return node.kind == TemplateNode::Kind::kText && TrimSpace(node.text).empty();
  });
}

Result<Number> ReadCharacterConstant(std::string_view text) {
  const std::optional<std::string> inside = UnquoteText(text);
  if (!inside || inside->empty() || CharacterAt(*inside, 0).length != inside->size()) {
    return CallError("malformed character constant: " + std::string(text));
  }
  Number number;
  number.is_int = number.is_uint = number.is_float = true;
  number.integer = static_cast<std::int64_t>(CharacterAt(*inside, 0).value);
  number.natural = static_cast<std::uint64_t>(number.integer);
  number.real = static_cast<double>(number.integer);
  return number;
}

Result<Number> ReadNumber(std::string_view text) {
  Number number;
  const std::optional<std::uint64_t> natural = ParseUint(text, 0);
  const std::optional<std::int64_t> integer = ParseInt(text, 0);
  number.is_uint = natural.has_value() || (integer && *integer == 0);
  number.natural = natural.value_or(0);
  number.is_int = integer.has_value();
  number.integer = integer.value_or(0);
  const bool real_form = text.find_first_of(".eEpP") != std::string_view::npos;
  const bool hexadecimal = text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x' &&
                           text.find_first_of("pP") == std::string_view::npos;
  if (number.is_int || number.is_uint) {
    number.is_float = true;
    number.real =
        number.is_int ? static_cast<double>(number.integer) : static_cast<double>(number.natural);
    number.looks_real = real_form && !hexadecimal;
    return number;
  }
  const std::optional<double> real = ParseFloat(ReplaceAll(text, "_", ""));
  if (!real) return CallError("illegal number syntax: " + QuoteText(text));
  if (!real_form) return CallError("integer overflow: " + QuoteText(text));
  number.is_float = true;
  number.looks_real = !hexadecimal;
  number.real = *real;
  if (std::fabs(*real) < 9.2e18 && std::trunc(*real) == *real) {
    number.is_int = true;
    number.integer = static_cast<std::int64_t>(*real);
    number.is_uint = *real >= 0;
    number.natural = number.is_uint ? static_cast<std::uint64_t>(*real) : 0;
  }
  return number;
}

class Parser {
 public:
  Parser(ParsedTemplate* out, const FunctionSet& functions) : out_(*out), functions_(functions) {}

  Status Run(std::string_view left, std::string_view right) {
    TemplateFault fault;
    const bool split = SplitTokens(out_.text, left, right, &tokens_, &fault);
    std::vector<TemplateNode> root;
    if (Status read = ReadAll(&root); !read.ok()) {
      // A mistake of the tokens stops the list of tokens, which is then the mistake.
      return split || Peek().kind != TokenKind::kEnd ? read : At(fault.at, fault.what);
    }
    if (!split) return At(fault.at, fault.what);
    return Define("", std::move(root), 0);
  }

 private:
  Error At(std::size_t at, const std::string& what) const {
    return Error(Code::kInvalidArgument, out_.name + ":" + PlaceOf(out_.text, at) + ": " + what);
  }

  const Token& Peek() const { return tokens_[next_]; }
  const Token& Take() {
    const Token& token = tokens_[next_];
    if (token.kind != TokenKind::kEnd) ++next_;
    return token;
  }
  void SkipSpace() {
    while (Peek().kind == TokenKind::kSpace) ++next_;
  }
  const Token& PeekNonSpace() {
    SkipSpace();
    return Peek();
  }
  bool TakeKeyword(std::string_view word) {
    if (PeekNonSpace().kind != TokenKind::kKeyword || Peek().text != word) return false;
    ++next_;
    return true;
  }
  Error Unexpected(const Token& token, const std::string& context) const {
    const std::string shown =
        token.kind == TokenKind::kEnd ? "end of the template" : QuoteText(token.text);
    return At(token.at, "unexpected " + shown + " in " + context);
  }
  Status ExpectRight(const std::string& context) {
    if (PeekNonSpace().kind != TokenKind::kRight) return Unexpected(Peek(), context);
    ++next_;
    return {};
  }

  // Registers the body of a template. Of two bodies that write something, one is too many.
  Status Define(const std::string& name, std::vector<TemplateNode> body, std::size_t at) {
    const auto found = out_.bodies.find(name);
    if (found == out_.bodies.end() || IsEmptyBody(found->second)) {
      out_.bodies[name] = std::move(body);
    } else if (!IsEmptyBody(body)) {
      return At(at, "multiple definition of template " + QuoteText(name));
    }
    return {};
  }

  // Reads the whole template.
  Status ReadAll(std::vector<TemplateNode>* root) {
    variables_ = DeclaredNames();
    while (Peek().kind != TokenKind::kEnd) {
      const std::size_t begin = next_;
      if (Take().kind == TokenKind::kLeft && TakeKeyword("define")) {
        DROVER_TRY(Definition(tokens_[begin].at));
        continue;
      }
      next_ = begin;
      DROVER_TRY(TextOrAction(root, 0));
      if (closing_ != nullptr)
        return At(closing_->at, "unexpected {{" + std::string(closing_->text) + "}}");
    }
    return {};
  }

  // Reads nodes up to {{end}} or {{else}}, which is CLOSING_ afterwards.
  Status Body(std::vector<TemplateNode>* nodes, int depth, std::size_t begin) {
    if (depth > kDeepestNesting) return At(begin, "actions are nested too deep");
    closing_ = nullptr;
    while (PeekNonSpace().kind != TokenKind::kEnd) {
      DROVER_TRY(TextOrAction(nodes, depth));
      if (closing_ != nullptr) return {};
    }
    return At(begin, "the action has no {{end}}");
  }

  // Reads the body of another template, which has variables and ranges of its own.
  Status OwnBody(const std::string& name, std::size_t at, int depth, const char* context) {
    DeclaredNames variables = std::exchange(variables_, DeclaredNames());
    const int ranges = std::exchange(ranges_, 0);
    std::vector<TemplateNode> body;
    DROVER_TRY(Body(&body, depth + 1, at));
    if (closing_->text != "end") return Unexpected(*closing_, context);
    closing_ = nullptr;
    variables_ = std::move(variables);
    ranges_ = ranges;
    return Define(name, std::move(body), at);
  }

  Status Definition(std::size_t at) {
    DROVER_ASSIGN(const std::string name, TemplateName("define clause"));
    DROVER_TRY(ExpectRight("define clause"));
    return OwnBody(name, at, 0, "define clause");
  }

  Result<std::string> TemplateName(const char* context) {
    const Token& token = PeekNonSpace();
    if (token.kind != TokenKind::kString && token.kind != TokenKind::kRawString) {
      return Unexpected(token, context);
    }
    ++next_;
    const std::optional<std::string> name = UnquoteText(token.text);
    if (!name) return At(token.at, "invalid syntax: " + std::string(token.text));
    return *name;
  }

  Status TextOrAction(std::vector<TemplateNode>* nodes, int depth) {
    const Token& token = Take();
    if (token.kind == TokenKind::kText) {
      TemplateNode node;
      node.at = token.at;
      node.text = token.text;
      nodes->push_back(std::move(node));
      return {};
    }
    if (token.kind != TokenKind::kLeft) return Unexpected(token, "input");
    return Action(nodes, depth);
  }

  Status Action(std::vector<TemplateNode>* nodes, int depth) {
    const Token& word = PeekNonSpace();
    TemplateNode node;
    node.at = word.at;
    if (TakeKeyword("if")) return Control(TemplateNode::Kind::kIf, std::move(node), nodes, depth);
    if (TakeKeyword("with"))
      return Control(TemplateNode::Kind::kWith, std::move(node), nodes, depth);
    if (TakeKeyword("range"))
      return Control(TemplateNode::Kind::kRange, std::move(node), nodes, depth);
    if (TakeKeyword("end")) return Close(word, "end");
    if (TakeKeyword("else")) return Close(word, "else");
    if (TakeKeyword("block")) return Block(std::move(node), nodes, depth);
    if (TakeKeyword("template")) return Template(std::move(node), nodes);
    if (TakeKeyword("break"))
      return Leave(TemplateNode::Kind::kBreak, "break", std::move(node), nodes);
    if (TakeKeyword("continue")) {
      return Leave(TemplateNode::Kind::kContinue, "continue", std::move(node), nodes);
    }
    if (word.kind == TokenKind::kKeyword) return Unexpected(word, "command");
    node.kind = TemplateNode::Kind::kAction;
    DROVER_ASSIGN(node.pipeline, ReadPipeline("command", TokenKind::kRight, 0));
    nodes->push_back(std::move(node));
    return {};
  }

  Status Close(const Token& word, const char* name) {
    closing_ = &word;
    const Token& after = PeekNonSpace();
    const bool chained =
        after.kind == TokenKind::kKeyword && (after.text == "if" || after.text == "with");
    if (word.text == "else" && chained) return {};
    return ExpectRight(name);
  }

  Status Leave(TemplateNode::Kind kind, const std::string& word, TemplateNode node,
               std::vector<TemplateNode>* nodes) {
    DROVER_TRY(ExpectRight("{{" + word + "}}"));
    if (ranges_ == 0) return At(node.at, "{{" + word + "}} outside {{range}}");
    node.kind = kind;
    nodes->push_back(std::move(node));
    return {};
  }

  Status Control(TemplateNode::Kind kind, TemplateNode node, std::vector<TemplateNode>* nodes,
                 int depth) {
    const std::size_t variables = variables_.size();
    const char* const context = kind == TemplateNode::Kind::kIf
                                    ? "if"
                                    : (kind == TemplateNode::Kind::kWith ? "with" : "range");
    const std::size_t begin = node.at;
    node.kind = kind;
    DROVER_ASSIGN(node.pipeline, ReadPipeline(context, TokenKind::kRight, 0));
    if (kind == TemplateNode::Kind::kRange) ++ranges_;
    DROVER_TRY(Body(&node.body, depth + 1, begin));
    if (kind == TemplateNode::Kind::kRange) --ranges_;
    if (closing_->text == "else") DROVER_TRY(Else(kind, context, &node, depth));
    closing_ = nullptr;
    variables_.ShrinkTo(variables);
    nodes->push_back(std::move(node));
    return {};
  }

  Status Else(TemplateNode::Kind kind, const std::string& context, TemplateNode* node, int depth) {
    // {{else if}} and {{else with}} are actions that end at the same {{end}}.
    if (kind != TemplateNode::Kind::kRange && Peek().kind == TokenKind::kSpace) SkipSpace();
    if (kind != TemplateNode::Kind::kRange && Peek().kind == TokenKind::kKeyword &&
        Peek().text == context) {
      TemplateNode inner;
      inner.at = Take().at;
      if (depth >= kDeepestNesting) return At(inner.at, "actions are nested too deep");
      return Control(kind, std::move(inner), &node->otherwise, depth + 1);
    }
    if (Peek().kind == TokenKind::kKeyword) return Unexpected(Peek(), "else");
    DROVER_TRY(Body(&node->otherwise, depth + 1, node->at));
    if (closing_->text == "end") return {};
    return At(closing_->at, "expected end; found {{else}}");
  }

  Status Block(TemplateNode node, std::vector<TemplateNode>* nodes, int depth) {
    DROVER_ASSIGN(node.text, TemplateName("block clause"));
    DROVER_ASSIGN(node.pipeline, ReadPipeline("block clause", TokenKind::kRight, 0));
    DROVER_TRY(OwnBody(node.text, node.at, depth, "block clause"));
    node.kind = TemplateNode::Kind::kTemplate;
    nodes->push_back(std::move(node));
    return {};
  }

  Status Template(TemplateNode node, std::vector<TemplateNode>* nodes) {
    DROVER_ASSIGN(node.text, TemplateName("template clause"));
    node.kind = TemplateNode::Kind::kTemplate;
    if (PeekNonSpace().kind == TokenKind::kRight) {
      ++next_;
    } else {
      DROVER_ASSIGN(node.pipeline, ReadPipeline("template clause", TokenKind::kRight, 0));
    }
    nodes->push_back(std::move(node));
    return {};
  }

  void Declare(Pipeline* pipeline, std::string_view name) {
    pipeline->variables.emplace_back(name);
    variables_.Add(name);
  }

  // Reads "$x :=", "$x =" or "$i, $x :=".
  Status Declarations(Pipeline* pipeline, const std::string& context) {
    while (PeekNonSpace().kind == TokenKind::kVariable) {
      const std::size_t begin = next_;
      const Token& variable = Take();
      const Token& mark = PeekNonSpace();
      if (mark.kind == TokenKind::kAssign || mark.kind == TokenKind::kDeclare) {
        pipeline->assigns = mark.kind == TokenKind::kAssign;
        ++next_;
        Declare(pipeline, variable.text);
        return {};
      }
      if (mark.kind != TokenKind::kComma) {
        next_ = begin;
        return {};
      }
      ++next_;
      Declare(pipeline, variable.text);
      if (context != "range" || pipeline->variables.size() == 2) {
        return At(mark.at, "too many declarations in " + context);
      }
      if (PeekNonSpace().kind != TokenKind::kVariable) {
        return At(Peek().at, "range can only initialize variables");
      }
    }
    return {};
  }

  Result<std::unique_ptr<Pipeline>> ReadPipeline(const std::string& context, TokenKind end,
                                                 int depth) {
    auto pipeline = std::make_unique<Pipeline>();
    pipeline->at = PeekNonSpace().at;
    DROVER_TRY(Declarations(pipeline.get(), context));
    while (PeekNonSpace().kind != end) {
      DROVER_ASSIGN(Command command, ReadCommand(context, depth));
      const Operand::Kind first = command.operands[0].kind;
      const bool runs = first == Operand::Kind::kField || first == Operand::Kind::kVariable ||
                        first == Operand::Kind::kChain || first == Operand::Kind::kFunction ||
                        first == Operand::Kind::kPipeline;
      if (!pipeline->commands.empty() && !runs) {
        return At(command.operands[0].at, "non executable command in pipeline stage " +
                                              std::to_string(pipeline->commands.size() + 1));
      }
      pipeline->commands.push_back(std::move(command));
    }
    if (pipeline->commands.empty()) return At(Peek().at, "missing value for " + context);
    ++next_;
    return pipeline;
  }

  Result<Command> ReadCommand(const std::string& context, int depth) {
    Command command;
    for (;;) {
      Operand operand;
      DROVER_ASSIGN(const bool found, ReadOperand(&operand, depth));
      if (found) command.operands.push_back(std::move(operand));
      const Token& token = Peek();
      if (token.kind == TokenKind::kSpace) {
        if (found) continue;
      } else if (token.kind == TokenKind::kPipe) {
        ++next_;
        break;
      } else if (token.kind == TokenKind::kRight || token.kind == TokenKind::kRightParenthesis) {
        break;
      }
      return Unexpected(token, command.operands.empty() ? context : "operand");
    }
    if (command.operands.empty()) return At(Peek().at, "empty command");
    return command;
  }

  // Reads a term and the fields behind it. Returns false if there is none.
  Result<bool> ReadOperand(Operand* operand, int depth) {
    DROVER_ASSIGN(const bool found, Term(operand, depth));
    if (!found || Peek().kind != TokenKind::kField) return found;
    const std::size_t at = Peek().at;
    std::vector<std::string> fields;
    while (Peek().kind == TokenKind::kField) fields.emplace_back(Take().text.substr(1));
    switch (operand->kind) {
      case Operand::Kind::kField:
      case Operand::Kind::kVariable:
        operand->fields.insert(operand->fields.end(), fields.begin(), fields.end());
        return true;
      case Operand::Kind::kFunction:
      case Operand::Kind::kPipeline: {
        Operand chain;
        chain.kind = Operand::Kind::kChain;
        chain.at = at;
        chain.fields = std::move(fields);
        chain.base = std::make_unique<Operand>(std::move(*operand));
        *operand = std::move(chain);
        return true;
      }
      default:
        return At(at, "unexpected . after a constant");
    }
  }

  Result<bool> Term(Operand* operand, int depth) {
    const Token& token = PeekNonSpace();
    operand->at = token.at;
    switch (token.kind) {
      case TokenKind::kIdentifier:
        operand->kind = Operand::Kind::kFunction;
        operand->text = token.text;
        DROVER_TRY(UseFunction(token, operand));
        break;
      case TokenKind::kDot:
        operand->kind = Operand::Kind::kDot;
        break;
      case TokenKind::kNil:
        operand->kind = Operand::Kind::kNil;
        break;
      case TokenKind::kVariable:
        operand->kind = Operand::Kind::kVariable;
        operand->text = token.text;
        if (!variables_.Has(token.text)) {
          return At(token.at, "undefined variable " + QuoteText(token.text));
        }
        break;
      case TokenKind::kField:
        operand->kind = Operand::Kind::kField;
        operand->fields.emplace_back(token.text.substr(1));
        break;
      case TokenKind::kBool:
        operand->kind = Operand::Kind::kBool;
        operand->boolean = token.text == "true";
        break;
      case TokenKind::kCharacter:
      case TokenKind::kNumber: {
        operand->kind = Operand::Kind::kNumber;
        operand->text = token.text;
        Result<Number> number = token.kind == TokenKind::kNumber
                                    ? ReadNumber(token.text)
                                    : ReadCharacterConstant(token.text);
        if (!number.ok()) return At(token.at, number.error().message());
        operand->number = *number;
        break;
      }
      case TokenKind::kString:
      case TokenKind::kRawString: {
        operand->kind = Operand::Kind::kString;
        const std::optional<std::string> text = UnquoteText(token.text);
        if (!text) return At(token.at, "invalid syntax: " + std::string(token.text));
        operand->text = *text;
        break;
      }
      case TokenKind::kLeftParenthesis:
        return Parentheses(operand, depth);
      default:
        return false;
    }
    ++next_;
    return true;
  }

  Result<bool> Parentheses(Operand* operand, int depth) {
    const Token& token = Take();
    if (depth >= kDeepestNesting) return At(token.at, "parentheses are nested too deep");
    operand->kind = Operand::Kind::kPipeline;
    DROVER_ASSIGN(operand->pipeline,
                  ReadPipeline("parenthesized pipeline", TokenKind::kRightParenthesis, depth + 1));
    return true;
  }

  Status UseFunction(const Token& token, Operand* operand) {
    operand->function = functions_.Find(token.text);
    if (operand->function != nullptr) return {};
    const std::string_view why = functions_.WhyNot(token.text);
    if (!why.empty()) return At(token.at, std::string(token.text) + ": " + std::string(why));
    return At(token.at, "function " + QuoteText(token.text) + " not defined");
  }

  ParsedTemplate& out_;
  const FunctionSet& functions_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  DeclaredNames variables_;         // at this place
  int ranges_ = 0;                  // that are open at this place
  const Token* closing_ = nullptr;  // the {{end}} or {{else}} that has just been read
};

}  // namespace

Result<ParsedTemplate> ParseTemplate(std::string name, std::string text, std::string_view left,
                                     std::string_view right, const FunctionSet& functions) {
  ParsedTemplate parsed;
  parsed.name = std::move(name);
  parsed.text = std::move(text);
  DROVER_TRY(Parser(&parsed, functions).Run(left, right));
  return parsed;
}

}  // namespace drover::templates
