# A container in the network of the host.
job "host-network" {
  type = "batch"

  group "host-network" {
    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "hostname"]

        network_mode = "host"
      }
    }
  }
}
