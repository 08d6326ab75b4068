// Times Fast-CDR on request. The standard input holds lines of two kinds:
//
//   load NAME LENGTH     followed by that many bytes, the payload of the message to measure
//   OP NAME ITERATIONS   where OP is encode, decode or read
//
// Each is answered by one line. load answers with the payload as Fast-CDR encodes it, in
// hexadecimal; the others with the nanoseconds that all iterations took together. read decodes and
// then reads every element of the large sequences.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fastcdr/Cdr.h>
#include <fastcdr/FastBuffer.h>

#include "diagnostic_msgs__msg__DiagnosticArray.h"
#include "geometry_msgs__msg__Twist.h"
#include "sensor_msgs__msg__Image.h"
#include "sensor_msgs__msg__Imu.h"
#include "sensor_msgs__msg__JointState.h"
#include "sensor_msgs__msg__LaserScan.h"
#include "sensor_msgs__msg__PointCloud2.h"
#include "tf2_msgs__msg__TFMessage.h"
#include "visualization_msgs__msg__InteractiveMarkerInit.h"

using eprosima::fastcdr::Cdr;
using eprosima::fastcdr::FastBuffer;

namespace {

// What read has added up, so that the compiler cannot leave the reading out.
volatile double sink;

template <class T>
void add(const std::vector<T>& values)
{
    double sum = 0;
    for (T v : values) sum += v;
    sink = sum;
}

void add(const std::vector<uint8_t>& values)
{
    uint64_t sum = 0;
    const uint8_t* v = values.data();
    size_t n = values.size();
    for (; n >= 8; v += 8, n -= 8) {
        sum += uint64_t{v[0]} + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7];
    }
    for (; n > 0; v++, n--) sum += *v;
    sink = static_cast<double>(sum);
}

template <class T> void read(const T&) {}
void read(const sensor_msgs::msg::dds_::Image_& m) { add(m.data()); }
void read(const sensor_msgs::msg::dds_::PointCloud2_& m) { add(m.data()); }
void read(const sensor_msgs::msg::dds_::LaserScan_& m) { add(m.ranges()); add(m.intensities()); }
void read(const sensor_msgs::msg::dds_::JointState_& m) { add(m.position()); add(m.velocity()); add(m.effort()); }

struct Operations {
    std::function<std::string(std::vector<char>)> load;
    std::map<std::string, std::function<int64_t(int64_t)>> timed;
};

template <class F>
int64_t repeat(int64_t n, F f)
{
    const auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < n; i++) {
        f();
        asm volatile("" ::: "memory");
    }
    const auto took = std::chrono::steady_clock::now() - start;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
}

std::string hexadecimal(const std::vector<char>& data)
{
    static const char digits[] = "0123456789abcdef";
    std::string text;
    for (unsigned char c : data) {
        text += digits[c >> 4];
        text += digits[c & 15];
    }
    return text;
}

// The message, the buffer and all memory that the message holds are used again and again.
template <class T>
Operations operations()
{
    struct State {
        T value, decoded;
        std::vector<char> data;
    };
    auto s = std::make_shared<State>();
    auto encode = [s] {
        FastBuffer buffer(s->data.data(), s->data.size());
        Cdr cdr(buffer, Cdr::LITTLE_ENDIANNESS, Cdr::DDS_CDR);
        cdr.serialize_encapsulation();
        s->value.serialize(cdr);
        return cdr.getSerializedDataLength();
    };
    auto decode = [s](T& to) {
        FastBuffer buffer(s->data.data(), s->data.size());
        Cdr cdr(buffer, Cdr::LITTLE_ENDIANNESS, Cdr::DDS_CDR);
        cdr.read_encapsulation();
        to.deserialize(cdr);
    };
    Operations o;
    o.load = [=](std::vector<char> data) {
        s->data = std::move(data);
        decode(s->value);
        std::fill(s->data.begin(), s->data.end(), 0);
        s->data.resize(encode());
        return hexadecimal(s->data);
    };
    o.timed["encode"] = [=](int64_t n) { return repeat(n, encode); };
    o.timed["decode"] = [=](int64_t n) { return repeat(n, [&] { decode(s->decoded); }); };
    o.timed["read"] = [=](int64_t n) { return repeat(n, [&] { decode(s->decoded); read(s->decoded); }); };
    return o;
}

} // namespace

int main()
{
    std::map<std::string, Operations> messages = {
        {"Twist", operations<geometry_msgs::msg::dds_::Twist_>()},
        {"Imu", operations<sensor_msgs::msg::dds_::Imu_>()},
        {"JointState", operations<sensor_msgs::msg::dds_::JointState_>()},
        {"LaserScan", operations<sensor_msgs::msg::dds_::LaserScan_>()},
        {"Image", operations<sensor_msgs::msg::dds_::Image_>()},
        {"PointCloud2", operations<sensor_msgs::msg::dds_::PointCloud2_>()},
        {"DiagnosticArray", operations<diagnostic_msgs::msg::dds_::DiagnosticArray_>()},
        {"TFMessage", operations<tf2_msgs::msg::dds_::TFMessage_>()},
        {"InteractiveMarkerInit", operations<visualization_msgs::msg::dds_::InteractiveMarkerInit_>()},
    };
    std::string op, name;
    int64_t n;
    while (std::cin >> op >> name >> n) {
        const auto m = messages.find(name);
        if (m == messages.end()) {
            std::cerr << "no message " << name << "\n";
            return 1;
        }
        if (op == "load") {
            std::vector<char> data(n);
            std::cin.get(); // the line break
            std::cin.read(data.data(), n);
            std::cout << m->second.load(data) << std::endl;
            continue;
        }
        const auto f = m->second.timed.find(op);
        if (f == m->second.timed.end()) {
            std::cerr << "no operation " << op << "\n";
            return 1;
        }
        std::cout << f->second(n) << std::endl;
    }
}
