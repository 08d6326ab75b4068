package cyclone

// #include <stdlib.h>
// #include "entity.h"
// #include "participant.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// GUID identifies an entity on the wire: participant prefix and entity id (RTPS 2.2, 8.2.4.1).
type GUID [16]byte

// Participant is a DDS participant.
type Participant struct {
	entity   C.dds_entity_t
	turn     *turn // of the domain
	receiver C.int32_t
	secured  bool
}

// NewParticipant creates a participant that announces userData (DDS 1.4, USER_DATA policy). With security
// it talks to nobody who does not prove itself as well, as far as the governance says so; without (nil) it
// is as the domain's configuration has it. What Cyclone DDS says about a refusal is in the error, which is
// ErrNotAllowed as a rule.
func (d *Domain) NewParticipant(userData string, security *Security) (*Participant, error) {
	var properties []property
	if security != nil {
		dir, err := pluginDir()
		if err != nil {
			return nil, fmt.Errorf("create participant: %w", err)
		}
		properties = security.properties(dir)
	}
	p := &Participant{turn: d.turn, secured: security != nil}
	err := p.explain(func() error { return p.create(d, userData, properties) })
	if err == nil && p.secured {
		if err = checkPlugins(); err != nil {
			C.dds_delete(p.entity)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("create participant: %w", err)
	}
	return p, nil
}

func (p *Participant) create(d *Domain, userData string, properties []property) error {
	qos := C.dds_create_qos()
	defer C.dds_delete_qos(qos)
	if userData != "" {
		data := C.CString(userData)
		defer C.free(unsafe.Pointer(data))
		C.dds_qset_userdata(qos, unsafe.Pointer(data), C.size_t(len(userData)))
	}
	for _, property := range properties {
		name, value := C.CString(property.name), C.CString(property.value)
		C.dds_qset_prop(qos, name, value)
		C.free(unsafe.Pointer(name))
		C.free(unsafe.Pointer(value))
	}
	p.entity = C.dds_create_participant(C.dds_domainid_t(d.id), qos, nil)
	p.receiver = C.pn_receiver(d.gv)
	return check(p.entity)
}

// explain has the reasons of refusals in errors, which costs a lock that all secured participants share.
func (p *Participant) explain(f func() error) error {
	if p.secured {
		return explained(f)
	}
	return f()
}

// ReceiveThread returns the kernel's id of the thread that reads what is sent to the participant's
// readers and runs their Deliver functions, 0 if it is unknown. Data that comes by multicast may be read
// by others.
func (p *Participant) ReceiveThread() int { return int(p.receiver) }

// GUID returns the participant's GUID.
func (p *Participant) GUID() GUID { return guid(p.entity) }

// Close deletes the participant and everything it contains.
func (p *Participant) Close() error { return check(C.dds_delete(p.entity)) }

func guid(entity C.dds_entity_t) (g GUID) {
	C.dds_get_guid(entity, (*C.dds_guid_t)(unsafe.Pointer(&g)))
	return g
}

// Topic is a name and a type in a participant.
type Topic struct {
	participant *Participant
	entity      C.dds_entity_t
	sertype     *C.struct_ddsi_sertype
	keyed       bool
}

// NewTopic creates a topic with DDS names; without steps to a key it has one instance. Topics of one
// name and several types may exist.
func (p *Participant) NewTopic(name, typeName string, key ...KeyStep) (*Topic, error) {
	n, t := C.CString(name), C.CString(typeName)
	defer C.free(unsafe.Pointer(n))
	defer C.free(unsafe.Pointer(t))
	topic := &Topic{participant: p, keyed: len(key) > 0}
	err := p.explain(func() error {
		topic.entity = C.pn_topic_new(p.entity, n, t, (*C.pn_key_step)(unsafe.Pointer(unsafe.SliceData(key))), C.uint32_t(len(key)), &topic.sertype)
		return check(topic.entity)
	})
	if err != nil {
		return nil, fmt.Errorf("create topic %s: %w", name, err)
	}
	return topic, nil
}

// KeyHash returns what goes over the wire for the key of a message (RTPS 2.2, 9.6.3.8), false where the
// payload ends before its key does.
func (t *Topic) KeyHash(payload []byte) (hash [16]byte, ok bool) {
	ok = bool(C.pn_topic_keyhash(t.sertype, unsafe.Pointer(unsafe.SliceData(payload)), C.size_t(len(payload)), (*C.uchar)(&hash[0])))
	return hash, ok
}

// Close deletes the topic; its readers and writers keep what they need.
func (t *Topic) Close() error { return check(C.dds_delete(t.entity)) }
