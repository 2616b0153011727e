# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
"""The SDK for Conan 2, from a checkout of Drover: conan create packaging/conan"""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class DroverSdk(ConanFile):
    name = "drover-sdk"
    description = "Headers and a CMake package for task drivers of Drover"
    license = "Apache-2.0"
    url = "https://github.com/drover/drover"
    topics = ("plugin", "scheduler", "orchestration")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    def set_version(self):
        """The version is that of the ABI, which the header says."""
        header = load(self, os.path.join(self.recipe_folder, "../../sdk/include/drover/drover.h"))
        numbers = [re.search(rf"^#define DROVER_ABI_{part} (\d+)", header, re.M).group(1)
                   for part in ("MAJOR", "MINOR")]
        self.version = ".".join([*numbers, "0"])

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "../..")
        copy(self, "LICENSE", root, self.export_sources_folder)
        for pattern in ("CMakeLists.txt", "cmake/*", "include/*"):
            copy(self, pattern, os.path.join(root, "sdk"), os.path.join(self.export_sources_folder, "sdk"))

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("drivers of Drover run on Linux only")

    def layout(self):
        cmake_layout(self, src_folder=".")

    def package_id(self):
        self.info.clear()  # headers only

    def generate(self):
        CMakeToolchain(self).generate()

    def build(self):
        CMake(self).configure(build_script_folder="sdk")

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # The package's own DroverSDKConfig.cmake has drover_add_driver(), so Conan makes none.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "DroverSDK")]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.system_libs = ["pthread"]
