package pubsub

import "github.com/pinion-ros/pinion/internal/cyclone"

// inDelivery tells whether the caller runs inside an inline callback, for whose end the callbacks of the
// whole receive path and Cyclone DDS wait.
func inDelivery() bool { return cyclone.Delivering() }
