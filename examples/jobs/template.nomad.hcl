# A page that always names the running instances of a service: drover job scale template backend 3
job "template" {
  type = "service"

  group "backend" {
    count = 2

    network {
      port "http" {}
    }

    service {
      provider = "nomad"
      name     = "backend"
      port     = "http"
    }

    task "server" {
      driver = "raw_exec"

      config {
        command = "python3"
        args    = ["-m", "http.server", "${NOMAD_PORT_http}", "--bind", "${NOMAD_IP_http}", "--directory", "${NOMAD_TASK_DIR}"]
      }
    }
  }

  group "front" {
    network {
      port "http" {}
    }

    task "page" {
      driver = "raw_exec"

      # The file is written anew when an instance comes or goes. The server reads it for each request, so nothing
      # else has to be done.
      template {
        destination = "local/index.html"
        change_mode = "noop"
        data        = <<EOF
{{ range nomadService "backend" }}http://{{ .Address }}:{{ .Port }}/
{{ end }}
EOF
      }

      # Variables that the task gets in its environment. When one changes, the task is restarted.
      template {
        destination = "secrets/page.env"
        env         = true
        data        = <<EOF
PAGE_OF={{ env "NOMAD_JOB_NAME" }}
EOF
      }

      config {
        command = "python3"
        args    = ["-m", "http.server", "${NOMAD_PORT_http}", "--bind", "${NOMAD_IP_http}", "--directory", "${NOMAD_TASK_DIR}"]
      }
    }
  }
}
