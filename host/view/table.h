// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/view/terminal.h"

namespace drover {

// A cell of a table. Its text must be printable.
struct Cell {
  Cell(std::string shown, std::optional<Terminal::Colour> in = std::nullopt)  // NOLINT
      : text(std::move(shown)), colour(in) {}
  Cell(const char* shown) : text(shown) {}  // NOLINT

  std::string text;
  std::optional<Terminal::Colour> colour;
};
// Returns a cell for STATUS, a status name of the API. The cell has the colour of that status.
Cell StatusCell(const std::string& status);

// A table with a head above its rows. If the terminal is too narrow, the widest columns are cut.
class TextTable {
 public:
  using Paint = std::function<std::string(Terminal::Colour, std::string_view)>;

  explicit TextTable(std::vector<std::string> head);
  // Adds ROW, which must not have more cells than the head.
  void Add(std::vector<Cell> row);
  bool empty() const { return rows_.size() == 1; }

  // Returns the lines of the table. They have at most WIDTH characters if possible. A WIDTH of 0
  // means no limit.
  std::vector<std::string> Lines(std::size_t width, const Paint& paint) const;
  // Prints the lines. Prints NONE instead if the table has no rows and NONE is not null.
  void Print(Terminal* terminal, const char* none = nullptr) const;

 private:
  std::vector<std::size_t> Widths(std::size_t width) const;
  std::vector<std::vector<Cell>> rows_;  // the first one is the head
};

// Prints FIELDS as lines "name = value". Leaves out fields with an empty value.
void PrintFields(Terminal* terminal, const std::vector<std::pair<std::string, Cell>>& fields);
// Prints an empty line, and then HEADING.
void PrintHeading(Terminal* terminal, const std::string& heading);
// Prints TABLE below HEADING. Prints nothing if TABLE has no rows.
void PrintPart(Terminal* terminal, const std::string& heading, const TextTable& table);

}  // namespace drover
