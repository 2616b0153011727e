// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "host/acl/policy.h"
#include "host/acl/rule_node.h"
#include "host/hcl/is_json.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using NodeKind = RuleNode::Kind;

constexpr std::size_t kMostRuleFaults = 50;  // keeps the message readable

// Turns the tree of a policy into rules, and collects all faults.
class PolicyReader {
 public:
  Result<Policy> Read(const RuleNode& root);

 private:
  struct Words {
    std::string word;
    const RuleNode* word_node = nullptr;
    std::vector<const RuleNode*> names;
  };
  using ReadBody = std::function<void(const std::string& name, const RuleNode& body)>;

  void Fault(const std::string& place, const std::string& what);
  void ReadEntry(const RuleEntry& entry);
  // Calls READ for each block NAME "..." { } of ENTRY.
  void Labelled(const RuleEntry& entry, const std::string& keyword, bool is_path,
                const ReadBody& read);
  // Returns the body of a block without a name, or null after a fault.
  const RuleNode* OnlyBody(const RuleEntry& entry);
  bool CheckName(const std::string& keyword, const std::string& name, const std::string& place,
                 bool is_path);
  void ReadNamespace(const std::string& name, const RuleNode& body);
  void ReadVariables(const RuleEntry& entry, NamespaceRule* rule);
  void ReadLevel(AclArea area, const RuleEntry& entry);
  // Reads an entry that is a policy word or a list of capabilities; returns false for any other.
  bool ReadWords(const RuleEntry& entry, Words* words);
  const std::string* Text(const RuleEntry& entry);
  template <typename Right>
  RightSet<Right> Rights(const std::string& keyword, const Words& words);
  template <typename Right>
  void AddWord(const std::string& keyword, const Words& words,
               const std::optional<RightSet<Right>>& rights, RightSet<Right>* to);
  template <typename Rule, typename Right>
  void ReadNamed(const std::string& keyword, const std::string& name, const RuleNode& body,
                 std::optional<RightSet<Right>> (*of_word)(std::string_view),
                 std::vector<Rule>* rules);

  Policy policy_;
  std::vector<std::string> faults_;
  std::size_t dropped_ = 0;
  std::size_t rules_ = 0;
};

void PolicyReader::Fault(const std::string& place, const std::string& what) {
  if (faults_.size() < kMostRuleFaults) {
    faults_.push_back(place + ": " + what);
  } else {
    ++dropped_;
  }
}

Result<Policy> PolicyReader::Read(const RuleNode& root) {
  if (root.kind != NodeKind::kBody) Fault(root.place, "must be an object with rules");
  for (const RuleEntry& entry : root.entries) ReadEntry(entry);
  if (rules_ > kMostPolicyRules) {
    Fault(root.place, "has " + std::to_string(rules_) + " rules; at most " +
                          std::to_string(kMostPolicyRules) + " are allowed: use more policies");
  }
  if (faults_.empty() && rules_ == 0) {
    Fault(root.place, "has no rule: write a block such as namespace \"default\" { ... }");
  }
  if (faults_.empty()) return std::move(policy_);
  if (faults_.size() == 1) return Error(Code::kInvalidArgument, faults_.front());
  std::string text = "the policy has " + std::to_string(faults_.size() + dropped_) + " faults:";
  for (const std::string& fault : faults_) text += "\n  * " + fault;
  if (dropped_ > 0) text += "\n  * and " + std::to_string(dropped_) + " more";
  return Error(Code::kInvalidArgument, std::move(text));
}

void PolicyReader::ReadEntry(const RuleEntry& entry) {
  const std::string& key = entry.key;
  if (key == "namespace") {
    Labelled(entry, key, false,
             [this](const std::string& name, const RuleNode& body) { ReadNamespace(name, body); });
  } else if (key == "node_pool") {
    Labelled(entry, key, false, [&](const std::string& name, const RuleNode& body) {
      ReadNamed<PoolRule, PoolRight>(key, name, body, &PoolWord, &policy_.pools);
    });
  } else if (key == "host_volume") {
    Labelled(entry, key, false, [&](const std::string& name, const RuleNode& body) {
      ReadNamed<VolumeRule, VolumeRight>(key, name, body, &VolumeWord, &policy_.volumes);
    });
  } else {
    for (int i = 0; i < kAclAreas; ++i) {
      const auto area = static_cast<AclArea>(i);
      if (key == NameOf(area)) return ReadLevel(area, entry);
    }
    Fault(entry.place, Quoted(key) +
                           " is no rule; there are namespace, node_pool, host_volume, agent, "
                           "node, operator, quota and plugin");
  }
}

void PolicyReader::Labelled(const RuleEntry& entry, const std::string& keyword, bool is_path,
                            const ReadBody& read) {
  const std::string example = keyword + " \"NAME\" { ... }";
  const auto blocks = [&](const RuleNode& of, const auto& each) {
    if (of.kind == NodeKind::kList) {
      for (const RuleNode& one : of.list) each(one);
    } else {
      each(of);
    }
  };
  blocks(entry.node, [&](const RuleNode& named) {
    if (named.kind != NodeKind::kBody || named.entries.empty()) {
      return Fault(entry.place, "a " + keyword + " rule needs a name: " + example);
    }
    for (const RuleEntry& label : named.entries) {
      blocks(label.node, [&](const RuleNode& body) {
        ++rules_;
        // Without this limit, a hostile text would cost much and gain no more faults.
        if (rules_ > kMostPolicyRules) return;
        if (body.kind != NodeKind::kBody) {
          return Fault(label.place, "a " + keyword + " rule has the form " + example);
        }
        if (CheckName(keyword, label.key, label.place, is_path)) read(label.key, body);
      });
    }
  });
}

const RuleNode* PolicyReader::OnlyBody(const RuleEntry& entry) {
  const RuleNode* body = &entry.node;
  if (body->kind == NodeKind::kList && body->list.size() == 1) body = &body->list.front();
  if (body->kind == NodeKind::kBody) return body;
  Fault(entry.place, entry.key + " must be a block: " + entry.key + " { ... }");
  return nullptr;
}

bool PolicyReader::CheckName(const std::string& keyword, const std::string& name,
                             const std::string& place, bool is_path) {
  const auto is_plain = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '*' || (c == '_' && keyword != "namespace") ||
           (is_path && (c == '/' || c == '~' || c == '.' || c == '@'));
  };
  if (name.empty() || name.size() > kMostRuleName) {
    Fault(place, "the name of a " + keyword + " rule must have 1 to " +
                     std::to_string(kMostRuleName) + " characters");
  } else if (is_path && name.front() == '/') {
    Fault(place, "the path " + Quoted(name) + " must not begin with \"/\"");
  } else if (!std::ranges::all_of(name, is_plain)) {
    Fault(place, "the name " + Quoted(name) + " of a " + keyword +
                     " rule may have only letters, digits, \"-\" and \"*\"" +
                     (is_path ? ", and \"/\", \"_\", \"~\", \".\" and \"@\"" : ""));
  } else {
    return true;
  }
  return false;
}

const std::string* PolicyReader::Text(const RuleEntry& entry) {
  if (entry.node.kind == NodeKind::kText) return &entry.node.text;
  Fault(entry.place, entry.key + " must be a text");
  return nullptr;
}

bool PolicyReader::ReadWords(const RuleEntry& entry, Words* words) {
  if (entry.key == "policy") {
    if (words->word_node != nullptr) Fault(entry.place, "policy stands here twice");
    words->word_node = &entry.node;
    if (const std::string* text = Text(entry)) words->word = *text;
    return true;
  }
  if (entry.key != "capabilities") return false;
  if (entry.node.kind != NodeKind::kList) {
    Fault(entry.place, "capabilities must be a list of texts");
    return true;
  }
  for (const RuleNode& one : entry.node.list) {
    if (one.kind == NodeKind::kText) {
      words->names.push_back(&one);
    } else {
      Fault(one.place, "capabilities must be a list of texts");
    }
  }
  return true;
}

template <typename Right>
RightSet<Right> PolicyReader::Rights(const std::string& keyword, const Words& words) {
  RightSet<Right> rights;
  for (const RuleNode* name : words.names) {
    const std::optional<Right> right = RightNamed<Right>(name->text);
    if (right) {
      rights.Add(*right);
      continue;
    }
    std::string known;
    for (const RightName<Right>& one : RightNames<Right>()) {
      known += std::string(known.empty() ? "" : ", ") + one.name;
    }
    Fault(name->place,
          Quoted(name->text) + " is no capability of a " + keyword + " rule; there are " + known);
  }
  return rights;
}

template <typename Right>
void PolicyReader::AddWord(const std::string& keyword, const Words& words,
                           const std::optional<RightSet<Right>>& rights, RightSet<Right>* to) {
  if (rights) {
    to->Merge(*rights);
  } else if (!words.word.empty()) {
    Fault(words.word_node->place,
          Quoted(words.word) + " is no policy of a " + keyword + " rule; there are " +
              (keyword == "namespace" ? "read, write, scale and deny" : "read, write and deny"));
  }
  to->Merge({});  // a list may name deny beside other capabilities
}

template <typename Rule, typename Right>
void PolicyReader::ReadNamed(const std::string& keyword, const std::string& name,
                             const RuleNode& body,
                             std::optional<RightSet<Right>> (*of_word)(std::string_view),
                             std::vector<Rule>* rules) {
  Words words;
  for (const RuleEntry& entry : body.entries) {
    if (!ReadWords(entry, &words)) {
      Fault(entry.place, "a " + keyword + " rule has only policy and capabilities, and not " +
                             Quoted(entry.key));
    }
  }
  Rule rule;
  rule.name = name;
  rule.rights = Rights<Right>(keyword, words);
  AddWord(keyword, words, of_word(words.word), &rule.rights);
  rule.word = words.word;
  rules->push_back(std::move(rule));
}

void PolicyReader::ReadNamespace(const std::string& name, const RuleNode& body) {
  NamespaceRule rule;
  rule.name = name;
  Words words;
  for (const RuleEntry& entry : body.entries) {
    if (ReadWords(entry, &words)) continue;
    if (entry.key == "variables") {
      ReadVariables(entry, &rule);
    } else {
      Fault(entry.place, "a namespace rule has only policy, capabilities and variables, and not " +
                             Quoted(entry.key));
    }
  }
  rule.capabilities = Rights<Capability>("namespace", words);
  AddWord("namespace", words, NamespaceWord(words.word), &rule.capabilities);
  rule.word = words.word;
  policy_.namespaces.push_back(std::move(rule));
}

void PolicyReader::ReadVariables(const RuleEntry& entry, NamespaceRule* rule) {
  const RuleNode* const body = OnlyBody(entry);
  if (body == nullptr) return;
  if (body->entries.empty()) Fault(entry.place, "variables needs a path: path \"*\" { ... }");
  for (const RuleEntry& path : body->entries) {
    if (path.key != "path") {
      Fault(path.place, "variables has only path \"...\" { }, and not " + Quoted(path.key));
      continue;
    }
    Labelled(path, "path", true, [this, rule](const std::string& name, const RuleNode& of) {
      Words words;
      for (const RuleEntry& one : of.entries) {
        if (one.key != "capabilities" || !ReadWords(one, &words)) {
          Fault(one.place, "a path has only capabilities, and not " + Quoted(one.key));
        }
      }
      rule->variables.push_back({name, WithImplied(Rights<VariableRight>("path", words))});
    });
  }
}

void PolicyReader::ReadLevel(AclArea area, const RuleEntry& entry) {
  const RuleNode* const body = OnlyBody(entry);
  if (body == nullptr) return;
  ++rules_;
  AclLevel& level = policy_.levels[static_cast<std::size_t>(area)];
  if (level != AclLevel::kUnset) Fault(entry.place, entry.key + " stands here twice");
  bool has_word = false;
  for (const RuleEntry& one : body->entries) {
    if (one.key != "policy") {
      Fault(one.place, entry.key + " has only policy, and not " + Quoted(one.key));
      continue;
    }
    has_word = true;
    const std::string* const word = Text(one);
    if (word == nullptr) continue;
    const std::optional<AclLevel> known = LevelWord(area, *word);
    if (known) {
      level = *known;
    } else {
      Fault(one.place,
            Quoted(*word) + " is no policy of " + entry.key + "; there are " +
                (area == AclArea::kPlugin ? "list, read and deny" : "read, write and deny"));
    }
  }
  if (!has_word) Fault(entry.place, entry.key + " needs a policy: policy = \"read\"");
}

}  // namespace

Result<Policy> ReadPolicy(const std::string& text) {
  if (text.size() > kMostPolicyBytes) {
    return Error(Code::kInvalidArgument, "the policy has " + std::to_string(text.size()) +
                                             " bytes; at most " + std::to_string(kMostPolicyBytes) +
                                             " are read: use more policies");
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Error(Code::kInvalidArgument, "the policy is empty: it needs a rule");
  }
  DROVER_ASSIGN(const RuleNode root, IsJsonText(text) ? ReadJsonRules(text) : ReadHclRules(text));
  return PolicyReader().Read(root);
}

}  // namespace drover
