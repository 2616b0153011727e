# Drover's own keys in HCL.
token_file  = "token"
plugin_dirs = ["/usr/local/lib/drover/plugins"]
http {
  hosts   = ["node.example"]
  origins = ["https://ui.example"]
}
plugins {
  raw_exec {
    isolation = "process"
    limits { start = "1h" }
    config { enabled = true }
  }
}
client { unknown_tasks = "keep" }
services {
  default_provider = "builtin"
  consul           = "builtin"
}
