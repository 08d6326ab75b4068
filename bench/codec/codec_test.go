package codec

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	result, err := Run(context.Background(), Options{Rounds: 1, Slice: 10 * time.Microsecond, WithoutFastCDR: true})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, row := range result.Rows {
		rows[row.Message]++
		if row.Pinion <= 0 || row.Copy <= 0 || row.ToCopy.Median <= 0 || row.FastCDR != 0 {
			t.Errorf("%+v", row)
		}
	}
	for _, s := range subjects() {
		want := 3
		if s.read != nil {
			want = 4
		}
		if rows[s.name] != want {
			t.Errorf("%s: %d rows, want %d", s.name, rows[s.name], want)
		}
	}
}

func TestRunEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Options{WithoutFastCDR: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestMissingFastCDR checks that a machine without Fast-CDR gets the other rows and is told why.
func TestMissingFastCDR(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	result, err := Run(context.Background(), Options{Rounds: 1, Slice: 10 * time.Microsecond, Messages: []string{"Twist"}})
	if err != nil || len(result.Rows) != 3 || !strings.Contains(result.Missing, "apt install fastddsgen") {
		t.Errorf("%v, %+v", err, result)
	}
}

// TestIDL checks that the files that main.cpp includes are written.
func TestIDL(t *testing.T) {
	sources, err := fastCDRSources(subjects())
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(fastCDRSource)) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), `#include "`)
		if !ok {
			continue
		}
		if name = strings.TrimSuffix(name, `.h"`) + ".idl"; sources[name] == nil {
			t.Errorf("no %s", name)
		}
	}
}

func TestRatio(t *testing.T) {
	got := ratio([]float64{10, 40, 30}, []float64{10, 10, 10})
	if want := (Ratio{Median: 3, Min: 1, Max: 4}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if m := median([]float64{4, 1}); m != 2.5 {
		t.Errorf("median %v", m)
	}
}
