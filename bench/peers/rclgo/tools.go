//go:build tools

package main

import _ "github.com/tiiuae/rclgo/cmd/rclgo-gen"
