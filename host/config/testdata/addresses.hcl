bind_addr = "localhost"  # error /bind_addr
addresses {
  http = "10.0.0.9 127.0.0.1"  # error /addresses/http
}
advertise {
  http = "{{ GetInterfaceIP \"none\" }}:4646"  # error /advertise/http
}
