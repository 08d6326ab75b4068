// Package archtest holds the module to its architecture: which packages may import which, where
// cgo may stand, what lies at the top level, what every package and every generated file has to
// carry, and that tests end with a look for leaks. The rules are the tables of rules.go; the rest of the package reads a source
// tree and names what breaks them. It reads all files whatever their build constraints, and
// neither runs the go command nor needs the tree to compile.
package archtest
