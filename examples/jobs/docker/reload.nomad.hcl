# A template whose change sends a signal to the container.
job "reload" {
  group "web" {
    network {
      port "http" {}
    }

    task "server" {
      driver = "docker"

      config {
        image        = "drover-test:1"
        network_mode = "host"
        command      = "httpd"
        args         = ["-f", "-p", "${NOMAD_PORT_http}", "-h", "/local"]
      }

      template {
        destination   = "local/settings"
        change_mode   = "signal"
        change_signal = "SIGHUP"
        data          = "level = {{ env \"NOMAD_META_level\" }}\n"
      }

      template {
        destination = "local/index.html"
        data        = "the page of reload\n"
      }
    }
  }
}
