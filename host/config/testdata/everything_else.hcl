http_api_response_headers {  # warning /http_api_response_headers
  "Access-Control-Allow-Origin" = "*"
}
audit {  # error /audit
  enabled = true
  sink "audit" {
    type = "file"
  }
}
sentinel {  # error /sentinel
  import "custom" {
    path = "/usr/bin/x"
  }
}
keyring "awskms" {  # warning /keyring
  active = true
  region = "us-east-1"
}
ui {  # warning /ui
  enabled = true
  consul {
    ui_url = "https://consul.example.com/ui"
  }
}
