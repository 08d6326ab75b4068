#include "bench.h"
#include "bench_msgs__msg__KeyedBytes.h"
#include "gamepad_msgs__msg__GamepadState.h"
#include "std_msgs__msg__UInt8MultiArray.h"

#include <stdlib.h>
#include <string.h>

// A message of bytes carries the stamp at its beginning, as much of it as has room, and so does a keyed
// one; a gamepad's state carries the number alone.
struct message {
  uint64_t instances;
  union {
    std_msgs_msg_dds__UInt8MultiArray_ bytes;
    bench_msgs_msg_dds__KeyedBytes_ keyed;
    gamepad_msgs_msg_dds__GamepadState_ gamepad;
  };
};

static enum kind { BYTES, KEYED, GAMEPAD } kind(void) {
  static int known = -1;
  if (known < 0)
    known = config_is("type", "gamepad") ? GAMEPAD : config_is("type", "keyed") ? KEYED : BYTES;
  return known;
}

struct message *message_new(size_t size) {
  struct message *m = calloc(1, sizeof *m);
  m->instances = config_number("instances", 1);
  void *data = calloc(1, size + sizeof(struct stamp));
  if (kind() == BYTES) {
    m->bytes.data._length = m->bytes.data._maximum = size;
    m->bytes.data._buffer = data;
  }
  if (kind() == KEYED) {
    m->keyed.data._length = m->keyed.data._maximum = size;
    m->keyed.data._buffer = data;
  }
  return m;
}

void *message_sample(struct message *m) { return &m->bytes; }

static size_t room(size_t length) { return length < sizeof(struct stamp) ? length : sizeof(struct stamp); }

void message_set(struct message *m, const struct stamp *s) {
  switch (kind()) {
  case GAMEPAD:
    m->gamepad.sequence_ = s->number;
    return;
  case KEYED:
    m->keyed.instance = s->number % m->instances;
    memcpy(m->keyed.data._buffer, s, room(m->keyed.data._length));
    return;
  case BYTES:
    memcpy(m->bytes.data._buffer, s, room(m->bytes.data._length));
  }
}

void message_get(const void *sample, struct stamp *s) {
  const std_msgs_msg_dds__UInt8MultiArray_ *bytes = sample;
  const bench_msgs_msg_dds__KeyedBytes_ *keyed = sample;
  *s = (struct stamp){0};
  switch (kind()) {
  case GAMEPAD:
    s->number = ((const gamepad_msgs_msg_dds__GamepadState_ *)sample)->sequence_;
    return;
  case KEYED:
    memcpy(s, keyed->data._buffer, room(keyed->data._length));
    return;
  case BYTES:
    memcpy(s, bytes->data._buffer, room(bytes->data._length));
  }
}

const dds_topic_descriptor_t *message_type(void) {
  static const dds_topic_descriptor_t *types[] = {
    [BYTES] = &std_msgs_msg_dds__UInt8MultiArray__desc,
    [KEYED] = &bench_msgs_msg_dds__KeyedBytes__desc,
    [GAMEPAD] = &gamepad_msgs_msg_dds__GamepadState__desc,
  };
  return types[kind()];
}
