// Package bench measures how late messages come to their callbacks, and what else the library costs.
package bench
