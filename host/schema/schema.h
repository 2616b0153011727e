// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "host/base/result.h"

namespace drover {

struct SchemaNode;

// The schema of a driver's configuration: a subset of JSON Schema (draft 2020-12), described in
// docs/schema.md. Keywords:
//   type                  "object", "array", "string", "integer", "number", "boolean" or "null";
//                         absent: any value
//   properties, required  of objects
//   additionalProperties  false (also when absent, unlike in JSON Schema), true, or a schema: with
//                         no properties beside it the object is a map
//   items                 a schema for each element of an array
//   enum, const, minimum, maximum, minLength, maxLength, minItems, maxItems
//   default               of a property; must itself be valid
//   title, description, examples, $schema, $comment
// Any other keyword makes the schema invalid, so that nothing is left unchecked unnoticed.
//
// Immutable; copies share. All methods are for [any thread].
class Schema {
 public:
  // The error names the JSON pointer inside the schema.
  static Result<Schema> Parse(std::string_view json);

  // For tests: checks the value as it is, by JSON Schema, without defaults and conversions.
  Status Validate(std::string_view json) const;

  // Returns the value in the schema's form, valid and with defaults filled in. Before the check,
  // - null as the value of a property is the same as leaving it out,
  // - a list of one object becomes the object where one is declared,
  // - a list of objects becomes one object where a map is declared,
  // - a text becomes the number or boolean that it spells, and a whole number or boolean becomes a
  //   text, where the other is declared.
  // Unless FINAL, a text that holds "${" satisfies any scalar: its value is not known yet.
  // The error lists the faults as "/POINTER: MESSAGE; /POINTER: MESSAGE". Each pointer begins with
  // PLACE, the pointer of the value in a larger text.
  Result<std::string> Normalize(std::string_view json, bool final,
                                const std::string& place = "") const;

 private:
  explicit Schema(std::shared_ptr<const SchemaNode> root) : root_(std::move(root)) {}
  std::shared_ptr<const SchemaNode> root_;
};

}  // namespace drover
