// The contender rclcpp: one JSON configuration in a line on standard input, one JSON result on standard
// output. A subscriber and a pong end when standard input does.
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gamepad_msgs/msg/gamepad_state.hpp>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/u_int8_multi_array.hpp>

#if __has_include(<rclcpp/experimental/executors/events_executor/events_executor.hpp>)
#include <rclcpp/experimental/executors/events_executor/events_executor.hpp>
#define HAVE_EVENTS 1
#endif

using Bytes = std_msgs::msg::UInt8MultiArray;
using Gamepad = gamepad_msgs::msg::GamepadState;

// The configuration is a flat JSON object.
class Config {
public:
  explicit Config(std::string text) : text_(std::move(text)) {}

  double number(const std::string & key, double otherwise) const
  {
    const char * value = find(key);
    return value ? std::strtod(value, nullptr) : otherwise;
  }

  std::string text(const std::string & key) const
  {
    const char * value = find(key);
    if (!value || *value != '"') {
      return "";
    }
    const char * end = std::strchr(value + 1, '"');
    return end ? std::string(value + 1, end) : "";
  }

  bool flag(const std::string & key) const
  {
    const char * value = find(key);
    return value && std::strncmp(value, "true", 4) == 0;
  }

private:
  const char * find(const std::string & key) const
  {
    auto at = text_.find("\"" + key + "\":");
    return at == std::string::npos ? nullptr : text_.c_str() + at + key.size() + 3;
  }

  std::string text_;
};

// What a message carries at the beginning of its data, as much of it as has room.
struct Stamp {
  uint64_t number;
  int64_t intended, sent, arrived, replied;
};

Stamp get(const Bytes & m)
{
  Stamp s{};
  std::memcpy(&s, m.data.data(), std::min(m.data.size(), sizeof s));
  return s;
}

void put(Bytes & m, const Stamp & s) { std::memcpy(m.data.data(), &s, std::min(m.data.size(), sizeof s)); }

void resize(Bytes & m, size_t size) { m.data.resize(size); }

// A gamepad's state has one size and carries the number alone.
Stamp get(const Gamepad & m)
{
  Stamp s{};
  s.number = m.sequence;
  return s;
}

void put(Gamepad & m, const Stamp & s) { m.sequence = static_cast<uint32_t>(s.number); }

void resize(Gamepad &, size_t) {}

int64_t now()
{
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void sleep_until(int64_t at)
{
  timespec t{static_cast<time_t>(at / 1000000000), static_cast<long>(at % 1000000000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) != 0) {
  }
}

// Gives the calling thread the CPUs, policy and priority of the configuration, as far as permitted.
void schedule_self(const Config & c, int below)
{
  cpu_set_t set;
  CPU_ZERO(&set);
  std::istringstream list(c.text("cpus"));
  for (std::string cpu; std::getline(list, cpu, ','); ) {
    CPU_SET(std::atoi(cpu.c_str()), &set);
  }
  if (CPU_COUNT(&set) > 0) {
    sched_setaffinity(0, sizeof set, &set);
  }
  if (c.text("policy") == "fifo") {
    sched_param param{};
    param.sched_priority = static_cast<int>(c.number("priority", 0)) - below;
    sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param);
  }
}

// Durations, exact to 1/2048, up to 60 s.
class Histogram {
public:
  void record(int64_t ns)
  {
    uint64_t v = ns < 0 ? 0 : std::min<int64_t>(ns, INT64_C(60000000000));
    int shift = v >> (sub_bits + 1) ? 63 - __builtin_clzll(v) - sub_bits : 0;
    count_[(static_cast<size_t>(shift) << sub_bits) + (v >> shift)]++;
  }

  std::string json() const
  {
    std::ostringstream out;
    const char * comma = "";
    out << '[';
    for (size_t i = 0; i < count_.size(); i++) {
      if (count_[i]) {
        int shift = i >> sub_bits ? static_cast<int>(i >> sub_bits) - 1 : 0;
        uint64_t low = (i - (static_cast<size_t>(shift) << sub_bits)) << shift;
        out << comma << '[' << low + (UINT64_C(1) << shift) / 2 << ',' << count_[i] << ']';
        comma = ",";
      }
    }
    out << ']';
    return out.str();
  }

private:
  static constexpr int sub_bits = 11, top_bits = 36;
  std::vector<uint64_t> count_ = std::vector<uint64_t>((top_bits - sub_bits + 1) << sub_bits);
};

rclcpp::QoS qos_of(const Config & c)
{
  auto depth = static_cast<size_t>(c.number("depth", 10));
  rclcpp::QoS qos = depth ? rclcpp::QoS(rclcpp::KeepLast(depth)) : rclcpp::QoS(rclcpp::KeepAll());
  c.text("reliability") == "best_effort" ? qos.best_effort() : qos.reliable();
  if (c.text("durability") == "transient_local") {
    qos.transient_local();
  }
  return qos;
}

std::string topic_of(int i) { return i ? "/bench/background_" + std::to_string(i) : "/bench/critical"; }

// Runs callbacks in the mode of the configuration until stopped.
class Spinner {
public:
  Spinner(const Config & c, rclcpp::Node::SharedPtr node) : config_(c), node_(std::move(node))
  {
    std::string mode = c.text("mode");
    if (mode == "multi") {
      background_ = std::make_shared<rclcpp::executors::MultiThreadedExecutor>(rclcpp::ExecutorOptions(), 2);
    } else if (mode == "events") {
#ifdef HAVE_EVENTS
      background_ = std::make_shared<rclcpp::experimental::executors::EventsExecutor>();
#else
      throw std::runtime_error("this release of rclcpp has no events executor");
#endif
    } else if (mode == "single" || mode == "critical") {
      background_ = std::make_shared<rclcpp::executors::SingleThreadedExecutor>();
    } else {
      throw std::runtime_error("unknown mode " + mode);
    }
  }

  // The group of a subscription: in mode critical the critical one has an executor and a thread of its
  // own, in mode multi each may run beside the others.
  rclcpp::CallbackGroup::SharedPtr group(bool critical)
  {
    bool own = critical && config_.text("mode") == "critical";
    if (!own && config_.text("mode") != "multi") {
      return nullptr;
    }
    auto g = node_->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, !own);
    groups_.push_back(g);
    if (own) {
      critical_ = std::make_shared<rclcpp::executors::SingleThreadedExecutor>();
      critical_->add_callback_group(g, node_->get_node_base_interface());
    }
    return g;
  }

  void start()
  {
    background_->add_node(node_);
    threads_.emplace_back([this] { background_->spin(); });
    if (critical_) {
      threads_.emplace_back([this] {
        schedule_self(config_, 0);
        critical_->spin();
      });
    }
  }

  void stop()
  {
    background_->cancel();
    if (critical_) {
      critical_->cancel();
    }
    for (auto & t : threads_) {
      t.join();
    }
  }

private:
  const Config & config_;
  rclcpp::Node::SharedPtr node_;
  std::shared_ptr<rclcpp::Executor> background_;
  std::shared_ptr<rclcpp::executors::SingleThreadedExecutor> critical_;
  std::vector<rclcpp::CallbackGroup::SharedPtr> groups_;
  std::vector<std::thread> threads_;
};

void wait_end()
{
  for (char c; read(0, &c, 1) > 0; ) {
  }
}

void wait_for(const std::function<bool()> & ready, const char * what)
{
  for (int64_t deadline = now() + 30 * INT64_C(1000000000); !ready(); sleep_until(now() + 1000000)) {
    if (now() > deadline) {
      throw std::runtime_error(std::string("no ") + what + " within 30 s");
    }
  }
}

// A stream is what one thread sends: messages in turn on its topics.
template<class Message>
struct Stream {
  std::vector<typename rclcpp::Publisher<Message>::SharedPtr> publishers;
  size_t size = 64;
  double rate = 0;  // of each topic, 0 for as fast as possible
  bool aligned = true;
  uint64_t warmup = 0, count = 0;
  int below = 0;
  int64_t start = 0, limit = 0, first = 0, last = 0;
  uint64_t sent = 0, failed = 0, late = 0;
  Histogram lag;

  void run(const Config & c)
  {
    schedule_self(c, below);
    Message m;
    resize(m, size);
    size_t n = publishers.size();
    for (uint64_t i = 0; i < warmup + count && (!limit || now() < limit); i++) {
      for (size_t t = 0; t < n; t++) {
        double period = rate > 0 ? 1e9 / rate : 0;
        Stamp s{};
        s.number = i;
        s.intended = rate > 0 ? start + static_cast<int64_t>(i * period + (aligned ? 0 : t * period / n)) : now();
        if (now() < s.intended) {
          sleep_until(s.intended);
        }
        s.sent = now();
        put(m, s);
        bool ok = true;
        try {
          publishers[t]->publish(m);
        } catch (const std::exception &) {
          ok = false;
        }
        if (i < warmup) {
          continue;
        }
        first = first ? first : s.sent;
        last = now();
        (ok ? sent : failed)++;
        late += rate > 0 && s.sent - s.intended > period / 10;
        lag.record(s.sent - s.intended);
      }
    }
  }
};

template<class Message>
std::string publisher(const Config & c, rclcpp::Node::SharedPtr node)
{
  int topics = static_cast<int>(c.number("topics", 1));
  Stream<Message> critical, background;
  for (int i = 0; i < topics; i++) {
    (i ? background : critical).publishers.push_back(node->create_publisher<Message>(topic_of(i), qos_of(c)));
  }
  for (auto * s : {&critical, &background}) {
    for (auto & p : s->publishers) {
      if (!c.flag("unmatched")) {
        wait_for([&] { return p->get_subscription_count() > 0; }, "subscriber");
      }
    }
  }
  sleep_until(now() + 50000000);
  critical.size = static_cast<size_t>(c.number("size", 64));
  critical.rate = c.number("rate_hz", 1000);
  critical.warmup = static_cast<uint64_t>(c.number("warmup", 0));
  critical.count = static_cast<uint64_t>(c.number("count", 1000));
  critical.start = now() + 20000000;
  double limit = c.number("limit_s", 0);
  critical.limit = limit > 0 ? critical.start + static_cast<int64_t>(limit * 1e9) : 0;
  background.size = static_cast<size_t>(c.number("background_size", 64));
  background.rate = c.number("background_rate_hz", 300);
  background.aligned = c.text("phase") == "aligned";
  double share = critical.rate > 0 ? background.rate / critical.rate : 0;
  background.warmup = static_cast<uint64_t>(critical.warmup * share);
  background.count = static_cast<uint64_t>(critical.count * share);
  background.start = critical.start;
  background.below = 1;
  std::thread other([&] { background.run(c); });
  std::thread main([&] { critical.run(c); });
  main.join();
  other.join();
  sleep_until(now() + 100000000);
  std::ostringstream out;
  out << "{\"sent\":" << critical.sent << ",\"failed\":" << critical.failed << ",\"late\":" << critical.late
      << ",\"background_sent\":" << background.sent << ",\"seconds\":" << (critical.last - critical.first) / 1e9
      << ",\"send_lag\":" << critical.lag.json() << "}";
  return out.str();
}

// A flow measures the messages of one topic.
struct Flow {
  uint64_t warmup = 0, received = 0, duplicates = 0, out_of_order = 0, next = 0, first_number = 0;
  int64_t work = 0, first = 0;
  std::vector<bool> seen;
  Histogram latency, intended;

  void arrived(const Stamp & s)
  {
    int64_t time = now();
    first = first ? first : time;
    if (s.number >= warmup && s.number - warmup < seen.size()) {
      count(s.number - warmup, time - s.sent, time - s.intended);
    }
    for (int64_t end = now() + work; now() < end; ) {
    }
  }

  void count(uint64_t i, int64_t since_sent, int64_t since_intended)
  {
    if (seen[i]) {
      duplicates++;
      return;
    }
    seen[i] = true;
    first_number = received++ ? first_number : i;
    out_of_order += i < next;
    next = std::max(next, i + 1);
    latency.record(since_sent);
    intended.record(since_intended);
  }
};

template<class Message>
std::string subscriber(const Config & c, rclcpp::Node::SharedPtr node)
{
  Spinner spinner(c, node);
  int topics = static_cast<int>(c.number("topics", 1));
  double rate = c.number("rate_hz", 1000), background_rate = c.number("background_rate_hz", 300);
  std::vector<std::unique_ptr<Flow>> flows;
  std::vector<typename rclcpp::Subscription<Message>::SharedPtr> subscriptions;
  for (int i = 0; i < topics; i++) {
    double share = i == 0 ? 1 : rate > 0 ? background_rate / rate : 0;
    auto flow = std::make_unique<Flow>();
    flow->warmup = static_cast<uint64_t>(c.number("warmup", 0) * share);
    flow->seen.resize(static_cast<size_t>(c.number("count", 1000) * share));
    flow->work = i ? static_cast<int64_t>(c.number("work_us", 0) * 1000) : 0;
    rclcpp::SubscriptionOptions options;
    options.callback_group = spinner.group(i == 0);
    subscriptions.push_back(node->create_subscription<Message>(
      topic_of(i), qos_of(c), [f = flow.get()](typename Message::ConstSharedPtr m) { f->arrived(get(*m)); }, options));
    flows.push_back(std::move(flow));
  }
  spinner.start();
  wait_end();
  spinner.stop();
  uint64_t background = 0;
  for (size_t i = 1; i < flows.size(); i++) {
    background += flows[i]->received;
  }
  const Flow & f = *flows[0];
  std::ostringstream out;
  out << "{\"received\":" << f.received << ",\"duplicates\":" << f.duplicates << ",\"out_of_order\":" << f.out_of_order
      << ",\"background_received\":" << background << ",\"first_number\":" << f.first_number << ",\"first_time\":" << f.first
      << ",\"latency\":" << f.latency.json() << ",\"intended\":" << f.intended.json() << "}";
  return out.str();
}

// One message is in flight; all times are taken at the end that pings.
template<class Message>
std::string ping(const Config & c, rclcpp::Node::SharedPtr node)
{
  Spinner spinner(c, node);
  auto out = node->create_publisher<Message>("/bench/ping", qos_of(c));
  uint64_t warmup = static_cast<uint64_t>(c.number("warmup", 0)), total = warmup + static_cast<uint64_t>(c.number("count", 1000));
  uint64_t number = 0, lost = 0, duplicates = 0;
  int64_t sent = 0;
  std::mutex mutex;
  Histogram latency, forth, back;
  Message m;
  resize(m, static_cast<size_t>(c.number("size", 64)));
  auto send = [&] {
      Stamp s{};
      s.number = number;
      s.intended = s.sent = sent = now();
      put(m, s);
      out->publish(m);
    };
  auto next = [&] {
      if (++number < total) {
        send();
      }
    };
  rclcpp::SubscriptionOptions options;
  options.callback_group = spinner.group(true);
  auto in = node->create_subscription<Message>("/bench/pong", qos_of(c), [&](typename Message::ConstSharedPtr answer) {
        int64_t time = now();
        Stamp s = get(*answer);
        std::lock_guard<std::mutex> lock(mutex);
        if (number >= total || s.number != number) {
          duplicates++;
          return;
        }
        if (number >= warmup) {
          latency.record(time - sent);
          if (s.replied) {
            forth.record(s.arrived - sent);
            back.record(time - s.replied);
          }
        }
        next();
      }, options);
  spinner.start();
  wait_for([&] { return out->get_subscription_count() > 0 && in->get_publisher_count() > 0; }, "pong");
  sleep_until(now() + 50000000);
  {
    std::lock_guard<std::mutex> lock(mutex);
    send();
  }
  for (bool done = false; !done; ) {
    sleep_until(now() + 20000000);
    std::lock_guard<std::mutex> lock(mutex);
    if (number < total && now() - sent > 1000000000) {
      lost += number >= warmup;
      next();
    }
    done = number >= total;
  }
  spinner.stop();
  std::ostringstream result;
  result << "{\"sent\":" << total - warmup << ",\"received\":" << total - warmup - lost << ",\"duplicates\":" << duplicates
         << ",\"latency\":" << latency.json() << ",\"forth\":" << forth.json() << ",\"back\":" << back.json() << "}";
  return result.str();
}

template<class Message>
std::string pong(const Config & c, rclcpp::Node::SharedPtr node)
{
  Spinner spinner(c, node);
  auto out = node->create_publisher<Message>("/bench/pong", qos_of(c));
  auto delay = static_cast<int64_t>(c.number("delay_us", 0) * 1000);
  Message answer;
  resize(answer, static_cast<size_t>(c.number("size", 64)));
  rclcpp::SubscriptionOptions options;
  options.callback_group = spinner.group(true);
  auto in = node->create_subscription<Message>("/bench/ping", qos_of(c), [&](typename Message::ConstSharedPtr m) {
        Stamp s = get(*m);
        s.arrived = now();
        if (delay > 0) {
          sleep_until(s.arrived + delay);
        }
        s.replied = now();
        put(answer, s);
        out->publish(answer);
      }, options);
  spinner.start();
  wait_end();
  spinner.stop();
  return "{}";
}

using Role = std::string (*)(const Config &, rclcpp::Node::SharedPtr);

template<class Message>
const std::map<std::string, Role> roles{
  {"publisher", publisher<Message>}, {"subscriber", subscriber<Message>}, {"ping", ping<Message>}, {"pong", pong<Message>}};

Role role_of(const Config & c)
{
  std::string type = c.text("type");
  if (type != "bytes" && type != "gamepad") {
    throw std::runtime_error("this contender does not know the type " + type);
  }
  const auto & all = type == "gamepad" ? roles<Gamepad> : roles<Bytes>;
  auto role = all.find(c.text("role"));
  if (role == all.end()) {
    throw std::runtime_error("unknown role " + c.text("role"));
  }
  return role->second;
}

int main(int argc, char ** argv)
{
  try {
    std::string line;
    if (!std::getline(std::cin, line)) {
      throw std::runtime_error("no configuration on standard input");
    }
    Config c(line);
    Role role = role_of(c);
    if (c.flag("batching")) {
      throw std::runtime_error("ROS 2 does not batch writes");
    }
    rclcpp::InitOptions options;
    options.set_domain_id(static_cast<size_t>(c.number("domain", 0)));
    rclcpp::init(argc, argv, options);
    std::cout << role(c, std::make_shared<rclcpp::Node>("bench_" + c.text("role"))) << std::endl;
    rclcpp::shutdown();
  } catch (const std::exception & e) {
    std::cerr << e.what() << std::endl;
    return 1;
  }
}
