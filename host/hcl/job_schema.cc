// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/hcl/job_schema.h"

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "host/spec/job_fields.h"

namespace drover {
namespace {

using nlohmann::json;
using enum FieldKind;

// Returns the type of an attribute, or an empty text if a field of this kind is a block.
std::string AttributeType(FieldKind kind) {
  switch (kind) {
    case kText:
      return "string";
    case kInteger:
      return "integer";
    case kBoolean:
      return "bool";
    case kDuration:
      return "duration";
    case kTextList:
      return "list(string)";
    case kIntegerList:
      return "list(number)";
    default:
      return "";
  }
}

// Returns the kind of open body that a field of KIND is, or an empty text if it has a schema.
std::string OpenKind(FieldKind kind) {
  return kind == kTextMap ? "map" : kind == kTextListMap ? "lists" : kind == kBody ? "any" : "";
}

json Block(const std::string& field, const std::string& body, bool many) {
  return {{"Field", field}, {"Body", body}, {"Many", many}};
}

class SchemaMaker {
 public:
  // Adds the body with FIELDS, unless it is there. Returns its name, which is NAME if no other body
  // has it.
  std::string Add(std::span<const JobField> fields, const std::string& name) {
    const auto known = names_.find(fields.data());
    if (known != names_.end()) return known->second;
    std::string own = name;
    for (int i = 2; bodies_.contains(own); ++i) own = name + std::to_string(i);
    names_[fields.data()] = own;
    bodies_[own] = json::object();
    json attributes = json::object();
    json blocks = json::object();
    for (const JobField& field : fields) {
      if (!field.HasHcl() || field.IsLabel()) continue;
      const std::string type = AttributeType(field.kind);
      if (type.empty()) {
        blocks[field.hcl] = BlockOf(field);
      } else {
        attributes[field.hcl] = {{"Field", field.name}, {"Type", type}};
      }
    }
    bodies_[own] = {{"Attributes", std::move(attributes)}, {"Blocks", std::move(blocks)}};
    return own;
  }

  json Take() { return std::move(bodies_); }

 private:
  json BlockOf(const JobField& field) {
    json block = Block(field.name, "", field.kind == kObjectList || field.kind == kObjectMap);
    block["Open"] = OpenKind(field.kind);
    if (field.members.empty()) return block;
    block["Body"] = Add(field.members, field.hcl);
    for (const JobField& member : field.members) {
      if (member.IsLabel()) block["Labels"].push_back(member.name);
    }
    return block;
  }

  std::map<const JobField*, std::string> names_;
  json bodies_ = json::object();
};

void AddOperators(json* bodies) {
  // Affinities of devices have a table of their own, so there are two bodies for affinities.
  for (const char* name : {"constraint", "affinity", "affinity2"}) {
    json& attributes = bodies->at(name).at("Attributes");
    for (const OperatorAttribute& one : kOperatorAttributes) {
      if (!one.of_affinities && name != std::string_view("constraint")) continue;
      attributes[one.name] = {{"Field", one.name}, {"Type", one.is_boolean ? "bool" : "string"}};
    }
  }
}

// Adds the blocks that may stand further outside than the fields into which they come.
void AddOuterBlocks(json* bodies) {
  using namespace job_hcl_keys;
  const json of_task = bodies->at("task").at("Blocks");
  for (const char* outer : {"job", "group"}) {
    json& blocks = bodies->at(outer).at("Blocks");
    blocks["vault"] = of_task.at("vault");
    blocks["secret"] = of_task.at("secret");
  }
  json& of_job = bodies->at("job").at("Blocks");
  of_job["task"] = bodies->at("group").at("Blocks").at("task");
}

json MakeSchema() {
  SchemaMaker maker;
  const std::string job = maker.Add(JobFields(), "job");
  json bodies = maker.Take();
  AddOperators(&bodies);
  AddOuterBlocks(&bodies);
  json block = Block(job_hcl_keys::kJob, job, false);
  block["Labels"] = {job_hcl_keys::kJobLabel};
  bodies["file"] = {{"Blocks", {{"job", std::move(block)}}}};
  return {{"Root", "file"}, {"Bodies", std::move(bodies)}};
}

}  // namespace

const json& JobHclSchema() {
  static const json schema = MakeSchema();
  return schema;
}

}  // namespace drover
