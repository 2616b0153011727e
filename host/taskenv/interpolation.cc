// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/taskenv/interpolation.h"

#include "host/base/text.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

// The maximum number of bytes from "${" to "}". Without a limit, many "${" would take quadratic
// time.
constexpr std::size_t kMaxReference = 1024;

// A reference in a text. [begin, end) is the whole reference with its "${" and "}".
struct Reference {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view name;
};

// Finds the first reference at or after FROM. In the result, BEGIN is npos if there is no
// reference, and END is npos if the reference has no "}".
Reference FindReference(std::string_view text, std::size_t from) {
  Reference found;
  found.begin = text.find("${", from);
  if (found.begin == std::string_view::npos) return found;
  std::size_t close = text.substr(found.begin, kMaxReference).find('}');
  if (close != std::string_view::npos) close += found.begin;
  found.end = close == std::string_view::npos ? close : close + 1;
  if (close != std::string_view::npos) {
    found.name = Trim(text.substr(found.begin + 2, close - found.begin - 2));
  }
  return found;
}

}  // namespace

std::string InterpolateText(std::string_view text, const VariableLookup& lookup) {
  std::string out;
  std::size_t done = 0;
  while (true) {
    const Reference reference = FindReference(text, done);
    if (reference.begin == std::string_view::npos) break;
    const bool closed = reference.end != std::string_view::npos;
    const std::string* value = closed ? lookup(reference.name) : nullptr;
    if (value != nullptr) {
      out.append(text, done, reference.begin - done).append(*value);
      done = reference.end;
    } else {
      // Continues after the "${", because another reference may begin inside this one.
      out.append(text, done, reference.begin + 2 - done);
      done = reference.begin + 2;
    }
    if (out.size() > kMaxInterpolated) return std::string(text);
  }
  out.append(text, done);
  return out.size() > kMaxInterpolated ? std::string(text) : out;
}

Result<std::string> InterpolateTextStrict(std::string_view text, const VariableLookup& lookup) {
  std::string out;
  std::size_t done = 0;
  while (true) {
    const Reference reference = FindReference(text, done);
    if (reference.begin == std::string_view::npos) break;
    if (reference.begin > done && text[reference.begin - 1] == '$') {
      out.append(text, done, reference.begin - 1 - done).append("${");
      done = reference.begin + 2;
      continue;
    }
    if (reference.end == std::string_view::npos) {
      return Error(Code::kInvalidArgument, "\"${\" is not closed in " + Quoted(text) +
                                               "; write \"$${\" for the characters");
    }
    const std::string* value = lookup(reference.name);
    if (value == nullptr) {
      const std::string_view whole = text.substr(reference.begin, reference.end - reference.begin);
      return Error(Code::kInvalidArgument,
                   Quoted(whole) + " is not known to this task; write \"$${\" for the characters");
    }
    out.append(text, done, reference.begin - done).append(*value);
    done = reference.end;
    if (out.size() > kMaxInterpolated) break;
  }
  out.append(text, done);
  if (out.size() > kMaxInterpolated) {
    return Error(Code::kInvalidArgument, "the text becomes longer than " +
                                             std::to_string(kMaxInterpolated) +
                                             " bytes when its ${...} are replaced");
  }
  return out;
}

}  // namespace drover
