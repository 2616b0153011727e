// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/template/evaluator.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "host/govalues/go_format.h"
#include "host/govalues/go_text.h"
#include "host/govalues/template_answers.h"
#include "host/template/lexer.h"

namespace drover::templates {
namespace {

// What happens after a node: the next one, or the end of an iteration or of its range.
enum class Flow { kNext, kBreak, kContinue };

struct Variable {
  std::string_view name;
  Value value;
};

// How deep actions, parentheses and templates may be nested together, because each takes stack.
constexpr int kDeepestEvaluation = 1000;

// Counts a level while it is entered.
class Level {
 public:
  explicit Level(int* levels) : levels_(levels) { ++*levels_; }
  ~Level() { --*levels_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  bool is_too_deep() const { return *levels_ > kDeepestEvaluation; }

 private:
  int* const levels_;
};

// The value that a command gets from the one before; none for the first command.
using Piped = std::optional<Value>;

// A body while it is rendered.
struct Frame {
  std::vector<Variable> variables;
};

class Evaluator {
 public:
  Evaluator(const ParsedTemplate& parsed, const EvaluateOptions& options, RenderState* state)
      : parsed_(parsed), options_(options), state_(*state), heap_(state->heap()) {}

  Result<std::string> Run(const std::string& name, const Value& dot) {
    const auto found = parsed_.bodies.find(name);
    if (found == parsed_.bodies.end()) {
      return Error(Code::kInvalidArgument, "there is no template " + QuoteText(name));
    }
    if (depth_ >= options_.depth) {
      return Error(Code::kResourceExhausted, "templates are nested too deep");
    }
    // {{executeTemplate}} comes here while another body is being rendered.
    std::string before = std::exchange(out_, "");
    const std::size_t taken = std::exchange(taken_, taken_ + before.size());
    ++depth_;
    Frame frame{{{"$", dot}}};
    const Result<Flow> done = Walk(found->second, dot, &frame);
    --depth_;
    taken_ = taken;
    std::string text = std::exchange(out_, std::move(before));
    if (!done.ok()) return done.error();
    return text;
  }

 private:
  // Returns an error about the place AT of the template.
  Error At(std::size_t at, const Error& error) const {
    return Error(error.code(),
                 parsed_.name + ":" + PlaceOf(parsed_.text, at) + ": " + error.message(),
                 error.recoverable());
  }
  Error At(std::size_t at, const std::string& what) const { return At(at, CallError(what)); }

  Error TooDeep(std::size_t at) const {
    return At(at, Error(Code::kResourceExhausted, "the template is nested too deep"));
  }

  Result<Flow> Walk(const std::vector<TemplateNode>& nodes, const Value& dot, Frame* frame) {
    const Level level(&levels_);
    if (level.is_too_deep() && !nodes.empty()) return TooDeep(nodes[0].at);
    for (const TemplateNode& node : nodes) {
      DROVER_ASSIGN(const Flow flow, Walk(node, dot, frame));
      if (flow != Flow::kNext) return flow;
    }
    return Flow::kNext;
  }

  Result<Flow> Walk(const TemplateNode& node, const Value& dot, Frame* frame) {
    if (const Status step = state_.Step(); !step.ok()) return At(node.at, step.error());
    switch (node.kind) {
      case TemplateNode::Kind::kText:
        DROVER_TRY(Put(node.at, node.text));
        return Flow::kNext;
      case TemplateNode::Kind::kAction:
        DROVER_TRY(Action(node, dot, frame));
        return Flow::kNext;
      case TemplateNode::Kind::kBreak:
        return Flow::kBreak;
      case TemplateNode::Kind::kContinue:
        return Flow::kContinue;
      case TemplateNode::Kind::kTemplate:
        DROVER_TRY(CallTemplate(node, dot, frame));
        return Flow::kNext;
      case TemplateNode::Kind::kRange:
        return Range(node, dot, frame);
      default:
        return IfOrWith(node, dot, frame);
    }
  }

  Status Put(std::size_t at, std::string_view text) {
    if (text.size() > options_.bytes - std::min(options_.bytes, out_.size() + taken_)) {
      return At(at, Error(Code::kResourceExhausted, "the template writes more than " +
                                                        std::to_string(options_.bytes) + " bytes"));
    }
    out_ += text;
    return {};
  }

  Status Action(const TemplateNode& node, const Value& dot, Frame* frame) {
    DROVER_ASSIGN(const Value value, Pipe(*node.pipeline, dot, frame));
    if (!node.pipeline->variables.empty()) return {};
    if (value.is(Kind::kLoop)) {
      return At(node.at, "can't print a value of type " + TypeName(value));
    }
    const Result<std::string> text = PrintedText(value, options_.bytes);
    if (!text.ok()) return At(node.at, text.error());
    return Put(node.at, options_.clean ? options_.clean(*text) : *text);
  }

  Result<Flow> IfOrWith(const TemplateNode& node, const Value& dot, Frame* frame) {
    const std::size_t mark = frame->variables.size();
    DROVER_ASSIGN(const Value value, Pipe(*node.pipeline, dot, frame));
    const bool truth = IsTrue(value);
    const Value& inner = truth && node.kind == TemplateNode::Kind::kWith ? value : dot;
    const Result<Flow> flow = Walk(truth ? node.body : node.otherwise, inner, frame);
    frame->variables.resize(mark);
    return flow;
  }

  Status CallTemplate(const TemplateNode& node, const Value& dot, Frame* frame) {
    const auto found = parsed_.bodies.find(node.text);
    if (found == parsed_.bodies.end()) {
      return At(node.at, "template " + QuoteText(node.text) + " not defined");
    }
    if (depth_ >= options_.depth) {
      return At(node.at, Error(Code::kResourceExhausted, "templates are nested too deep"));
    }
    Value data;
    if (node.pipeline) {
      DROVER_ASSIGN(data, Pipe(*node.pipeline, dot, frame));
    }
    Frame inner{{{"$", data}}};
    ++depth_;
    const Result<Flow> done = Walk(found->second, data, &inner);
    --depth_;
    if (!done.ok()) return done.error();
    return {};
  }

  // Renders the body of a range once. Returns false if the range ends.
  Result<bool> Iterate(const TemplateNode& node, const Value& index, const Value& element,
                       Frame* frame) {
    const Pipeline& pipeline = *node.pipeline;
    const std::size_t mark = frame->variables.size();
    const std::size_t count = pipeline.variables.size();
    if (count > 0 && pipeline.assigns) {
      SetVariable(pipeline.variables[0], count > 1 ? index : element, frame);
      if (count > 1) SetVariable(pipeline.variables[1], element, frame);
    } else if (count > 0) {
      frame->variables[mark - 1].value = element;
      if (count > 1) frame->variables[mark - 2].value = index;
    }
    if (const Status step = state_.Step(); !step.ok()) return At(node.at, step.error());
    DROVER_ASSIGN(const Flow flow, Walk(node.body, element, frame));
    frame->variables.resize(mark);
    return flow != Flow::kBreak;
  }

  Result<Flow> Range(const TemplateNode& node, const Value& dot, Frame* frame) {
    const std::size_t mark = frame->variables.size();
    DROVER_ASSIGN(const Value over, Pipe(*node.pipeline, dot, frame));
    DROVER_ASSIGN(const bool ran, RangeOver(node, over, frame));
    if (!ran) {
      DROVER_ASSIGN(const Flow flow, Walk(node.otherwise, dot, frame));
      frame->variables.resize(mark);
      return flow;
    }
    frame->variables.resize(mark);
    return Flow::kNext;
  }

  // Returns false if there is nothing to iterate over.
  Result<bool> RangeOver(const TemplateNode& node, const Value& over, Frame* frame) {
    const std::size_t mark = frame->variables.size();
    bool ran = false;
    const auto iterate = [&](const Value& index, const Value& element) -> Result<bool> {
      ran = true;
      Result<bool> goes_on = Iterate(node, index, element, frame);
      frame->variables.resize(std::min(mark, frame->variables.size()));
      return goes_on;
    };
    switch (over.kind()) {
      case Kind::kInvalid:
      case Kind::kNil:
        return false;
      case Kind::kInt:
      case Kind::kUint: {
        if (node.pipeline->variables.size() > 1) {
          return At(node.at, "a number has no second variable to iterate over");
        }
        const bool natural = over.is(Kind::kUint);
        for (std::uint64_t i = 0;
             natural ? i < over.natural() : static_cast<std::int64_t>(i) < over.integer(); ++i) {
          const Value element = natural ? Value::Uint(i, over.type())
                                        : Value::Int(static_cast<std::int64_t>(i), over.type());
          DROVER_ASSIGN(const bool goes_on, iterate(Value(), element));
          if (!goes_on) break;
        }
        return ran;
      }
      case Kind::kList: {
        const List& list = over.list();
        for (std::size_t i = 0; i < list.size(); ++i) {
          DROVER_ASSIGN(const bool goes_on,
                        iterate(Value::Int(static_cast<std::int64_t>(i)), list[i]));
          if (!goes_on) break;
        }
        return ran;
      }
      case Kind::kMap: {
        if (!heap_.Step(over.map().size())) return At(node.at, heap_.Check().error());
        const Map elements = over.map();  // a copy, because the body may change the map
        for (const auto& [key, element] : elements) {
          DROVER_ASSIGN(const bool goes_on, iterate(key, element));
          if (!goes_on) break;
        }
        return ran;
      }
      case Kind::kLoop:
        for (std::int64_t i = 0; over.loop()->next < over.loop()->stop; ++i) {
          const Value element = Value::Int(over.loop()->next++, &kInt64);
          DROVER_ASSIGN(const bool goes_on, iterate(Value::Int(i), element));
          if (!goes_on) break;
        }
        return ran;
      default:
        return At(node.at, "range can't iterate over a value of type " + TypeName(over));
    }
  }

  void SetVariable(std::string_view name, const Value& value, Frame* frame) {
    const auto found = std::find_if(frame->variables.rbegin(), frame->variables.rend(),
                                    [name](const Variable& of) { return of.name == name; });
    if (found != frame->variables.rend()) found->value = value;
  }

  Result<Value> Pipe(const Pipeline& pipeline, const Value& dot, Frame* frame) {
    const Level level(&levels_);
    if (level.is_too_deep()) return TooDeep(pipeline.at);
    Piped piped;
    for (const Command& command : pipeline.commands) {
      DROVER_ASSIGN(Value value, RunCommand(command, dot, piped, frame));
      // As in Go, a nil that comes out of a command is no value at all.
      piped = value.is(Kind::kNil) ? Value() : value;
    }
    for (const std::string& name : pipeline.variables) {
      if (pipeline.assigns) {
        SetVariable(name, *piped, frame);
      } else {
        frame->variables.push_back({name, *piped});
      }
    }
    return *piped;
  }

  Result<Value> RunCommand(const Command& command, const Value& dot, const Piped& piped,
                           Frame* frame) {
    const Operand& first = command.operands[0];
    const std::vector<Operand>& all = command.operands;
    switch (first.kind) {
      case Operand::Kind::kField:
        return Fields(first, dot, dot, all, piped, frame);
      case Operand::Kind::kChain: {
        DROVER_ASSIGN(const Value base, Operate(*first.base, dot, frame));
        return Fields(first, base, dot, all, piped, frame);
      }
      case Operand::Kind::kFunction:
        return CallFunction(first.at, *first.function, std::nullopt, all, dot, piped, frame);
      case Operand::Kind::kVariable: {
        const Value value = VariableValue(first.text, *frame);
        if (!first.fields.empty()) return Fields(first, value, dot, all, piped, frame);
        DROVER_TRY(NoArguments(command, piped));
        return value;
      }
      case Operand::Kind::kNil:
        return At(first.at, "nil is not a command");
      default:
        DROVER_TRY(NoArguments(command, piped));
        return Operate(first, dot, frame);
    }
  }

  Status NoArguments(const Command& command, const Piped& piped) const {
    if (command.operands.size() == 1 && !piped) return {};
    return At(command.operands[0].at, "can't give argument to non-function");
  }

  Value VariableValue(std::string_view name, const Frame& frame) const {
    const auto found = std::find_if(frame.variables.rbegin(), frame.variables.rend(),
                                    [name](const Variable& of) { return of.name == name; });
    return found == frame.variables.rend() ? Value() : found->value;
  }

  // Returns the value of OPERAND, which gets no arguments.
  Result<Value> Operate(const Operand& operand, const Value& dot, Frame* frame) {
    static const std::vector<Operand> kAlone;
    switch (operand.kind) {
      case Operand::Kind::kDot:
        return dot;
      case Operand::Kind::kNil:
        return Value::Nil();
      case Operand::Kind::kBool:
        return Value::Bool(operand.boolean);
      case Operand::Kind::kString:
        return Value::Text(&operand.text);
      case Operand::Kind::kNumber:
        return Constant(operand);
      case Operand::Kind::kField:
        return Fields(operand, dot, dot, kAlone, std::nullopt, frame);
      case Operand::Kind::kVariable: {
        const Value value = VariableValue(operand.text, *frame);
        if (operand.fields.empty()) return value;
        return Fields(operand, value, dot, kAlone, std::nullopt, frame);
      }
      case Operand::Kind::kChain: {
        DROVER_ASSIGN(const Value base, Operate(*operand.base, dot, frame));
        return Fields(operand, base, dot, kAlone, std::nullopt, frame);
      }
      case Operand::Kind::kFunction:
        return CallFunction(operand.at, *operand.function, std::nullopt, kAlone, dot, std::nullopt,
                            frame);
      case Operand::Kind::kPipeline:
        return Pipe(*operand.pipeline, dot, frame);
    }
    return Value();
  }

  // Returns the constant of OPERAND in the type that it has without a wish for one.
  Result<Value> Constant(const Operand& operand) const {
    const Number& number = operand.number;
    if (number.looks_real) return Value::Float(number.real);
    if (number.is_int) return Value::Int(number.integer);
    return At(operand.at, operand.text + " overflows int");
  }

  // Takes the fields of OPERAND from VALUE. The last one may be a method with arguments.
  Result<Value> Fields(const Operand& operand, Value value, const Value& dot,
                       const std::vector<Operand>& all, const Piped& piped, Frame* frame) {
    static const std::vector<Operand> kAlone;
    for (std::size_t i = 0; i < operand.fields.size(); ++i) {
      const bool last = i + 1 == operand.fields.size();
      DROVER_ASSIGN(value, Field(operand, operand.fields[i], value, dot, last ? all : kAlone,
                                 last ? piped : Piped(), frame));
    }
    return value;
  }

  Result<Value> Field(const Operand& operand, const std::string& name, const Value& of,
                      const Value& dot, const std::vector<Operand>& all, const Piped& piped,
                      Frame* frame) {
    if (!of.valid() || (options_.lenient && of.is(Kind::kNil))) {
      if (!options_.error_on_missing_key) return Value();
      return At(operand.at, "nil data; no entry for key " + QuoteText(name));
    }
    if (of.is(Kind::kNil)) {
      return At(operand.at, "nil pointer evaluating interface {}." + name);
    }
    if (const Function* method = FindMethod(of.type(), name)) {
      return CallFunction(operand.at, *method, of, all, dot, piped, frame);
    }
    const bool has_arguments = all.size() > 1 || piped.has_value();
    const bool keyed_by_text =
        of.is(Kind::kMap) && (of.type()->key == &kString || of.type()->key == &kAny);
    if (of.is(Kind::kStruct) || keyed_by_text) {
      const Value found = of.is(Kind::kStruct) ? of.Field(name) : ElementOf(of, name);
      if (has_arguments && (found.valid() || keyed_by_text)) {
        return At(operand.at, name + " is not a method but has arguments");
      }
      if (found.valid()) return found;
      if (keyed_by_text) return MissingKey(operand, of, name);
    }
    if (options_.lenient) return Value();
    return At(operand.at, "can't evaluate field " + name + " in type " + TypeName(of));
  }

  static Value ElementOf(const Value& map, const std::string& key) {
    const Value* const found = map.Find(key);
    return found == nullptr ? Value() : *found;
  }

  Result<Value> MissingKey(const Operand& operand, const Value& map, const std::string& name) {
    if (options_.error_on_missing_key) {
      return At(operand.at, "map has no entry for key " + QuoteText(name));
    }
    if (map.type()->element == &kVariableItem) return ZeroStruct(&kVariableItem, &heap_);
    return Value::Zero(map.type()->element);
  }

  // Calls FUNCTION, whose RECEIVER is set if it is a method, with the operands behind the first
  // one of ALL, and with PIPED.
  Result<Value> CallFunction(std::size_t at, const Function& function,
                             const std::optional<Value>& receiver, const std::vector<Operand>& all,
                             const Value& dot, const Piped& piped, Frame* frame) {
    const std::size_t own = receiver ? 1 : 0;
    const std::size_t operands = all.empty() ? 0 : all.size() - 1;
    const std::size_t count = operands + (piped ? 1 : 0);
    const std::size_t wanted = function.fixed() - own;
    const std::string name(function.name);
    if (function.is_variadic() ? count < wanted : count != wanted) {
      return At(at, "wrong number of args for " + name + ": want " +
                        (function.is_variadic() ? "at least " : "") + std::to_string(wanted) +
                        " got " + std::to_string(count));
    }
    if (name == "and" || name == "or") return AndOr(name == "or", all, dot, piped, frame);
    Call call{&function, &state_, {}};
    if (receiver) call.arguments.push_back(*receiver);
    for (std::size_t i = 1; i < all.size(); ++i) {
      DROVER_ASSIGN(const Value value,
                    Argument(all[i], function.letter(call.arguments.size()), dot, frame));
      call.arguments.push_back(value);
    }
    if (piped) {
      DROVER_ASSIGN(const Value value, Fitting(at, *piped, function.letter(call.arguments.size())));
      call.arguments.push_back(value);
    }
    if (const Status step = state_.Step(); !step.ok()) return At(at, step.error());
    Result<Value> value = function.run(call);
    if (value.ok()) {
      // A function that was stopped in its work may return a part of it.
      if (const Status spent = heap_.Check(); !spent.ok()) return At(at, spent.error());
      return value;
    }
    // An error of {{executeTemplate}} has its place already.
    if (name == "executeTemplate") return value.error();
    return At(at, value.error().WithContext(name));
  }

  Result<Value> AndOr(bool is_or, const std::vector<Operand>& all, const Value& dot,
                      const Piped& piped, Frame* frame) {
    Value value;
    for (std::size_t i = 1; i < all.size(); ++i) {
      DROVER_ASSIGN(value, Argument(all[i], 'a', dot, frame));
      if (IsTrue(value) == is_or) return value;
    }
    return piped ? *piped : value;
  }

  // Returns the value of OPERAND in the type that LETTER means.
  Result<Value> Argument(const Operand& operand, char letter, const Value& dot, Frame* frame) {
    switch (operand.kind) {
      case Operand::Kind::kNil:
        if (CanBeNil(letter)) return Value::Zero(TypeOfLetter(letter));
        return At(operand.at, std::string("cannot assign nil to ") + TypeOfLetter(letter)->name);
      case Operand::Kind::kBool:
        if (letter == 'a' || letter == 'b') return Value::Bool(operand.boolean);
        break;
      case Operand::Kind::kString:
        if (letter == 'a' || letter == 's') return Value::Text(&operand.text);
        break;
      case Operand::Kind::kNumber:
        if (letter == 'a') return Constant(operand);
        if (letter == 'i' && operand.number.is_int) return Value::Int(operand.number.integer);
        if (letter == 'l' && operand.number.is_int) {
          return Value::Int(operand.number.integer, &kInt64);
        }
        if (letter == 'd' && operand.number.is_int) {
          return Value::Int(operand.number.integer, &kDuration);
        }
        if (letter == 'f' && operand.number.is_float) return Value::Float(operand.number.real);
        break;
      default: {
        DROVER_ASSIGN(const Value value, Operate(operand, dot, frame));
        return Fitting(operand.at, value, letter);
      }
    }
    return At(operand.at, std::string("expected ") + TypeOfLetter(letter)->name +
                              "; found a constant of another type");
  }

  static bool CanBeNil(char letter) {
    return std::string_view("aASMPH").find(letter) != std::string_view::npos;
  }

  // Returns VALUE if it is of the type that LETTER means.
  Result<Value> Fitting(std::size_t at, const Value& value, char letter) const {
    const Type* const type = TypeOfLetter(letter);
    if (letter == 'a') return value.valid() ? value : Value::Nil();
    if (value.IsNothing()) {
      if (CanBeNil(letter) && !value.valid()) return Value::Zero(type);
      return At(at, std::string("invalid value; expected ") + type->name);
    }
    if (value.type() == type || value.type()->like == type) return value;
    return At(at, std::string("wrong type for value; expected ") + type->name + "; got " +
                      TypeName(value));
  }

  const ParsedTemplate& parsed_;
  const EvaluateOptions& options_;
  RenderState& state_;
  Heap& heap_;
  std::string out_;
  std::size_t taken_ = 0;  // bytes of the bodies that wait for {{executeTemplate}}
  int depth_ = 0;          // of templates
  int levels_ = 0;         // of everything
};

}  // namespace

Result<std::string> Evaluate(const ParsedTemplate& parsed, const Value& dot,
                             const EvaluateOptions& options, RenderState* state) {
  Evaluator evaluator(parsed, options, state);
  state->execute = [&evaluator](const std::string& name, const Value& data) {
    return evaluator.Run(name, data);
  };
  Result<std::string> text = evaluator.Run("", dot);
  state->execute = nullptr;
  if (text.ok()) return text;
  return text.error().WithContext("template");
}

}  // namespace drover::templates
