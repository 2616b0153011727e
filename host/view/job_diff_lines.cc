// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/job_diff_lines.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;
using Colour = Terminal::Colour;

// The limit of the recursion. An agent's answer could nest objects without a limit.
constexpr std::size_t kMaxDiffDepth = 16;

class DiffPrinter {
 public:
  void Print(const std::string& title, const json& diff, std::size_t depth) {
    if (depth > kMaxDiffDepth) return;
    Add(diff, title + Notes(diff), depth);
    for (const json& field : ListField(diff, "Fields")) PrintField(field, depth + 1);
    for (const json& object : ListField(diff, "Objects")) {
      Print(TextField(object, "Name"), object, depth + 1);
    }
    for (const json& group : ListField(diff, "TaskGroups")) {
      Print("task group " + Quoted(group), group, depth + 1);
    }
    for (const json& task : ListField(diff, "Tasks")) {
      Print("task " + Quoted(task), task, depth + 1);
    }
  }

  std::vector<DiffLine> lines;

 private:
  static std::string Quoted(const json& of) { return "\"" + TextField(of, "Name") + "\""; }

  // Returns the effects of a change, such as " (forces create)", to append to the change's title.
  static std::string Notes(const json& diff) {
    std::string notes;
    const auto add = [&notes](const std::string& note) {
      notes += (notes.empty() ? "" : ", ") + Printable(note);
    };
    for (const json& note : ListField(diff, "Annotations")) {
      if (note.is_string()) add(note.get<std::string>());
    }
    for (const auto& [word, count] : MapField(diff, "Updates").items()) {
      if (count.is_number_integer()) add(count.dump() + " " + word);
    }
    return notes.empty() ? "" : " (" + notes + ")";
  }

  void PrintField(const json& field, std::size_t depth) {
    const std::string type = RawField(field, "Type");
    const auto value = [&field](const char* which) {
      return "\"" + TextField(field, which) + "\"";
    };
    std::string text = TextField(field, "Name") + ": ";
    text += type == "Edited" ? value("Old") + " -> " + value("New")
                             : value(type == "Added" ? "New" : "Old");
    Add(field, text + Notes(field), depth);
  }

  void Add(const json& diff, const std::string& text, std::size_t depth) {
    const std::string type = RawField(diff, "Type");
    const char mark = type == "Added"     ? '+'
                      : type == "Deleted" ? '-'
                      : type == "Edited"  ? '~'
                                          : ' ';
    const Colour colour = mark == '+'   ? Colour::kGreen
                          : mark == '-' ? Colour::kRed
                          : mark == '~' ? Colour::kYellow
                                        : Colour::kGrey;
    lines.push_back({colour, std::string(depth * 2, ' ') + mark + " " + text});
  }
};

}  // namespace

std::vector<DiffLine> JobDiffLines(const json& diff) {
  DiffPrinter printer;
  printer.Print("job \"" + TextField(diff, "ID") + "\"", diff, 0);
  return std::move(printer.lines);
}

void PrintJobDiff(Terminal* terminal, const json& diff) {
  for (const DiffLine& line : JobDiffLines(diff)) {
    terminal->Line(terminal->Paint(line.colour, line.text));
  }
}

}  // namespace drover
