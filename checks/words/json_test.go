package words

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestJSONErrorsNameNoTypesOfTheProgram(t *testing.T) {
	type inner struct {
		MS *float64 `json:"ms"`
		N  int      `json:"n"`
		On bool     `json:"on"`
	}
	type outer struct {
		List  []inner           `json:"list"`
		Tools map[string]string `json:"tools"`
		At    time.Time         `json:"at"`
	}
	for text, want := range map[string]string{
		`[]`:                      "expected an object, found a list",
		`"x"`:                     "expected an object, found a text",
		`{"list":{}}`:             "list: expected a list, found an object",
		`{"list":"x"}`:            "list: expected a list, found a text",
		`{"list":[{"ms":1e400}]}`: "list.ms: expected a number, found the number 1e400",
		`{"list":[{"n":1.5}]}`:    "list.n: expected a whole number, found the number 1.5",
		`{"list":[{"on":1}]}`:     "list.on: expected true or false, found a number",
		`{"tools":{"a":[]}}`:      "tools: expected a text, found a list",
		``:                        "the text ends before the document does",
		`{"list":[`:               "the text ends before the document does",
		`{x`:                      "found 'x' where a name in quotes should begin",
		`# Title`:                 "found '#' where a value should begin",
		`{"at" 1}`:                "found '1' after object key",
	} {
		var v outer
		err := json.Unmarshal([]byte(text), &v)
		require.Error(t, err)
		got := JSON(err)
		require.Equal(t, want, strings.Replace(got, "tools.a:", "tools:", 1), text)
		require.NotContains(t, got, "Go ")
	}
}
