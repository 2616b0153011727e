name = "a"
client {  # error /client
  enabled = true
}
client {
  meta {
    a = "b"
  }
}
plugin "exec" {}  # error /plugin/exec
plugin "raw_exec" {
  config {
    enabled = true
  }
}
plugin "exec" {}
