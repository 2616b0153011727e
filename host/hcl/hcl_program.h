// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"

namespace drover {

struct HclSource {
  std::string name;
  std::string text;
};

struct HclSetting {
  std::string name;
  std::string value;
};

// A document in the HashiCorp configuration language, and what turns it into JSON.
struct HclRequest {
  std::string file;  // the name of the document, for diagnostics
  std::string text;
  // What the document may contain, and where it stands in the JSON; hcl/request.go describes it.
  nlohmann::json schema;
  std::vector<HclSource> variable_files;  // in rising order of precedence
  std::vector<HclSetting> environment;    // variables; files win over them
  std::vector<HclSetting> command_line;   // variables; they win over files
  // Whether a variable of a file or the command line that the document does not declare is only a
  // warning.
  bool loose = false;
  // The directory that functions such as file() may read. A relative path begins there. Empty:
  // these functions are refused.
  std::string files_below;
  // Whether the objects of the value have the places of their members: see hcl_places.h.
  bool places = false;
};

// Where a part of a document is written. Lines and columns begin at 1, and 0 means nowhere. A
// column counts characters as people see them.
struct HclPlace {
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;
  // The same place in bytes from the beginning of the text.
  std::size_t byte = 0;
  std::size_t end_byte = 0;

  bool operator==(const HclPlace&) const = default;
};

// What is wrong with a document, and where.
struct HclDiagnostic : HclPlace {
  bool error = true;
  std::string summary;
  std::string detail;
  std::string file;

  void SetPlace(const HclPlace& place) { static_cast<HclPlace&>(*this) = place; }
};

struct HclReply {
  nlohmann::json value;                // null if a diagnostic is an error
  std::vector<std::string> variables;  // the names of those that the document declares
  std::vector<HclDiagnostic> diagnostics;
};

struct HclLayout {
  std::string text;  // empty if a diagnostic is an error
  std::vector<HclDiagnostic> diagnostics;
};

// What a document may cost.
inline constexpr std::size_t kMostHclBytes = std::size_t{8} << 20;
inline constexpr std::size_t kMostHclMemory = std::size_t{256} << 20;

// Returns the error of an answer of drover-hcl that has not the form that it must have. WHY may
// have any characters.
Error HclNotUnderstood(std::string_view why);

// Turns a document into JSON. The program drover-hcl does it, beside the file of this program, in a
// process without rights. An error means that there is no answer: the program is missing, or the
// document takes more than two seconds, kMostHclMemory, or kMostHclBytes of JSON. At most four
// documents are read at once; others wait for up to two seconds before their own. Blocks for all of
// that. [any thread]
Result<HclReply> DecodeHcl(const HclRequest& request);

// Lays a document out, in the same way.
Result<HclLayout> FormatHcl(const std::string& file, const std::string& text);

// Reads a document of the first version of the language as a tree, in the same way: nothing is
// evaluated, and each value has its line. hcl/tree.go describes the tree.
Result<HclReply> ReadHclTree(const std::string& file, const std::string& text);

// Makes PATH the program, and not the file beside this program. For tests.
void UseHclProgram(std::string path);

}  // namespace drover
