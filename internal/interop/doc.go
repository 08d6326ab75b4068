// Package interop builds and drives peers for tests: programs in C and C++ that exchange messages
// through the typed interfaces of Cyclone DDS and Fast DDS, with types that idlc and fastddsgen
// compile from the IDL that msggen writes. No code of this module takes part in what a peer sends or
// makes of what it receives.
//
// A peer prints each message field by field in a form that Fields defines, and publishes messages
// that it is given in this form, so that content is compared as C and Go see it rather than as bytes.
// The peer on npm packages does the same with bytes that it is given, as it has no DDS.
package interop
