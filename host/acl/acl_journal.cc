// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/acl_journal.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

// Indexes of writes that were not stored may have been seen, so the next agent leaves a gap.
constexpr std::uint64_t kIndexGap = 1000;

std::string StoredText(const TokenRecord& token) {
  return JsonText({{"secret_hash", token.secret_hash},
                   {"name", token.name},
                   {"type", TokenTypeName(token.type)},
                   {"policies", token.policies},
                   {"roles", token.roles},
                   {"global", token.global},
                   {"create_time", token.create_time},
                   {"expiration_time", token.expiration_time},
                   {"expiration_ttl", token.expiration_ttl.count()},
                   {"create_index", token.create_index},
                   {"modify_index", token.modify_index}});
}

std::string StoredText(const RoleRecord& role) {
  return JsonText({{"name", role.name},
                   {"description", role.description},
                   {"policies", role.policies},
                   {"create_index", role.create_index},
                   {"modify_index", role.modify_index}});
}

std::string StoredText(const PolicyRecord& policy) {
  json scope = nullptr;
  if (policy.scope) {
    scope = {{"namespace", policy.scope->job_namespace},
             {"job", policy.scope->job},
             {"group", policy.scope->group},
             {"task", policy.scope->task}};
  }
  // The rules are stored beside their text: to read the text takes a program for each policy.
  return JsonText({{"description", policy.description},
                   {"text", policy.text},
                   {"rules", PolicyJson(*policy.rules)},
                   {"unreadable", policy.rules->is_unreadable},
                   {"scope", std::move(scope)},
                   {"create_index", policy.create_index},
                   {"modify_index", policy.modify_index}});
}

// These functions throw json::exception if VALUE has another form.
void ReadStored(const json& value, TokenRecord* token) {
  value.at("secret_hash").get_to(token->secret_hash);
  value.at("name").get_to(token->name);
  const std::string type = value.at("type").get<std::string>();
  token->type = type == "management" ? TokenType::kManagement : TokenType::kClient;
  value.at("policies").get_to(token->policies);
  value.at("roles").get_to(token->roles);
  value.at("global").get_to(token->global);
  value.at("create_time").get_to(token->create_time);
  value.at("expiration_time").get_to(token->expiration_time);
  token->expiration_ttl = Duration(value.at("expiration_ttl").get<std::int64_t>());
  value.at("create_index").get_to(token->create_index);
  value.at("modify_index").get_to(token->modify_index);
}

void ReadStored(const json& value, RoleRecord* role) {
  value.at("name").get_to(role->name);
  value.at("description").get_to(role->description);
  value.at("policies").get_to(role->policies);
  value.at("create_index").get_to(role->create_index);
  value.at("modify_index").get_to(role->modify_index);
}

void ReadStored(const json& value, PolicyRecord* policy) {
  value.at("description").get_to(policy->description);
  value.at("text").get_to(policy->text);
  value.at("create_index").get_to(policy->create_index);
  value.at("modify_index").get_to(policy->modify_index);
  const json& scope = value.at("scope");
  if (!scope.is_null()) {
    policy->scope =
        JobScope{scope.at("namespace").get<std::string>(), scope.at("job").get<std::string>(),
                 scope.at("group").get<std::string>(), scope.at("task").get<std::string>()};
  }
  Result<Policy> rules = PolicyOfJson(value.at("rules"));
  if (!rules.ok()) throw json::other_error::create(501, rules.error().message(), nullptr);
  rules->is_unreadable = value.at("unreadable").get<bool>();
  policy->rules = std::make_shared<const Policy>(std::move(*rules));
}

// What the record of the index has.
struct IndexRecord {
  std::uint64_t last = 0;
  std::uint64_t bootstrap = 0;
};

void ReadStored(const json& value, IndexRecord* index) {
  value.at("last").get_to(index->last);
  value.at("bootstrap").get_to(index->bootstrap);
}

template <typename Stored>
Status ReadStoredText(const std::string& text, Stored* out) {
  try {
    DROVER_ASSIGN(const json value, ParseStrictJson(text));
    ReadStored(value, out);
    return Status();
  } catch (const json::exception& e) {
    return Error(Code::kInvalidArgument, e.what());
  }
}

RecordKey KeyOfRecord(const PolicyRecord& policy) {
  return {std::string(acl_record_kind::kPolicy), policy.name};
}
RecordKey KeyOfRecord(const RoleRecord& role) {
  return {std::string(acl_record_kind::kRole), role.id};
}
RecordKey KeyOfRecord(const TokenRecord& token) {
  return {std::string(acl_record_kind::kToken), token.accessor_id};
}

class AclLoader {
 public:
  LoadedAcl Load(const std::vector<Record>& records) {
    for (const Record& record : records) Read(record);
    // The record of the index is lost. Without this, anybody could make a first token again.
    if (!has_index_ && (!changes_.empty() || !loaded_.refused.empty())) bootstrap_ = 1;
    AclWrite all;
    all.changes = std::move(changes_);
    loaded_.tables.Apply(all, last_ + 1);
    loaded_.tables.Resume(last_ + kIndexGap, bootstrap_);
    return std::move(loaded_);
  }

 private:
  void Read(const Record& record) {
    const std::string& kind = record.key.kind;
    if (kind == acl_record_kind::kPolicy) {
      auto policy = std::make_shared<PolicyRecord>();
      if (!Decode(record, policy.get())) {
        *policy = PolicyRecord();
        Policy unreadable;
        unreadable.is_unreadable = true;
        policy->rules = std::make_shared<const Policy>(std::move(unreadable));
      }
      policy->name = record.key.id;
      Take(std::move(policy));
    } else if (kind == acl_record_kind::kRole) {
      auto role = std::make_shared<RoleRecord>();
      role->id = record.key.id;
      if (Decode(record, role.get())) Take(std::move(role));
    } else if (kind == acl_record_kind::kToken) {
      auto token = std::make_shared<TokenRecord>();
      token->accessor_id = record.key.id;
      if (Decode(record, token.get())) Take(std::move(token));
    } else if (kind == acl_record_kind::kIndex) {
      ReadIndex(record);
    }
  }

  template <typename Stored>
  bool Decode(const Record& record, Stored* out) {
    const Status read = ReadStoredText(record.value, out);
    if (!read.ok()) Refuse(record, read.error());
    return read.ok();
  }

  void Refuse(const Record& record, const Error& error) {
    loaded_.refused.push_back("the record " + record.key.kind + " " + record.key.id +
                              " cannot be used: " + error.message());
  }

  template <typename Stored>
  void Take(std::shared_ptr<Stored> record) {
    last_ = std::max(last_, record->modify_index);
    changes_.push_back({std::shared_ptr<const Stored>(std::move(record))});
  }

  void ReadIndex(const Record& record) {
    IndexRecord read;
    const Status status = ReadStoredText(record.value, &read);
    if (!status.ok()) return Refuse(record, status.error());
    last_ = std::max(last_, read.last);
    bootstrap_ = read.bootstrap;
    has_index_ = true;
  }

  LoadedAcl loaded_;
  std::vector<AclChange> changes_;
  std::uint64_t last_ = 0;
  std::uint64_t bootstrap_ = 0;
  bool has_index_ = false;
};

}  // namespace

void AclJournal::operator()(const AclWrite& write, const AclTables& tables) const {
  Store::Changes changes;
  for (const AclChange& change : write.changes) {
    std::visit(
        [&](const auto& record) {
          Store::Change& to = changes[KeyOfRecord(*record)];
          to = nullptr;
          if (!change.erased) to = Store::Change([record] { return StoredText(*record); });
        },
        change.record);
  }
  const json index = {{"last", tables.last_index()}, {"bootstrap", tables.bootstrap_index()}};
  changes[{std::string(acl_record_kind::kIndex), "last"}] = [text = index.dump()] { return text; };
  store_->Give(std::move(changes));
}

LoadedAcl LoadAcl(const std::vector<Record>& records) { return AclLoader().Load(records); }

}  // namespace drover
