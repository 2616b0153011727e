data_dir = "/opt/nomad"
bind_addr = "10.0.0.1"
advertise {
  http = "10.0.0.1"
  rpc  = "10.0.0.1"  # warning /advertise/rpc
  serf = "10.0.0.1"  # warning /advertise/serf
}
server {
  enabled          = true
  bootstrap_expect = 3  # error /server/bootstrap_expect
  encrypt          = "cg8StVXbQJ0gPvMd9o7yrg=="  # warning /server/encrypt
  server_join {  # error /server/server_join
    retry_join     = ["10.0.0.2", "10.0.0.3"]
    retry_max      = 3
    retry_interval = "15s"
  }
}
client {
  enabled = false  # error /client/enabled
}
