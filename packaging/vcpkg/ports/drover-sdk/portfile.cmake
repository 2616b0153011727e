# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#
# An overlay port, used from a checkout of Drover:
#   vcpkg install drover-sdk --overlay-ports=packaging/vcpkg/ports
get_filename_component(DROVER_ROOT "${CURRENT_PORT_DIR}/../../../.." ABSOLUTE)
set(VCPKG_BUILD_TYPE release)  # headers only

vcpkg_cmake_configure(
  SOURCE_PATH "${DROVER_ROOT}/sdk"
  OPTIONS "-DDROVER_SDK_CMAKEDIR=share/DroverSDK")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME DroverSDK CONFIG_PATH share/DroverSDK)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${DROVER_ROOT}/LICENSE")
