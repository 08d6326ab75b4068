/* A peer on Cyclone DDS. It reads commands from standard input, one a line:
 *
 *   pub ID TOPIC TYPE RELIABILITY DURABILITY DEPTH
 *   sub ID TOPIC TYPE RELIABILITY DURABILITY DEPTH
 *   write ID FIELD...
 *   dispose ID FIELD...
 *   unregister ID FIELD...
 *   flush ID
 *
 * ID is a number below 256 of the caller's choice, TOPIC and TYPE are ROS names, RELIABILITY is
 * reliable or best_effort, DURABILITY volatile or transient_local, DEPTH 0 keeps all. It prints
 *
 *   created ID
 *   matched ID COUNT
 *   incompatible ID POLICY
 *   written ID
 *   flushed ID
 *   data ID FIELD...
 *   disposed ID FIELD...
 *   unowned ID FIELD...
 *
 * where written also answers dispose and unregister, of whose fields only those of the key count, as
 * in disposed and unowned, which tell what has become of an instance; flushed means that subscribers have acknowledged everything. It ends with the input, after
 * that. The domain is its only argument.
 *
 * The file interop.list describes the types, see the macros in front of each of its inclusions. */
#include <dds/dds.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interop.h"

static void die (const char *format, ...)
{
  va_list args;
  va_start (args, format);
  fprintf (stderr, "peer: ");
  vfprintf (stderr, format, args);
  fprintf (stderr, "\n");
  va_end (args);
  exit (1);
}

/* word returns the next word of a line. */
static const char *word (char **line)
{
  char *w = strsep (line, " ");
  if (w == NULL || *w == 0)
    die ("a word is missing at the end of the line");
  return w;
}

static unsigned long long number (const char *w, int base, unsigned long long max)
{
  char *end;
  const unsigned long long n = strtoull (w, &end, base);
  if (*w == '-' || end == w || *end || n > max)
    die ("%s is not a number up to %llu", w, max);
  return n;
}

/* --- values: parse_KIND reads one, print_KIND writes one --- */

#define UNUSED(size) (void) (size)

#define UNSIGNED(kind, type, max)                                              \
  static inline void parse_##kind (char **in, type *v, size_t size)           \
  {                                                                            \
    UNUSED (size);                                                             \
    *v = (type) number (word (in), 10, max);                                   \
  }                                                                            \
  static inline void print_##kind (FILE *out, const type *v, size_t size)     \
  {                                                                            \
    UNUSED (size);                                                             \
    fprintf (out, " %llu", (unsigned long long) *v);                           \
  }

#define SIGNED(kind, type)                                                     \
  static inline void parse_##kind (char **in, type *v, size_t size)           \
  {                                                                            \
    UNUSED (size);                                                             \
    const char *w = word (in);                                                 \
    char *end;                                                                 \
    const long long n = strtoll (w, &end, 10);                                 \
    *v = (type) n;                                                             \
    if (*end || *v != n)                                                       \
      die ("%s does not fit into %s", w, #kind);                               \
  }                                                                            \
  static inline void print_##kind (FILE *out, const type *v, size_t size)     \
  {                                                                            \
    UNUSED (size);                                                             \
    fprintf (out, " %lld", (long long) *v);                                    \
  }

#define FLOATING(kind, type, bits, format, max)                                \
  static inline void parse_##kind (char **in, type *v, size_t size)           \
  {                                                                            \
    UNUSED (size);                                                             \
    const bits b = (bits) number (word (in), 16, max);                         \
    memcpy (v, &b, sizeof b);                                                  \
  }                                                                            \
  static inline void print_##kind (FILE *out, const type *v, size_t size)     \
  {                                                                            \
    UNUSED (size);                                                             \
    bits b;                                                                    \
    memcpy (&b, v, sizeof b);                                                  \
    fprintf (out, format, b);                                                  \
  }

UNSIGNED (bool, bool, 1)
UNSIGNED (uint8, uint8_t, UINT8_MAX)
UNSIGNED (uint16, uint16_t, UINT16_MAX)
UNSIGNED (uint32, uint32_t, UINT32_MAX)
UNSIGNED (uint64, uint64_t, UINT64_MAX)
SIGNED (int8, int8_t)
SIGNED (int16, int16_t)
SIGNED (int32, int32_t)
SIGNED (int64, int64_t)
FLOATING (float32, float, uint32_t, " %08" PRIx32, UINT32_MAX)
FLOATING (float64, double, uint64_t, " %016" PRIx64, UINT64_MAX)

/* unhex returns how many bytes a string word holds and writes them, with a NUL, unless to is NULL. */
static size_t unhex (const char *w, char *to)
{
  const size_t n = strlen (w) / 2;
  if (*w != 's' || strlen (w) % 2 == 0)
    die ("%s is not a string: s and two digits for each byte", w);
  for (size_t i = 0; to && i < n; i++)
  {
    const char digits[] = { w[1 + 2 * i], w[2 + 2 * i], 0 };
    to[i] = (char) number (digits, 16, 255);
  }
  if (to)
    to[n] = 0;
  return n;
}

static inline void parse_string (char **in, char **v, size_t size)
{
  UNUSED (size);
  const char *w = word (in);
  *v = dds_alloc (unhex (w, NULL) + 1);
  unhex (w, *v);
}

static inline void print_text (FILE *out, const char *v)
{
  fputs (" s", out);
  for (; *v; v++)
    fprintf (out, "%02x", (unsigned char) *v);
}

static inline void print_string (FILE *out, char *const *v, size_t size)
{
  UNUSED (size);
  print_text (out, *v ? *v : "");
}

/* A bounded string is an array that has room for the NUL. */
static inline void parse_bounded (char **in, void *v, size_t size)
{
  const char *w = word (in);
  if (unhex (w, NULL) >= size)
    die ("%s is longer than %zu bytes", w, size - 1);
  unhex (w, v);
}

static inline void print_bounded (FILE *out, const void *v, size_t size)
{
  UNUSED (size);
  print_text (out, v);
}

static uint32_t parse_length (char **in)
{
  const char *w = word (in);
  if (*w != '[')
    die ("%s is not the length of a sequence", w);
  return (uint32_t) number (w + 1, 10, UINT32_MAX);
}

/* --- types --- */

#define STRUCT(id, cpp) static void parse_##id (char **in, id *m, size_t size) { (void) in; (void) m; UNUSED (size);
#define FIELD(kind, name) parse_##kind (in, &m->name, sizeof m->name);
#define ARRAY(kind, name, n) \
  for (size_t i = 0; i < n; i++) parse_##kind (in, &m->name[i], sizeof m->name[i]);
#define SEQUENCE(kind, name) \
  m->name._length = m->name._maximum = parse_length (in); \
  m->name._buffer = dds_alloc ((m->name._length + 1) * sizeof *m->name._buffer); \
  m->name._release = true; \
  for (uint32_t i = 0; i < m->name._length; i++) \
    parse_##kind (in, &m->name._buffer[i], sizeof m->name._buffer[i]);
#define END }
#define TYPE(name, id, cpp)
#include "interop.list"
#undef STRUCT
#undef FIELD
#undef ARRAY
#undef SEQUENCE

#define STRUCT(id, cpp) static void print_##id (FILE *out, const id *m, size_t size) { (void) out; (void) m; UNUSED (size);
#define FIELD(kind, name) print_##kind (out, &m->name, sizeof m->name);
#define ARRAY(kind, name, n) \
  for (size_t i = 0; i < n; i++) print_##kind (out, &m->name[i], sizeof m->name[i]);
#define SEQUENCE(kind, name) \
  fprintf (out, " [%" PRIu32, m->name._length); \
  for (uint32_t i = 0; i < m->name._length; i++) \
    print_##kind (out, &m->name._buffer[i], sizeof m->name._buffer[i]);
#include "interop.list"
#undef END
#undef TYPE

/* The table of types needs functions that do not depend on the type. */
#undef STRUCT
#undef FIELD
#undef ARRAY
#undef SEQUENCE
#define STRUCT(id, cpp)
#define FIELD(kind, name)
#define ARRAY(kind, name, n)
#define SEQUENCE(kind, name)
#define END
#define TYPE(name, id, cpp) \
  static void any_parse_##id (char **in, void *m) { parse_##id (in, m, sizeof (id)); } \
  static void any_print_##id (FILE *out, const void *m) { print_##id (out, m, sizeof (id)); }
#include "interop.list"
#undef TYPE

struct type
{
  const char *name;
  const dds_topic_descriptor_t *descriptor;
  void (*parse) (char **in, void *m);
  void (*print) (FILE *out, const void *m);
};

static const struct type types[] = {
#define TYPE(name, id, cpp) { name, &id##_desc, any_parse_##id, any_print_##id },
#include "interop.list"
};

static const struct type *find_type (const char *name)
{
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp (types[i].name, name) == 0)
      return &types[i];
  die ("type %s is not compiled in", name);
  return NULL;
}

/* --- endpoints --- */

struct endpoint
{
  const struct type *type;
  dds_entity_t entity;
  bool writer;
};

static struct endpoint endpoints[256];
static dds_entity_t participant;

static size_t index_of (const struct endpoint *e) { return (size_t) (e - endpoints); }

/* say prints a line as a whole, whichever threads print. */
static void say (const char *format, ...)
{
  va_list args;
  va_start (args, format);
  flockfile (stdout);
  vprintf (format, args);
  putchar ('\n');
  fflush (stdout);
  funlockfile (stdout);
  va_end (args);
}

static int check (int result, const char *what)
{
  if (result < 0)
    die ("%s: %s", what, dds_strretcode (result));
  return result;
}

static void say_sample (const char *what, const struct endpoint *e, const void *sample)
{
  flockfile (stdout);
  printf ("%s %zu", what, index_of (e));
  e->type->print (stdout, sample);
  putchar ('\n');
  fflush (stdout);
  funlockfile (stdout);
}

static void on_data (dds_entity_t reader, void *arg)
{
  const struct endpoint *e = arg;
  void *sample = NULL;
  dds_sample_info_t info;
  while (check (dds_take (reader, &sample, &info, 1, 1), "take") > 0)
  {
    const bool disposed = info.instance_state == DDS_NOT_ALIVE_DISPOSED_INSTANCE_STATE;
    if (info.valid_data)
      say_sample ("data", e, sample);
    else if (e->type->descriptor->m_nkeys > 0)
      say_sample (disposed ? "disposed" : "unowned", e, sample);
    check (dds_return_loan (reader, &sample, 1), "return loan");
  }
}

static void on_subscription (dds_entity_t reader, const dds_subscription_matched_status_t status, void *arg)
{
  (void) reader;
  say ("matched %zu %u", index_of (arg), status.current_count);
}

static void on_publication (dds_entity_t writer, const dds_publication_matched_status_t status, void *arg)
{
  (void) writer;
  say ("matched %zu %u", index_of (arg), status.current_count);
}

static void on_requested (dds_entity_t reader, const dds_requested_incompatible_qos_status_t status, void *arg)
{
  (void) reader;
  say ("incompatible %zu %u", index_of (arg), status.last_policy_id);
}

static void on_offered (dds_entity_t writer, const dds_offered_incompatible_qos_status_t status, void *arg)
{
  (void) writer;
  say ("incompatible %zu %u", index_of (arg), status.last_policy_id);
}

static struct endpoint *find_endpoint (char **line)
{
  return &endpoints[number (word (line), 10, sizeof endpoints / sizeof *endpoints - 1)];
}

/* is tells whether a word is yes, where it has to be yes or no. */
static bool is (const char *w, const char *yes, const char *no)
{
  if (strcmp (w, yes) != 0 && strcmp (w, no) != 0)
    die ("%s is neither %s nor %s", w, yes, no);
  return strcmp (w, yes) == 0;
}

static dds_qos_t *parse_qos (char **line)
{
  dds_qos_t *q = dds_create_qos ();
  const bool reliable = is (word (line), "reliable", "best_effort");
  dds_qset_reliability (q, reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT, DDS_SECS (10));
  const bool keep = is (word (line), "transient_local", "volatile");
  dds_qset_durability (q, keep ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
  const int depth = (int) number (word (line), 10, INT32_MAX);
  const dds_history_kind_t history = depth ? DDS_HISTORY_KEEP_LAST : DDS_HISTORY_KEEP_ALL;
  dds_qset_history (q, history, depth);
  dds_qset_durability_service (q, 0, history, depth, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
  return q;
}

static void create (char **line, bool writer)
{
  struct endpoint *e = find_endpoint (line);
  char name[260] = "rt";
  strncat (name, word (line), sizeof name - strlen (name) - 1);
  e->type = find_type (word (line));
  e->writer = writer;
  dds_qos_t *qos = parse_qos (line);
  dds_listener_t *listener = dds_create_listener (e);
  const dds_entity_t topic = check (dds_create_topic (participant, e->type->descriptor, name, NULL, NULL), "create topic");
  if (writer)
  {
    dds_qset_writer_data_lifecycle (qos, false);
    dds_lset_publication_matched (listener, on_publication);
    dds_lset_offered_incompatible_qos (listener, on_offered);
    e->entity = check (dds_create_writer (participant, topic, qos, listener), "create writer");
  }
  else
  {
    dds_lset_data_available (listener, on_data);
    dds_lset_subscription_matched (listener, on_subscription);
    dds_lset_requested_incompatible_qos (listener, on_requested);
    e->entity = check (dds_create_reader (participant, topic, qos, listener), "create reader");
  }
  dds_delete_listener (listener);
  dds_delete_qos (qos);
  say ("created %zu", index_of (e));
}

/* write_message gives the message in the line to one of the functions that write it. */
static void write_message (char **line, dds_return_t (*how) (dds_entity_t writer, const void *m))
{
  struct endpoint *e = find_endpoint (line);
  if (!e->writer)
    die ("endpoint %zu is not a publisher", index_of (e));
  void *m = dds_alloc (e->type->descriptor->m_size);
  memset (m, 0, e->type->descriptor->m_size);
  e->type->parse (line, m);
  if (*line != NULL)
    die ("more fields than %s has: %s", e->type->name, *line);
  check (how (e->entity, m), "write");
  dds_sample_free (m, e->type->descriptor, DDS_FREE_ALL);
  say ("written %zu", index_of (e));
}

static void flush (const struct endpoint *e)
{
  check (dds_wait_for_acks (e->entity, DDS_SECS (10)), "wait for acknowledgments");
}

static void run (char *line)
{
  const char *command = word (&line);
  if (strcmp (command, "write") == 0)
    write_message (&line, dds_write);
  else if (strcmp (command, "dispose") == 0)
    write_message (&line, dds_dispose);
  else if (strcmp (command, "unregister") == 0)
    write_message (&line, dds_unregister_instance);
  else if (strcmp (command, "flush") == 0)
  {
    const struct endpoint *e = find_endpoint (&line);
    flush (e);
    say ("flushed %zu", index_of (e));
  }
  else
    create (&line, is (command, "pub", "sub"));
}

int main (int argc, char **argv)
{
  if (argc != 2)
    die ("usage: peer DOMAIN");
  participant = check (dds_create_participant ((dds_domainid_t) number (argv[1], 10, 232), NULL, NULL), "create participant");
  char *buffer = NULL;
  size_t capacity = 0;
  while (getline (&buffer, &capacity, stdin) > 0)
  {
    buffer[strcspn (buffer, "\n")] = 0;
    run (buffer);
  }
  free (buffer);
  for (size_t i = 0; i < sizeof endpoints / sizeof *endpoints; i++)
  {
    if (endpoints[i].writer)
      flush (&endpoints[i]);
    if (endpoints[i].type)
      check (dds_set_listener (endpoints[i].entity, NULL), "remove listener"); /* waits for a running one */
  }
  check (dds_delete (DDS_CYCLONEDDS_HANDLE), "delete");
  return 0;
}
