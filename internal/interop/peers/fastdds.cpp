// A peer on Fast DDS. Commands, output and interop.list are those of cyclone.c, but that disposed and
// unowned show the last message of the instance, because Fast DDS does not tell the key. The profile
// that it runs with comes from the environment, see fastdds.xml.
#include <array>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/DataWriterListener.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>

#include "interopPubSubTypes.h"

using namespace eprosima::fastdds::dds;
using eprosima::fastrtps::fixed_string;
using eprosima::fastrtps::types::ReturnCode_t;

[[noreturn]] static void die(const std::string &what)
{
  std::fprintf(stderr, "peer: %s\n", what.c_str());
  std::_Exit(1); // listeners may be running
}

// Line is a line of input, of which words are taken.
class Line
{
public:
  explicit Line(const std::string &text) : in(text) {}

  std::string word()
  {
    std::string w;
    if (!(in >> w))
      die("a word is missing at the end of the line");
    return w;
  }

  bool empty() { return (in >> std::ws).eof(); }

private:
  std::istringstream in;
};

static unsigned long long number(const std::string &w, int base, unsigned long long max)
{
  char *end;
  const unsigned long long n = std::strtoull(w.c_str(), &end, base);
  if (w[0] == '-' || *end || n > max)
    die(w + " is not a number up to " + std::to_string(max));
  return n;
}

// units returns the numbers that a string word stands for, of so many hexadecimal digits each.
static std::vector<unsigned> units(const std::string &w, char mark, size_t digits)
{
  if (w[0] != mark || (w.size() - 1) % digits != 0)
    die(w + " is not a string");
  std::vector<unsigned> all;
  for (size_t i = 1; i < w.size(); i += digits)
    all.push_back(number(w.substr(i, digits), 16, 0xffff));
  return all;
}

// --- values: parse reads one, print writes one ---

template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
static void parse(Line &in, T &v)
{
  const std::string w = in.word();
  if constexpr (std::is_floating_point_v<T>)
  {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    const Bits b = number(w, 16, std::numeric_limits<Bits>::max());
    std::memcpy(&v, &b, sizeof b);
  }
  else if constexpr (std::is_signed_v<T>)
  {
    char *end;
    const long long n = std::strtoll(w.c_str(), &end, 10);
    v = static_cast<T>(n);
    if (*end || v != n)
      die(w + " does not fit");
  }
  else
  {
    v = number(w, 10, std::numeric_limits<T>::max());
  }
}

template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
static void print(FILE *out, const T &v)
{
  if constexpr (std::is_floating_point_v<T>)
  {
    std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t> b;
    std::memcpy(&b, &v, sizeof b);
    std::fprintf(out, " %0*" PRIx64, static_cast<int>(2 * sizeof b), static_cast<uint64_t>(b));
  }
  else if constexpr (std::is_signed_v<T>)
  {
    std::fprintf(out, " %lld", static_cast<long long>(v));
  }
  else
  {
    std::fprintf(out, " %llu", static_cast<unsigned long long>(v));
  }
}

static void parse(Line &in, std::string &v)
{
  v.clear();
  for (unsigned unit : units(in.word(), 's', 2))
    v.push_back(static_cast<char>(unit));
}

static void print(FILE *out, const std::string &v)
{
  std::fputs(" s", out);
  for (unsigned char c : v)
    std::fprintf(out, "%02x", c);
}

static void parse(Line &in, std::wstring &v)
{
  v.clear();
  for (unsigned unit : units(in.word(), 'w', 4))
    v.push_back(static_cast<wchar_t>(unit));
}

static void print(FILE *out, const std::wstring &v)
{
  std::fputs(" w", out);
  for (wchar_t c : v)
    std::fprintf(out, "%04x", static_cast<unsigned>(c));
}

template <size_t N> static void parse(Line &in, fixed_string<N> &v)
{
  std::string s;
  parse(in, s);
  if (s.size() > N)
    die(s + " is longer than " + std::to_string(N) + " bytes");
  v = s;
}

template <size_t N> static void print(FILE *out, const fixed_string<N> &v) { print(out, v.to_string()); }

// --- types ---

#define STRUCT(id, cpp) static void parse(Line &, cpp &); static void print(FILE *, const cpp &);
#define FIELD(kind, name)
#define ARRAY(kind, name, n)
#define SEQUENCE(kind, name)
#define END
#define TYPE(name, id, cpp)
#include "interop.list"
#undef STRUCT
#undef FIELD
#undef ARRAY
#undef SEQUENCE
#undef END

#define STRUCT(id, cpp) static void parse([[maybe_unused]] Line &in, [[maybe_unused]] cpp &m) {
#define FIELD(kind, name) parse(in, m.name());
#define ARRAY(kind, name, n) \
  static_assert(std::tuple_size_v<std::decay_t<decltype(m.name())>> == n); \
  for (auto &v : m.name()) parse(in, v);
#define SEQUENCE(kind, name) parse_sequence(in, m.name());
#define END }

template <typename T> static void parse_sequence(Line &in, std::vector<T> &v)
{
  const std::string w = in.word();
  if (w[0] != '[')
    die(w + " is not the length of a sequence");
  v.clear();
  for (auto n = number(w.substr(1), 10, UINT32_MAX); n > 0; n--)
  {
    T element{}; // vector<bool> has no elements that could be referred to
    parse(in, element);
    v.push_back(element);
  }
}

#include "interop.list"
#undef STRUCT
#undef FIELD
#undef ARRAY
#undef SEQUENCE

#define STRUCT(id, cpp) static void print([[maybe_unused]] FILE *out, [[maybe_unused]] const cpp &m) {
#define FIELD(kind, name) print(out, m.name());
#define ARRAY(kind, name, n) for (const auto &v : m.name()) print(out, v);
#define SEQUENCE(kind, name) \
  std::fprintf(out, " [%zu", m.name().size()); \
  for (const auto &v : m.name()) print(out, v);
#include "interop.list"
#undef STRUCT
#undef FIELD
#undef ARRAY
#undef SEQUENCE
#undef END
#undef TYPE

struct Type
{
  const char *name;
  TypeSupport support;
  void (*parse)(Line &in, void *m);
  void (*print)(FILE *out, const void *m);
};

#define STRUCT(id, cpp)
#define FIELD(kind, name)
#define ARRAY(kind, name, n)
#define SEQUENCE(kind, name)
#define END
#define TYPE(name, id, cpp) \
  {name, TypeSupport(new cpp##PubSubType), [](Line &in, void *m) { parse(in, *static_cast<cpp *>(m)); }, \
   [](FILE *out, const void *m) { print(out, *static_cast<const cpp *>(m)); }},

static const Type &find_type(const std::string &name)
{
  static const Type types[] = {
#include "interop.list"
  };
  for (const Type &t : types)
    if (name == t.name)
      return t;
  die("type " + name + " is not compiled in");
}

// --- endpoints ---

// Output holds standard output until a line is complete, whichever threads print.
class Output
{
public:
  Output() { flockfile(stdout); }
  ~Output()
  {
    std::putchar('\n');
    std::fflush(stdout);
    funlockfile(stdout);
  }
};

static void say(const char *what, size_t id)
{
  Output o;
  std::printf("%s %zu", what, id);
}

static void say(const char *what, size_t id, long n)
{
  Output o;
  std::printf("%s %zu %ld", what, id, n);
}

struct Endpoint : DataWriterListener, DataReaderListener
{
  size_t id = 0;
  const Type *type = nullptr;
  DataWriter *writer = nullptr;
  DataReader *reader = nullptr;
  std::map<InstanceHandle_t, void *> last; // messages of instances

  void on_data_available(DataReader *r) override
  {
    void *m = type->support->createData();
    SampleInfo info;
    while (r->take_next_sample(m, &info) == ReturnCode_t::RETCODE_OK)
    {
      if (info.valid_data)
      {
        say_sample("data", m);
        if (type->support->m_isGetKeyDefined)
          std::swap(m, last.try_emplace(info.instance_handle, type->support->createData()).first->second);
      }
      else if (info.instance_state != ALIVE_INSTANCE_STATE && last.count(info.instance_handle) > 0)
      {
        // Where other publishers have the instance, the end of one is no news.
        const bool disposed = info.instance_state == NOT_ALIVE_DISPOSED_INSTANCE_STATE;
        say_sample(disposed ? "disposed" : "unowned", last[info.instance_handle]);
      }
    }
    type->support->deleteData(m);
  }

  void say_sample(const char *what, const void *m)
  {
    Output o;
    std::printf("%s %zu", what, id);
    type->print(stdout, m);
  }

  void on_subscription_matched(DataReader *, const SubscriptionMatchedStatus &s) override { say("matched", id, s.current_count); }
  void on_publication_matched(DataWriter *, const PublicationMatchedStatus &s) override { say("matched", id, s.current_count); }
  void on_requested_incompatible_qos(DataReader *, const RequestedIncompatibleQosStatus &s) override { say("incompatible", id, s.last_policy_id); }
  void on_offered_incompatible_qos(DataWriter *, const OfferedIncompatibleQosStatus &s) override { say("incompatible", id, s.last_policy_id); }
};

static std::array<Endpoint, 256> endpoints;
static DomainParticipant *participant;

template <typename T> static T *check(T *entity, const char *what)
{
  if (entity == nullptr)
    die(std::string(what) + " failed");
  return entity;
}

static Endpoint &find_endpoint(Line &line)
{
  const size_t id = number(line.word(), 10, endpoints.size() - 1);
  endpoints[id].id = id;
  return endpoints[id];
}

// is tells whether a word is yes, where it has to be yes or no.
static bool is(const std::string &w, const char *yes, const char *no)
{
  if (w != yes && w != no)
    die(w + " is neither " + yes + " nor " + no);
  return w == yes;
}

template <typename Qos> static Qos parse_qos(Line &line, Qos q)
{
  q.reliability().kind = is(line.word(), "reliable", "best_effort") ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
  q.reliability().max_blocking_time = {10, 0};
  q.durability().kind = is(line.word(), "transient_local", "volatile") ? TRANSIENT_LOCAL_DURABILITY_QOS : VOLATILE_DURABILITY_QOS;
  const int depth = number(line.word(), 10, INT32_MAX);
  q.history().kind = depth ? KEEP_LAST_HISTORY_QOS : KEEP_ALL_HISTORY_QOS;
  q.history().depth = depth ? depth : 1;
  q.resource_limits() = ResourceLimitsQosPolicy();
  q.resource_limits().max_instances = 100; // instead of 10
  q.resource_limits().max_samples = 100 * q.resource_limits().max_samples_per_instance;
  q.data_sharing().off(); // it is shared memory
  // Messages may be longer than Fast DDS expects of their type.
  q.endpoint().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  return q;
}

static void create(Line &line, bool writer)
{
  Endpoint &e = find_endpoint(line);
  const std::string name = "rt" + line.word();
  e.type = &find_type(line.word());
  if (participant->register_type(e.type->support) != ReturnCode_t::RETCODE_OK)
    die("register type failed");
  auto *topic = dynamic_cast<Topic *>(participant->lookup_topicdescription(name));
  if (topic == nullptr)
    topic = check(participant->create_topic(name, e.type->support.get_type_name(), TOPIC_QOS_DEFAULT), "create topic");
  if (writer)
  {
    static Publisher *publisher = check(participant->create_publisher(PUBLISHER_QOS_DEFAULT), "create publisher");
    DataWriterQos qos = parse_qos(line, DATAWRITER_QOS_DEFAULT);
    qos.writer_data_lifecycle().autodispose_unregistered_instances = false;
    qos.publish_mode().kind = ASYNCHRONOUS_PUBLISH_MODE; // the other cannot split messages
    qos.reliable_writer_qos().times.heartbeatPeriod = {0, 100000000}; // tests would wait for the usual 3 s
    e.writer = check(publisher->create_datawriter(topic, qos, &e), "create writer");
  }
  else
  {
    static Subscriber *subscriber = check(participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT), "create subscriber");
    e.reader = check(subscriber->create_datareader(topic, parse_qos(line, DATAREADER_QOS_DEFAULT), &e), "create reader");
  }
  say("created", e.id);
}

// write_message gives the message in the line to the function that writes it.
static void write_message(Line &line, bool (*how)(DataWriter &writer, void *m))
{
  Endpoint &e = find_endpoint(line);
  if (e.writer == nullptr)
    die("endpoint " + std::to_string(e.id) + " is not a publisher");
  void *m = e.type->support->createData();
  e.type->parse(line, m);
  if (!line.empty())
    die(std::string("more fields than ") + e.type->name + " has");
  if (!how(*e.writer, m))
    die("write failed");
  e.type->support->deleteData(m);
  say("written", e.id);
}

static void flush(Endpoint &e)
{
  if (e.writer->wait_for_acknowledgments({10, 0}) != ReturnCode_t::RETCODE_OK)
    die("wait for acknowledgments failed");
}

static void run(Line line)
{
  const std::string command = line.word();
  if (command == "write")
  {
    write_message(line, [](DataWriter &w, void *m) { return w.write(m); });
  }
  else if (command == "dispose")
  {
    write_message(line, [](DataWriter &w, void *m) { return w.dispose(m, HANDLE_NIL) == ReturnCode_t::RETCODE_OK; });
  }
  else if (command == "unregister")
  {
    write_message(line, [](DataWriter &w, void *m) { return w.unregister_instance(m, HANDLE_NIL) == ReturnCode_t::RETCODE_OK; });
  }
  else if (command == "flush")
  {
    Endpoint &e = find_endpoint(line);
    flush(e);
    say("flushed", e.id);
  }
  else
  {
    create(line, is(command, "pub", "sub"));
  }
}

int main(int argc, char **argv)
{
  if (argc != 2)
    die("usage: peer DOMAIN");
  auto *factory = DomainParticipantFactory::get_instance();
  participant = check(factory->create_participant(number(argv[1], 10, 232), PARTICIPANT_QOS_DEFAULT), "create participant");
  for (std::string text; std::getline(std::cin, text);)
    run(Line(text));
  for (Endpoint &e : endpoints)
  {
    if (e.writer)
    {
      flush(e);
      e.writer->set_listener(nullptr);
    }
    if (e.reader)
      e.reader->set_listener(nullptr);
  }
  participant->delete_contained_entities();
  factory->delete_participant(participant);
  return 0;
}
