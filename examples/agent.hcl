# An agent, or `drover run`, with the drivers of the release build.
plugin_dir = "../build/release/lib/drover/plugins"

client {
  enabled = true # the driver exec needs no block then
}

plugin "raw_exec" {
  config {
    enabled = true
  }
}

plugin "mock_driver" {}
