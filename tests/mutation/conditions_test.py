#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The conditions that conditions.py finds."""
import unittest

import conditions


class ConditionsTest(unittest.TestCase):
    def check(self, source, *expected):
        """EXPECTED: the conditions; "? " marks those that only the compiler can confirm."""
        found = [("" if c.sure else "? ") + c.text for c in conditions.find(source)]
        self.assertEqual(found, list(expected))

    def test_if_and_operands(self):
        self.check("if (a && (b || !c)) f();",
                   "a && (b || !c)", "a", "(b || !c)", "b || !c", "b", "!c")

    def test_or_binds_weaker_than_and(self):
        self.check("while (a && b || c) f();", "a && b || c", "a && b", "a", "b", "c")

    def test_declaration_before_the_condition(self):
        self.check("if (auto it = f(); it != e) g();", "? f()", "it != e")

    def test_declaration_as_the_condition(self):
        source = "if (auto it = f(a, b == c)) g();"
        self.check(source, "auto it = f(a, b == c)", "? f(a, b == c)")
        self.assertIn("if (auto it = ::drover_mutation::Value<1>(f(a, b == c)); "
                      "::drover_mutation::Condition<0>(it)) g();",
                      conditions.wrap(source, conditions.find(source)))
        self.check("while (T* t = f()) g();", "? f()")

    def test_only_a_local_bool_is_wrapped_when_returned(self):
        self.check("T t; return t;")
        self.check("bool b; return b;", "? b")
        self.check("return b_;", "? b_")
        self.check("return true;", "? true")

    def test_for(self):
        self.check("for (int i = 0; i < 3; ++i) g();", "i < 3")
        self.check("for (auto& x : xs) g();")

    def test_question_mark(self):
        self.check("f(a, b == 0 ? c : d ? e : g);", "b == 0", "d")

    def test_returns_and_values(self):
        self.check("bool f() { return x == y; }", "? x == y")
        self.check("bool ok = a && b;", "a && b", "a", "b")
        self.check("return {1, 2};")
        self.check("int i = 0; T* p = nullptr; auto s = \"a && b\"; auto f = [=] { g(); };")

    def test_a_name_of_a_type_has_no_value(self):
        self.check("using Wanted = std::function<bool(int)>; x = y == z;", "? y == z")

    def test_comments_and_texts_hold_no_conditions(self):
        self.check('// if (a)\n/* while (b) */ f("if (c)", \'?\');')

    def test_place(self):
        (found,) = conditions.find("\n\nif (a ==\n    b) c();")
        self.assertEqual((found.line, found.text), (3, "a == b"))

    def test_the_same_text_again_is_numbered(self):
        self.check("if (a) f(); if (a) g();", "a", "a #2")

    def test_wrapping_keeps_the_nesting(self):
        source = "if (a && b) c();"
        self.assertEqual(
            conditions.wrap(source, conditions.find(source)),
            "if (::drover_mutation::Condition<0>(::drover_mutation::Condition<1>(a) && "
            "::drover_mutation::Condition<2>(b))) c();")


if __name__ == "__main__":
    unittest.main()
