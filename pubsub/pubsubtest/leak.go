package pubsubtest

import (
	"github.com/pinion-ros/pinion/internal/cyclone"
	"github.com/pinion-ros/pinion/internal/leaktest"
)

var entities = leaktest.Count{Of: "entities of DDS", Now: cyclone.Entities}

// Run runs the tests, *testing.M as a rule, and returns their exit code, or 1 if goroutines or
// entities of DDS are left when all have ended.
func Run(m interface{ Run() int }) int { return leaktest.Run(m, entities) }

// CheckLeaks fails the test if it ends with more goroutines or entities of DDS than there are now. It
// is of use where no other tests run in parallel. Call it first.
func CheckLeaks(t interface {
	Cleanup(func())
	Error(...any)
}) {
	leaktest.Check(t, entities)
}
