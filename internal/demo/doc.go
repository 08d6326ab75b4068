// Package demo is what `pinion demo` shows: a control loop that runs beside 32 other topics, first
// with everything on one shared loop, then with the critical topic on a lane.
package demo
