package triage

import "bytes"

// HeadBytes is how much of a file Binary looks at.
const HeadBytes = 8 << 10

// formats are files that hold logs but are none, by how they begin.
var formats = []struct{ magic, what string }{
	{"PK\x03\x04", "a zip archive: extract it first"},
	{"\x1f\x8b", "gzip data: decompress it first"},
	{"\x28\xb5\x2f\xfd", "zstandard data: decompress it first"},
	{"\xfd7zXZ", "xz data: decompress it first"},
	{"BZh", "bzip2 data: decompress it first"},
	{"\x7fELF", "a program or library"},
	{"SQLite format 3\x00", "a database: export it as text first"},
	{"\xff\xfe", "UTF-16 text: convert it to UTF-8 first"},
	{"\xfe\xff", "UTF-16 text: convert it to UTF-8 first"},
	{"%PDF-", "a PDF document"},
	{"\x89PNG", "an image"},
}

// Binary says what a file is instead of a log, from its first bytes; "" for text. A
// log may hold raw bytes: what a crash left, or a terminal's escapes. Data holds
// many.
func Binary(head []byte) string {
	for _, f := range formats {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return f.what
		}
	}
	raw := 0
	for _, c := range head {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\b' && c != '\f' && c != 0x1b {
			raw++
		}
	}
	if 10*raw > len(head) {
		return "binary data"
	}
	return ""
}
