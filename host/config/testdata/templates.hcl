bind_addr = "{{ GetInterfaceIP \"lo\" }}"
advertise {
  http = "{{ GetInterfaceIP `lo` }}:4646"
}
client {
  network_interface = "{{ GetDefaultInterfaces | attr \"name\" }}"  # error /client/network_interface
}
