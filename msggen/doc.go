// Package msggen compiles the interface definitions of ROS 2: .msg, .srv and .action files.
//
// [ParseFile] reads a file with all the rules and quirks of the reference and reports every fault
// with its place. A [Loader] finds what files refer to, checks it, derives the messages that
// services and actions consist of, and describes them. Loader.Go and [IDL] write code from that.
// The package prints nothing and writes no files; command msggen does.
package msggen
