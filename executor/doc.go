// Package executor schedules the callbacks of subscriptions so that critical topics do not notice
// the others.
//
// A lane is a thread of its own from the socket to the callback: the topics of a lane come in
// through sockets that they share with no other topic, and their callbacks run on the very thread
// that reads these sockets, pinned and with a real-time policy where the plan asks for it. All other
// subscriptions are background: a fixed number of workers runs their callbacks, and what they cannot
// keep up with waits in each subscription's history and is dropped there, and counted.
//
// A woken lane has a thread of its own behind the one that reads: its callbacks may block, its topics go
// by priority, and its timers share the thread, so that a control loop and its input need no lock.
//
// While it runs, an executor with lanes keeps the rest of the process off their CPUs, quiets the
// monitor thread of the Go runtime, and raises GOMAXPROCS to what its threads need. WithSharedCPUs,
// WithNoisyRuntime and WithFixedProcs leave that, and say what each costs. Stats shows what is in force,
// and what the garbage collector and goroutines that compute do to the lanes.
//
// New gives what was said above. NewDedicated, NewShared and NewLoop schedule the same subscriptions in
// other ways, through the same code, to compare with. Chains have a priority through all their topics
// and an age of data that is measured; groups keep callbacks apart or let them run together.
//
// Where even that is not enough, a lane can be in another process: Run starts the program once more for
// it, see Part.
//
// Which topic belongs where is configuration (a Plan, from YAML or from code). The code of a node
// does not change.
package executor
