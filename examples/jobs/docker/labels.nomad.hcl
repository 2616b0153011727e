# Labels, by which proxies find the containers of their services.
job "labels" {
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

        labels = {
          "traefik.enable"                     = "true"
          "traefik.http.routers.web.rule"      = "Host(`web.example`)"
          "traefik.http.services.web.protocol" = "http"
        }
      }

      template {
        destination = "local/index.html"
        data        = "the page of labels\n"
      }
    }
  }
}
