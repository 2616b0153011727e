client {
  enabled = true

  host_volume "mysql" {
    path      = "/opt/mysql/data"
    read_only = false
  }
  host_volume "certs" {
    path      = "/etc/ssl/certs"
    read_only = true
  }
  host_volume "none" {  # error /client/host_volume/none
    read_only = true
  }
  host_network "public" {
    cidr           = "203.0.113.0/24"
    reserved_ports = "22,80"
  }
}
