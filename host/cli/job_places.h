// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"
#include "host/hcl/hcl_places.h"
#include "host/hcl/hcl_program.h"

namespace drover {

// Shows where a job file in HCL has what an error names by a JSON pointer. An object without
// places, as that of a file in JSON, changes no text.
class JobPlaces {
 public:
  JobPlaces() = default;
  JobPlaces(HclSource file, HclPlaces places);

  // Returns TEXT, in which a line such as "* POINTER: what is wrong" becomes the place in the file
  // with the same words, and the source with a mark below it. Several such faults may stand in one
  // line, with "; " between them. The pointer may begin with "/Job", as those of agents do. Other
  // lines stay as they are, and so do all beyond a hundred faults.
  std::string WithPlaces(std::string_view text) const;
  Error WithPlaces(const Error& error) const;

  // Returns ":LINE,COLUMN" for the JSON pointer POINTER, or an empty text if it has no place.
  std::string LineOf(std::string_view pointer) const;

 private:
  std::string Shown(std::string_view fault) const;

  std::vector<HclSource> files_;  // the job file
  HclPlaces places_;
};

}  // namespace drover
