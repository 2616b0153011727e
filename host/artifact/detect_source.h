// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/artifact/source_url.h"
#include "host/base/result.h"

namespace drover {

// A source of an artifact as a URL.
struct DetectedSource {
  std::string force;  // how it is fetched: what stands before "::", or the scheme of the URL
  SourceUrl url;
  std::string subdir;  // what stands after "//" in the path
};

// Finds the URL that TEXT stands for, as the detectors of go-getter v1.8.10 do: TEXT may begin with
// "git::", have a subdirectory, and be a short form such as github.com/OWNER/NAME.
Result<DetectedSource> DetectSource(const std::string& text);

// What is said of a source by SSH, in any form.
Error NoGitBySsh();

}  // namespace drover
