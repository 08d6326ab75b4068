package msggen

import "strings"

// idlWords are the lower-case keywords of IDL and of the languages that its compilers write. IDL
// forbids names that differ from a keyword in case only, so its capital ones stand here too.
var idlWords = wordSet(
	// IDL 4.2, and two words that fastddsgen takes for keywords
	`abstract any alias attribute bitfield bitmask bitset boolean case char component connector const
	consumes context custom default double emits enum eventtype exception factory false finder fixed
	float getraises home import in inout int8 int16 int32 int64 interface local long manages map
	mirrorport module multiple native object octet oneway out port porttype primarykey private
	provides public publishes raises readonly sequence setraises short string struct supports switch
	true truncatable typedef typeid typename typeprefix uint8 uint16 uint32 uint64 union unsigned
	uses valuebase valuetype void wchar wstring
	annotation set`,
	// C up to C23
	`alignas alignof auto bool break case char const constexpr continue default do double else enum
	extern false float for goto if inline int long nullptr register restrict return short signed
	sizeof static static_assert struct switch thread_local true typedef typeof typeof_unqual union
	unsigned void volatile while`,
	// C++ up to C++23
	`and and_eq asm bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield
	compl concept const_cast consteval constinit decltype delete dynamic_cast explicit export friend
	mutable namespace new noexcept not not_eq operator or or_eq private protected public
	reinterpret_cast requires static_cast template this throw try typeid typename using virtual
	wchar_t xor xor_eq`,
	// macros of C compilers outside of their strict modes
	`linux unix`,
)

// headerWords are names that the headers included by compiled IDL define as macros, and names of
// types that the generated code itself needs.
var headerWords = wordSet(
	`alloca assert be16toh be32toh be64toh errno htobe16 htobe32 htobe64 htole16 htole32 htole64
	htonl htons issubnormal le16toh le32toh le64toh math_errhandling ntohl ntohs offsetof
	pthread_cleanup_pop pthread_cleanup_push sched_priority stderr stdin stdout strdupa strndupa
	int8_t int16_t int32_t int64_t size_t uint8_t uint16_t uint32_t uint64_t`,
)

func wordSet(lists ...string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(strings.Join(lists, " ")) {
		set[word] = true
	}
	return set
}
