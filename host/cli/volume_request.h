// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/cli/client_command.h"

namespace drover {

// A command that sends the specification of a host volume.
class VolumeSpecCommand {
 public:
  // What differs between the commands.
  struct Kind {
    const char* path;  // of the API
    const char* done;  // the first word of the line about the volume
    const char* note;  // the end of the help
  };

  void Declare(CLI::App* command);
  // Reads the specification from the file, or from the standard input if it is "-". The namespace
  // of the specification counts before that of the options.
  Result<int> Run(ApiClient* client, Output* out) const;

 protected:
  explicit VolumeSpecCommand(const Kind& kind) : kind_(kind) {}

 private:
  const Kind kind_;
  std::string file_;
  bool detach_ = false;
};

}  // namespace drover
