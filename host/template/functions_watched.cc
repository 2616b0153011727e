// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "host/govalues/go_text.h"
#include "host/govalues/template_answers.h"
#include "host/template/function.h"
#include "host/template/render_state.h"

// The functions that ask for values from outside: of Consul, Nomad, the environment and files. The
// host watches what they ask for.
namespace drover::templates {
namespace {

ValueRequest RequestOf(const Call& call, std::vector<std::string> arguments) {
  return {std::string(call.function->name), std::move(arguments)};
}

std::vector<std::string> TextArguments(const Call& call) {
  std::vector<std::string> texts;
  for (const Value& value : call.arguments) texts.push_back(value.text());
  return texts;
}

// Asks for the value of REQUEST, of TYPE. While it is not known, the template has to wait and goes
// on with OTHERWISE.
Result<Value> AskFor(const Call& call, const ValueRequest& request, const Type* type,
                     const Value& otherwise) {
  DROVER_ASSIGN(const nlohmann::json answer, call.state->Ask(request));
  if (answer.is_discarded()) {
    call.state->Miss(request);
    return otherwise;
  }
  return ValueOfAnswer(answer, type, &call.heap());
}

Result<Value> WatchKey(const Call& call) {
  if (call.text(0).empty()) return call.Text("");
  return AskFor(call, RequestOf(call, {call.text(0)}), &kString, call.Text(""));
}

Result<Value> WatchExists(const Call& call) {
  if (call.text(0).empty()) return Value::Bool(false);
  return AskFor(call, RequestOf(call, {call.text(0)}), &kBool, Value::Bool(false));
}

Result<Value> WatchKeyOrDefault(const Call& call) {
  if (call.text(0).empty()) return call.at(1);
  DROVER_ASSIGN(const Value value,
                AskFor(call, RequestOf(call, {call.text(0)}), &kString, call.at(1)));
  return value.text().empty() ? call.at(1) : value;
}

// Asks for the pairs below a prefix. A SAFE function waits until there are some.
Result<Value> WatchPairs(const Call& call, bool all, bool safe) {
  if (call.text(0).empty()) return call.heap().NewList({}, &kPairs);
  const ValueRequest request = RequestOf(call, {call.text(0)});
  DROVER_ASSIGN(const Value pairs,
                AskFor(call, request, &kPairs, call.heap().NewList({}, &kPairs)));
  List list;
  for (const Value& pair : pairs.list()) {
    const std::string& key = pair.Field("Key").text();
    if (key.empty() || key.ends_with('/')) continue;
    if (all || key.find('/') == std::string::npos) list.push_back(pair);
  }
  if (safe && list.empty()) call.state->Miss(request);
  return call.heap().NewList(std::move(list), &kPairs);
}
Result<Value> WatchLs(const Call& call) { return WatchPairs(call, false, false); }
Result<Value> WatchSafeLs(const Call& call) { return WatchPairs(call, false, true); }
Result<Value> WatchTree(const Call& call) { return WatchPairs(call, true, false); }
Result<Value> WatchSafeTree(const Call& call) { return WatchPairs(call, true, true); }

Result<Value> WatchService(const Call& call) {
  const Value none = call.heap().NewList({}, &kHealths);
  if (call.count() == 0 || call.text(0).empty()) return none;
  return AskFor(call, RequestOf(call, TextArguments(call)), &kHealths, none);
}

// Returns the arguments as one text, as consul-template joins them. Without any, there is none.
std::vector<std::string> JoinedArguments(const Call& call) {
  std::string text = Join(TextArguments(call), "");
  if (text.empty()) return {};
  return {std::move(text)};
}

Result<Value> WatchServices(const Call& call) {
  return AskFor(call, RequestOf(call, JoinedArguments(call)), &kCatalogNames,
                call.heap().NewList({}, &kCatalogNames));
}
Result<Value> WatchNodes(const Call& call) {
  return AskFor(call, RequestOf(call, JoinedArguments(call)), &kNodes,
                call.heap().NewList({}, &kNodes));
}
Result<Value> WatchNode(const Call& call) {
  return AskFor(call, RequestOf(call, JoinedArguments(call)), &kNodeWithServices, Value::Nil());
}

Result<Value> WatchDatacenters(const Call& call) {
  if (call.count() > 1) {
    return CallError("wrong number of arguments, expected 0 or 1, but got " +
                     std::to_string(call.count()));
  }
  return AskFor(call, RequestOf(call, {}), &kStringList, call.heap().NewList({}, &kStringList));
}

Result<Value> WatchNomadServices(const Call& call) {
  return AskFor(call, RequestOf(call, JoinedArguments(call)), &kNomadNames,
                Value::Zero(&kNomadNames));
}

Result<Value> WatchNomadService(const Call& call) {
  if (call.count() != 1 && call.count() != 3) {
    return CallError("expected arguments <service> or <count> <key> <service>");
  }
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < call.count(); ++i) {
    const bool number = call.count() == 3 && i == 0;
    if (number && call.at(i).type() != &kInt) {
      return CallError("expected integer for <count> argument");
    }
    if (!number && call.at(i).type() != &kString) return CallError("expected a string");
    arguments.push_back(number ? std::to_string(call.at(i).integer()) : call.text(i));
  }
  return AskFor(call, RequestOf(call, std::move(arguments)), &kInstances, Value::Zero(&kInstances));
}

Result<Value> WatchVariable(const Call& call) {
  if (call.text(0).empty()) return Value::Nil();
  return AskFor(call, RequestOf(call, {call.text(0)}), &kVariableItems, Value::Nil());
}

Result<Value> WatchVariables(const Call& call, bool safe) {
  if (call.count() > 1) return CallError("takes a prefix or nothing");
  const ValueRequest request = RequestOf(call, TextArguments(call));
  const Value none = call.heap().NewList({}, &kVariableMetas);
  DROVER_ASSIGN(const Value list, AskFor(call, request, &kVariableMetas, none));
  if (safe && list.list().empty()) call.state->Miss(request);
  return list;
}
Result<Value> WatchVariableList(const Call& call) { return WatchVariables(call, false); }
Result<Value> WatchVariableListSafe(const Call& call) { return WatchVariables(call, true); }

Result<Value> ReadFile(const Call& call) {
  if (call.text(0).empty()) return call.Text("");
  if (call.state->values() == nullptr) return CallError("there are no files here");
  DROVER_ASSIGN(std::string content, call.state->values()->File(call.text(0)));
  DROVER_TRY(call.heap().Allow(content.size()));
  return call.Text(std::move(content));
}

const std::string* VariableNamed(const Call& call) {
  return call.state->values() == nullptr ? nullptr : call.state->values()->Env(call.text(0));
}

Result<Value> ReadEnv(const Call& call) {
  const std::string* const value = VariableNamed(call);
  return call.Text(value == nullptr ? "" : *value);
}

Result<Value> ReadMustEnv(const Call& call) {
  const std::string* const value = VariableNamed(call);
  if (value != nullptr && !value->empty()) return call.Text(*value);
  return CallError("required environment variable " + call.text(0) + " is empty");
}

Result<Value> ReadEnvOrDefault(const Call& call) {
  const std::string* const value = VariableNamed(call);
  return value == nullptr ? call.at(1) : call.Text(*value);
}

Result<Value> ExecuteTemplate(const Call& call) {
  if (call.count() > 2) {
    return CallError("executeTemplate: wrong number of arguments, expected 1 or 2, but got " +
                     std::to_string(call.count()));
  }
  DROVER_ASSIGN(std::string text,
                call.state->execute(call.text(0), call.count() == 2 ? call.at(1) : Value()));
  return call.Text(std::move(text));
}

constexpr Function kWatchedFunctions[] = {
    {"key", "s", WatchKey},
    {"keyExists", "s", WatchExists},
    {"keyOrDefault", "ss", WatchKeyOrDefault},
    {"ls", "s", WatchLs},
    {"safeLs", "s", WatchSafeLs},
    {"tree", "s", WatchTree},
    {"safeTree", "s", WatchSafeTree},
    {"service", "s*", WatchService},
    {"services", "s*", WatchServices},
    {"node", "s*", WatchNode},
    {"nodes", "s*", WatchNodes},
    {"datacenters", "b*", WatchDatacenters},
    {"nomadServices", "s*", WatchNomadServices},
    {"nomadService", "a*", WatchNomadService},
    {"nomadVar", "s", WatchVariable},
    {"nomadVarExists", "s", WatchExists},
    {"nomadVarList", "s*", WatchVariableList},
    {"nomadVarListSafe", "s*", WatchVariableListSafe},
    {"file", "s", ReadFile},
    {"env", "s", ReadEnv},
    {"mustEnv", "s", ReadMustEnv},
    {"envOrDefault", "ss", ReadEnvOrDefault},
    {"executeTemplate", "sa*", ExecuteTemplate},
};

}  // namespace

FunctionSpan WatchedFunctions() { return kWatchedFunctions; }

}  // namespace drover::templates
