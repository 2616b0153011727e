# Every kind of lifecycle task, around a web server that ends by itself.
job "lifecycle" {
  type        = "batch"
  datacenters = ["dc1"]

  group "site" {
    count = 1

    restart {
      attempts = 2
      interval = "10m"
      delay    = "500ms"
      mode     = "fail"
    }

    network {
      port "http" {}
    }

    # Ends before the main tasks start.
    task "build" {
      driver = "raw_exec"

      lifecycle {
        hook = "prestart"
      }

      config {
        command = "/bin/sh"
        args    = ["-c", "echo \"building the page\"; echo \"hello from ${NOMAD_ALLOC_NAME}\" > ${NOMAD_ALLOC_DIR}/data/index.html"]
      }
    }

    # Runs beside the main tasks.
    task "watch" {
      driver = "raw_exec"

      lifecycle {
        hook    = "prestart"
        sidecar = true
      }

      config {
        command = "/bin/sh"
        args    = ["-c", "echo \"watching\"; while :; do sleep 1; echo \"page: $(cat ${NOMAD_ALLOC_DIR}/data/index.html 2>/dev/null)\"; done"]
      }

      kill_signal = "SIGTERM"
    }

    # When the leader ends, so do the others.
    task "web" {
      driver = "raw_exec"
      leader = true

      config {
        command = "/bin/sh"
        args    = ["-c", "echo \"listening on ${NOMAD_ADDR_http}\"; python3 -m http.server ${NOMAD_PORT_http} --bind ${NOMAD_IP_http} --directory ${NOMAD_ALLOC_DIR}/data & server=$!; sleep 5; kill $server; wait $server; echo \"served its time\"; exit 0"]
      }

      kill_timeout = "3s"
    }

    # Fails once, and starts again.
    task "flaky" {
      driver = "raw_exec"

      config {
        command = "/bin/sh"
        args    = ["-c", "if [ -e ${NOMAD_TASK_DIR}/tried ]; then echo \"second try: fine\"; exit 0; fi; touch ${NOMAD_TASK_DIR}/tried; echo \"first try: failing\" >&2; exit 7"]
      }
    }

    # Starts after the main tasks.
    task "probe" {
      driver = "raw_exec"

      lifecycle {
        hook = "poststart"
      }

      config {
        command = "/usr/bin/env"
        args = ["python3", "-c", trimspace(<<-EOT
          import sys, time, urllib.request
          for _ in range(40):
            try:
              print(urllib.request.urlopen('http://${NOMAD_ADDR_http}/', timeout=2).read().decode().strip())
              sys.exit(0)
            except OSError:
              time.sleep(0.1)
          sys.exit('nobody answers at ${NOMAD_ADDR_http}')
          EOT
        )]
      }
    }

    # Runs when all others have ended.
    task "sweep" {
      driver = "raw_exec"

      lifecycle {
        hook = "poststop"
      }

      config {
        command = "/bin/sh"
        args    = ["-c", "echo \"sweeping up\"; rm -f ${NOMAD_ALLOC_DIR}/data/index.html"]
      }
    }
  }
}
