# HAProxy in front of web servers that come and go: drover job scale haproxy backend 3
job "haproxy" {
  type = "service"

  group "backend" {
    count = 2

    # An instance that is to end is no longer found as a service. It goes on for this time, so that HAProxy can
    # leave it alone before it ends.
    shutdown_delay = "5s"

    network {
      port "http" {}
    }

    service {
      name     = "backend"
      port     = "http"
      provider = "nomad"
    }

    task "server" {
      driver = "raw_exec"

      config {
        command = "/bin/sh"
        args    = ["-c", "echo \"hello from ${NOMAD_ALLOC_NAME}\" > local/index.html; exec python3 -m http.server ${NOMAD_PORT_http} --bind ${NOMAD_IP_http} --directory local"]
      }
    }
  }

  group "front" {
    network {
      port "http" {}
    }

    task "haproxy" {
      driver = "raw_exec"

      # The file is written anew when an instance comes or goes. Then the signal makes HAProxy read it, which
      # interrupts no request.
      template {
        destination   = "local/haproxy.cfg"
        change_mode   = "signal"
        change_signal = "SIGUSR2"
        splay         = "0s"
        data          = <<EOF
global
  maxconn 200

defaults
  mode http
  timeout connect 1s
  timeout client 10s
  timeout server 10s
  retries 3
  option redispatch 1

frontend front
  bind {{ env "NOMAD_ADDR_http" }}
  default_backend backend

backend backend
  balance roundrobin
{{- range nomadService "backend" }}
  server {{ .AllocID }} {{ .Address }}:{{ .Port }}
{{- end }}
EOF

        # Several instances that come together are one change. And before HAProxy has been there for a moment, the
        # signal would end it.
        wait {
          min = "1s"
          max = "2s"
        }
      }

      # With -W, a master process gets the signals, and the processes that answer requests come and go.
      config {
        command = "haproxy"
        args    = ["-W", "-f", "local/haproxy.cfg"]
      }
    }
  }
}
