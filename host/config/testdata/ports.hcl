ports {
  http = 5656
  rpc  = 5657  # warning /ports/rpc
  serf = 5658  # warning /ports/serf
}
addresses {
  http = "127.0.0.1"
  rpc  = "127.0.0.1"  # warning /addresses/rpc
}
client {
  enabled          = "true"
  min_dynamic_port = 25000
  max_dynamic_port = "26000"
  node_pool        = "edge"
}
