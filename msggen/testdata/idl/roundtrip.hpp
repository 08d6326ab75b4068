// Reads messages with the code of fastddsgen and writes them again. Prints those that change: their
// type, a tab and what is wrong.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fastcdr/Cdr.h>

#include "allPubSubTypes.h"

static std::vector<char> bytes(const std::string& hex)
{
    std::vector<char> out;
    for (size_t i = 0; i + 1 < hex.size(); i += 2) {
        out.push_back(static_cast<char>(std::strtoul(hex.substr(i, 2).c_str(), nullptr, 16)));
    }
    return out;
}

template<class Message>
void roundtrip(const char* name, const char* hex)
{
    using namespace eprosima::fastcdr;
    std::vector<char> in = bytes(hex), out(in.size());
    try {
        FastBuffer from(in.data(), in.size()), to(out.data(), out.size());
        Cdr reader(from, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR), writer(to, Cdr::LITTLE_ENDIANNESS, Cdr::DDS_CDR);
        Message message;
        reader.read_encapsulation();
        message.deserialize(reader);
        writer.serialize_encapsulation();
        message.serialize(writer);
        if (reader.getSerializedDataLength() == in.size() && writer.getSerializedDataLength() == in.size() && in == out) {
            return;
        }
        std::printf("%s\t%s becomes other bytes, %zu read, %zu written\n", name, hex,
                reader.getSerializedDataLength(), writer.getSerializedDataLength());
    } catch (const std::exception& e) {
        std::printf("%s\t%s: %s\n", name, hex, e.what());
    }
}
