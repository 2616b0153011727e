#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Compares how Drover and go-getter understand sources of artifacts: test_artifact.py DROVER_ARTIFACT_SOURCES.

go-getter is a Go module. The program that uses it is built once and kept below ~/.cache/drover, by the hash of its
sources. Without Go, or without the module, the test is skipped (77) and says why. DROVER_SEED repeats a run.
"""
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import go_program

SOURCE = pathlib.Path(__file__).resolve().parent / "go"
COUNT = 2000

KNOWN = """
github.com/hashicorp/foo
github.com/hashicorp/foo.git
github.com/hashicorp/foo/bar
github.com/hashicorp/foo//bar?ref=v1
github.com/hashicorp/foo?foo=bar
github.com/hashicorp
gitlab.com/hashicorp/foo/bar.git?depth=1
git@github.com:hashicorp/foo.git
git::https://example.com/foo.git?ref=a/b
git::ssh://git@example.com/foo.git
hg::http://example.com/foo.hg
https://example.com/foo/archive.tar.gz//sub/dir
https://example.com/foo.zip?checksum=md5:d41d8cd98f00b204e9800998ecf8427e
https://example.com/foo?archive=zip&filename=bar
https://example.com/foo//*/bar?archive=tgz
https://example.com/foo.txt?archive=false
https://user:pass@example.com/foo
s3::https://s3.amazonaws.com/bucket/foo
bucket.s3.amazonaws.com/foo/bar.zip
bucket.s3-eu-west-1.amazonaws.com/foo
bucket.s3.eu-west-1.amazonaws.com/foo
a.b.c.d.e.f.amazonaws.com/foo
www.googleapis.com/storage/v1/bucket/foo
gcs::https://www.googleapis.com/storage/v1/bucket/foo.zip
/absolute/path
/absolute/path//sub
file:///absolute/path
relative/path
./relative
github.com/hashicorp/foo/a%20b
github.com/hashicorp/foo//a%20b/*?ref=v1
https://example.com/foo?
/absolute/a:b?c;d=1
/absolute/..
/absolute/?a=1
""".split()

PREFIXES = ("", "", "", "git::", "http::", "https::", "file::", "s3::", "x::", "git::git::")
HEADS = ("https://example.com", "http://example.com:8080", "HTTPS://EXAMPLE.com", "https://[::1]:80",
         "https://u:p@example.com", "https://u%40x@example.com", "example.com", "example.com:8080",
         "github.com", "gitlab.com", "file://", "ftp://example.com", "git@example.com:",
         "https://example.com:x", "https://exa mple.com", "", "bucket.s3.amazonaws.com", "://x", "https://")
PARTS = ("a", "b.zip", "c.tar.gz", "d.tgz", "e.tar", "f.git", "g%20h", "i j", "k+l", "..", ".", "", "m*", "%zz",
         "n:o", "p@q", "\u00e9", "r;s", "t.tar.xz", "[u]", "v.txt")
PARAMETERS = ("ref=v1", "depth=3", "depth=x", "archive=zip", "archive=false", "archive=tar.bz2", "a=1", "a=2", "b=%20",
              "c=x+y", "filename=n.txt", "filename=../n", "d=%zz", "e;f=1", "g", "", "url=https://x//y",
              "checksum=md5:d41d8cd98f00b204e9800998ecf8427e")

# Where Drover refuses what go-getter tries, or what go-getter fails with only later.
STRICTER = ("HTTP has no directories", "a single file has no subdirectory", "holds one file", "is no known form",
            "a directory has no checksum", "a git repository is no archive", "has no host", "a file URL has no host",
            "must be an http or https URL", "write the object as", "its path names no file",
            "its ref begins with a hyphen", "write git::https://bitbucket.org", "the checksum is",
            "a file URL has a path", "with parameters, a directory stands after two slashes")

# What go-getter makes a URL of, and escapes on the way.
SHORT_FORM = re.compile(r"([A-Za-z0-9]+::)?(/|(github|gitlab|[^:/]+\.(amazonaws|googleapis))\.com/)")


def made_source(pick):
    parts = [pick.choice(PARTS) for _ in range(pick.randrange(5))]
    text = pick.choice(PREFIXES) + "/".join([pick.choice(HEADS), *parts])
    if pick.random() < 0.3:
        text += "//" + "/".join(pick.choice(PARTS) for _ in range(pick.randrange(1, 3)))
    parameters = [pick.choice(PARAMETERS) for _ in range(pick.randrange(4))]
    return text + ("?" + "&".join(parameters) if parameters else "") + pick.choice(("", "", "", "#top"))


def ask(program, sources):
    done = subprocess.run([str(program)], input="\n".join(sources) + "\n", capture_output=True, text=True,
                          encoding="utf-8", timeout=120, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(sources), (len(answers), len(sources), done.stderr)
    return answers


def subdir_is_escaped(source, ours, theirs):
    """In a short form, go-getter escapes the subdirectory, once or twice, and does not find it then."""
    once = urllib.parse.unquote(theirs["subdir"])
    parts, once, twice = (one.split("/") for one in (ours["subdir"], once, urllib.parse.unquote(once)))
    return bool(SHORT_FORM.match(source)) and len(parts) == len(once) == len(twice) and all(
        part in both for part, *both in zip(parts, once, twice))


def url_means_the_same(source, ours, theirs):
    """go-getter keeps a "?" with nothing behind it, and in a short form escapes more of the path than it must."""
    plain = text = re.sub(r"\?(?=#|$)", "", theirs["url"])
    for escape, character in (("%2A", "*"), ("%5B", "["), ("%5D", "]")):
        plain = plain.replace(escape, character)
    return ours["url"] == text or (bool(SHORT_FORM.match(source)) and ours["url"] == plain)


def is_directory(answer):
    """Whether ANSWER is a path that can only be that of a directory."""
    return answer.get("kind") == "file" and answer["url"].split("?")[0].endswith(("/", "/.", "/.."))


def directory_has_no_name(_, ours, theirs):
    """The content of a directory gets no name."""
    return is_directory(ours) and is_directory(theirs)


def parameters_of_a_path_differ(_, ours, theirs):
    """A path of the machine is fetched without its parameters."""
    path, other = (one["url"].split("?")[0] for one in (ours, theirs))
    return is_directory(ours) and path == other


# The differences that stay: what differs, and when.
STAYING = ((subdir_is_escaped, {"subdir"}), (url_means_the_same, {"url"}),
           (parameters_of_a_path_differ, {"url"}), (directory_has_no_name, {"filename"}))


def staying_refusal(source, ours, theirs):
    """Returns why only one of both refuses SOURCE and that stays, or None."""
    if "error" in ours:
        if any(text in ours["error"] for text in STRICTER):
            return "drover_is_stricter"
        # Drover refuses a wrong name even where it is not used.
        return "directory_has_no_name" if "its filename leads out" in ours["error"] and is_directory(theirs) else None
    if theirs["error"] == "the filename leads out" and is_directory(ours):  # go-getter would look at it first
        return "directory_has_no_name"
    # A path with a colon is no form of SSH. Wrong parameters are dropped, as they are from URLs.
    is_ssh = theirs["error"].startswith("error parsing GitHub SSH URL: invalid ")
    return "path_has_a_colon" if is_ssh and SHORT_FORM.match(source) else None


def difference(source, ours, theirs, stayed):
    """Returns what differs, or None. Counts in STAYED what differs and stays."""
    if "refused" in ours:  # by name: this version cannot fetch it
        return None
    if "error" in ours or "error" in theirs:
        if "error" in ours and "error" in theirs:
            return None
        if why := staying_refusal(source, ours, theirs):
            stayed[why] += 1
            return None
        return "only Drover refuses it" if "error" in ours else "only go-getter refuses it"
    if theirs["kind"] in ("s3", "gcs"):  # these become plain HTTPS
        return None if ours["kind"] == "http" else "the kind"
    wrong = {name for name in ours if ours[name] != theirs[name]}
    if ours["checksum"] and theirs["checksum"].endswith(ours["checksum"].split(":")[1]):
        wrong.discard("checksum")  # one without a type
    for stays, names in STAYING:
        if wrong & names and stays(source, ours, theirs):
            stayed[stays.__name__] += 1
            wrong -= names
    return ", ".join(sorted(wrong)) or None


def main():
    program, reason = go_program.build(SOURCE, "go-getter/sources", "go-getter")
    if program is None:
        print(f"SKIP: {reason}")
        return go_program.SKIPPED
    seed = int(os.environ.get("DROVER_SEED") or random.randrange(2**32))
    pick = random.Random(seed)
    sources = KNOWN + [made_source(pick) for _ in range(COUNT)]
    # Its short form asks Bitbucket.
    sources = [one for one in sources if "bitbucket.org" not in one]
    stayed = collections.Counter()
    found = [(one, why, ours, theirs) for one, ours, theirs in
             zip(sources, ask(sys.argv[1], sources), ask(program, sources))
             if (why := difference(one, ours, theirs, stayed))]
    for one, why, ours, theirs in found[:20]:
        print(f"{one}\n  {why}\n  drover:    {ours}\n  go-getter: {theirs}")
    print("differences that stay:", dict(stayed))
    print(f"{len(sources)} sources, {len(found)} differences, DROVER_SEED={seed}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
