// Package self is the contender pinion: this library, in each of its ways to get a message to its
// callback.
package self
