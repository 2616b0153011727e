#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""Compares how Drover and go-getter understand sources of artifacts: test_artifact.py DROVER_ARTIFACT_SOURCES.

go-getter is a Go module. The program that uses it is built once and kept below ~/.cache/drover, by the hash of its
sources. Without Go, or without the module, the test is skipped (77) and says why. DROVER_SEED repeats a run.
"""
import json
import os
import pathlib
import random
import subprocess
import sys

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
            "its ref begins with a hyphen", "write git::https://bitbucket.org", "the checksum is")


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


def difference(ours, theirs):
    """Returns what differs, or None."""
    if "refused" in ours:  # by name: this version cannot fetch it
        return None
    if "error" in ours:
        fine = "error" in theirs or any(text in ours["error"] for text in STRICTER)
        return None if fine else "only Drover refuses it"
    if "error" in theirs:
        return "only go-getter refuses it"
    if theirs["kind"] in ("s3", "gcs"):  # these become plain HTTPS
        return None if ours["kind"] == "http" else "the kind"
    wrong = [name for name in ours if ours[name] != theirs[name]]
    if ours["checksum"] and theirs["checksum"].endswith(ours["checksum"].split(":")[1]):
        wrong = [name for name in wrong if name != "checksum"]  # one without a type
    return ", ".join(wrong) or None


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
    found = [(one, why, ours, theirs) for one, ours, theirs in
             zip(sources, ask(sys.argv[1], sources), ask(program, sources))
             if (why := difference(ours, theirs))]
    for one, why, ours, theirs in found[:20]:
        print(f"{one}\n  {why}\n  drover:    {ours}\n  go-getter: {theirs}")
    print(f"{len(sources)} sources, {len(found)} differences, DROVER_SEED={seed}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
