// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/table.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "host/view/text_width.h"

namespace drover {
namespace {

using Colour = Terminal::Colour;

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 6;  // no column is cut to fewer characters

}  // namespace

Cell StatusCell(const std::string& status) {
  static const std::map<std::string_view, Colour> kColours = {
      {"healthy", Colour::kGreen},     {"unhealthy", Colour::kRed},    {"running", Colour::kGreen},
      {"complete", Colour::kGreen},    {"ready", Colour::kGreen},      {"eligible", Colour::kGreen},
      {"success", Colour::kGreen},     {"successful", Colour::kGreen}, {"paused", Colour::kYellow},
      {"failed", Colour::kRed},        {"lost", Colour::kRed},         {"down", Colour::kRed},
      {"failure", Colour::kRed},       {"pending", Colour::kYellow},   {"blocked", Colour::kYellow},
      {"ineligible", Colour::kYellow}, {"unknown", Colour::kYellow},   {"cancelled", Colour::kGrey},
      {"canceled", Colour::kGrey},     {"dead", Colour::kGrey},        {"stop", Colour::kGrey}};
  const auto found = kColours.find(status);
  if (found == kColours.end()) return status;
  return {status, found->second};
}

TextTable::TextTable(std::vector<std::string> head) {
  std::vector<Cell> cells;
  for (std::string& text : head) cells.push_back({std::move(text), Colour::kCyan});
  rows_.push_back(std::move(cells));
}

void TextTable::Add(std::vector<Cell> row) {
  row.resize(rows_[0].size(), "");
  rows_.push_back(std::move(row));
}

std::vector<std::size_t> TextTable::Widths(std::size_t width) const {
  std::vector<std::size_t> widths(rows_[0].size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], Characters(row[i].text));
    }
  }
  const std::size_t gaps = kGap * (widths.size() - 1);
  while (width > 0 && std::accumulate(widths.begin(), widths.end(), gaps) > width) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= kNarrowest) break;
    --*widest;
  }
  return widths;
}

std::vector<std::string> TextTable::Lines(std::size_t width, const Paint& paint) const {
  const std::vector<std::size_t> widths = Widths(width);
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::string line;
    // The number of spaces to write before the next cell. The spaces after the last cell are not
    // written.
    std::size_t missing = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string text = Cut(row[i].text, widths[i]);
      if (!text.empty()) {
        line.append(missing, ' ');
        missing = 0;
        line += row[i].colour ? paint(*row[i].colour, text) : text;
      }
      missing += widths[i] - Characters(text) + kGap;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

void TextTable::Print(Terminal* terminal, const char* none) const {
  if (none != nullptr && empty()) return terminal->Line(none);
  const auto paint = [terminal](Colour colour, std::string_view text) {
    return terminal->Paint(colour, text);
  };
  for (const std::string& line : Lines(terminal->width(), paint)) terminal->Line(line);
}

void PrintFields(Terminal* terminal, const std::vector<std::pair<std::string, Cell>>& fields) {
  std::size_t widest = 0;
  for (const auto& [name, value] : fields) widest = std::max(widest, Characters(name));
  for (const auto& [name, value] : fields) {
    if (value.text.empty()) continue;
    std::string line = terminal->Paint(Colour::kCyan, name);
    line.append(widest - Characters(name), ' ');
    terminal->Line(line + " = " +
                   (value.colour ? terminal->Paint(*value.colour, value.text) : value.text));
  }
}

void PrintHeading(Terminal* terminal, const std::string& heading) {
  terminal->Line("");
  terminal->Line(terminal->Paint(Colour::kBlue, heading));
}

void PrintPart(Terminal* terminal, const std::string& heading, const TextTable& table) {
  if (table.empty()) return;
  PrintHeading(terminal, heading);
  table.Print(terminal);
}

}  // namespace drover
