// Package reliability is the evidence that nothing is lost and nobody is hurt: tests that put processes
// of this library under bad networks, hostile packets, faults of processes and load.
//
// `make reliability` runs them at full size and keeps their figures in docs/reliability.md. Among the
// long tests they run in a smaller form.
//
// The programs under test are this package's test binary again, as a worker in a role. Tests talk with
// workers in lines on their standard input and output, and place them in network namespaces.
package reliability
