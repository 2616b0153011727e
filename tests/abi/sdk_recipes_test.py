#!/usr/bin/env python3
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""sdk_recipes_test.py: the recipes of the SDK for Conan and vcpkg name the version and the files that are there.

Neither of the two needs to be installed: Conan's modules are replaced by ones that copy files.
"""
import fnmatch
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PORT = ROOT / "packaging/vcpkg/ports/drover-sdk"


def abi_version():
    header = (ROOT / "sdk/include/drover/drover.h").read_text()
    numbers = [re.search(rf"^#define DROVER_ABI_{part} (\d+)", header, re.M).group(1)
               for part in ("MAJOR", "MINOR")]
    return ".".join([*numbers, "0"])


def copy(_recipe, pattern, src, dst):
    """Conan's function of that name, as far as the recipe uses it."""
    top = pathlib.Path(src) / pattern.partition("*")[0]
    found = [path for path in (top.rglob("*") if top.is_dir() else [top])
             if path.is_file() and fnmatch.fnmatch(str(path.relative_to(src)), pattern)]
    assert found, f"nothing in {src} matches {pattern}"
    for path in found:
        target = pathlib.Path(dst) / path.relative_to(src)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


class FakeCMake:
    calls = []

    def __init__(self, recipe):
        self.recipe = recipe

    def configure(self, build_script_folder):
        self.calls.append(("configure", build_script_folder))

    def install(self):
        self.calls.append(("install",))


def conan_recipe():
    class ConanFile:
        recipe_folder = str(ROOT / "packaging/conan")

    class ConanInvalidConfiguration(Exception):
        pass

    class CMakeToolchain(FakeCMake):
        def generate(self):
            self.calls.append(("toolchain",))

    members = {"conan": {"ConanFile": ConanFile},
               "conan.errors": {"ConanInvalidConfiguration": ConanInvalidConfiguration},
               "conan.tools": {},
               "conan.tools.cmake": {"CMake": FakeCMake, "CMakeToolchain": CMakeToolchain,
                                     "cmake_layout": lambda recipe, src_folder: None},
               "conan.tools.files": {"copy": copy, "load": lambda _, path: pathlib.Path(path).read_text()}}
    for name, values in members.items():
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(values)
    space = {"__name__": "conanfile"}
    path = ROOT / "packaging/conan/conanfile.py"
    exec(compile(path.read_text(), str(path), "exec"), space)
    return space["DroverSdk"](), ConanInvalidConfiguration


class ConanTest(unittest.TestCase):
    def setUp(self):
        self.recipe, self.refusal = conan_recipe()
        self.recipe.export_sources_folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.recipe.export_sources_folder)

    def test_the_version_is_that_of_the_abi(self):
        self.recipe.set_version()
        self.assertEqual(self.recipe.version, abi_version())

    def test_it_exports_what_the_sdk_needs_and_its_licence(self):
        self.recipe.export_sources()
        exported = pathlib.Path(self.recipe.export_sources_folder)
        names = {str(path.relative_to(exported)) for path in exported.rglob("*") if path.is_file()}
        self.assertLessEqual({"LICENSE", "sdk/CMakeLists.txt", "sdk/include/drover/drover.h",
                              "sdk/include/drover/entry.hpp", "sdk/cmake/DroverDriver.cmake",
                              "sdk/cmake/DroverSDKConfig.cmake.in", "sdk/cmake/drover_driver.map"}, names)
        self.assertEqual([name for name in names if "testhost" in name or "templates" in name], [])
        # Each file that the SDK's own CMake names is among them.
        listing = (ROOT / "sdk/CMakeLists.txt").read_text()
        for name in re.findall(r"\bcmake/[\w.-]+\.(?:cmake|in|map)\b", listing):
            self.assertIn("sdk/" + name, names)

    def test_it_builds_and_packages_by_cmake(self):
        FakeCMake.calls.clear()
        self.recipe.generate()
        self.recipe.build()
        self.recipe.source_folder = str(ROOT)
        self.recipe.package_folder = self.recipe.export_sources_folder
        self.recipe.package()
        self.assertEqual(FakeCMake.calls, [("toolchain",), ("configure", "sdk"), ("install",)])
        self.assertTrue(os.path.exists(self.recipe.package_folder + "/licenses/LICENSE"))

    def test_only_linux_has_drivers(self):
        self.recipe.settings = types.SimpleNamespace(os="Windows")
        self.assertRaises(self.refusal, self.recipe.validate)
        self.recipe.settings.os = "Linux"
        self.recipe.validate()


class VcpkgTest(unittest.TestCase):
    def test_the_manifest_has_name_version_and_licence(self):
        manifest = json.loads((PORT / "vcpkg.json").read_text())
        self.assertEqual((manifest["name"], manifest["version"], manifest["license"], manifest["supports"]),
                         (PORT.name, abi_version(), "Apache-2.0", "linux"))
        self.assertEqual({one["name"] for one in manifest["dependencies"]},
                         {"vcpkg-cmake", "vcpkg-cmake-config"})

    def test_the_port_names_files_that_are_there(self):
        text = (PORT / "portfile.cmake").read_text()
        root = re.search(r'\$\{CURRENT_PORT_DIR\}/([./]+)"', text).group(1)
        self.assertEqual((PORT / root).resolve(), ROOT)
        named = re.findall(r"\$\{DROVER_ROOT\}/([\w./]+)", text)
        self.assertEqual(sorted(named), ["LICENSE", "sdk"])
        for name in named:
            self.assertTrue((ROOT / name).exists(), name)
        for name in re.findall(r"\$\{CMAKE_CURRENT_LIST_DIR\}/([\w.]+)", text):
            self.assertTrue((PORT / name).exists(), name)

    def test_the_option_is_one_of_the_sdk(self):
        option = re.search(r"-D(\w+)=", (PORT / "portfile.cmake").read_text()).group(1)
        self.assertRegex((ROOT / "sdk/CMakeLists.txt").read_text(), rf"set\({option}\b[^)]*CACHE")

    def test_its_functions_are_those_of_its_dependencies(self):
        known = {"vcpkg_cmake_configure", "vcpkg_cmake_install", "vcpkg_cmake_config_fixup",
                 "vcpkg_fixup_pkgconfig", "vcpkg_install_copyright"}
        used = set(re.findall(r"^(vcpkg_\w+)\(", (PORT / "portfile.cmake").read_text(), re.M))
        self.assertEqual(used, known)


if __name__ == "__main__":
    unittest.main(verbosity=2)
