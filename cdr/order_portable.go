//go:build cdr_portable || !(386 || amd64 || arm || arm64 || loong64 || mipsle || mips64le || ppc64le || riscv64 || wasm)

package cdr

// wireOrder is false where numbers have to be converted one by one: on big-endian machines, and
// with the build tag cdr_portable, which lets this path be tested on all others.
const wireOrder = false
