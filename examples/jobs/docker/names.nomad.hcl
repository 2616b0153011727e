# A name, name servers and hosts of its own.
job "names" {
  type = "batch"

  group "names" {
    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "hostname; cat /etc/hosts"]

        network_mode = "none"
        hostname     = "box"
        extra_hosts  = ["db.example:192.0.2.7"]
      }
    }
  }
}
