client {
  enabled                  = true
  gc_interval              = "1m"
  gc_disk_usage_threshold  = 85
  gc_inode_usage_threshold = 90  # warning /client/gc_inode_usage_threshold
  gc_max_allocs            = 50
  gc_parallel_destroys     = 2
  max_kill_timeout         = "10m"
  no_host_uuid             = true
  disable_remote_exec      = true  # error /client/disable_remote_exec
  drain_on_shutdown {  # error /client/drain_on_shutdown
    deadline           = "1h"
    force              = false
    ignore_system_jobs = false
  }
}
limits {
  http_max_conns_per_client = 200
  rpc_max_conns_per_client  = 100  # warning /limits/rpc_max_conns_per_client
  https_handshake_timeout   = "5s"
}
