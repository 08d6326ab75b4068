//go:build !cdr_portable && (386 || amd64 || arm || arm64 || loong64 || mipsle || mips64le || ppc64le || riscv64 || wasm)

package cdr

// wireOrder tells that numbers lie in this machine's memory as they lie on the wire, so that
// runs of them are copied instead of converted.
const wireOrder = true
