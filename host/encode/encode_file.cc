// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/encode/encode_file.h"

#include "host/base/base64.h"
#include "host/encode/encode.h"
#include "host/spec/strict_json.h"

namespace drover {

using nlohmann::json;

std::string FileModeText(mode_t mode) {
  std::string text;
  if (S_ISDIR(mode)) text += 'd';
  if (S_ISLNK(mode)) text += 'L';
  if (S_ISBLK(mode) || S_ISCHR(mode)) text += 'D';
  if (S_ISFIFO(mode)) text += 'p';
  if (S_ISSOCK(mode)) text += 'S';
  if ((mode & S_ISUID) != 0) text += 'u';
  if ((mode & S_ISGID) != 0) text += 'g';
  if (S_ISCHR(mode)) text += 'c';
  if ((mode & S_ISVTX) != 0) text += 't';
  if (text.empty()) text = "-";
  constexpr char kRights[] = "rwxrwxrwx";
  for (int i = 0; i < 9; ++i) text += (mode & (0400u >> i)) != 0 ? kRights[i] : '-';
  return text;
}

json EncodeFileInfo(const AllocFileInfo& info) {
  return {{"Name", info.name},
          {"IsDir", info.is_directory()},
          {"Size", info.size},
          {"FileMode", FileModeText(info.mode)},
          {"ModTime", Rfc3339(info.modified)}};
}

std::string EncodeFrame(const StreamFrame& frame) {
  json object = json::object();
  if (!frame.data.empty()) object["Data"] = Base64(frame.data);
  if (!frame.file.empty()) object["File"] = frame.file;
  if (!frame.event.empty()) object["FileEvent"] = frame.event;
  if (frame.offset != 0) object["Offset"] = frame.offset;
  return JsonText(object);
}

}  // namespace drover
