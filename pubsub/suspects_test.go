package pubsub

import (
	"fmt"
	"testing"
)

func TestSuspects(t *testing.T) {
	var s suspects
	told := 0
	for i := range uint64(1000) {
		if s.tell(i+1, 1, "always the same") {
			told++
		}
	}
	if told != 10 { // 1, 2, 4, ... 512
		t.Errorf("one source is told of %d times", told)
	}
	if !s.tell(1001, 1, "another") || s.tell(1002, 1, "another") {
		t.Error("another source is not told of once")
	}
	if !s.tell(1030, 28) {
		t.Error("a power of two in between is not told of")
	}
	for i := range uint64(10_000) {
		if s.tell(2000, 1, fmt.Sprint(i)) {
			told++
		}
	}
	if told > 10+maxSuspects {
		t.Errorf("ever new sources are told of %d times", told)
	}
}
