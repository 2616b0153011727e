region     = "global"
datacenter = "home"
name       = "nuc"
data_dir   = "/var/lib/nomad"
log_level  = "INFO"

server {
  enabled          = true
  bootstrap_expect = 1
  job_gc_threshold = "24h"
  raft_protocol    = 3
  heartbeat_grace  = "20s"  # warning /server/heartbeat_grace
}

client {
  enabled           = true
  network_interface = "lo"
  node_class        = "nuc"
  meta {
    rack       = "r1"
    "owner.id" = 7
  }
  reserved {
    cpu            = 500
    memory         = 512
    disk           = 1024
    reserved_ports = "22,80,443,8500-8600"
  }
}

plugin "raw_exec" {
  config {
    enabled = true
  }
}
