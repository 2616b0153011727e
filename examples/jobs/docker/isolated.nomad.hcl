# A container without a network.
job "isolated" {
  type = "batch"

  group "isolated" {
    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "ls /sys/class/net"]

        network_mode = "none"
      }
    }
  }
}
