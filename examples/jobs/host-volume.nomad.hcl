# Two tasks with a volume that outlives them: one writes to it, the other one can only read. Make
# the volume first:
#   drover volume create examples/volume.hcl
job "host-volume" {
  type = "batch"

  group "group" {
    volume "data" {
      type   = "host"
      source = "example"
    }

    task "write" {
      driver = "exec"

      lifecycle {
        hook = "prestart"
      }

      volume_mount {
        volume      = "data"
        destination = "/data"
      }

      config {
        command = "/bin/sh"
        args    = ["-c", "echo a line of $NOMAD_ALLOC_ID >> /data/lines"]
      }
    }

    task "read" {
      driver = "exec"

      volume_mount {
        volume      = "data"
        destination = "/srv/data"
        read_only   = true
      }

      config {
        command = "/bin/sh"
        args    = ["-c", "cat /srv/data/lines; echo x 2>/dev/null >> /srv/data/lines || echo read only"]
      }
    }
  }
}
