# A client of a cluster, as its packages install it.
data_dir  = "/opt/nomad/data"
bind_addr = "0.0.0.0"

client {
  enabled = true
  servers = ["10.0.0.10:4647", "10.0.0.11:4647"]  # error /client/servers
}
