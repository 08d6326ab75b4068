package warnings_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/pinion-ros/pinion/internal/warnings"
	"go.uber.org/zap"
)

func TestList(t *testing.T) {
	var list warnings.List
	list.Add("one CPU")
	log := zap.New(&list).With(zap.String("node", "arm"))
	log.Info("ready")
	for range 2 {
		log.Warn("not real-time", zap.String("lane", "control"), zap.Int("priority", 80), zap.Error(errors.New("not permitted")))
	}
	want := []string{"one CPU", "not real-time (lane control): not permitted"}
	if got := list.Texts(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
