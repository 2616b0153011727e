// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/cli/terminal.h"

namespace drover {

// A text in a table. The text is printable.
struct Cell {
  Cell(std::string shown, std::optional<Terminal::Colour> in = std::nullopt)  // NOLINT
      : text(std::move(shown)), colour(in) {}
  Cell(const char* shown) : text(shown) {}  // NOLINT

  std::string text;
  std::optional<Terminal::Colour> colour;
};
// A status by its name in the API, in its colour.
Cell StatusCell(const std::string& status);

// Lines of columns, below a head. A narrow terminal gets the widest columns cut.
class TextTable {
 public:
  using Paint = std::function<std::string(Terminal::Colour, std::string_view)>;

  explicit TextTable(std::vector<std::string> head);
  // ROW has no more cells than the head.
  void Add(std::vector<Cell> row);
  bool empty() const { return rows_.size() == 1; }

  // The lines, at most WIDTH characters wide where possible; 0: no limit.
  std::vector<std::string> Lines(std::size_t width, const Paint& paint) const;
  // Prints the lines. NONE stands for a table without rows, unless it is null.
  void Print(Terminal* terminal, const char* none = nullptr) const;

 private:
  std::vector<std::size_t> Widths(std::size_t width) const;
  std::vector<std::vector<Cell>> rows_;  // the head first
};

// Prints "name = value" lines, without those whose value is empty.
void PrintFields(Terminal* terminal, const std::vector<std::pair<std::string, Cell>>& fields);
// Prints the heading of a part, after an empty line.
void PrintHeading(Terminal* terminal, const std::string& heading);
// Prints TABLE below a heading; nothing when it has no rows.
void PrintPart(Terminal* terminal, const std::string& heading, const TextTable& table);

}  // namespace drover
