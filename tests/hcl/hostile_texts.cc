// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "tests/hcl/hostile_texts.h"

#include <array>
#include <cstddef>

namespace drover {
namespace {

std::string Repeat(const std::string& text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

std::size_t Power(std::size_t base, int exponent) {
  std::size_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= base;
  return power;
}

// A job whose type is the value of EXPRESSION.
std::string Job(const std::string& expression) {
  return "job \"web\" {\n  type = " + expression + "\n}\n";
}

std::string Choice(int number, const std::array<std::string, kTextsPerFamily>& texts) {
  return texts.at(static_cast<std::size_t>(number));
}

// A job whose type is one of EXPRESSIONS.
std::string JobOf(int number, const std::array<std::string, kTextsPerFamily>& expressions) {
  return Job(Choice(number, expressions));
}

// From 4 to 2,000,000 times.
std::size_t Growing(int number) { return 4 * Power(4, number) * (number == 9 ? 2 : 1); }

std::string Brackets(int number) {
  const std::size_t depth = Growing(number);
  switch (number % 3) {
    case 0:
      return Job(Repeat("[", depth) + Repeat("]", depth));
    case 1:
      return Job(Repeat("(", depth) + "1" + Repeat(")", depth));
    default:
      return Job(Repeat("{a=", depth) + "1" + Repeat("}", depth));
  }
}

std::string OpenEnds(int number) {
  const std::array<std::string, kTextsPerFamily> openings = {
      "[", "(", "{", "\"${", "{a=", "f(", "[for x in ", "<<A\n${", "a{\n", "%{if "};
  return Choice(number, openings) + Job(Repeat(Choice(number, openings), 100'000));
}

std::string Operators(int number) {
  const std::array<std::string, 5> pieces = {"!", "-", "1 + ", "true ? 1 : ", "1 < "};
  const std::string& piece = pieces.at(static_cast<std::size_t>(number) % 5);
  return Job(Repeat(piece, number < 5 ? 1'000 : 500'000) + "true");
}

std::string Templates(int number) {
  const std::size_t depth = Growing(number);
  switch (number % 3) {
    case 0:
      return Job(Repeat("\"${", depth) + "1" + Repeat("}\"", depth));
    case 1:
      return Job("\"" + Repeat("%{ if true }a", depth) + Repeat("%{ endif }", depth) + "\"");
    default:
      return Job("\"" + Repeat("${1}", depth) + "\"");
  }
}

std::string Blocks(int number) {
  const std::size_t count = Growing(number);
  switch (number % 3) {
    case 0:
      return Repeat("group \"g\" {\n", count) + Repeat("}\n", count);
    case 1:
      return "job \"web\" {\n" + Repeat("  group \"g\" {}\n", count) + "}\n";
    default:
      return "job \"web\" {\n group \"g\" {\n  task \"t\" {\n   config {\n" +
             Repeat("b {\n", count) + Repeat("}\n", count) + "   }\n  }\n }\n}\n";
  }
}

std::string Heredocs(int number) {
  const std::size_t size = Power(10, number % 6 + 1);
  switch (number % 5) {
    case 0:
      return Job("<<A\n" + Repeat("line\n", size) + "A\n");
    case 1:
      return Job("<<A\n" + Repeat("line\n", size));
    case 2:
      return Job("<<-A\n" + std::string(size, ' ') + "x\n" + Repeat("  y\n", size) + "  A\n");
    case 3:
      return Job("<<" + std::string(size, 'A') + "\nx\n" + std::string(size, 'A') + "\n");
    default:
      return Job("<<A\n" + Repeat("${<<A\n", size) + "A\n");
  }
}

// Each value is made of the one before, MANY times.
std::string Doubling(const std::string& first, const std::string& next, int steps) {
  std::string text = "locals {\n  a0 = " + first + "\n";
  for (int i = 1; i <= steps; ++i) {
    std::string value = next;
    const std::string before = "local.a" + std::to_string(i - 1);
    for (std::size_t at; (at = value.find('@')) != std::string::npos;) value.replace(at, 1, before);
    text += "  a" + std::to_string(i) + " = " + value + "\n";
  }
  return text + "}\n" + Job("length(local.a" + std::to_string(steps) + ")");
}

std::string Doublings(int number) {
  const std::array<std::string, kTextsPerFamily> steps = {"\"${@}${@}\"",
                                                          "join(@, [@, @])",
                                                          "[@, @]",
                                                          "concat(@, @)",
                                                          "{ a = @, b = @ }",
                                                          "strrev(\"${@}${@}\")",
                                                          "jsonencode([@, @])",
                                                          "base64encode(\"${@}${@}\")",
                                                          "format(\"%s%s%s\", @, @, @)",
                                                          "replace(@, \"a\", @)"};
  const std::string first = number == 2 || number == 3 ? "[1]" : "\"aaaaaaaa\"";
  return Doubling(first, Choice(number, steps), 40);
}

std::string Ranges(int number) {
  return JobOf(number,
               {"length(range(0, 1e12))", "length(range(1e12, 0, -1e-3))",
                "length(range(0, 1, 1e-12))", "length(range(0, 1e308, 1))", "length(range(1023))",
                "length(flatten([for x in range(1000): range(1000)]))", "length(range(0, 1e12, 0))",
                "length([for x in range(1000): [for y in range(1000): range(1000)]])",
                "join(\",\", range(0, 1e9, 1))", "length(range(-1e12, 1e12, 1e-300))"});
}

std::string Loops(int number) {
  const std::string r = "range(1000)";
  return JobOf(
      number,
      {"length([for a in " + r + ": [for b in " + r + ": [for c in " + r + ": a]]])",
       "length({for a in " + r + ": a => {for b in " + r + ": b => {for c in " + r + ": c => a}}})",
       "length([for a in " + r + ": 1 if length([for b in " + r + ": 1 if length([for c in " + r +
           ": 1 if a < 0]) > 0]) > 0])",
       "join(\"\", [for a in " + r + ": join(\"\", [for b in " + r + ": join(\"\", [for c in " + r +
           ": \"aaaaaaaaaa\"])])])",
       "\"%{ for a in " + r + " }%{ for b in " + r + " }%{ for c in " + r +
           " }a%{ endfor }%{ endfor }%{ endfor }\"",
       "length([for a in " + r + ": sha512(join(\"\", [for b in " + r +
           ": sha512(\"${a}${b}\")]))])",
       "length({for a in " + r + ": \"k\" => a...})",
       "length([for a in [for b in " + r + ": [for c in " + r + ": c]]: a[*]])",
       "[for a in " + r + ": [for b in " + r + ": \"${a}-${b}\"]][999][999]",
       "length([for a in " + r + ": bcrypt(\"a\", 31)])"});
}

std::string Products(int number) {
  const std::string r = "range(1000)";
  return JobOf(number, {"length(setproduct(" + r + ", " + r + ", " + r + "))",
                        "length(setproduct(" + r + ", " + r + "))",
                        "length(setunion(setproduct(" + r + ", " + r + "), [[1, 2]]))",
                        "length(distinct(flatten([for a in " + r + ": " + r + "])))",
                        "length(chunklist(flatten([for a in " + r + ": " + r + "]), 1))",
                        "length(zipmap(" + r + ", [for a in " + r + ": " + r + "]))",
                        "length(merge([for a in " + r + ": {for b in " + r + ": b => a}]...))",
                        "length(concat([for a in " + r + ": " + r + "]...))",
                        "length(sort([for a in " + r + ": strrev(\"${a}\")]))",
                        "length(setintersection(setproduct(" + r + ", " + r + "), setproduct(" + r +
                            ", " + r + ")))"});
}

std::string Numbers(int number) {
  return JobOf(number, {"1e999999999", "-1e999999999", "1e-999999999", "pow(10, 1e9)",
                        "1e308 * 1e308 * 1e308", std::string(1'000'000, '9'),
                        "0." + std::string(1'000'000, '9'), "1 / 0", "1e999999999 % 7",
                        "parseint(\"" + std::string(1'000'000, 'z') + "\", 36)"});
}

std::string Formats(int number) {
  return JobOf(number,
               {"format(\"%1000000000d\", 1)", "format(\"%.1000000000f\", 1)",
                "format(\"%1000000000s\", \"a\")", "format(\"%0999999999d\", 1)",
                "format(\"%s\", 1e99999999)", "format(\"%" + std::string(100'000, '9') + "d\", 1)",
                "format(\"%b\", 1e99999999)", "format(\"%-1000000000x|\", 1)",
                "formatlist(\"%1000000s\", range(1000))", "format(\"%[1000000000]d\", 1)"});
}

std::string Functions(int number) {
  return JobOf(number, {"indent(1000000000, \"a\\nb\")",
                        "formatdate(\"" + Repeat("YYYY", 500'000) + "\", \"2026-01-01T00:00:00Z\")",
                        "cidrsubnets(\"fd00::/8\", " + Repeat("64, ", 100'000) + "64)",
                        "cidrsubnet(\"10.0.0.0/8\", 1000000000, 1)", "cidrhost(\"fd00::/8\", 1e40)",
                        "substr(\"a\", 0, 1e18)", "element(range(3), 1e18)",
                        "timeadd(\"2026-01-01T00:00:00Z\", \"" + std::string(100'000, '9') + "h\")",
                        "bcrypt(\"a\", 31)", "slice(range(3), -1e18, 1e18)"});
}

std::string Expressions(int number) {
  return JobOf(number,
               {"regex_replace(\"" + std::string(100'000, 'a') + "\", \"(a*)*b\", \"c\")",
                "regex_replace(\"a\", \"(((a{100}){100}){100}){100}\", \"c\")",
                "regex_replace(\"a\", \"" + Repeat("(", 100'000) + "\", \"c\")",
                "regex_replace(\"" + std::string(100'000, 'a') + "\", \"\", \"" +
                    std::string(10'000, 'b') + "\")",
                "regex_replace(\"a\", \"" + Repeat("a|", 200'000) + "b\", \"c\")",
                "regex_replace(\"a\", \"[\", \"c\")",
                "regex_replace(\"" + std::string(100'000, 'a') + "\", \"a\", \"" +
                    Repeat("$0", 10'000) + "\")",
                "regex_replace(\"a\", \"a{1000}{1000}\", \"c\")",
                "regex_replace(\"a\", \"(?P<x>a)" + Repeat("(?P<x>a)", 1'000) + "\", \"c\")",
                "regex_replace(\"a\", \"\\\\pN{999999999}\", \"c\")"});
}

std::string Decoders(int number) {
  return JobOf(
      number,
      {"jsondecode(\"" + std::string(500'000, '[') + "\")",
       "jsondecode(\"" + std::string(500'000, '[') + std::string(500'000, ']') + "\")",
       "jsondecode(\"" + Repeat("{\\\"a\\\":", 200'000) + "1" + std::string(200'000, '}') + "\")",
       "yamldecode(\"a: &a [x, x]\\nb: &b [*a, *a, *a, *a]\\nc: &c [*b, *b, *b, *b]\\nd: &d [*c, "
       "*c, *c, "
       "*c]\\ne: &e [*d, *d, *d, *d]\\nf: &f [*e, *e, *e, *e]\\ng: &g [*f, *f, *f, *f]\\nh: &h "
       "[*g, *g, "
       "*g, *g]\\ni: &i [*h, *h, *h, *h]\\nj: &j [*i, *i, *i, *i]\\nk: [*j, *j, *j, *j]\")",
       "yamldecode(\"" + std::string(200'000, '[') + "\")",
       "yamldecode(\"" + Repeat("- ", 200'000) + "1\")",
       "csvdecode(\"" + Repeat("a,", 500'000) + "b\\n1\")",
       "csvdecode(\"a\\n" + Repeat("1\\n", 1'000'000) + "\")", "jsondecode(\"1e999999999\")",
       "yamldecode(\"&a [*a]\")"});
}

std::string Encoders(int number) {
  std::string nested = "1";
  const std::size_t depth = Power(10, number / 2 + 1);
  if (number % 2 == 0) {
    return Job(Repeat("jsonencode(", depth) + "\"\\\"\"" + std::string(depth, ')'));
  }
  return Job(Repeat("[jsonencode(", depth) + "{}" + Repeat(")]", depth));
}

std::string Files(int number) {
  return JobOf(number,
               {"file(\"/etc/shadow\")", "file(\"../../../../../../../../etc/shadow\")",
                "filebase64(\"/proc/self/mem\")", "fileexists(\"/etc/shadow\")",
                "join(\",\", fileset(\"/\", \"**\"))", "file(\"/dev/zero\")",
                "abspath(\"/etc/shadow\")", "pathexpand(\"~root/.ssh/id_rsa\")",
                "file(\"" + std::string(1'000'000, 'a') + "\")", "dirname(\"/etc/shadow\")"});
}

std::string Cycles(int number) {
  const std::size_t count = Power(4, number + 1);
  std::string text = "locals {\n";
  for (std::size_t i = 0; i < count && i < 60'000; ++i) {
    // Odd numbers: a long chain without an end of its own.
    const std::size_t next = number % 2 == 0 ? (i + 1) % count : i + 1;
    text += "  a" + std::to_string(i) + " = local.a" + std::to_string(next) + "\n";
  }
  return text + "}\n" + Job("local.a0");
}

std::string Bytes(int number) {
  return Choice(number, {Job("\"\xff\xfe\xfd\""), std::string(100, '\0'),
                         Job("\"a") + std::string(1, '\0') + "b", Job("\"\xed\xa0\x80\""),
                         "\xff\xfe" + Job("\"a\""), Job("\"\\uD800\\uDFFF\\U7FFFFFFF\""),
                         Job("\"\xe2\x80\xae\x1b[2J\x07\""), std::string(8'000'000, '\r'),
                         Repeat("\xcc\x81", 2'000'000), Job("\"\\u0000\"")});
}

std::string Faults(int number) {
  switch (number % 5) {
    case 0:
      return Repeat("= \n", Power(10, number / 2 + 1));
    case 1:
      return Job("[" + Repeat("nope(), ", Power(10, number / 2 + 1)) + "]");
    case 2:
      return "job \"web\" {\n" + Repeat("  x {}\n", Power(10, number / 2 + 1)) + "}\n";
    case 3:
      return Repeat("job \"web\" { type = 1 }\n", Power(10, number / 2 + 1));
    default:
      return Repeat("variable \"a\" {}\n", Power(10, number / 2 + 1));
  }
}

std::string Labels(int number) {
  const std::size_t size = Power(10, number % 7 + 1);
  switch (number % 4) {
    case 0:
      return "job \"" + std::string(size, 'a') + "\" {}\n";
    case 1:
      return "job " + Repeat("\"a\" ", size) + "{}\n";
    case 2:
      return std::string(size, 'a') + " \"b\" {}\n";
    default:
      return "job \"web\" { " + std::string(size, 'a') + " = 1 }\n";
  }
}

std::string Dynamics(int number) {
  const std::string each = number % 2 == 0
                               ? "range(1000)"
                               : "flatten([for a in range(1000): [for b in range(1000): b]])";
  const std::array<std::string, 5> contents = {
      "count = group.key",
      "dynamic \"task\" {\n for_each = " + each + "\n labels = [\"t\"]\n content {}\n}",
      "task \"t\" {\n env {\n A = \"${join(\"\", range(1000))}\"\n }\n }", "nope = 1", ""};
  return "job \"web\" {\n  dynamic \"group\" {\n    for_each = " + each +
         "\n    labels   = [\"g\"]\n    content {\n" +
         contents.at(static_cast<std::size_t>(number / 2)) + "\n    }\n  }\n}\n";
}

std::string Variables(int number) {
  const std::size_t count = Power(10, number / 2 + 1);
  const std::string nested = Repeat("list(", count) + "any" + std::string(count, ')');
  if (number % 2 == 0) return "variable \"a\" {\n  type = " + nested + "\n}\n" + Job("var.a");
  return "variable \"a\" {\n  default = 1\n" +
         Repeat("  validation {\n    condition = var.a > 1\n    error_message = \"No.\"\n  }\n",
                count) +
         "}\n" + Job("var.a");
}

}  // namespace

std::vector<HostileFamily> HostileFamilies() {
  return {{"Blocks", Blocks},       {"Brackets", Brackets},  {"Bytes", Bytes},
          {"Cycles", Cycles},       {"Decoders", Decoders},  {"Doublings", Doublings},
          {"Dynamics", Dynamics},   {"Encoders", Encoders},  {"Expressions", Expressions},
          {"Faults", Faults},       {"Files", Files},        {"Formats", Formats},
          {"Functions", Functions}, {"Heredocs", Heredocs},  {"Labels", Labels},
          {"Loops", Loops},         {"Numbers", Numbers},    {"OpenEnds", OpenEnds},
          {"Operators", Operators}, {"Products", Products},  {"Ranges", Ranges},
          {"Templates", Templates}, {"Variables", Variables}};
}

}  // namespace drover
