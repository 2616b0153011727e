datacentre = "dc1"  # error /datacentre
log_level  = "verbose"  # error /log_level
client {
  enabled = "yes"  # error /client/enabled
  metadata {  # error /client/metadata
    a = "b"
  }
  gc_interval = 60  # error /client/gc_interval
  reserved {
    reserved_ports = "ssh"  # error /client/reserved/reserved_ports
  }
}
plugin "raw_exec" {
  args   = ["-x"]  # error /plugin/raw_exec/args
  config = { enabled = true }
}
