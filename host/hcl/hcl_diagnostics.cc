// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/hcl/hcl_diagnostics.h"

#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "host/base/printable.h"
#include "host/base/utf8.h"

namespace drover {
namespace {

constexpr std::size_t kTab = 4;
constexpr std::size_t kWidth = 100;   // columns of a line that are shown
constexpr std::size_t kBefore = 60;   // columns of these that may stand before the place
constexpr std::size_t kBytes = 2000;  // bytes of a line on either side of the place that matter
constexpr std::string_view kCut = "…";

// Returns how many columns of a terminal CHARACTER takes: 2 for those of East Asia, 0 for accents.
std::size_t WidthOf(char32_t character) {
  // The C library knows the widths only in a locale with UTF-8. This one is part of it.
  static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (character < 0x80 || utf8 == nullptr) return 1;
  const locale_t before = uselocale(utf8);  // of this thread
  const int width = wcwidth(static_cast<wchar_t>(character));
  uselocale(before);
  return width < 0 ? 1 : static_cast<std::size_t>(width);
}

// A character of a line, as it is shown.
struct Cell {
  std::string shown;
  std::size_t width;
  std::size_t byte;  // its place in the line
};

std::vector<Cell> CellsOf(std::string_view line) {
  std::vector<Cell> cells;
  std::size_t column = 0;
  for (std::size_t at = 0; at < line.size();) {
    const Utf8Character first = FirstCharacter(line.substr(at));
    const std::string_view bytes = line.substr(at, std::max<std::size_t>(first.length, 1));
    Cell cell{Printable(bytes), 0, at};
    if (bytes == "\t") {
      cell.width = kTab - column % kTab;
      cell.shown = std::string(cell.width, ' ');
    } else {
      // What has been replaced consists of ASCII.
      cell.width = cell.shown == bytes ? WidthOf(first.value) : cell.shown.size();
    }
    column += cell.width;
    at += bytes.size();
    cells.push_back(std::move(cell));
  }
  return cells;
}

// Returns the number of CELLS from FIRST on that fit into WIDTH columns.
std::size_t Fitting(const std::vector<Cell>& cells, std::size_t first, std::size_t width) {
  std::size_t count = 0;
  for (std::size_t used = 0; first + count < cells.size(); ++count) {
    used += cells[first + count].width;
    if (used > width) break;
  }
  return count;
}

// Returns how many of the last cells before PLACE fit into WIDTH columns.
std::size_t FittingBefore(const std::vector<Cell>& cells, std::size_t place, std::size_t width) {
  std::size_t count = 0;
  for (std::size_t used = 0; count < place; ++count) {
    used += cells[place - count - 1].width;
    if (used > width) break;
  }
  return count;
}

// Returns the bytes of LINE around BEGIN that may be shown, and moves BEGIN and END with them.
std::string_view Nearby(std::string_view line, std::size_t* begin, std::size_t* end) {
  const auto is_first = [&](std::size_t at) {
    return at == 0 || (static_cast<unsigned char>(line[at]) & 0xc0) != 0x80;
  };
  std::size_t start = *begin - std::min(*begin, kBytes);
  while (start < *begin && !is_first(start)) ++start;
  line.remove_prefix(start);
  *begin -= start;
  *end -= start;
  return line.substr(0, *begin + kBytes);
}

// Returns LINE with marks below its bytes from BEGIN to END. Each of the two lines begins with the
// text that is given for it.
std::string MarkedLine(std::string_view line, std::size_t begin, std::size_t end,
                       const std::string& number, const std::string& margin) {
  line = Nearby(line, &begin, &end);
  const std::vector<Cell> cells = CellsOf(line);
  const auto index_of = [&](std::size_t byte) {
    return static_cast<std::size_t>(
        std::find_if(cells.begin(), cells.end(),
                     [&](const Cell& cell) { return cell.byte >= byte; }) -
        cells.begin());
  };
  const std::size_t place = index_of(begin);
  std::size_t first = 0;
  if (Fitting(cells, 0, kWidth) < cells.size()) {
    first = place - FittingBefore(cells, place, kBefore);
  }
  const std::size_t last = first + Fitting(cells, first, kWidth);
  std::string shown = number, marks = margin;
  if (first > 0) {
    shown += kCut;
    marks += ' ';
  }
  const std::size_t marked = std::min(last, std::max(index_of(end), place + 1));
  for (std::size_t i = first; i < last; ++i) {
    shown += cells[i].shown;
    if (i < place) marks += std::string(cells[i].width, ' ');
    if (i >= place && i < marked) marks += std::string(cells[i].width, '^');
  }
  if (last < cells.size()) shown += kCut;
  if (marks.back() != '^') marks += '^';  // at the end of the line
  return shown + "\n" + marks + "\n";
}

std::string Snippet(const HclDiagnostic& of, std::string_view text) {
  if (of.line <= 0 || of.byte > text.size()) return "";
  const std::size_t newline = of.byte == 0 ? std::string_view::npos : text.rfind('\n', of.byte - 1);
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  std::string_view line = text.substr(start, text.find('\n', start) - start);
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::string number = std::to_string(of.line);
  return MarkedLine(line, of.byte - start, std::max(of.end_byte, of.byte) - start,
                    "  " + number + " | ", std::string(2 + number.size(), ' ') + " | ");
}

// Returns TEXT with two spaces before each of its lines.
std::string Indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    out += line.empty() ? "\n" : "  " + Printable(line) + "\n";
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return out;
}

}  // namespace

std::string DiagnosticsText(const std::vector<HclDiagnostic>& diagnostics,
                            const std::vector<HclSource>& sources) {
  std::string out;
  for (const HclDiagnostic& one : diagnostics) {
    if (!out.empty()) out += '\n';
    if (!one.file.empty()) {
      out += Printable(one.file);
      if (one.line > 0) out += ":" + std::to_string(one.line) + "," + std::to_string(one.column);
      out += ": ";
    }
    out += (one.error ? "Error: " : "Warning: ") + Printable(one.summary) + "\n";
    const auto source = std::find_if(sources.begin(), sources.end(), [&](const HclSource& source) {
      return source.name == one.file;
    });
    if (source != sources.end()) out += Snippet(one, source->text);
    out += Indented(one.detail);
  }
  return out;
}

}  // namespace drover
