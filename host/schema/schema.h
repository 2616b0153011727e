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
//                         without it any value is valid
//   properties, required  for objects
//   additionalProperties  false, true or a schema; the default is false, unlike in JSON Schema;
//                         if it is true or a schema and there are no properties, the object is a
//                         map
//   items                 a schema for each element of an array
//   enum, const, minimum, maximum, minLength, maxLength, minItems, maxItems
//   default               the value of a missing property; must be valid itself
//   title, description, examples, $schema, $comment
// Any other keyword makes the schema invalid, so that no rule is silently ignored.
//
// A schema is immutable, and its copies share their data. Any thread may call the methods.
class Schema {
 public:
  // Parses a schema. The error contains the JSON pointer of the fault inside the schema.
  static Result<Schema> Parse(std::string_view json);

  // For tests: checks the value unchanged, as JSON Schema specifies, without defaults and
  // conversions.
  Status Validate(std::string_view json) const;

  // Converts the value to the form that the schema declares, checks it, and returns it with all
  // defaults. The conversions are:
  // - A property with the value null is removed.
  // - Where an object is declared, a list of one object becomes that object.
  // - Where a map is declared, a list of objects becomes one object.
  // - Where a number or boolean is declared, a text becomes the number or boolean that it spells.
  // - Where a text is declared, a whole number or boolean becomes a text.
  // Unless FINAL, a text that contains "${" is valid for any scalar, since its value is not known
  // yet. The error lists the faults as "/POINTER: MESSAGE; /POINTER: MESSAGE". Each pointer begins
  // with PLACE, the JSON pointer of the value in a larger document.
  Result<std::string> Normalize(std::string_view json, bool final,
                                const std::string& place = "") const;

 private:
  explicit Schema(std::shared_ptr<const SchemaNode> root) : root_(std::move(root)) {}
  std::shared_ptr<const SchemaNode> root_;
};

}  // namespace drover
