package pubsub

import (
	"testing"
	"time"
)

func TestProfileByName(t *testing.T) {
	for _, tt := range []struct {
		name string
		want QoS
	}{
		{"default", QoS{History: KeepLast, Depth: 10, Reliability: Reliable, Durability: Volatile}},
		{"rmw_qos_profile_sensor_data", QoS{History: KeepLast, Depth: 5, Reliability: BestEffort, Durability: Volatile}},
		{"services_default", QoS{History: KeepLast, Depth: 10, Reliability: Reliable, Durability: Volatile}},
		{"parameters", QoS{History: KeepLast, Depth: 1000, Reliability: Reliable, Durability: Volatile}},
		{"parameter_events", QoS{History: KeepLast, Depth: 1000, Reliability: Reliable, Durability: Volatile}},
		{"rosout", QoS{History: KeepLast, Depth: 1000, Reliability: Reliable, Durability: TransientLocal, Lifespan: 10 * time.Second}},
		{"clock", QoS{History: KeepLast, Depth: 1, Reliability: BestEffort, Durability: Volatile}},
		{"action_status_default", QoS{History: KeepLast, Depth: 1, Reliability: Reliable, Durability: TransientLocal}},
		{"system_default", QoS{}},
		{"best_available", BestAvailableQoS()},
	} {
		got, err := ProfileByName(tt.name)
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v; want %+v", tt.name, got, err, tt.want)
		}
		if err := got.validate(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if len(profiles) != 10 {
		t.Errorf("%d profiles, not all tested", len(profiles))
	}
	if _, err := ProfileByName("Default"); err == nil {
		t.Error("a profile that there is not is found")
	}
}

func TestEffective(t *testing.T) {
	const infinite = time.Duration(1<<63 - 1)
	for _, tt := range []struct{ asked, want QoS }{
		{QoS{}, QoS{History: KeepLast, Depth: 1, Reliability: Reliable, Durability: Volatile, Liveliness: Automatic}},
		{QoS{Depth: 7}, QoS{History: KeepLast, Depth: 1, Reliability: Reliable, Durability: Volatile, Liveliness: Automatic}},
		{QoS{History: KeepLast}, QoS{History: KeepLast, Depth: 1, Reliability: Reliable, Durability: Volatile, Liveliness: Automatic}},
		{QoS{History: KeepAll, Depth: 7}, QoS{History: KeepAll, Reliability: Reliable, Durability: Volatile, Liveliness: Automatic}},
		{QoS{Deadline: infinite, Lifespan: infinite, Lease: infinite, Liveliness: ManualByTopic},
			QoS{History: KeepLast, Depth: 1, Reliability: Reliable, Durability: Volatile, Liveliness: ManualByTopic}},
	} {
		if got := tt.asked.effective(); got != tt.want {
			t.Errorf("%+v: %+v, want %+v", tt.asked, got, tt.want)
		}
	}
}

func TestValidateQoS(t *testing.T) {
	for _, q := range []QoS{
		{Depth: -1},
		{Depth: 1 << 31},
		{Deadline: -1},
		{Lifespan: -1},
		{Lease: -1},
		{History: 3},
		{Reliability: 3},
		{Durability: 3},
		{Liveliness: 4},
		{Liveliness: 6},
		{Liveliness: ManualByNode},
	} {
		if q.validate() == nil {
			t.Errorf("%+v is accepted", q)
		}
	}
}

func TestBestAvailable(t *testing.T) {
	best := QoS{History: KeepLast, Depth: 10, Reliability: Reliable, Durability: TransientLocal, Liveliness: Automatic}
	with := func(q QoS, change func(*QoS)) QoS {
		change(&q)
		return q
	}
	peers := map[string]QoS{
		"best":   best,
		"effort": with(best, func(q *QoS) { q.Reliability = BestEffort }),
		"late":   with(best, func(q *QoS) { q.Durability = Volatile }),
		"manual": with(best, func(q *QoS) { q.Liveliness = ManualByTopic }),
		"node":   with(best, func(q *QoS) { q.Liveliness = ManualByNode }),
		"1s":     with(best, func(q *QoS) { q.Deadline, q.Lease = time.Second, 2*time.Second }),
		"3s":     with(best, func(q *QoS) { q.Deadline, q.Lease = 3*time.Second, time.Second }),
	}
	nothing := func(*QoS) {}
	manual := func(q *QoS) { q.Liveliness = ManualByTopic }
	for _, tt := range []struct {
		peers    []string
		pub, sub func(*QoS) // what differs from best
	}{
		{nil, nothing, manual},
		{[]string{"best"}, nothing, nothing},
		{[]string{"best", "effort"}, nothing, func(q *QoS) { q.Reliability = BestEffort }},
		{[]string{"late"}, nothing, func(q *QoS) { q.Durability = Volatile }},
		{[]string{"manual", "manual"}, manual, manual},
		{[]string{"manual", "best"}, manual, nothing},
		{[]string{"node"}, nothing, nothing},
		{[]string{"1s", "3s"}, func(q *QoS) { q.Deadline, q.Lease = time.Second, time.Second },
			func(q *QoS) { q.Deadline, q.Lease = 3*time.Second, 2*time.Second }},
		{[]string{"1s", "best", "3s"}, func(q *QoS) { q.Deadline, q.Lease = time.Second, time.Second }, nothing},
	} {
		var infos []EndpointInfo
		for _, name := range tt.peers {
			infos = append(infos, EndpointInfo{QoS: peers[name]})
		}
		if got, want := BestAvailableQoS().fit(infos, true).effective(), with(best, tt.pub); got != want {
			t.Errorf("publisher for %v: %+v, want %+v", tt.peers, got, want)
		}
		got, want := BestAvailableQoS().fit(infos, false).effective(), with(best, tt.sub)
		if got != want {
			t.Errorf("subscription for %v: %+v, want %+v", tt.peers, got, want)
		}
		for _, p := range infos {
			if bad := incompatible(p.QoS, got); bad != nil && p.QoS.Liveliness != ManualByNode {
				t.Errorf("subscription for %v: %v do not fit", tt.peers, bad)
			}
		}
	}
	kept := QoS{History: KeepAll, Reliability: BestEffort, Durability: DurabilityBestAvailable, Deadline: time.Second}
	if got, want := kept.fit(nil, true), (QoS{History: KeepAll, Reliability: BestEffort, Durability: TransientLocal, Deadline: time.Second}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
