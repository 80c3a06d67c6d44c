package words

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// JSON says in plain words why a JSON document could not be read: which field, what
// was expected there and what was found.
func JSON(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		if errors.Is(err, io.ErrUnexpectedEOF) || strings.HasSuffix(err.Error(), "unexpected end of JSON input") {
			return "the text ends before the document does"
		}
		return plainSyntax.Replace(err.Error())
	}
	found, text, isNumber := strings.Cut(wrong.Value, " ")
	if name, ok := jsonNames[found]; ok {
		found = name
	}
	if isNumber {
		found = "the number " + text
	}
	what := fmt.Sprintf("expected %s, found %s", expected(wrong.Type), found)
	if wrong.Field != "" {
		what = wrong.Field + ": " + what
	}
	return what
}

// plainSyntax puts what the parser says of a text that is no JSON in plain words.
var plainSyntax = strings.NewReplacer(
	"invalid character ", "found ",
	"looking for beginning of value", "where a value should begin",
	"looking for beginning of object key string", "where a name in quotes should begin",
)

// jsonNames are the kinds of values in the words of messages.
var jsonNames = map[string]string{"array": "a list", "object": "an object", "string": "a text", "number": "a number", "bool": "true or false"}

func expected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return expected(t.Elem())
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a text"
}
