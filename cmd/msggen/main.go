// Msggen compiles the interface definitions of ROS 2: .msg, .srv and .action files.
//
// It writes Go packages whose messages encode themselves in the format that ROS 2 programs exchange. This
// takes all that a package has: messages such as gamepad_msgs/msg/GamepadState.msg, services in srv and
// actions in action.
//
//	//go:generate go run github.com/pinion-ros/pinion/cmd/msggen ./gamepad_msgs
//
// It accepts what ROS 2 accepts and rejects what ROS 2 rejects. Every fault is reported as
// file:line:column, with what would be right. Faults that the parser of ROS 2 lets through and
// only its translation to IDL rejects are marked "idl stage". Where there is a fault nothing is
// written and the exit code is 1; it is 2 where the command line is wrong.
//
// # Commands
//
// Arguments are folders, which are searched for definitions down to the last, files, and names of
// packages.
//
//	msggen gen [-out DIR] [-module PATH] [-idl ros|dds] [-idl-out DIR] DIR|FILE|PACKAGE...
//
// writes Go code, and IDL where asked. The word gen may be left out. Each package is a folder of
// its name: DIR itself if it has that name, otherwise a folder in DIR. Without -out the code lies
// beside the folders msg, srv and action, or in the current folder for packages that were named.
// IDL goes to -idl-out, by default to where the code goes. The import paths of packages follow from
// the go.mod above them; -module gives the path of the folder that holds them instead. Standard
// packages that are not generated in the same run are imported from pinion. Files whose content
// stays the same are not touched. Code of definitions that are gone is left and reported on standard
// error.
//
//	msggen idl -flavour ros|dds [-out DIR] DIR|FILE|PACKAGE...
//
// writes IDL: as ROS 2 itself translates definitions, to package/kind/Name.idl, or for programs that
// use DDS without ROS 2 and want to talk to ROS 2 nodes, to package__kind__Name.idl. A file includes
// those of the messages in it; to have them too, name their packages as well.
//
//	msggen check DIR|FILE...
//
// reports faults only.
//
//	msggen hash TYPE...
//
// prints a line for each type, the type and its RIHS01 hash with a tab between them. Types are
// written like std_msgs/msg/String; derived types such as std_srvs/srv/SetBool_Event have hashes too.
//
//	msggen parse --format json FILE...
//
// prints what each file holds, or its faults, as one JSON object a line. Types that the files name
// need not exist.
//
//	msggen encode TYPE
//	msggen decode TYPE
//
// turn the JSON of a message on standard input into hexadecimal digits of its CDR with the
// encapsulation header, and back. Integers of 64 bits are strings.
//
// # Search
//
// Types are searched in the packages that the arguments belong to, in the folders of packages that
// -I names, which may be repeated, in the packages of AMENT_PREFIX_PATH, and among the standard
// definitions that are built into msggen. The package of a file is the name in the package.xml
// above it, otherwise the folder above msg, srv or action.
//
// # Keys
//
// A comment that begins with the word @key, on the line of a field or above it, makes the field
// part of the key of its topic:
//
//	# @key
//	uint16 robot
//	int16 joint    # @key the number on the plate
//
// ROS 2 takes that for a comment and has no keys; programs that use DDS directly have. Keys are of
// fixed size: primitive types other than strings, arrays of fixed length, and messages of such
// fields that have no keys of their own. Services and actions have no keys.
package main

import (
	"os"

	"github.com/pinion-ros/pinion/internal/msggencli"
)

func main() {
	os.Exit(msggencli.Main(os.Args[1:], msggencli.Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
	}))
}
