# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""What a terminal shows of what a program writes: the part of xterm that Drover uses."""
import re
import unicodedata

PIECE = re.compile(r"\x1b\[(\d*)([A-Za-z])|(.)", re.S)


def width_of(character):
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    def __init__(self, rows, columns):
        self.rows = rows
        self.columns = columns
        self.lines = [{}]  # all that was ever shown, also what has left the screen; by column
        self.x = self.y = 0

    def write(self, text):
        """Returns this object."""
        for number, control, character in PIECE.findall(text):
            if control:
                self.control(control, int(number or "1"))
            elif character == "\r":
                self.x = 0
            elif character == "\n":
                self.down()
            elif character == "\t":
                self.x = min(self.x // 8 * 8 + 8, self.columns - 1)
            else:
                self.put(character)
        return self

    def put(self, character):
        width = width_of(character)
        if width == 0:  # it belongs to the character before it
            self.lines[self.y][self.x - 1] = self.lines[self.y].get(self.x - 1, "") + character
            return
        if self.x + width > self.columns:
            self.x = 0
            self.down()
        self.lines[self.y][self.x] = character
        self.x += width

    def down(self):
        self.y += 1
        if self.y == len(self.lines):
            self.lines.append({})

    def control(self, control, number):
        if control == "A":
            self.y = max(self.y - number, len(self.lines) - self.rows, 0)
        elif control in "JK":
            line = self.lines[self.y]
            for x in [x for x in line if x >= self.x]:
                del line[x]
            if control == "J":
                for line in self.lines[self.y + 1:]:
                    line.clear()
        else:
            assert control == "m", control

    def text(self):
        """All lines, from top to bottom."""
        return ["".join(line[x] for x in sorted(line)) for line in self.lines]
