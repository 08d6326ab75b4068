package cyclone

// #include "dds/dds.h"
import "C"

// Error is a return code of Cyclone DDS.
type Error int32

// The codes that callers tell apart.
const (
	ErrUnspecified    Error = C.DDS_RETCODE_ERROR
	ErrTimeout        Error = C.DDS_RETCODE_TIMEOUT
	ErrAlreadyDeleted Error = C.DDS_RETCODE_ALREADY_DELETED
	ErrPrecondition   Error = C.DDS_RETCODE_PRECONDITION_NOT_MET
	ErrOutOfResources Error = C.DDS_RETCODE_OUT_OF_RESOURCES
	ErrBadParameter   Error = C.DDS_RETCODE_BAD_PARAMETER
	ErrNotAllowed     Error = C.DDS_RETCODE_NOT_ALLOWED_BY_SECURITY
)

// Error returns Cyclone DDS's text for the code.
func (e Error) Error() string { return "cyclone: " + C.GoString(C.dds_strretcode(C.dds_return_t(e))) }

// Timeout tells whether the operation gave up because its time was over, as in net.Error.
func (e Error) Timeout() bool { return e == ErrTimeout }

// check turns a return code or handle into an error.
func check(rc C.dds_return_t) error {
	if rc >= 0 {
		return nil
	}
	return Error(rc)
}
