# What has an effect though it is false or empty, and what has none though it is a text.
disable_update_check = false  # warning /disable_update_check
ports {
  rpc = "4647"
}
acl {
  enabled = "false"
}
vault {
  enabled = "0"
  address = "http://vault:8200"
}
client {
  enabled           = true
  no_host_uuid      = "false"  # warning /client/no_host_uuid
  network_interface = ""
  drain_on_shutdown {}  # error /client/drain_on_shutdown
  disk_total_mb     = 100000  # error /client/disk_total_mb
  options {
    "docker.volumes.enabled" = true
    "driver.raw_exec.enable" = 0
    "docker.caps.whitelist"  = "ALL"  # error /client/options/docker.caps.whitelist
  }
  reserved {
    cores = 0  # error /client/reserved/cores
  }
}
server {
  default_scheduler_config {
    memory_oversubscription_enabled = false  # warning /server/default_scheduler_config/memory_oversubscription_enabled
  }
}
telemetry {
  filter_default = false  # warning /telemetry/filter_default
}
bind_addr = ""
