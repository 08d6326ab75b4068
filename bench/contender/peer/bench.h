// The parts that the roles of the C contender share. Times are nanoseconds of CLOCK_MONOTONIC.
#pragma once

#include <dds/dds.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// config.c: the configuration, a flat JSON object.
void config_read(FILE *in);
double config_number(const char *key, double otherwise);
// The text stays valid until the thread's next call.
const char *config_text(const char *key, const char *otherwise);
bool config_is(const char *key, const char *value);
bool config_is_true(const char *key);

// thread.c
int64_t now(void);
void sleep_until(int64_t at);
void burn(int64_t ns);
// Gives the calling thread the CPUs, policy and priority of the configuration, the latter lowered by
// below. What is not permitted is left out: the harness reads back what is in force.
void schedule_self(int below);
void schedule_receiver(int below); // the same for the thread on which Cyclone receives data
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
int32_t checked(int32_t result, const char *what); // ends the program if result is an error

// histogram.c: durations, exact to 1/2048, up to 60 s.
struct histogram;
struct histogram *histogram_new(void);
void histogram_record(struct histogram *, int64_t ns);
void histogram_print(const char *key, const struct histogram *);

// tracker.c: which numbers of 0 to n-1 have come.
struct tracker { uint64_t n, received, duplicates, out_of_order, next, first; uint8_t *seen; };
struct tracker tracker_new(uint64_t n);
bool tracker_arrived(struct tracker *, uint64_t i);

// message.c: what is sent and what it carries.
struct stamp { uint64_t number; int64_t intended, sent, arrived, replied; };
struct message;
struct message *message_new(size_t size);
void *message_sample(struct message *);
void message_set(struct message *, const struct stamp *);
// Fills in what the sample carries.
void message_get(const void *sample, struct stamp *);
const dds_topic_descriptor_t *message_type(void);

// node.c
// Whether the mode is listener and not waitset.
bool listens(void);
dds_entity_t participant_new(void);
dds_entity_t writer_new(dds_entity_t participant, const char *topic);
dds_entity_t reader_new(dds_entity_t participant, const char *topic, dds_listener_t *);
// The name of topic i: 0 is the critical one.
const char *topic_name(int i);
// Waits until each of n writers has a reader.
void wait_matched(const dds_entity_t *writers, int n);
// Waits until standard input ends.
void wait_end(void);
// Calls back with what is in the reader.
void take(dds_entity_t reader, void (*f)(void *arg, const void *sample), void *arg);
// Calls receive(arg, i) when reader i has data, on a thread of its own, until serve_stop.
struct server;
struct server *serve_start(dds_entity_t participant, const dds_entity_t *readers, int n, void (*receive)(void *arg, int i), void *arg);
void serve_stop(struct server *);

void publisher(void);
void subscriber(void);
void ping(void);
void pong(void);
void timer(void);
void stalls(void);
