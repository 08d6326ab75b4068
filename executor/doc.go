// Package executor schedules the callbacks of subscriptions so that critical topics do not notice
// the others.
//
// A lane is a thread of its own from the socket to the callback: the topics of a lane come in
// through sockets that they share with no other topic, and their callbacks run on the very thread
// that reads these sockets, pinned and with a real-time policy where the plan asks for it. All other
// subscriptions are background: a fixed number of workers runs their callbacks, and what they cannot
// keep up with waits in each subscription's history and is dropped there, and counted.
//
// Which topic belongs where is configuration (a Plan, from YAML or from code). The code of a node
// does not change.
package executor
