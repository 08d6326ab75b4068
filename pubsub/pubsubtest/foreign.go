package pubsubtest

import (
	"fmt"
	"sync/atomic"

	"github.com/pinion-ros/pinion/internal/cyclone"
)

// NewForeign announces publishers of another DDS application until the test ends. Topics and types are
// pairs of names on DDS, "rt/chatter", "std_msgs::msg::dds_::String_", which need not be those of ROS 2.
func (d *Domain) NewForeign(topicsAndTypes ...string) {
	d.t.Helper()
	if err := d.announce(topicsAndTypes); err != nil {
		d.t.Fatal(err)
	}
}

// instances counts domain instances. Their ids are between those of domains and those of package pubsub.
var instances atomic.Uint32

func (d *Domain) announce(topicsAndTypes []string) error {
	config := fmt.Sprintf(`<Domain Id="any"><General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces><AllowMulticast>false</AllowMulticast></General>`+
		`<Discovery><ExternalDomainId>%d</ExternalDomainId><ParticipantIndex>auto</ParticipantIndex><Peers><Peer Address="localhost"/></Peers></Discovery></Domain>,%s`,
		d.discovery.Domain, d.discovery.Config)
	domain, err := cyclone.NewDomain(300+instances.Add(1), config)
	if err != nil {
		return err
	}
	d.t.Cleanup(func() {
		if err := domain.Close(); err != nil {
			d.t.Error(err)
		}
	})
	p, err := domain.NewParticipant("", nil)
	if err != nil {
		return err
	}
	for i := 0; i+1 < len(topicsAndTypes); i += 2 {
		topic, err := p.NewTopic(topicsAndTypes[i], topicsAndTypes[i+1])
		if err != nil {
			return err
		}
		w, err := topic.NewWriter(cyclone.WriterConfig{QoS: cyclone.QoS{Reliability: cyclone.Reliable, MaxBlocking: cyclone.Infinite, Depth: 1}})
		if err != nil {
			return err
		}
		d.t.Cleanup(func() { w.Close() })
	}
	return nil
}
