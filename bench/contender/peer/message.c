#include "bench.h"
#include "gamepad_msgs__msg__GamepadState.h"
#include "std_msgs__msg__UInt8MultiArray.h"

#include <stdlib.h>
#include <string.h>

// A message of bytes carries the stamp at its beginning, as much of it as has room; a gamepad's state
// carries the number alone.
struct message {
  std_msgs_msg_dds__UInt8MultiArray_ bytes;
  gamepad_msgs_msg_dds__GamepadState_ gamepad;
};

static bool is_gamepad(void) {
  static int known = -1;
  if (known < 0)
    known = config_is("type", "gamepad");
  return known;
}

struct message *message_new(size_t size) {
  struct message *m = calloc(1, sizeof *m);
  m->bytes.data._length = m->bytes.data._maximum = size;
  m->bytes.data._buffer = calloc(1, size + sizeof(struct stamp));
  return m;
}

void *message_sample(struct message *m) { return is_gamepad() ? (void *)&m->gamepad : &m->bytes; }

static size_t room(size_t length) { return length < sizeof(struct stamp) ? length : sizeof(struct stamp); }

void message_set(struct message *m, const struct stamp *s) {
  if (is_gamepad())
    m->gamepad.sequence_ = s->number;
  else
    memcpy(m->bytes.data._buffer, s, room(m->bytes.data._length));
}

void message_get(const void *sample, struct stamp *s) {
  *s = (struct stamp){0};
  if (is_gamepad()) {
    s->number = ((const gamepad_msgs_msg_dds__GamepadState_ *)sample)->sequence_;
    return;
  }
  const std_msgs_msg_dds__UInt8MultiArray_ *m = sample;
  memcpy(s, m->data._buffer, room(m->data._length));
}

const dds_topic_descriptor_t *message_type(void) {
  return is_gamepad() ? &gamepad_msgs_msg_dds__GamepadState__desc : &std_msgs_msg_dds__UInt8MultiArray__desc;
}
