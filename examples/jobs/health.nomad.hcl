# A group that says when an allocation of it is healthy. drover alloc status -json ID prints the
# verdict as DeploymentStatus.
job "health" {
  type = "service"

  group "site" {
    network {
      port "http" {}
    }

    # Healthy is an allocation whose tasks have run, and whose checks have passed, for two seconds.
    # That must come within a minute.
    update {
      health_check     = "checks"
      min_healthy_time = "2s"
      healthy_deadline = "1m"
    }

    service {
      name     = "site"
      port     = "http"
      provider = "nomad"

      check {
        name     = "page"
        type     = "http"
        path     = "/"
        interval = "1s"
        timeout  = "1s"
      }
    }

    task "server" {
      driver = "raw_exec"

      config {
        command = "python3"
        args    = ["-m", "http.server", "${NOMAD_PORT_http}", "--bind", "${NOMAD_IP_http}", "--directory", "${NOMAD_TASK_DIR}"]
      }
    }
  }
}
