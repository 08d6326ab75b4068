package msggen

import "slices"

// Messages that the derived types of services and actions contain.
var (
	eventInfo = TypeName{"service_msgs", Msg, "ServiceEventInfo"}
	uuid      = TypeName{"unique_identifier_msgs", Msg, "UUID"}
	stampTime = TypeName{"builtin_interfaces", Msg, "Time"}
)

// Derive returns all messages of a definition: those of its sections, then those that ROS 2
// derives from them. A service S has S_Request, S_Response and S_Event. An action A has A_Goal,
// A_Result, A_Feedback, the three messages each of the services A_SendGoal and A_GetResult, and
// A_FeedbackMessage. Derived fields have no position.
//
// The fields have the types that programs of ROS 2 see. These differ from what is written in one
// case: the parser of IDL takes the bound of a wstring for that of the sequence too, so that
// wstring<=5[] holds at most 5 elements.
func Derive(def *Definition) []*Message {
	var messages []*Message
	for _, m := range def.Sections {
		messages = append(messages, withFinalTypes(m))
	}
	switch def.Name.Kind {
	case Srv:
		return append(messages, event(def.Name))
	case Action:
		a := def.Name
		sendGoal, getResult := suffixed(a, "_SendGoal"), suffixed(a, "_GetResult")
		return append(messages,
			derived(suffixed(sendGoal, "_Request"), nested("goal_id", uuid), nested("goal", suffixed(a, "_Goal"))),
			derived(suffixed(sendGoal, "_Response"), primitive("accepted", Bool), nested("stamp", stampTime)),
			event(sendGoal),
			derived(suffixed(getResult, "_Request"), nested("goal_id", uuid)),
			derived(suffixed(getResult, "_Response"), primitive("status", Int8), nested("result", suffixed(a, "_Result"))),
			event(getResult),
			derived(suffixed(a, "_FeedbackMessage"), nested("goal_id", uuid), nested("feedback", suffixed(a, "_Feedback"))),
		)
	}
	return messages
}

// withFinalTypes returns m itself where all fields have their final types.
func withFinalTypes(m *Message) *Message {
	if !slices.ContainsFunc(m.Fields, func(f *Field) bool { return f.Type != finalType(f.Type) }) {
		return m
	}
	final := *m
	final.Fields, final.Order = nil, nil
	for _, e := range m.Order {
		if f, ok := e.(*Field); ok {
			field := *f
			field.Type = finalType(f.Type)
			final.Fields = append(final.Fields, &field)
			e = &field
		}
		final.Order = append(final.Order, e)
	}
	return &final
}

func finalType(t Type) Type {
	if t.Base == WString && t.Bound > 0 && t.Array == Unbounded {
		t.Array, t.Len = Bounded, t.Bound
	}
	return t
}

// compounds returns the services and the action of a definition in the form of messages. They never
// go over the wire, but ROS 2 describes and hashes them as if they did.
func compounds(def *Definition) []*Message {
	switch def.Name.Kind {
	case Srv:
		return []*Message{service(def.Name)}
	case Action:
		a := def.Name
		sendGoal, getResult := suffixed(a, "_SendGoal"), suffixed(a, "_GetResult")
		return []*Message{service(sendGoal), service(getResult), compound(a,
			nested("goal", suffixed(a, "_Goal")),
			nested("result", suffixed(a, "_Result")),
			nested("feedback", suffixed(a, "_Feedback")),
			nested("send_goal_service", sendGoal),
			nested("get_result_service", getResult),
			nested("feedback_message", suffixed(a, "_FeedbackMessage")),
		)}
	}
	return nil
}

func event(service TypeName) *Message {
	request, response := nested("request", suffixed(service, "_Request")), nested("response", suffixed(service, "_Response"))
	for _, f := range [...]*Field{request, response} {
		f.Type.Array, f.Type.Len = Bounded, 1
	}
	return derived(suffixed(service, "_Event"), nested("info", eventInfo), request, response)
}

func service(name TypeName) *Message {
	return compound(name,
		nested("request_message", suffixed(name, "_Request")),
		nested("response_message", suffixed(name, "_Response")),
		nested("event_message", suffixed(name, "_Event")))
}

func derived(name TypeName, fields ...*Field) *Message {
	m := &Message{Name: name, Fields: fields}
	for _, f := range fields {
		m.Order = append(m.Order, f)
	}
	return m
}

func compound(name TypeName, fields ...*Field) *Message {
	m := derived(name, fields...)
	m.compound = true
	return m
}

func nested(name string, typ TypeName) *Field {
	return &Field{Name: name, Type: Type{Base: Nested, Nested: typ}}
}

func primitive(name string, b Base) *Field { return &Field{Name: name, Type: Type{Base: b}} }

func suffixed(n TypeName, suffix string) TypeName {
	n.Name += suffix
	return n
}
