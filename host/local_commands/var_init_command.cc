// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/printable.h"
#include "host/cli/replace_file.h"
#include "host/cli/shell_word.h"
#include "host/local_commands/local_commands.h"

namespace drover {
namespace {

constexpr std::string_view kHclExample =
    R"(# A variable. "drover var put @FILE" makes it; docs/variables.md has the details.

# Where it is. The tasks of the job "web" can read what is at nomad/jobs/web.
path = "nomad/jobs/web"

# The namespace. The option --namespace counts before it.
# namespace = "default"

# The items are secret: the agent encrypts them. A name with a dot is hard to use in templates.
items {
  user     = "admin"
  password = "change me"
}
)";

constexpr std::string_view kJsonExample = R"({
  "Path": "nomad/jobs/web",
  "Items": {
    "user": "admin",
    "password": "change me"
  }
}
)";

struct VarInitCommand {
  std::string file;
  std::string form = "hcl";
  bool quiet = false;

  void Declare(CLI::App* command) {
    command->add_option("FILE", file, "The new file (default: spec.nv.hcl or spec.nv.json)");
    command->add_option("--out", form, "The form of the file (hcl)")
        ->check(CLI::IsMember({"hcl", "json"}));
    command->add_flag("--quiet", quiet, "Says nothing unless it fails");
  }

  int Run() const {
    const std::string name = file.empty() ? "spec.nv." + form : file;
    const Status written = WriteNewFile(name, form == "json" ? kJsonExample : kHclExample);
    if (!written.ok()) return Fail("var init", written.error(), kExitFailed);
    if (!quiet) {
      std::printf("Wrote %s. To make the variable: drover var put %s\n", Printable(name).c_str(),
                  Printable(ShortShellWord("@" + name)).c_str());
    }
    return kExitOk;
  }
};

}  // namespace

void AddVarInit(const CommandGroup& var) {
  var.Add<VarInitCommand>("init", "Writes an example of a variable's specification");
}

}  // namespace drover
