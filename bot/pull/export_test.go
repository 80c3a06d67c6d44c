package pull

import "io"

// What tests of the outer package look at.
var (
	Unzip  = unzip
	Lines  = lines
	Marker = marker
)

// Untar returns the contents of the read files, and "unread" for the others.
func Untar(r io.Reader, sha string, want func(string) bool, limits Limits) (map[string]string, error) {
	files, err := untar(r, sha, want, limits)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for name, f := range files {
		out[name] = string(f.data)
		if f.err != nil {
			out[name] = "unread"
		}
	}
	return out, nil
}
