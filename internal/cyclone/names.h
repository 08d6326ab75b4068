#ifndef PINION_NAMES_H
#define PINION_NAMES_H

/* Internals of Cyclone DDS by the names of 11; 0.10 has them under others. */
#include "dds/version.h"

#if DDS_VERSION_MAJOR >= 11

#include "dds/ddsi/ddsi_hbcontrol.h"
#include "dds/ddsi/ddsi_radmin.h"
#include "dds/ddsi/ddsi_thread.h"
#include "dds/ddsi/ddsi_whc.h"

#else

#include "dds/ddsi/q_hbcontrol.h"
#include "dds/ddsi/q_radmin.h"
#include "dds/ddsi/q_thread.h"
#include "dds/ddsi/q_whc.h"

#define ddsi_entidx_lookup_writer_guid entidx_lookup_writer_guid
#define ddsi_lookup_thread_state lookup_thread_state
#define ddsi_rdata nn_rdata
#define ddsi_thread_state thread_state
#define ddsi_thread_state_asleep thread_state_asleep
#define ddsi_thread_state_awake thread_state_awake
#define ddsi_whc_state whc_state
#define ddsrt_cond_mtime_broadcast ddsrt_cond_broadcast
#define DDSI_RDATA_PAYLOAD_OFF NN_RDATA_PAYLOAD_OFF
#define DDSI_RDATA_SUBMSG_OFF NN_RDATA_SUBMSG_OFF
#define DDSI_RMSG_PAYLOAD NN_RMSG_PAYLOAD
#define DDSI_RMSG_PAYLOADOFF NN_RMSG_PAYLOADOFF

#endif

#endif
