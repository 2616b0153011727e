# A task that gets an archive and a file from a web server before it starts. The server is named in
# the configuration of the agent: client { meta { files = "https://files.example" } }.
job "artifact" {
  type = "batch"

  group "group" {
    task "show" {
      driver = "raw_exec"

      # The content of the archive comes into local/site. A download that does not have the checksum
      # in the file SHA256SUMS of the server is refused.
      artifact {
        source      = "${meta.files}/site.tar.gz"
        destination = "local/site"
        options {
          checksum = "file:${meta.files}/SHA256SUMS"
        }
      }

      # One file, with a name of its own.
      artifact {
        source      = "${meta.files}/words.txt"
        destination = "local/words"
        mode        = "file"
      }

      config {
        command = "cat"
        args    = ["local/site/index.html", "local/words"]
      }
    }
  }
}
