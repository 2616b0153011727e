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

// A text in a table. It is printable already.
struct Cell {
  Cell(std::string shown, std::optional<Terminal::Colour> in = std::nullopt)  // NOLINT
      : text(std::move(shown)), colour(in) {}
  Cell(const char* shown) : text(shown) {}  // NOLINT

  std::string text;
  std::optional<Terminal::Colour> colour;
};
// A status as the API names it, in its colour.
Cell StatusCell(const std::string& status);

// Lines of columns, below a head. On a terminal that is too narrow the widest columns are cut.
class TextTable {
 public:
  using Paint = std::function<std::string(Terminal::Colour, std::string_view)>;

  explicit TextTable(std::vector<std::string> head);
  // As many cells as the head has.
  void Add(std::vector<Cell> row);
  bool empty() const { return rows_.size() == 1; }

  // The lines, at most WIDTH characters wide as far as that can be; 0: as wide as they are.
  std::vector<std::string> Lines(std::size_t width, const Paint& paint) const;
  void Print(Terminal* terminal) const;

 private:
  std::vector<std::size_t> Widths(std::size_t width) const;
  std::vector<std::vector<Cell>> rows_;  // the head first
};

// Prints "name = value" lines; those whose value is empty are left out.
void PrintFields(Terminal* terminal, const std::vector<std::pair<std::string, Cell>>& fields);
// Prints the heading of a part, after an empty line.
void PrintHeading(Terminal* terminal, const std::string& heading);

}  // namespace drover
