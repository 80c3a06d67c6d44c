package syntax

// layout checks Python's lines against each other, as its tokenizer does: the parser
// opens and closes blocks wherever the indentation changes, and goes on over the end
// of a line. It is given the tokens of the file in their order, a string as one.
type layout struct {
	f      *File
	found  *faults
	levels []level
	depth  int  // of brackets
	end    int  // of the last token
	begun  bool // there was a token
	// The last token is a colon, outside of brackets, or a semicolon.
	colon, semicolon bool
	opener           int // where the logical line starts
}

// level is an indentation: its width with tabs up to each eighth column, and with
// tabs as one column.
type level struct{ wide, narrow int }

// maxLevels is how deep Python nests blocks.
const maxLevels = 100

// token takes the next token and reports whether it begins a logical line.
func (l *layout) token(start, end int) (begins bool) {
	if from, ok := l.newline(start); ok {
		begins = true
		l.line(from, start)
	}
	l.end, l.begun, l.colon, l.semicolon = end, true, false, false
	return begins
}

// goesOn reports whether something at an offset stands on the line of the last token
// and is not divided from it.
func (l *layout) goesOn(at int) bool {
	if !l.begun || l.colon || l.semicolon {
		return false
	}
	_, ok := l.newline(at)
	return !ok
}

// newline reports whether a logical line ends between the last token and an offset,
// and where the last of the lines between starts.
func (l *layout) newline(to int) (from int, ok bool) {
	src := l.f.Src
	if !l.begun {
		ok = true
	}
	from = l.end
	for i := l.end; i < to; i++ {
		switch c := src[i]; {
		case c == ' ' || c == '\t':
		case c == '\n' || c == '\r' && (i+1 == len(src) || src[i+1] != '\n'):
			from, ok = i+1, true
		case c == '#':
			for i+1 < to && src[i+1] != '\n' && src[i+1] != '\r' {
				i++
			}
		case c == '\\' && i+1 < to:
			// The line goes on: the indentation of the next says nothing.
			if i++; src[i] == '\r' && i+1 < to && src[i+1] == '\n' {
				i++
			}
		case c >= 0x80:
			l.found.add(i, "a character that is not seen stands between the words")
		}
	}
	return from, ok && l.depth == 0
}

// line begins a logical line whose first token stands at an offset.
func (l *layout) line(from, at int) {
	var is level
	for _, c := range l.f.Src[from:at] {
		if c == '\\' { // goes on in the next line, and is indented as this one
			break
		}
		switch c {
		case ' ':
			is.wide++
			is.narrow++
		case '\t':
			is.wide = (is.wide/8 + 1) * 8
			is.narrow++
		case '\f':
			is = level{}
		}
	}
	if l.levels == nil {
		l.levels = []level{{}}
	}
	top := l.levels[len(l.levels)-1]
	switch {
	case is.wide <= top.wide && l.colon:
		l.noBlock(at)
	case is.wide > top.wide && !l.colon:
		l.found.add(at, "the line is indented further, and the line before opens no block")
	case is.wide > top.wide && len(l.levels) == maxLevels:
		l.found.add(at, "more than %d levels of indentation", maxLevels)
	case is.wide == top.wide && is.narrow != top.narrow, is.wide > top.wide && is.narrow <= top.narrow:
		l.found.add(at, "tabs and spaces are mixed in the indentation")
	case is.wide > top.wide:
		l.levels = append(l.levels, is)
	case is.wide < top.wide:
		for is.wide < top.wide {
			l.levels = l.levels[:len(l.levels)-1]
			top = l.levels[len(l.levels)-1]
		}
		if is.wide != top.wide {
			l.found.add(at, "the indentation is that of no outer block")
		} else if is.narrow != top.narrow {
			l.found.add(at, "tabs and spaces are mixed in the indentation")
		}
	}
	l.opener = at
}

// finish checks the end of the file.
func (l *layout) finish() {
	if l.colon && l.depth == 0 {
		l.noBlock(l.end)
	}
}

func (l *layout) noBlock(at int) {
	l.found.add(at, "an indented block is missing after line %d", l.f.Position(l.opener).Line)
}
