// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/hcl/hcl_program.h"

namespace drover {

// Returns all DIAGNOSTICS as text for people. If SOURCES has the text of a diagnostic's file, the
// line stands there with a mark below the place:
//
//   web.hcl:4,5: Error: Unsupported argument
//     4 |     kind = "service"
//       |     ^^^^
//     An argument named "kind" is not expected here.
//
// A long line is cut around the place. Characters that control terminals become visible.
std::string DiagnosticsText(const std::vector<HclDiagnostic>& diagnostics,
                            const std::vector<HclSource>& sources);

}  // namespace drover
