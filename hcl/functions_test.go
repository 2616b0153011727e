// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"regexp"
	"strings"
	"testing"
)

// documented are the functions that the peer documents for its job language.
var documented = strings.Fields(`
	abs ceil floor log max min parseint pow signum
	chomp format formatlist indent join lower regex_replace replace split strlen strrev substr title
	trim trimprefix trimspace trimsuffix upper
	chunklist coalesce coalescelist compact concat contains distinct element flatten index keys length
	lookup merge range reverse setintersection setproduct setunion slice sort values zipmap
	base64decode base64encode csvdecode jsondecode jsonencode urlencode yamldecode yamlencode
	formatdate timeadd
	bcrypt md5 rsadecrypt sha1 sha256 sha512
	uuidv4 uuidv5
	cidrhost cidrnetmask cidrsubnet cidrsubnets
	can convert try
	abspath basename dirname file filebase64 fileexists fileset pathexpand`)

// The tests of these are elsewhere: in files_test.go, and below for those that chance takes part in.
var elsewhere = strings.Fields(`
	abspath basename dirname file filebase64 fileexists fileset pathexpand bcrypt uuidv4`)

// calls have the peer's results: the program that the peer is today evaluated each expression. Most of
// them are the examples of its documents. Three are not its results, but only what it documents:
// reverse of a list, and length and index of an object.
var calls = []struct{ expression, want, fault string }{
	{`abs(23)`, `23`, ""},
	{`abs(0)`, `0`, ""},
	{`abs(-12.4)`, `12.4`, ""},
	{`abs("-3")`, `3`, ""},
	{`ceil(5)`, `5`, ""},
	{`ceil(5.1)`, `6`, ""},
	{`ceil(-0.5)`, `0`, ""},
	{`floor(5)`, `5`, ""},
	{`floor(4.9)`, `4`, ""},
	{`floor(-0.5)`, `-1`, ""},
	{`log(50, 10)`, `1.6989700043360185`, ""},
	{`ceil(log(17, 2))`, `5`, ""},
	{`max(12, 54, 3)`, `54`, ""},
	{`max([12, 54, 3]...)`, `54`, ""},
	{`min(12, 54, 3)`, `3`, ""},
	{`min([12, 54, 3]...)`, `3`, ""},
	{`min()`, "", `must pass at least one number.`},
	{`parseint("FF", 16)`, `255`, ""},
	{`parseint("-10", 16)`, `-16`, ""},
	{`parseint("1011111011101111", 2)`, `48879`, ""},
	{`parseint("aA", 62)`, `656`, ""},
	{`parseint("12", 2)`,
		"", `Invalid value for "number" parameter: cannot parse "12" as a base 2 integer.`},
	{`parseint("9223372036854775808", 10)`, `9223372036854776000`, ""},
	{`pow(3, 2)`, `9`, ""},
	{`pow(4, 0)`, `1`, ""},
	{`pow(2, 0.5)`, `1.4142135623730951`, ""},
	{`signum(-13)`, `-1`, ""},
	{`signum(0)`, `0`, ""},
	{`signum(344)`, `1`, ""},
	{`chomp("hello\r\n")`, `"hello"`, ""},
	{`chomp("hello\n\n")`, `"hello"`, ""},
	{`format("Hello, %s!", "Ander")`, `"Hello, Ander!"`, ""},
	{`format("There are %d lights", 4)`, `"There are 4 lights"`, ""},
	{`format("%%|%v|%#v|%t|%b|%o|%x|%X|%e|%g|%q", 1.5, ["a"], true, 5, 8, 255, 255, 1234.5, 1e30, "a\"b")`,
		`"%|1.5|[\"a\"]|true|101|10|ff|FF|1.234500e+03|1e+30|\"a\\\"b\""`, ""},
	{`format("%5d|%-5s|%05.1f|%.2s|%[2]s", 7, "ab", 2.25, "xyz")`, `"    7|ab   |002.2|xy|ab"`, ""},
	{`format("%v %v", null, {a = 1})`, `"null {\"a\":1}"`, ""},
	{`format("%d", 1.5)`, "", `unsupported value for "%d" at 0: an integer is required.`},
	{`format("%s")`, "", `not enough arguments for "%s" at 0: need index 1 but have 0 total.`},
	{`format("%s", "a", "b")`,
		"", `Invalid value for "args" parameter: too many arguments; only 1 used by format string.`},
	{`formatlist("Hello, %s!", ["Valentina", "Ander"])`,
		`["Hello, Valentina!", "Hello, Ander!"]`, ""},
	{`formatlist("%s, %s!", "Salutations", ["Valentina", "Ander"])`,
		`["Salutations, Valentina!", "Salutations, Ander!"]`, ""},
	{`formatlist("%s %d", ["a", "b"], [1])`,
		"", `Invalid value for "args" parameter: argument 2 has length 1, which is inconsistent with argument 1 of length 2.`},
	{`"  items: ${indent(2, "[\n  foo,\n  bar,\n]\n")}"`,
		`"  items: [\n    foo,\n    bar,\n  ]\n  "`, ""},
	{`join(", ", ["foo", "bar", "baz"])`, `"foo, bar, baz"`, ""},
	{`join(", ", ["foo"])`, `"foo"`, ""},
	{`join("-", ["a"], ["b", "c"])`, `"a-b-c"`, ""},
	{`join(",", [])`, `""`, ""},
	{`join(",", [1, true])`, `"1,true"`, ""},
	{`lower("HELLO")`, `"hello"`, ""},
	{`lower("АЛЛО!")`, `"алло!"`, ""},
	{`regex_replace("hello world", "w.*d", "everybody")`, `"hello everybody"`, ""},
	{`regex_replace("-ab-axxb-", "a(x*)b", "$1W")`, `"---"`, ""},
	{`regex_replace("-ab-axxb-", "a(x*)b", "$${1}W")`, `"-W-xxW-"`, ""},
	{`regex_replace("a", "(", "b")`, "", "error parsing regexp: missing closing )"},
	{`replace("1 + 2 + 3", "+", "-")`, `"1 - 2 - 3"`, ""},
	{`replace("hello world", "/w.*d/", "everybody")`, `"hello world"`, ""},
	{`split(",", "foo,bar,baz")`, `["foo", "bar", "baz"]`, ""},
	{`split(",", "foo")`, `["foo"]`, ""},
	{`split(",", "")`, `[""]`, ""},
	{`strlen("hello")`, `5`, ""},
	{`strlen("👾🕹️")`, `2`, ""},
	{`strrev("hello")`, `"olleh"`, ""},
	{`strrev("a ☃")`, `"☃ a"`, ""},
	{`substr("hello world", 1, 4)`, `"ello"`, ""},
	{`substr("🤔🤷", 0, 1)`, `"🤔"`, ""},
	{`substr("hello", -3, -1)`, `"llo"`, ""},
	{`title("hello world")`, `"Hello World"`, ""},
	{`trim("?!hello?!", "!?")`, `"hello"`, ""},
	{`trimprefix("helloworld", "hello")`, `"world"`, ""},
	{`trimspace("  hello\n\n")`, `"hello"`, ""},
	{`trimsuffix("helloworld", "world")`, `"hello"`, ""},
	{`upper("hello")`, `"HELLO"`, ""},
	{`upper("алло!")`, `"АЛЛО!"`, ""},
	{`chunklist(["a", "b", "c", "d", "e"], 2)`, `[["a", "b"], ["c", "d"], ["e"]]`, ""},
	{`chunklist(["a", "b"], 0)`, `[["a", "b"]]`, ""},
	{`coalesce("a", "b")`, `"a"`, ""},
	{`coalesce(null, "b")`, `"b"`, ""},
	{`coalesce("", "b")`, `""`, ""},
	{`coalesce(["", "b"]...)`, `""`, ""},
	{`coalesce(1, 2)`, `1`, ""},
	{`coalescelist(["a", "b"], ["c", "d"])`, `["a", "b"]`, ""},
	{`coalescelist([], ["c", "d"])`, `["c", "d"]`, ""},
	{`coalescelist([[], ["c", "d"]]...)`, `["c", "d"]`, ""},
	{`compact(["a", "", "b", "c"])`, `["a", "b", "c"]`, ""},
	{`concat(["a", ""], ["b", "c"])`, `["a", "", "b", "c"]`, ""},
	{`concat([1], ["b"], [])`, `[1, "b"]`, ""},
	{`contains(["a", "b", "c"], "a")`, `true`, ""},
	{`contains(["a", "b", "c"], "d")`, `false`, ""},
	{`contains(convert(["a"], set(string)), "a")`, `true`, ""},
	{`distinct(["a", "b", "a", "c", "d", "b"])`, `["a", "b", "c", "d"]`, ""},
	{`element(["a", "b", "c"], 1)`, `"b"`, ""},
	{`element(["a", "b", "c"], 3)`, `"a"`, ""},
	{`element(["a", "b", "c"], -1)`, `"c"`, ""},
	{`element([], 0)`, "", `cannot use element function with an empty list.`},
	{`flatten([["a", "b"], [], ["c"]])`, `["a", "b", "c"]`, ""},
	{`flatten([[["a", "b"], []], ["c"]])`, `["a", "b", "c"]`, ""},
	{`flatten([{a = [1]}, [2]])`, `[{"a": [1]}, 2]`, ""},
	{`index(["a", "b", "c"], 1)`, `"b"`, ""},
	{`index({"a" = 1, "c" = 2, "d" = 3}, "c")`, `2`, ""},
	{`index(["a"], 1)`, "", `key must be between 0 and 1 inclusive.`},
	{`keys({a = 1, c = 2, d = 3})`, `["a", "c", "d"]`, ""},
	{`length([])`, `0`, ""},
	{`length(["a", "b"])`, `2`, ""},
	{`length({"a" = "b"})`, `1`, ""},
	{`length("hello")`, "", `collection must be a list, a map or a tuple.`},
	{`lookup({a = "ay", b = "bee"}, "a", "what?")`, `"ay"`, ""},
	{`lookup({a = "ay", b = "bee"}, "c", "what?")`, `"what?"`, ""},
	{`lookup({a = "ay"}, "c")`,
		"", `Function "lookup" expects 3 argument(s). Missing value for "default".`},
	{`merge({"a" = "b", "c" = "d"}, {"e" = "f", "c" = "z"})`, `{"a": "b", "c": "z", "e": "f"}`, ""},
	{`merge({a = 1}, null, {b = [true]})`, `{"a": 1, "b": [true]}`, ""},
	{`merge()`, `{}`, ""},
	{`range(3)`, `[0, 1, 2]`, ""},
	{`range(1, 4)`, `[1, 2, 3]`, ""},
	{`range(1, 8, 2)`, `[1, 3, 5, 7]`, ""},
	{`range(1, 4, 0.5)`, `[1, 1.5, 2, 2.5, 3, 3.5]`, ""},
	{`range(4, 1)`, `[4, 3, 2]`, ""},
	{`range(10, 5, -2)`, `[10, 8, 6]`, ""},
	{`range(1025)`,
		"", `more than 1024 values were generated; either decrease the difference between start and end or use a smaller step.`},
	{`reverse([1, "2", 3])`, `[3, "2", 1]`, ""},
	{`reverse("abc")`, `"cba"`, ""},
	{`reverse(123)`, `"321"`, ""},
	{`setintersection(["a", "b"], ["b", "c"], ["b", "d"])`, `["b"]`, ""},
	{`setproduct(["development", "staging"], ["app1", "app2"])`,
		`[["development", "app1"], ["development", "app2"], ["staging", "app1"], ["staging", "app2"]]`, ""},
	{`setproduct(["development", "staging", "production"], [])`, `[]`, ""},
	{`setproduct(["a"], ["b"])`, `[["a", "b"]]`, ""},
	{`setproduct(["staging", "production"], ["a", 2])`,
		`[["staging", "a"], ["staging", "2"], ["production", "a"], ["production", "2"]]`, ""},
	{`setunion(["a", "b"], ["b", "c"], ["d"])`, `["a", "b", "c", "d"]`, ""},
	{`slice(["a", "b", "c", "d"], 1, 3)`, `["b", "c"]`, ""},
	{`slice(["a"], 0, 2)`,
		"", `Invalid value for "end_index" parameter: end index must not be greater than the length of the list.`},
	{`sort(["e", "d", "a", "x"])`, `["a", "d", "e", "x"]`, ""},
	{`values({a = 3, c = 2, d = 1})`, `[3, 2, 1]`, ""},
	{`zipmap(["a", "b"], [1, 2])`, `{"a": 1, "b": 2}`, ""},
	{`zipmap(["a"], [1, 2])`, "", `number of keys (1) does not match number of values (2).`},
	{`base64decode("SGVsbG8gV29ybGQ=")`, `"Hello World"`, ""},
	{`base64decode("!")`, "", `failed to decode base64 data '!'.`},
	{`base64encode("Hello World")`, `"SGVsbG8gV29ybGQ="`, ""},
	{`csvdecode("a,b,c\n1,2,3\n4,5,6")`,
		`[{"a": "1", "b": "2", "c": "3"}, {"a": "4", "b": "5", "c": "6"}]`, ""},
	{`jsondecode("{\"hello\": \"world\", \"a\": [1.5, null, true]}")`,
		`{"a": [1.5, null, true], "hello": "world"}`, ""},
	{`jsondecode("true")`, `true`, ""},
	{`jsondecode("{")`, "", `EOF.`},
	{`jsonencode({"hello" = "world", "a" = [1, 2.5, null, true, "<&>"]})`,
		`"{\"a\":[1,2.5,null,true,\"\\u003c\\u0026\\u003e\"],\"hello\":\"world\"}"`, ""},
	{`jsonencode(1 / 3)`,
		`"0.33333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333335"`, ""},
	{`urlencode("Hello World")`, `"Hello+World"`, ""},
	{`urlencode("☃")`, `"%E2%98%83"`, ""},
	{`yamldecode("{\"hello\": \"world\"}")`, `{"hello": "world"}`, ""},
	{`yamldecode("true")`, `true`, ""},
	{`yamldecode("{a: &foo [1, 2, 3], b: *foo}")`, `{"a": [1, 2, 3], "b": [1, 2, 3]}`, ""},
	{`yamldecode("{a: &foo [1, *foo, 3]}")`,
		"", `cannot refer to anchor "foo" from inside its own definition.`},
	{`yamldecode("{a: !not-supported foo}")`, "", `unsupported tag "!not-supported".`},
	{`yamldecode("a: 0x10\nb: 1_000\nc: 010\nd: ~\ne: 2001-12-14\nf: no\n")`,
		`{"a": 16, "b": "1_000", "c": 10, "d": null, "e": "2001-12-14T00:00:00Z", "f": false}`, ""},
	{`yamldecode("a: &x {k: 1, l: 2}\nb: {<<: *x, k: 3}\n")`,
		`{"a": {"k": 1, "l": 2}, "b": {"k": 3, "l": 2}}`, ""},
	{`yamlencode({"a" : "b", "c" : "d"})`, `"\"a\": \"b\"\n\"c\": \"d\"\n"`, ""},
	{`yamlencode({"foo" : [1, 2, 3], "bar" : "baz"})`,
		`"\"bar\": \"baz\"\n\"foo\":\n- 1\n- 2\n- 3\n"`, ""},
	{`yamlencode({"foo" : [1, {"a" : "b", "c" : "d"}, 3], "bar" : "baz"})`,
		`"\"bar\": \"baz\"\n\"foo\":\n- 1\n- \"a\": \"b\"\n  \"c\": \"d\"\n- 3\n"`, ""},
	{`formatdate("DD MMM YYYY hh:mm ZZZ", "2018-01-02T23:12:01Z")`, `"02 Jan 2018 23:12 UTC"`, ""},
	{`formatdate("EEEE, DD-MMM-YY hh:mm:ss ZZZ", "2018-01-02T23:12:01Z")`,
		`"Tuesday, 02-Jan-18 23:12:01 UTC"`, ""},
	{`formatdate("EEE, DD MMM YYYY hh:mm:ss ZZZ", "2018-01-02T23:12:01-08:00")`,
		`"Tue, 02 Jan 2018 23:12:01 -0800"`, ""},
	{`formatdate("HH:mmaa", "2018-01-02T23:12:01Z")`, `"11:12pm"`, ""},
	{`formatdate("H 'o''clock'", "2018-01-02T23:12:01-08:00")`, `"11 o'clock"`, ""},
	{`formatdate("YYYY", "2018-01-02")`,
		"", `Invalid value for "time" parameter: not a valid RFC3339 timestamp: missing required time introducer 'T'.`},
	{`timeadd("2017-11-22T00:00:00Z", "10m")`, `"2017-11-22T00:10:00Z"`, ""},
	{`timeadd("2017-11-22T00:00:00Z", "-25h")`, `"2017-11-20T23:00:00Z"`, ""},
	{`timeadd("2017-11-22T00:00:00Z", "soon")`, "", `time: invalid duration "soon".`},
	{`md5("hello world")`, `"5eb63bbbe01eeed093cb22bb8f5acdc3"`, ""},
	{`sha1("hello world")`, `"2aae6c35c94fcfb415dbe95f408b9ce91ee846ed"`, ""},
	{`sha256("hello world")`,
		`"b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"`, ""},
	{`sha512("hello world")`,
		`"309ecc489c12d6eb4cc40f50c902f2b4d0ed77ee511a7c7a9bcd3ca86d4cd86f989dd35bc5ff499670da34255b45b0cfd830e81f605dcf7dc5542e93ae9cd76f"`, ""},
	{`rsadecrypt("x", "y")`, "", `failed to decode input "x": cipher text must be base64-encoded.`},
	{`uuidv5("dns", "developer.hashicorp.com/nomad")`, `"684475cd-e8cb-57cb-ac1d-b25e6d9ee581"`, ""},
	{`uuidv5("url", "https://developer.hashicorp.com/nomad/")`,
		`"1a8baf41-7e5c-5600-a797-5e1605256816"`, ""},
	{`uuidv5("oid", "1.3.6.1.4")`, `"af9d40a5-7a36-5c07-b23a-851cd99fbfa5"`, ""},
	{`uuidv5("x500", "CN=Example,C=GB")`, `"84e09961-4aa4-57f8-95b7-03edb1073253"`, ""},
	{`uuidv5("743ac3c0-3bf7-4a5b-9e6c-59360447c757", "LIBS:diskfont.library")`,
		`"ede1a974-df7e-5f17-84b9-76208818b2c8"`, ""},
	{`cidrhost("10.12.127.0/20", 16)`, `"10.12.112.16"`, ""},
	{`cidrhost("10.12.127.0/20", 268)`, `"10.12.113.12"`, ""},
	{`cidrhost("fd00:fd12:3456:7890:00a2::/72", 34)`, `"fd00:fd12:3456:7890::22"`, ""},
	{`cidrnetmask("172.16.0.0/12")`, `"255.240.0.0"`, ""},
	{`cidrnetmask("fd00::/8")`, `"ff00::"`, ""},
	{`cidrsubnet("172.16.0.0/12", 4, 2)`, `"172.18.0.0/16"`, ""},
	{`cidrsubnet("10.1.2.0/24", 4, 15)`, `"10.1.2.240/28"`, ""},
	{`cidrsubnet("fd00:fd12:3456:7890::/56", 16, 162)`, `"fd00:fd12:3456:7800:a200::/72"`, ""},
	{`cidrsubnets("10.1.0.0/16", 4, 4, 8, 4)`,
		`["10.1.0.0/20", "10.1.16.0/20", "10.1.32.0/24", "10.1.48.0/20"]`, ""},
	{`cidrsubnets("fd00:fd12:3456:7890::/56", 16, 16, 16, 32)`,
		`["fd00:fd12:3456:7800::/72", "fd00:fd12:3456:7800:100::/72", "fd00:fd12:3456:7800:200::/72", "fd00:fd12:3456:7800:300::/88"]`, ""},
	{`[for cidr_block in cidrsubnets("10.0.0.0/8", 8, 8) : cidrsubnets(cidr_block, 4, 4)]`,
		`[["10.0.0.0/20", "10.0.16.0/20"], ["10.1.0.0/20", "10.1.16.0/20"]]`, ""},
	{`can(local.foo.bar)`, `true`, ""},
	{`can(local.foo.boop)`, `false`, ""},
	{`can(1 / 0)`, `true`, ""},
	{`try(local.foo.bar, "fallback")`, `"baz"`, ""},
	{`try(local.foo.boop, "fallback")`, `"fallback"`, ""},
	{`try(local.foo.boop)`, "", `no expression succeeded:`},
	{`convert(3, string)`, `"3"`, ""},
	{`convert("3", number)`, `3`, ""},
	{`convert("false", bool)`, `false`, ""},
	{`convert(false, string)`, `"false"`, ""},
	{`convert(["a", "b", 3], list(string))`, `["a", "b", "3"]`, ""},
	{`convert(["c", "b", "b"], set(string))`, `["b", "c"]`, ""},
	{`convert({"a" = "foo", "b" = true}, map(string))`, `{"a": "foo", "b": "true"}`, ""},
	{`convert({a = 1}, object({a = string}))`, `{"a": "1"}`, ""},
	{`convert([1, "2"], tuple([string, number]))`, `["1", 2]`, ""},
	{`convert("x", number)`, "", `Invalid value for "value" parameter: a number is required.`},
}

// valueOf returns the value of EXPRESSION.
func valueOf(t *testing.T, expression, filesBelow string) (any, []diagnostic) {
	t.Helper()
	return decodeWith(t, &request{
		FilesBelow: filesBelow,
		Text:       "locals {\n foo = { bar = \"baz\" }\n}\na = " + expression + "\n",
		Schema: &schema{Root: "file", Bodies: map[string]*body{
			"file": {Attributes: map[string]attribute{"a": {Field: "a", Type: "any"}}}}},
	})
}

func expectCall(t *testing.T, expression, filesBelow, want, fault string) {
	t.Helper()
	value, diags := valueOf(t, expression, filesBelow)
	if fault != "" {
		if len(diags) != 1 || !strings.Contains(diags[0].Summary+": "+diags[0].Detail, fault) {
			t.Errorf("%s has the value %v and the faults %+v, without %q", expression, value, diags, fault)
		}
		return
	}
	got, _ := value.(map[string]any)
	if len(diags) > 0 || got == nil {
		t.Errorf("%s has faults: %+v", expression, diags)
		return
	}
	made, _ := json.Marshal(got["a"])
	if !sameJSON(t, made, []byte(want)) {
		t.Errorf("%s is %s, and not %s", expression, made, want)
	}
}

func TestEachFunctionHasTheResultOfThePeer(t *testing.T) {
	for _, call := range calls {
		expectCall(t, call.expression, "", call.want, call.fault)
	}
}

func TestEachDocumentedFunctionIsThereAndTested(t *testing.T) {
	all := functions("")
	if len(all) != len(documented) {
		t.Errorf("there are %d functions, and %d are documented", len(all), len(documented))
	}
	tested := strings.Join(elsewhere, "( ") + "("
	for _, call := range calls {
		tested += " " + call.expression
	}
	for _, name := range documented {
		if _, there := all[name]; !there {
			t.Errorf("there is no function %s", name)
		}
		if !regexp.MustCompile(`(^|[^a-z0-9_])` + name + `\(`).MatchString(tested) {
			t.Errorf("the function %s has no test", name)
		}
	}
}

func TestFunctionsOfChance(t *testing.T) {
	for expression, want := range map[string]string{
		`bcrypt("hello world")`:    `^\$2a\$10\$[./0-9A-Za-z]{53}$`,
		`bcrypt("hello world", 4)`: `^\$2a\$04\$[./0-9A-Za-z]{53}$`,
		`uuidv4()`:                 `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`,
	} {
		first, _ := valueOf(t, expression, "")
		second, _ := valueOf(t, expression, "")
		one, two := first.(map[string]any)["a"].(string), second.(map[string]any)["a"].(string)
		if !regexp.MustCompile(want).MatchString(one) || one == two {
			t.Errorf("%s is %s, then %s", expression, one, two)
		}
	}
}

func TestRsaDecryptReadsWhatAPublicKeyWrote(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := rsa.EncryptPKCS1v15(rand.Reader, &key.PublicKey, []byte("hello"))
	if err != nil {
		t.Fatal(err)
	}
	private := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY",
		Bytes: x509.MarshalPKCS1PrivateKey(key)})
	expectCall(t, `rsadecrypt("`+base64.StdEncoding.EncodeToString(secret)+"\", <<EOT\n"+string(private)+
		"EOT\n)", "", `"hello"`, "")
}

// The peer refuses the first of each pair.
func TestFunctionsThatHaveTwoKindsOfArguments(t *testing.T) {
	expectCall(t, `length(3)`, "", "", "collection must be a list, a map or a tuple")
	expectCall(t, `index({a = 1}, "b")`, "", "", "collection must be a list, a map or a tuple")
	expectCall(t, `reverse({a = 1})`, "", "", "string required")
	expectCall(t, `reverse(convert(["b", "a"], set(string)))`, "", `["b", "a"]`, "")
}
