// Package suite runs the scenarios of the bench: contenders take turns round by round on the same
// parameters, beside a control probe that shows how quiet the machine is, and what they measured is
// summed up over the rounds.
package suite
