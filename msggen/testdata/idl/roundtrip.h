// Reads messages with Cyclone DDS and the code of idlc and writes them again. Prints those that
// change: their type, a tab and what is wrong.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dds/dds.h"
#include "dds/ddsi/ddsi_cdrstream.h"

static size_t bytes(const char *hex, unsigned char **out)
{
    size_t n = strlen(hex) / 2;
    *out = malloc(n);
    for (size_t i = 0; i < n; i++) {
        unsigned value;
        sscanf(hex + 2 * i, "%2x", &value);
        (*out)[i] = (unsigned char)value;
    }
    return n;
}

static void roundtrip(const dds_topic_descriptor_t *type, const char *name, const char *hex)
{
    struct ddsi_sertype_default codec = {0};
    codec.write_encoding_version = CDR_ENC_VERSION_1;
    codec.type.size = type->m_size;
    codec.type.align = type->m_align;
    codec.type.flagset = type->m_flagset;
    codec.type.ops.ops = (uint32_t *)type->m_ops;
    codec.type.ops.nops = dds_stream_countops(type->m_ops, type->m_nkeys, type->m_keys);

    unsigned char *in;
    uint32_t size = (uint32_t)bytes(hex, &in) - 4; // without encapsulation header
    dds_istream_t reader;
    dds_istream_init(&reader, size, in + 4, CDR_ENC_VERSION_1);
    void *sample = calloc(1, type->m_size);
    dds_stream_read_sample(&reader, sample, &codec);
    dds_ostream_t writer;
    dds_ostream_init(&writer, 0, CDR_ENC_VERSION_1);
    dds_stream_write_sample(&writer, sample, &codec);
    if (reader.m_index != size || writer.m_index != size || memcmp(writer.m_buffer, in + 4, size) != 0)
        printf("%s\t%s becomes other bytes, %u read, %u written\n", name, hex, reader.m_index, writer.m_index);
}
