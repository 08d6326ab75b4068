// Package crossarch holds the test that processes of different architectures understand each other:
// .ci/arm64.sh runs it with a peer for arm64 under emulation, `go test` with a peer like itself.
package crossarch
