// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/taskenv/task_env.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/spec/strict_json.h"
#include "host/taskenv/host_env.h"

namespace drover {
namespace {

using nlohmann::json;
using Variables = TextVariables;

constexpr std::string_view kMetaPrefix = "NOMAD_META_";

const std::string* FindIn(const Variables& variables, std::string_view name) {
  const auto found = variables.find(name);
  return found == variables.end() ? nullptr : &found->second;
}

std::string Upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

// Replaces each character that shells do not accept in the name of a variable. Only names that
// contain a label or a metadata key can have such characters.
std::string CleanName(const std::string& name) {
  constexpr std::string_view kCleaned[] = {"NOMAD_ADDR_", "NOMAD_IP_", "NOMAD_PORT_",
                                           "NOMAD_HOST_PORT_", kMetaPrefix};
  bool clean = false;
  for (const std::string_view prefix : kCleaned) clean = clean || name.starts_with(prefix);
  if (!clean) return name;
  std::string out = name;
  for (char& c : out) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!kept) c = '_';
  }
  return out;
}

std::string Address(const std::string& ip, int port) {
  const bool v6 = ip.find(':') != std::string::npos;
  return (v6 ? "[" + ip + "]" : ip) + ":" + std::to_string(port);
}

// Collects the variables and limits their total size. Without the limit, a job of a few megabytes
// could make variables of gigabytes.
class Builder {
 public:
  Builder(const TaskEnvInput& input, const Variables& node) : input_(input), node_(node) {}

  Result<Variables> Build() {
    const bool of_task = input_.task != nullptr;
    if (of_task) AddPaths();
    AddNames();
    if (of_task) AddResources();
    for (const AllocatedPort& port : input_.alloc->ports) {
      if (port.task.empty() || (of_task && port.task == input_.task->name)) {
        AddPort(port);
      } else {
        AddPortOfOther(port);
      }
    }
    AddMeta();
    // The task's own variables may refer to those of the hooks, but do not replace them.
    for (const StringMap& hook : input_.hook_env) {
      for (const auto& [name, value] : hook) Set(name, value);
    }
    AddSocket();
    if (of_task && input_.root != TaskRoot::kImage) AddHostEnv();
    if (of_task) AddTaskEnv();
    AddSocket();  // for a token of the task's own variables
    if (bytes_ > TaskEnv::kMaxBytes) {
      error_ =
          "the task's environment is larger than " + std::to_string(TaskEnv::kMaxBytes) + " bytes";
    }
    if (!error_.empty()) return Error(Code::kInvalidArgument, error_);
    return std::move(env_);
  }

 private:
  void Set(const std::string& name, std::string value) {
    if (bytes_ > TaskEnv::kMaxBytes) return;
    if (name.empty() || name.find('=') != std::string::npos ||
        name.find('\0') != std::string::npos) {
      error_ = Quoted(name) + " cannot be the name of an environment variable";
      return;
    }
    if (value.find('\0') != std::string::npos) {
      error_ = "the environment variable " + Quoted(name) + " holds the character U+0000";
      return;
    }
    bytes_ += name.size() + value.size();
    env_[name] = std::move(value);
  }
  void SetUnlessEmpty(const std::string& name, const std::string& value) {
    if (!value.empty()) Set(name, value);
  }
  void SetUnlessZero(const std::string& name, std::int64_t value) {
    if (value > 0) Set(name, std::to_string(value));
  }
  std::string Interpolated(const std::string& text) const {
    return InterpolateText(text, [this](std::string_view name) {
      const std::string* value = FindIn(node_, name);
      return value != nullptr ? value : FindIn(env_, name);
    });
  }

  void AddPaths() {
    const bool host = input_.root == TaskRoot::kHost;
    Set("NOMAD_ALLOC_DIR", host ? input_.alloc_dir : "/alloc");
    Set("NOMAD_TASK_DIR", host ? input_.local_dir : "/local");
    Set("NOMAD_SECRETS_DIR", host ? input_.secrets_dir : "/secrets");
  }

  void AddNames() {
    const Allocation& alloc = *input_.alloc;
    Set("NOMAD_ALLOC_ID", alloc.id);
    Set("NOMAD_SHORT_ALLOC_ID", alloc.id.substr(0, 8));
    Set("NOMAD_ALLOC_NAME", alloc.name);
    if (alloc.index >= 0) Set("NOMAD_ALLOC_INDEX", std::to_string(alloc.index));
    if (input_.task != nullptr) Set("NOMAD_TASK_NAME", input_.task->name);
    Set("NOMAD_GROUP_NAME", alloc.group_name);
    Set("NOMAD_JOB_ID", alloc.job->id);
    Set("NOMAD_JOB_NAME", alloc.job->name);
    SetUnlessEmpty("NOMAD_JOB_PARENT_ID", alloc.job->parent_id);
    Set("NOMAD_NAMESPACE", alloc.job->job_namespace);
    Set("NOMAD_REGION", input_.node->region);
    Set("NOMAD_DC", input_.node->datacenter);
    SetUnlessEmpty("NOMAD_PARENT_CGROUP", input_.node->cgroup_parent);
  }

  // Requests on the agent's socket need a token, so only a task with a token gets the address of
  // the socket.
  void AddSocket() {
    const bool has_token = input_.task != nullptr && env_.contains("NOMAD_TOKEN");
    if (!has_token || env_.contains("NOMAD_UNIX_ADDR")) return;
    Set("NOMAD_UNIX_ADDR", "unix://" + env_.find("NOMAD_SECRETS_DIR")->second + "/api.sock");
  }

  void AddResources() {
    const Resources& resources = input_.task->resources;
    SetUnlessZero("NOMAD_CPU_LIMIT", resources.cpu_mhz);
    SetUnlessEmpty("NOMAD_CPU_CORES", input_.cpu_cores);
    SetUnlessZero("NOMAD_MEMORY_LIMIT", resources.memory_mb);
    SetUnlessZero("NOMAD_MEMORY_MAX_LIMIT", resources.memory_max_mb);
  }

  void AddPort(const AllocatedPort& port) {
    // A port of a task alone is not mapped: the older form of ports has no such meaning.
    const int inside = port.to > 0 && port.task.empty() ? port.to : port.value;
    const auto chosen = input_.driver_ports.find(port.label);
    const int bind = chosen == input_.driver_ports.end() ? inside : chosen->second;
    Set("NOMAD_IP_" + port.label, port.host_ip);
    Set("NOMAD_PORT_" + port.label, std::to_string(bind));
    Set("NOMAD_ADDR_" + port.label, Address(port.host_ip, port.value));
    Set("NOMAD_HOST_IP_" + port.label, port.host_ip);
    Set("NOMAD_HOST_PORT_" + port.label, std::to_string(port.value));
    Set("NOMAD_HOST_ADDR_" + port.label, Address(port.host_ip, port.value));
    if (!port.task.empty()) {
      const bool v6 = port.host_ip.find(':') != std::string::npos;
      Set((v6 ? "NOMAD_IPv6_" : "NOMAD_IPv4_") + port.label, port.host_ip);
    }
    if (!input_.alloc->network) return;
    const AllocationNetwork& network = *input_.alloc->network;
    Set("NOMAD_ALLOC_PORT_" + port.label, std::to_string(inside));
    Set("NOMAD_ALLOC_INTERFACE_" + port.label, network.interface_name);
    const std::string& ip = network.address.empty() ? network.address_ipv6 : network.address;
    Set("NOMAD_ALLOC_IP_" + port.label, ip);
    Set("NOMAD_ALLOC_ADDR_" + port.label, Address(ip, inside));
  }

  // Adds a port that only another task of the group has.
  void AddPortOfOther(const AllocatedPort& port) {
    const std::string name = port.task + "_" + port.label;
    Set("NOMAD_IP_" + name, port.host_ip);
    Set("NOMAD_PORT_" + name, std::to_string(port.value));
    Set("NOMAD_ADDR_" + name, Address(port.host_ip, port.value));
  }

  void AddMeta() {
    const TaskGroup* const group = input_.alloc->group();
    const Task none{};
    const StringMap meta = MetaOf(*input_.alloc->job, group == nullptr ? TaskGroup() : *group,
                                  input_.task == nullptr ? none : *input_.task);
    // A value of the metadata may refer to variables that are set before this function runs. It
    // may not refer to other metadata, because the order of keys has no meaning. If two keys lead
    // to the same variable, the key in capitals gives the value.
    StringMap variables;
    std::size_t bytes = 0;
    for (const bool exact : {false, true}) {
      for (const auto& [key, value] : meta) {
        const std::string name = Interpolated(key);
        std::string& variable = variables[std::string(kMetaPrefix) + (exact ? name : Upper(name))];
        variable = Interpolated(value);
        bytes += variable.size();
        if (bytes > TaskEnv::kMaxBytes) break;
      }
    }
    if (bytes > TaskEnv::kMaxBytes) bytes_ = bytes;
    for (auto& [name, value] : variables) Set(name, std::move(value));
  }

  void AddHostEnv() {
    for (const auto& [name, value] : input_.host_env) {
      if (env_.contains(name) || IsDeniedHostVariable(name)) continue;
      if (input_.root == TaskRoot::kHost || IsForIsolatedTasks(name)) Set(name, value);
    }
  }

  void AddTaskEnv() {
    StringMap variables;
    std::size_t bytes = 0;
    for (const auto& [name, value] : input_.task->env) {
      std::string& variable = variables[Interpolated(name)];
      variable = Interpolated(value);
      bytes += variable.size();
      if (bytes > TaskEnv::kMaxBytes) break;
    }
    if (bytes > TaskEnv::kMaxBytes) bytes_ = bytes;
    for (auto& [name, value] : variables) {
      if (!IsOfHook(name)) Set(name, std::move(value));
    }
  }

  bool IsOfHook(const std::string& name) const {
    return std::ranges::any_of(input_.hook_env,
                               [&name](const StringMap& hook) { return hook.contains(name); });
  }

  const TaskEnvInput& input_;
  const Variables& node_;
  Variables env_;
  std::size_t bytes_ = 0;
  std::string error_;
};

// Changes NAME from OBJECT["KEY"] to OBJECT.KEY. Returns an empty text if NAME has another form.
std::string IndexedName(std::string_view name, std::string_view object) {
  if (!name.starts_with(object)) return {};
  name.remove_prefix(object.size());
  if (name.size() < 5 || !name.starts_with("[\"") || !name.ends_with("\"]")) return {};
  return std::string(object) + "." + std::string(name.substr(2, name.size() - 4));
}

// Returns the value of a reference in a driver's configuration, or null. VARIABLE returns the value
// of a variable of the task by its name, or null.
template <typename FindVariable>
const std::string* FindReference(const Variables& node, const FindVariable& variable,
                                 std::string_view name) {
  if (const std::string* value = FindIn(node, name)) return value;
  if (const std::string* value = variable(name)) return value;
  if (const std::string key = IndexedName(name, "env"); !key.empty()) {
    return variable(std::string_view(key).substr(4));
  }
  for (const std::string_view object : {"attr", "meta", "node.attr", "node.meta"}) {
    if (const std::string key = IndexedName(name, object); !key.empty()) return FindIn(node, key);
  }
  return nullptr;
}

// Replaces the references in all texts of a JSON value, in place. The recursion is bounded,
// because the parser limits the depth of a value.
class ConfigInterpolator {
 public:
  using Replace = std::function<Result<std::string>(std::string_view)>;
  explicit ConfigInterpolator(Replace replace) : replace_(std::move(replace)) {}

  Status Walk(json* value, const std::string& pointer) {
    if (value->is_string()) {
      auto text = replace_(value->get_ref<const std::string&>());
      if (!text.ok()) return text.error().WithContext(pointer.empty() ? "the text" : pointer);
      bytes_ += text->size();
      if (bytes_ > TaskEnv::kMaxBytes) {
        return Error(Code::kInvalidArgument, "the configuration becomes larger than " +
                                                 std::to_string(TaskEnv::kMaxBytes) +
                                                 " bytes when its ${...} are replaced");
      }
      *value = std::move(*text);
    } else if (value->is_array()) {
      for (std::size_t i = 0; i < value->size(); ++i) {
        DROVER_TRY(Walk(&(*value)[i], JsonPointer(pointer, i)));
      }
    } else if (value->is_object()) {
      return WalkObject(value, pointer);
    }
    return {};
  }

 private:
  Status WalkObject(json* object, const std::string& pointer) {
    json out = json::object();
    for (auto& [key, member] : object->items()) {
      const std::string here = JsonPointer(pointer, key);
      const auto name = replace_(key);
      if (!name.ok()) return name.error().WithContext(here);
      bytes_ += name->size();
      if (out.contains(*name)) {
        return Error(Code::kInvalidArgument,
                     here + ": the key " + Quoted(*name) + " appears twice after interpolation");
      }
      DROVER_TRY(Walk(&member, here));
      out[*name] = std::move(member);
    }
    *object = std::move(out);
    return {};
  }

  Replace replace_;
  std::size_t bytes_ = 0;
};

}  // namespace

TextVariables NodeVariables(const NodeInfo& node) {
  TextVariables out{{"node.unique.id", node.id},     {"node.unique.name", node.name},
                    {"node.region", node.region},    {"node.datacenter", node.datacenter},
                    {"node.class", node.node_class}, {"node.pool", node.pool}};
  for (const auto& [key, value] : node.attributes) {
    out["attr." + key] = value;
    out["node.attr." + key] = value;
  }
  for (const auto& [key, value] : node.meta) {
    out["meta." + key] = value;
    out["node.meta." + key] = value;
  }
  return out;
}

Result<std::string> RunTexts::Interpolate(const StringMap& env, std::string_view text,
                                          bool strict) const {
  const auto variable = [&](std::string_view name) -> const std::string* {
    if (const std::string* value = FindIn(renamed_, name)) return value;
    const auto found = env.find(std::string(name));
    return found == env.end() ? nullptr : &found->second;
  };
  static const TextVariables kNone;
  const TextVariables& node = node_ ? *node_ : kNone;
  const auto find = [&](std::string_view name) { return FindReference(node, variable, name); };
  if (strict) return InterpolateTextStrict(text, find);
  return InterpolateText(text, find);
}

Result<TaskEnv> TaskEnv::Build(const TaskEnvInput& input) {
  TaskEnv out;
  out.node_ = input.node_variables
                  ? input.node_variables
                  : std::make_shared<const TextVariables>(NodeVariables(*input.node));
  Builder builder(input, *out.node_);
  DROVER_ASSIGN(out.raw_, builder.Build());
  // CleanName may return the name of another variable. Then the value of the other variable is
  // kept.
  for (const auto& [name, value] : out.raw_) {
    if (CleanName(name) == name) out.env_[name] = value;
  }
  for (const auto& [name, value] : out.raw_) out.env_.emplace(CleanName(name), value);
  return out;
}

const std::string* TaskEnv::Find(std::string_view name) const {
  const std::string* value = FindIn(*node_, name);
  return value != nullptr ? value : FindVariable(name);
}

const std::string* TaskEnv::FindVariable(std::string_view name) const {
  if (const std::string* value = FindIn(raw_, name)) return value;
  const auto cleaned = env_.find(std::string(name));
  return cleaned == env_.end() ? nullptr : &cleaned->second;
}

const std::string* TaskEnv::FindInConfig(std::string_view name) const {
  const auto variable = [this](std::string_view wanted) { return FindVariable(wanted); };
  return FindReference(*node_, variable, name);
}

RunTexts TaskEnv::texts() const {
  TextVariables renamed;
  for (const auto& [name, value] : raw_) {
    if (CleanName(name) != name) renamed.emplace(name, value);
  }
  return RunTexts(node_, std::move(renamed));
}

std::string TaskEnv::Interpolate(std::string_view text) const {
  return InterpolateText(text, [this](std::string_view name) { return Find(name); });
}

Result<std::string> TaskEnv::InterpolateStrict(std::string_view text) const {
  return InterpolateTextStrict(text, [this](std::string_view name) { return FindInConfig(name); });
}

Result<std::string> TaskEnv::InterpolateConfig(std::string_view text, bool strict) const {
  DROVER_ASSIGN(json value, ParseStrictJson(text));
  ConfigInterpolator interpolator([this, strict](std::string_view part) -> Result<std::string> {
    if (strict) return InterpolateStrict(part);
    return InterpolateText(part, [this](std::string_view name) { return FindInConfig(name); });
  });
  DROVER_TRY(interpolator.Walk(&value, ""));
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace drover
